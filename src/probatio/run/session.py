"""A session: from what the user asked for to a finished run folder. Ties suite, plan, routes, engine and journal together."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from probatio.ask.client import ChatClient
from probatio.ask.connection import open_route
from probatio.ask.routes import Route, missing_key
from probatio.config import Config, load_config, select_models
from probatio.errors import ProbatioError, Say, UsageError
from probatio.grade import GRADER_VERSION, needs_sandbox
from probatio.names import pick
from probatio.records import Model
from probatio.run.budget import Budget
from probatio.run.engine import Engine, Tally, Watcher
from probatio.run.models import embedded_default, require_routes
from probatio.run.plan import Plan
from probatio.run.record import (
    RunRecord,
    checked_run_id,
    git_sha,
    new_run_id,
    now_text,
    read_run,
    versions,
    with_embedded,
    write_run,
)
from probatio.run.trials import TrialJob
from probatio.sandbox import Choice, isolation
from probatio.store.journal import Journal
from probatio.suite.contexts import known_contexts
from probatio.suite.language_suite import Suite, load_suite
from probatio.suite.prompt import fingerprint

MAX_CONNECTIONS = 64
"""Slow start finds what a route bears; this is only where it stops looking."""


class TrialRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for, flag by flag; None where a flag was not given."""

    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    n_shots: tuple[int, ...] | None = None
    contexts: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    suite: Path | None = None
    config: Path | None = None
    samples: int = 1
    limit: int | None = None
    run_id: str | None = None
    max_connections: int = MAX_CONNECTIONS
    max_cost: float | None = None
    sandbox: Choice = "auto"


class Ending(msgspec.Struct, frozen=True):
    """How a session ended."""

    tally: Tally
    seconds: float
    stop_reason: str | None


def prepare(
    request: TrialRequest, results: Path, env: Mapping[str, str], say: Say, *, fetch: bool = True
) -> tuple[RunRecord, Suite]:
    """Everything that can be wrong with a request is found here, before anything is asked.

    `fetch=False` leaves the embedded default unpulled, for a dry run.
    """
    suite = load_suite(request.suite)
    config = load_config(request.config)
    models = _models(request, config, env, say, fetch)
    require_routes(models, env, request.max_cost, config.source)
    moment = datetime.now(UTC)
    tasks = _tasks(request, suite)
    runs_code = any(needs_sandbox(suite.tasks[task]) for task in tasks)
    plan = Plan(
        models=tuple(model.id for model in models),
        dialects=pick("dialect", request.dialects or config.dialects, _dialects()),
        contexts=pick("context", request.contexts or config.contexts or known_contexts(suite), known_contexts(suite)),
        n_shots=_n_shots(request, config, suite),
        tasks=tasks,
        samples=request.samples,
        limit=request.limit,
    )
    return RunRecord(
        run_id=checked_run_id(request.run_id, results) if request.run_id else new_run_id(results, moment),
        created=now_text(moment),
        framework_version=config.framework_version or suite.version or "unversioned",
        git_sha=git_sha(),
        suite=suite.name if request.suite is None else str(request.suite.resolve()),
        suite_name=suite.name,
        suite_version=suite.version,
        suite_fingerprint=fingerprint(suite, GRADER_VERSION),
        grader_version=GRADER_VERSION,
        plan=plan,
        models=models,
        sampling=config.sampling,
        timeouts=config.timeouts,
        max_connections=request.max_connections,
        max_cost=request.max_cost,
        config=config.source,
        sandbox=request.sandbox,
        isolation=isolation(request.sandbox).kind if runs_code else None,
        versions=versions(),
    ), suite


def take_up(folder: Path, max_connections: int | None, max_cost: float | None) -> tuple[RunRecord, Suite]:
    """A run to go on with: everything from its record, but for how fast and how far money goes this time."""
    record = read_run(folder)
    suite = load_suite(record.suite_folder)
    if fingerprint(suite, GRADER_VERSION) != record.suite_fingerprint:
        raise UsageError(
            f"The suite or the grader has changed since {record.run_id} began, and answers to two suites are not one run. "
            f"Start a new run; what {folder} holds stays as it is."
        )
    return msgspec.structs.replace(
        record,
        max_connections=max_connections or record.max_connections,
        max_cost=max_cost if max_cost is not None else record.max_cost,
    ), suite


