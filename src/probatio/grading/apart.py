"""Grading a trial in a worker process, under limits. What can't be graded there *could not be checked*.

A worker that compares texts needs no language and no cache, so these are imported where programs are graded.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import msgspec

from probatio.core.errors import CannotCheck
from probatio.core.records import UNCHECKED, Assessment, Response, Task
from probatio.core.records.writable import pack_record
from probatio.grading import assess, needs_sandbox
from probatio.grading.extract import cut_note, gradable
from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.jail.workers import Checks, Lane, Pool, Together, Unchecked
from probatio.languages.contract import LanguageSpec

PROGRAMS = Lane(
    "programs",
    cpu_seconds=4,  # to parse, check and compile; the longest program of the suite takes 20 ms
    seconds=90,  # the jail's limit is 10 s, and it may have to be built twice
    beside=2,  # most of the time they wait for a program
    warm="probatio.grading.apart:warm_programs",
)
PREDICTIONS = Lane(
    "predictions",
    cpu_seconds=2,
    seconds=120,
    warm="probatio.grading.apart:warm_predictions",
    travels=False,  # a text is compared in microseconds
)
_FUNCTION = "probatio.grading.apart:assess_here"
_FINAL = frozenset({None, "syntax_error", "type_error", "runtime_error", "wrong_output", "no_response"})
"""Results that depend on the answer alone, not on the machine or its limits. These are kept."""


class _AnswerToCheck(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is given of a task and an answer."""

    task: Task
    text: bytes  # a text with half a surrogate pair is no UTF-8
    dialect: str
    finish_reason: str | None
    error: str | None
    spec: LanguageSpec | None = None  # of a program
    isolation: Choice = "auto"


_encode = msgspec.msgpack.Encoder().encode
_decode_answer = msgspec.msgpack.Decoder(_AnswerToCheck).decode
_decode_assessment = msgspec.msgpack.Decoder(Assessment).decode
_gathering: list[Together] = []  # predictions on their way to the pool in use, many in one frame


async def assess_apart(
    pool: Checks, task: Task, response: Response, spec: LanguageSpec, choice: Choice, *, keep: bool = True
) -> Assessment:
    """The assessment of an answer, made in a worker or taken from the cache. Raises if there is no jail or no
    worker, never because of the answer."""
    if response.response is None:
        return assess(task, response, spec)
    text = response.response.encode("utf-8", "surrogatepass")
    told = (response.dialect, response.finish_reason, response.error)
    try:
        if not needs_sandbox(task):
            # It is compared with what is printed: the program need not travel.
            compared = msgspec.structs.replace(task, material=None, solution=None)
            if not _gathering or _gathering[0].pool is not pool:
                _gathering[:] = [Together(pool, PREDICTIONS, _FUNCTION)]
            given = _AnswerToCheck(compared, text, *told)
            return _decode_assessment(await _gathering[0].run(_encode(given)))
        from probatio.grading.checked import key_of, open_checked
        from probatio.grading.fingerprint import of_language

        given = _AnswerToCheck(task, text, *told, spec, choice)
        same = of_language(spec) if keep or not isinstance(pool, Pool) else None
        check = partial(pool.run, PROGRAMS, _FUNCTION, _encode(given), same=same)
        if same is None or not keep:
            return _decode_assessment(await check())
        key = key_of(same, _encode((task, *told, choice == "none")), text, task.id)
        return _decode_assessment(await open_checked().check(key, check, _is_final))
    except (Unchecked, CannotCheck) as error:
        return assess_unchecked(str(error))


def _is_final(reply: bytes) -> bool:
    assessment = _decode_assessment(reply)
    return assessment.timely and assessment.error_type in _FINAL


def assess_unchecked(
    why: str, *, level_a: bool = False, breakdown: dict[str, Any] | None = None
) -> Assessment:
    """The answer is there and could not be checked: neither right nor wrong."""
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


def warm_predictions() -> None:
    """Load what comparing a text needs."""
    importlib.import_module("probatio.grading.prediction")


def warm_programs() -> None:
    """Load what every check of a program needs, and find the jail once for all workers."""
    from probatio.languages.finding import load_built_in

    importlib.import_module("probatio.grading.program")
    load_built_in()
    try:
        find_isolation("auto")
    except NoIsolation:
        return
