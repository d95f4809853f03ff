"""Prices: what an answer cost, from the reply where it says so, else from models.yml."""

from __future__ import annotations

from probatio.ask.providers import provider_of
from probatio.records import Answer, Model


def cost_of(model: Model, tokens_in: int, tokens_out: int, reported: float | None = None) -> float | None:
    """US dollars; None where neither the reply nor the price list tells."""
    if reported is not None:
        return reported
    if provider_of(model).free:
        return 0.0
    if model.cost_per_1m_input is None or model.cost_per_1m_output is None:
        return None
    return (tokens_in * model.cost_per_1m_input + tokens_out * model.cost_per_1m_output) / 1_000_000


def cost_of_answer(model: Model, answer: Answer) -> float | None:
    """What an answer cost; None where nobody tells, or where the price is by tokens and the reply does not count them.

    No answer was made of nothing: a server that counts no tokens must not be taken for one that costs nothing.
    """
    if answer.cost is not None or provider_of(model).free or not (model.cost_per_1m_input or model.cost_per_1m_output):
        return cost_of(model, answer.tokens_in, answer.tokens_out, answer.cost)
    if not answer.tokens_in or (answer.text and not answer.tokens_out):
        return None
    return cost_of(model, answer.tokens_in, answer.tokens_out)
