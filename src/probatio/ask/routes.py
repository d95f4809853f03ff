"""Routes: who serves a model, where, with which key and which settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from probatio.errors import UsageError
from probatio.records import Model, Timeouts

EMBEDDED_TIMEOUTS = Timeouts(attempt=3600.0, trial=7200.0)
"""A 6,000-token prompt on one busy core takes minutes; nobody else waits for that server."""


class Route(msgspec.Struct, frozen=True):
    """Who serves a model. `key` is what requests are paced by: one upstream's 429 must not slow another's."""

    key: str
    url: str
    model_name: str
    api_key: str | None = None
    provider: str = "openrouter"
    provider_order: tuple[str, ...] = ()
    reasoning: str | None = None
    extra_body: dict[str, Any] = {}
    max_in_flight: int | None = None
    timeouts: Timeouts = Timeouts()

    def __repr__(self) -> str:  # a route lands in error messages and test output: the key must not
        return f"Route({self.key!r})"


class _Wire(msgspec.Struct, frozen=True):
    base_url: str
    base_url_env: str
    api_key_env: str
    needs_key: bool


WIRES = {
    "openrouter": _Wire("https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY", needs_key=True),
    "openai": _Wire("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", needs_key=True),
}
"""Providers we know by name; any other needs `base_url` in models.yml."""


def route_of(model: Model, env: Mapping[str, str]) -> Route:
    """The route to a model over the network; raises where a key or an address is missing."""
    wire = WIRES.get(model.provider)
    if model.base_url is None and wire is None:
        raise UsageError(
            f"Model `{model.id}`: provider `{model.provider}` is not known; "
            f"use one of {', '.join(WIRES)}, embedded, or give a `base_url` in models.yml."
        )
    override = env.get(wire.base_url_env) if wire else None
    base_url = model.base_url or override or (wire.base_url if wire else "")
    key_env = model.api_key_env or (wire.api_key_env if wire and model.base_url is None else None)
    api_key = env.get(key_env) if key_env else None
    if not api_key and missing_key(model, env):
        raise UsageError(f"Model `{model.id}` needs the key {key_env}: set it in the environment or in .env.")
    url = base_url.rstrip("/")
    return Route(
        key=f"{url} {model.name} {'/'.join(model.route)}".strip(),
        url=f"{url}/chat/completions",
        model_name=model.name,
        api_key=api_key or None,
        provider=model.provider,
        provider_order=model.route,
        reasoning=model.reasoning,
    )


def missing_key(model: Model, env: Mapping[str, str]) -> str | None:
    """The name of the key this model can't be asked without and that is not set."""
    if model.provider == "embedded":
        return None
    wire = WIRES.get(model.provider)
    if model.api_key_env:
        return None if env.get(model.api_key_env) else model.api_key_env
    if wire is None or model.base_url is not None or not wire.needs_key:
        return None
    # Ollama and vLLM stand behind OPENAI_BASE_URL without any key.
    if model.provider == "openai" and env.get(wire.base_url_env):
        return None
    return None if env.get(wire.api_key_env) else wire.api_key_env
