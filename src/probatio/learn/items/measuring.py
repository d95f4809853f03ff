"""From the tally to measured items: difficulty, discrimination, which models always and which never get it.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt

import msgspec

from probatio.core.errors import UsageError
from probatio.learn.items.records import (
    CEILING,
    CORRELATED,
    FLOOR,
    Credit,
    Discrimination,
    Item,
    ItemKind,
    ItemPool,
    Items,
)
from probatio.learn.items.tally import ItemKey, ItemTally, pool_credit

_ALIKE = 1e-9
"""Rest scores that differ by less are the same, but for rounding."""

NAMED = 8
"""Items named in a sentence; the rest are counted."""


def measure_items(
    tally: ItemTally, kind: ItemKind, source: str, suite: str, notes: Iterable[str] = ()
) -> Items:
    """Measure every item of the tally, pool by pool: rungs against the rungs of their pool, cases against its
    cases."""
    wholes = [key for key in tally.counts if not key.rung]
    parts = sorted(key for key in tally.counts if key.rung)
    rungs = {key.item: 0 for key in parts}
    for key in parts:
        rungs[key.item] = max(rungs[key.item], key.rung)
    order = list(dict.fromkeys(key.pool for key in wholes))
    items = [
        item for pool in order for item in _items(tally, [k for k in wholes if k.pool == pool], kind, rungs)
    ]
    steps = [
        item for pool in order for item in _items(tally, [k for k in parts if k.pool == pool], "rung", rungs)
    ]
    models = sorted(tally.models, key=lambda model: (-_mean(items, model), model))
    pools = []
    for name in order:
        ours, below = ([item for item in some if item.pool == name] for some in (items, steps))
        credits = {
            model: _pool(tally, name, answered, model, rungs)
            for model in models
            if (answered := [item for item in ours if model in item.credits])
        }
        pools.append(ItemPool(name, len(ours), credits, tuple(warn_of_headroom(name, credits, ours, below))))
    return Items(
        source=source,
        suite=suite,
        models=tuple(models),
        answers=sum(credit.answers for item in items for credit in item.credits.values()),
        pools=tuple(pools),
        items=tuple(items),
        rungs=tuple(steps),
        notes=tuple(notes),
    )


def _pool(tally: ItemTally, name: str, items: Sequence[Item], model: str, rungs: Mapping[str, int]) -> Credit:
    if all(item.rungs for item in items):
        return tally.pool_ladders([ItemKey(name, item.id) for item in items], model, rungs)
    return pool_credit(item.credits[model] for item in items)


def _items(tally: ItemTally, keys: Sequence[ItemKey], kind: ItemKind, rungs: Mapping[str, int]) -> list[Item]:
    of_rung = kind == "rung"
    credits = {
        key: {
            model: credit
            for model in sorted(tally.counts[key])
            if (credit := tally.credit(key, model, rungs.get(key.item, 0)))
        }
        for key in keys
    }
    credits = {key: of_models for key, of_models in credits.items() if of_models}
    totals: dict[str, tuple[float, int]] = {}
    for of_models in credits.values():
        for model, credit in of_models.items():
            total, items = totals.get(model, (0.0, 0))
            totals[model] = total + credit.share, items + 1
    return [
        Item(
            id=f"{key.item}/{key.rung}" if of_rung else key.item,
            kind=kind,
            pool=key.pool,
            credits=of_models,
            mean=sum(credit.share for credit in of_models.values()) / len(of_models),
            discrimination=measure_discrimination(of_models, _rest(of_models, totals)),
            rung=key.rung,
            rungs=rungs.get(key.item, 0),
            case=key.item if of_rung else "",
        )
        for key, of_models in credits.items()
    ]


def _rest(credits: Mapping[str, Credit], totals: Mapping[str, tuple[float, int]]) -> dict[str, float]:
    """Model → its mean on the other items of the pool, for models that answered any."""
    return {
        model: (totals[model][0] - credit.share) / (totals[model][1] - 1)
        for model, credit in credits.items()
        if totals[model][1] > 1
    }


def measure_discrimination(credits: Mapping[str, Credit], rest: Mapping[str, float]) -> Discrimination:
    """Two models are told apart if their intervals do not meet. Models with the same rest score have no order
    to agree with; models without an interval are in no pair."""
    models = [model for model in credits if model in rest]
    pairs = along = against = 0
    for one, two in combinations(models, 2):
        leads = _lead(credits[one], credits[two])
        if leads is None:
            continue
        ahead = leads * (rest[one] - rest[two])
        pairs += 1
        along += ahead > _ALIKE
        against += ahead < -_ALIKE
    shares, rests = [credits[model].share for model in models], [rest[model] for model in models]
    return Discrimination(
        pairs, along, against, correlate(shares, rests) if len(models) >= CORRELATED else None
    )


def _lead(one: Credit, two: Credit) -> int | None:
    """1 if the first is ahead, −1 if the second is, 0 if their intervals meet; None if one has none."""
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return None
    return (one.low > two.high) - (two.low > one.high)


def correlate(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation; None if one side does not vary."""
    if not xs or max(xs) == min(xs) or max(ys) == min(ys):
        return None
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    xx, yy = sum((x - mx) ** 2 for x in xs), sum((y - my) ** 2 for y in ys)
    if not xx * yy:
        return None
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sqrt(xx * yy)


