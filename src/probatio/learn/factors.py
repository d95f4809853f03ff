"""What each factor is worth: context, n-shot, dialect and model from one logistic model, and their interplay.

The model has one term per level against the factor's first level. Effects are given as odds ratios and as
average marginal effects: how many percentage points the pass rate moves when all trials are given that level
instead of the reference. p is of the score test, and the intervals are what that test does not reject: the
usual errors of a coefficient called nothing something in 11 to 16 of 100 runs of ten tasks near the ceiling.
"""

from __future__ import annotations

from itertools import combinations
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from probatio.core.statistics.intervals import Z95
from probatio.learn.findings import Effect, Factors, JointTest
from probatio.learn.rates import find_uneven
from probatio.learn.trials import Trials

if TYPE_CHECKING:
    from probatio.learn.statistics.logit import Fit, Floats

FACTORS = ("context", "n_shot", "dialect", "model")

MIN_TASKS = 10
"""Clustered errors from fewer clusters than this are too small by so much that they mislead."""


NO_SPREAD = 1e-7
"""A standard error this small means that all tasks behave alike: there is no spread to take an interval
from."""


class Term(NamedTuple):
    """One column of the design: a level of a factor against its reference."""

    factor: str
    level: Any
    reference: Any


class FactorCells(NamedTuple):
    """The trials as tables of tasks by cells, the cells' factor levels, and the design over them."""

    levels: dict[str, list[Any]]  # factor → its levels, reference first
    of_cell: dict[str, list[Any]]  # factor → the level of each cell
    passed: Floats
    asked: Floats
    terms: list[Term]
    design: Floats


def measure_factors(trials: Trials) -> tuple[Factors | None, str | None]:
    """What each factor is worth, or the reason why it can't be estimated."""
    usable = "asked and not control"
    levels = {factor: trials.levels(factor, usable) for factor in FACTORS}
    varied = {factor: names for factor, names in levels.items() if len(names) > 1}
    tasks, right, wrong = trials.rows(
        "select count(distinct cluster), count(*) filter (correct), count(*) filter (not correct) "
        f"from trials where {usable}"
    )[0]
    if not varied:
        same = "Every trial was asked under the same context, n-shot and dialect of the same model"
        return None, f"{same}: nothing to tell apart."
    if tasks < MIN_TASKS:
        return None, f"Errors clustered by task need at least {MIN_TASKS} tasks; there are {tasks}."
    if not right or not wrong:
        alike = f"All {right or wrong} answers {'passed' if right else 'failed'}"
        return None, f"{alike}: no factor can be worth anything."
    cells, notes = _cells(trials, varied, usable)
    notes[:0] = [
        f"{_name(factor)} has one level only ({levels[factor][0]}) and is left out."
        for factor in FACTORS
        if factor not in varied
    ]
    uneven = [_name(factor) for factor in find_uneven(trials) if factor in varied]
    if uneven:
        notes.append(
            f"Levels of {' and '.join(uneven)} were not asked under the same conditions and tasks. What they "
            "are worth where they did not meet is taken from where they did."
        )
    from probatio.learn.statistics.logit import fit

    fitted = fit(cells.design, cells.passed, cells.asked)
    effects = measure_effects(cells, fitted, notes)
    tests = [test for factor in varied if (test := _factor_test(cells, factor)) is not None]
    interplay = [
        test
        for pair in combinations(varied, 2)
        if (test := _interplay(cells, fitted, pair, notes)) is not None
    ]
    return Factors(tasks, right + wrong, effects, tests, interplay, notes), None


def measure_effects(cells: FactorCells, fitted: Fit, notes: list[str]) -> list[Effect]:
    """What each term is worth. Why one has no interval is added to the notes."""
    return [_effect(cells, fitted, number, notes) for number in range(len(cells.terms))]


def _cells(trials: Trials, varied: dict[str, list[Any]], usable: str) -> tuple[FactorCells, list[str]]:
    import numpy as np

    from probatio.learn.statistics.logit import independent_columns

    axes = ", ".join(varied)
    rows = trials.rows(
        f"select cluster, count(*) filter (correct), count(*), {axes} from trials where {usable} "
        "group by all order by all"
    )
    places = {cell: number for number, cell in enumerate(dict.fromkeys(row[3:] for row in rows))}
    tasks = {task: number for number, task in enumerate(dict.fromkeys(row[0] for row in rows))}
    passed, asked = np.zeros((len(tasks), len(places))), np.zeros((len(tasks), len(places)))
    for task, right, count, *cell in rows:
        passed[tasks[task], places[tuple(cell)]] = right
        asked[tasks[task], places[tuple(cell)]] = count
    of_cell = {factor: [cell[number] for cell in places] for number, factor in enumerate(varied)}
    terms = [Term(factor, level, names[0]) for factor, names in varied.items() for level in names[1:]]
    columns = np.array(
        [[level == term.level for level in of_cell[term.factor]] for term in terms], dtype=float
    ).T
    constant = np.ones((len(places), 1))
    kept = independent_columns(constant, columns)
    notes = [
        f"{_name(terms[number].factor)} {terms[number].level} can't be separated from the other factors "
        "here and is left out."
        for number in range(len(terms))
        if number not in kept
    ]
    design = np.column_stack([constant, columns[:, kept]])
    return FactorCells(varied, of_cell, passed, asked, [terms[number] for number in kept], design), notes


