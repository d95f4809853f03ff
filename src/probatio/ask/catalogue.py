"""The catalogue of a route: its models, their prices and the providers of each. Nothing is stored.

`GET {base}/models` is the list, in OpenRouter's form or in OpenAI's, which has ids alone. `GET
{base}/models/{id}/endpoints` are one model's providers, where the provider names routes. Prices come as
dollars per token in a string ("0.00000125") and are shown per million tokens: 1.25. A price of -1 means that
it varies; then none is shown.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from probatio.ask.connections import Connections
from probatio.ask.providers import provider_of
from probatio.ask.proxies import find_proxy
from probatio.ask.published import publish_address
from probatio.ask.retry import Fault, fault_of_status
from probatio.ask.routes import address_of, know_keys
from probatio.core.errors import Incomplete, UsageError
from probatio.core.jsonfile import decode
from probatio.core.records import Auth, Model
from probatio.core.redact import know_address, redact

SECONDS = 20.0
"""For one reply. The largest list known, of some 500 models, is about 1 MB."""
AT_ONCE = 4
"""Requests at a time: a catalogue is asked for a dozen models, and should not take that for an attack."""
DEAREST = 100_000.0
"""Dollars per million tokens; a higher price is a mistake, and is left out."""
CONTEXT_FIELDS = ("context_length", "max_model_len", "context_window", "max_context_length")
"""The names of the same number at OpenRouter, vLLM, Groq and Mistral."""

_ID = re.compile(r"[A-Za-z0-9~][\w.:@+-]*(/[A-Za-z0-9~][\w.:@+-]*)*", re.ASCII)
_PRICE = re.compile(r"\d{1,12}(\.\d{1,24})?([eE]-?\d{1,2})?", re.ASCII)


class Offer(msgspec.Struct, frozen=True):
    """One provider's offer of a model. `slug` is what `route` in models.yml pins: `deepinfra/fp8`."""

    provider: str
    slug: str
    cost_per_1m_input: float | None = None
    cost_per_1m_output: float | None = None
    context: int | None = None
    quantization: str | None = None


class Listed(msgspec.Struct, frozen=True):
    """A model of the catalogue. Its price is that of the provider the route would take by itself."""

    id: str
    title: str = ""
    cost_per_1m_input: float | None = None
    cost_per_1m_output: float | None = None
    context: int | None = None


class CatalogueSource(msgspec.Struct, frozen=True):
    """Where a catalogue is, and the key it is asked with, if any."""

    name: str
    base_url: str
    api_key: str | None = None
    auth: Auth = Auth()
    names_routes: bool = False

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @property
    def place(self) -> str:
        """The name for a message: an address may hold a secret, its host does not."""
        return f"{self.name} ({urlsplit(self.base_url).hostname or 'no host'})"


class NoCatalogue(Incomplete):
    """The catalogue can't be asked, or the reply is no catalogue."""


def source_of(model: Model, env: Mapping[str, str]) -> CatalogueSource:
    """The catalogue of the server that a model is asked at. It is asked without a key where none is set."""
    base_url, api_key = address_of(model, env)
    know_keys((model,), env)
    know_address(base_url)
    try:
        there = urlsplit(base_url).hostname
    except ValueError:
        there = None
    if not there:
        raise UsageError(
            f"{publish_address(base_url)!r} is not an address such as https://host/v1 (`base_url`)."
        )
    provider = provider_of(model)
    auth = model.auth or provider.auth
    return CatalogueSource(model.provider, base_url.rstrip("/"), api_key, auth, provider.names_routes)


def list_models(source: CatalogueSource) -> list[Listed]:
    """Every model of the catalogue, in its own order."""
    return asyncio.run(_fetch_models(source))


def list_offers(source: CatalogueSource, ids: Sequence[str]) -> dict[str, tuple[Offer, ...] | None]:
    """Model → who serves it; None where the catalogue does not know the model."""
    return asyncio.run(_fetch_offers(source, ids))


def serves(offer: Offer, route: str) -> bool:
    """Whether a `route` of models.yml means this offer, by slug, part of the slug, or provider's name."""
    names = (offer.slug, offer.slug.partition("/")[0], offer.provider)
    return _fold(route) in {_fold(name) for name in names}


def find_dearest(offers: Iterable[Offer]) -> tuple[float | None, float | None]:
    """The highest prices among offers, so that no budget is set too low; None if one of them has no price."""
    prices = [(offer.cost_per_1m_input, offer.cost_per_1m_output) for offer in offers]
    sides = [[price[side] for price in prices] for side in (0, 1)]
    highest = [
        None if not side or None in side else max(each for each in side if each is not None) for side in sides
    ]
    return highest[0], highest[1]


def list_slugs(offers: Iterable[Offer]) -> list[str]:
    """The slugs that can be pinned, each once, as the catalogue spells them."""
    return list(dict.fromkeys(offer.slug for offer in offers))


def describe_not_served(model: str, route: Sequence[str], offers: Sequence[Offer]) -> str:
    """The message for a pinned route that no provider of the model has."""
    by = f"It is served by {', '.join(list_slugs(offers))}" if offers else "Nobody serves it at present"
    return f"{' and '.join(route)} {'does' if len(route) == 1 else 'do'} not serve {model}. {by}."


