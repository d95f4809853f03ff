"""Opening the way to a model: over the network that is an address; an embedded model is loaded for as long as it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from probatio.ask.routes import EMBEDDED_TIMEOUTS, Route, route_of
from probatio.errors import UsageError
from probatio.records import Model


@contextmanager
def open_route(model: Model, env: Mapping[str, str]) -> Iterator[Route]:
    """The route to a model, open within the `with` block."""
    if model.provider != "embedded":
        yield route_of(model, env)
        return
    from probatio.embedded import server as embedded
    from probatio.embedded import weights

    found = weights.resolve(model.name)
    if not weights.is_here(found):
        raise UsageError(f"The weights of {model.id} are not here; get them with: probatio models pull {model.name}")
    with embedded.serve(found, reproducible=model.reproducible) as served:
        yield Route(
            key=served.base_url,
            url=f"{served.base_url}/chat/completions",
            model_name=model.name,
            api_key=served.api_key,
            provider="embedded",
            extra_body=served.extra_body,
            max_in_flight=served.concurrency,
            timeouts=EMBEDDED_TIMEOUTS,
        )
