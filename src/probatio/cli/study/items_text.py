"""Measured items as text: pools and ladders, the items about one model, saturation, quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.charts.heat import Ladder
from probatio.core.text.columns import align_columns
from probatio.learn.items.information import ItemInformation, ModelInformation
from probatio.learn.items.quotes import MARKED, SHORTEST, Quotes
from probatio.learn.items.records import ENOUGH, Credit, Item, Items
from probatio.learn.items.saturation import Saturation, SettledTask

COLUMNS = 4
"""Models that get a column of their own; with more of them the table shows the worst and the best."""
LONGEST = 34
"""Letters of a name."""
LISTED = 12
"""Items without information that are named; --json has them all."""
SHOWN = 20
"""Quotes printed; --json has them all."""
_LONGEST_QUOTE = 100
_BLOCKS = "▁▂▃▄▅▆▇█"
_IDLE = {"saturated": "Saturated", "never": "Never right", "unknown": f"Fewer than {ENOUGH} answers"}
_ABOUT_HEADS = ("INFORMATIVE", "SHARE", "95 %", "ANSWERS", "TOKENS", "p(1−p)", "PER 1,000 TOKENS", "OF ALL")


def format_items(found: Items, rungs: bool) -> Iterator[str]:
    yield from _format_head(found)
    for pool in found.pools:
        yield f"{pool.name}: {pool.items} {found.items[0].kind}{'s' if pool.items != 1 else ''}"
        for ladder in found.ladders:
            if ladder.pool == pool.name and (ladder.name == pool.name or rungs):
                yield from draw_ladder(ladder)
        yield ""
        for some in (found.items, found.rungs if rungs else ()):
            if items := [item for item in some if item.pool == pool.name]:
                yield from align_columns(_make_rows(items, found.models))
                yield ""
    warnings = [warning for pool in found.pools for warning in pool.warnings]
    if warnings:
        yield "Headroom:"
        yield from (f"  {warning}" for warning in warnings)
    elif all(credit.answers < ENOUGH for item in found.items for credit in item.credits.values()):
        yield f"Headroom: not known; a model's answers to an item tell it from {ENOUGH} on."
    else:
        yield "Headroom: no pool is exhausted, and no item is too easy or too hard for all."
    if found.rungs and not rungs:
        yield f"{len(found.rungs)} rungs are not listed; --rungs lists them."


def draw_ladder(ladder: Ladder) -> Iterator[str]:
    """The ladder as text: a block per step and model, empty at 0 and full at 100 %; `?` was not asked."""
    title = "" if ladder.name == ladder.pool else f"{ladder.name}: "
    yield f"  {title}{ladder.by}, {ladder.steps[0]} to {ladder.steps[-1]}"
    width = max(len(_short(standing.model)) for standing in ladder.standings)
    for standing in ladder.standings:
        bar = " ".join(_block(share) for share in standing.steps)
        yield f"  {_short(standing.model).ljust(width)}  {bar}  {100 * standing.height:5.1f} %"


def format_about(found: Items, informing: ModelInformation, rungs: bool) -> Iterator[str]:
    yield from _format_head(found)
    informative = [item for item in informing.items if item.weight == "informative"]
    kind, items = found.items[0].kind, len(informing.items)
    yield f"{informing.model}: {len(informative)} of {items} {kind}s tell something about it."
    if informing.tokens:
        idle = informing.idle_tokens or 0.0
        spent = f"{idle:,.0f} of {informing.tokens:,.0f} tokens, each {found.items[0].kind} asked once"
        yield f"Dead weight: {100 * idle / informing.tokens:.0f} % ({spent})."
    yield ""
    yield from _format_weights(informing.items)
    if rungs and informing.rungs:
        yield ""
        yield f"{len(informing.rungs)} rungs:"
        yield from _format_weights(informing.rungs)


def _format_weights(items: Sequence[ItemInformation]) -> Iterator[str]:
    informative = [item for item in items if item.weight == "informative"]
    total = sum(item.information for item in informative)
    if informative:
        rows: list[tuple[str, ...]] = [_ABOUT_HEADS, *(_about_row(item, total) for item in informative)]
        yield from align_columns(rows)
        yield ""
    for weight, name in _IDLE.items():
        if idle := [item.id for item in items if item.weight == weight]:
            more = f" and {len(idle) - LISTED} more" if len(idle) > LISTED else ""
            yield f"{name} ({len(idle)}): {', '.join(idle[:LISTED])}{more}"


def _format_head(found: Items) -> Iterator[str]:
    models = f"{len(found.models)} model{'s' if len(found.models) != 1 else ''}"
    yield f"{found.suite} · {found.source} · {models} · {found.answers:,} answers"
    yield from (f"Note: {note}" for note in found.notes)
    yield ""


def _make_rows(items: Sequence[Item], models: Sequence[str]) -> list[tuple[str, ...]]:
    shown = list(models) if len(models) <= COLUMNS else []
    heads = ("ITEM", *(_short(model, 20) for model in shown)) if shown else ("ITEM", "MEAN", "WORST", "BEST")
    rows = [(*heads, "DISCRIMINATION", "REST r", "TOKENS", "SATURATED BY", "NEVER")]
    for item in sorted(items, key=lambda item: (item.case, item.rung, -item.mean, item.id)):
        if shown:
            cells = tuple(_credit(item.credits.get(model)) for model in shown)
        else:
            order = sorted(item.credits.values(), key=lambda credit: credit.share)
            cells = (f"{100 * item.mean:.0f} %", _credit(order[0]), _credit(order[-1]))
        separation = [
            _format_signed(value) for value in (item.discrimination.index, item.discrimination.rest)
        ]
        tokens = "–" if item.tokens is None else f"{item.tokens:,.0f}"
        rows.append((item.id, *cells, *separation, tokens, _count(item.saturated_by), _count(item.never_by)))
    # without columns that say nothing in any row
    kept = [at for at in range(len(rows[0])) if any(row[at] not in ("–", "·") for row in rows[1:])]
    return [tuple(row[at] for at in kept) for row in rows]


def _format_signed(value: float | None) -> str:
    return "–" if value is None else "0.00" if abs(value) < 0.005 else f"{value:+.2f}"


def _about_row(item: ItemInformation, total: float) -> tuple[str, ...]:
    credit = item.credit
    return (
        item.id,
        f"{100 * credit.share:.0f} %",
        _interval(credit),
        str(credit.answers),
        "–" if credit.tokens is None else f"{credit.tokens:,.0f}",
        f"{item.information:.2f}",
        "–" if item.per_1000_tokens is None else f"{item.per_1000_tokens:.2f}",
        f"{100 * item.information / total:.0f} %" if total else "–",
    )


def _credit(credit: Credit | None) -> str:
    if credit is None:
        return "–"
    return f"{100 * credit.share:.0f} % {_interval(credit)}"


def _interval(credit: Credit) -> str:
    if credit.low is None or credit.high is None:
        return "–"
    return f"{100 * credit.low:.0f}–{100 * credit.high:.0f}"


def _count(models: Sequence[str]) -> str:
    return "·" if not models else _short(models[0], 20) if len(models) == 1 else f"{len(models)} models"


def _block(share: float | None) -> str:
    if share is None:
        return "?"
    highest = len(_BLOCKS)
    return "·" if share < 0.5 / highest else _BLOCKS[min(highest, round(share * highest)) - 1]


def _short(name: str, longest: int = LONGEST) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def format_saturation(found: Saturation) -> Iterator[str]:
    yield f"{found.suite} · {len(found.runs)} run{'s' * (len(found.runs) != 1)}: {', '.join(found.runs)}"
    yield from (f"Note: {note}" for note in found.notes)
    for way in ("nobody fails", "nobody passes"):
        settled = found.of(way)
        yield ""
        yield f"{way.capitalize()} {'any more ' if settled else ''}({len(settled)} of {found.tasks} tasks)"
        yield from (f"  {_format_settled(one)}" for one in settled)
    if len(found.runs) == 1:
        yield ""
        yield "One run tells no history; name older runs of the same suite, too."


def _format_settled(one: SettledTask) -> str:
    models = one.models[0] if len(one.models) == 1 else f"{len(one.models)} models"
    models = f"{one.answers} answers of {models}"
    since = f"since {_day(one.since)} ({one.since_run})"
    if one.before_run is None:
        return f"{one.task_id}: {since}, the first run here; {models}"
    verb = "failed" if one.way == "nobody fails" else "passed"
    by = ", ".join(one.before_models[:3]) + (" and others" if len(one.before_models) > 3 else "")
    return f"{one.task_id}: {since}, {models}; last {verb} {_day(one.before)} ({one.before_run}) by {by}"


def _day(moment: str | None) -> str:
    return moment[:10] if moment else "an unknown day"


def format_quotes(found: Quotes) -> Iterator[str]:
    answers = sum(found.answers.values())
    yield f"{found.suite} · {', '.join(found.runs)}: {answers:,} answers to {found.tasks} tasks"
    yield (
        f"A quote is {SHORTEST} or more tokens of the task's solution, word for word. It is marked where "
        f"{MARKED} or more of its words are in no prompt, context, example or other solution: a model that "
        "never saw the suite would hardly choose them."
    )
    yield ""
    for model, number in found.answers.items():
        quotes = [quote for quote in found.quotes if quote.model == model]
        whole, marked = sum(quote.whole for quote in quotes), sum(quote.marked for quote in quotes)
        yield (
            f"{model}: {len(quotes)} of {number} answers quote their solution ({whole} the whole of it), "
            f"{marked} marked"
        )
    if found.marked:
        yield ""
        yield "Marked:"
    for quote in found.marked[:SHOWN]:
        text = quote.text if len(quote.text) <= _LONGEST_QUOTE else f"{quote.text[: _LONGEST_QUOTE - 1]}…"
        asked = f"{quote.model} · {quote.context} · {quote.n_shot}-shot"
        yield f"  {quote.task_id} [{asked}] {', '.join(quote.nowhere)}: {text}"
    if len(found.marked) > SHOWN:
        yield f"  … and {len(found.marked) - SHOWN} more (--json has them all)"
    if found.quotes and not found.marked:
        yield "None is marked: what is quoted could be written from the prompt and the language alone."
