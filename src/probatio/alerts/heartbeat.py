"""The heartbeat: an address that is called when a day is complete, for a service that raises the alarm when no call comes.

A day that could not be completed calls another address, where the service has one: it then raises the alarm at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

import aiohttp
import msgspec

from probatio.ask.hosts import owner_of
from probatio.config import Heartbeat
from probatio.errors import Say, UsageError
from probatio.redact import know_address, redact

SECONDS = 10.0
PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try: a lost packet must not wake anybody."""

WITH_FAIL = (
    re.compile(r"https://hc-ping\.com/.+"),
    re.compile(r"https?://[^/]+/ping/.+"),  # Healthchecks on a server of one's own
    re.compile(r"https://(uptime|betteruptime)\.(betterstack\.)?com/api/v1/heartbeat/.+"),
)
"""Addresses that take `/fail` at their end. Of any other, give `fail` in models.yml; without it, only complete days are told."""

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1", re.IGNORECASE)


class Beat(msgspec.Struct, frozen=True):
    """The two addresses, filled in. They may be secrets: anyone who has them can keep the alarm silent."""

    done: str
    failed: str | None = None

    def __repr__(self) -> str:
        return "Beat()"


def beat_of(given: str | None, configured: str | Heartbeat | None, env: Mapping[str, str], say: Say) -> Beat | None:
    """The heartbeat of the command line, else of models.yml; None where there is none. A variable that is not set is told, and
    ends nothing: a day matters more than who hears of it."""
    told = given or configured
    if not told:
        return None
    both = told if isinstance(told, Heartbeat) else Heartbeat(told)
    try:
        done = _address(both.url, env)
        failed = _address(both.fail, env) if both.fail else _with_fail(done)
    except KeyError as error:
        say(f"No heartbeat: the variable {error.args[0]} is not set.")
        return None
    return Beat(done, failed)


def ping(url: str, say: Say, *, pauses: tuple[float, ...] = PAUSES) -> bool:
    """Call an address; what fails is a remark, never the end of anything."""
    failure = asyncio.run(_ping(url, pauses))
    if failure:
        say(redact(f"The heartbeat could not be sent to {urlsplit(url).hostname}: {failure}."))
    return failure is None


async def _ping(url: str, pauses: tuple[float, ...]) -> str | None:
    failure: str | None = None
    for pause in (*pauses, None):
        failure = await _try(url)
        if failure is None or pause is None:
            break
        await asyncio.sleep(pause)
    return failure


async def _try(url: str) -> str | None:
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, headers={"User-Agent": "Probatio"}) as session,
            session.get(url, allow_redirects=False) as reply,
        ):
            return None if reply.status < 300 else f"it answered with the status {reply.status}"
    except TimeoutError:
        return f"it did not answer within {SECONDS:.0f} s"
    except (aiohttp.ClientError, OSError) as error:
        return type(error).__name__ if isinstance(error, aiohttp.InvalidURL) else str(error) or type(error).__name__


def _address(text: str, env: Mapping[str, str]) -> str:
    """With its variables filled in. https, or http on this machine: whoever reads the address can silence the alarm."""
    for name in _VARIABLE.findall(text):
        if owner := owner_of(name, env):
            raise UsageError(
                f"The heartbeat would send the key of {owner.name} (${{{name}}}); take it out of its address."
            )
        if not env.get(name):
            raise KeyError(name)
    url = _VARIABLE.sub(lambda variable: env[variable[1]], text).strip()
    parts = _parts(url)
    safe = parts is not None and (parts.scheme == "https" or _LOOPBACK.fullmatch(parts.hostname or ""))
    if parts is None or not safe or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        raise UsageError("A heartbeat is an address that begins with https://, or with http:// on this machine.")
    know_address(url)
    return url


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _with_fail(url: str) -> str | None:
    if not any(shape.fullmatch(url) for shape in WITH_FAIL):
        return None
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/fail"))
