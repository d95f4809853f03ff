"""The gate in front of the routes: requests wait here until the pace of their route and the total allow them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable

from probatio.ask.pacing import Pace, Sent


class GateClosed(Exception):
    """The run is stopping: nothing more may be sent."""


class Gate:
    """One pace per route and one ceiling over all of them. Lives on one event loop."""

    def __init__(self, ceiling: int, clock: Callable[[], float] | None = None) -> None:
        self._ceiling = ceiling
        self._clock = clock or asyncio.get_running_loop().time
        self._paces: dict[str, Pace] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._closed = asyncio.Event()
        self.in_flight = 0

    def pace(self, route_key: str, max_in_flight: int | None = None) -> Pace:
        if route_key not in self._paces:
            self._paces[route_key] = Pace(min(self._ceiling, max_in_flight or self._ceiling))
            self._waiting[route_key] = deque()
        return self._paces[route_key]

    @property
    def limit(self) -> int:
        """How many requests may be in flight now, all routes together."""
        return min(self._ceiling, sum(int(pace.limit) for pace in self._paces.values()))

    async def enter(self, route_key: str) -> Sent:
        """Wait for a place; first come, first served within a route."""
        pace, queue = self._paces[route_key], self._waiting[route_key]
        while self._closed.is_set() or queue or not self._open(pace):
            if self._closed.is_set():
                raise GateClosed
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            queue.append(turn)
            self._wake_when_reopened(pace, route_key)
            try:
                await turn
            except asyncio.CancelledError:
                if turn in queue:
                    queue.remove(turn)
                else:
                    self._wake(route_key)
                raise
            if self._open(pace) and not self._closed.is_set():
                break
        self.in_flight += 1
        return pace.sent(self._clock())

    async def pause(self, seconds: float) -> None:
        """Wait before a retry; cut short when the gate closes."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """Let nothing more through: whoever waits is turned away, what is in flight comes home."""
        self._closed.set()
        for queue in self._waiting.values():
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)

    def answered(self, route_key: str, request: Sent) -> None:
        self._paces[route_key].answered(request)
        self._left()

    def failed(self, route_key: str) -> None:
        self._paces[route_key].failed()
        self._left()

    def throttled(self, route_key: str, request: Sent, wait: float | None) -> None:
        self._paces[route_key].throttled(request, self._clock(), wait)
        self._left()

    def _open(self, pace: Pace) -> bool:
        return self.in_flight < self._ceiling and pace.may_send(self._clock())

    def _left(self) -> None:
        self.in_flight -= 1
        for route_key in self._waiting:
            self._wake(route_key)

    def _wake(self, route_key: str) -> None:
        """Let in as many as there is room for; each checks again when its turn comes."""
        pace, queue = self._paces[route_key], self._waiting[route_key]
        room = min(int(pace.limit) - pace.in_flight, self._ceiling - self.in_flight)
        if queue and pace.closed_until > self._clock():
            self._wake_when_reopened(pace, route_key)
            return
        while queue and room > 0:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1

    def _wake_when_reopened(self, pace: Pace, route_key: str) -> None:
        delay = pace.closed_until - self._clock()
        if delay > 0:
            asyncio.get_running_loop().call_later(delay, self._wake, route_key)
