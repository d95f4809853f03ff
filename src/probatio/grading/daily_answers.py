"""Examine an answer of a day in a worker process, under limits: from the whole response to its checked
parts."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable

import msgspec

from probatio.builtin.daily.graders import TEXTS, check, facts_of, trivial_answer
from probatio.core.errors import CannotCheck
from probatio.core.records import Answered, Assessment
from probatio.core.records.check_result import CheckResult
from probatio.core.records.writable import pack_record
from probatio.grading.checking import Check, check_once, check_twice
from probatio.grading.extract import assess_unanswered, gradable, why_wrong, without_reasoning
from probatio.grading.fingerprint_daily import fingerprint_grader
from probatio.grading.own_grader import GraderFault, check_own
from probatio.jail import Choice
from probatio.jail.workers import Checks, Lane, Unchecked
from probatio.suites.daily_suite import Case
from probatio.suites.grader_entry import LONGEST_SECONDS, OwnGrader
from probatio.suites.language_suite import digest

_HERE = msgspec.structs.replace(TEXTS, travels=False)
"""Only the answer is looked for: that is sooner done than sent."""
_OWN = Lane(
    "own graders",
    cpu_seconds=20,  # to read what it says, and once to find the packages it imports with all their libraries
    seconds=2 * LONGEST_SECONDS + 30,  # its own limit, and the jail may have to be built twice
    beside=1,
    warm="probatio.languages.python.home:warm",
)

_FUNCTION = "probatio.grading.daily_answers:examine_here"


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
        lane = _OWN if isinstance(grader, OwnGrader) else facts_of(grader, case).lane
        content = digest(msgspec.to_builtins(case, str_keys=True))
        return cls(lane, pickle.dumps((case, grader)), case.id, content, grader)


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

    Raises `BreaksCheck` for an answer that ends a grader of ours twice, while a trivial answer does not.
    Raises `Unchecked` or `CannotCheck` if it can't be known: the tools fail on the trivial answer too, or
    the grader is the user's own, whose faults are not the answer's.
    """
    once = functools.partial(_examine_once, pool, case, response, checked, choice, before)
    if checked and isinstance(case.grader, OwnGrader):
        return await once()
    tools = _encode((case.lane.name, str(case.grader), checked, choice))
    trivial = functools.partial(_trivial_check, case, checked, choice)
    return await check_twice(pool, once, (Unchecked, CannotCheck), tools, trivial)


async def _examine_once(
    pool: Checks,
    case: PackedCase,
    response: Answered,
    checked: bool,
    choice: Choice,
    before: Callable[[], None] | None,
) -> Examined:
    text = (response.response or "").encode("utf-8", "surrogatepass")
    check = _check_of(case, text, response.finish_reason, checked, choice)
    question = _encode((case.digest, response.finish_reason, choice == "none"))
    reply = await check_once(pool, check, question, text, case.name, _is_final, before)
    examined = _decode_examined(reply)
    if examined.fault is not None:
        raise Unchecked(examined.fault)
    return examined


def _check_of(
    case: PackedCase, text: bytes, finish_reason: str | None, checked: bool, choice: Choice
) -> Check:
    payload = _encode(_CheckRequest(case.packed, checked, text, finish_reason, choice))
    if not checked:
        return Check(_HERE, _FUNCTION, payload)
    return Check(case.lane, _FUNCTION, payload, fingerprint_grader(case.grader))


def _trivial_check(case: PackedCase, checked: bool, choice: Choice) -> Check:
    """The check of an answer that every working grader grades."""
    unpacked, grader = _unpack(case.packed)
    text = trivial_answer(unpacked, grader) if isinstance(grader, str) else "1"
    return _check_of(case, text.encode(), None, checked, choice)


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
