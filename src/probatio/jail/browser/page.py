"""One page, open in a browser's tab. We answer all its requests, and we look at it from where its scripts
can't reach."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

from probatio.jail.browser.keys import press_events
from probatio.jail.browser.protocol import Connection, ProtocolError, format_console, format_error

T = TypeVar("T")

ADDRESS = "https://page.test/"
"""The page's address. It needs one of its own to have storage; the content comes from us, not from a
network."""

WORLD = "probatio"
"""The JavaScript world of our scripts. Of the page's own globals it has none."""

STEP_SECONDS = 10.0
"""For one load, look or key press. They take milliseconds; a page that takes longer than this hangs."""

MOST_KEPT = 200
"""Most errors, and most requests, of a page that are kept. A page with so many gets no credit for having
none."""
LONGEST = 200
"""Characters of a message that are kept."""
FLOOD = 2000
"""Messages and requests of a page in all. A page that sends more is in a loop, and each costs us time: it is
given up."""

POPUP_SECONDS = 0.1
"""After which a tab that the page opened is closed, if it asks for nothing."""

# Run before the page's own scripts. Random numbers are the same each time, and the window looks like that of
# an ordinary browser: a headless one would show that it has no frame and no network.
_ORDINARY = """(() => {
  let seed = 1;
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const set = (owner, name, get) => Object.defineProperty(owner, name, { get, configurable: true });
  set(window, "outerWidth", () => window.innerWidth);
  set(window, "outerHeight", () => window.innerHeight + 85);
  set(Navigator.prototype, "onLine", () => true);
  // A frame without an origin may not even ask.
  try { navigator.serviceWorker.register = async () => {}; } catch {}
})()"""

_MEDIA = [
    {"name": "prefers-color-scheme", "value": "light"},
    {"name": "prefers-reduced-motion", "value": "reduce"},
]


class PageFailed(Exception):
    """The page itself failed: it never finished loading, it crashed, or it went away. The message goes into
    the breakdown."""