def _effect(cells: FactorCells, fitted: Fit, number: int, notes: list[str]) -> Effect:
    import numpy as np

    from probatio.learn.statistics.logit import FARTHEST, hold, invert_score_test, score_test

    term, column = cells.terms[number], number + 1
    trials = cells.passed, cells.asked
    points = _marginal(cells, fitted.coefficients, term)
    statistic, _, p = score_test(np.delete(cells.design, column, axis=1), cells.design[:, [column]], *trials)
    alike = [text for level in (term.level, term.reference) if (text := _alike(cells, term.factor, level))]
    no_spread = float(fitted.covariance[column, column]) < NO_SPREAD**2
    if not alike and no_spread:
        alone = f"No task tells {_name(term.factor)} {term.level} from {term.reference}"
        alike = [f"{alone}: no interval for its odds."]
    notes.extend(text for text in alike if text not in notes)
    low = high = points_low = points_high = None
    if not alike:
        low, high = invert_score_test(cells.design, column, *trials)
        points_low, points_high = (
            _marginal(cells, hold(cells.design, column, end, *trials), term)
            for end in (-FARTHEST if low is None else low, FARTHEST if high is None else high)
        )
    elif statistic and not no_spread:
        # No value of the odds is one that the test does not reject; the points are as uncertain as their
        # distance from zero is in the test.
        half = Z95 * abs(points) / sqrt(statistic)
        points_low, points_high = max(-1.0, points - half), min(1.0, points + half)
    return Effect(
        factor=term.factor,
        level=str(term.level),
        reference=str(term.reference),
        odds_ratio=exp(float(fitted.coefficients[column])),
        odds_low=None if low is None else exp(low),
        odds_high=None if high is None else exp(high),
        points=100 * points,
        points_low=None if points_low is None else 100 * points_low,
        points_high=None if points_high is None else 100 * points_high,
        p=p,
    )


def _marginal(cells: FactorCells, coefficients: Floats, term: Term) -> float:
    """The average marginal effect of a term."""
    import numpy as np

    weights = cells.asked.sum(0) / cells.asked.sum()
    ends = []
    for level in (term.level, term.reference):
        design = cells.design.copy()
        for number, other in enumerate(cells.terms, 1):
            if other.factor == term.factor:
                design[:, number] = float(other.level == level)
        ends.append(float(weights @ (0.5 * (1 + np.tanh(design @ coefficients / 2)))))
    return ends[0] - ends[1]


def _alike(cells: FactorCells, factor: str, level: Any) -> str | None:
    """The sentence for a level whose answers all passed or all failed; None for other levels."""
    mine = [at == level for at in cells.of_cell[factor]]
    passed, asked = cells.passed[:, mine].sum(), cells.asked[:, mine].sum()
    if passed not in (0, asked):
        return None
    ended = "passed" if passed else "failed"
    return f"All {asked:.0f} answers with {_name(factor)} {level} {ended}: no interval for its odds."


def _factor_test(cells: FactorCells, factor: str) -> JointTest | None:
    import numpy as np

    from probatio.learn.statistics.logit import score_test

    mine = [number for number, term in enumerate(cells.terms, 1) if term.factor == factor]
    if not mine:
        return None
    statistic, df, p = score_test(
        np.delete(cells.design, mine, axis=1), cells.design[:, mine], cells.passed, cells.asked
    )
    return JointTest((factor,), df, statistic, p) if df else None


def _interplay(cells: FactorCells, fitted: Fit, pair: tuple[str, str], notes: list[str]) -> JointTest | None:
    """Whether two factors are worth more, or less, together than each alone."""
    import numpy as np

    from probatio.learn.statistics.logit import independent_columns, score_test

    columns = {
        factor: [number for number, term in enumerate(cells.terms, 1) if term.factor == factor]
        for factor in pair
    }
    products = [
        cells.design[:, one] * cells.design[:, two] for one in columns[pair[0]] for two in columns[pair[1]]
    ]
    kept = independent_columns(cells.design, np.array(products).T) if products else []
    if not kept:
        return None
    if len(kept) > len(cells.passed) // 2:
        notes.append(
            f"The interplay of {_name(pair[0])} and {_name(pair[1])} has too many terms ({len(kept)}) for "
            f"{len(cells.passed)} tasks."
        )
        return None
    extra = np.array(products).T[:, kept]
    statistic, df, p = score_test(cells.design, extra, cells.passed, cells.asked)
    departure, where = _departure(cells, fitted, pair)
    return JointTest(pair, df, statistic, p, 100 * departure, where)


def _departure(cells: FactorCells, fitted: Fit, pair: tuple[str, str]) -> tuple[float, str]:
    """The pair of levels whose rate lies farthest from what the factors alone predict for it."""
    asked, passed = cells.asked.sum(0), cells.passed.sum(0)
    departures: list[tuple[float, str]] = []
    for one in cells.levels[pair[0]]:
        for two in cells.levels[pair[1]]:
            mine = [
                at == (one, two) for at in zip(cells.of_cell[pair[0]], cells.of_cell[pair[1]], strict=True)
            ]
            if count := asked[mine].sum():
                gap = (passed[mine].sum() - (asked * fitted.chances)[mine].sum()) / count
                departures.append((float(gap), f"{_name(pair[0])} {one} with {_name(pair[1])} {two}"))
    return max(departures, key=lambda item: abs(item[0]))


def _name(factor: str) -> str:
    return factor.replace("_", "-")
