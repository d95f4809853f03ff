"""Opens web pages in a real browser: one jailed Chromium for all pages, a fresh context for each of them."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import re
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from probatio.core.errors import CannotCheck
from probatio.core.machine import count_cores
from probatio.jail.browser import chromium
from probatio.jail.browser.page import OpenPage, PageFailed, open_page
from probatio.jail.browser.protocol import CannotStart, Connection, ProtocolError, connect
from probatio.jail.workers.serving import retire

if TYPE_CHECKING:
    from probatio.jail import Choice

T = TypeVar("T")

PAGE_SECONDS = 90.0
"""For all that is done with one page. Far more than any page takes, so that a busy machine makes no score
worse."""
START_SECONDS = 30.0
CLOSE_SECONDS = 5.0


class Available(NamedTuple):
    """Whether pages can be checked here, as one line for a reader."""

    works: bool
    sentence: str


class _BrowserGone(Exception):
    """The browser ended while we used it."""


def visit(
    html: str,
    look: Callable[[OpenPage], Awaitable[T]],
    choice: Choice = "auto",
    seconds: float = PAGE_SECONDS,
) -> T:
    """Open `html` in a fresh context, let `look` examine it, and close it. Safe to call from many threads.

    Raises PageFailed for what the page did, CannotCheck where no browser can be had. `look` runs on the
    browser's own thread.
    """
    return _thread(choice).visit(html, look, seconds)


def available(choice: Choice = "auto") -> Available:
    """Starts the browser to see whether it works, and in which isolation; else says what is missing."""
    try:
        return Available(True, _thread(choice).description())
    except CannotCheck as error:
        return Available(False, str(error))


def close() -> None:
    """End all browsers; the next visit starts a new one."""
    with _lock:
        threads = list(_threads.values())
        _threads.clear()
    for thread in threads:
        thread.close()


_threads: dict[Choice, _BrowserThread] = {}
_lock = threading.Lock()


def _thread(choice: Choice) -> _BrowserThread:
    with _lock:
        if choice not in _threads:
            if not _threads:
                atexit.register(close)
            _threads[choice] = _BrowserThread(choice)
        return _threads[choice]


class _BrowserThread:
    """The thread that owns a browser: starts it when first needed, replaces it when it broke, ends it when
    all is done."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.loop = asyncio.new_event_loop()
        self.held = contextlib.ExitStack()
        self.browser: Connection | None = None
        self.program = ""
        self.way: chromium.Way = "none"
        self.worked = False
        self.refused: CannotCheck | None = None
        self.starting = asyncio.Lock()
        # More pages at once than processors would only make each of them slower, and slowness is what time
        # limits see.
        self.room = asyncio.Semaphore(min(4, count_cores()))
        self.thread = threading.Thread(target=self.loop.run_forever, name="probatio-browser", daemon=True)
        self.thread.start()

    def visit(self, html: str, look: Callable[[OpenPage], Awaitable[T]], seconds: float) -> T:
        return asyncio.run_coroutine_threadsafe(self._visit(html, look, seconds), self.loop).result()

    def description(self) -> str:
        """The browser's version and what isolates it."""

        async def describe() -> str:
            browser = await self._ensure_started()
            return f"{chromium.title(self.program, browser.version)}, {chromium.DESCRIPTIONS[self.way]}"

        return asyncio.run_coroutine_threadsafe(describe(), self.loop).result()

    def close(self) -> None:
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._end(), self.loop).result(2 * CLOSE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(CLOSE_SECONDS)

    async def _visit(self, html: str, look: Callable[[OpenPage], Awaitable[T]], seconds: float) -> T:
        async with self.room:
            try:
                return await self._once(html, look, seconds)
            except _BrowserGone:
                pass  # this page did it, or another one: a second try shows which
            try:
                return await self._once(html, look, seconds)
            except _BrowserGone as error:
                await self._ensure_started()
                raise PageFailed("The page brought the browser down, twice.") from error

    async def _once(self, html: str, look: Callable[[OpenPage], Awaitable[T]], seconds: float) -> T:
        browser = await self._ensure_started()
        try:
            page = await asyncio.wait_for(open_page(browser, html), START_SECONDS)
        except (TimeoutError, ProtocolError) as error:
            await self._discard(browser)
            raise _BrowserGone from error
        try:
            return await _within(look(page), page.ended, seconds)
        except (TimeoutError, ProtocolError) as error:
            if not browser.alive:
                raise _BrowserGone from error
            raise PageFailed(f"The page could not be examined: {str(error)[:200]}") from error
        finally:
            # Closing a page that floods us takes its turn behind all that it has sent; ending the worker does
            # not.
            if not (page.flooded and retire()):
                try:
                    await asyncio.wait_for(page.close(), CLOSE_SECONDS)
                except (TimeoutError, ProtocolError):
                    await self._discard(browser)

    async def _ensure_started(self) -> Connection:
        async with self.starting:
            if self.browser is not None and self.browser.alive:
                return self.browser
            await self._end()
            if self.refused:
                raise self.refused
            try:
                self.browser = await self._start()
            except CannotCheck as error:
                if not self.worked:
                    self.refused = (
                        error  # trying takes seconds, and the answer would be the same for every page
                    )
                raise
            self.worked = True
            return self.browser

    async def _start(self) -> Connection:
        program = self.program = chromium.executable()
        faults = []
        for way in chromium.WAYS[self.choice]:
            if way.startswith("jail") and (why := chromium.jailable()):
                faults.append(f"{chromium.DESCRIPTIONS[way]}: {why}")
                continue
            with contextlib.ExitStack() as scratch:
                try:
                    browser = await connect(
                        scratch.enter_context(chromium.start(way, program)), START_SECONDS
                    )
                except CannotStart as error:
                    faults.append(f"{chromium.DESCRIPTIONS[way]}: {_reason(str(error))}")
                    continue
                self.held = scratch.pop_all()
                self.way = way
                return browser
        raise CannotCheck(
            f"{program} starts in no isolation here, so no model's page is opened ({'; '.join(faults)}). "
            "Allow user "
            "namespaces for bubblewrap, or run as another user than root so that Chromium's own sandbox "
            "works."
        )

    async def _discard(self, browser: Connection) -> None:
        """End a browser that no longer answers; the next visit starts another."""
        async with self.starting:
            if self.browser is browser:
                await self._end()

    async def _end(self) -> None:
        browser, self.browser = self.browser, None
        if browser is not None:
            await browser.close()
        self.held.close()


def _reason(said: str) -> str:
    """The first line of what the browser printed, without the time and place in its source."""
    return re.sub(r"^\[[^]]*\] *", "", said.partition("\n")[0])[:300]


async def _within(look: Awaitable[T], ended: asyncio.Future[str], seconds: float) -> T:
    task = asyncio.ensure_future(look)
    watched: set[asyncio.Future[Any]] = {task, ended}
    done, _ = await asyncio.wait(watched, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if task in done:
        return task.result()
    task.cancel()
    await asyncio.wait({task}, timeout=CLOSE_SECONDS)
    raise PageFailed(
        ended.result() if ended in done else f"The page did not come to rest within {seconds:g} s."
    )
