"""Routes: who serves a model, where, with which key and settings; over the network or on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from probatio.ask.hosts import require_host
from probatio.ask.providers import PROVIDERS, provider_of
from probatio.ask.proxies import find_proxy
from probatio.core.errors import UsageError
from probatio.core.records import Auth, Model, Timeouts
from probatio.core.redact import know, know_address
from probatio.core.trust import require_weights

LOCAL_TIMEOUTS = Timeouts(attempt=3600.0, trial=7200.0)
"""A prompt of 6,000 tokens takes minutes on one busy core, and no one else waits for that server."""


class Route(msgspec.Struct, frozen=True):
    """Who serves a model. `key` is what requests are paced by: one upstream's 429 must not slow another's."""

    key: str
    url: str
    model_name: str
    api_key: str | None = None
    auth: Auth = Auth()
    provider: str = "openrouter"
    provider_order: tuple[str, ...] = ()
    reasoning: str | None = None
    extra_body: dict[str, Any] = {}
    max_in_flight: int | None = None
    timeouts: Timeouts = Timeouts()
    proxy: str | None = None

    def __repr__(self) -> str:  # a route lands in error messages and test output: the key must not
        return f"Route({self.key!r})"


@contextmanager
def open_route(model: Model, env: Mapping[str, str]) -> Iterator[Route]:
    """The route to a model, open within the `with` block."""
    if provider_of(model).local:
        with _load(model) as route:
            yield route
    else:
        yield route_of(model, env)


def route_of(model: Model, env: Mapping[str, str]) -> Route:
    """The route to a model over the network; raises where a key or an address is missing."""
    base_url, api_key = address_of(model, env)
    if not api_key and (key_env := missing_key(model, env)):
        raise UsageError(f"Model `{model.id}` needs the key {key_env}: set it in the environment or in .env.")
    know_keys((model,), env)
    know_address(base_url)
    url = base_url.rstrip("/")
    return Route(
        key=f"{url} {model.name} {'/'.join(model.route)}".strip(),
        url=f"{url}/chat/completions",
        model_name=model.name,
        api_key=api_key,
        auth=model.auth or provider_of(model).auth,
        provider=model.provider,
        provider_order=model.route,
        reasoning=model.reasoning,
        proxy=find_proxy(url),
    )


def address_of(model: Model, env: Mapping[str, str]) -> tuple[str, str | None]:
    """The base address of a model's server, and its key. Raises if the server must not get the key."""
    provider = provider_of(model)
    override = env.get(provider.base_url_env) if provider.base_url_env else None
    base_url = model.base_url or override or provider.base_url
    if base_url is None:
        raise UsageError(
            f"Model `{model.id}`: provider `{model.provider}` is not known; "
            f"use one of {', '.join(PROVIDERS)}, or give a `base_url` in models.yml."
        )
    key_env = model.api_key_env or (provider.api_key_env if model.base_url is None else None)
    api_key = env.get(key_env) if key_env else None
    if api_key and key_env:
        require_host(model, key_env, base_url, env, provider)
    return base_url, api_key or None


def list_unpinned(models: Iterable[Model]) -> list[str]:
    """The ids of models that any of several providers may serve, because none is pinned."""
    return [model.id for model in models if provider_of(model).names_routes and not model.route]


def require_hosts(models: Iterable[Model], env: Mapping[str, str]) -> None:
    """Refuse models that would send a built-in provider's key to another host, or are weights that the user
    has not named: a record may be foreign."""
    for model in models:
        if provider_of(model).local:
            require_weights(model.name)
        elif not missing_key(model, env):
            route_of(model, env)


def know_keys(models: Iterable[Model], env: Mapping[str, str]) -> None:
    """Register every key that these models or a built-in provider may use, so that none gets into a file."""
    names = {provider.api_key_env for provider in PROVIDERS.values()} | {
        model.api_key_env for model in models
    }
    know(*(env.get(name) for name in names if name))


def missing_key(model: Model, env: Mapping[str, str]) -> str | None:
    """The name of the key that this model needs and that is not set, or None."""
    provider = provider_of(model)
    if provider.local:
        return None
    if model.api_key_env:
        return None if env.get(model.api_key_env) else model.api_key_env
    if model.base_url is not None or not provider.needs_key:
        return None
    if provider.base_url_env and env.get(provider.base_url_env) and not provider.needs_key_at_other_url:
        return None
    return None if provider.api_key_env and env.get(provider.api_key_env) else provider.api_key_env


@contextmanager
def _load(model: Model) -> Iterator[Route]:
    """The route to an embedded model, which is in memory within the `with` block."""
    from probatio.ask.embedded.catalogue import resolve
    from probatio.ask.embedded.server import serve
    from probatio.ask.embedded.weights import is_here

    require_weights(model.name)
    weights = resolve(model.name)
    if not is_here(weights):
        pull = f"probatio models pull {model.name}"
        raise UsageError(f"The weights of {model.id} are not here; get them with: {pull}")
    with serve(weights, reproducible=model.reproducible) as served:
        yield Route(
            key=served.base_url,
            url=f"{served.base_url}/chat/completions",
            model_name=model.name,
            api_key=served.api_key,
            provider=model.provider,
            extra_body=served.extra_body,
            max_in_flight=served.concurrency,
            timeouts=LOCAL_TIMEOUTS,
        )
