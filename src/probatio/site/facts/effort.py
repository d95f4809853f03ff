"""How fast, how long and at what price a model answers, day by day: from the scores of each day, never from
its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from statistics import fmean, median
from typing import NamedTuple

import msgspec

from probatio.core.records import DailyScore, Day
from probatio.site.rendering import money, thousands
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.cause.symptoms import MOST_TOKENS, count_answers
from probatio.watch.verdict.days import suite_of

BEFORE_DAYS, ENOUGH_DAYS = 14, 5
"""Days before a change that tell what was usual, and how many of them there must be."""
MOVED = 0.2
"""Less than a fifth away from the usual is no change, however steady the days before were."""


class DayEffort(msgspec.Struct, frozen=True):
    """One day of one model: the mean over its use cases, so that one that was asked more often that day
    weighs no more. None is not known, never zero."""

    seconds: float | None = None  # the median time of an answer
    tokens: float | None = None  # written per answer
    dollars: float | None = None  # per answer


class EffortKind(NamedTuple):
    """One of the three figures, with its words."""

    name: str
    heading: str  # of its chart
    unit: str  # tells the script how to write a value
    read: Callable[[DayEffort], float | None]
    write: Callable[[float | None], str]
    more: str
    less: str
    times: int = 1  # the chart shows so many together


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _tokens(value: float | None) -> str:
    return "–" if value is None else f"{thousands(value)} tokens"


KINDS = (
    EffortKind(
        "Speed", "Median time of an answer, seconds", "seconds", lambda day: day.seconds, _seconds,
        "slower", "faster",
    ),
    EffortKind(
        "Length", "Tokens written per answer", "tokens", lambda day: day.tokens, _tokens,
        "longer", "shorter",
    ),
    EffortKind(
        "Price", "Cost of 1,000 answers, dollars", "dollars", lambda day: day.dollars, money,
        "dearer", "cheaper", 1000,
    ),
)  # fmt: skip


class EffortChange(NamedTuple):
    """One figure on a day, against the days before."""

    kind: EffortKind
    usual: float
    now: float
    changed: bool

    @property
    def words(self) -> str:
        if not self.changed:
            return f"{self.kind.write(self.now)} per answer, usually {self.kind.write(self.usual)}"
        share = abs(self.now / self.usual - 1)
        way = self.kind.more if self.now > self.usual else self.kind.less
        by = f"{100 * share:.0f} % {way}" if share < 2 else f"{self.now / self.usual:.1f} times as much"
        return f"answers {by}: {self.kind.write(self.now)}, usually {self.kind.write(self.usual)}"


def measure_effort(day: Day, model: str) -> DayEffort:
    """What a model's answers took on a day. A figure that one of its use cases lacks is not known: a mean
    over other use cases than yesterday's would tell of them, not of the model."""
    lines = [line for name, line in day.lines.get(model, {}).items() if name not in day.record.not_asked]
    return DayEffort(*(_mean(map(read, lines)) for read in (_latency, _length, _cost)))


def describe_effort(day: DayEffort) -> str:
    """`0.90 s, 250 tokens, $0.0002`, without what is not known."""
    figures = ((kind, kind.read(day)) for kind in KINDS)
    return ", ".join(kind.write(value) for kind, value in figures if value is not None)


def list_effort(site: Site, model: TrackedModel) -> dict[str, DayEffort]:
    """Date → what its answers took, for every day it was to be asked."""
    return {date: measure_effort(day, model.id) for date in model.by_date if (day := site.days.get(date))}


def list_effort_changes(site: Site, model: TrackedModel, start: str) -> Iterator[EffortChange]:
    """Each figure on the day a change began against the days before, of the same suite and form. It changed
    if it is a fifth away from their median and beyond every one of them."""
    if start not in site.days:
        return
    same = _form(site.days[start], model.id)
    dates = [date for date in model.by_date if date < start and date in site.days][-BEFORE_DAYS:]
    days = [site.days[date] for date in dates if _form(site.days[date], model.id) == same]
    today, past = measure_effort(site.days[start], model.id), [measure_effort(day, model.id) for day in days]
    for kind in KINDS:
        now = kind.read(today)
        known = [value for each in past if (value := kind.read(each)) is not None]
        if now is not None and len(known) >= ENOUGH_DAYS and median(known) > 0:
            yield EffortChange(kind, median(known), now, _is_beyond(now, known))


def _is_beyond(now: float, known: Sequence[float]) -> bool:
    usual = median(known)
    return abs(now - usual) >= MOVED * usual and not min(known) <= now <= max(known)


def _form(day: Day, model: str) -> tuple[object, ...]:
    return *suite_of(day.record), day.record.forms.get(model)


def _mean(values: Iterator[float | None]) -> float | None:
    every = list(values)
    known = [value for value in every if value is not None]
    return fmean(known) if known and len(known) == len(every) else None


def _latency(line: DailyScore) -> float | None:
    """In seconds. A time of nothing is none: an imported day may have none."""
    taken = line.latency_ms
    return taken / 1000 if taken is not None and isfinite(taken) and taken > 0 else None


def _length(line: DailyScore) -> float | None:
    """Of a server that counts no tokens, or impossible ones, it is not known."""
    answers = count_answers(line)
    return line.tokens_out / answers if answers and 0 < line.tokens_out <= MOST_TOKENS else None


def _cost(line: DailyScore) -> float | None:
    """Nothing is a price, too: some routes are free. An embedded model has none."""
    answers = count_answers(line)
    known = line.cost is not None and isfinite(line.cost) and line.cost >= 0
    return line.cost / answers if answers and known and line.cost is not None else None
