"""Grade the answer of a trial in a worker process, under limits.

A worker that compares texts needs no language, so languages are imported where programs are graded.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import msgspec

from probatio.core.errors import CannotCheck, ProbatioError
from probatio.core.records import (
    CRASHED_CHECKER,
    FINAL_ERRORS,
    UNCHECKED,
    UNKNOWN_DIALECT,
    Assessment,
    Response,
    Task,
)
from probatio.core.records.writable import pack_record
from probatio.grading import assess, needs_sandbox
from probatio.grading.checking import BreaksCheck, Check, check_once, check_twice
from probatio.grading.extract import cut_note, gradable
from probatio.jail import Choice, warm_jail
from probatio.jail.workers import Checks, GraderFingerprint, Lane, Pool, Together
from probatio.languages.contract import LanguageSpec

PROGRAMS = Lane(
    "programs",
    cpu_seconds=4,  # to parse, check and compile; the longest program of the suite takes 20 ms
    seconds=90,  # the jail's limit is 10 s, and it may have to be built twice
    beside=2,  # most of the time they wait for a program
    warm="probatio.grading.trial_answers:warm_programs",
)
PREDICTIONS = Lane(
    "predictions",
    cpu_seconds=2,
    seconds=120,
    warm="probatio.grading.trial_answers:warm_predictions",
    travels=False,  # a text is compared in microseconds
)
_FUNCTION = "probatio.grading.trial_answers:assess_here"
_TRIAL = "probatio.grading.trial_answers:try_here"


class _AnswerToCheck(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is given of a task and an answer."""

    task: Task
    text: bytes  # a text with half a surrogate pair is no UTF-8
    dialect: str
    finish_reason: str | None
    error: str | None
    spec: LanguageSpec | None = None  # of a program
    isolation: Choice = "auto"


