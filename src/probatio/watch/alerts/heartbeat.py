"""The heartbeat: call an address after each complete day. A service raises the alarm when no call comes.

After a day that could not be completed, another address is called if the service has one. Then it raises the
alarm at once.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

import msgspec

from probatio.ask.connections import Connections
from probatio.ask.hosts import owner_of
from probatio.ask.proxies import find_proxy, is_this_machine
from probatio.ask.retry import Fault
from probatio.core.config import Heartbeat, heartbeat_requests
from probatio.core.errors import Say, UsageError
from probatio.core.redact import know_address, redact
from probatio.core.trust import NAME_FILE, find_unsaid, refuse

SECONDS = 10.0
PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try: a lost packet must not raise an alarm."""

WITH_FAIL = (
    re.compile(r"https://hc-ping\.com/.+"),
    re.compile(r"https?://[^/]+/ping/.+"),  # Healthchecks on a server of one's own
    re.compile(r"https://(uptime|betteruptime)\.(betterstack\.)?com/api/v1/heartbeat/.+"),
)
"""Addresses that take `/fail` at their end. For others, give `fail` in models.yml; without it, only complete
days are reported."""

_VARIABLE = re.compile(r"\$\{(\w+)\}")


class HeartbeatAddresses(msgspec.Struct, frozen=True):
    """The two addresses, filled in. They may be secrets: with them one can keep the alarm silent."""

    done: str
    failed: str | None = None

    def __repr__(self) -> str:
        return "Beat()"


def find_heartbeat(
    given: str | None,
    configured: str | Heartbeat | None,
    env: Mapping[str, str],
    say: Say,
    *,
    sending: bool = True,
) -> HeartbeatAddresses | None:
    """The heartbeat of the command line, or of models.yml, or None. If a variable is not set, say so and go
    on: the day matters more than its report."""
    heartbeat = given or configured
    if not heartbeat:
        return None
    both = heartbeat if isinstance(heartbeat, Heartbeat) else Heartbeat(heartbeat)
    if given is None and sending:
        refuse(find_unsaid(heartbeat_requests(both)), NAME_FILE)
    try:
        done = _fill_address(both.url, env)
        failed = _fill_address(both.fail, env) if both.fail else None
    except KeyError as error:
        say(f"No heartbeat: the variable {error.args[0]} is not set.")
        return None
    if failed is None and any(shape.fullmatch(done) for shape in WITH_FAIL):
        parts = urlsplit(done)
        failed = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/fail"))
    return HeartbeatAddresses(done, failed)


def ping(url: str, say: Say, *, pauses: tuple[float, ...] = PAUSES) -> bool:
    """Call an address. A failure is said and ends nothing."""
    failure: str | None = None
    for pause in (0.0, *pauses):
        time.sleep(pause)
        failure = asyncio.run(_try(url))
        if failure is None:
            return True
    say(redact(f"The heartbeat could not be sent to {urlsplit(url).hostname}: {failure}."))
    return False


async def _try(url: str) -> str | None:
    """Why the call failed, as a clause; None if it did not. A redirect is not followed."""
    try:
        proxy = find_proxy(url)
    except UsageError as error:
        return str(error).rstrip(".")
    async with Connections() as connections:
        reply = await connections.get(url, seconds=SECONDS, proxy=proxy, kind="reply to a heartbeat")
    if isinstance(reply, Fault):
        return f"it did not answer within {SECONDS:.0f} s" if reply.timed_out else reply.reason
    return None if reply.status < 300 else f"it answered with the status {reply.status}"


def _fill_address(text: str, env: Mapping[str, str]) -> str:
    """Fill in the variables. Only https, or http on this machine: a person who reads the address can silence
    the alarm."""
    for name in _VARIABLE.findall(text):
        if owner := owner_of(name, env):
            raise UsageError(
                f"The heartbeat would send the key of {owner.name} (${{{name}}}); take it out of its address."
            )
        if not env.get(name):
            raise KeyError(name)
    url = _VARIABLE.sub(lambda variable: env[variable[1]], text).strip()
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        host = None
    safe = host and (parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host)))
    if not safe or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        raise UsageError(
            "A heartbeat is an address that begins with https://, or with http:// on this machine."
        )
    know_address(url)
    return url
