"""The gate in front of the routes: requests wait here until the pace of their route and the total allow them.

A waiter is given a place, not only woken to look for one. So a free place wakes exactly one waiter, in the
order in which they came: always within a route, and between routes if they wait for the total.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from probatio.ask.pacing import Pace, Sent


class GateClosed(Exception):
    """The run is stopping, or the route is given up: nothing more may be sent."""


@dataclass(slots=True)
class _Waiter:
    """One waiter."""

    number: int  # in the order in which they came
    place: asyncio.Future[Sent | None]  # None: turned away


@dataclass(slots=True)
class _Entrance:
    """One route: its pace and its waiters."""

    pace: Pace
    queue: deque[_Waiter] = field(default_factory=deque)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    reopening: asyncio.TimerHandle | None = None


class Gate:
    """One pace per route and one ceiling over all of them. Lives on one event loop."""

    def __init__(self, ceiling: int, clock: Callable[[], float] | None = None) -> None:
        self._ceiling = ceiling
        self._clock = clock or asyncio.get_running_loop().time
        self._routes: dict[str, _Entrance] = {}
        self._numbers = count()
        self._closed = False
        self.in_flight = 0
        self.woken = 0  # waiters so far; each is woken once

    def pace(self, route_key: str, max_in_flight: int | None = None) -> Pace:
        if route_key not in self._routes:
            entrance = _Entrance(Pace(min(self._ceiling, max_in_flight or self._ceiling)))
            if self._closed:
                entrance.closed.set()
            self._routes[route_key] = entrance
        return self._routes[route_key].pace

    @property
    def limit(self) -> int:
        """How many requests may be in flight now, all routes together."""
        return min(self._ceiling, sum(int(route.pace.limit) for route in self._routes.values()))

    def reopens_in(self) -> float:
        """Seconds until the last route that its server asked to pause opens again; 0 if none is paused."""
        now = self._clock()
        left = (route.pace.closed_until - now for route in self._routes.values() if not route.closed.is_set())
        return max(0.0, max(left, default=0.0))

    async def enter(self, route_key: str) -> Sent:
        """Wait for a place; first come, first served within a route."""
        route = self._routes[route_key]
        if route.closed.is_set():
            raise GateClosed
        now = self._clock()
        if not route.queue and self._has_room(route.pace, now):
            return self._take_place(route)
        waiter = _Waiter(next(self._numbers), asyncio.get_running_loop().create_future())
        route.queue.append(waiter)
        self._call_when_reopened(route, now)
        try:
            sent = await waiter.place
        except asyncio.CancelledError:
            if waiter in route.queue:
                route.queue.remove(waiter)
            elif waiter.place.done() and not waiter.place.cancelled() and waiter.place.result():
                route.pace.note_failure()
                self._leave(route)
            raise
        if sent is None:
            raise GateClosed
        return sent

    async def pause(self, route_key: str, seconds: float) -> None:
        """Wait before a retry; cut short when the gate or the route closes."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._routes[route_key].closed.wait(), seconds)

    def close(self, route_key: str | None = None) -> None:
        """Close all routes, or one. Waiters are turned away; requests in flight are finished."""
        if route_key is None:
            self._closed = True
        for route in self._routes.values() if route_key is None else (self._routes[route_key],):
            route.closed.set()
            while _has_waiting(route):
                self._wake(route.queue.popleft(), None)

    def note_answer(self, route_key: str, request: Sent) -> None:
        route = self._routes[route_key]
        route.pace.note_answer(request, self._clock())
        self._leave(route)

    def note_failure(self, route_key: str, *, replied: bool = False) -> None:
        route = self._routes[route_key]
        route.pace.note_failure(replied=replied)
        self._leave(route)

    def note_throttling(self, route_key: str, request: Sent, wait: float | None) -> bool:
        """True if the route now stays closed over a second longer. The 429s of one burst count once."""
        route = self._routes[route_key]
        before = route.pace.closed_until
        route.pace.note_throttling(request, self._clock(), wait)
        self._leave(route)
        return route.pace.closed_until > max(before, self._clock()) + 1

    def note_time_out(self, route_key: str, request: Sent) -> int:
        """How many time-outs in a row the route has had."""
        route = self._routes[route_key]
        route.pace.note_time_out(request, self._clock())
        self._leave(route)
        return route.pace.silent

    def count_lost(self, route_key: str) -> int:
        """Count a trial without an answer: how many there are, on a route that never gave one."""
        pace = self._routes[route_key].pace
        pace.lost += 1
        return 0 if pace.answers else pace.lost

    def _has_room(self, pace: Pace, now: float) -> bool:
        return self.in_flight < self._ceiling and pace.may_send(now)

    def _take_place(self, route: _Entrance) -> Sent:
        self.in_flight += 1
        return route.pace.send(self._clock())

    def _leave(self, route: _Entrance) -> None:
        was_full = self.in_flight >= self._ceiling
        self.in_flight -= 1
        self._admit(route)
        if was_full:  # another route may have waited for this place
            while self.in_flight < self._ceiling and (other := self._longest_waiting()):
                self._wake(other.queue.popleft(), self._take_place(other))

    def _admit(self, route: _Entrance) -> None:
        """Give free places to the waiters of this route, unless another has waited longer for the last."""
        now = self._clock()
        while _has_waiting(route) and self._has_room(route.pace, now):
            if self.in_flight == self._ceiling - 1 and self._longest_waiting() is not route:
                return
            self._wake(route.queue.popleft(), self._take_place(route))
        if route.queue:
            self._call_when_reopened(route, now)

    def _longest_waiting(self) -> _Entrance | None:
        """The route with room whose first in line came first."""
        now = self._clock()
        able = (
            route
            for route in self._routes.values()
            if _has_waiting(route) and self._has_room(route.pace, now)
        )
        return min(able, key=lambda route: route.queue[0].number, default=None)

    def _wake(self, waiter: _Waiter, sent: Sent | None) -> None:
        self.woken += 1
        waiter.place.set_result(sent)

    def _call_when_reopened(self, route: _Entrance, now: float) -> None:
        """One timer per route, for the end of the wait that the server asked for. `now` is when it was found
        closed: at a later look at the clock it may be open, and no waiter would be called."""
        delay = route.pace.closed_until - now
        if delay <= 0 or (route.reopening is not None and not route.reopening.cancelled()):
            return

        def reopen() -> None:
            route.reopening = None
            self._admit(route)

        route.reopening = asyncio.get_running_loop().call_later(delay, reopen)


def _has_waiting(route: _Entrance) -> bool:
    """Whether there is a waiter; a cancelled one that has not left yet does not count."""
    while route.queue and route.queue[0].place.done():
        route.queue.popleft()
    return bool(route.queue)
