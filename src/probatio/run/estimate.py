"""Estimates before anything is asked: tokens from characters, dollars from tokens."""

from __future__ import annotations

from typing import NamedTuple

from probatio.ask.prices import cost_of
from probatio.records import Model
from probatio.suite.prompt import CHARACTERS_PER_TOKEN


class Estimate(NamedTuple):
    tokens_in: int
    cost: float | None  # US dollars; None where the price is not known


def estimate(model: Model, characters: float, tokens_out: float) -> Estimate:
    """What prompts of so many characters and answers of so many tokens come to."""
    tokens_in = round(characters / CHARACTERS_PER_TOKEN)
    return Estimate(tokens_in, cost_of(model, tokens_in, round(tokens_out)))
