"""Estimates: tokens from characters, dollars from tokens, and the time of an embedded model."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

import msgspec

from probatio.ask.prices import cost_of
from probatio.ask.providers import provider_of
from probatio.core.errors import ProbatioError
from probatio.core.records import Model, TrialKey
from probatio.runs.consent import Estimate, on_this_machine
from probatio.runs.record import RunRecord
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import CHARACTERS_PER_TOKEN, render

ANSWER_TOKENS = 150
"""What a typical answer takes of max_tokens; programs of this suite are short."""

RENDERED = 400
"""The most prompts of a model that are made for an estimate, evenly spread over the plan."""

WORTH_MEASURING = 20
"""Fewer trials are over before a model that was loaded for a measurement has paid for it."""


class Load(NamedTuple):
    """What one model is asked. `fresh`: characters it must read, because the prompt before differs."""

    requests: int
    characters: float
    fresh: float
    tokens_out: float


class PlanRow(msgspec.Struct, frozen=True):
    """What the requests to one model come to. US dollars are None where the price is not known; `seconds` are
    those of an embedded model whose speed is known."""

    model: str
    trials: int
    tokens_in: int
    cost: float | None
    seconds: float | None = None

    @property
    def in_words(self) -> str:
        if self.seconds is not None:
            return on_this_machine(self.seconds)
        return "price unknown" if self.cost is None else f"about ${self.cost:.4f}"


def weigh(model: Model, load: Load, *, measure: bool) -> PlanRow:
    """The row of one model. `measure`: load an embedded model whose speed is unknown, and measure it."""
    tokens_in = round(load.characters / CHARACTERS_PER_TOKEN)
    cost = cost_of(model, tokens_in, round(load.tokens_out))
    seconds = machine_time(model, load.fresh, load.tokens_out, measure=measure)
    return PlanRow(model.id, load.requests, tokens_in, cost, seconds)


def plan_rows(
    record: RunRecord,
    suite: Suite,
    models: Iterable[Model],
    kept: Container[TrialKey] = (),
    *,
    measure: bool = False,
) -> list[PlanRow]:
    """A row for each of these models, without the trials whose answers are kept already."""
    loads: dict[tuple[int, bool], Load] = {}  # models are asked the same, as far as the limit goes
    rows = []
    for model in models:
        numbers: Sequence[int] = record.plan.of_model(model.id)
        cached = provider_of(model).local and not model.reproducible
        if kept:
            numbers = [number for number in numbers if record.plan[number] not in kept]
        known = None if kept else loads.get((len(numbers), cached))
        load = loads[len(numbers), cached] = known or _load(record, suite, numbers, cached=cached)
        rows.append(weigh(model, load, measure=measure))
    return rows


def estimate_run(record: RunRecord, suite: Suite, kept: Container[TrialKey] = ()) -> Estimate:
    """The expected cost and time of a run, without models of unknown price."""
    known = [model for model in record.models if provider_of(model).local or cost_of(model, 1000, 1000)]
    rows = plan_rows(record, suite, known, kept, measure=len(record.plan) > WORTH_MEASURING)
    return Estimate(
        sum(row.cost or 0.0 for row in rows),
        {row.model: row.seconds for row in rows if row.seconds is not None},
    )


def _load(record: RunRecord, suite: Suite, numbers: Sequence[int], *, cached: bool) -> Load:
    shown = numbers[:: max(1, len(numbers) // RENDERED)]
    characters = fresh = 0
    for number in shown:
        prompt = _prompt(suite, record.plan[number])
        before = _prompt(suite, record.plan[number - 1]) if cached and number > shown[0] else ""
        characters += len(prompt)
        fresh += len(prompt) - _count_shared(before, prompt)
    scale = len(numbers) / max(1, len(shown))
    return Load(len(numbers), characters * scale, fresh * scale, len(numbers) * ANSWER_TOKENS)


def machine_time(model: Model, characters: float, tokens_out: float, *, measure: bool) -> float | None:
    """Seconds of an embedded model for so many new characters of prompts and tokens of answers."""
    if not provider_of(model).local:
        return None
    from probatio.ask.embedded.speed import speed_of

    try:
        speed = speed_of(model, measure=measure)
    except (ProbatioError, OSError):  # asking the model says why it can't be asked
        return None
    return None if speed is None else speed.seconds(characters / CHARACTERS_PER_TOKEN, tokens_out)


def _count_shared(first: str, second: str) -> int:
    """How many characters both texts begin with: a server that has just read the first keeps them."""
    short, long = 0, min(len(first), len(second))
    while short < long:
        middle = (short + long + 1) // 2
        short, long = (middle, long) if first[:middle] == second[:middle] else (short, middle - 1)
    return short


def _prompt(suite: Suite, key: TrialKey) -> str:
    return render(suite, suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect)
