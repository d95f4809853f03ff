"""`probatio trial`: ask models the tasks of a suite and grade the answers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.runs.preparation import PreparedRun
    from probatio.runs.session import Ending

RESUME_ALLOWS = {
    "resume",
    "retry_errors",
    "results",
    "models",
    "config",
    "sandbox",
    "verbose",
    "as_json",
    "max_connections",
    "max_cost",
    "max_wait",
    "yes",
    "allow_hosts",
}
"""Options allowed with --resume. They change how the run goes on, never what is in it: the record says what
is asked, the command line and models.yml in which jail, where and with which key."""


GROUPS = {
    "What is asked": (
        "suite",
        "tasks",
        "categories",
        "contexts",
        "n_shots",
        "dialects",
        "samples",
        "attempts",
        "feedback",
        "limit",
        "reuse",
    ),
    "Who is asked": ("models", "config", "allow_hosts"),
    "Limits": ("max_cost", "yes", "max_connections", "max_wait", "sandbox"),
    "Output": ("results", "run_id", "resume", "retry_errors", "dry_run", "verbose", "as_json"),
}
"""Heading in `--help` → its options."""


@click.command(cls=Verb, groups=GROUPS)
@options.models
@options.names_option(
    "--task", "tasks", "Task id or glob, such as 'predict_*'.", complete=options.complete_tasks
)
@options.names_option(
    "--category", "categories", "Task category, such as loops.", complete=options.complete_categories
)
@options.n_shots
@options.names_option(
    "--context",
    "contexts",
    "How much of the language the prompt describes: a name or glob of the suite's contexts.  [default: all]",
    complete=options.complete_contexts,
)
@options.names_option(
    "--dialect",
    "dialects",
    "The words of the language, where it has several sets; WORDS+TWIST also exchanges a rule.  "
    "[default: the first]",
    complete=options.complete_dialects,
)
@options.path_option(
    "--suite",
    "A language's folder, or the name of a built-in one (see `probatio suite list`).  [default: the first]",
    shell_complete=options.complete_suites,
)
@options.config
@options.value_option("--samples", click.IntRange(1), 1, "Answers per trial.")
@options.value_option(
    "--attempts",
    click.IntRange(1, 20),
    1,
    "How often a task may be answered until it is right; after a wrong answer the model is told and "
    "may try again.",
)
@options.value_option(
    "--feedback",
    click.Choice(["none", "verdict", "diagnostics"]),
    "diagnostics",
    "What it is told: only that it was wrong, how far it got, or what the checker and the program printed.",
)
@click.option("--limit", type=click.IntRange(1), help="Only N trials, shared among the models.")
@options.names_option(
    "--reuse",
    "reuse",
    "Take over the answers of these runs under --results that asked the same: prompt, model, route and "
    "sampling. Only new questions are asked; all are graded again.",
    metavar="RUN,…",
    complete=options.complete_runs,
)
@options.results
@click.option("--run-id", help="The name of the run.  [default: the time of its start]")
@click.option(
    "--resume",
    metavar="RUN",
    shell_complete=options.complete_runs,
    help="Continue a run: its run.json says what is asked, your models.yml where and with which key.",
)
@click.option("--retry-errors", is_flag=True, help="With --resume: also repeat failed requests (api_error).")
@options.limits
@options.yes
@options.allow_hosts
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show counts, tokens and estimated cost (-v: the prompts); send no request.",
)
@options.sandbox
@options.as_events
@click.option("--verbose", "-v", is_flag=True, help="Print one line per trial.")
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Ask models the tasks of a suite and grade the answers.

    \b
    Examples:
      probatio trial --limit 20                     the models of models.yml, else an embedded model
      probatio trial --model gpt-3.5-turbo --n-shot 3 --context minimal
      probatio trial --model 'llama-*' --category loops --max-cost 2.50
      probatio trial --reuse monday                 ask only what is new since then
      probatio trial --resume 2026-01-05T20-27-27   continue a run
    """
    from probatio.api import carry_out_trials
    from probatio.ask.hosts import environment
    from probatio.cli.output import outlive_readers
    from probatio.runs.consent import agree
    from probatio.runs.preparation import MAX_CONNECTIONS, TrialRequest, prepare, prepare_again
    from probatio.runs.progress import Show
    from probatio.runs.summary import show_end, show_plan

    env = environment(given.pop("allow_hosts"))  # type: ignore[arg-type]
    results = Path(str(given.pop("results")))
    as_json, verbose, dry_run, yes = (
        bool(given.pop(name)) for name in ("as_json", "verbose", "dry_run", "yes")
    )
    resume, retry_errors = given.pop("resume"), bool(given.pop("retry_errors"))
    note = options.note(as_json)
    if not dry_run:
        options.confirm_config(given["config"], as_json)  # type: ignore[arg-type]
    if resume is not None:
        _refuse_flags_with_resume(ctx)
        names = ("models", "config", "sandbox", "max_connections", "max_cost", "max_wait")
        settings = {name: given[name] for name in names}
        prepared = prepare_again(str(resume), results, env, note, retry_errors=retry_errors, **settings)  # type: ignore[arg-type]
    elif retry_errors:
        raise UsageError("--retry-errors goes with --resume RUN.")
    else:
        given["max_connections"] = given["max_connections"] or MAX_CONNECTIONS
        request = TrialRequest(**given)  # type: ignore[arg-type]  # click gives each option its type
        prepared = prepare(request, results, env, note, dry=dry_run)
        if dry_run:
            show_plan(prepared, as_json=as_json, verbose=verbose)
            _show_power(prepared, as_json)
            return
        agree(prepared, options.consent(yes, as_json), note)
    outlive_readers()
    show = Show(as_json=as_json, verbose=verbose)
    ending, analysis = carry_out_trials(prepared, env, show.open, show.say)
    again = _format_resume(prepared.folder, given)
    show_end(show.close(), prepared.folder, ending, analysis, again)
    _require_complete(ending, again)


def _show_power(prepared: PreparedRun, as_json: bool) -> None:
    """Show what a comparison with such a run could detect, before the money is spent."""
    from probatio.learn.planning import describe_power, plan_run_power

    plan = plan_run_power(prepared.record.plan, prepared.suite.tasks)
    if not as_json:
        click.echo(plan if isinstance(plan, str) else describe_power(plan))
    elif not isinstance(plan, str):
        options.print_event("power", plan)


def _format_resume(folder: Path, given: Mapping[str, object]) -> str:
    """The command that goes on with the run, with what its record can't say: where the models are, and in
    which jail."""
    words = ["probatio", "trial", "--resume", str(folder)]
    words += ["--config", str(given["config"])] if given["config"] else []
    words += ["--sandbox", str(given["sandbox"])] if given["sandbox"] != "auto" else []
    return shlex.join(words)


def _require_complete(ending: Ending, again: str) -> None:
    """Exit with code 3 if trials are left, and name the command that continues."""
    from probatio.api import list_unfinished

    if ending.failed and not (ending.stop_reason and not ending.unasked):
        again += " --retry-errors"
    if reasons := list_unfinished(ending):
        raise Incomplete(f"{' '.join(reasons)} Continue with: {again}")


def _refuse_flags_with_resume(ctx: click.Context) -> None:
    for param in ctx.command.params:
        name = param.name or ""
        given = ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if given and name not in RESUME_ALLOWS:
            raise UsageError(
                f"{param.opts[0]} can't be used with --resume: "
                f"a resumed run takes its settings from run.json."
            )
