"""`probatio trial`: ask models the tasks of a suite and grade the answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.run.record import RunRecord
    from probatio.run.session import Ending
    from probatio.suite.language_suite import Suite

RESUME_ALLOWS = {
    "resume",
    "retry_errors",
    "results",
    "verbose",
    "as_json",
    "max_connections",
    "max_cost",
    "max_wait",
    "yes",
    "allow_hosts",
}
"""Flags allowed together with --resume. They change how the rest of the run is done and shown, never what is in it."""


def _n_shots(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    try:
        numbers = tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 0,1,3,10.") from None
    if any(number < 0 for number in numbers):
        raise click.BadParameter("a number of examples can't be negative.")
    return numbers


@click.command()
@options.models
@click.option(
    "--task",
    "tasks",
    multiple=True,
    callback=options.listed,
    shell_complete=options.complete_tasks,
    help="Task id or glob, such as 'predict_*'.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    callback=options.listed,
    shell_complete=options.complete_categories,
    help="Task category, such as loops.",
)
@click.option("--n-shot", "n_shots", callback=_n_shots, metavar="0,1,3,10", help="Numbers of examples in the prompt.")
@click.option(
    "--context",
    "contexts",
    multiple=True,
    callback=options.listed,
    shell_complete=options.complete_contexts,
    help="How much of the language the prompt describes: a name or glob of the suite's contexts.  [default: all]",
)
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    callback=options.listed,
    shell_complete=options.complete_dialects,
    help="The words of the language, where it has several sets; WORDS+TWIST also exchanges a rule.  [default: the first]",
)
@click.option(
    "--suite",
    type=click.Path(path_type=Path),
    shell_complete=options.complete_suites,
    help="A language's folder, or the name of a built-in one (see `probatio suite list`).  [default: the first]",
)
@options.config
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Answers per trial.")
@click.option(
    "--attempts",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="How often a task may be answered until it is right; after a wrong answer the model is told and may try again.",
)
@click.option(
    "--feedback",
    type=click.Choice(["none", "verdict", "diagnostics"]),
    default="diagnostics",
    show_default=True,
    help="What it is told: only that it was wrong, how far it got, or what the checker and the program printed.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N trials.")
@options.results
@click.option("--run-id", help="The name of the run.  [default: the time of its start]")
@click.option(
    "--resume",
    metavar="RUN",
    shell_complete=options.complete_runs,
    help="Continue a run, with all settings from its run.json.",
)
@click.option("--retry-errors", is_flag=True, help="With --resume: also repeat failed requests (api_error).")
@options.limits
@options.yes
@options.allow_hosts
@click.option(
    "--dry-run", is_flag=True, help="Show counts, tokens and estimated cost (-v: the prompts); send no request."
)
@options.sandbox
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line.")
@click.option("--verbose", "-v", is_flag=True, help="Print one line per trial.")
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Ask models the tasks of a suite and grade the answers.

    \b
    Examples:
      probatio trial --limit 20                     the models of models.yml, else an embedded model
      probatio trial --model gpt-3.5-turbo --n-shot 3 --context minimal
      probatio trial --model 'llama-*' --category loops --max-cost 2.50
      probatio trial --resume 2026-01-05T20-27-27   continue a run
    """
    from probatio.ask.hosts import environment

    env = environment(given.pop("allow_hosts"))  # type: ignore[arg-type]
    results = Path(str(given.pop("results")))
    as_json, verbose, dry_run, yes = (bool(given.pop(name)) for name in ("as_json", "verbose", "dry_run", "yes"))
    resume, retry_errors = given.pop("resume"), bool(given.pop("retry_errors"))
    if resume is not None:
        _refuse_flags_beside_resume(ctx)
        _resume(str(resume), results, given, env, as_json, verbose, retry_errors)
    elif retry_errors:
        raise UsageError("--retry-errors goes with --resume RUN.")
    else:
        _begin(results, given, env, as_json, verbose, dry_run, yes)


