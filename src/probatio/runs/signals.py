"""Signals in an event loop, also on Windows, where a loop takes none itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP; `nohup` sets it aside, and means it
    if hasattr(signal, name) and (name != "SIGHUP" or signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN)
)
"""The signals that end a run in good order."""


def on_signal(loop: asyncio.AbstractEventLoop, number: int, act: Callable[[], None]) -> None:
    """Call `act` within the loop when the signal comes."""
    try:
        loop.add_signal_handler(number, act)
    except NotImplementedError:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))
