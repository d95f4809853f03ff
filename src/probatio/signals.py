"""Signals in an event loop, also on Windows, where a loop takes none itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def on_signal(loop: asyncio.AbstractEventLoop, number: int, act: Callable[[], None]) -> None:
    """Call `act` within the loop when the signal comes."""
    try:
        loop.add_signal_handler(number, act)
    except NotImplementedError:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))
