"""Measured items as text, and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.core.text.columns import align_columns
from probatio.learn.items.quotes import MARKED, SHORTEST, Quotes
from probatio.learn.items.records import ENOUGH, Credit, Item, Items

COLUMNS = 4
"""Models that get a column of their own; with more of them the table shows the worst and the best."""
LONGEST = 34
"""Letters of a name."""
SHOWN = 20
"""Quotes printed; --json has them all."""
_LONGEST_QUOTE = 100


def format_items(found: Items, rungs: bool) -> Iterator[str]:
    yield from _format_head(found)
    for pool in found.pools:
        yield f"{pool.name}: {pool.items} {found.items[0].kind}{'s' if pool.items != 1 else ''}"
        for model, credit in list(pool.credits.items())[:COLUMNS]:
            yield f"  {_short(model)}: {100 * credit.share:.1f} %"
        if len(pool.credits) > COLUMNS:
            yield f"  … and {len(pool.credits) - COLUMNS} more models"
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


def _format_head(found: Items) -> Iterator[str]:
    models = f"{len(found.models)} model{'s' if len(found.models) != 1 else ''}"
    yield f"{found.suite} · {found.source} · {models} · {found.answers:,} answers"
    yield from (f"Note: {note}" for note in found.notes)
    yield ""


def _make_rows(items: Sequence[Item], models: Sequence[str]) -> list[tuple[str, ...]]:
    shown = list(models) if len(models) <= COLUMNS else []
    heads = ("ITEM", *(_short(model, 20) for model in shown)) if shown else ("ITEM", "MEAN", "WORST", "BEST")
    rows = [(*heads, "DISCRIMINATION", "REST r", "TOKENS", "WHAT IT TELLS")]
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
        rows.append((item.id, *cells, *separation, tokens, item.tells))
    # without columns that say nothing in any row
    kept = [at for at in range(len(rows[0])) if any(row[at] not in ("–", "·") for row in rows[1:])]
    return [tuple(row[at] for at in kept) for row in rows]


def _format_signed(value: float | None) -> str:
    return "–" if value is None else "0.00" if abs(value) < 0.005 else f"{value:+.2f}"


def _credit(credit: Credit | None) -> str:
    if credit is None:
        return "–"
    return f"{100 * credit.share:.0f} % {_interval(credit)}"


def _interval(credit: Credit) -> str:
    if credit.low is None or credit.high is None:
        return "–"
    return f"{100 * credit.low:.0f}–{100 * credit.high:.0f}"


def _short(name: str, longest: int = LONGEST) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


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
