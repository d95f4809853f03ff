"""The pool: gives each check to a free worker of its lane, and ends a worker that is late.

Workers are started when there is something to check, and not before. Whatever a worker does, the engine goes
on: a check that can't be done within its limits, or that raises, is `Unchecked`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
from collections import deque
from itertools import count
from time import monotonic

import msgspec

from probatio.core.errors import Incomplete
from probatio.core.machine import count_cores
from probatio.core.python import python_command
from probatio.jail.workers.contract import Before, GraderFingerprint, Lane, Unchecked, read_frame
from probatio.jail.workers.wire import HEADER, LARGEST, LAST, READY, Fork, Kill, Order, encode_request

START_SECONDS = 180.0
"""Until a worker is there. Forking takes 5 ms; loading a lane's libraries before takes seconds, once."""
TRIES = 2
"""Workers that one check may end, unless it was by a limit: then one is enough."""
STARTS = 3
"""Workers that may end before they were there, until we say that none can be had."""
_CHUNK = 1 << 16


class _Gone(Exception):
    """The worker ended, by itself or by us."""


class _Idle(_Gone):
    """It had ended before it was given the check."""


class _Worker:
    """The engine's end of one worker: at most one check at a time."""

    def __init__(self, number: int, stream: socket.socket) -> None:
        self.number = number
        self.stream = stream
        self.kind = READY
        self._loop: asyncio.AbstractEventLoop | None = None
        self._held = bytearray()
        self._waiting: asyncio.Future[bytes] | None = None

    async def ask(self, request: bytes, seconds: float) -> bytes:
        """Send a request and wait for the reply, whose kind is then in `kind`. Raises _Gone, TimeoutError."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.remove_reader(self.stream)
            self._loop = loop
            loop.add_reader(self.stream, self._readable)
        waiting: asyncio.Future[bytes] = loop.create_future()
        self._waiting = waiting
        late = loop.call_later(seconds, self._late)
        try:
            try:
                sent = self.stream.send(request) if request else 0
            except BlockingIOError:
                sent = 0
            except OSError:
                raise _Idle from None
            if sent < len(request):
                try:
                    async with asyncio.timeout(START_SECONDS):
                        await loop.sock_sendall(self.stream, request[sent:])
                except OSError:
                    raise _Gone from None
            return await waiting
        finally:
            late.cancel()
            self._waiting = None

    def close(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self.stream)
        self.stream.close()

    def _late(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(TimeoutError())

    def _readable(self) -> None:
        try:
            data = self.stream.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._held += data
        size = HEADER.unpack_from(self._held)[1] if len(self._held) >= HEADER.size else 0
        if data and len(self._held) < HEADER.size + min(size, LARGEST + 1):
            return
        waiting, held = self._waiting, bytes(self._held)
        self._held.clear()
        if not data and self._loop is not None:
            self._loop.remove_reader(self.stream)
        if waiting is None or waiting.done():
            return
        if not data or size > LARGEST:
            waiting.set_exception(_Gone())
        else:
            self.kind = held[0]
            waiting.set_result(held[HEADER.size :])


class _Places:
    """The workers of one lane: who is free, how many there are, who waits for one."""

    def __init__(self) -> None:
        self.free: list[_Worker] = []
        self.taken = 0
        self.queue: deque[asyncio.Future[None]] = deque()


class Pool:
    """All workers of a process. Used from one event loop at a time."""

    ahead = 256

    def __init__(self, on_cores: int | None = None) -> None:
        self.cores = on_cores or count_cores()
        self.env = dict(os.environ)
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._places: dict[Lane, _Places] = {}
        self._numbers = count(1)

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Before = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        """What `function` makes of the payload, as the contract says; `grader` is our own."""
        asked = encode_request(function, payload)
        places = await self._place(lane)
        worker: _Worker | None = None
        ended = 0
        try:
            if before is not None:
                before()
            while True:
                worker = places.free.pop() if places.free else await self._start_worker(lane)
                began = monotonic()
                try:
                    reply = await worker.ask(asked, lane.seconds)
                    break
                except _Gone as gone:
                    # One that was ended from outside, idle or with its nursery, says nothing of the answer.
                    alone = self._nursery is None or self._nursery.poll() is not None
                    outside = isinstance(gone, _Idle) or alone
                    # One that is gone sooner than its CPU could be used up was not ended by that limit.
                    by_limit = not outside and monotonic() - began >= lane.cpu_seconds
                    self._end(worker)
                    worker = None
                    ended += 1
                    if ended < TRIES and not by_limit:
                        continue
                    raise Unchecked(
                        _within(lane) if by_limit or outside else f"it ended {ended} workers"
                    ) from None
                except TimeoutError:
                    raise Unchecked(_within(lane)) from None
            kind = worker.kind & ~LAST
            if kind == worker.kind:  # it stays
                places.free.append(worker)
                worker = None
        finally:
            if worker is not None:  # it leaves, it is late, or its check was cancelled
                self._end(worker)
            self._leave(places)
        return read_frame(kind, reply)

    def close(self) -> None:
        """End all workers; the next check starts new ones."""
        for places in self._places.values():
            for worker in places.free:
                worker.close()
        self._places.clear()
        if self._control is not None:
            self._control.close()
            self._control = None
        nursery, self._nursery = self._nursery, None
        if nursery is not None:
            try:
                nursery.wait(5)
            except subprocess.TimeoutExpired:
                nursery.kill()
                nursery.wait()

    async def _place(self, lane: Lane) -> _Places:
        """A place among the lane's workers, when it is one's turn."""
        places = self._places.setdefault(lane, _Places())
        if places.taken < lane.places(self.cores):
            places.taken += 1
            return places
        turn = asyncio.get_running_loop().create_future()
        places.queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(places)
            raise
        return places

    def _leave(self, places: _Places) -> None:
        while places.queue:
            turn = places.queue.popleft()
            if not turn.done() and not turn.get_loop().is_closed():
                turn.set_result(None)
                return
        places.taken -= 1

    async def _start_worker(self, lane: Lane) -> _Worker:
        for _ in range(STARTS):
            worker = self._fork(lane)
            try:
                await worker.ask(b"", START_SECONDS)
                return worker
            except (_Gone, TimeoutError):
                self._end(worker)
            except BaseException:
                self._end(worker)
                raise
        raise Incomplete("No process can be started that checks answers; is there enough memory?")

    def _fork(self, lane: Lane) -> _Worker:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        worker = _Worker(next(self._numbers), ours)
        order = Fork(worker.number, lane.cpu_seconds, lane.memory_mb, lane.checks, lane.warm)
        with theirs:
            self._tell(order, [theirs.fileno()])
        return worker

    def _end(self, worker: _Worker) -> None:
        worker.close()
        if self._control is not None:
            self._tell(Kill(worker.number), [])

    def _tell(self, order: Order, fds: list[int]) -> None:
        if self._nursery is None or self._nursery.poll() is not None:
            if isinstance(order, Kill):
                return
            self._start_nursery()
        assert self._control is not None
        with contextlib.suppress(OSError):  # a nursery that is gone shows itself by its workers' streams
            socket.send_fds(self._control, [msgspec.msgpack.encode(order)], fds)

    def _start_nursery(self) -> None:
        if self._control is not None:
            self._control.close()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # A session of its own: Ctrl-C is the engine's alone.
        with theirs:
            self._nursery = subprocess.Popen(
                python_command("-m", "probatio.jail.workers.nursery", str(theirs.fileno())),
                pass_fds=[theirs.fileno()], start_new_session=True, env={**self.env, **_ONE_THREAD},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip


_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A nursery with a second thread could not fork safely, and numpy would start some."""


def _within(lane: Lane) -> str:
    return f"the check did not end within its limits ({lane.limits})"