class OpenPage:
    """An open page. Our scripts run in a JavaScript world of their own, so that nothing the page redefines is
    used by us."""

    def __init__(self, connection: Connection, context: str, session: str, frame: str) -> None:
        self.connection = connection
        self.context = context
        self.session = session
        self.html = b""
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why the page can't be used any more, once it can't."""
        self.flooded = False
        self._events = 0
        self._frame = frame
        self._world: int | None = None
        self._names: dict[str, str] = {}
        self._children: list[str] = []
        self._popups: dict[str, str] = {}
        self._begun: list[str] = []  # documents of the page since it was last loaded, the oldest first
        self._whole: set[str] = set()  # those of them that have loaded
        self._moved = asyncio.Event()

    def note(self, kept: list[str], text: str | None) -> None:
        """Count a message or request of the page, and keep its text, up to a limit."""
        self._events += 1
        if text is not None and len(kept) < MOST_KEPT:
            kept.append(well_formed(text))
        if self._events > FLOOD:
            self.flooded = True
            self.end(f"The page sent more than {FLOOD:,} messages and requests.")

    def end(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)

    def send(self, method: str, **params: object) -> asyncio.Future[dict[str, Any]]:
        """A command of the DevTools protocol for this page."""
        return self.connection.send(method, self.session, **params)

    async def load(self, width: int, height: int) -> None:
        """Open the page again in a window of this size."""
        self._world, self._begun, self._whole = None, [], set()
        try:
            await asyncio.wait_for(self._load(width, height), STEP_SECONDS)
        except TimeoutError as error:
            raise PageFailed(f"The page did not finish loading within {STEP_SECONDS:g} s.") from error

    async def _load(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        screen = {"screenWidth": width, "screenHeight": height, "deviceScaleFactor": 1, "mobile": False}
        resized = self.send("Emulation.setDeviceMetricsOverride", **size, **screen)
        began = await self.send("Page.navigate", url=ADDRESS)
        await resized
        # A page may send itself elsewhere while it loads; what is then shown is what counts.
        if "errorText" not in began and "loaderId" in began:
            while not self._has_loaded(began["loaderId"]):
                self._moved.clear()
                await self._moved.wait()

    def _has_loaded(self, document: str) -> bool:
        """Whether this document, or one that the page put in its place, has loaded."""
        return document in self._whole or (
            document in self._begun
            and not self._whole.isdisjoint(self._begun[self._begun.index(document) + 1 :])
        )

    async def evaluate(self, script: str, argument: object = None) -> Any:
        """Call a function in our isolated world of the page; its value. The text is sent once, and every new
        document begins with it."""
        name = self._names.get(script)
        known = name is not None
        if name is None:
            name = self._names[script] = f"probatioScript{len(self._names)}"
            source = f"globalThis.{name} = {script}"
            self.connection.post(
                "Page.addScriptToEvaluateOnNewDocument", self.session, source=source, worldName=WORLD
            )
        whole = f"(globalThis.{name} ??= {script})({json.dumps(argument)})"
        call = f"{name}({json.dumps(argument)})" if known else whole
        for fresh in (False, True):
            try:
                answer = await self._call(call, fresh)
                if known and _unknown(
                    answer, name
                ):  # a document that began without us, such as one the page wrote itself
                    answer = await self._call(whole, fresh=False)
            except ProtocolError as error:
                # The page went elsewhere, before we asked or while it was answering.
                if fresh or not re.search("context|navigated", str(error)):
                    raise
                continue
            if "exceptionDetails" in answer:
                reason = answer["exceptionDetails"].get("exception", {}).get("description", "no reason given")
                raise PageFailed(f"The page could not be examined: {well_formed(str(reason))}")
            return answer["result"].get("value")
        raise AssertionError("unreachable")

    async def _call(self, expression: str, fresh: bool) -> dict[str, Any]:
        """Evaluate an expression in our isolated world of the current document; the reply of the browser."""
        if self._world is None or fresh:
            world = self.send("Page.createIsolatedWorld", frameId=self._frame, worldName=WORLD)
            self._world = (await _step(world))["executionContextId"]
        call = {
            "contextId": self._world,
            "expression": expression,
            "returnByValue": True,
            "awaitPromise": True,
        }
        return await _step(self.send("Runtime.evaluate", **call))

    async def click(self, x: float, y: float) -> None:
        left = {"button": "left", "clickCount": 1, "force": 0.5}
        events: list[dict[str, object]] = [
            {"type": "mouseMoved", "button": "none", "buttons": 0},
            {"type": "mousePressed", "buttons": 1, **left},
            {"type": "mouseReleased", "buttons": 0, **left},
        ]
        await self._input("Input.dispatchMouseEvent", [event | {"x": x, "y": y} for event in events])

    async def press(self, keys: str) -> None:
        await self._input("Input.dispatchKeyEvent", list(press_events(keys)))

    async def insert(self, text: str) -> None:
        await self._input("Input.insertText", [{"text": text}])

    async def _input(self, method: str, events: list[dict[str, object]]) -> None:
        await _step(asyncio.gather(*(self.send(method, **event) for event in events)))

    async def picture(self) -> str:
        """The window as it is painted now, as a PNG in Base64. Equal windows have equal ones."""
        shot = await _step(self.send("Page.captureScreenshot", format="png", optimizeForSpeed=True))
        return str(shot["data"])

    @contextlib.asynccontextmanager
    async def silenced(self) -> AsyncIterator[None]:
        """While none of the page's scripts runs: no timer, event or frame reaches them, and what comes up
        meanwhile is lost. So a page is used no more after it, but loaded again."""
        await _step(self.send("Emulation.setScriptExecutionDisabled", value=True))
        try:
            yield
        finally:
            await _step(self.send("Emulation.setScriptExecutionDisabled", value=False))

    def on_event(self, session: str, method: str, said: dict[str, Any]) -> None:
        """An event of the page, or of a frame or worker that belongs to it."""
        match method:
            case "Fetch.requestPaused":
                self._answer(session, said)
            case "Runtime.consoleAPICalled":
                self.note(self.errors, format_console(said["args"]) if said["type"] == "error" else None)
            case "Log.entryAdded":
                self._on_log(said["entry"])
            case "Runtime.exceptionThrown":
                self.note(self.errors, format_error(said["exceptionDetails"]))
            case "Page.lifecycleEvent":
                self._on_lifecycle(said)
            case "Page.javascriptDialogOpening":
                accept = said["type"] == "beforeunload"  # a page can't hold us back
                self.connection.post("Page.handleJavaScriptDialog", session, accept=accept)
            case "Target.attachedToTarget":
                self._adopt(said["sessionId"], said["targetInfo"]["type"])
            case "Inspector.targetCrashed" if session == self.session:
                self.end("The page crashed.")

    def _on_lifecycle(self, said: dict[str, Any]) -> None:
        if said["frameId"] == self._frame and said["name"] in ("init", "load"):
            (self._begun.append if said["name"] == "init" else self._whole.add)(said["loaderId"])
            self._moved.set()

    def _on_log(self, entry: dict[str, Any]) -> None:
        if entry["source"] != "worker":
            text = str(entry["text"])
            ours = entry["level"] != "error" or text.startswith("Failed to load resource")
            self.note(self.errors, None if ours else text)

    def _answer(self, session: str, said: dict[str, Any]) -> None:
        """Answer a request: with the page for its own address, with a refusal for all others."""
        request, number = said["request"], said["requestId"]
        url = request["url"] + request.get("urlFragment", "")
        wanted = {name.casefold(): value for name, value in request["headers"].items()}
        if url.partition("?")[0].partition("#")[0] == ADDRESS and said["resourceType"] == "Document":
            self._fulfil(session, number, 200, {"Content-Type": "text/html; charset=utf-8"}, self.html)
        elif request["method"] == "OPTIONS" and "access-control-request-method" in wanted:
            # The browser's own question whether it may ask; the page's request comes after it, and is what
            # counts.
            self._fulfil(session, number, 204, _allow_headers(wanted), b"")
        else:
            self.note(self.requests, None if url.endswith("/favicon.ico") else url)
            if not self.flooded:
                self.connection.post("Fetch.failRequest", session, requestId=number, errorReason="Failed")
                self._close_popup(session)

    def _fulfil(self, session: str, number: str, code: int, headers: dict[str, str], body: bytes) -> None:
        told = [{"name": name, "value": value} for name, value in headers.items()]
        text = base64.b64encode(body).decode()
        self.connection.post(
            "Fetch.fulfillRequest",
            session,
            requestId=number,
            responseCode=code,
            responseHeaders=told,
            body=text,
        )

    def on_popup(self, session: str, target: str) -> None:
        """Another tab that the page opened: it is closed, once we know what it was opened for."""
        self._adopt(session, "page")
        self._popups[session] = target
        asyncio.get_running_loop().call_later(POPUP_SECONDS, self._close_popup, session)

    def _close_popup(self, session: str) -> None:
        if target := self._popups.pop(session, None):
            self.connection.post("Target.closeTarget", targetId=target)

    def _adopt(self, session: str, kind: str) -> None:
        """A frame or worker in a process of its own: what it asks for and says is the page's too."""
        self._children.append(session)
        self.connection.listen(session, lambda method, said: self.on_event(session, method, said))
        ways: list[tuple[str, dict[str, object]]] = [("Fetch.enable", {}), ("Runtime.enable", {}), _FOLLOW]
        if kind in ("iframe", "page"):
            ways += [("Log.enable", {}), ("Page.addScriptToEvaluateOnNewDocument", {"source": _ORDINARY})]
        for method, params in (*ways, ("Runtime.runIfWaitingForDebugger", {})):
            self.connection.post(method, session, **params)

    async def close(self) -> None:
        """Close it with all that it has stored."""
        self.connection.unfollow(self.context)
        for session in (self.session, *self._children):
            self.connection.forget(session)
        await self.connection.send("Target.disposeBrowserContext", browserContextId=self.context)


