"""Asking: a run of trials from Python, and the one function that carries out a run for Python and for `probatio trial`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from probatio.errors import ProbatioError, Say, UsageError
from probatio.sandbox import Choice

if TYPE_CHECKING:
    from probatio.api.progress import Silent
    from probatio.records import Feedback
    from probatio.run.engine import Engine, Watcher
    from probatio.run.record import RunRecord
    from probatio.run.session import Ending
    from probatio.study.findings import Study
    from probatio.suite.language_suite import Suite

Names = str | Sequence[str]
"""One name or several; names may be globs."""
Place = str | Path


class Run(msgspec.Struct, frozen=True):
    """A run as it stands: how many passed, where everything is, and why it stopped if it did."""

    folder: Path
    passed: int
    asked: int  # answered and checked
    errors: int  # could not be asked
    unchecked: int
    total: int
    cost: float  # US dollars, of this call
    seconds: float
    stopped: str | None = None  # None where all trials are done
    analysis: Path | None = None

    @property
    def id(self) -> str:
        return self.folder.name

    def read(self, frame: str = "duckdb", *, answers: bool = False) -> Any:
        """The trials of this run; see `probatio.read`."""
        from probatio.api.reading import read

        return read(self.folder, frame=frame, answers=answers)  # type: ignore[call-overload]

    def study(self) -> Study:
        """What this run tells; see `probatio.study`."""
        from probatio.api.studying import study

        return study(self.folder)

    def __str__(self) -> str:
        share = f" ({100 * self.passed / self.asked:.0f} %)" if self.asked else ""
        rest = f"; stopped: {self.stopped}" if self.stopped else ""
        return f"{self.id}: {self.passed}/{self.asked} passed{share}, ${self.cost:.2f}{rest}"


class CarriedOut(NamedTuple):
    """How a run ended, and its analysis where it could be written."""

    ending: Ending
    analysis: Path | None


def run(
    suite: Place | None = None,
    models: Names = (),
    *,
    tasks: Names = (),
    categories: Names = (),
    n_shots: int | Sequence[int] | None = None,
    contexts: Names = (),
    dialects: Names = (),
    samples: int = 1,
    attempts: int = 1,
    feedback: Feedback = "diagnostics",
    limit: int | None = None,
    run_id: str | None = None,
    results: Place = "results",
    config: Place | None = None,
    max_connections: int | None = None,
    max_cost: float | None = None,
    max_wait: float | None = None,
    yes: bool = False,
    sandbox: Choice = "auto",
    allow_hosts: Names = (),
    progress: bool | Literal["auto"] = "auto",
) -> Run:
    """Ask models the tasks of a suite, grade the answers and keep everything in `results`, as `probatio trial` does.

    `suite` is a folder or the name of a built-in suite, `models` are ids or globs of models.yml (else `gguf:PATH`, `openai:NAME`,
    `openrouter:NAME`). What is not given is as on the command line. Works in a notebook, too: there a bar shows how it goes, and
    the stop button lets answers in flight come home. A run that stopped goes on with `probatio.resume`. A run expected to cost
    more than `confirm_above` of models.yml needs `yes=True` or a `max_cost`.
    """
    from probatio.ask.hosts import environment
    from probatio.config import load_config
    from probatio.run.preparation import TrialRequest, prepare
    from probatio.run.request import MAX_CONNECTIONS

    shown = _progress(progress)
    request = TrialRequest(
        models=_listed(models),
        suite=None if suite is None else Path(suite),
        config=None if config is None else Path(config),
        max_connections=max_connections or MAX_CONNECTIONS,
        max_cost=max_cost,
        max_wait=max_wait,
        sandbox=sandbox,
        tasks=_listed(tasks),
        categories=_listed(categories),
        n_shots=None if n_shots is None else (n_shots,) if isinstance(n_shots, int) else tuple(n_shots),
        contexts=_listed(contexts),
        dialects=_listed(dialects),
        samples=samples,
        attempts=attempts,
        feedback=feedback,
        limit=limit,
        run_id=run_id,
    )
    env = environment(_listed(allow_hosts))
    record, loaded = prepare(request, Path(results), env, shown.say)
    expected, above = expected_cost(record, loaded), load_config(request.config).confirm_above
    if expected > above and not yes and max_cost is None:
        raise UsageError(
            f"This run is expected to cost about ${expected:.2f}: more than ${above:.2f} (`confirm_above` in models.yml). "
            "Say yes=True to go on, or set a limit with max_cost=. Nothing was asked."
        )
    return _carried(Path(results) / record.run_id, record, loaded, env, shown, retry_errors=False)


def resume(
    run: Place | Run,
    *,
    retry_errors: bool = False,
    results: Place = "results",
    max_connections: int | None = None,
    max_cost: float | None = None,
    max_wait: float | None = None,
    allow_hosts: Names = (),
    progress: bool | Literal["auto"] = "auto",
) -> Run:
    """Go on with a run that stopped; what is answered is not asked again. `retry_errors` also repeats failed requests."""
    from probatio.ask.hosts import environment
    from probatio.ask.routes import require_hosts
    from probatio.run.preparation import resumed
    from probatio.run.record import find_run, read_run

    folder = find_run(str(run.folder if isinstance(run, Run) else run), Path(results))
    env = environment(_listed(allow_hosts))
    require_hosts(read_run(folder).models, env)
    record, loaded = resumed(folder, max_connections, max_cost, max_wait)
    return _carried(folder, record, loaded, env, _progress(progress), retry_errors=retry_errors)


def carry_out_trials(
    folder: Path,
    record: RunRecord,
    suite: Suite,
    env: Mapping[str, str],
    show: Callable[[Engine], Watcher],
    say: Say,
    *,
    retry_errors: bool = False,
) -> CarriedOut:
    """Do what is left of a run, and write its analysis."""
    from probatio.run.session import carry_out
    from probatio.run.trials import TrialWork
    from probatio.study.analysis import write_analysis

    ending = carry_out(TrialWork(folder, record, suite, retry_errors=retry_errors), env, show, say)
    try:
        return CarriedOut(ending, write_analysis(folder, suite))
    except (ProbatioError, OSError) as error:  # the answers are what was paid for; tables can be made any time
        say(f"The analysis could not be written: {error} Make it later with: probatio study {folder}")
        return CarriedOut(ending, None)


def expected_cost(record: RunRecord, suite: Suite) -> float:
    """US dollars that the run is expected to cost, over the models whose price is known."""
    from probatio.ask.prices import cost_of
    from probatio.run.estimate import plan_rows

    priced = [model for model in record.models if cost_of(model, 1000, 1000)]
    return sum(row.cost or 0.0 for row in plan_rows(record, suite, priced))


def unfinished(ending: Ending) -> list[str]:
    """Why a run is not complete, in sentences; nothing where all of it was asked."""
    reasons = [each.sentence for each in ending.unasked]
    reasons += ending.refused.values()
    reasons += [ending.stop_reason] if ending.stop_reason else []
    rest = ending.tally.total - ending.tally.done
    return reasons or ([f"{rest} trials were not asked."] if rest else [])


def _carried(
    folder: Path, record: RunRecord, suite: Suite, env: Mapping[str, str], shown: Silent, *, retry_errors: bool
) -> Run:
    from probatio.api.apart import apart

    try:
        done = apart(
            lambda: carry_out_trials(folder, record, suite, env, shown.open, shown.say, retry_errors=retry_errors),
            shown.draw,
            shown.stop,
        )
    finally:
        shown.close()
    tally = done.ending.tally
    return Run(
        folder=folder,
        passed=tally.passed,
        asked=tally.passed + tally.failed,
        errors=tally.errors,
        unchecked=tally.unchecked,
        total=tally.total,
        cost=tally.spent,
        seconds=round(done.ending.seconds, 3),
        stopped=" ".join(unfinished(done.ending)) or None,
        analysis=done.analysis,
    )


def _progress(wanted: bool | str) -> Silent:
    from probatio.api.progress import progress

    return progress(wanted)


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
