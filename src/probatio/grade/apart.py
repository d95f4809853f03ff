"""Grading a trial apart: in a worker process, under limits. What can't be graded there is *could not be checked*."""

from __future__ import annotations

import importlib
from typing import Any

import msgspec

from probatio.errors import CannotCheck
from probatio.grade import assess, needs_sandbox
from probatio.grade.fingerprint import of_language
from probatio.grade.length import cut_note, gradable
from probatio.grade.once import checked_once, key_of
from probatio.grade.texts import assess_text
from probatio.languages.contract import LanguageSpec
from probatio.languages.finding import load_built_in
from probatio.records import UNCHECKED, Assessment, Response, Task
from probatio.records.writable import packed
from probatio.sandbox import Choice, NoIsolation, isolation
from probatio.store.checked import Key, checked_answers
from probatio.workers import Checks, Lane, Pool, Same, Unchecked

PROGRAMS = Lane(
    "programs",
    cpu_seconds=4,  # to parse, check and compile; the longest program of the suite takes 20 ms
    seconds=90,  # the jail's limit is 10 s, and it may have to be built twice
    beside=2,  # most of the time they wait for a program
    warm="probatio.grade.apart:warm",
)
_FUNCTION = "probatio.grade.apart:assess_here"
_SETTLED = frozenset({None, "syntax_error", "type_error", "runtime_error", "wrong_output", "no_response"})
"""What the check of a program says of the answer, and nothing of the machine or the limits: worth keeping."""


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


async def assess_apart(
    pool: Checks, task: Task, response: Response, spec: LanguageSpec, choice: Choice, *, keep: bool = True
) -> Assessment:
    """The assessment of an answer, made in a worker, or kept from an earlier time. Raises where no jail or no worker can be had,
    never for the answer."""
    if response.response is None:
        return assess(task, response, spec)
    try:
        if not needs_sandbox(task):
            return await assess_text(pool, task, response)
        text = response.response.encode("utf-8", "surrogatepass")
        asked = _Asked(task, spec, text, response.dialect, response.finish_reason, response.error, choice)
        same, key = _once(pool, asked, keep)
        return _assessment(
            await checked_once(pool, PROGRAMS, _FUNCTION, _encode(asked), key=key, settled=_settled, same=same)
        )
    except (Unchecked, CannotCheck) as error:
        return unchecked(str(error))


def _once(pool: Checks, asked: _Asked, keep: bool) -> tuple[Same | None, Key | None]:
    """What must be the same elsewhere, and the key the result is kept under; nothing where neither is wanted."""
    keeps = keep and checked_answers() is not None
    if not keeps and isinstance(pool, Pool):
        return None, None
    same = of_language(asked.spec)
    question = _encode((asked.task, asked.dialect, asked.finish_reason, asked.error, asked.isolation == "none"))
    return same, key_of(same, question, asked.text, asked.task.id) if keeps else None


def _settled(reply: bytes) -> bool:
    return _assessment(reply).error_type in _SETTLED


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


def warm() -> None:
    """Load what every check of a program needs, and find the jail once for all workers."""
    importlib.import_module("probatio.grade.program")
    load_built_in()
    try:
        isolation("auto")
    except NoIsolation:
        return
