"""The scheduler's process: `probatio daily` as a child process, every day at a set hour in UTC, until it is told to stop.

A day is a process of its own, so that nothing it leaves behind and no way it ends touches the scheduler. However a day ended,
the next one runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from probatio.day.month import spent_so_far
from probatio.errors import ProbatioError, Say
from probatio.scheduler.times import is_due, missed_days, next_start
from probatio.signals import STOPPING, on_signal
from probatio.store.layout import DAILY, SCORES

if TYPE_CHECKING:
    from asyncio.subprocess import Process

DAILY_COMMAND = (sys.executable, "-P", "-c", "from probatio.cli import main; main()", "daily")
"""This very installation, whatever is on the path or in the working folder."""
LOOK_SECONDS = 60.0
"""How often the clock is looked at: a machine that slept does not count its sleep as waiting."""
SHOWN_DAYS = 3
"""Missed days named one by one."""
ENDINGS = {0: "is done", 2: "was refused as it was asked for", 3: "could not be completed"}

Clock = Callable[[], datetime]
NextStart = Callable[[datetime], datetime]
"""Now → the next start after it."""


def is_closed(results: Path, day: date) -> bool:
    return (results / DAILY / day.isoformat() / SCORES).exists()


def closed_days(results: Path) -> list[date]:
    folders = (path.parent.name for path in (results / DAILY).glob(f"????-??-??/{SCORES}"))
    return [date.fromisoformat(name) for name in folders]


def _now() -> datetime:
    return datetime.now(UTC)


class Ended(NamedTuple):
    """How a day's process ended."""

    code: int
    how: str  # as a clause


class Scheduler:
    """One process that runs a day each day; never two at once."""

    def __init__(
        self,
        results: Path,
        at: time,
        jitter: timedelta,
        options: Sequence[str],
        say: Say,
        *,
        once: bool = False,
        warn: Say | None = None,
        stamped: bool = True,
        month_cap: float | None = None,
        command: Sequence[str] = DAILY_COMMAND,
        clock: Clock = _now,
        next_start: NextStart | None = None,
        look: float = LOOK_SECONDS,
    ) -> None:
        self._results = results
        self._at = at
        self._command = (*command, *options)
        self._remark = say
        self._warning = warn or say
        self._stamped = stamped  # a journal has a clock of its own
        self._month_cap = month_cap
        self._once = once
        self._clock = clock
        self._look = look
        self._next_start = next_start or _daily(at, jitter)
        self._child: Process | None = None
        self._running: date | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()
        self._signals = 0
        self._code = 0

    async def run(self) -> int:
        """Run days until told to stop; gives the exit code."""
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

    async def _pause(self, start: datetime) -> None:
        """Wait for the next start, but no longer than until the clock is to be looked at again."""
        seconds = (start - self._clock()).total_seconds()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), min(max(seconds, 0.0), self._look))

    def _begin(self) -> None:
        """Begin the day beside the loop: while it runs, the clock is still looked at."""
        task = asyncio.create_task(self._hour())
        self._begun.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._begun.discard(task)
        if error := task.exception():
            self._say(f"The day could not be run: {error or type(error).__name__}.", failed=True)

    async def _hour(self) -> None:
        """The hour has come: today's day, and the next one at once where this one took so long that its hour is past."""
        today = self._clock().date()
        if self._running is not None:
            self._say(f"The day {self._running} still runs; {today} is not started beside it.")
            return
        await self._day(today)
        while (now := self._clock()).date() > today and is_due(now, self._at, is_closed(self._results, now.date())):
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

    async def _process(self, *more: str) -> Ended:
        try:
            # a session of its own, so that Ctrl-C reaches it once, and through us
            self._child = await asyncio.create_subprocess_exec(
                *self._command, *more, stdin=asyncio.subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            return Ended(3, f"could not be started: {error.strerror}")
        if self._signals:  # the signal came while the process was being made
            self._child.send_signal(signal.SIGTERM)
        code = await self._child.wait()
        self._child = None
        if code < 0:
            return Ended(code, f"was killed by {signal.Signals(-code).name}")
        return Ended(code, ENDINGS.get(code, f"ended with the exit code {code}"))

    def _on_signal(self, number: int) -> None:
        self._signals += 1
        if self._signals == 1:
            running = f"; the day {self._running} is told to end" if self._running else ""
            self._say(f"{signal.Signals(number).name}{running}.")
        if self._child is not None and self._child.returncode is None:
            self._child.send_signal(signal.SIGTERM)  # a second one makes it drop what is in flight
        self._stopped.set()

    def _say_missed(self, today: date) -> None:
        missed = missed_days(closed_days(self._results), today)
        if not missed:
            return
        named = ", ".join(day.isoformat() for day in missed[:SHOWN_DAYS])
        more = f" and {len(missed) - SHOWN_DAYS} more" if len(missed) > SHOWN_DAYS else ""
        self._say(f"Not run: {named}{more}. A model can't be asked in retrospect, so they stay gaps.")

    def _say_cost(self, today: date) -> None:
        try:
            self._say(spent_so_far(self._results, today.isoformat(), self._month_cap))
        except (ProbatioError, OSError) as error:  # files that can't be read are the day's business, not the clock's
            self._say(f"What the month has cost can't be told: {error}", failed=True)

    def _say(self, sentence: str, *, failed: bool = False) -> None:
        stamp = f"{self._clock():%Y-%m-%d %H:%M:%S}Z " if self._stamped else ""
        (self._warning if failed else self._remark)(f"{stamp}{sentence}")


def _daily(at: time, jitter: timedelta) -> NextStart:
    return lambda now: next_start(now, at, jitter, random.random())
