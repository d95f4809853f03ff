"""Grading a trial apart: in a worker process, under limits. What can't be graded there is *could not be checked*."""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.errors import CannotCheck
from probatio.grade import assess, needs_sandbox
from probatio.grade.length import cut_note, gradable
from probatio.languages.contract import LanguageSpec
from probatio.languages.finding import load_built_in
from probatio.records import UNCHECKED, Assessment, Response, Task
from probatio.records.writable import writable
from probatio.sandbox import Choice, NoIsolation, isolation
from probatio.workers import Lane, Pool, Unchecked
from probatio.workers.lane import CORES

PREDICTIONS = Lane("predictions", cpu_seconds=2, seconds=120, warm="probatio.grade.apart:warm")
PROGRAMS = Lane(
    "programs",
    cpu_seconds=4,  # to parse, check and compile; the longest program of the suite takes 20 ms
    seconds=90,  # the jail's limit is 10 s, and it may have to be built twice
    workers=CORES + 2,  # most of the time they wait for a program
    warm="probatio.grade.apart:warm",
)
_FUNCTION = "probatio.grade.apart:assess_here"


class _Asked(msgspec.Struct, frozen=True, array_like=True):
    task: Task
    spec: LanguageSpec
    text: bytes  # a text with half a surrogate pair is no UTF-8
    dialect: str
    finish_reason: str | None
    error: str | None
    isolation: Choice


_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(_Asked).decode
_assessment = msgspec.msgpack.Decoder(Assessment).decode


async def assess_apart(pool: Pool, task: Task, response: Response, spec: LanguageSpec, choice: Choice) -> Assessment:
    """The assessment of an answer, made in a worker. Raises where no jail or no worker can be had, never for the answer."""
    if response.response is None:
        return assess(task, response, spec)
    text = response.response.encode("utf-8", "surrogatepass")
    asked = _Asked(task, spec, text, response.dialect, response.finish_reason, response.error, choice)
    try:
        return _assessment(await pool.run(PROGRAMS if needs_sandbox(task) else PREDICTIONS, _FUNCTION, _encode(asked)))
    except (Unchecked, CannotCheck) as error:
        return unchecked(str(error))


def unchecked(why: str, *, level_a: bool = False, breakdown: dict[str, Any] | None = None) -> Assessment:
    """The answer is there and could not be checked: neither right nor wrong."""
    return Assessment(level_a, False, False, UNCHECKED, f"could not be checked: {why}", breakdown=breakdown or {})


def assess_here(payload: bytes) -> bytes:
    """What the worker does."""
    asked = _asked(payload)
    text, cut = gradable(asked.text.decode("utf-8", "surrogatepass"))
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=asked.task.id, model="", n_shot=0, context="",
        dialect=asked.dialect, response=text, finish_reason=asked.finish_reason, error=asked.error,
    )  # fmt: skip
    assessment = assess(asked.task, response, asked.spec, asked.isolation)
    if cut is not None:
        assessment = msgspec.structs.replace(assessment, breakdown={**assessment.breakdown, "cut": cut_note(cut)})
    return packed(assessment)


def packed(record: msgspec.Struct) -> bytes:
    """A record as it goes back; what a program made into its messages may hold half a surrogate pair."""
    try:
        return _encode(record)
    except UnicodeEncodeError:
        return _encode(writable(msgspec.to_builtins(record, builtin_types=(bytes,))))


def warm() -> None:
    """Load what every check of a trial needs, and find the jail once for all workers."""
    load_built_in()
    try:
        isolation("auto")
    except NoIsolation:
        return
