"""Progress where no command line is: a bar in a notebook, marks on a terminal, or nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from probatio.records import Grade, Response
from probatio.redact import redact
from probatio.run.engine import Engine, Tally
from probatio.run.progress import Show, spell


def kernel_shell() -> bool:
    """Whether this is a notebook: a shell of IPython that shows rich output. A script never imports IPython for it."""
    import sys

    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and getattr(found, "kernel", None) is not None


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


class Bar(Silent):
    """A bar in the cell of a notebook. It is drawn by the thread that waits: output of other threads has no cell."""

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
            self._handle.update(self._html(bar(self.engine.tally, time.monotonic() - self._began, self._state())))

    def close(self) -> None:
        self.draw()

    def _state(self) -> str:
        return (self.engine.stop_reason or "") if self.engine else ""


def bar(tally: Tally, seconds: float, stopped: str = "") -> str:
    """How a run stands, as HTML without a style of its own: it fits any notebook's colours."""
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


def progress(wanted: bool | str) -> Silent:
    """`auto`: a bar in a notebook, else marks. True is the same; False shows nothing."""
    if not wanted:
        return Silent()
    return Bar() if kernel_shell() else Marks()
