"""Learning curves: how the pass rate grows with the tokens of context and examples, and where it reaches a
mark.

The fit never falls. Its band comes from drawing the tasks again (learn/statistics/isotonic.py). Where the
rates do fall, by more than chance, there is no fit: the points and a sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probatio.charts.curves import Point
from probatio.core.statistics.intervals import rate_of
from probatio.learn.findings import Bracket, Condition, Curve, Dip, Place, Reach
from probatio.learn.statistics.family import ALPHA
from probatio.learn.statistics.isotonic import find_fall, fit_with_band
from probatio.learn.tokens import SharedPart
from probatio.learn.trials import Trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHARES = (0.8, 0.9)
"""The marks a curve is asked about."""

MIN_TASKS = 5
"""Fewer tasks than this drawn again and again say nothing about other tasks."""

MIN_CONDITIONS = 2

Counts = Mapping[tuple[str, int], Mapping[str, tuple[int, int]]]
"""(context, n-shot) → task, with its variants → (passed, asked)."""


def fit_curves(
    trials: Trials, tokens: Mapping[Condition, SharedPart], table: str = "trials"
) -> tuple[list[Curve], str | None]:
    """A curve for each model and dialect that was asked under enough conditions, or the reason why there is
    no curve. `table`: where the trials are."""
    if not tokens:
        unknown = "The tokens of context and examples are not known"
        return [], f"{unknown}: no condition has the prompts of two tasks."
    per_curve: dict[tuple[str, str], dict[tuple[str, int], dict[str, tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for model, dialect, context, n_shot, task, passed, asked in trials.rows(
        "select model, dialect, context, n_shot, cluster, count(*) filter (correct), count(*) "
        f"from {table} where asked and not control group by all order by all"
    ):
        if Condition(model, dialect, context, n_shot) in tokens:
            per_curve[model, dialect][context, n_shot][task] = passed, asked
    contexts = trials.levels("context")
    curves = [
        curve
        for model in trials.levels("model")
        for dialect in trials.levels("dialect")
        if (curve := _curve(model, dialect, contexts, per_curve.get((model, dialect), {}), tokens))
        is not None
    ]
    if curves:
        return curves, None
    least = f"at least {MIN_CONDITIONS} conditions and {MIN_TASKS} tasks"
    return [], f"A curve needs {least} of one model in one dialect."


def _curve(
    model: str, dialect: str, contexts: list[str], counts: Counts, tokens: Mapping[Condition, SharedPart]
) -> Curve | None:
    spent = {place: tokens[Condition(model, dialect, *place)] for place in counts}
    places = sorted(counts, key=lambda place: (spent[place].tokens, place))
    tasks = sorted({task for of_tasks in counts.values() for task in of_tasks})
    if len(places) < MIN_CONDITIONS or len(tasks) < MIN_TASKS:
        return None
    import numpy as np

    passed, asked = (
        np.array([[counts[place].get(task, (0, 0))[part] for place in places] for task in tasks], dtype=float)
        for part in (0, 1)
    )
    at = np.array([spent[place].tokens for place in places])
    # Conditions of the same size share one value of the fit.
    sizes, group = np.unique(at, return_inverse=True)
    merge = np.eye(len(sizes))[group]
    firsts = [Place(int(size), *places[group.tolist().index(number)]) for number, size in enumerate(sizes)]
    dip = _find_dip(passed @ merge, asked @ merge, firsts)
    fit, resampled = fit_with_band(passed @ merge, asked @ merge)
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    points = [
        Point(
            context=context,
            n_shot=n_shot,
            tokens=int(at[number]),
            rate=rate_of(counts[context, n_shot].values()),
            fit=None if dip else float(fit[group[number]]),
            band_low=None if dip else float(low[group[number]]),
            band_high=None if dip else float(high[group[number]]),
        )
        for number, (context, n_shot) in enumerate(places)
    ]
    reach = [] if dip else [_reach(share, sizes, resampled, points) for share in SHARES]
    estimated = any(spent[place].estimated for place in places)
    there = {context for context, _ in places}
    in_order = tuple(each for each in contexts if each in there)
    return Curve(model, dialect, len(tasks), estimated, points, reach, in_order, dip)


def _find_dip(passed: Floats, asked: Floats, places: list[Place]) -> Dip | None:
    """A fall that chance does not explain; a place for each size."""
    fall = find_fall(passed, asked)
    if fall.p >= ALPHA:
        return None
    rates = passed.sum(0) / asked.sum(0)
    return Dip(places[fall.start], places[fall.end], float(rates[fall.start]), float(rates[fall.end]), fall.p)


def _reach(share: float, sizes: Any, resampled: Floats, points: list[Point]) -> Reach:
    """The first place that reaches the share, by the fit and by its own rate, and where the draws put it."""
    import numpy as np

    def first(values: list[float]) -> Place | None:
        reaching = (point for point, value in zip(points, values, strict=True) if value >= share - 1e-9)
        return next((Place(point.tokens, point.context, point.n_shot) for point in reaching), None)

    reached = resampled >= share - 1e-9
    draws = np.where(reached.any(1), reached.argmax(1), len(sizes))
    low, high = (int(end) for end in np.quantile(draws, (0.025, 0.975), method="inverted_cdf"))
    fitted = first([point.level for point in points])
    at = len(sizes) if fitted is None else int(np.searchsorted(sizes, fitted.tokens))
    return Reach(
        share,
        fitted=fitted,
        alone=first([point.rate.share or 0.0 for point in points]),
        tokens=_bracket(sizes, at, at),
        interval=_bracket(sizes, low, high),
        most=int(sizes[-1]),
        best=max(point.level for point in points),
        resamples_reaching=float(reached.any(1).mean()),
    )


def _bracket(sizes: Any, first: int, last: int) -> Bracket:
    """The tokens between the size before the first place and the last place."""
    return Bracket(int(sizes[first - 1]) if first else None, int(sizes[last]) if last < len(sizes) else None)
