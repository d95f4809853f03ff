"""Learning curves: how the pass rate grows with the tokens spent on context and examples, and where it reaches a mark.

The fit is the weighted isotonic one: of all curves that never fall, the nearest to the rates. The band is a Bayesian bootstrap
over tasks: each draw gives the tasks new weights, adds one unseen task that passes everywhere or nowhere with equal chance, and
is fitted again. Without the unseen task ten tasks that all pass would make a band of no width. The draws are seeded, so the
same run gives the same band.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probatio.study.findings import Curve, Place, Point, Reach
from probatio.study.intervals import rate_of
from probatio.study.tokens import Condition, SharedPart
from probatio.study.trials import Trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHARES = (0.8, 0.9)
"""The marks a curve is asked about."""

RESAMPLES = 1000
SEED = 20260105
"""Any number will do; it only has to stay the same."""

MIN_TASKS = 5
"""Fewer tasks than this drawn again and again say nothing about other tasks."""

MIN_CONDITIONS = 2

Counts = Mapping[tuple[str, int], Mapping[str, tuple[int, int]]]
"""(context, n-shot) → task → (passed, asked)."""


def learning_curves(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> tuple[list[Curve], str | None]:
    """A curve for each model and dialect that was asked under enough conditions; else the reason there is none."""
    if not tokens:
        return [], "The tokens of context and examples are not known: no condition has the prompts of two tasks."
    per_curve: dict[tuple[str, str], dict[tuple[str, int], dict[str, tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for model, dialect, context, n_shot, task, passed, asked in trials.rows(
        "select model, dialect, context, n_shot, task_id, count(*) filter (correct), count(*) "
        "from trials where asked and not control group by all order by all"
    ):
        if Condition(model, dialect, context, n_shot) in tokens:
            per_curve[model, dialect][context, n_shot][task] = passed, asked
    contexts = trials.levels("context")
    curves = [
        curve
        for model in trials.levels("model")
        for dialect in trials.levels("dialect")
        if (curve := _curve(model, dialect, contexts, per_curve.get((model, dialect), {}), tokens)) is not None
    ]
    if curves:
        return curves, None
    return [], f"A curve needs at least {MIN_CONDITIONS} conditions and {MIN_TASKS} tasks of one model in one dialect."


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
    fit, resampled = monotone_band(passed @ merge, asked @ merge)
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    points = [
        Point(
            context=context,
            n_shot=n_shot,
            tokens=int(at[number]),
            rate=rate_of(counts[context, n_shot].values()),
            fit=float(fit[group[number]]),
            band_low=float(low[group[number]]),
            band_high=float(high[group[number]]),
        )
        for number, (context, n_shot) in enumerate(places)
    ]
    reach = [_reach(share, sizes, resampled, points) for share in SHARES]
    estimated = any(spent[place].estimated for place in places)
    there = {context for context, _ in places}
    return Curve(
        model, dialect, len(tasks), estimated, points, reach, tuple(each for each in contexts if each in there)
    )


def monotone_band(passed: Floats, asked: Floats, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Floats, Floats]:
    """The monotone fit over conditions (columns), and the fits of as many draws of the tasks (rows)."""
    import numpy as np

    fit = monotone(passed.sum(0)[None], asked.sum(0)[None])[0]
    chance = np.random.default_rng(seed)
    weights = chance.standard_exponential((resamples, len(passed) + 1))
    unseen = weights[:, [-1]] * asked.mean(0)
    passes = chance.integers(2, size=(resamples, 1))
    return fit, monotone(weights[:, :-1] @ passed + passes * unseen, weights[:, :-1] @ asked + unseen)


def monotone(passed: Floats, asked: Floats) -> Floats:
    """Weighted isotonic fits, one per row: at place i the largest over j ≤ i of the smallest over k ≥ i of the rate of j…k."""
    import numpy as np

    rows, places = passed.shape
    sums = np.concatenate([np.zeros((rows, 1)), passed.cumsum(1)], axis=1)
    weights = np.concatenate([np.zeros((rows, 1)), asked.cumsum(1)], axis=1)
    fits = np.zeros((rows, places))
    for j in range(places):
        rates = (sums[:, j + 1 :] - sums[:, [j]]) / (weights[:, j + 1 :] - weights[:, [j]])
        smallest = np.minimum.accumulate(rates[:, ::-1], axis=1)[:, ::-1]
        fits[:, j:] = np.maximum(fits[:, j:], smallest)
    return fits


def _reach(share: float, sizes: Any, resampled: Floats, points: list[Point]) -> Reach:
    """The first place that reaches the share, by the fit and by its own rate, and where the draws put it."""
    import numpy as np

    def first(values: list[float]) -> Place | None:
        reaching = (point for point, value in zip(points, values, strict=True) if value >= share - 1e-9)
        return next((Place(point.tokens, point.context, point.n_shot) for point in reaching), None)

    reached = resampled >= share - 1e-9
    draws = np.where(reached.any(1), reached.argmax(1), len(sizes))
    ends = np.quantile(draws, (0.025, 0.975), method="inverted_cdf")
    low, high = (int(sizes[int(end)]) if end < len(sizes) else None for end in ends)
    return Reach(
        share,
        fitted=first([point.fit for point in points]),
        alone=first([point.rate.share or 0.0 for point in points]),
        tokens_low=low,
        tokens_high=high,
        resamples_reaching=float(reached.any(1).mean()),
    )
