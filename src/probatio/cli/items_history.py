"""Saturation and quotes as text, for `probatio items`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from probatio.items.quotes import MARKED, SHORTEST, Quotes
from probatio.items.saturation import Saturation, Settled

SHOWN = 20
"""Quotes printed; --json has them all."""
_LONGEST = 100


def saturation_lines(found: Saturation) -> Iterator[str]:
    yield f"{found.suite} · {len(found.runs)} run{'s' * (len(found.runs) != 1)}: {', '.join(found.runs)}"
    yield from (f"Note: {note}" for note in found.notes)
    for way in ("nobody fails", "nobody passes"):
        settled = found.of(way)
        yield ""
        yield f"{way.capitalize()} {'any more ' if settled else ''}({len(settled)} of {found.tasks} tasks)"
        yield from (f"  {_settled(one)}" for one in settled)
    if len(found.runs) == 1:
        yield ""
        yield "One run tells no history; name older runs of the same suite, too."


def _settled(one: Settled) -> str:
    models = f"{one.answers} answers of {one.models[0] if len(one.models) == 1 else f'{len(one.models)} models'}"
    since = f"since {_day(one.since)} ({one.since_run})"
    if one.before_run is None:
        return f"{one.task_id}: {since}, the first run here; {models}"
    verb = "failed" if one.way == "nobody fails" else "passed"
    by = ", ".join(one.before_models[:3]) + (" and others" if len(one.before_models) > 3 else "")
    return f"{one.task_id}: {since}, {models}; last {verb} {_day(one.before)} ({one.before_run}) by {by}"


def _day(moment: str | None) -> str:
    return (moment or "an unknown day")[:10] if moment else "an unknown day"


def quotes_lines(found: Quotes) -> Iterator[str]:
    yield f"{found.suite} · {', '.join(found.runs)}: {sum(found.answers.values()):,} answers to {found.tasks} tasks"
    yield (
        f"A quote is {SHORTEST} or more tokens of the task's solution, word for word. It is marked where {MARKED} or more of its "
        "words are in no prompt, context, example or other solution: a model that never saw the suite would hardly choose them."
    )
    yield ""
    whole, marked, any_quote = (
        Counter(quote.model for quote in found.quotes if wanted(quote))
        for wanted in (lambda quote: quote.whole, lambda quote: quote.marked, lambda quote: True)
    )
    for model, answers in found.answers.items():
        yield (
            f"{model}: {any_quote[model]} of {answers} answers quote their solution ({whole[model]} the whole of it), "
            f"{marked[model]} marked"
        )
    if found.marked:
        yield ""
        yield "Marked:"
    for quote in found.marked[:SHOWN]:
        text = quote.text if len(quote.text) <= _LONGEST else f"{quote.text[: _LONGEST - 1]}…"
        yield f"  {quote.task_id} [{quote.model} · {quote.context} · {quote.n_shot}-shot] {', '.join(quote.nowhere)}: {text}"
    if len(found.marked) > SHOWN:
        yield f"  … and {len(found.marked) - SHOWN} more (--json has them all)"
    if found.quotes and not found.marked:
        yield "None is marked: what is quoted could be written from the prompt and the language alone."
