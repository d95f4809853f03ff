"""The live server: the pages of the table over HTTP, read-only, from a snapshot that follows the results
folder."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from probatio.core.errors import ProbatioError
from probatio.core.extras import require
from probatio.core.inside import find_name
from probatio.site.addresses import find_kind, is_feed, missing_page, redirect, render
from probatio.site.downloads import open_file
from probatio.site.rendering import PageReply, PageRequest
from probatio.site.search import results_page
from probatio.site.snapshot import Site, read_state

LOOK_SECONDS = 5.0
"""How often the results folder is looked at for changes."""

KEPT_BYTES = 64 * 1024 * 1024
"""Finished pages kept in memory, packed; a page is made once per snapshot."""

SEARCH = "search/"
"""The one page that depends on a question in the address. It is never kept: questions have no end."""

AHEAD_SECONDS = 5.0
"""How long pages are made ahead, before the server answers or a new snapshot is shown. A model's page takes
30 ms of CPU."""

SMALL = 1000
"""Bytes below which packing a page saves nothing."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_log = logging.getLogger("uvicorn.error")


class PackedPage:
    """A page ready to be sent."""

    __slots__ = ("etag", "packed", "page")

    def __init__(self, page: PageReply) -> None:
        self.page = page
        self.etag = f'"{hashlib.sha256(page.body).hexdigest()[:20]}"'
        self.packed = gzip.compress(page.body, 5, mtime=0) if len(page.body) > SMALL else None

    @property
    def size(self) -> int:
        return len(self.page.body) + len(self.packed or b"")


class _OpenFile(FileResponse):
    """A file sent as it is. It is opened once, here: by its name it would be opened again, when it may be
    another file."""

    def __init__(self, site: Site, page: PageReply) -> None:
        assert page.file is not None
        self._source = open_file(site, page.file)
        name = find_name(self._source.fileno(), page.file)
        super().__init__(name, media_type=page.kind, headers=_headers(page))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._source:
            await super().__call__(scope, receive, send)


class LiveSite:
    """The snapshot being served and its finished pages."""

    def __init__(self, load: Callable[[], Site], results: Path, bench: Path | None) -> None:
        self._load, self._results, self._bench = load, results, bench
        self._state = read_state(results, bench)
        self.site = load()
        self._pages: OrderedDict[str, PackedPage] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def find_page(self, path: str, asked_at: str = "") -> PackedPage | None:
        return self._pages.get(f"{asked_at}{path}")

    def make(self, path: str, asked_at: str = "") -> PackedPage | PageReply | None:
        """Make the page now, and keep it if it is not a file. `asked_at`: the address of the site as the
        reader of a feed knows it."""
        site = self.site
        page = render(replace(site, base_url=asked_at) if asked_at else site, path)
        if page is None or page.file is not None or page.moved:
            return page
        packed, key = PackedPage(page), f"{asked_at}{path}"
        with self._lock:
            if site is self.site and key not in self._pages:
                self._pages[key] = packed
                self._size += packed.size
                while self._size > KEPT_BYTES and len(self._pages) > 1:
                    self._size -= self._pages.popitem(last=False)[1].size
        return packed

    def make_ahead(self) -> None:
        """Make the pages that most people open, before a reader asks."""
        pages = _make_ahead(self.site)
        with self._lock:
            self._pages, self._size = pages, sum(page.size for page in pages.values())

    def follow(self, stopped: threading.Event) -> None:
        """Read the folder again when it has changed, until stopped. Readers see the old snapshot meanwhile.

        Runs are studied before a reader asks: a large one takes seconds.
        """
        self._read_ahead(stopped)
        while not stopped.wait(LOOK_SECONDS):
            try:
                if self.look():
                    self._read_ahead(stopped)
            except (ProbatioError, OSError) as error:
                _log.warning("The results folder can't be read now, the last snapshot stays: %s", error)

    def _read_ahead(self, stopped: threading.Event) -> None:
        site = self.site
        for run in site.runs.values():
            if stopped.is_set() or site is not self.site:
                return
            try:
                run.read_ahead()
            except Exception as error:  # its reader gets the error; the folder is followed all the same
                _log.warning("The run %s can't be studied: %s", run.name, error)

    def look(self) -> bool:
        """Read the folder again if it has changed, or if a model has become STALE since. Returns whether it
        was read."""
        state = read_state(self._results, self._bench)
        aged = self.site.goes_stale is not None and self.site.goes_stale < datetime.now(UTC)
        if state == self._state and not aged:
            return False
        began = time.perf_counter()
        site = self._load()
        pages = _make_ahead(site)
        with self._lock:
            self.site, self._state, self._pages = site, state, pages
            self._size = sum(page.size for page in pages.values())
        _log.info("The results folder was read again in %.1f s.", time.perf_counter() - began)
        return True


