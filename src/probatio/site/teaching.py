"""How much context a model needs for a language: one number with its doubt, its price, and the ladder of difficulty."""

from __future__ import annotations

from typing import NamedTuple

from probatio.records import UNASKED_ERRORS
from probatio.site.runs import Condition, StudiedRun
from probatio.study.findings import Curve, Point, Reach
from probatio.study.intervals import Rate, rate_of


class Needed(NamedTuple):
    """What reaches a share. `tokens` is None where no condition that was tried does; then the number is above `most`."""

    share: float
    tokens: int | None
    low: int | None  # of the middle 95 % of resamples of the tasks; None where they do not reach it
    high: int | None
    most: int  # tokens of the largest condition that was tried
    place: str  # the condition in words
    dollars: float | None  # mean price of one answer under it, as recorded
    address: str  # of its trials

    @property
    def order(self) -> float:
        """For sorting: what is not reached comes last, and later where more was tried."""
        return self.tokens if self.tokens is not None else 1e9 + self.most


class Taught(NamedTuple):
    """One model in one dialect of a language, by one run."""

    run: StudiedRun
    language: str
    dialect: str
    model: str
    needed: tuple[Needed, ...]  # 80 and 90 %; empty where the run has too few conditions for a curve
    best: Point | None  # of the curve, where it is highest
    ladder: dict[str, Rate]  # difficulty → rate of first attempts, over all conditions


def taught(run: StudiedRun) -> list[Taught]:
    """Every model and dialect of a run."""
    curves = {(curve.model, curve.dialect): curve for curve in run.study.curves}
    ladders = _ladders(run)
    asked = dict.fromkeys((trial.grade.model, trial.grade.dialect) for trial in run.trials)
    return [
        Taught(
            run,
            run.record.suite_name,
            dialect,
            model,
            tuple(_needed(run, curve, reach) for reach in curve.reach) if curve else (),
            max(curve.points, key=lambda point: (point.fit, -point.tokens)) if curve else None,
            ladders.get((model, dialect), {}),
        )
        for model, dialect in asked
        for curve in (curves.get((model, dialect)),)
    ]


def condition_address(run: StudiedRun, condition: Condition) -> str:
    slug = run.condition_slugs.get(condition)
    return f"learnability/{run.name}/conditions/{slug}/" if slug else ""


def words(condition: Condition) -> str:
    return f"{condition.context}, {condition.n_shot}-shot"


def _needed(run: StudiedRun, curve: Curve, reach: Reach) -> Needed:
    place = reach.fitted
    condition = Condition(curve.model, curve.dialect, place.context, place.n_shot) if place else None
    return Needed(
        reach.share,
        place.tokens if place else None,
        reach.tokens_low,
        reach.tokens_high,
        max(point.tokens for point in curve.points),
        words(condition) if condition else "",
        run.prices.get(condition) if condition else None,
        condition_address(run, condition) if condition else "",
    )


def _ladders(run: StudiedRun) -> dict[tuple[str, str], dict[str, Rate]]:
    """(model, dialect) → difficulty → rate. Trials that could not be asked are in no rate."""
    tasks = run.suite.tasks if run.suite else {}
    counts: dict[tuple[str, str], dict[str, dict[str, tuple[int, int]]]] = {}
    for trial in run.trials:
        grade = trial.grade
        task = tasks.get(grade.task_id)
        if task is None or grade.error_type in UNASKED_ERRORS or grade.attempt > 1:
            continue
        steps = counts.setdefault((grade.model, grade.dialect), {}).setdefault(str(task.difficulty), {})
        right, asked = steps.get(grade.task_id, (0, 0))
        steps[grade.task_id] = right + grade.correct, asked + 1
    return {
        who: {step: rate_of(each.values()) for step, each in sorted(steps.items())} for who, steps in counts.items()
    }
