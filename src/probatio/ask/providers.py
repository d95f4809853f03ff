"""Providers: what each one is and does, in one table. Only this file compares a provider's name."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from probatio.core.records import Auth


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one provider. The defaults are those of an unknown server."""

    name: str
    base_url: str | None = None  # None: `base_url` in models.yml says it, or the provider is local
    base_url_env: str | None = None  # the variable that puts another address in its place
    api_key_env: str | None = None
    auth: Auth = Auth()  # the header that carries the key
    needs_key: bool = False
    needs_key_at_other_url: bool = False  # also where the variable of `base_url_env` is set
    local: bool = False  # runs on these cores: loaded for as long as it is asked, one model after another
    free: bool = False
    reports_cost: bool = False  # every reply says its price, so a budget needs no price list
    takes_reasoning: bool = (
        False  # drops an effort its model does not know; another server may refuse the request
    )
    names_routes: bool = False  # serves a model from several hosts, and `route` in models.yml pins one
    nests_effort: bool = False  # {"reasoning": {"effort": …}} instead of {"reasoning_effort": …}
    request_fields: dict[str, Any] = {}  # sent with every request


class HasProvider(Protocol):
    """Anything with a provider: a model, a route, an entry of a suite."""

    @property
    def provider(self) -> str: ...


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            name="openrouter",
            base_url="https://openrouter.ai/api/v1",
            base_url_env="OPENROUTER_BASE_URL",
            api_key_env="OPENROUTER_API_KEY",
            needs_key=True,
            needs_key_at_other_url=True,
            reports_cost=True,
            takes_reasoning=True,
            names_routes=True,
            nests_effort=True,
            request_fields={"usage": {"include": True}},
        ),
        Provider(
            name="openai",
            base_url="https://api.openai.com/v1",
            base_url_env="OPENAI_BASE_URL",
            api_key_env="OPENAI_API_KEY",
            needs_key=True,  # but Ollama and vLLM stand behind OPENAI_BASE_URL without any key
        ),
        Provider(name="embedded", local=True, free=True),
    )
}
"""Providers known by name. Any other name is a server of the user's own and needs `base_url` in
models.yml."""


def provider_of(served: HasProvider) -> Provider:
    """The facts about the provider of a model or a route."""
    return provider_named(served.provider)


def provider_named(name: str) -> Provider:
    """The facts about a provider; for an unknown name, those of any OpenAI-compatible server."""
    return PROVIDERS.get(name) or Provider(name=name)
