"""The catalogue of a route: which models it has, at which price, and which providers serve each. Nothing of it is kept.

`GET {base}/models` is the list, in OpenRouter's form or in OpenAI's, which has ids alone. `GET {base}/models/{id}/endpoints` are
one model's providers, where the provider names routes. Prices come as dollars per token in a string ("0.00000125") and are told
per million tokens: 1.25. A price of -1 means that it varies; then none is told.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from probatio.ask.body import ACCEPTED, BadBody, read_body
from probatio.ask.providers import provider_named
from probatio.ask.retry import fault_of_status
from probatio.ask.routes import address_of, know_keys
from probatio.errors import Incomplete, UsageError
from probatio.records import Model
from probatio.redact import know_address, redact, redacted_bytes

SECONDS = 20.0
"""For one reply. The largest list known, of some 500 models, is about 1 MB."""
AT_ONCE = 4
"""Requests at a time: a catalogue is asked for a dozen models, and should not take that for an attack."""
DEAREST = 100_000.0
"""Dollars per million tokens; whatever is dearer is a mistake or a joke, and is not told."""
CONTEXT_FIELDS = ("context_length", "max_model_len", "context_window", "max_context_length")
"""How OpenRouter, vLLM, Groq and Mistral call the same number."""

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


class Source(msgspec.Struct, frozen=True):
    """Where a catalogue is, and the key it is asked with, if any."""

    name: str
    base_url: str
    api_key: str | None = None
    names_routes: bool = False

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @property
    def place(self) -> str:
        """As a sentence calls it: an address may hold a secret, its host does not."""
        return f"{self.name} ({urlsplit(self.base_url).hostname or 'no host'})"


class NoCatalogue(Incomplete):
    """The catalogue can't be asked, or what it says is none."""


def source_of(model: Model, env: Mapping[str, str]) -> Source:
    """The catalogue of the server that a model is asked at. It is asked without a key where none is set."""
    base_url, api_key = address_of(model, env)
    know_keys((model,), env)
    know_address(base_url)
    try:
        there = urlsplit(base_url).hostname
    except ValueError:
        there = None
    if not there:
        raise UsageError(f"{base_url!r} is not an address such as https://host/v1 (`base_url`).")
    return Source(model.provider, base_url.rstrip("/"), api_key, provider_named(model.provider).names_routes)


def list_models(source: Source) -> list[Listed]:
    """Every model of the catalogue, in its own order."""
    return asyncio.run(_list(source))


def list_offers(source: Source, ids: Sequence[str]) -> dict[str, tuple[Offer, ...] | None]:
    """Model → who serves it; None where the catalogue does not know the model."""
    return asyncio.run(_offers(source, ids))


def serves(offer: Offer, route: str) -> bool:
    """Whether a `route` of models.yml means this offer. It may be the slug, the provider's part of it, or the provider's name."""
    names = (offer.slug, offer.slug.partition("/")[0], offer.provider)
    return _letters(route) in {_letters(name) for name in names}


def dearest(offers: Iterable[Offer]) -> tuple[float | None, float | None]:
    """The highest prices among offers, so that no budget is set too low; None where one of them does not tell."""
    prices = [(offer.cost_per_1m_input, offer.cost_per_1m_output) for offer in offers]
    sides = [[price[side] for price in prices] for side in (0, 1)]
    highest = [None if not side or None in side else max(each for each in side if each is not None) for side in sides]
    return highest[0], highest[1]


def slugs(offers: Iterable[Offer]) -> list[str]:
    """What can be pinned, each once and as the catalogue spells it."""
    return list(dict.fromkeys(offer.slug for offer in offers))


def not_served(model: str, route: Sequence[str], offers: Sequence[Offer]) -> str:
    """The sentence for a pin that no provider of the model answers to."""
    by = f"It is served by {', '.join(slugs(offers))}" if offers else "Nobody serves it at present"
    return f"{' and '.join(route)} {'does' if len(route) == 1 else 'do'} not serve {model}. {by}."


async def _list(source: Source) -> list[Listed]:
    async with _session() as session:
        reply = await _get(session, source, "/models")
    if reply is None:
        raise NoCatalogue(f"The catalogue of {source.place} can't be read: there is none (status 404).")
    entries = reply.get("data") if isinstance(reply, dict) else reply
    if not isinstance(entries, list):
        raise _no_list(source)
    found = {model.id: model for entry in entries if (model := _listed(entry))}
    if entries and not found:
        raise _no_list(source)
    return list(found.values())


