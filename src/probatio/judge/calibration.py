"""Calibrating the judge: frozen answers with reference marks are judged before every run; the difference is its shift."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from probatio.judge.asking import Judge, NoJudgement
from probatio.judge.protocol import Marks
from probatio.records import NO_DIALECT, Calibration, CalibrationItem, TrialKey
from probatio.suite.calibration import Item, load_calibration
from probatio.suite.daily_suite import DailySuite, Rubric

ROUND = "calibration"


class Judged(msgspec.Struct, frozen=True):
    """A frozen answer and the judge's marks for it today, or why there are none."""

    item: Item
    marks: Marks | None
    error: str | None = None


def calibration_set(suite: DailySuite) -> tuple[Item, ...]:
    """The frozen set of a suite; none for a suite that needs no judge."""
    judged = any(use_case.rubric is not None for use_case in suite.use_cases.values())
    return load_calibration(suite) if judged else ()


async def judge_items(judge: Judge, suite: DailySuite, items: Sequence[Item]) -> list[Judged]:
    """The judge's marks for the frozen answers. Raises `GateClosed` where the run is stopping; what was judged is kept."""

    async def judged(item: Item) -> Judged:
        key = TrialKey(item.id, ROUND, 0, NO_DIALECT, ROUND, 0)
        try:
            return Judged(item, await judge.marks(key, _rubric(suite, item), suite.cases[item.case], item.answer))
        except NoJudgement as error:
            return Judged(item, None, str(error))

    return await asyncio.gather(*(judged(item) for item in items))


async def calibrate(judge: Judge, suite: DailySuite, items: Sequence[Item]) -> Calibration:
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
    """The mean shift over the answers the judge has marked, and whether that bars it. Two-sided. At most the share `allowed`
    of the answers may have no mark."""
    if not items:
        return Calibration(judge=judge, error="the suite has no calibration set, so the judge's shift is unknown")
    failed = [item for item in items if item.mark is None]
    if len(failed) > allowed * len(items):
        why = f"{len(failed)} of {len(items)} calibration answers could not be judged: {failed[0].error}"
        return Calibration(judge=judge, items=tuple(items), error=why)
    shift = round(fmean(item.mark - item.reference for item in items if item.mark is not None), 4)
    return Calibration(judge=judge, items=tuple(items), shift=shift, barred=abs(shift) > bar)


def _item(suite: DailySuite, judged: Judged) -> CalibrationItem:
    item, rubric = judged.item, _rubric(suite, judged.item)
    mark = None if judged.marks is None else _mean({name: each.mark for name, each in judged.marks.items()}, rubric)
    return CalibrationItem(item.id, item.use_case, _mean(item.marks, rubric), mark, judged.error)


def _mean(marks: Mapping[str, float], rubric: Rubric) -> float:
    total = sum(criterion.weight for criterion in rubric.criteria)
    return round(sum(criterion.weight * marks[criterion.id] for criterion in rubric.criteria) / total, 4)


def _rubric(suite: DailySuite, item: Item) -> Rubric:
    rubric = suite.use_cases[item.use_case].rubric
    assert rubric is not None  # the loader has seen to it
    return rubric
