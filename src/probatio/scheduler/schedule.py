"""The watch: `probatio daily` as a child process, every day at a set hour in UTC, until it is told to stop.

A day is a process of its own, so that nothing it leaves behind and no way it ends touches the watch. Whatever became of a day,
the next one runs.
"""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from probatio.day.folder import day_folder
from probatio.errors import Say, UsageError
from probatio.store.layout import DAILY, SCORES

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from apscheduler.triggers.base import BaseTrigger

DAILY_COMMAND = (sys.executable, "-P", "-c", "from probatio.cli import main; main()", "daily")
"""This very installation, whatever is on the path or in the working folder."""
LOOK_SECONDS = 60.0
"""How often the clock is looked at: a machine that slept does not count its sleep as waiting."""
SHOWN_DAYS = 3
"""Missed days named one by one."""
ENDINGS = {0: "is done", 2: "was refused as it was asked for", 3: "could not be completed"}

_UNITS = {"s": 1, "m": 60, "h": 3600}
_LENGTH = re.compile(r"(\d+)([smh])")
_HOUR = re.compile(r"\d{2}:\d{2}(:\d{2})?")

Clock = Callable[[], datetime]


def hour_of(text: str) -> time:
    """`06:00` or `06:00:30` as an hour of the day in UTC."""
    try:
        found = time.fromisoformat(text) if _HOUR.fullmatch(text) else None
    except ValueError:
        found = None
    if found is None:
        raise UsageError(f"--at {text}: write an hour of the day in UTC, such as 06:00.")
    return found


def length_of(text: str) -> timedelta:
    """`90s`, `15m` or `2h`."""
    found = _LENGTH.fullmatch(text)
    if not found:
        raise UsageError(f"--jitter {text}: write a length of time such as 90s, 15m or 2h.")
    return timedelta(seconds=int(found[1]) * _UNITS[found[2]])


def require_one_date(at: time, jitter: timedelta) -> None:
    """A day that may start after midnight would be two days' date by chance."""
    latest = datetime.combine(date.min, at) + jitter
    if latest.date() > date.min:
        raise UsageError(
            f"--at {at:%H:%M} with that --jitter may start a day after midnight UTC, on the date of the next."
        )


def is_closed(results: Path, day: date) -> bool:
    return (day_folder(results, day.isoformat()) / SCORES).exists()


def is_due(now: datetime, at: time, closed: bool) -> bool:
    """Whether today's day should have been run by now and was not."""
    return not closed and now.astimezone(UTC).time() >= at


def missed_days(results: Path, today: date) -> list[date]:
    """The days between the last closed one and today: nobody was asked, and nobody can be asked for them any more."""
    folder = results / DAILY
    closed = [path.parent.name for path in folder.glob(f"????-??-??/{SCORES}") if path.parent.name < today.isoformat()]
    if not closed:
        return []
    last = date.fromisoformat(max(closed))
    return [last + timedelta(days=number) for number in range(1, (today - last).days)]


def _now() -> datetime:
    return datetime.now(UTC)


class Ended(NamedTuple):
    """How a day's process ended."""

    code: int
    how: str  # as a clause


class Watch:
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
        command: Sequence[str] = DAILY_COMMAND,
        clock: Clock = _now,
        trigger: BaseTrigger | None = None,
        look: float = LOOK_SECONDS,
    ) -> None:
        self._results = results
        self._at = at
        self._command = (*command, *options)
        self._tell = say
        self._once = once
        self._clock = clock
        self._look = look
        self._trigger = trigger or _daily(at, jitter)
        self._child: Process | None = None
        self._running: date | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopped = asyncio.Event()
        self._signals = 0
        self._code = 0

    async def run(self) -> int:
        """Watch until told to stop; gives the exit code."""
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        logging.getLogger("apscheduler").setLevel(logging.CRITICAL)  # what it would say, we say in sentences
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal, number)
        planned = await self._process("--dry-run")
        if planned.code == 2:  # better told now than at six in the morning
            return 2
        now = self._clock()
        self._say_missed(now.date())
        due = is_due(now, self._at, is_closed(self._results, now.date()))
        scheduler = AsyncIOScheduler(timezone=UTC)
        job = scheduler.add_job(
            self._hour,
            self._trigger,
            max_instances=2,  # the second only says that the first still runs
            coalesce=True,
            misfire_grace_time=None,
            **({"next_run_time": _now()} if due else {}),
        )
        if not self._stopped.is_set():
            scheduler.start()
            if not due:
                self._say(f"The next day runs at {job.next_run_time:%Y-%m-%d %H:%M:%S} UTC.")
        while not self._stopped.is_set():
            try:
                await asyncio.wait_for(self._stopped.wait(), self._look)
            except TimeoutError:
                scheduler.wakeup()
        if scheduler.running:
            scheduler.pause()
            await self._idle.wait()
            scheduler.shutdown(wait=False)
            await asyncio.sleep(0)
        self._say("The watch has ended.")
        return self._code

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
        self._idle.clear()
        try:
            self._say(f"The day {today} begins.")
            ended = await self._process("--date", today.isoformat())
            self._say(f"The day {today} {ended.how}.")
            if self._once and not self._signals:
                self._code = ended.code if ended.code in ENDINGS else 3
        finally:
            self._running = None
            self._idle.set()

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
        missed = missed_days(self._results, today)
        if not missed:
            return
        named = ", ".join(day.isoformat() for day in missed[:SHOWN_DAYS])
        more = f" and {len(missed) - SHOWN_DAYS} more" if len(missed) > SHOWN_DAYS else ""
        self._say(f"Not run: {named}{more}. A model can't be asked in retrospect, so they stay gaps.")

    def _say(self, sentence: str) -> None:
        self._tell(f"{self._clock():%Y-%m-%d %H:%M:%S}Z {sentence}")


def _daily(at: time, jitter: timedelta) -> BaseTrigger:
    from apscheduler.triggers.cron import CronTrigger

    return CronTrigger(
        hour=at.hour, minute=at.minute, second=at.second, timezone=UTC, jitter=int(jitter.total_seconds()) or None
    )