async def _offers(source: Source, ids: Sequence[str]) -> dict[str, tuple[Offer, ...] | None]:
    for each in ids:
        if not _ID.fullmatch(each):
            raise UsageError(f"`{each}` can't be the id of a model; an id is like openai/gpt-4o.")
    limit = asyncio.Semaphore(AT_ONCE)
    async with _session() as session:

        async def one(model_id: str) -> tuple[Offer, ...] | None:
            async with limit:
                reply = await _get(session, source, f"/models/{quote(model_id, safe='/:~@+')}/endpoints")
            return None if reply is None else _offers_in(reply, source)

        return dict(zip(ids, await asyncio.gather(*map(one, ids)), strict=True))


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        auto_decompress=False,  # `read_body` unpacks, within a limit
        timeout=aiohttp.ClientTimeout(total=SECONDS, sock_connect=10.0),
        headers={"Accept": "application/json", "Accept-Encoding": ACCEPTED, "X-Title": "Probatio"},
    )


async def _get(session: aiohttp.ClientSession, source: Source, path: str) -> Any:
    """The reply as JSON; None for 404. A redirect is not followed: it could take the key to another host."""
    headers = {"Authorization": f"Bearer {source.api_key}"} if source.api_key else None
    try:
        async with session.get(f"{source.base_url}{path}", headers=headers, allow_redirects=False) as reply:
            content = redacted_bytes(await read_body(reply, "list of models"))
            if reply.status == 404:
                return None
            if reply.status != 200:
                why = fault_of_status(reply.status, reply.headers, content, time.time()).reason
                raise _unread(source, why)
            return msgspec.json.decode(content)
    except BadBody as error:
        raise _unread(source, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _no_list(source) from None
    except TimeoutError:
        raise _unread(source, f"no reply within {SECONDS:.0f} s") from None
    except aiohttp.InvalidURL:
        raise UsageError(f"The address of {source.name} is not valid (`base_url`).") from None
    except (aiohttp.ClientError, OSError) as error:
        raise _unread(source, str(error) or type(error).__name__) from None


def _unread(source: Source, why: str) -> NoCatalogue:
    return NoCatalogue(redact(f"The catalogue of {source.place} can't be read: {' '.join(why.split())[:300]}."))


def _no_list(source: Source) -> NoCatalogue:
    return _unread(source, "the reply is no list of models in OpenRouter's or OpenAI's form")


def _listed(entry: Any) -> Listed | None:
    """None for an entry without an id that can be asked for or written to a file."""
    model_id = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(model_id, str) or len(model_id) > 200 or not _ID.fullmatch(model_id):
        return None
    cost_in, cost_out = _prices(entry)
    return Listed(model_id, _text(entry.get("name")), cost_in, cost_out, _context(entry))


def _offers_in(reply: Any, source: Source) -> tuple[Offer, ...]:
    data = reply.get("data") if isinstance(reply, dict) else None
    entries = data.get("endpoints") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise _unread(source, "the reply is no list of a model's providers in OpenRouter's form")
    return tuple(offer for entry in entries if (offer := _offer(entry)))


def _offer(entry: Any) -> Offer | None:
    if not isinstance(entry, dict):
        return None
    title = _text(entry.get("provider_name"))
    slug = entry.get("tag")
    if not isinstance(slug, str) or not _ID.fullmatch(slug):
        slug = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")  # an older form names the provider alone
    if not slug:
        return None
    cost_in, cost_out = _prices(entry)
    quantization = _text(entry.get("quantization"))
    return Offer(title or slug, slug[:200], cost_in, cost_out, _context(entry), quantization or None)


def _prices(entry: dict[str, Any]) -> tuple[float | None, float | None]:
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict):
        return None, None
    return _per_million(pricing.get("prompt")), _per_million(pricing.get("completion"))


def _per_million(price: Any) -> float | None:
    """Dollars per million tokens from dollars per token; None for what is no price."""
    text = str(price) if isinstance(price, (str, int, float)) and not isinstance(price, bool) else ""
    if not _PRICE.fullmatch(text):
        return None
    try:
        dollars = float(Decimal(text).scaleb(6))
    except (InvalidOperation, OverflowError):
        return None
    return dollars if dollars <= DEAREST else None


def _context(entry: dict[str, Any]) -> int | None:
    for name in CONTEXT_FIELDS:
        value = entry.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e12:
            return int(value)
    return None


def _text(value: Any) -> str:
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == "/")
