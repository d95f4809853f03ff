"""How much context a model needs for a language: one number with its interval, its price, and the ladder of
difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from probatio.charts.cells import RangeScale, draw_range, draw_range_axis, range_scale
from probatio.core.records import UNASKED_ERRORS
from probatio.core.statistics.intervals import Rate, rate_of
from probatio.learn.curves import SHARES
from probatio.learn.findings import Bracket, Condition, Curve, Found, Place, Reach
from probatio.site.facts.runs import StudiedRun
from probatio.site.rendering import two_digits
from probatio.suites.task_types import KINDS


class Needed(NamedTuple):
    """What reaches a share, if anything does that was tried."""

    reach: Reach | Found
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
    def interval(self) -> Bracket:
        """What a search gives holds as it stands."""
        return self.reach.tokens if isinstance(self.reach, Found) else self.reach.interval

    @property
    def doubt(self) -> str:
        if isinstance(self.reach, Found):
            return f"by a search, {self.reach.sure}"
        if self.unsure:
            return f"95 %: {str(self.interval) or 'any number'}, no upper limit"
        return f"95 %: {self.interval}"

    @property
    def unsure(self) -> bool:
        """Whether all that was tried may be too little: the interval has no upper end."""
        return not isinstance(self.reach, Found) and self.interval.at_most is None

    @property
    def most(self) -> int:
        return self.reach.levels[-1].tokens if isinstance(self.reach, Found) else self.reach.most

    @property
    def best(self) -> float:
        return self.reach.best.share if isinstance(self.reach, Found) else self.reach.best

    @property
    def order(self) -> float:
        """The key for sorting: what is not reached comes last, and later if less was learned."""
        return self.tokens if self.tokens is not None else 1e9 * (2 - self.best)

    @property
    def price(self) -> str:
        return "" if self.dollars is None else two_digits(self.dollars)


class Best(NamedTuple):
    """The highest share of a model, and its tokens."""

    share: float
    tokens: int
    low: float | None
    high: float | None


class TaughtModel(NamedTuple):
    """One model in one dialect of a language, in one run."""

    run: StudiedRun
    language: str
    dialect: str
    model: str
    needed: tuple[Needed, ...]  # one for each share; none without a curve, or where the curve falls
    curve: Curve | None  # None of a search: it chose what it asked, so its rates make no curve
    found: Found | None  # by a search
    best: Best | None
    ladder: dict[str, Rate]  # difficulty → rate, over the questions that every row of the run was asked

    def need(self, share: float) -> Needed | None:
        return next((need for need in self.needed if abs(need.share - share) < 1e-9), None)

    @property
    def conditions(self) -> int:
        return sum((each.model, each.dialect) == (self.model, self.dialect) for each in self.run.conditions)

    @property
    def why_unknown(self) -> str:
        """Why the number of tokens is not known."""
        if self.run.record.search is not None:
            if self.found is None:
                return "a search whose suite can't be read"
            return f"searched for {100 * self.found.share:.0f} %" if self.needed else "search not settled yet"
        if self.curve is not None:
            return "no curve: the rate falls with more context"
        return f"no curve: {'one condition' if self.conditions == 1 else 'too few tasks'}"

    @property
    def order(self) -> tuple[str, str, float, float, str]:
        """Language and dialect, by name: their tasks are their own. Then who needs least; then, of those
        that do not get there, who gets furthest."""
        need = self.need(SHARES[0])
        tokens = need.tokens if need else None
        best = self.best.share if self.best else -1.0
        return self.language, self.dialect, float("inf") if tokens is None else tokens, -best, self.model


class LanguageAnswer(NamedTuple):
    """How much context a language needs, for one sentence."""

    language: str
    least: tuple[TaughtModel, Needed] | None  # who gets to the first share with fewest tokens
    dialects: int  # that were asked
    best: TaughtModel  # who gets furthest
    reaching: int  # models
    models: int
    tried: int  # most tokens tried with the model that gets furthest; others may have had more, or less


def list_taught(run: StudiedRun) -> list[TaughtModel]:
    """Every model and dialect of a run."""
    searched = run.record.search is not None
    curves = {} if searched else {(curve.model, curve.dialect): curve for curve in run.study.curves}
    found = {(one.model, run.record.plan.dialects[0]): one for one in run.study.found}
    ladders = _ladders(run)
    asked = dict.fromkeys((trial.grade.model, trial.grade.dialect) for trial in run.trials)
    return [
        TaughtModel(
            run,
            run.record.suite_name,
            dialect,
            model,
            _list_needed(run, model, dialect, curves.get((model, dialect)), found.get((model, dialect))),
            curves.get((model, dialect)),
            found.get((model, dialect)),
            _find_best(curves.get((model, dialect)), found.get((model, dialect))),
            ladders.get((model, dialect), {}),
        )
        for model, dialect in asked
    ]


def keep_latest(rows: Iterable[TaughtModel]) -> list[TaughtModel]:
    """One row for each model in each dialect: the first one with a curve or a search that tells the share, or
    else the first. Runs come newest first."""
    chosen: dict[tuple[str, str, str], TaughtModel] = {}
    for row in rows:
        key = row.language, row.dialect, row.model
        if key not in chosen or (_tells(row) and not _tells(chosen[key])):
            chosen[key] = row
    return sorted(chosen.values(), key=lambda row: row.order)


def _tells(row: TaughtModel) -> bool:
    return row.curve is not None or row.need(SHARES[0]) is not None


def answer_languages(rows: Sequence[TaughtModel]) -> list[LanguageAnswer]:
    """An answer for each language whose tokens to the first share are known."""
    by_language: dict[str, list[tuple[TaughtModel, Needed]]] = {}
    for row in rows:
        if need := row.need(SHARES[0]):
            by_language.setdefault(row.language, []).append((row, need))
    found = []
    for language, own in by_language.items():
        reaching = [(row, need) for row, need in own if need.tokens is not None]
        least = min(reaching, key=lambda each: each[1].order, default=None)
        best, its = max(own, key=lambda each: each[0].best.share if each[0].best else 0.0)
        found.append(
            LanguageAnswer(
                language,
                least,
                len({row.dialect for row, _ in own}),
                best,
                len({row.model for row, _ in reaching}),
                len({row.model for row, _ in own}),
                its.most,
            )
        )
    return found


class Ranges:
    """The tokens that reach a share with their interval, each drawn in its cell on one scale."""

    def __init__(self, rows: Sequence[TaughtModel]) -> None:
        needs = [need for row in rows if (need := row.need(SHARES[0]))]
        ends = [
            end
            for need in needs
            for end in (need.interval.above, need.tokens, need.interval.at_most, need.most)
            if end is not None
        ]
        self._scale: RangeScale | None = range_scale(min(ends), max(ends)) if ends else None

    @property
    def axis(self) -> Markup:
        return Markup(draw_range_axis(self._scale)) if self._scale else Markup()

    def line(self, need: Needed) -> Markup:
        if self._scale is None:
            return Markup()
        interval = need.interval
        return Markup(draw_range(self._scale, need.tokens, interval.above, interval.at_most, need.most))


def condition_address(run: StudiedRun, condition: Condition) -> str:
    slug = run.condition_slugs.get(condition)
    return f"learnability/{run.name}/conditions/{slug}/" if slug else ""


def _list_needed(
    run: StudiedRun, model: str, dialect: str, curve: Curve | None, found: Found | None
) -> tuple[Needed, ...]:
    if found is not None:
        # A search that is not settled may not have asked the largest levels.
        known = found.place is not None or (found.tokens.above is not None and found.settled)
        return (_find_needed(run, model, dialect, found, found.place),) if known else ()
    return tuple(
        _find_needed(run, model, dialect, reach, reach.fitted) for reach in (curve.reach if curve else ())
    )


def _find_needed(
    run: StudiedRun, model: str, dialect: str, reach: Reach | Found, place: Place | None
) -> Needed:
    if place is None:
        return Needed(reach, "", None, "")
    condition = Condition(model, dialect, place.context, place.n_shot)
    return Needed(
        reach,
        f"{place.context}, {place.n_shot or 'no'} example{'s' * (place.n_shot != 1)}",
        run.prices.get(condition),
        condition_address(run, condition),
    )


def _find_best(curve: Curve | None, found: Found | None) -> Best | None:
    if found is not None:
        return Best(found.best.share, found.best.tokens, found.best.low, found.best.high)
    if curve is None:
        return None
    point = max(curve.points, key=lambda point: (point.level, -point.tokens))
    return Best(point.level, point.tokens, point.band_low, point.band_high)


Who = tuple[str, str]
"""A model and a dialect."""


def _ladders(run: StudiedRun) -> dict[Who, dict[str, Rate]]:
    """Who → difficulty → rate, over the questions that all were asked: other conditions are another
    difficulty. None of a search, which asks each model what is hard to tell of it. Trials that could not be
    asked, and controls, are in no rate."""
    tasks = run.suite.tasks if run.suite and run.record.search is None else {}
    answers: dict[Who, dict[tuple[str, str, int, int], bool]] = {}
    for trial in run.trials:
        grade = trial.grade
        task = tasks.get(grade.task_id)
        if task is None or KINDS[task.type].control:
            continue
        if grade.error_type in UNASKED_ERRORS or grade.attempt > 1:
            continue
        question = grade.task_id, grade.context, grade.n_shot, grade.sample
        answers.setdefault((grade.model, grade.dialect), {})[question] = grade.correct
    shared = set.intersection(*map(set, answers.values())) if answers else set()
    ladders: dict[Who, dict[str, Rate]] = {}
    for who, own in answers.items():
        steps: dict[str, dict[str, tuple[int, int]]] = {}
        for question in shared:
            counts = steps.setdefault(str(tasks[question[0]].difficulty), {})
            right, asked = counts.get(question[0], (0, 0))
            counts[question[0]] = right + own[question], asked + 1
        ladders[who] = {step: rate_of(each.values()) for step, each in sorted(steps.items())}
    return ladders
