"""Preparing a run of trials: which models, which tasks, in which contexts. Whatever is wrong with a request is found here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from probatio.config import Config, load_config
from probatio.errors import Say, UsageError
from probatio.grade import GRADER_VERSION, needs_sandbox
from probatio.languages.finding import require_toolchain
from probatio.names import pick
from probatio.records import Feedback, Timeouts
from probatio.run.clock import now_text
from probatio.run.levels import chosen_dialects, levels, under_twists
from probatio.run.models import select
from probatio.run.plan import Plan
from probatio.run.record import RunRecord, checked_run_id, new_run_id, read_run
from probatio.run.request import Request
from probatio.run.versions import git_sha, versions
from probatio.sandbox import elsewhere, isolation
from probatio.store.packing import is_packed
from probatio.suite.language_suite import BUILT_IN, Suite, load_suite
from probatio.suite.prompt import asked_fingerprint, toolchains


class TrialRequest(Request, frozen=True, kw_only=True):
    """What the user asked for, flag by flag; None where a flag was not given."""

    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    n_shots: tuple[int, ...] | None = None
    contexts: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    samples: int = 1
    attempts: int = 1
    feedback: Feedback = "diagnostics"
    limit: int | None = None
    run_id: str | None = None


def prepare(
    request: TrialRequest, results: Path, env: Mapping[str, str], say: Say, *, fetch: bool = True
) -> tuple[RunRecord, Suite]:
    """Everything that can be wrong with a request is found here, before anything is asked.

    `fetch=False` leaves the embedded default unpulled, for a dry run.
    """
    suite = load_suite(request.suite)
    config = load_config(request.config)
    selection = select(config, request.models, env, say, fetch=fetch, max_cost=request.max_cost, skip_named=False)
    moment = datetime.now(UTC)
    dialects = chosen_dialects(request.dialects, config.dialects, suite, say)
    tasks = under_twists(_tasks(request, suite), dialects, suite, say, named=bool(request.tasks))
    runs_code = any(needs_sandbox(suite.tasks[task]) for task in tasks)
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    plan = Plan(
        models=tuple(model.id for model in selection.models),
        dialects=dialects,
        contexts=levels("context", request.contexts, config.contexts, tuple(suite.contexts), suite, say)
        or tuple(suite.contexts),
        n_shots=_n_shots(request, config, suite),
        tasks=tasks,
        samples=request.samples,
        limit=request.limit,
        attempts=request.attempts,
    )
    return RunRecord(
        run_id=checked_run_id(request.run_id, results) if request.run_id else new_run_id(results, moment),
        created=now_text(moment),
        framework_version=config.framework_version or suite.version or "unversioned",
        git_sha=git_sha(),
        suite=suite.name if suite.folder.parent == BUILT_IN else str(suite.folder.resolve()),
        suite_name=suite.name,
        suite_version=suite.version,
        suite_fingerprint=asked_fingerprint(suite, GRADER_VERSION, plan.dialects),
        grader_version=GRADER_VERSION,
        plan=plan,
        models=selection.models,
        sampling=config.sampling,
        timeouts=with_wait(config.timeouts, request.max_wait),
        max_connections=request.max_connections,
        max_cost=request.max_cost,
        config=config.source,
        feedback=request.feedback,
        sandbox=request.sandbox,
        isolation=_isolation(request, say) if runs_code else None,
        versions={**versions(), **toolchains(suite)},
    ), suite


def with_wait(timeouts: Timeouts | None, max_wait: float | None) -> Timeouts | None:
    """The time limits of a run, with the longest wait that the user allows a server this time."""
    return timeouts if max_wait is None else msgspec.structs.replace(timeouts or Timeouts(), wait=max_wait)


def _isolation(request: TrialRequest, say: Say) -> str | None:
    """The jail of this machine. On a system that has none the answers are asked for all the same, and graded elsewhere."""
    if told := elsewhere():
        say(told)
        return None
    return isolation(request.sandbox).kind


def resumed(
    folder: Path, max_connections: int | None, max_cost: float | None, max_wait: float | None = None
) -> tuple[RunRecord, Suite]:
    """A run to go on with: everything from its record, but for how fast and how far money goes this time."""
    record = read_run(folder)
    if is_packed(folder):
        raise UsageError(
            f"{folder} is packed, and nothing is added to a packed run. First: probatio pack {folder} --unpack"
        )
    suite = load_suite(record.suite_folder)
    if asked_fingerprint(suite, GRADER_VERSION, record.plan.dialects) != record.suite_fingerprint:
        raise UsageError(
            f"The suite, its toolchain or the grader has changed since {record.run_id} began, and answers to two suites are "
            "not one run. "
            f"Start a new run; what {folder} holds stays as it is."
        )
    return msgspec.structs.replace(
        record,
        max_connections=max_connections or record.max_connections,
        max_cost=max_cost if max_cost is not None else record.max_cost,
        timeouts=with_wait(record.timeouts, max_wait),
    ), suite


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