async def _fetch_models(source: CatalogueSource) -> list[Listed]:
    async with Connections() as connections:
        reply = await _get(connections, source, "/models")
    if reply is None:
        raise NoCatalogue(f"The catalogue of {source.place} can't be read: there is none (status 404).")
    entries = reply.get("data") if isinstance(reply, dict) else reply
    if not isinstance(entries, list):
        raise _fail_as_no_list(source)
    found = {model.id: model for entry in entries if (model := _read_model(entry))}
    if entries and not found:
        raise _fail_as_no_list(source)
    return list(found.values())


async def _fetch_offers(source: CatalogueSource, ids: Sequence[str]) -> dict[str, tuple[Offer, ...] | None]:
    for each in ids:
        if not _ID.fullmatch(each):
            raise UsageError(f"`{each}` can't be the id of a model; an id is like openai/gpt-4o.")
    limit = asyncio.Semaphore(AT_ONCE)
    async with Connections() as connections:

        async def one(model_id: str) -> tuple[Offer, ...] | None:
            async with limit:
                reply = await _get(connections, source, f"/models/{quote(model_id, safe='/:~@+')}/endpoints")
            return None if reply is None else _read_offers(reply, source)

        return dict(zip(ids, await asyncio.gather(*map(one, ids)), strict=True))


async def _get(connections: Connections, source: CatalogueSource, path: str) -> Any:
    """The reply as JSON; None for 404. A redirect is not followed: it could take the key to another host."""
    url = f"{source.base_url}{path}"
    reply = await connections.get(
        url,
        key=source.api_key,
        auth=source.auth,
        seconds=SECONDS,
        proxy=find_proxy(url),
        kind="list of models",
    )
    if isinstance(reply, Fault):
        if not reply.retry and reply.status is None:
            raise UsageError(f"The address of {source.name} is not valid (`base_url`).")
        raise _fail(source, f"no reply within {SECONDS:.0f} s" if reply.timed_out else reply.reason)
    if reply.status == 404:
        return None
    if reply.status != 200:
        raise _fail(source, fault_of_status(reply.status, reply.headers, reply.body, time.time()).reason)
    try:
        return decode(reply.body)
    except msgspec.DecodeError:
        raise _fail_as_no_list(source) from None


def _fail(source: CatalogueSource, why: str) -> NoCatalogue:
    return NoCatalogue(
        redact(f"The catalogue of {source.place} can't be read: {' '.join(why.split())[:300]}.")
    )


def _fail_as_no_list(source: CatalogueSource) -> NoCatalogue:
    return _fail(source, "the reply is no list of models in OpenRouter's or OpenAI's form")


def _read_model(entry: Any) -> Listed | None:
    """None for an entry without an id that can be asked for or written to a file."""
    model_id = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(model_id, str) or len(model_id) > 200 or not _ID.fullmatch(model_id):
        return None
    if redact(model_id) != model_id:  # a key of ours, echoed
        return None
    cost_in, cost_out = _read_prices(entry)
    return Listed(model_id, _clean(entry.get("name")), cost_in, cost_out, _read_context(entry))


def _read_offers(reply: Any, source: CatalogueSource) -> tuple[Offer, ...]:
    data = reply.get("data") if isinstance(reply, dict) else None
    entries = data.get("endpoints") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise _fail(source, "the reply is no list of a model's providers in OpenRouter's form")
    return tuple(offer for entry in entries if (offer := _read_offer(entry)))


def _read_offer(entry: Any) -> Offer | None:
    if not isinstance(entry, dict):
        return None
    title = _clean(entry.get("provider_name"))
    slug = entry.get("tag")
    if not isinstance(slug, str) or not _ID.fullmatch(slug) or redact(slug) != slug:
        slug = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip(
            "-"
        )  # an older form names the provider alone
    if not slug:
        return None
    cost_in, cost_out = _read_prices(entry)
    quantization = _clean(entry.get("quantization"))
    return Offer(title or slug, slug[:200], cost_in, cost_out, _read_context(entry), quantization or None)


def _read_prices(entry: dict[str, Any]) -> tuple[float | None, float | None]:
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict):
        return None, None
    return _parse_price(pricing.get("prompt")), _parse_price(pricing.get("completion"))


def _parse_price(price: Any) -> float | None:
    """Dollars per million tokens from dollars per token; None for what is no price."""
    text = str(price) if isinstance(price, (str, int, float)) and not isinstance(price, bool) else ""
    if not _PRICE.fullmatch(text):
        return None
    try:
        dollars = float(Decimal(text).scaleb(6))
    except (InvalidOperation, OverflowError):
        return None
    return dollars if dollars <= DEAREST else None


def _read_context(entry: dict[str, Any]) -> int | None:
    for name in CONTEXT_FIELDS:
        value = entry.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e12:
            return int(value)
    return None


def _clean(value: Any) -> str:
    return " ".join(redact(value).split())[:200] if isinstance(value, str) else ""


def _fold(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == "/")
