"""Preparing a run of trials: models, tasks, contexts, dialects. All that is wrong is found here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec

from probatio.ask.routes import require_hosts
from probatio.core.clock import now_text
from probatio.core.config import CONFIRM_ABOVE, Config, load_config, say_held
from probatio.core.errors import Say, UsageError
from probatio.core.records import Feedback, Timeouts, TrialKey
from probatio.core.text.names import matches, pick
from probatio.core.trust import WEIGHTS, allow_now, note_named, weights_requests
from probatio.grading import GRADER_VERSION, needs_sandbox
from probatio.jail import Choice, explain_no_jail, find_isolation
from probatio.languages.contract import TWISTED, twist_of
from probatio.languages.finding import require_toolchain
from probatio.runs.collector import pause_collector
from probatio.runs.consent import Estimate
from probatio.runs.estimate import estimate_run
from probatio.runs.models import find_again, select
from probatio.runs.plan import Plan
from probatio.runs.record import (
    RunRecord,
    SearchRule,
    check_run_id,
    find_run,
    git_sha,
    new_run_id,
    read_run,
    versions,
)
from probatio.runs.reuse import Kept, find_answers
from probatio.runs.store.layout import RUN_FILE
from probatio.runs.store.packed import is_packed
from probatio.suites.language_suite import BUILT_IN, Suite, load_suite
from probatio.suites.prompt import fingerprint_as_asked, list_toolchains
from probatio.suites.questions import digest_content
from probatio.suites.ranked import split_level
from probatio.suites.task_types import KINDS

FEWEST_TASKS, MOST_TASKS = 5, 400
"""Of a search. Of fewer, a share says little; with more, choosing a question takes longer than its answer."""

MAX_CONNECTIONS = 64
"""The upper limit; slow start finds how many requests a route can take."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Which models to ask, and within which limits: what a run of trials and a day have in common."""

    models: tuple[str, ...] = ()
    suite: Path | None = None
    config: Path | None = None
    max_connections: int = MAX_CONNECTIONS
    max_cost: float | None = None
    max_wait: float | None = None  # seconds that a server may ask to wait
    sandbox: Choice = "auto"


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
    reuse: tuple[str, ...] = ()
    search: SearchRule | None = None
    run_id: str | None = None


class PreparedRun(msgspec.Struct, frozen=True):
    """A run of trials that can begin, or go on."""

    folder: Path
    record: RunRecord
    suite: Suite
    confirm_above: float = CONFIRM_ABOVE
    retry_errors: bool = False
    kept: Mapping[TrialKey, Kept] = {}  # trials whose answers earlier runs hold

    @property
    def title(self) -> str:
        return "This run"

    @property
    def max_cost(self) -> float | None:
        return self.record.max_cost

    def estimate(self) -> Estimate:
        return estimate_run(self.record, self.suite, self.kept)


def prepare(
    request: TrialRequest, results: Path, env: Mapping[str, str], say: Say, *, dry: bool = False
) -> PreparedRun:
    """Everything that can be wrong with a request is found here, before anything is asked.

    `dry`: only a plan is wanted, so no key is needed and no weights are fetched.
    """
    with pause_collector():
        suite = load_suite(request.suite)
    config = load_config(request.config)
    allow_weights(request.models)
    say_held(config, say)
    if not dry:
        note_request(request)
    selection = select(
        config,
        request.models,
        env,
        say,
        fetch=not dry,
        keys=not dry,
        max_cost=request.max_cost,
        skip_named=False,
    )
    moment = datetime.now(UTC)
    dialects = choose_dialects(request.dialects, config.dialects, suite, say)
    tasks = select_tasks(_tasks(request, suite), dialects, suite, say, named=bool(request.tasks))
    if request.search:
        tasks = _require_searchable(tasks, dialects, suite, say)
    runs_code = any(needs_sandbox(suite.tasks[task]) for task in tasks)
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    plan = Plan(
        models=tuple(model.id for model in selection.models),
        dialects=dialects,
        contexts=choose_levels(
            "context", request.contexts, config.contexts, _list_contexts(request, suite), suite, say
        )
        or (suite.levels if request.search else tuple(suite.contexts)),
        n_shots=_n_shots(request, config, suite),
        tasks=tasks,
        samples=request.samples,
        limit=request.limit,
        shared=True,
        attempts=request.attempts,
    )
    record = RunRecord(
        run_id=check_run_id(request.run_id, results) if request.run_id else new_run_id(results, moment),
        created=now_text(moment),
        framework_version=config.framework_version or suite.version or "unversioned",
        git_sha=git_sha(),
        suite=suite.name if suite.folder.parent == BUILT_IN else str(suite.folder.resolve()),
        suite_name=suite.name,
        suite_version=suite.version,
        suite_fingerprint=fingerprint_as_asked(suite, GRADER_VERSION, plan.dialects),
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
        isolation=_isolation(request.sandbox, say) if runs_code else None,
        versions={**versions(), **list_toolchains(suite)},
        content=digest_content(suite, tasks, plan.contexts),
        reuse=request.reuse,
        search=request.search,
    )
    kept = _find_kept(record, results, suite)
    if request.reuse and not kept:
        say(f"{', '.join(request.reuse)}: no answer to the same question is there; all are asked.")
    return PreparedRun(results / record.run_id, record, suite, config.confirm_above, kept=kept)


