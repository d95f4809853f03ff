"""Examine an answer of a day in a worker process, under limits: from the whole response to its checked
parts."""

from __future__ import annotations

import contextlib
import functools
import importlib
import pickle
from collections.abc import Callable
from fractions import Fraction

import msgspec

from probatio.builtin.daily.graders import PACKAGE, check, trivial_answer
from probatio.core.errors import CannotCheck
from probatio.core.records import Answered, Assessment
from probatio.core.records.check_result import CheckResult
from probatio.core.records.writable import pack_record
from probatio.grading.checked import key_of, open_checked
from probatio.grading.extract import assess_unanswered, gradable, why_wrong, without_reasoning
from probatio.grading.fingerprint_daily import fingerprint_grader
from probatio.grading.own_grader import GraderFault, check_own
from probatio.grading.soundness import toolchains_of
from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.jail.workers import Checks, Lane, Same, Unchecked
from probatio.suites.daily_suite import Case
from probatio.suites.grader_entry import LONGEST_SECONDS, OwnGrader
from probatio.suites.language_suite import digest

_TEXT = Lane("daily texts", cpu_seconds=2, seconds=120, warm="probatio.grading.examine:warm_texts")
_HERE = msgspec.structs.replace(_TEXT, travels=False)
"""Only the answer is looked for: that is sooner done than sent."""
LANES: dict[str, Lane] = {
    # Only these answers need the tables of units, which take most of a second to load.
    "math_reasoning": Lane(
        "daily algebra", cpu_seconds=2, seconds=120, warm="probatio.grading.examine:warm_algebra"
    ),
    # Three processes of 30 s at most, each under the jail's own limits; our part is to read what they print.
    "code_generation": Lane(
        "daily programs",
        cpu_seconds=2,
        seconds=150,
        beside=1,
        warm="probatio.grading.examine:warm_programs",
    ),
    # A browser for each worker: no page waits for another's, or ends with it. A page is given up after 90 s,
    # and tried twice
    # where the browser went down.
    "web_design": Lane(
        "daily pages",
        cpu_seconds=20,
        seconds=270,
        cores_each=4,  # a browser is made of processes
        checks=200,
        warm="probatio.grading.examine:warm_pages",
    ),
}
"""Built-in grader → what its checks may use, where they are no plain texts."""
_OWN = Lane(
    "own graders",
    cpu_seconds=20,  # to read what it says, and once to find the packages it imports with all their libraries
    seconds=2 * LONGEST_SECONDS + 30,  # its own limit, and the jail may have to be built twice
    beside=1,
    warm="probatio.grading.examine:warm_programs",
)

_FUNCTION = "probatio.grading.examine:examine_here"


class BreaksGrader(Exception):
    """The answer ended its grader twice, which grades other answers: by a limit, or by an error in it."""


class Examined(msgspec.Struct, frozen=True):
    """What code finds in a response."""

    answer: bytes  # without reasoning, as far as it is graded; a text with half a surrogate pair is no UTF-8
    nothing: Assessment | None = None  # where the response holds no answer
    checked: CheckResult | None = None
    refuses: bool = False  # by its words
    cut: int | None = None  # the length of a response that was cut off
    fault: str | None = None  # why the grader, one of the user's own, says nothing of the answer

    @property
    def text(self) -> str:
        return self.answer.decode("utf-8", "surrogatepass")


class PackedCase(msgspec.Struct, frozen=True, array_like=True):
    """A case and its grader, packed once for the workers. Its gold comes from a file of the suite and may be
    any plain value."""

    lane: Lane
    packed: bytes
    name: str
    digest: str
    grader: str | OwnGrader

    @classmethod
    def of(cls, case: Case, grader: str | OwnGrader | None = None) -> PackedCase:
        grader = grader or case.use_case
        lane = _OWN if isinstance(grader, OwnGrader) else LANES.get(grader, _TEXT)
        content = digest(msgspec.to_builtins(case, str_keys=True))
        return cls(lane, pickle.dumps((case, grader)), case.id, content, grader)

    def same(self) -> Same | None:
        """What must be equal wherever an answer to this case is checked, or None if that is unknown."""
        return fingerprint_grader(self.grader)


class _CheckRequest(msgspec.Struct, frozen=True, array_like=True):
    case: bytes
    checked: bool
    text: bytes
    finish_reason: str | None
    isolation: Choice


class _ExaminedText(msgspec.Struct, frozen=True):
    response: str
    finish_reason: str | None
    error: str | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode_request = msgspec.msgpack.Decoder(_CheckRequest).decode
_decode_examined = msgspec.msgpack.Decoder(Examined).decode


