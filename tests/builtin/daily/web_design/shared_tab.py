"""One open tab that examines page after page: a fresh tab for each page costs 0.9 s of CPU, loading it there
a tenth of that."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from probatio.jail.browser.driver import visit
from probatio.jail.browser.page import OpenPage

T = TypeVar("T")

TAB_SECONDS = 600.0
PAGE_SECONDS = 60.0


class _Request(NamedTuple):
    html: str
    examine: Callable[[OpenPage], Awaitable[Any]]
    answer: Future[Any]


class SharedTab:
    """For tests of what is seen on a page. Tests of what a page can do to others need a fresh context:
    `visit`."""

    def __init__(self) -> None:
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._requests: asyncio.Queue[_Request | None] = asyncio.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def examine(self, html: str, look: Callable[[OpenPage], Awaitable[T]]) -> T:
        """What `look` makes of the tab, once its address holds this page."""
        answer: Future[T] = Future()
        self._put(_Request(html, look, answer))
        return answer.result(PAGE_SECONDS)

    def close(self) -> None:
        self._put(None)
        self._thread.join(PAGE_SECONDS)

    def _put(self, request: _Request | None) -> None:
        self._loop.result(PAGE_SECONDS).call_soon_threadsafe(self._requests.put_nowait, request)

    def _run(self) -> None:
        try:
            visit("", self._serve, seconds=TAB_SECONDS)
        except Exception as error:
            if not self._loop.done():
                self._loop.set_exception(error)

    async def _serve(self, page: OpenPage) -> None:
        self._loop.set_result(asyncio.get_running_loop())
        while (request := await self._requests.get()) is not None:
            page.html = request.html.encode("utf-8", "replace")
            try:
                request.answer.set_result(await request.examine(page))
            except Exception as error:
                request.answer.set_exception(error)


@contextlib.contextmanager
def shared_tab() -> Iterator[SharedTab]:
    tab = SharedTab()
    try:
        yield tab
    finally:
        tab.close()
