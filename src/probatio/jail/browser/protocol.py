"""The DevTools protocol over the two pipes of a Chromium that we started: commands, their results, and
events."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
from collections.abc import Callable
from typing import Any

import msgspec

from probatio.core import jsonfile
from probatio.jail.browser.chromium import BrowserCommand

Event = Callable[[str, dict[str, Any]], None]
"""Takes an event: its name and what it says."""
Tab = Callable[[str, str], None]
"""Takes a new tab of a context: its session and its target. It waits for us before it does anything."""

MOST_SAID = 8192
"""Bytes of the browser's own messages that are kept, to tell why it did not start."""
EXIT_SECONDS = 5.0
_ABOVE = 10  # handles that we hand over are moved here first, so that one is not overwritten by the other


class ProtocolError(Exception):
    """The browser refused a command, or what it was meant for has gone."""


class CannotStart(Exception):
    """The browser did not start. The message is what it printed."""


class _ProtocolMessage(msgspec.Struct):
    """A message of the browser: the result of a command, or an event."""

    id: int | None = None
    method: str = ""
    params: dict[str, Any] = {}
    result: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    sessionId: str = ""  # noqa: N815 - the protocol's own name


class _Waiting(msgspec.Struct):
    answer: asyncio.Future[dict[str, Any]]
    method: str
    session: str


class Connection:
    """A running browser and the pipes to it. Belongs to one event loop."""

    def __init__(self, pid: int, write: int) -> None:
        self.pid = pid
        self.alive = True
        self.said = b""
        """The beginning of what the browser printed."""
        self.version = ""
        self._write = write
        self._unsent: list[bytes] = []
        self._number = 0
        self._waiting: dict[int, _Waiting] = {}
        self._listeners: dict[str, Event] = {"": self._own_event}
        self._followers: dict[str, Tab] = {}
        self._loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[None] | None = None

    def listen(self, session: str, event: Event) -> None:
        """Hand every event of a session to `event`."""
        self._listeners[session] = event

    def forget(self, session: str) -> None:
        """Stop listening to a session; what waits for it fails."""
        self._listeners.pop(session, None)
        for number, waiting in list(self._waiting.items()):
            if waiting.session == session:
                self._fail(number, "Target closed")

    def follow(self, context: str, tab: Tab) -> None:
        """Hand every new tab of a context to `tab`."""
        self._followers[context] = tab

    def unfollow(self, context: str) -> None:
        self._followers.pop(context, None)

    def _own_event(self, method: str, said: dict[str, Any]) -> None:
        if method == "Target.attachedToTarget":
            target = said["targetInfo"]
            if (follower := self._followers.get(target.get("browserContextId", ""))) and target[
                "type"
            ] == "page":
                follower(said["sessionId"], target["targetId"])
            else:
                self.post("Runtime.runIfWaitingForDebugger", said["sessionId"])

    def send(self, method: str, session: str = "", **params: object) -> asyncio.Future[dict[str, Any]]:
        """Send a command; its result may be awaited. Commands are carried out in the order they are sent."""
        self._number += 1
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._waiting[self._number] = _Waiting(answer, method, session)
        if not self.alive:
            self._fail(self._number, "the browser has ended")
            return answer
        message: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._unsent.append(msgspec.json.encode(message) + b"\0")
        if len(self._unsent) == 1:
            self._flush()
        return answer

    def post(self, method: str, session: str = "", **params: object) -> None:
        """Send a command whose result is not needed, and which may come too late."""
        self.send(method, session, **params).add_done_callback(_ignore)

    async def close(self) -> None:
        """End the browser, by force where it does not go by itself."""
        if self.alive:
            self.post("Browser.close")
            await self._wait_for_exit(EXIT_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        await self._wait_for_exit(EXIT_SECONDS)
        self.drop_waiting()

    async def _wait_for_exit(self, seconds: float) -> None:
        if self._exited is None:
            self._exited = asyncio.ensure_future(self._loop.run_in_executor(None, _reap, self.pid))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._exited), seconds)

    def drop_waiting(self) -> None:
        """The browser has ended: nothing that waits will be answered."""
        if self.alive:
            self.alive = False
            self._loop.remove_writer(self._write)
            os.close(self._write)
        for number in list(self._waiting):
            self._fail(number, "the browser has ended")

    def on_message(self, text: bytes) -> None:
        try:
            message = jsonfile.decode_mended(text, _ProtocolMessage)
        except msgspec.DecodeError:
            return  # nothing of the protocol: who waits for an answer waits until its time is over
        if message.id is None:
            listener = self._listeners.get(message.sessionId)
            if listener is not None:
                listener(message.method, message.params)
        elif message.error is not None:
            self._fail(message.id, str(message.error.get("message", "")))
        elif (waiting := self._waiting.pop(message.id, None)) and not waiting.answer.done():
            waiting.answer.set_result(message.result)

    def _fail(self, number: int, why: str) -> None:
        waiting = self._waiting.pop(number, None)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_exception(ProtocolError(f"Protocol error ({waiting.method}): {why}"))

    def _flush(self) -> None:
        """Write as much as the pipe takes; the rest when it has room again."""
        while self._unsent:
            try:
                written = os.write(self._write, self._unsent[0])
            except BlockingIOError:
                self._loop.add_writer(self._write, self._flush)
                return
            except OSError:
                self.drop_waiting()
                return
            if written < len(self._unsent[0]):
                self._unsent[0] = self._unsent[0][written:]
            else:
                self._unsent.pop(0)
        self._loop.remove_writer(self._write)


