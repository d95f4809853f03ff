"""What the user asked for, flag by flag: the part that a run of trials and a day have in common."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.sandbox import Choice

MAX_CONNECTIONS = 64
"""Slow start finds what a route bears; this is only where it stops looking."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Which models to ask what, and within which limits."""

    models: tuple[str, ...] = ()
    suite: Path | None = None
    config: Path | None = None
    max_connections: int = MAX_CONNECTIONS
    max_cost: float | None = None
    max_wait: float | None = None  # seconds that a server may ask to wait
    sandbox: Choice = "auto"