def carry_out(
    folder: Path,
    record: RunRecord,
    suite: Suite,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    *,
    retry_errors: bool = False,
) -> Ending:
    """Run what is left of a run. Ctrl-C and SIGTERM let answers in flight come home; a second one drops them."""
    pull_embedded(record.models, say)
    began = time.monotonic()
    with Journal(folder, retry_errors=retry_errors) as journal:
        if not (folder / "run.json").exists():
            write_run(folder, record)
        try:
            tally, reason = asyncio.run(_run(folder, record, suite, env, show, journal))
        except KeyboardInterrupt:
            raise ProbatioError("Interrupted.") from None
    return Ending(tally, time.monotonic() - began, reason)


async def _run(
    folder: Path,
    record: RunRecord,
    suite: Suite,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    journal: Journal,
) -> tuple[Tally, str | None]:
    async with ChatClient(record.max_connections) as client:

        @contextmanager
        def opener(model: Model) -> Iterator[Route]:
            with open_route(model, env) as route:
                if model.provider == "embedded":
                    write_run(folder, with_embedded(read_run(folder), model))
                elif record.timeouts:
                    route = msgspec.structs.replace(route, timeouts=record.timeouts)
                yield route

        engine = Engine(TrialJob(record, suite), journal, client, opener, Budget(record.max_cost))
        engine.watcher = show(engine)
        on_signals(engine)
        await engine.run()
        return engine.tally, engine.stop_reason


def on_signals(engine: Engine) -> None:
    """Ctrl-C and SIGTERM let answers in flight come home; a second one drops them."""

    def on_signal(name: str) -> None:
        if engine.stop_reason is None:
            engine.stop(f"{name}.")
        else:
            engine.abandon()

    loop = asyncio.get_running_loop()
    for number, name in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")):
        loop.add_signal_handler(number, on_signal, name)


def pull_embedded(models: Iterable[Model], say: Say) -> None:
    """Fetch what is not here yet, before anything else: a download can be interrupted, a run should not wait in one."""
    from probatio.embedded import weights

    for model in models:
        if model.provider == "embedded":
            weights.ensure(model.name, say)


def _models(request: TrialRequest, config: Config, env: Mapping[str, str], say: Say, fetch: bool) -> tuple[Model, ...]:
    """The models asked for; without --model those of the user's own config that have a key, else the embedded default."""
    if request.models:
        return select_models(config, request.models)
    if config.source != "built-in":
        able = tuple(model for model in config.models if not missing_key(model, env))
        for model in config.models:
            if key := missing_key(model, env):
                say(f"Leaving out {model.id}: {key} is not set.")
        if able:
            return able
    return (embedded_default(say, fetch=fetch),)


def _tasks(request: TrialRequest, suite: Suite) -> tuple[str, ...]:
    tasks = pick("task", request.tasks or ("*",), list(suite.tasks), f"in the suite {suite.name}")
    if request.categories:
        wanted = pick("category", request.categories, suite.categories, f"in the suite {suite.name}")
        tasks = tuple(task for task in tasks if suite.tasks[task].category in wanted)
    if not tasks:
        raise UsageError("No task has both that name and that category.")
    return tasks


def _n_shots(request: TrialRequest, config: Config, suite: Suite) -> tuple[int, ...]:
    """What was asked for must be there; of the usual numbers, those the suite has examples for."""
    pool = len(suite.examples)
    if request.n_shots is None:
        return tuple(n_shot for n_shot in dict.fromkeys(config.n_shots) if n_shot <= pool) or (0,)
    for n_shot in request.n_shots:
        if n_shot > pool:
            raise UsageError(f"--n-shot {n_shot}: the suite {suite.name} has only {pool} examples.")
    return tuple(dict.fromkeys(request.n_shots))


def _dialects() -> tuple[str, ...]:
    from probatio.languages.faber.dialects import NAMES

    return NAMES
