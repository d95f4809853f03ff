"""Pacing: how many requests a route may have in flight, learnt from how it answers.

A small state machine with no clock of its own; every call is told the time. Worked by hand, with a ceiling of 64:

- It starts at 4. Each answer to a request that was sent while the route was full raises the limit by one, so the limit
  doubles with every round of answers: 4, 8, 16, 32, 64 (slow start).
- A 429 halves the limit and ends slow start: 32 → 16. The other 429s of the same burst, to requests sent before that cut,
  say nothing new and cut nothing. From then on each answer to a full route adds 1/limit: about one more per round.
- Where the limit is 64 and only 10 are in flight, answers prove nothing about 64, and the limit stays.
- A 429 that says "wait 7 s" closes the route for 7 s; answers still in flight arrive meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field

START = 4.0
"""Small enough for the most careful free tier, four rounds away from 64."""


@dataclass(slots=True)
class Sent:
    """One request in flight: when it left and whether the route was full then."""

    at: float
    full: bool


@dataclass(slots=True)
class Pace:
    """The state of one route."""

    ceiling: int
    limit: float = field(default=START)
    in_flight: int = 0
    slow_start: bool = True
    last_cut: float = float("-inf")
    closed_until: float = float("-inf")

    def __post_init__(self) -> None:
        self.limit = min(self.limit, float(self.ceiling))

    def may_send(self, now: float) -> bool:
        return self.in_flight < int(self.limit) and now >= self.closed_until

    def sent(self, now: float) -> Sent:
        self.in_flight += 1
        return Sent(now, full=self.in_flight >= int(self.limit))

    def answered(self, request: Sent) -> None:
        """A reply that says nothing against our speed."""
        self.in_flight -= 1
        if request.full and request.at >= self.last_cut:
            step = 1.0 if self.slow_start else 1.0 / self.limit
            self.limit = min(float(self.ceiling), self.limit + step)

    def failed(self) -> None:
        """No reply, or one that says nothing about our speed."""
        self.in_flight -= 1

    def throttled(self, request: Sent, now: float, wait: float | None) -> None:
        """A 429: go slower, and not before the time it names."""
        self.in_flight -= 1
        if request.at >= self.last_cut:
            self.limit = max(1.0, self.limit / 2)
            self.slow_start = False
            self.last_cut = now
        if wait:
            self.closed_until = max(self.closed_until, now + wait)
