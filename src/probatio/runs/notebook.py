"""A run in a notebook, where a loop runs already: the work is done in a thread, and a bar shows it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, TypeVar

from probatio.core.records import Grade, Response
from probatio.core.redact import redact
from probatio.runs.engine import Engine, Tally
from probatio.runs.progress import Show, spell

T = TypeVar("T")

TICK_SECONDS = 0.2
"""How often the waiting thread looks up, to show how the work goes."""


def run_apart(
    work: Callable[[], T],
    draw: Callable[[], None] = lambda: None,
    interrupted: Callable[[], None] = lambda: None,
) -> T:
    """Do the work here, or in another thread if a loop runs in this one.

    `draw` is called while waiting. `interrupted` is called for Ctrl-C, or the stop button of a notebook, and
    the work is still waited for: it ends by itself, with what was paid for kept.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    done: list[T] = []
    failed: list[BaseException] = []
    ended = (
        threading.Event()
    )  # not Thread.join: an interrupted join can take a running thread for one that has ended

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


class Silent:
    """Shows nothing; remembers the engine, so that it can be stopped from another thread."""

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self.notes: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, engine: Engine) -> Any:
        self.engine, self._loop = engine, asyncio.get_running_loop()
        return self

    def say(self, sentence: str) -> None:
        self.notes.append(redact(sentence))

    def trial(self, response: Response, grade: Grade) -> None: ...

    def stopping(self, reason: str, in_flight: int) -> None: ...

    def tick(self) -> None: ...

    def draw(self) -> None:
        """Called now and then by the thread that waits for the run."""

    def close(self) -> None: ...

    def stop(self) -> None:
        """The first time answers in flight come home, the second time they are dropped."""
        if self.engine is None or self._loop is None:
            return
        act: Callable[[], None] = self.engine.abandon
        if self.engine.stop_reason is None:
            act = partial(self.engine.stop, "interrupted.")
        self._loop.call_soon_threadsafe(act)


class Marks(Silent):
    """The marks of the command line, on standard output."""

    def __init__(self) -> None:
        super().__init__()
        self._show = Show(as_json=False, verbose=False)

    def open(self, engine: Engine) -> Any:
        super().open(engine)
        return self._show.open(engine)

    def say(self, sentence: str) -> None:
        self._show.say(sentence)

    def close(self) -> None:
        self._show.close()


class NotebookBar(Silent):
    """A bar in a notebook's cell, drawn by the waiting thread: output of other threads has no cell."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        super().__init__()
        self._html = HTML
        self._handle = display(HTML("Starting …"), display_id=True)
        self._began = time.monotonic()
        self._said = 0

    def draw(self) -> None:
        for note in self.notes[self._said :]:
            print(note)
        self._said = len(self.notes)
        if self.engine is not None and self._handle is not None:
            self._handle.update(
                self._html(draw_bar(self.engine.tally, time.monotonic() - self._began, self._state()))
            )

    def close(self) -> None:
        self.draw()

    def _state(self) -> str:
        return (self.engine.stop_reason or "") if self.engine else ""


def draw_bar(tally: Tally, seconds: float, stopped: str = "") -> str:
    """The state of a run as HTML without style, so that it fits the colours of any notebook."""
    rate = tally.asked / seconds if seconds > 0 else 0.0
    rest = tally.total - tally.done
    left = f" · {spell(rest / rate)} left" if rate and rest and not stopped else ""
    counted = f"{tally.done}/{tally.total} · {tally.passed} passed · {tally.failed} failed"
    failed = f" · {tally.errors} requests failed" if tally.errors else ""
    ended = f" · stopped: {escape(stopped)}" if stopped else ""
    return (
        f'<progress value="{tally.done}" max="{max(1, tally.total)}" aria-label="trials done"></progress> '
        f"{counted}{failed} · {spell(seconds)}{left} · ${tally.spent:.2f}{ended}"
    )


def open_progress(wanted: bool | str) -> Silent:
    """`auto`: a bar in a notebook, else marks. True is the same; False shows nothing."""
    if not wanted:
        return Silent()
    return NotebookBar() if _is_notebook() else Marks()


def _is_notebook() -> bool:
    """Whether this is IPython with rich output. IPython is never imported for it."""
    import sys

    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and getattr(found, "kernel", None) is not None
