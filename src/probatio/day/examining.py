"""Examining an answer of a day apart: in a worker process, under limits, from the whole response to its checked parts."""

from __future__ import annotations

import functools
import importlib
import pickle
from collections.abc import Callable
from fractions import Fraction

import msgspec

from probatio.builtin.daily.graders import PACKAGE, check
from probatio.day.fingerprint import of_grader
from probatio.grade.check_result import CheckResult
from probatio.grade.extract import without_reasoning
from probatio.grade.length import gradable
from probatio.grade.once import checked_once, key_of
from probatio.grade.own_grader import GraderFault, check_own
from probatio.grade.unanswered import unanswered, why_wrong
from probatio.records import Assessment, Response
from probatio.records.writable import packed
from probatio.sandbox import Choice, NoIsolation, isolation
from probatio.store.checked import checked_answers
from probatio.suite.daily_suite import Case
from probatio.suite.grader_entry import LONGEST_SECONDS, OwnGrader
from probatio.suite.language_suite import digest
from probatio.workers import Checks, Lane, Pool, Same, Unchecked

_TEXT = Lane("daily texts", cpu_seconds=2, seconds=120, warm="probatio.day.examining:warm_texts")
_HERE = msgspec.structs.replace(_TEXT, travels=False)
"""Only the answer is looked for: that is sooner done than sent."""
LANES: dict[str, Lane] = {
    # Only these answers need the tables of units, which take most of a second to load.
    "math_reasoning": Lane("daily algebra", cpu_seconds=2, seconds=120, warm="probatio.day.examining:warm_algebra"),
    # Three processes of 30 s at most, each under the jail's own limits; our part is to read what they print.
    "code_generation": Lane(
        "daily programs", cpu_seconds=2, seconds=150, beside=1, warm="probatio.day.examining:warm_programs"
    ),
    # A browser for each worker: no page waits for another's, or ends with it. A page is given up after 90 s, and tried twice
    # where the browser went down.
    "web_design": Lane(
        "daily pages",
        cpu_seconds=20,
        seconds=270,
        cores_each=4,  # a browser is made of processes
        checks=200,
        warm="probatio.day.examining:warm_pages",
    ),
}
"""Built-in grader → what its checks may use, where they are no plain texts."""
_OWN = Lane(
    "own graders",
    cpu_seconds=20,  # to read what it says, and once to find the packages it imports with all their libraries
    seconds=2 * LONGEST_SECONDS + 30,  # its own limit, and the jail may have to be built twice
    beside=1,
    warm="probatio.day.examining:warm_programs",
)

_FUNCTION = "probatio.day.examining:examine_here"


class Examined(msgspec.Struct, frozen=True):
    """What code can say about a response."""

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
    """A case and its grader on their way to the workers, packed once. Its gold comes from a file of the suite and may hold any
    plain value."""

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
        """What must be the same wherever an answer to it is checked; None where nobody can say."""
        return of_grader(self.grader)


class _Asked(msgspec.Struct, frozen=True, array_like=True):
    case: bytes
    checked: bool
    text: bytes
    finish_reason: str | None
    isolation: Choice


_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(_Asked).decode
_examined = msgspec.msgpack.Decoder(Examined).decode


async def examine(
    pool: Checks,
    case: PackedCase,
    response: Response,
    *,
    checked: bool,
    choice: Choice,
    before: Callable[[], None] | None = None,
) -> Examined:
    """What a worker finds in the response; with `checked`, the parts checked by code too. Raises `Unchecked`, `CannotCheck`."""
    text = (response.response or "").encode("utf-8", "surrogatepass")
    asked = _Asked(case.packed, checked, text, response.finish_reason, choice)
    lane = case.lane if checked else _HERE
    keeps = checked and checked_answers() is not None
    same = case.same() if checked and (keeps or not isinstance(pool, Pool)) else None
    question = _encode((case.digest, response.finish_reason, choice == "none"))
    key = key_of(same, question, text, case.name) if keeps and same is not None else None
    payload = _encode(asked)
    reply = await checked_once(pool, lane, _FUNCTION, payload, key=key, settled=_settled, before=before, same=same)
    examined = _examined(reply)
    if examined.fault is not None:
        raise Unchecked(examined.fault)
    return examined


def _settled(reply: bytes) -> bool:
    """A check that has something to remark may owe it to a busy machine."""
    examined = _examined(reply)
    return examined.fault is None and (examined.checked is None or examined.checked.note is None)


def examine_here(payload: bytes) -> bytes:
    """What the worker does."""
    asked = _asked(payload)
    case, grader = _unpacked(asked.case)
    text, cut = gradable(asked.text.decode("utf-8", "surrogatepass"))
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=case.id, model="", n_shot=0, context="",
        response=text, finish_reason=asked.finish_reason,
    )  # fmt: skip
    if nothing := unanswered(response):
        return packed(Examined(b"", nothing, cut=cut))
    answer = without_reasoning(text)
    try:
        checked = _checked(case, answer, asked.isolation, grader) if asked.checked else None
    except GraderFault as error:
        return packed(Examined(b"", fault=str(error)))
    return packed(
        Examined(
            answer.encode("utf-8", "surrogatepass"),
            checked=checked,
            refuses=why_wrong(msgspec.structs.replace(response, finish_reason=None), "wrong_output") == "refusal",
            cut=cut,
        )
    )


def _checked(case: Case, answer: str, isolation: Choice, grader: str | OwnGrader) -> CheckResult:
    if isinstance(grader, OwnGrader):
        return check_own(grader, case, answer, isolation)
    return check(case, answer, isolation, grader)


@functools.lru_cache(maxsize=256)
def _unpacked(packed: bytes) -> tuple[Case, str | OwnGrader]:
    """From our own process, never from an answer: what comes back from a worker is read as plain data."""
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
    """Find the jail, and make the copy of the standard library where there is none."""
    from probatio.languages.python.home import runtime

    runtime("")
    _find_jail()


def warm_pages() -> None:
    """Load the grader and the driver of the browser."""
    from probatio.builtin.daily.web_design import grader as _grader  # noqa: F401

    _find_jail()


def _find_jail() -> None:
    try:
        isolation("auto")
    except NoIsolation:
        return
