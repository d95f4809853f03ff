"""A session: one process's work on a run's folder, from its lock to the end (see job.py)."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial

import msgspec

from probatio.ask.budget import Budget
from probatio.ask.client import ChatClient
from probatio.ask.providers import provider_of
from probatio.ask.routes import Route, open_route
from probatio.core.errors import ProbatioError, Say
from probatio.core.records import Model
from probatio.runs.collector import calm_collector
from probatio.runs.engine import Engine, FailedRequests, Tally, Watcher
from probatio.runs.job import Job
from probatio.runs.models import describe_file, pull_embedded
from probatio.runs.signals import STOPPING, on_signal
from probatio.runs.store.journal import Journal

INTERRUPTED, TERMINATED = "interrupted", "terminated"
"""Why a run stops that a person or the system has stopped."""

TICK_SECONDS = 1.0
"""How often the display is updated, to count down a wait that a server asked for."""

NEW_OBJECTS = 10_000
"""Between two runs of the cycle collector: what a few hundred requests leave behind, some megabytes. The
suite and the plan stay to the end, and it need not look at them."""


class Ending(msgspec.Struct, frozen=True):
    """How a session ended."""

    tally: Tally
    seconds: float
    stop_reason: str | None
    refused: dict[str, str] = {}  # model → why it could not be asked to the end
    failed: tuple[FailedRequests, ...] = ()  # models with requests that gave no answer

    @property
    def unasked(self) -> tuple[FailedRequests, ...]:
        """Models that answered no request and were not given up before."""
        return tuple(each for each in self.failed if each.whole and each.model not in self.refused)


STOPPED_BY = {number: INTERRUPTED if number is signal.SIGINT else TERMINATED for number in STOPPING}


class Session:
    """What a job may use while its session is open."""

    def __init__(
        self, job: Job, journal: Journal, client: ChatClient, env: Mapping[str, str], say: Say
    ) -> None:
        self.journal = journal
        self.client = client
        self.env = env
        self.say = say
        self.budget = Budget(job.max_cost)
        self.closing = ExitStack()  # what is opened for the job and closed after it
        self.engine: Engine | None = None
        self._job = job

    @property
    def stopping(self) -> bool:
        return self.engine is not None and self.engine.stop_reason is not None

    @contextmanager
    def route(self, model: Model) -> Iterator[Route]:
        """The way to a model, open within the block; an embedded model is loaded and unloaded by it."""
        with open_route(model, self.env) as route:
            if provider_of(model).local:
                self._job.record_file(model, describe_file(model))
            elif self._job.timeouts:
                route = msgspec.structs.replace(route, timeouts=self._job.timeouts)
            yield route


def carry_out(
    job: Job,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    client: type[ChatClient] = ChatClient,
) -> Ending:
    """Do what is left of the job. Ctrl-C and SIGTERM let answers in flight arrive; a second drops them."""
    pull_embedded(job.models, say)
    began = time.monotonic()
    with Journal(job.folder, retry_errors=job.retry_errors) as journal:
        job.begin()
        try:
            with calm_collector(NEW_OBJECTS):
                engine = asyncio.run(_ask(job, journal, env, show, say, client))
        except KeyboardInterrupt:
            raise ProbatioError("Interrupted.") from None
        failed = tuple(engine.failures.list_failed())
        ending = Ending(engine.tally, time.monotonic() - began, engine.stop_reason, engine.refused, failed)
        job.end(ending, journal)
    return ending


async def _ask(
    job: Job,
    journal: Journal,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    kind: type[ChatClient],
) -> Engine:
    async with kind(job.max_connections, say) as client:
        session = Session(job, journal, client, env, say)
        with session.closing:
            await job.open(session)
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
    def stop_or_abandon(name: str) -> None:
        if engine.stop_reason is None:
            engine.stop(f"{name}.")
        else:
            engine.abandon()

    if threading.current_thread() is not threading.main_thread():
        return  # signals are the main thread's: in another one the caller stops the run (notebook.py)
    loop = asyncio.get_running_loop()
    for number, name in STOPPED_BY.items():
        on_signal(loop, number, partial(stop_or_abandon, name))
