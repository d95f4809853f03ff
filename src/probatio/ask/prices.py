"""Prices: what an answer cost, from the reply where it says so, else from models.yml."""

from __future__ import annotations

from probatio.ask.providers import provider_of
from probatio.records import Model


def cost_of(model: Model, tokens_in: int, tokens_out: int, reported: float | None = None) -> float | None:
    """US dollars; None where neither the reply nor the price list tells."""
    if reported is not None:
        return reported
    if provider_of(model).free:
        return 0.0
    if model.cost_per_1m_input is None or model.cost_per_1m_output is None:
        return None
    return (tokens_in * model.cost_per_1m_input + tokens_out * model.cost_per_1m_output) / 1_000_000
