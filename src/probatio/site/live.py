"""The live server: the pages of the table over HTTP, read-only, from a snapshot that follows the results folder."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse

from probatio.errors import ProbatioError
from probatio.extras import require
from probatio.site.api import document
from probatio.site.data import Site, state_of
from probatio.site.page import Asked, Page
from probatio.site.pages import answer, find, missing_page

LOOK_SECONDS = 5.0
"""How often the results folder is looked at for changes."""

KEPT_BYTES = 64 * 1024 * 1024
"""Finished pages kept in memory, packed; a page is made once per snapshot."""

SMALL = 1000
"""Bytes below which packing a page saves nothing."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_log = logging.getLogger("uvicorn.error")


class Finished:
    """A page ready to be sent."""

    __slots__ = ("etag", "packed", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.etag = f'"{hashlib.sha256(page.body).hexdigest()[:20]}"'
        self.packed = gzip.compress(page.body, 5, mtime=0) if len(page.body) > SMALL else None

    @property
    def size(self) -> int:
        return len(self.page.body) + len(self.packed or b"")


class Shelf:
    """The snapshot being served and its finished pages."""

    def __init__(self, load: Callable[[], Site], results: Path, bench: Path | None) -> None:
        self._load, self._results, self._bench = load, results, bench
        self._state = state_of(results, bench)
        self.site = load()
        self._pages: OrderedDict[str, Finished] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def kept(self, path: str) -> Finished | None:
        return self._pages.get(path)

    def make(self, path: str) -> Finished | Page | None:
        """The page, made now and kept where it is not a file."""
        site = self.site
        page = answer(site, path)
        if page is None or page.file is not None:
            return page
        finished = Finished(page)
        with self._lock:
            if site is self.site and path not in self._pages:
                self._pages[path] = finished
                self._size += finished.size
                while self._size > KEPT_BYTES and len(self._pages) > 1:
                    self._size -= self._pages.popitem(last=False)[1].size
        return finished

    def follow(self, stopped: threading.Event) -> None:
        """Read the folder again when it has changed, until stopped. Readers see the old snapshot meanwhile."""
        while not stopped.wait(LOOK_SECONDS):
            try:
                self.look()
            except (ProbatioError, OSError) as error:
                _log.warning("The results folder can't be read now, the last snapshot stays: %s", error)

    def look(self) -> bool:
        state = state_of(self._results, self._bench)
        if state == self._state:
            return False
        began = time.perf_counter()
        site = self._load()
        with self._lock:
            self.site, self._state, self._size = site, state, 0
            self._pages = OrderedDict()
        _log.info("The results folder has changed and was read again in %.1f s.", time.perf_counter() - began)
        return True


def application(shelf: Shelf) -> FastAPI:
    """The server's pages. Anything but GET and HEAD is refused; an address not in the table is not there."""
    app = FastAPI(title="probatio", openapi_url=None, docs_url=None, redoc_url=None)
    app.openapi = document  # type: ignore[method-assign]
    making: dict[str, asyncio.Task[Finished | Page | None]] = {}

    async def made(path: str) -> Finished | Page | None:
        """The page, made once however many ask for it meanwhile."""
        task = making.get(path)
        if task is None:
            task = making[path] = asyncio.create_task(run_in_threadpool(shelf.make, path))
            task.add_done_callback(lambda _: making.pop(path, None))
        return await asyncio.shield(task)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def serve(path: str, request: Request) -> Response:
        finished: Finished | Page | None = shelf.kept(path)
        if finished is None:
            if find(path) is None:
                if path and not path.endswith("/") and find(path + "/") is not None:
                    return RedirectResponse(path.rpartition("/")[2] + "/", status_code=308)
                return _missing(shelf, path)
            finished = await made(path)
        if finished is None:
            return _missing(shelf, path)
        if isinstance(finished, Page):
            assert finished.file is not None
            return FileResponse(finished.file, media_type=finished.kind, headers=_headers(finished))
        return _reply(finished, request)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return Response("Something went wrong on the server.\n", 500, headers=HEADERS, media_type="text/plain")

    @app.exception_handler(ProbatioError)
    async def refused(request: Request, error: ProbatioError) -> Response:
        _log.warning("%s: %s", request.url.path, error)
        return Response(
            "The page can't be made from the files there are now.\n", 503, headers=HEADERS, media_type="text/plain"
        )

    return app


def serve(shelf: Shelf, host: str, port: int) -> None:
    """Serve until interrupted."""
    require("uvicorn")
    import uvicorn

    stopped = threading.Event()
    follower = threading.Thread(target=shelf.follow, args=(stopped,), daemon=True, name="follow-results")
    follower.start()
    try:
        uvicorn.run(application(shelf), host=host, port=port, log_level="warning", server_header=False)
    finally:
        stopped.set()


def _reply(finished: Finished, request: Request) -> Response:
    page = finished.page
    headers: dict[str, Any] = _headers(page) | {"ETag": finished.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == finished.etag:
        return Response(status_code=304, headers=headers)
    if finished.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(finished.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=page.kind)
    return Response(page.body, headers=headers, media_type=page.kind)


def _headers(page: Page) -> dict[str, str]:
    return HEADERS | {"Content-Security-Policy": f"{page.policy}; frame-ancestors 'self'"}


def _missing(shelf: Shelf, path: str) -> Response:
    page = missing_page(Asked(shelf.site, path))
    return Response(page.body, 404, headers=_headers(page), media_type=page.kind)