def _begin(
    results: Path,
    given: dict[str, object],
    env: Mapping[str, str],
    as_json: bool,
    verbose: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    from probatio.ask.prices import cost_of
    from probatio.ask.providers import provider_of
    from probatio.cli.consent import require_consent
    from probatio.config import load_config
    from probatio.run.estimate import WORTH_MEASURING, on_this_machine, plan_rows
    from probatio.run.preparation import TrialRequest, prepare
    from probatio.run.request import MAX_CONNECTIONS
    from probatio.run.summary import show_plan

    given["max_connections"] = given["max_connections"] or MAX_CONNECTIONS
    request = TrialRequest(**given)  # type: ignore[arg-type]  # click gives each option its type
    record, suite = prepare(request, results, env, options.note(as_json), fetch=not dry_run)
    if dry_run:
        show_plan(record, suite, as_json=as_json, verbose=verbose)
        _show_power(record, as_json)
        return
    named = [model for model in record.models if provider_of(model).local or cost_of(model, 1000, 1000)]
    rows = plan_rows(record, suite, named, measure=len(record.plan) > WORTH_MEASURING)
    for row in rows:
        if row.seconds is not None:
            options.note(as_json)(f"{row.model}: {on_this_machine(row.seconds)}.")
    expected = sum(row.cost or 0.0 for row in rows)
    above = load_config(request.config).confirm_above
    require_consent(expected, above, "This run", given=yes or request.max_cost is not None, as_json=as_json)
    _carry_out(results / record.run_id, record, suite, env, as_json, verbose)


def _show_power(record: RunRecord, as_json: bool) -> None:
    """What a comparison within this run, or with another like it, would show: before the money is spent."""
    from probatio.study.planning import power_line, power_of_run

    plan = power_of_run(record.plan)
    if not as_json:
        click.echo(plan if isinstance(plan, str) else power_line(plan))
    elif not isinstance(plan, str):
        import msgspec

        click.echo(msgspec.json.encode({"event": "power", **msgspec.to_builtins(plan)}).decode())


def _resume(
    run: str,
    results: Path,
    given: dict[str, object],
    env: Mapping[str, str],
    as_json: bool,
    verbose: bool,
    retry_errors: bool,
) -> None:
    from probatio.ask.routes import require_hosts
    from probatio.run.preparation import resumed
    from probatio.run.record import find_run, read_run

    folder = find_run(run, results)
    require_hosts(read_run(folder).models, env)
    record, suite = resumed(folder, given["max_connections"], given["max_cost"], given["max_wait"])  # type: ignore[arg-type]
    _carry_out(folder, record, suite, env, as_json, verbose, retry_errors)


def _carry_out(
    folder: Path,
    record: RunRecord,
    suite: Suite,
    env: Mapping[str, str],
    as_json: bool,
    verbose: bool,
    retry_errors: bool = False,
) -> None:
    from probatio.api.asking import carry_out_trials
    from probatio.cli.reader_gone import outlive_readers
    from probatio.run.progress import Show
    from probatio.run.summary import show_end

    outlive_readers()
    show = Show(as_json=as_json, verbose=verbose)
    ending, analysis = carry_out_trials(folder, record, suite, env, show.open, show.say, retry_errors=retry_errors)
    show_end(show.close(), folder, ending, analysis)
    _require_complete(folder, ending)


def _require_complete(folder: Path, ending: Ending) -> None:
    """Exit code 3 where trials were not asked, or a model could not be asked at all, with the command that goes on."""
    from probatio.api.asking import unfinished

    again = f"probatio trial --resume {folder}"
    if ending.failed and not (ending.stop_reason and not ending.unasked):
        again += " --retry-errors"
    if reasons := unfinished(ending):
        raise Incomplete(f"{' '.join(reasons)} Continue with: {again}")


def _refuse_flags_beside_resume(ctx: click.Context) -> None:
    for param in ctx.command.params:
        name = param.name or ""
        if name not in RESUME_ALLOWS and ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise UsageError(
                f"{param.opts[0]} can't be used with --resume: a resumed run takes its settings from run.json."
            )
