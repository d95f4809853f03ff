"""Small checks together: answers that come within milliseconds travel to a worker in one frame.

A text is compared in microseconds, and a way to a worker and back costs a hundred. Limits hold for each
answer all the same: a frame that passes them, or fails, is taken apart and each of its checks is made alone.
"""

from __future__ import annotations

import asyncio

import msgspec

from probatio.core.errors import CannotCheck
from probatio.jail.workers.contract import Checks, Lane, Unchecked
from probatio.jail.workers.serving import find_function

LINGER_SECONDS = 0.005
"""So long the first check waits for others. A model takes a hundred times as long to answer."""
MOST_CHECKS = 64
MOST_BYTES = 1 << 20

_HERE = "probatio.jail.workers.together:check_here"


class _Frame(msgspec.Struct, frozen=True, array_like=True):
    function: str
    payloads: list[bytes]


_encode = msgspec.msgpack.Encoder().encode
_frame = msgspec.msgpack.Decoder(_Frame).decode
_replies = msgspec.msgpack.Decoder(list[bytes]).decode


class Together:
    """The checks of one function in one lane."""

    def __init__(self, pool: Checks, lane: Lane, function: str) -> None:
        self.pool = pool
        self._lane = lane
        self._function = function
        self._gathered: list[tuple[bytes, asyncio.Future[bytes]]] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sent: set[asyncio.Task[None]] = set()

    async def run(self, payload: bytes) -> bytes:
        """What the function makes of the payload; raises what `Checks.run` raises."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # what another loop left behind is waited for no more
            self._loop, self._timer, self._gathered, self._bytes = loop, None, [], 0
        turn: asyncio.Future[bytes] = loop.create_future()
        self._gathered.append((payload, turn))
        self._bytes += len(payload)
        if len(self._gathered) >= MOST_CHECKS or self._bytes >= MOST_BYTES:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_later(LINGER_SECONDS, self._send)
        return await turn

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        gathered = [each for each in self._gathered if not each[1].done()]
        self._timer, self._gathered, self._bytes = None, [], 0
        if gathered:
            sent = asyncio.get_running_loop().create_task(self._check(gathered))
            self._sent.add(sent)  # a task without a reference may be collected
            sent.add_done_callback(self._sent.discard)

    async def _check(self, gathered: list[tuple[bytes, asyncio.Future[bytes]]]) -> None:
        frame = _encode(_Frame(self._function, [payload for payload, _ in gathered]))
        try:
            if len(gathered) == 1:
                raise Unchecked
            replies = _replies(await self.pool.run(self._lane, _HERE, frame))
        except (Unchecked, CannotCheck):
            await asyncio.gather(*(self._alone(payload, turn) for payload, turn in gathered))
        except BaseException as error:
            for _, turn in gathered:
                if not turn.done():
                    turn.set_exception(error)
            if not isinstance(error, Exception):
                raise
        else:
            for (_, turn), reply in zip(gathered, replies, strict=True):
                if not turn.done():
                    turn.set_result(reply)

    async def _alone(self, payload: bytes, turn: asyncio.Future[bytes]) -> None:
        try:
            reply = await self.pool.run(self._lane, self._function, payload)
        except Exception as error:
            if not turn.done():
                turn.set_exception(error)
        else:
            if not turn.done():
                turn.set_result(reply)


def check_here(payload: bytes) -> bytes:
    """What the worker does: one check after the other. Whatever one raises ends the frame."""
    frame = _frame(payload)
    check = find_function(frame.function)
    return _encode([check(each) for each in frame.payloads])
