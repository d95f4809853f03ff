"""From the tally to measured items: difficulty, discrimination, who saturates an item and who never gets it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt

import msgspec

from probatio.errors import UsageError
from probatio.items.headroom import headroom
from probatio.items.ladders import ladders
from probatio.items.records import CORRELATED, Credit, Discrimination, Item, Items, Kind, Pool
from probatio.items.tally import ItemKey, Tally, pooled

_ALIKE = 1e-9
"""Rest scores that differ by less are the same, but for rounding."""


def measured(tally: Tally, kind: Kind, source: str, suite: str, notes: Iterable[str] = ()) -> Items:
    """Every item of the tally, pool by pool. Rungs are measured against the rungs of their pool, cases against its cases."""
    wholes = [key for key in tally.counts if not key.rung]
    parts = sorted(key for key in tally.counts if key.rung)
    rungs = {key.item: 0 for key in parts}
    for key in parts:
        rungs[key.item] = max(rungs[key.item], key.rung)
    order = list(dict.fromkeys(key.pool for key in wholes))
    items = [item for pool in order for item in _items(tally, [k for k in wholes if k.pool == pool], kind, rungs)]
    steps = [item for pool in order for item in _items(tally, [k for k in parts if k.pool == pool], "rung", rungs)]
    models = sorted(tally.models, key=lambda model: (-_mean(items, model), model))
    pools = []
    for name in order:
        ours, below = ([item for item in some if item.pool == name] for some in (items, steps))
        credits = {m: pooled(credits) for m in models if (credits := [i.credits[m] for i in ours if m in i.credits])}
        pools.append(Pool(name, len(ours), credits, tuple(headroom(name, credits, ours, below))))
    return Items(
        source=source,
        suite=suite,
        models=tuple(models),
        answers=sum(credit.answers for item in items for credit in item.credits.values()),
        pools=tuple(pools),
        items=tuple(items),
        rungs=tuple(steps),
        ladders=tuple(ladders(items, steps, models)),
        notes=tuple(notes),
    )


def _items(tally: Tally, keys: Sequence[ItemKey], kind: Kind, rungs: Mapping[str, int]) -> list[Item]:
    of_rung = kind == "rung"
    credits = {
        key: {
            model: credit
            for model in sorted(tally.counts[key])
            if (credit := tally.credit(key, model, rungs[key.item] if of_rung else 1))
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
            discrimination=discrimination(of_models, _rest(of_models, totals)),
            rung=key.rung,
            rungs=rungs.get(key.item, 0),
            case=key.item if of_rung else "",
            level=tally.levels.get(key.item, ""),
        )
        for key, of_models in credits.items()
    ]


def _rest(credits: Mapping[str, Credit], totals: Mapping[str, tuple[float, int]]) -> dict[str, float]:
    """Model → its mean on the other items of the pool; without models that answered no other."""
    return {
        model: (totals[model][0] - credit.share) / (totals[model][1] - 1)
        for model, credit in credits.items()
        if totals[model][1] > 1
    }


def discrimination(credits: Mapping[str, Credit], rest: Mapping[str, float]) -> Discrimination:
    """Two models are told apart where their intervals do not meet. Models alike in the rest score have no order to agree with."""
    models = [model for model in credits if model in rest]
    along = against = 0
    for one, two in combinations(models, 2):
        if credits[one].low > credits[two].high:
            ahead = rest[one] - rest[two]
        elif credits[two].low > credits[one].high:
            ahead = rest[two] - rest[one]
        else:
            continue
        along += ahead > _ALIKE
        against += ahead < -_ALIKE
    shares, rests = [credits[model].share for model in models], [rest[model] for model in models]
    pairs = len(models) * (len(models) - 1) // 2
    return Discrimination(pairs, along, against, correlation(shares, rests) if len(models) >= CORRELATED else None)


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's; None where one side does not vary."""
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


def narrowed(found: Items, pool: str | None) -> Items:
    """Only one pool of it."""
    if pool is None:
        return found
    names = [each.name for each in found.pools]
    if pool not in names:
        raise UsageError(f"There is no pool `{pool}` in {found.source}; there are {', '.join(names)}.")
    return msgspec.structs.replace(
        found,
        answers=sum(credit.answers for item in found.items if item.pool == pool for credit in item.credits.values()),
        pools=tuple(each for each in found.pools if each.name == pool),
        items=tuple(item for item in found.items if item.pool == pool),
        rungs=tuple(item for item in found.rungs if item.pool == pool),
        ladders=tuple(ladder for ladder in found.ladders if ladder.pool == pool),
    )