def _mean(items: Sequence[Item], model: str) -> float:
    shares = [item.credits[model].share for item in items if model in item.credits]
    return sum(shares) / len(shares) if shares else 0.0


def narrow_items(found: Items, pool: str | None) -> Items:
    """The same for one pool only."""
    if pool is None:
        return found
    names = [each.name for each in found.pools]
    if pool not in names:
        raise UsageError(f"There is no pool `{pool}` in {found.source}; there are {', '.join(names)}.")
    return msgspec.structs.replace(
        found,
        answers=sum(
            credit.answers for item in found.items if item.pool == pool for credit in item.credits.values()
        ),
        pools=tuple(each for each in found.pools if each.name == pool),
        items=tuple(item for item in found.items if item.pool == pool),
        rungs=tuple(item for item in found.rungs if item.pool == pool),
    )


def warn_of_headroom(
    pool: str, credits: Mapping[str, Credit], items: Sequence[Item], rungs: Sequence[Item]
) -> Iterator[str]:
    """Warn if a pool says nothing about the best models, or nothing about any.

    The ends of a ladder are meant to be too easy and too hard. So rungs give a warning only if the top third
    is always right.
    """
    if not credits:
        return
    asked = f"{len(credits)} model{'s' if len(credits) > 1 else ''}"
    best = max(credits, key=lambda model: credits[model].share)
    if credits[best].saturated:
        yield (
            f"{pool}: no headroom. {best} has {100 * credits[best].share:.1f} % (limit {100 * CEILING:.0f} "
            "%): a better model, or a loss of this one, can't show."
        )
    if easy := [item.id for item in items if len(item.saturated_by) == len(credits)]:
        yield (
            f"{pool}: nobody fails {_of(easy, items)} ({asked}, {100 * CEILING:.0f} % or more each): "
            f"{_list(easy)}."
        )
    if hard := [item.id for item in items if len(item.never_by) == len(credits)]:
        yield (
            f"{pool}: nobody passes {_of(hard, items)} ({asked}, {100 * FLOOR:.0f} % or less each): "
            f"{_list(hard)}."
        )
    top = [item for item in rungs if 3 * item.rung > 2 * item.rungs]
    if cleared := [item.id for item in top if item.saturated_by]:
        yield f"{pool}: some model always gets {_of(cleared, top)} of the top third: {_list(cleared)}."


def _of(some: Sequence[str], items: Sequence[Item]) -> str:
    return f"{len(some)} of {len(items)} {items[0].kind}{'s' if len(items) != 1 else ''}"


def _list(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more
