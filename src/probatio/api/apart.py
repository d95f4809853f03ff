"""Work apart from a running event loop: a notebook has one in its main thread, where ours can't run as well."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TICK_SECONDS = 0.2
"""How often the waiting thread looks up, to show how the work goes."""


def loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def apart(
    work: Callable[[], T],
    draw: Callable[[], None] = lambda: None,
    interrupted: Callable[[], None] = lambda: None,
) -> T:
    """Do the work here where no loop runs, else in a thread of its own, while this one waits.

    `draw` is called while waiting. `interrupted` is called for Ctrl-C, or the stop button of a notebook, and the work is still
    waited for: it ends by itself, with what was paid for kept.
    """
    if not loop_is_running():
        return work()
    done: list[T] = []
    failed: list[BaseException] = []
    ended = threading.Event()  # not Thread.join: an interrupted join can take a running thread for one that has ended

    def carry() -> None:
        try:
            done.append(work())
        except BaseException as error:  # raised again where the caller waits
            failed.append(error)
        finally:
            ended.set()

    threading.Thread(target=carry, name="probatio", daemon=True).start()
    while not ended.is_set():
        try:
            ended.wait(TICK_SECONDS)
            draw()
        except KeyboardInterrupt:
            interrupted()
    if failed:
        raise failed[0]
    return done[0]
