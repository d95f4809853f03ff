"""The price of a rule: what a model loses if one rule of the language is exchanged, and how much context
regains it.

A trial under a twist is paired with the trial without it, of the same task, model, context, n-shot, words and
sample. Tasks that the twist touches make the price. The other tasks are a control, which should cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from probatio.core.statistics.intervals import estimate_paired_difference, rate_of
from probatio.languages.contract import twist_of, without_twist
from probatio.learn.findings import Condition, Place, Price, PriceAt
from probatio.learn.tokens import SharedPart
from probatio.learn.trials import Trials

REGAINED = 5.0
"""Points. A model that loses fewer has taken the rule in."""


class TwistPair(NamedTuple):
    """How often a task was asked both ways under a condition: pairs, right without the twist, right with it,
    and right one way only."""

    context: str
    n_shot: int
    task: str
    cluster: str
    pairs: int
    plain: int
    twisted: int
    gained: int
    lost: int


def measure_prices(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[Price]:
    """Per model and twisted dialect, if the same tasks were also asked without the twist."""
    suite = trials.suite
    found = []
    for dialect in trials.levels("dialect"):
        twist = twist_of(dialect)
        if not twist or suite is None or twist not in suite.twists:
            continue
        about = suite.twists[twist]
        for model in trials.levels("model"):
            pairs = _pairs(trials, model, dialect)
            touched = [pair for pair in pairs if pair.task in about.touched]
            if touched:
                control = [pair for pair in pairs if pair.task not in about.touched]
                found.append(_price(model, dialect, about.rule, touched, control, tokens))
    return found


def _pairs(trials: Trials, model: str, dialect: str) -> list[TwistPair]:
    rows = trials.rows(
        "select b.context, b.n_shot, b.task_id, b.cluster, count(*), "
        "count(*) filter (a.correct), count(*) filter (b.correct), "
        "count(*) filter (b.correct and not a.correct), count(*) filter (a.correct and not b.correct) "
        "from trials a join trials b using (run, task_id, model, n_shot, context, sample) "
        "where a.dialect = ? and b.dialect = ? and b.model = ? and a.asked and b.asked and not b.control "
        "group by all order by all",
        [without_twist(dialect), dialect, model],
    )
    return [TwistPair(*row) for row in rows]


def _price(
    model: str,
    dialect: str,
    rule: str,
    touched: Sequence[TwistPair],
    control: Sequence[TwistPair],
    tokens: Mapping[Condition, SharedPart],
) -> Price:
    by_condition: dict[tuple[str, int], list[TwistPair]] = defaultdict(list)
    for pair in touched:
        by_condition[pair.context, pair.n_shot].append(pair)
    conditions = [
        _at(place, pairs, tokens.get(Condition(model, dialect, *place)))
        for place, pairs in by_condition.items()
    ]
    known = all(at.tokens is not None for at in conditions)
    conditions.sort(
        key=lambda at: (
            (at.tokens or 0, at.n_shot, at.context) if known else (at.n_shot, at.n_shot, at.context)
        )
    )
    return Price(
        model=model,
        dialect=dialect,
        twist=twist_of(dialect),
        rule=rule,
        tasks=len({pair.cluster for pair in touched}),
        pairs=sum(pair.pairs for pair in touched),
        **_compare_ways(touched),
        conditions=conditions,
        regained=_find_regained(conditions) if known else None,
        control_tasks=len({pair.cluster for pair in control}),
        control=_measure_loss(control) if control else None,
    )


def _at(place: tuple[str, int], pairs: Sequence[TwistPair], spent: SharedPart | None) -> PriceAt:
    return PriceAt(
        context=place[0],
        n_shot=place[1],
        tokens=None if spent is None else spent.tokens,
        estimated=spent is None or spent.estimated,
        **_compare_ways(pairs),
    )


def _compare_ways(pairs: Sequence[TwistPair]) -> dict[str, Any]:
    """The fields of a price: the rates without and with the twist, the points lost and their interval."""
    by_task = _by_task(pairs)
    return {
        "plain": rate_of((pair.plain, pair.pairs) for pair in by_task),
        "twisted": rate_of((pair.twisted, pair.pairs) for pair in by_task),
        **dict(zip(("lost", "low", "high"), _measure_loss(pairs), strict=True)),
    }


def _measure_loss(pairs: Iterable[TwistPair]) -> tuple[float, float, float]:
    """Points lost, with their interval; tasks as clusters."""
    change, low, high, _ = estimate_paired_difference(
        (pair.gained, pair.lost, pair.pairs) for pair in _by_task(pairs)
    )
    return -100 * change + 0.0, -100 * high, -100 * low


def _by_task(pairs: Iterable[TwistPair]) -> list[TwistPair]:
    """The counts of each task, with its variants, over all its conditions."""
    sums: dict[str, list[int]] = {}
    for pair in pairs:
        before = sums.setdefault(pair.cluster, [0] * 5)
        sums[pair.cluster] = [one + more for one, more in zip(before, pair[4:], strict=True)]
    return [TwistPair("", 0, cluster, cluster, *counts) for cluster, counts in sums.items()]


def _find_regained(conditions: Sequence[PriceAt]) -> Place | None:
    """The smallest condition from which on fewer than `REGAINED` points are lost; None if the largest still
    loses more."""
    found: Place | None = None
    for at in reversed(conditions):
        if at.lost >= REGAINED:
            break
        found = Place(at.tokens or 0, at.context, at.n_shot)
    return found