_FOLLOW: tuple[str, dict[str, object]] = (
    "Target.setAutoAttach",
    {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True},
)


def _agent(version: str) -> dict[str, object]:
    """What an ordinary browser of this version says it is."""
    major = version.partition(".")[0]
    name = (
        f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 "
        "Safari/537.36"
    )
    machine = {
        "platform": "Linux",
        "platformVersion": "",
        "architecture": "x86",
        "model": "",
        "mobile": False,
    }
    return {"userAgent": name, "acceptLanguage": "en-US", "userAgentMetadata": machine}


async def open_page(connection: Connection, html: str) -> OpenPage:
    """A fresh tab in a context of its own. Its every request is answered by us."""
    context = (await connection.send("Target.createBrowserContext", disposeOnDetach=True))["browserContextId"]
    connection.post("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
    tabs: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    connection.follow(context, lambda session, target: tabs.put_nowait((session, target)))
    await connection.send("Target.createTarget", url="about:blank", browserContextId=context)
    session, target = await tabs.get()
    page = OpenPage(connection, context, session, target)
    page.html = html.encode("utf-8", "replace")
    connection.listen(session, lambda method, said: page.on_event(session, method, said))
    connection.follow(context, page.on_popup)
    ready: list[tuple[str, dict[str, object]]] = [
        ("Inspector.enable", {}),
        ("Page.enable", {}),
        ("Page.setLifecycleEventsEnabled", {"enabled": True}),
        ("Runtime.enable", {}),
        ("Log.enable", {}),
        ("Fetch.enable", {}),
        _FOLLOW,
        (
            "Network.emulateNetworkConditions",
            {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        ),
        ("Network.setBypassServiceWorker", {"bypass": True}),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ("Emulation.setEmulatedMedia", {"media": "", "features": _MEDIA}),
        ("Emulation.setLocaleOverride", {"locale": "en-US"}),
        ("Emulation.setTimezoneOverride", {"timezoneId": "UTC"}),
        ("Emulation.setUserAgentOverride", _agent(connection.version)),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": _ORDINARY}),
        # Kept up to date by the browser, roles and names cost 1 ms a look; asked for one by one they cost
        # 100.
        ("Accessibility.enable", {}),
        ("Runtime.runIfWaitingForDebugger", {}),
    ]
    await asyncio.gather(*(page.send(method, **params) for method, params in ready))
    return page


def _allow_headers(wanted: dict[str, str]) -> dict[str, str]:
    """The headers that allow a page to ask another origin what it wants to ask."""
    return {
        "Access-Control-Allow-Origin": wanted.get("origin", "*"),
        "Access-Control-Allow-Methods": wanted["access-control-request-method"],
        "Access-Control-Allow-Headers": wanted.get("access-control-request-headers", ""),
        "Access-Control-Allow-Credentials": "true",
    }


def well_formed(text: str) -> str:
    """The beginning of a text of the page, as one that every file and terminal takes: half a surrogate pair
    is no character."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8")


def _unknown(answer: dict[str, Any], name: str) -> bool:
    """Whether our own world does not know this function."""
    said = answer.get("exceptionDetails", {}).get("exception", {}).get("description", "")
    return str(said).startswith(f"ReferenceError: {name} is not defined")


async def _step(doing: Awaitable[T]) -> T:
    try:
        return await asyncio.wait_for(doing, STEP_SECONDS)
    except TimeoutError as error:
        raise PageFailed(f"The page did not answer within {STEP_SECONDS:g} s.") from error
