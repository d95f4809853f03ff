"""Pacing: how many requests a route may have in flight, learnt from how it answers.

A small state machine without a clock; every call is given the time. Worked by hand, with a ceiling of
64:

- It starts at 4. Each answer to a request that was sent while the route was full raises the limit by one, so
  the limit doubles with every round of answers: 4, 8, 16, 32, 64 (slow start). Each doubling waits until
  `crowding.py` has measured the one before: where twice as many requests bring no more answers, the limit
  goes back, for a server that answers one at a time to 1.
- A 429 halves the limit and ends slow start: 32 → 16. The other 429s of the same burst, to requests sent
  before that cut, say nothing new and cut nothing. From then on each answer to a full route adds 1/limit:
  about one more per round.
- A time-out takes the limit to a quarter: 64 → 16 → 4 → 1. A request that waited behind our own is alone by
  its fourth try.
- Where the limit is 64 and only 10 are in flight, answers prove nothing about 64, and the limit stays.
- A 429 that says "wait 7 s" closes the route for 7 s; answers still in flight arrive meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from probatio.ask.crowding import Crowding

START = 4.0
"""Small enough for the most careful free tier, four rounds away from 64."""

CUT_AFTER_429 = 2
CUT_AFTER_TIME_OUT = 4
"""A request may be tried six times in all; by quarters it has the server to itself long before the last."""


@dataclass(slots=True)
class Sent:
    """A request in flight: when it left, whether the route was full, how many were in flight with it."""

    at: float
    full: bool
    beside: int  # itself included, and those we no longer wait for but the server may still work on


@dataclass(slots=True)
class Pace:
    """The state of one route."""

    ceiling: int
    limit: float = field(default=START)
    in_flight: int = 0
    slow_start: bool = True
    last_cut: float = float("-inf")
    closed_until: float = float("-inf")
    answers: int = 0
    lost: int = 0  # trials that ended without an answer
    silent: int = 0  # time-outs in a row, without any reply between; those of one burst count once
    abandoned: int = 0  # timed out, and perhaps still before the others in the server's queue
    crowding: Crowding = field(init=False)

    def __post_init__(self) -> None:
        self.limit = min(self.limit, float(self.ceiling))
        self.crowding = Crowding(self.ceiling, self.limit)

    def may_send(self, now: float) -> bool:
        return self.in_flight < int(self.limit) and now >= self.closed_until

    def send(self, now: float) -> Sent:
        self.in_flight += 1
        return Sent(now, self.in_flight >= int(self.limit), self.in_flight + self.abandoned)

    def note_answer(self, request: Sent, now: float) -> None:
        """A reply that says nothing against our speed."""
        self.in_flight -= 1
        self.silent = 0
        self.answers += 1
        if request.at < self.last_cut:
            return
        self.abandoned = 0  # this one was sent after them, and is through
        if request.full:
            step = 1.0 if self.slow_start else 1.0 / self.limit
            self.limit = max(self.limit, min(self.crowding.reach, self.limit + step))
        self.limit = self.crowding.note_reply(self.limit, request.at, request.beside, request.full, now)

    def note_failure(self, *, replied: bool = False) -> None:
        """No reply, or one that says nothing about our speed."""
        self.in_flight -= 1
        if replied:
            self.silent = 0

    def note_throttling(self, request: Sent, now: float, wait: float | None) -> None:
        """A 429: go slower, and not before the time it names."""
        self.in_flight -= 1
        self.silent = 0
        self._cut(request, now, CUT_AFTER_429)
        if wait:
            self.closed_until = max(self.closed_until, now + wait)

    def note_time_out(self, request: Sent, now: float) -> None:
        """No reply within the time limit: perhaps our other requests stood before it."""
        self.in_flight -= 1
        self.abandoned += 1
        self.silent += self._cut(request, now, CUT_AFTER_TIME_OUT)

    def _cut(self, request: Sent, now: float, divisor: int) -> bool:
        if request.at < self.last_cut:
            return False
        self.limit = max(1.0, self.limit / divisor)
        self.slow_start = False
        self.last_cut = now
        self.crowding.cut(self.limit, now)
        return True
