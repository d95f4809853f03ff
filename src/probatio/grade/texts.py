"""Predictions graded apart: texts are compared in a worker, many in one frame. Little is loaded: workers are there soon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from probatio.grade.length import cut_note, gradable
from probatio.grade.prediction import assess_prediction
from probatio.grade.unanswered import unanswered
from probatio.records import Assessment, Response, Task
from probatio.records.writable import packed
from probatio.workers.lane import Lane

if TYPE_CHECKING:
    from probatio.workers import Checks, Together

_FUNCTION = "probatio.grade.texts:assess_here"
PREDICTIONS = Lane(
    "predictions",
    cpu_seconds=2,
    seconds=120,
    warm="probatio.grade.texts:warm",
    travels=False,  # a text is compared in microseconds
)


class _Asked(msgspec.Struct, frozen=True, array_like=True):
    task: Task
    text: bytes  # a text with half a surrogate pair is no UTF-8
    dialect: str
    finish_reason: str | None
    error: str | None


_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(_Asked).decode
_assessment = msgspec.msgpack.Decoder(Assessment).decode


async def assess_text(pool: Checks, task: Task, response: Response) -> Assessment:
    """The assessment of a prediction, made in a worker. Raises what `Checks.run` raises."""
    text = (response.response or "").encode("utf-8", "surrogatepass")
    # It is compared with what is printed: the program need not travel.
    compared = msgspec.structs.replace(task, material=None, solution=None)
    asked = _Asked(compared, text, response.dialect, response.finish_reason, response.error)
    return _assessment(await _together(pool).run(_encode(asked)))


_gathering: list[Together] = []  # for the pool in use


def _together(pool: Checks) -> Together:
    from probatio.workers import Together

    if not _gathering or _gathering[0].pool is not pool:
        _gathering[:] = [Together(pool, PREDICTIONS, _FUNCTION)]
    return _gathering[0]


def assess_here(payload: bytes) -> bytes:
    """What the worker does."""
    asked = _asked(payload)
    text, cut = gradable(asked.text.decode("utf-8", "surrogatepass"))
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=asked.task.id, model="", n_shot=0, context="",
        dialect=asked.dialect, response=text, finish_reason=asked.finish_reason, error=asked.error,
    )  # fmt: skip
    assessment = unanswered(response) or assess_prediction(asked.task, response)
    if cut is not None:
        assessment = msgspec.structs.replace(assessment, breakdown={**assessment.breakdown, "cut": cut_note(cut)})
    return packed(assessment)


def warm() -> None:
    """Loading this module is all that a check needs."""
