"""How fast an embedded model reads and writes on this machine: measured, and kept for a month."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from pathlib import Path
from typing import Any

import msgspec

from probatio.ask.connections import Connections, Reply
from probatio.ask.embedded.catalogue import models_folder, resolve
from probatio.ask.embedded.server import serve
from probatio.ask.embedded.weights import is_here
from probatio.ask.retry import Fault
from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import put
from probatio.core.jsonfile import decode, read_json
from probatio.core.machine import count_cores
from probatio.core.records import Model
from probatio.core.trust import require_weights

KEPT_SECONDS = 30 * 86_400
"""The machine may have been busy when it was measured, or have changed since."""

PROMPT = "The quick brown fox jumps over the lazy dog. " * 20
ANSWER_TOKENS = 16
"""Few, so that a slow core is done soon: an estimate is in minutes."""


SECONDS = 600.0
"""For the one answer, on a busy core."""


class Speed(msgspec.Struct, frozen=True):
    """Tokens per second: of a prompt, and of an answer."""

    reading: float
    writing: float

    def seconds(self, tokens_in: float, tokens_out: float) -> float:
        return tokens_in / self.reading + tokens_out / self.writing


class _Timings(msgspec.Struct):
    prompt_per_second: float = 0.0
    predicted_per_second: float = 0.0


class _TimedReply(msgspec.Struct):
    timings: _Timings = msgspec.field(default_factory=_Timings)


def speed_of(model: Model, *, measure: bool) -> Speed | None:
    """The stored speed, else measured now if `measure` is set (which loads the model), else None."""
    require_weights(model.name)
    weights = resolve(model.name)
    if not is_here(weights):
        return None
    file = _speed_file(weights.path, model.reproducible)
    if (known := _read_kept(file)) is not None:
        return known
    speed = _measure(weights.path, model.reproducible) if measure else None
    if speed is not None:
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            put(file, msgspec.json.encode(speed))
    return speed


def _read_kept(file: Path) -> Speed | None:
    with contextlib.suppress(OSError, UsageError):
        if time.time() - file.stat().st_mtime < KEPT_SECONDS:
            return read_json(file, Speed, "a measured speed")
    return None


def _measure(path: Path, reproducible: bool) -> Speed | None:
    with serve(path, reproducible=reproducible) as served:
        body = {
            "messages": [{"role": "user", "content": PROMPT}],
            "max_tokens": ANSWER_TOKENS,
            "temperature": 0,
            **served.extra_body,
        }
        reply = asyncio.run(_post(f"{served.base_url}/chat/completions", served.api_key, body))
    if isinstance(reply, Fault):
        raise Incomplete(f"The speed of {path.name} can't be measured: {reply.reason}.")
    timings = decode(reply.body, _TimedReply).timings
    if min(timings.prompt_per_second, timings.predicted_per_second) <= 0:
        return None
    return Speed(timings.prompt_per_second, timings.predicted_per_second)


async def _post(url: str, key: str, body: dict[str, Any]) -> Reply | Fault:
    async with Connections() as connections:
        return await connections.post(
            url, msgspec.json.encode(body), key=key, seconds=SECONDS, connect_seconds=SECONDS
        )


def _speed_file(path: Path, reproducible: bool) -> Path:
    known_by = f"{path.resolve()} {path.stat().st_size} {count_cores()} {reproducible}"
    return models_folder() / "speed" / f"{hashlib.sha256(known_by.encode()).hexdigest()[:24]}.json"