def _list_contexts(request: TrialRequest, suite: Suite) -> tuple[str, ...]:
    """The contexts that may be named: with their levels, and a level without a section by its exact name."""
    without = (name for name in request.contexts if (split_level(name) or ("", 0, None))[2] is not None)
    named = [*suite.levels, *without]
    for name in named:
        suite.template(name)
    return tuple(named)


def _require_searchable(
    tasks: tuple[str, ...], dialects: tuple[str, ...], suite: Suite, say: Say
) -> tuple[str, ...]:
    """The tasks that ask about the language; of very many, some drawn by lot. A search is about one
    dialect."""
    if len(dialects) > 1:
        raise UsageError(
            f"A search is about one dialect; these are {', '.join(dialects)}. Name one: --dialect."
        )
    about = tuple(task for task in tasks if not KINDS[suite.tasks[task].type].control)
    if len(about) < FEWEST_TASKS:
        raise UsageError(
            f"A search needs at least {FEWEST_TASKS} tasks about the language; these are {len(about)}."
        )
    if len(about) > MOST_TASKS:
        drawn = set(Random(suite.name).sample(about, MOST_TASKS))
        say(
            f"The search is about {MOST_TASKS} of the {len(about):,} tasks, drawn by lot; --task names "
            "others."
        )
        return tuple(task for task in about if task in drawn)
    return about


def _find_kept(record: RunRecord, results: Path, suite: Suite) -> dict[TrialKey, Kept]:
    return find_answers(record.reuse, results, suite, record.plan, record.models, record.sampling)


def allow_weights(models: Iterable[str]) -> None:
    """Take the command line's word for the weights that it names by their file."""
    allow_now(weights_requests(models, Path.cwd()))


def note_request(request: Request) -> None:
    """Note the suite and the weights that the command line names: the record will name them, too."""
    weights = [Path(name.removeprefix(WEIGHTS)) for name in request.models if name.startswith(WEIGHTS)]
    suite = [request.suite] if request.suite is not None and request.suite.exists() else []
    note_named(*suite, *weights)


def with_wait(timeouts: Timeouts | None, max_wait: float | None) -> Timeouts | None:
    """The time limits of a run, with the longest wait that the user allows a server this time."""
    return timeouts if max_wait is None else msgspec.structs.replace(timeouts or Timeouts(), wait=max_wait)


def _isolation(sandbox: Choice, say: Say) -> str | None:
    """The kind of jail on this machine; None without one: answers are then graded elsewhere."""
    if reason := explain_no_jail():
        say(reason)
        return None
    return find_isolation(sandbox).kind


def prepare_again(
    run: str,
    results: Path,
    env: Mapping[str, str],
    say: Say,
    *,
    models: tuple[str, ...] = (),
    config: Path | None = None,
    max_connections: int | None = None,
    max_cost: float | None = None,
    max_wait: float | None = None,
    sandbox: Choice = "auto",
    retry_errors: bool = False,
) -> PreparedRun:
    """A run to be resumed. Its record says what was asked. The jail, addresses, keys and limits of speed and
    cost are those of the user, now: the record may be a stranger's."""
    folder = find_run(run, results)
    record = read_run(folder)
    if is_packed(folder):
        raise UsageError(
            f"{folder} is packed, and nothing is added to a packed run. First: probatio study pack {folder} "
            f"--unpack"
        )
    allow_weights(models)
    asked = find_again(record.models, load_config(config), models)
    require_hosts(asked, env)
    with pause_collector():
        suite = load_suite(record.suite_folder(folder))
    if fingerprint_as_asked(suite, GRADER_VERSION, record.plan.dialects) != record.suite_fingerprint:
        raise UsageError(
            f"The suite, its toolchain or the grader has changed since {record.run_id} began, and answers "
            f"to two suites are "
            "not one run. "
            f"Start a new run; what {folder} holds stays as it is."
        )
    record = msgspec.structs.replace(
        record,
        max_connections=max_connections or record.max_connections,
        max_cost=max_cost if max_cost is not None else record.max_cost,
        timeouts=with_wait(record.timeouts, max_wait),
        models=asked,
        sandbox=sandbox,
        isolation=_isolation(sandbox, say) if record.isolation else None,
    )
    gone = [run for run in record.reuse if not (folder.parent / run / RUN_FILE).exists()]
    if gone:
        say(f"{', '.join(gone)}: not there any more; what was not taken over yet is asked.")
        record = msgspec.structs.replace(record, reuse=tuple(set(record.reuse).difference(gone)))
    kept = _find_kept(record, folder.parent, suite)
    return PreparedRun(folder, record, suite, retry_errors=retry_errors, kept=kept)


