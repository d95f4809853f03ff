"""Opening the route to a model: an address over the network, or a model loaded on this machine while it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from probatio.ask.providers import provider_of
from probatio.ask.routes import Route, route_of
from probatio.errors import UsageError
from probatio.records import Model, Timeouts

LOCAL_TIMEOUTS = Timeouts(attempt=3600.0, trial=7200.0)
"""A 6,000-token prompt on one busy core takes minutes; nobody else waits for that server."""


@contextmanager
def open_route(model: Model, env: Mapping[str, str]) -> Iterator[Route]:
    """The route to a model, open within the `with` block."""
    if provider_of(model).local:
        with _loaded(model) as route:
            yield route
    else:
        yield route_of(model, env)


@contextmanager
def _loaded(model: Model) -> Iterator[Route]:
    from probatio.embedded.catalogue import resolve
    from probatio.embedded.server import serve
    from probatio.embedded.weights import is_here

    weights = resolve(model.name)
    if not is_here(weights):
        raise UsageError(f"The weights of {model.id} are not here; get them with: probatio models pull {model.name}")
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
