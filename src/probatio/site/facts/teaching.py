"""How much context a model needs for a language: one number with its interval, its price, and the ladder of
difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from probatio.charts.cells import RangeScale, draw_range, draw_range_axis, range_scale
from probatio.charts.curves import Point
from probatio.core.records import UNASKED_ERRORS
from probatio.core.statistics.intervals import Rate, rate_of
from probatio.learn.findings import Condition, Curve, Reach
from probatio.site.facts.runs import StudiedRun
from probatio.site.rendering import money
from probatio.suites.task_types import KINDS


class Needed(NamedTuple):
    """What reaches a share, if anything does that was tried."""

    reach: Reach
    place: str  # the condition in words
    dollars: float | None  # mean price of one answer under it, as recorded
    address: str  # of its trials

    @property
    def share(self) -> float:
        return self.reach.share

    @property
    def tokens(self) -> int | None:
        """At most so many; None if no tried condition is enough."""
        return self.reach.tokens.at_most

    @property
    def most(self) -> int:
        return self.reach.most

    @property
    def best(self) -> float:
        return self.reach.best

    @property
    def order(self) -> float:
        """The key for sorting: what is not reached comes last, and later if less was learned."""
        return self.tokens if self.tokens is not None else 1e9 * (2 - self.best)

    @property
    def price(self) -> str:
        """The price of one answer in two digits: prices differ by more than that."""
        return "" if self.dollars is None else money(float(f"{self.dollars:.2g}"))


class TaughtModel(NamedTuple):
    """One model in one dialect of a language, in one run."""

    run: StudiedRun
    language: str
    dialect: str
    model: str
    needed: tuple[Needed, ...]  # 80 and 90 %; empty where there is no curve, or where it falls
    curve: Curve | None
    best: Point | None  # of the curve, where it is highest
    ladder: dict[str, Rate]  # difficulty → rate of first attempts, over all conditions

    @property
    def conditions(self) -> int:
        return sum((each.model, each.dialect) == (self.model, self.dialect) for each in self.run.conditions)

    @property
    def order(self) -> tuple[str, str, float, float, str]:
        """Language and dialect; then who needs least; then, of those that do not get there, who gets
        furthest."""
        need = self.needed[0].tokens if self.needed else None
        best = self.best.level if self.best else -1.0
        return self.language, self.dialect, float("inf") if need is None else need, -best, self.model


class LanguageAnswer(NamedTuple):
    """How much context a language needs, for one sentence."""

    language: str
    least: TaughtModel | None  # who gets to the first share with fewest tokens
    elsewhere: list[TaughtModel]  # the same model in the other dialects
    best: TaughtModel | None  # who gets furthest
    reaching: int  # models
    models: int
    tried: int  # tokens, at most


def list_taught(run: StudiedRun) -> list[TaughtModel]:
    """Every model and dialect of a run."""
    curves = {(curve.model, curve.dialect): curve for curve in run.study.curves}
    ladders = _ladders(run)
    asked = dict.fromkeys((trial.grade.model, trial.grade.dialect) for trial in run.trials)
    return [
        TaughtModel(
            run,
            run.record.suite_name,
            dialect,
            model,
            tuple(_find_needed(run, curve, reach) for reach in curve.reach) if curve else (),
            curve,
            max(curve.points, key=lambda point: (point.level, -point.tokens)) if curve else None,
            ladders.get((model, dialect), {}),
        )
        for model, dialect in asked
        for curve in (curves.get((model, dialect)),)
    ]


def keep_latest(rows: Iterable[TaughtModel]) -> list[TaughtModel]:
    """One row for each model in each dialect: the first one with a curve, or else the first. Runs come newest
    first."""
    chosen: dict[tuple[str, str, str], TaughtModel] = {}
    for row in rows:
        key = row.language, row.dialect, row.model
        if key not in chosen or (row.curve is not None and chosen[key].curve is None):
            chosen[key] = row
    return sorted(chosen.values(), key=lambda row: row.order)


def answer_languages(rows: Sequence[TaughtModel]) -> list[LanguageAnswer]:
    """An answer for each language that has a curve."""
    by_language: dict[str, list[TaughtModel]] = {}
    for row in rows:
        if row.needed:
            by_language.setdefault(row.language, []).append(row)
    found = []
    for language, own in by_language.items():
        reaching = [row for row in own if row.needed[0].tokens is not None]
        least = min(reaching, key=lambda row: row.needed[0].order, default=None)
        found.append(
            LanguageAnswer(
                language,
                least,
                [row for row in own if least is not None and row.model == least.model and row is not least],
                max(own, key=lambda row: row.best.level if row.best else 0.0),
                len({row.model for row in reaching}),
                len({row.model for row in own}),
                max(row.needed[0].most for row in own),
            )
        )
    return found


class Ranges:
    """The tokens that reach a share with their interval, each drawn in its cell on one scale."""

    def __init__(self, rows: Sequence[TaughtModel]) -> None:
        needs = [need for row in rows for need in row.needed[:1]]
        ends = [
            end
            for need in needs
            for end in (need.reach.interval.above, need.tokens, need.reach.interval.at_most, need.most)
            if end is not None
        ]
        self._scale: RangeScale | None = range_scale(min(ends), max(ends)) if ends else None

    @property
    def axis(self) -> Markup:
        return Markup(draw_range_axis(self._scale)) if self._scale else Markup()

    def line(self, need: Needed) -> Markup:
        if self._scale is None:
            return Markup()
        interval = need.reach.interval
        return Markup(draw_range(self._scale, need.tokens, interval.above, interval.at_most, need.most))


def condition_address(run: StudiedRun, condition: Condition) -> str:
    slug = run.condition_slugs.get(condition)
    return f"learnability/{run.name}/conditions/{slug}/" if slug else ""


def _find_needed(run: StudiedRun, curve: Curve, reach: Reach) -> Needed:
    place = reach.fitted
    if place is None:
        return Needed(reach, "", None, "")
    condition = Condition(curve.model, curve.dialect, place.context, place.n_shot)
    return Needed(
        reach,
        f"{place.context}, {place.n_shot or 'no'} example{'s' * (place.n_shot != 1)}",
        run.prices.get(condition),
        condition_address(run, condition),
    )


def _ladders(run: StudiedRun) -> dict[tuple[str, str], dict[str, Rate]]:
    """(model, dialect) → difficulty → rate. Trials that could not be asked, and controls, are in no rate."""
    tasks = run.suite.tasks if run.suite else {}
    counts: dict[tuple[str, str], dict[str, dict[str, tuple[int, int]]]] = {}
    for trial in run.trials:
        grade = trial.grade
        task = tasks.get(grade.task_id)
        if task is None or KINDS[task.type].control:
            continue
        if grade.error_type in UNASKED_ERRORS or grade.attempt > 1:
            continue
        steps = counts.setdefault((grade.model, grade.dialect), {}).setdefault(str(task.difficulty), {})
        right, asked = steps.get(grade.task_id, (0, 0))
        steps[grade.task_id] = right + grade.correct, asked + 1
    return {
        who: {step: rate_of(each.values()) for step, each in sorted(steps.items())}
        for who, steps in counts.items()
    }
