"""Crowding: whether more requests at once bring more answers; if not, a route goes back to fewer.

By Little's law, answers per second are requests in flight over the seconds of one. So each reply tells
something: of requests that left with n in flight and took w seconds, the rate is Σn / Σw. Worked by hand:

- A server that answers one at a time, 0.3 s each: with 4 in flight a reply takes 1.2 s, with 8 it takes 2.4
  s. The rate stays at 3.3 per second: crowded. Half as many are tried, 4, 2, 1, as long as the rate stays
  above four fifths. It settles at 1.
- A server with room for 16, 2 s each: 8 in flight give 4 per second, 16 give 8, 32 give 8 again: crowded. 16
  do as well; 8 do not, so it settles at 16.
- A server with room for all: the rate doubles with every doubling, and nothing is ever cut.

What is settled is tried again after a while with twice as many; each time that was of no use, the next try
comes later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

FIRST = 4
"""Replies that make the first measure; those to the requests with which a route starts."""

SAMPLES = 8
"""The fewest replies in any later measure. A measure of n in flight takes n."""

WORTH = 1.27
"""Twice as many requests must bring this much more. Answers differ in length: of a measure of eight, a
quarter is chance."""

AS_GOOD = 0.8
"""Half as many requests do as well if they keep this share of the rate."""

FAST = 0.1
"""Seconds. Where replies take less, no request waits for another, and what we measure is our own work."""

PATIENCE = 32
MOST_PATIENCE = 1024
"""Replies before a settled route is tried again with twice as many."""

Mode = Literal["climbing", "descending", "settled", "trying"]


@dataclass(slots=True)
class Measure:
    """Replies to requests that were sent since a moment, while the route was full."""

    since: float = float("-inf")
    count: int = 0
    in_flight: float = 0.0
    seconds: float = 0.0

    def add(self, beside: int, seconds: float) -> None:
        self.count += 1
        self.in_flight += beside
        self.seconds += seconds

    @property
    def level(self) -> float:
        return self.in_flight / self.count

    @property
    def rate(self) -> float:
        return self.in_flight / self.seconds if self.seconds > 0 else float("inf")

    @property
    def fast(self) -> bool:
        return self.seconds < FAST * self.count


@dataclass(slots=True)
class Crowding:
    """The state of one route. `reach`: how far its limit may grow before the next measure is made."""

    ceiling: int
    start: float
    mode: Mode = "climbing"
    reach: float = field(init=False)
    _measure: Measure = field(default_factory=Measure)
    _reference: Measure | None = None  # what is to be bettered, or kept
    _accepted: Measure | None = None  # the last level of a descent that did as well
    _waited: int = 0
    _patience: int = PATIENCE

    def __post_init__(self) -> None:
        self.reach = min(float(self.ceiling), 2 * self.start)

    def note_reply(self, limit: float, sent: float, beside: int, full: bool, now: float) -> float:
        """The limit after a reply."""
        measure = self._measure
        if sent <= measure.since:
            return limit
        first = self._reference is None and self.mode == "climbing"
        if not full and not first:
            return limit
        if self.mode == "settled":
            return self._wait(limit, now)
        measure.add(beside, now - sent)
        if measure.count < (FIRST if first else max(SAMPLES, int(limit))):
            return limit
        self._measure = Measure(now)
        return self._judge(measure, limit)

    def cut(self, limit: float, now: float) -> None:
        """The route was cut for another reason; what was measured before says nothing about it now."""
        self._measure, self._waited = Measure(now), 0
        if self.mode == "climbing":
            self._reference = None
            self.reach = min(float(self.ceiling), max(2 * limit, self.start))
        else:
            self.mode, self.reach = "settled", limit

    def _judge(self, measure: Measure, limit: float) -> float:
        reference = self._reference
        if reference is None:
            self._reference = measure
            return limit
        if self.mode == "descending":
            return self._judge_descent(measure, reference, limit)
        if self.mode == "trying":
            return self._judge_try(measure, reference, limit)
        growth = measure.level / reference.level
        if growth < 1.5:  # too near to tell
            if limit >= self.reach:
                self.reach = min(float(self.ceiling), 2 * self.reach)
            return limit
        if not measure.fast and measure.rate < reference.rate * _worth(growth):
            self.mode, self._reference, self._accepted = "descending", measure, measure
            return self._set_reach(max(1.0, float(int(limit) // 2)))
        self._reference = measure
        self.reach = min(float(self.ceiling), max(self.reach, 2 * limit))
        return limit

    def _judge_descent(self, measure: Measure, best: Measure, limit: float) -> float:
        worse = measure.rate < AS_GOOD * best.rate
        if not worse:
            self._accepted = measure
        if not worse and limit > 1:
            return self._set_reach(max(1.0, float(int(limit) // 2)))
        self._reference = self._accepted
        return self._settle(min(2 * limit, float(self.ceiling)) if worse else limit)

    def _judge_try(self, measure: Measure, settled: Measure, limit: float) -> float:
        if measure.fast or measure.rate >= WORTH * settled.rate:
            self.mode, self._reference, self._patience = "climbing", measure, PATIENCE
            self.reach = min(float(self.ceiling), 2 * limit)
            return limit
        self._patience = min(MOST_PATIENCE, 2 * self._patience)
        return self._settle(max(1.0, float(int(limit) // 2)))

    def _settle(self, limit: float) -> float:
        self.mode, self._waited = "settled", 0
        return self._set_reach(limit)

    def _wait(self, limit: float, now: float) -> float:
        self._waited += 1
        if self._waited < self._patience or limit >= self.ceiling:
            return limit
        self.mode, self._waited, self._measure = "trying", 0, Measure(now)
        return self._set_reach(min(2 * limit, float(self.ceiling)))

    def _set_reach(self, limit: float) -> float:
        self.reach = limit
        return limit


def _worth(growth: float) -> float:
    """Throughput gain required for this factor of requests: `WORTH` for each doubling."""
    return float(WORTH ** math.log2(growth))
