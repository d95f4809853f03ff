"""Calibrating the judge: it marks frozen answers before every run; the difference is its shift."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import fmean

import msgspec

from probatio.core.records import Calibration, CalibrationItem, SampleKey
from probatio.grading.judge.asking import Judge, NoJudgement
from probatio.grading.judge.protocol import Marks, mean_mark, numbers_of
from probatio.suites.calibration import FrozenAnswer, find_calibrating, load_calibration
from probatio.suites.daily_suite import Case, DailySuite
from probatio.suites.rubrics import Rubric

ROUND = "calibration"


class Judged(msgspec.Struct, frozen=True):
    """A frozen answer and the judge's marks for it today, or why there are none."""

    item: FrozenAnswer
    marks: Marks | None
    error: str | None = None


def calibration_set(suite: DailySuite) -> tuple[FrozenAnswer, ...]:
    """The frozen answers for a suite, its own or the built-in ones; empty if it needs no judge."""
    judged = any(use_case.grading != "deterministic" for use_case in suite.use_cases.values())
    return load_calibration(find_calibrating(suite)) if judged else ()


def question_of(suite: DailySuite, item: FrozenAnswer) -> tuple[Case, Rubric]:
    """The case that a frozen answer answers, and what it is marked by."""
    lender = find_calibrating(suite)
    case = lender.cases[item.case]
    rubric = lender.use_cases[item.use_case].rubric_of(case)
    assert rubric is not None  # the loader has seen to it
    return case, rubric


async def judge_items(judge: Judge, suite: DailySuite, items: Sequence[FrozenAnswer]) -> list[Judged]:
    """The judge's marks for the frozen answers. Raises `GateClosed` if the run is stopping."""

    async def judge_one(item: FrozenAnswer) -> Judged:
        key = SampleKey(item.id, ROUND, ROUND, 0)
        try:
            case, rubric = question_of(suite, item)
            marks = await judge.marks(key, rubric, case, item.answer)
            return Judged(item, marks)
        except NoJudgement as error:
            return Judged(item, None, str(error))

    return await asyncio.gather(*(judge_one(item) for item in items))


async def calibrate(judge: Judge, suite: DailySuite, items: Sequence[FrozenAnswer]) -> Calibration:
    """The judge's calibration of today."""
    return calibration_by(judge, suite, await judge_items(judge, suite, items))


def calibration_by(judge: Judge, suite: DailySuite, judged: Sequence[Judged]) -> Calibration:
    """The calibration of a judge that gave these marks."""
    items = [_item(suite, each) for each in judged]
    return msgspec.structs.replace(
        calibration_of(judge.entry.name, items, judge.entry.bar, suite.manifest.gap_errors),
        resolved_model=judge.resolved_model,
        system_fingerprint=judge.system_fingerprint,
        cost=round(judge.spent[ROUND], 8),
    )


def calibration_of(judge: str, items: Sequence[CalibrationItem], bar: float, allowed: float) -> Calibration:
    """The mean shift of the judge's marks, and whether it bars the judge (in either direction). At most the
    share `allowed` of the answers may have no mark."""
    if not items:
        return Calibration(
            judge=judge, error="the suite has no calibration set, so the judge's shift is unknown"
        )
    failed = [item for item in items if item.mark is None]
    if len(failed) > allowed * len(items):
        why = f"{len(failed)} of {len(items)} calibration answers could not be judged: {failed[0].error}"
        return Calibration(judge=judge, items=tuple(items), error=why)
    shift = round(fmean(item.mark - item.reference for item in items if item.mark is not None), 4)
    return Calibration(judge=judge, items=tuple(items), shift=shift, barred=abs(shift) > bar)


def _item(suite: DailySuite, judged: Judged) -> CalibrationItem:
    item, (_, rubric) = judged.item, question_of(suite, judged.item)
    mark = None if judged.marks is None else round(mean_mark(numbers_of(judged.marks), rubric), 4)
    reference = round(mean_mark(item.marks, rubric), 4)
    return CalibrationItem(item.id, item.use_case, reference, mark, judged.error)
