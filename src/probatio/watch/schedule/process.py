"""The scheduler: run `probatio daily` as a child process, every day at an hour in UTC or after each interval.

A day has its own process, so that its leftovers and its end can't harm the scheduler. However a day ends, the
next one runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from probatio.core.errors import ProbatioError, Say
from probatio.core.python import python_command
from probatio.runs.signals import STOPPING, on_signal
from probatio.runs.store.layout import DAILY, SCORES
from probatio.watch.day.month import describe_month_cost
from probatio.watch.schedule.times import find_missed_days, find_next_start, is_due

if TYPE_CHECKING:
    from asyncio.subprocess import Process

DAILY_COMMAND = python_command("-c", "from probatio.cli import main; main()", "daily")
"""This very installation, whatever is on the path or in the working folder."""
LOOK_SECONDS = 60.0
"""How often the clock is looked at: a machine that slept does not count its sleep as waiting."""
SHOWN_DAYS = 3
"""Missed days named one by one."""
ENDINGS = {0: "is done", 2: "was refused as it was asked for", 3: "could not be completed"}

Clock = Callable[[], datetime]


def is_closed(results: Path, day: date) -> bool:
    return (results / DAILY / day.isoformat() / SCORES).exists()


def list_closed_days(results: Path) -> list[date]:
    folders = (path.parent.name for path in (results / DAILY).glob(f"????-??-??/{SCORES}"))
    return [date.fromisoformat(name) for name in folders]


class DayExit(NamedTuple):
    """How a day's process ended."""

    code: int
    how: str  # as a clause


class Scheduler:
    """Runs one day each day, never two at once."""

    def __init__(
        self,
        results: Path,
        at: time,
        jitter: timedelta,
        options: Sequence[str],
        say: Say,
        *,
        interval: timedelta | None = None,
        once: bool = False,
        warn: Say | None = None,
        stamped: bool = True,
        month_cap: float | None = None,
        command: Sequence[str] = DAILY_COMMAND,
        clock: Clock = lambda: datetime.now(UTC),
        look: float = LOOK_SECONDS,
    ) -> None:
        self._results = results
        self._at, self._jitter, self._interval = at, jitter, interval
        self._command = (*command, *options)
        self._remark = say
        self._warning = warn or say
        self._stamped = stamped  # a journal has a clock of its own
        self._month_cap = month_cap
        self._once = once
        self._clock = clock
        self._look = look
        self._child: Process | None = None
        self._running: date | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()
        self._signals = 0
        self._code = 0

    async def run(self) -> int:
        """Run days until a signal stops it; gives the exit code."""
        loop = asyncio.get_running_loop()
        for number in STOPPING:
            on_signal(loop, number, partial(self._on_signal, number))
        planned = await self._process("--dry-run", "--unattended")
        if planned.code == 2:  # better now than at six in the morning
            return 2
        now = self._clock()
        self._say_missed(now.date())
        start = now
        if not is_due(now, self._at, is_closed(self._results, now.date())) and not self._stopped.is_set():
            start = self._next_start(now)
            self._say(f"The next day runs at {start:%Y-%m-%d %H:%M:%S} UTC.")
        self._say_cost(now.date())
        while not self._stopped.is_set():
            now = self._clock()
            if now >= start:
                self._begin()
                start = self._next_start(now)
            await self._pause(start)
        if self._begun:
            await asyncio.wait(self._begun)
        self._say("The watch has ended.")
        return self._code

    def _next_start(self, now: datetime) -> datetime:
        """Every day at the hour, or after each interval; both up to the jitter later."""
        if self._interval is not None:
            return now + self._interval + self._jitter * random.random()
        return find_next_start(now, self._at, self._jitter, random.random())

    async def _pause(self, start: datetime) -> None:
        """Wait for the next start, but at most until the next look at the clock."""
        seconds = (start - self._clock()).total_seconds()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), min(max(seconds, 0.0), self._look))

    def _begin(self) -> None:
        """Start the day as a task: while it runs, the clock is still checked."""
        task = asyncio.create_task(self._hour())
        self._begun.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._begun.discard(task)
        if error := task.exception():
            self._say(f"The day could not be run: {error or type(error).__name__}.", failed=True)

    async def _hour(self) -> None:
        """Run today's day. If it took so long that the next day is due, run that one at once."""
        today = self._clock().date()
        if self._running is not None:
            self._say(f"The day {self._running} still runs; {today} is not started beside it.")
            return
        await self._day(today)
        while (now := self._clock()).date() > today and is_due(
            now, self._at, is_closed(self._results, now.date())
        ):
            today = now.date()
            await self._day(today)
        if self._once:
            self._stopped.set()

    async def _day(self, today: date) -> None:
        if self._stopped.is_set():
            return
        if is_closed(self._results, today):
            self._say(f"The day {today} is done already.")
            return
        self._running = today
        try:
            self._say(f"The day {today} begins.")
            # What a day may cost was settled at the start: a price that has risen since must not cost a day.
            ended = await self._process("--yes", "--date", today.isoformat())
            self._say(f"The day {today} {ended.how}.", failed=ended.code != 0)
            self._say_cost(today)
            if self._once and not self._signals:
                self._code = ended.code if ended.code in ENDINGS else 3
        finally:
            self._running = None

    async def _process(self, *more: str) -> DayExit:
        try:
            # a session of its own, so that Ctrl-C reaches it once, and through us
            self._child = await asyncio.create_subprocess_exec(
                *self._command, *more, stdin=asyncio.subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            return DayExit(3, f"could not be started: {error.strerror}")
        if self._signals:  # the signal came while the process was being made
            self._child.send_signal(signal.SIGTERM)
        code = await self._child.wait()
        self._child = None
        if code < 0:
            return DayExit(code, f"was killed by {signal.Signals(-code).name}")
        return DayExit(code, ENDINGS.get(code, f"ended with the exit code {code}"))

    def _on_signal(self, number: int) -> None:
        self._signals += 1
        if self._signals == 1:
            running = f"; the day {self._running} is told to end" if self._running else ""
            self._say(f"{signal.Signals(number).name}{running}.")
        if self._child is not None and self._child.returncode is None:
            self._child.send_signal(signal.SIGTERM)  # a second one makes it drop what is in flight
        self._stopped.set()

    def _say_missed(self, today: date) -> None:
        missed = find_missed_days(list_closed_days(self._results), today)
        if not missed:
            return
        named = ", ".join(day.isoformat() for day in missed[:SHOWN_DAYS])
        more = f" and {len(missed) - SHOWN_DAYS} more" if len(missed) > SHOWN_DAYS else ""
        self._say(f"Not run: {named}{more}. A model can't be asked in retrospect, so they stay gaps.")

    def _say_cost(self, today: date) -> None:
        try:
            self._say(describe_month_cost(self._results, today.isoformat(), self._month_cap))
        except (ProbatioError, OSError) as error:
            # Files that can't be read are the day's business, not the clock's.
            self._say(f"What the month has cost can't be told: {error}", failed=True)

    def _say(self, sentence: str, *, failed: bool = False) -> None:
        stamp = f"{self._clock():%Y-%m-%d %H:%M:%S}Z " if self._stamped else ""
        (self._warning if failed else self._remark)(f"{stamp}{sentence}")