async def examine(
    pool: Checks,
    case: PackedCase,
    response: Answered,
    *,
    checked: bool,
    choice: Choice,
    before: Callable[[], None] | None = None,
) -> Examined:
    """Let a worker examine the response; with `checked`, also check the parts that code can check.

    Raises `BreaksGrader` for an answer that ends a grader of ours twice, while a trivial answer does not.
    Raises `Unchecked` and `CannotCheck` where it can't be known: the tools fail on the trivial answer too, or
    the grader is the user's own, whose faults are not the answer's.
    """
    once = functools.partial(_examine_once, pool, case, response, checked, choice, before)
    try:
        return await once()
    except (Unchecked, CannotCheck):
        if checked and isinstance(case.grader, OwnGrader):
            raise
        tools = _encode((case.lane.name, str(case.grader), checked, choice))
        if await toolchains_of(pool).find_fault(tools, lambda: _try(pool, case, checked, choice)):
            raise
    try:
        return await once()
    except (Unchecked, CannotCheck) as error:
        raise BreaksGrader(f"the answer ended its grader twice: {error}") from error


async def _examine_once(
    pool: Checks,
    case: PackedCase,
    response: Answered,
    checked: bool,
    choice: Choice,
    before: Callable[[], None] | None,
) -> Examined:
    text = (response.response or "").encode("utf-8", "surrogatepass")
    asked = _CheckRequest(case.packed, checked, text, response.finish_reason, choice)
    lane = case.lane if checked else _HERE
    same = case.same() if checked else None
    check = functools.partial(pool.run, lane, _FUNCTION, _encode(asked), before, same)
    if same is None:
        examined = _decode_examined(await check())
    else:
        question = _encode((case.digest, response.finish_reason, choice == "none"))
        examined = _decode_examined(
            await open_checked().check(key_of(same, question, text, case.name), check, _is_final)
        )
    if examined.fault is not None:
        raise Unchecked(examined.fault)
    return examined


async def _try(pool: Checks, case: PackedCase, checked: bool, choice: Choice) -> str | None:
    """How the grader ends on a trivial answer; None where it grades it."""
    unpacked, grader = _unpack(case.packed)
    text = trivial_answer(unpacked, grader) if isinstance(grader, str) else "1"
    asked = _CheckRequest(case.packed, checked, text.encode(), None, choice)
    try:
        await pool.run(case.lane if checked else _HERE, _FUNCTION, _encode(asked), None, case.same())
    except (Unchecked, CannotCheck) as error:
        return str(error)
    return None


def _is_final(reply: bytes) -> bool:
    """Whether a result may be kept. One with a remark, or one that a time limit touched, may come from a busy
    machine."""
    examined = _decode_examined(reply)
    checked = examined.checked
    return examined.fault is None and (checked is None or (checked.timely and checked.note is None))


def examine_here(payload: bytes) -> bytes:
    """Examine a response; runs in the worker."""
    asked = _decode_request(payload)
    case, grader = _unpack(asked.case)
    text, cut = gradable(asked.text.decode("utf-8", "surrogatepass"))
    response = _ExaminedText(text, asked.finish_reason)
    if nothing := assess_unanswered(response):
        return pack_record(Examined(b"", nothing, cut=cut))
    answer = without_reasoning(text)
    try:
        if not asked.checked:
            checked = None
        elif isinstance(grader, OwnGrader):
            checked = check_own(grader, case, answer, asked.isolation)
        else:
            checked = check(case, answer, asked.isolation, grader)
    except GraderFault as error:
        return pack_record(Examined(b"", fault=str(error)))
    return pack_record(
        Examined(
            answer.encode("utf-8", "surrogatepass"),
            checked=checked,
            refuses=why_wrong(msgspec.structs.replace(response, finish_reason=None), "wrong_output")
            == "refusal",
            cut=cut,
        )
    )


@functools.lru_cache(maxsize=256)
def _unpack(packed: bytes) -> tuple[Case, str | OwnGrader]:
    """Unpickle what our own process sent. A worker's reply is never unpickled: it is read as plain data."""
    unpacked: tuple[Case, str | OwnGrader] = pickle.loads(packed)
    return unpacked


def warm_texts() -> None:
    """Load the graders of plain texts."""
    for use_case in (
        "structured_extraction",
        "instruction_following",
        "report_analysis",
        "summarization",
        "customer_service",
    ):
        importlib.import_module(f"{PACKAGE}.{use_case}.grader")


def warm_algebra() -> None:
    """Load algebra and units, and fill the tables they make at the first question."""
    from probatio.builtin.daily.math_reasoning.algebra import same_expression
    from probatio.builtin.daily.math_reasoning.units import in_unit

    for text in (r"\frac{1}{2}", "sqrt(2)/2", r"\sqrt{2}"):
        same_expression(text, "1/2", ())
    in_unit(Fraction(90), "km/h", "m/s")


def warm_programs() -> None:
    """Find the jail, and copy the standard library if there is no copy yet."""
    from probatio.languages.python.home import runtime

    runtime("")
    _find_jail()


def warm_pages() -> None:
    """Load the grader and the driver of the browser."""
    from probatio.builtin.daily.web_design import grader as _grader  # noqa: F401

    _find_jail()


def _find_jail() -> None:
    with contextlib.suppress(NoIsolation):
        find_isolation("auto")
