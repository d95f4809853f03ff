"""Estimates before anything is asked: tokens from characters, dollars from tokens, and the time of an embedded model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from probatio.ask.prices import cost_of
from probatio.ask.providers import provider_of
from probatio.errors import ProbatioError
from probatio.records import Model, TrialKey
from probatio.run.record import RunRecord
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import CHARACTERS_PER_TOKEN, render

ANSWER_TOKENS = 150
"""What a typical answer takes of max_tokens; programs of this suite are short."""

RENDERED = 400
"""Prompts of a model that are made for an estimate; of a larger plan, every so manieth."""

WORTH_MEASURING = 20
"""Fewer trials are over before a model that was loaded for a measurement has paid for it."""


class Estimate(NamedTuple):
    tokens_in: int
    cost: float | None  # US dollars; None where the price is not known


def estimate(model: Model, characters: float, tokens_out: float) -> Estimate:
    """What prompts of so many characters and answers of so many tokens come to."""
    tokens_in = round(characters / CHARACTERS_PER_TOKEN)
    return Estimate(tokens_in, cost_of(model, tokens_in, round(tokens_out)))


class PlanRow(msgspec.Struct, frozen=True):
    """What the trials of one model come to; `seconds` of an embedded one, where its speed is known."""

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


def plan_rows(record: RunRecord, suite: Suite, models: Iterable[Model], *, measure: bool = False) -> list[PlanRow]:
    """A row for each of these models. `measure`: load an embedded one whose speed is not known yet, and ask it a few tokens."""
    lengths: dict[tuple[int, bool], _Length] = {}  # models are asked the same, as far as the limit goes
    rows = []
    for model in models:
        numbers, cached = record.plan.of_model(model.id), provider_of(model).local and not model.reproducible
        length = lengths.get((len(numbers), cached)) or _length(record, suite, numbers, cached=cached)
        lengths[len(numbers), cached] = length
        tokens_out = len(numbers) * ANSWER_TOKENS
        expected = estimate(model, length.characters, tokens_out)
        seconds = machine_time(model, length.fresh, tokens_out, measure=measure)
        rows.append(PlanRow(model.id, len(numbers), expected.tokens_in, expected.cost, seconds))
    return rows


class _Length(NamedTuple):
    """Characters of all prompts; `fresh`: those that the prompt before did not begin with."""

    characters: float
    fresh: float


def _length(record: RunRecord, suite: Suite, numbers: range, *, cached: bool) -> _Length:
    shown = numbers[:: max(1, len(numbers) // RENDERED)]
    characters = fresh = 0
    for number in shown:
        prompt = _prompt(suite, record.plan[number])
        before = _prompt(suite, record.plan[number - 1]) if cached and number > numbers[0] else ""
        characters += len(prompt)
        fresh += len(prompt) - _shared(before, prompt)
    scale = len(numbers) / max(1, len(shown))
    return _Length(characters * scale, fresh * scale)


def machine_time(model: Model, characters: float, tokens_out: float, *, measure: bool) -> float | None:
    """Seconds that an embedded model takes for prompts with so many characters that it has not just read, and for answers."""
    if not provider_of(model).local:
        return None
    from probatio.embedded.speed import speed_of

    try:
        speed = speed_of(model, measure=measure)
    except (ProbatioError, OSError):  # whoever asks the model says why it can't be asked
        return None
    return None if speed is None else speed.seconds(characters / CHARACTERS_PER_TOKEN, tokens_out)


def on_this_machine(seconds: float) -> str:
    """`about 16 minutes on this machine`."""
    if seconds < 90:
        told = f"{max(1, round(seconds))} seconds" if round(seconds) > 1 else "a second"
    elif seconds < 5400:
        told = f"{round(seconds / 60)} minutes"
    else:
        told = f"{seconds / 3600:.1f} hours"
    return f"about {told} on this machine"


def _shared(first: str, second: str) -> int:
    """Characters with which both begin: a server that has just read the first keeps them."""
    short, long = 0, min(len(first), len(second))
    while short < long:
        middle = (short + long + 1) // 2
        short, long = (middle, long) if first[:middle] == second[:middle] else (short, middle - 1)
    return short


def _prompt(suite: Suite, key: TrialKey) -> str:
    return render(suite, suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect)
