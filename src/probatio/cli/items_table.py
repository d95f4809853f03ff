"""Measured items as text: pools, ladders drawn with blocks, the table of items, and the items about one model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.items.information import About, Informing
from probatio.items.records import ENOUGH, Credit, Item, Items, Ladder

COLUMNS = 4
"""Models that get a column of their own; with more of them the table shows the worst and the best."""
LONGEST = 34
"""Letters of a name."""
LISTED = 12
"""Items without information that are named; --json has them all."""

_BLOCKS = "▁▂▃▄▅▆▇█"
_IDLE = {"saturated": "Saturated", "never": "Never right", "unknown": f"Fewer than {ENOUGH} answers"}
_ABOUT_HEADS = ("INFORMATIVE", "SHARE", "95 %", "ANSWERS", "TOKENS", "p(1−p)", "PER 1,000 TOKENS", "OF ALL")


def lines(found: Items, rungs: bool) -> Iterator[str]:
    yield from _head(found)
    for pool in found.pools:
        yield f"{pool.name}: {pool.items} {found.items[0].kind}{'s' if pool.items != 1 else ''}"
        for ladder in found.ladders:
            if ladder.pool == pool.name and (ladder.name == pool.name or rungs):
                yield from drawn(ladder)
        yield ""
        for items in ([item for item in some if item.pool == pool.name] for some in (found.items, found.rungs)):
            if items and (items[0].kind != "rung" or rungs):
                yield from _table(_without_empty(_item_rows(items, found.models)), left=1)
                yield ""
    yield from _warnings(found)
    if found.rungs and not rungs:
        yield f"{len(found.rungs)} rungs are not listed; --rungs lists them."


def drawn(ladder: Ladder) -> Iterator[str]:
    """The ladder as text: a block per step and model, empty at 0 and full at 100 %; `?` was not asked."""
    title = "" if ladder.name == ladder.pool else f"{ladder.name}: "
    yield f"  {title}{ladder.by}, {ladder.steps[0]} to {ladder.steps[-1]}"
    width = max(len(_short(standing.model)) for standing in ladder.standings)
    for standing in ladder.standings:
        bar = " ".join(_block(share) for share in standing.steps)
        yield f"  {_short(standing.model).ljust(width)}  {bar}  {100 * standing.height:5.1f} %"


def about_lines(found: Items, informing: About, rungs: bool) -> Iterator[str]:
    yield from _head(found)
    told = [item for item in informing.items if item.weight == "informative"]
    yield f"{informing.model}: {len(told)} of {len(informing.items)} {found.items[0].kind}s tell something about it."
    if informing.tokens:
        idle = informing.idle_tokens or 0.0
        spent = f"{idle:,.0f} of {informing.tokens:,.0f} tokens, each {found.items[0].kind} asked once"
        yield f"Dead weight: {100 * idle / informing.tokens:.0f} % ({spent})."
    yield ""
    yield from _weighed(informing.items)
    if rungs and informing.rungs:
        yield ""
        yield f"{len(informing.rungs)} rungs:"
        yield from _weighed(informing.rungs)


def _weighed(items: Sequence[Informing]) -> Iterator[str]:
    told = [item for item in items if item.weight == "informative"]
    total = sum(item.information for item in told)
    if told:
        rows: list[tuple[str, ...]] = [_ABOUT_HEADS, *(_about_row(item, total) for item in told)]
        yield from _table(rows, left=1)
        yield ""
    for weight, name in _IDLE.items():
        idle = [item.id for item in items if item.weight == weight]
        if idle:
            yield f"{name} ({len(idle)}): {_named(idle)}"


def _head(found: Items) -> Iterator[str]:
    models = f"{len(found.models)} model{'s' if len(found.models) != 1 else ''}"
    yield f"{found.suite} · {found.source} · {models} · {found.answers:,} answers"
    yield from (f"Note: {note}" for note in found.notes)
    yield ""


def _warnings(found: Items) -> Iterator[str]:
    warnings = [warning for pool in found.pools for warning in pool.warnings]
    if warnings:
        yield "Headroom:"
        yield from (f"  {warning}" for warning in warnings)
    else:
        yield "Headroom: no pool is exhausted, and no item is too easy or too hard for all."


def _item_rows(items: Sequence[Item], models: Sequence[str]) -> list[tuple[str, ...]]:
    shown = list(models) if len(models) <= COLUMNS else []
    heads = ("ITEM", *(_short(model, 20) for model in shown)) if shown else ("ITEM", "MEAN", "WORST", "BEST")
    rows = [(*heads, "DISCRIMINATION", "REST r", "TOKENS", "SATURATED BY", "NEVER")]
    for item in sorted(items, key=lambda item: (item.case, item.rung, -item.mean, item.id)):
        if shown:
            cells = tuple(_credit(item.credits.get(model)) for model in shown)
        else:
            order = sorted(item.credits.values(), key=lambda credit: credit.share)
            cells = (f"{100 * item.mean:.0f} %", _credit(order[0]), _credit(order[-1]))
        rows.append((item.id, *cells, *_separation(item), _count(item.saturated_by), _count(item.never_by)))
    return rows


def _without_empty(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without columns that say nothing in any row."""
    kept = [at for at in range(len(rows[0])) if any(row[at] not in ("–", "·") for row in rows[1:])]
    return [tuple(row[at] for at in kept) for row in rows]


def _separation(item: Item) -> tuple[str, str, str]:
    found = item.discrimination
    index = _signed(found.index)
    tokens = "–" if item.tokens is None else f"{item.tokens:,.0f}"
    return index, _signed(found.rest), tokens


def _signed(value: float | None) -> str:
    return "–" if value is None else "0.00" if abs(value) < 0.005 else f"{value:+.2f}"


def _about_row(item: Informing, total: float) -> tuple[str, ...]:
    credit = item.credit
    return (
        item.id,
        f"{100 * credit.share:.0f} %",
        f"{100 * credit.low:.0f}–{100 * credit.high:.0f}",
        str(credit.answers),
        "–" if credit.tokens is None else f"{credit.tokens:,.0f}",
        f"{item.information:.2f}",
        "–" if item.per_1000_tokens is None else f"{item.per_1000_tokens:.2f}",
        f"{100 * item.information / total:.0f} %" if total else "–",
    )


def _credit(credit: Credit | None) -> str:
    return "–" if credit is None else f"{100 * credit.share:.0f} % {100 * credit.low:.0f}–{100 * credit.high:.0f}"


def _count(models: Sequence[str]) -> str:
    return "·" if not models else _short(models[0], 20) if len(models) == 1 else f"{len(models)} models"


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def _block(share: float | None) -> str:
    if share is None:
        return "?"
    return "·" if share < 0.5 / len(_BLOCKS) else _BLOCKS[min(len(_BLOCKS) - 1, round(share * len(_BLOCKS)) - 1)]


def _short(name: str, longest: int = LONGEST) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _table(rows: Sequence[tuple[str, ...]], left: int) -> Iterator[str]:
    """Rows in columns; the first ones to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()
