"""One page, open in a browser's tab. We answer all its requests, and we look at it from where its scripts can't reach."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Request, Route
    from playwright.async_api import Page as Tab

T = TypeVar("T")

ADDRESS = "https://page.test/"
"""The page's address. It needs one of its own to have storage; the content comes from us, not from a network."""

WORLD = "probatio"
"""The JavaScript world of our scripts. Of the page's own globals it has none."""

STEP_SECONDS = 10.0
"""For one load, look or key press. They take milliseconds; a page that takes longer than this hangs."""

MOST_KEPT = 200
"""Errors and requests of a page that are kept, of each kind. A page with so many is without credit for having none."""
LONGEST = 200
"""Characters of a message that are kept."""
FLOOD = 2000
"""Messages and requests of a page in all. A page that sends more is in a loop, and each costs us time: it is given up."""

# Run before the page's own scripts. Random numbers are the same each time, and the window looks like that of an ordinary
# browser: a headless one would show that it has no frame and no network.
_ORDINARY = """(() => {
  let seed = 1;
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const set = (owner, name, get) => Object.defineProperty(owner, name, { get, configurable: true });
  set(window, "outerWidth", () => window.innerWidth);
  set(window, "outerHeight", () => window.innerHeight + 85);
  set(Navigator.prototype, "onLine", () => true);
})()"""


class PageFailed(Exception):
    """The page itself failed: it never finished loading, it crashed, or it went away. The message goes into the breakdown."""


class OpenPage:
    """An open page. Our scripts run in a JavaScript world of their own, so that nothing the page redefines is used by us."""

    def __init__(self, tab: Tab, session: CDPSession) -> None:
        self.tab = tab
        self.session = session
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why there is no going on with it, once there is none."""
        self.flooded = False
        self._events = 0
        self._world: int | None = None
        self._frame = ""
        self._names: dict[str, str] = {}

    def note(self, kept: list[str], text: str | None) -> None:
        """One more message or request of the page; what it says is kept within bounds, as text that can be written."""
        self._events += 1
        if text is not None and len(kept) < MOST_KEPT:
            kept.append(well_formed(text))
        if self._events > FLOOD:
            self.flooded = True
            self.end(f"The page sent more than {FLOOD:,} messages and requests.")

    def end(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)

    async def load(self, width: int, height: int) -> None:
        """Open the page anew in a window of this size."""
        from playwright.async_api import Error, TimeoutError

        self._world = None
        await self.tab.set_viewport_size({"width": width, "height": height})
        try:
            await self.tab.goto(ADDRESS, wait_until="load", timeout=STEP_SECONDS * 1000)
        except TimeoutError as error:
            raise PageFailed(f"The page did not finish loading within {STEP_SECONDS:g} s.") from error
        except Error as error:
            # A page may send itself elsewhere while it loads; what is then shown is what counts.
            if "interrupted by another navigation" not in str(error) and "ERR_" not in str(error):
                raise

    async def evaluate(self, script: str, argument: object = None) -> Any:
        """The value of a function, called in our own world of the page. Its text is sent once; each document begins with it."""
        from playwright.async_api import Error

        name = self._names.get(script)
        known = name is not None
        if name is None:
            name = self._names[script] = f"probatioScript{len(self._names)}"
            source = {"source": f"globalThis.{name} = {script}", "worldName": WORLD}
            await _step(self.session.send("Page.addScriptToEvaluateOnNewDocument", source))
        whole = f"(globalThis.{name} ??= {script})({json.dumps(argument)})"
        call = f"{name}({json.dumps(argument)})" if known else whole
        for fresh in (False, True):
            try:
                answer = await self._called(call, fresh)
                if known and _unknown(
                    answer, name
                ):  # a document that began without us, such as the empty one of a new tab
                    answer = await self._called(whole, fresh=False)
            except Error as error:
                if fresh or "context" not in str(error):
                    raise
                continue
            if "exceptionDetails" in answer:
                reason = answer["exceptionDetails"].get("exception", {}).get("description", "no reason given")
                raise PageFailed(f"The page could not be examined: {well_formed(str(reason))}")
            return answer["result"].get("value")
        raise AssertionError("unreachable")

    async def _called(self, expression: str, fresh: bool) -> dict[str, Any]:
        """What the browser says to this expression in our own world of the document that is there now."""
        if not self._frame or fresh:
            self._frame = (await _step(self.session.send("Page.getFrameTree")))["frameTree"]["frame"]["id"]
        if self._world is None or fresh:
            world = {"frameId": self._frame, "worldName": WORLD}
            self._world = (await _step(self.session.send("Page.createIsolatedWorld", world)))["executionContextId"]
        call = {"contextId": self._world, "expression": expression, "returnByValue": True, "awaitPromise": True}
        return await _step(self.session.send("Runtime.evaluate", call))

    async def click(self, x: float, y: float) -> None:
        await _step(self.tab.mouse.click(x, y))

    async def press(self, key: str) -> None:
        await _step(self.tab.keyboard.press(key))

    async def insert(self, text: str) -> None:
        await _step(self.tab.keyboard.insert_text(text))


async def fresh_context(browser: Browser) -> BrowserContext:
    major = browser.version.partition(".")[0]
    return await browser.new_context(
        offline=True,
        accept_downloads=False,
        service_workers="block",
        color_scheme="light",
        reduced_motion="reduce",
        locale="en-US",
        timezone_id="UTC",
        user_agent=f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36",
    )


async def opened(context: BrowserContext, html: str) -> OpenPage:
    """A tab whose every request is answered by us: with the page for its own address, with a refusal for all others."""
    await context.add_init_script(_ORDINARY)
    tab = await context.new_page()
    page = OpenPage(tab, await context.new_cdp_session(tab))
    # Kept up to date by the browser, roles and names cost 1 ms a look; asked for one by one they cost 100.
    await page.session.send("Accessibility.enable")
    body = html.encode("utf-8", "replace")

    async def answer(route: Route, request: Request) -> None:
        if request.url.partition("?")[0].partition("#")[0] == ADDRESS and request.is_navigation_request():
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=body)
            return
        page.note(page.requests, None if request.url.endswith("/favicon.ico") else request.url)
        if not page.flooded:
            await route.abort()

    def on_console(message: ConsoleMessage) -> None:
        ours = message.type != "error" or message.text.startswith("Failed to load resource")
        page.note(page.errors, None if ours else message.text)

    tab.on("crash", lambda _: page.end("The page crashed."))
    tab.on("pageerror", lambda error: page.note(page.errors, str(error)))
    tab.on("console", on_console)
    context.on("page", lambda other: asyncio.ensure_future(other.close()) if other is not tab else None)
    await context.route("**/*", answer)
    return page


def well_formed(text: str) -> str:
    """The beginning of a text of the page, as one that every file and terminal takes: half a surrogate pair is no character."""
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