def _make_ahead(site: Site) -> OrderedDict[str, PackedPage]:
    """Make the front page and the pages of the models, as many as time allows. For the others the first
    reader waits."""
    pages: OrderedDict[str, PackedPage] = OrderedDict()
    until = time.monotonic() + AHEAD_SECONDS
    for path in ("", *(f"models/{slug}/" for slug in site.tracked)):
        try:
            page = render(site, path) if time.monotonic() < until else None
        except Exception as error:  # the reader who opens the page gets the error
            _log.warning("The page /%s can't be made: %s", path, error)
            continue
        if page is not None:
            pages[path] = PackedPage(page)
    return pages


def application(live: LiveSite) -> Starlette:
    """The server's pages. Only GET and HEAD are allowed, and only addresses in the table exist."""
    making: dict[str, asyncio.Task[PackedPage | PageReply | None]] = {}

    async def make_once(path: str, asked_at: str) -> PackedPage | PageReply | None:
        """Make the page once, however many readers ask for it at the same time."""
        key = f"{asked_at}{path}"
        task = making.get(key)
        if task is None:
            task = making[key] = asyncio.create_task(run_in_threadpool(live.make, path, asked_at))
            task.add_done_callback(lambda _: making.pop(key, None))
        return await asyncio.shield(task)

    async def reply(request: Request) -> Response:
        path: str = request.path_params["path"]
        if request.query_params and (target := redirect(live.site, path, request.query_params)):
            return RedirectResponse(target, status_code=307, headers=HEADERS)
        if path == SEARCH and (asked := request.query_params.get("q")):
            found = await run_in_threadpool(results_page, PageRequest(live.site, path), asked)
            return Response(found.body, headers=_headers(found), media_type=found.kind)
        # A feed is kept by its reader, which may not know where its links begin.
        asked_at = str(request.base_url) if is_feed(path) else ""
        page: PackedPage | PageReply | None = live.find_page(path, asked_at)
        if page is None:
            if find_kind(path) is None:
                if path and not path.endswith("/") and find_kind(path + "/") is not None:
                    return RedirectResponse(path.rpartition("/")[2] + "/", status_code=308)
                return _missing(live, path)
            page = await make_once(path, asked_at)
        if page is None:
            return _missing(live, path)
        if isinstance(page, PageReply) and page.moved:
            return RedirectResponse(page.moved, status_code=307, headers=HEADERS)
        if isinstance(page, PageReply):
            assert page.file is not None
            return _OpenFile(live.site, page)
        return _send(page, request)

    return Starlette(
        routes=[Route("/{path:path}", reply, methods=["GET", "HEAD"])],
        exception_handlers={Exception: _on_error, HTTPException: _on_refusal, ProbatioError: _unreadable},
    )


def serve(live: LiveSite, host: str, port: int, names: Sequence[str] = ()) -> None:
    """Serve until interrupted, to those who ask for this machine, for `host` or for one of the names."""
    require("uvicorn")
    import uvicorn

    from probatio.site.listening import BACKLOG, Connection, HostCheck

    app = HostCheck(application(live), host, names)
    live.make_ahead()
    stopped = threading.Event()
    follower = threading.Thread(target=live.follow, args=(stopped,), daemon=True, name="follow-results")
    follower.start()
    try:
        uvicorn.run(
            app, host=host, port=port, http=Connection, ws="none", backlog=BACKLOG, log_level="warning",
            server_header=False,
        )  # fmt: skip
    finally:
        stopped.set()


def _send(packed: PackedPage, request: Request) -> Response:
    page = packed.page
    headers = _headers(page) | {"ETag": packed.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == packed.etag:
        return Response(status_code=304, headers=headers)
    if packed.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=page.kind)
    return Response(page.body, headers=headers, media_type=page.kind)


def _headers(page: PageReply) -> dict[str, str]:
    return HEADERS | {"Content-Security-Policy": f"{page.policy}; frame-ancestors {page.framed_by}"}


def _missing(live: LiveSite, path: str) -> Response:
    page = missing_page(PageRequest(live.site, path))
    return Response(page.body, 404, headers=_headers(page), media_type=page.kind)


async def _on_error(request: Request, error: Exception) -> Response:
    return Response("Something went wrong on the server.\n", 500, headers=HEADERS, media_type="text/plain")


async def _on_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"detail": error.detail}, error.status_code, headers=error.headers)


async def _unreadable(request: Request, error: Exception) -> Response:
    _log.warning("%s: %s", request.url.path, error)
    return Response(
        "The page can't be made from the files there are now.\n",
        503,
        headers=HEADERS,
        media_type="text/plain",
    )
