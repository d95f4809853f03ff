"""Whom to ask when nobody is named, and whether those who are named can be asked at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from probatio.ask.routes import route_of
from probatio.errors import Say, UsageError
from probatio.records import Model


def embedded_default(say: Say, *, fetch: bool) -> Model:
    """The model that needs no key and no network; `fetch=False` leaves it unpulled."""
    from probatio.embedded.weights import default_model

    default = default_model(say, fetch=fetch)
    if default.because:
        say(f"{default.instead_of} can't be had: {default.because}")
    say(f"No --model given: asking the embedded model {default.model.id}, which needs no key and no network.")
    return default.model


def require_routes(models: Iterable[Model], env: Mapping[str, str], max_cost: float | None, source: str) -> None:
    """Refuse a model without a route, and one without a price where a budget must be kept."""
    for model in models:
        if model.provider == "embedded":
            continue
        route_of(model, env)
        if max_cost is not None and model.cost_per_1m_input is None and model.provider != "openrouter":
            raise UsageError(f"--max-cost needs a price for `{model.id}` in {source} (cost_per_1m_input/output).")