class _TrivialProgram(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is given to try a toolchain."""

    program: str
    spec: LanguageSpec
    isolation: Choice


_encode = msgspec.msgpack.Encoder().encode
_decode_answer = msgspec.msgpack.Decoder(_AnswerToCheck).decode
_decode_trivial = msgspec.msgpack.Decoder(_TrivialProgram).decode
_decode_assessment = msgspec.msgpack.Decoder(Assessment).decode
_gathering: list[Together] = []  # predictions on their way to the pool in use, many in one frame


class _Doubtful(Exception):
    """The check broke: the assessment says how, and would make the answer wrong."""

    def __init__(self, assessment: Assessment) -> None:
        super().__init__(assessment.error_detail)
        self.assessment = assessment


async def assess_trial(
    pool: Checks,
    task: Task,
    response: Response,
    spec: LanguageSpec,
    choice: Choice,
    *,
    keep: bool = True,
    trivial: str = "",
) -> Assessment:
    """The assessment of an answer, made in a worker or taken from the cache. Raises if there is no jail or no
    worker, never because of the answer.

    An answer that breaks its check twice is wrong. It *could not be checked* if a `trivial` program of the
    language, known to be right, breaks the check too.
    """
    if response.response is None:
        return assess(task, response, spec)
    tried = Check(PREDICTIONS, _FUNCTION, _TRIVIAL_TEXT)
    if needs_sandbox(task):
        payload = _encode(_TrivialProgram(trivial, spec, choice))
        tried = Check(PROGRAMS, _TRIAL, payload, _find_grader(pool, spec, keep))
    once = partial(_assess_once, pool, task, response, spec, choice, keep)
    try:
        return await check_twice(pool, once, _Doubtful, tried.payload, lambda: tried)
    except _Doubtful as doubt:
        return assess_unchecked(f"{doubt}; neither could a trivial program")
    except BreaksCheck as twice:
        assert isinstance(twice.__cause__, _Doubtful)
        return twice.__cause__.assessment


async def _assess_once(
    pool: Checks, task: Task, response: Response, spec: LanguageSpec, choice: Choice, keep: bool
) -> Assessment:
    """One try. Raises `_Doubtful` if the check breaks."""
    try:
        assessment = _decode_assessment(await _check(pool, task, response, spec, choice, keep))
    except ProbatioError:
        raise
    except Exception as error:  # whatever an answer found a way to break
        why = str(error) or type(error).__name__
        assessment = Assessment(False, False, False, CRASHED_CHECKER, why[:500], doubt=True)
    if assessment.doubt:
        raise _Doubtful(assessment)
    return assessment


async def _check(
    pool: Checks, task: Task, response: Response, spec: LanguageSpec, choice: Choice, keep: bool
) -> bytes:
    text = (response.response or "").encode("utf-8", "surrogatepass")
    told = (response.dialect, response.finish_reason, response.error)
    if not needs_sandbox(task):
        # It is compared with what is printed: the program need not travel.
        compared = msgspec.structs.replace(task, material=None, solution=None)
        if not _gathering or _gathering[0].pool is not pool:
            _gathering[:] = [Together(pool, PREDICTIONS, _FUNCTION)]
        return await _gathering[0].run(_encode(_AnswerToCheck(compared, text, *told)))
    payload = _encode(_AnswerToCheck(task, text, *told, spec, choice))
    check = Check(PROGRAMS, _FUNCTION, payload, _find_grader(pool, spec, keep), keep)
    return await check_once(pool, check, _encode((task, *told, choice == "none")), text, task.id, _is_final)


def _find_grader(pool: Checks, spec: LanguageSpec, keep: bool) -> GraderFingerprint | None:
    """What grades programs of the language; None if neither cache nor remote workers need it."""
    from probatio.grading.fingerprint import of_language

    return of_language(spec) if keep or not isinstance(pool, Pool) else None


def _is_final(reply: bytes) -> bool:
    assessment = _decode_assessment(reply)
    known = assessment.error_type is None or assessment.error_type in FINAL_ERRORS
    return known and assessment.timely and not assessment.doubt


def assess_unchecked(
    why: str, *, level_a: bool = False, breakdown: dict[str, Any] | None = None
) -> Assessment:
    """The answer is there and our machine could not check it: neither right nor wrong."""
    return Assessment(
        level_a, False, False, UNCHECKED, f"could not be checked: {why}", breakdown=breakdown or {}
    )


def assess_here(payload: bytes) -> bytes:
    """What the worker does: it assesses as much of an answer as is graded."""
    given = _decode_answer(payload)
    text, cut = gradable(given.text.decode("utf-8", "surrogatepass"))
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=given.task.id, model="", n_shot=0, context="",
        dialect=given.dialect, response=text, finish_reason=given.finish_reason, error=given.error,
    )  # fmt: skip
    assessment = assess(given.task, response, given.spec, given.isolation)
    if cut is not None:
        breakdown = {**assessment.breakdown, "cut": cut_note(cut)}
        assessment = msgspec.structs.replace(assessment, breakdown=breakdown)
    return pack_record(assessment)


_TRIVIAL_TEXT = _encode(
    _AnswerToCheck(
        Task(id="trivial", type="predict_output", category="", expected_output="1"), b"1", UNKNOWN_DIALECT,
        finish_reason=None, error=None,
    )
)  # fmt: skip


def try_here(payload: bytes) -> bytes:
    """What the worker does with a trivial program: it is checked and run. Raises where that breaks."""
    from probatio.languages.finding import find_language

    given = _decode_trivial(payload)
    language = find_language(given.spec)
    dialect = language.dialects[0]
    checked = language.check(given.program, dialect, given.isolation)
    if checked.doubt:
        raise CannotCheck(checked.detail)
    ran = language.run(given.program, dialect, "", given.isolation)
    if ran.doubtful:
        raise CannotCheck(language.explain_failure(ran)[1])
    return b""


def warm_predictions() -> None:
    """Load what comparing a text needs."""
    importlib.import_module("probatio.grading.prediction")


def warm_programs() -> None:
    """Load what every check of a program needs, and find the jail once for all workers."""
    from probatio.languages.finding import load_built_in

    importlib.import_module("probatio.grading.program")
    load_built_in()
    warm_jail()