def _tasks(request: TrialRequest, suite: Suite) -> tuple[str, ...]:
    tasks = pick("task", request.tasks or ("*",), list(suite.tasks), f"in the suite {suite.name}")
    if request.categories:
        wanted = pick("category", request.categories, suite.categories, f"in the suite {suite.name}")
        tasks = tuple(task for task in tasks if suite.tasks[task].category in wanted)
    if not tasks:
        raise UsageError("No task has both that name and that category.")
    return tasks


def _n_shots(request: TrialRequest, config: Config, suite: Suite) -> tuple[int, ...]:
    """The n-shot numbers: those the user named, else those of models.yml that the suite has examples for."""
    pool = len(suite.examples)
    if request.n_shots is None:
        return tuple(n_shot for n_shot in dict.fromkeys(config.n_shots) if n_shot <= pool) or (0,)
    for n_shot in request.n_shots:
        if n_shot > pool:
            raise UsageError(f"--n-shot {n_shot}: the suite {suite.name} has only {pool} examples.")
    return tuple(dict.fromkeys(request.n_shots))


def choose_levels(
    kind: str,
    asked: tuple[str, ...],
    usual: tuple[str, ...] | None,
    known: tuple[str, ...],
    suite: Suite,
    say: Say,
) -> tuple[str, ...]:
    """The names on one axis: those the user gave must exist, those of models.yml may."""
    where = f"in the suite {suite.name}, which has {', '.join(known)}"
    if asked:
        return pick(kind, asked, known, where)
    whole = [name for name in known if split_level(name) is None]  # levels are asked where they are named
    there = tuple(name for name in whole if any(matches(pattern, name) for pattern in usual or ()))
    if absent := [name for name in usual or () if not any(matches(name, each) for each in known)]:
        asked_now = f" Asked: {', '.join(there)}." if there else ""
        say(
            f"models.yml names the {kind} {', '.join(absent)}, which the suite {suite.name} does not have; "
            f"it has {', '.join(known)}.{asked_now}"
        )
    return there


def choose_dialects(
    asked: tuple[str, ...], usual: tuple[str, ...] | None, suite: Suite, say: Say
) -> tuple[str, ...]:
    """The dialects of a run. A pattern names twisted dialects only if it has a `+`."""
    twisted = [pattern for pattern in asked if TWISTED in pattern]
    plain = tuple(pattern for pattern in asked if TWISTED not in pattern)
    chosen: tuple[str, ...] = ()
    if plain or not twisted:
        known = suite.language.dialects
        chosen = choose_levels("dialect", plain, usual, known, suite, say) or known[:1]
    if twisted:
        there = suite.twisted_dialects
        if not there:
            raise UsageError(
                f"--dialect {twisted[0]}: the suite {suite.name} has no tasks under a twist (no "
                "twists/*.yml)."
            )
        chosen += pick(
            "dialect", twisted, there, f"in the suite {suite.name}, which has {', '.join(suite.twists)}"
        )
    return chosen


def select_tasks(
    tasks: tuple[str, ...], dialects: tuple[str, ...], suite: Suite, say: Say, *, named: bool
) -> tuple[str, ...]:
    """The tasks that can be asked in all dialects; those no twist touches only if the user named tasks.

    A plan asks the same tasks in every dialect, so that a rule is measured on the same tasks with and without
    it.
    """
    twists = [suite.twists[name] for name in dict.fromkeys(map(twist_of, dialects)) if name]
    if not twists:
        return tasks
    can = [task for task in tasks if all(task in twist.asked for twist in twists)]
    kept = [task for task in can if named or any(task in twist.touched for twist in twists)]
    if not kept:
        raise UsageError(
            "None of these tasks is touched by the twist of the dialect; choose other tasks or another twist."
        )
    names = ", ".join(twist.twist for twist in twists)
    parts = [f"{len(can) - len(kept)} are not touched by it"] if len(can) > len(kept) else []
    parts += [f"{len(tasks) - len(can)} can't be asked under it"] if len(tasks) > len(can) else []
    if parts:
        say(f"Under {names} {len(kept)} of {len(tasks)} tasks are asked; {' and '.join(parts)}.")
    if not any(not twist_of(dialect) for dialect in dialects):
        say("No dialect without a twist is asked, so this run alone can't tell the price of the rule.")
    return tuple(kept)