class _Messages(asyncio.Protocol):
    """Cuts what comes from the browser into messages, each of which ends with a zero byte."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._parts: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        first, *others = data.split(b"\0")
        self._parts.append(first)
        for part in others:
            self._connection.on_message(b"".join(self._parts))
            self._parts = [part]

    def connection_lost(self, error: Exception | None) -> None:
        self._connection.drop_waiting()


class _ConsoleCall(asyncio.Protocol):
    """What the browser prints: the beginning is kept, the rest is read and dropped."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def data_received(self, data: bytes) -> None:
        kept = self._connection.said
        self._connection.said = kept + data[: MOST_SAID - len(kept)]


async def connect(start: BrowserCommand, seconds: float) -> Connection:
    """Start a browser and wait until it answers. Raises CannotStart where it does not."""
    pid, write, read, said = _start(start)
    connection = Connection(pid, write)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: _Messages(connection), os.fdopen(read, "rb", 0))
    await loop.connect_read_pipe(lambda: _ConsoleCall(connection), os.fdopen(said, "rb", 0))
    try:
        told = await asyncio.wait_for(connection.send("Browser.getVersion"), seconds)
        await connection.send(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )
    except (ProtocolError, TimeoutError) as error:
        await connection.close()
        printed = connection.said.decode("utf-8", "replace").strip()
        raise CannotStart(printed or str(error) or f"it did not answer within {seconds:g} s") from error
    connection.version = str(told["product"]).partition("/")[2]
    return connection


def _start(start: BrowserCommand) -> tuple[int, int, int, int]:
    """Start the process; its id, and our ends of the pipes: to write commands, to read messages, to read what
    it prints."""
    theirs_in, write = os.pipe()
    read, theirs_out = os.pipe()
    said, says = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    handed = {0: nothing, 1: nothing, 2: says, 3: theirs_in, 4: theirs_out}  # 3 and 4 are the browser's rule
    moved = {number: fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for number, handle in handed.items()}
    try:
        pid = os.posix_spawn(
            start.executable,
            [start.executable, *start.arguments],
            start.env,
            file_actions=[(os.POSIX_SPAWN_DUP2, handle, number) for number, handle in moved.items()],
            setsid=True,
        )
    finally:
        for handle in {*handed.values(), *moved.values()}:
            os.close(handle)
    os.set_blocking(write, False)
    return pid, write, read, said


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _ignore(answer: asyncio.Future[Any]) -> None:
    if not answer.cancelled():
        answer.exception()


def format_console(said: list[dict[str, Any]]) -> str:
    """The arguments of a console call, one after the other."""
    return " ".join(_format_value(one) for one in said)


def format_error(details: dict[str, Any]) -> str:
    """The message of an uncaught error, without the error's name and without its stack."""
    thrown = details.get("exception")
    if not thrown:
        return str(details.get("text", ""))
    whole = str(thrown.get("description") or _format_value(thrown))
    lines = whole.split("\n")
    stack = next((place for place, line in enumerate(lines) if line.startswith("    at")), len(lines))
    message = "\n".join(lines[:stack])
    _, colon, rest = message.partition(":")
    return rest[1:] if colon and rest else message


def _format_value(thing: dict[str, Any]) -> str:
    if thing.get("type") == "undefined":
        return "undefined"
    if "value" in thing:
        value = thing["value"]
        return (
            {True: "true", False: "false"}[value]
            if isinstance(value, bool)
            else "null"
            if value is None
            else str(value)
        )
    if "unserializableValue" in thing:
        return str(thing["unserializableValue"])
    preview = thing.get("preview")
    if preview and thing.get("description") == "Object":
        return "{" + ", ".join(f"{one['name']}: {one.get('value')}" for one in preview["properties"]) + "}"
    if preview and thing.get("subtype") == "array":
        return "[" + ", ".join(str(one.get("value")) for one in preview["properties"]) + "]"
    return str(thing.get("description", ""))
