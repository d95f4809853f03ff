"""A session: one process's work on a run's folder, from taking its lock to the end. Trials and days go the same way.

work.begin()      the record is written, while the folder is locked
work.open(…)      what has to be ready before the first question: for a day its judge
engine.run()      ask, keep, grade, keep
work.end(…)       what follows from the answers: for a day its scores and verdicts
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from probatio.ask.client import ChatClient
from probatio.ask.connection import open_route
from probatio.ask.providers import provider_of
from probatio.ask.routes import Route
from probatio.errors import ProbatioError, Say
from probatio.records import Model, Timeouts
from probatio.run.budget import Budget
from probatio.run.engine import Engine, Tally, Watcher
from probatio.run.failures import Failed
from probatio.run.job import Job
from probatio.run.models import embedded_file, pull_embedded
from probatio.signals import STOPPING, on_signal
from probatio.store.journal import Journal

INTERRUPTED, TERMINATED = "interrupted", "terminated"
"""Why a run stops that a person or the system has stopped."""

TICK_SECONDS = 1.0
"""How often a display is told that time has passed: a wait that a server asked for is counted down."""


class Ending(msgspec.Struct, frozen=True):
    """How a session ended."""

    tally: Tally
    seconds: float
    stop_reason: str | None
    refused: dict[str, str] = {}  # model → why it could not be asked to the end
    failed: tuple[Failed, ...] = ()  # models with requests that gave no answer

    @property
    def unasked(self) -> tuple[Failed, ...]:
        """Models of which not one request was answered, and which were not given up before."""
        return tuple(each for each in self.failed if each.whole and each.model not in self.refused)


STOPPED_BY = {number: INTERRUPTED if number is signal.SIGINT else TERMINATED for number in STOPPING}


class Work(Protocol):
    """What a session carries out: a run of trials, or a day."""

    @property
    def folder(self) -> Path: ...

    @property
    def models(self) -> tuple[Model, ...]: ...

    @property
    def max_connections(self) -> int: ...

    @property
    def max_cost(self) -> float | None: ...

    @property
    def timeouts(self) -> Timeouts | None:
        """Of routes over the network, where models.yml sets them."""
        ...

    @property
    def retry_errors(self) -> bool:
        """Whether trials that could not be asked are asked again."""
        ...

    def begin(self) -> None: ...

    async def open(self, session: Session) -> Job: ...

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        """Note which file answers for an embedded model."""
        ...

    def end(self, ending: Ending, journal: Journal) -> None: ...


class Session:
    """What work may use while its session is open."""

    def __init__(self, work: Work, journal: Journal, client: ChatClient, env: Mapping[str, str], say: Say) -> None:
        self.journal = journal
        self.client = client
        self.env = env
        self.say = say
        self.budget = Budget(work.max_cost)
        self.closing = ExitStack()  # what is opened for the work and closed after it
        self.engine: Engine | None = None
        self._work = work

    @property
    def stopping(self) -> bool:
        return self.engine is not None and self.engine.stop_reason is not None

    @contextmanager
    def route(self, model: Model) -> Iterator[Route]:
        """The way to a model, open within the block; an embedded model is loaded and unloaded by it."""
        with open_route(model, self.env) as route:
            if provider_of(model).local:
                self._work.record_file(model, embedded_file(model))
            elif self._work.timeouts:
                route = msgspec.structs.replace(route, timeouts=self._work.timeouts)
            yield route


def carry_out(
    work: Work,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    client: type[ChatClient] = ChatClient,
) -> Ending:
    """Do what is left of the work. Ctrl-C and SIGTERM let answers in flight come home; a second one drops them."""
    pull_embedded(work.models, say)
    began = time.monotonic()
    with Journal(work.folder, retry_errors=work.retry_errors) as journal:
        work.begin()
        try:
            engine = asyncio.run(_ask(work, journal, env, show, say, client))
        except KeyboardInterrupt:
            raise ProbatioError("Interrupted.") from None
        failed = tuple(engine.failures.listed())
        ending = Ending(engine.tally, time.monotonic() - began, engine.stop_reason, engine.refused, failed)
        work.end(ending, journal)
    return ending


async def _ask(
    work: Work,
    journal: Journal,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    kind: type[ChatClient],
) -> Engine:
    async with kind(work.max_connections, say) as client:
        session = Session(work, journal, client, env, say)
        with session.closing:
            job = await work.open(session)
            engine = session.engine = Engine(job, journal, client, session.route, session.budget)
            engine.watcher = show(engine)
            client.say = engine.watcher.say
            _on_signals(engine)
            ticking = asyncio.create_task(_tick(engine.watcher))
            try:
                await engine.run()
            finally:
                ticking.cancel()
            return engine


async def _tick(watcher: Watcher) -> None:
    while True:
        await asyncio.sleep(TICK_SECONDS)
        watcher.tick()


def _on_signals(engine: Engine) -> None:
    def told(name: str) -> None:
        if engine.stop_reason is None:
            engine.stop(f"{name}.")
        else:
            engine.abandon()

    if threading.current_thread() is not threading.main_thread():
        return  # signals are the main thread's: there whoever waits for the work stops it (api/apart.py)
    loop = asyncio.get_running_loop()
    for number, name in STOPPED_BY.items():
        on_signal(loop, number, partial(told, name))
