"""How fast an embedded model reads and writes on this machine: measured, and kept for a month."""

from __future__ import annotations

import contextlib
import hashlib
import time
import urllib.request
from pathlib import Path

import msgspec

from probatio.ask.embedded.catalogue import models_folder, resolve
from probatio.ask.embedded.server import serve
from probatio.ask.embedded.weights import is_here
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.inside import MOST_SETTINGS
from probatio.core.jsonfile import decode, read_json
from probatio.core.machine import count_cores
from probatio.core.records import Model

KEPT_SECONDS = 30 * 86_400
"""The machine may have been busy when it was measured, or have changed since."""

PROMPT = "The quick brown fox jumps over the lazy dog. " * 20
ANSWER_TOKENS = 16
"""Few, so that a slow core is done soon: an estimate is in minutes."""


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
        request = urllib.request.Request(
            f"{served.base_url}/chat/completions",
            msgspec.json.encode(body),
            {"Content-Type": "application/json", "Authorization": f"Bearer {served.api_key}"},
        )
        directly = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with directly.open(request, timeout=600) as reply:
            timings = decode(reply.read(MOST_SETTINGS), _TimedReply).timings
    if min(timings.prompt_per_second, timings.predicted_per_second) <= 0:
        return None
    return Speed(timings.prompt_per_second, timings.predicted_per_second)


def _speed_file(path: Path, reproducible: bool) -> Path:
    known_by = f"{path.resolve()} {path.stat().st_size} {count_cores()} {reproducible}"
    return models_folder() / "speed" / f"{hashlib.sha256(known_by.encode()).hexdigest()[:24]}.json"
