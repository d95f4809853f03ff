"""`probatio learn`: how many tokens of documentation a model needs to learn a language."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from probatio.cli import options
from probatio.core.errors import Incomplete, Say, UsageError

if TYPE_CHECKING:
    from probatio.runs.consent import Consent
    from probatio.runs.preparation import PreparedRun, TrialRequest
    from probatio.runs.progress import Show


@click.command()
@click.argument("language", required=False, shell_complete=options.complete_suites)
@options.models
@click.option(
    "--to",
    "share",
    type=click.FloatRange(1, 99),
    default=80.0,
    show_default=True,
    metavar="%",
    help="The share of the tasks that is to be right.",
)
@click.option(
    "--within",
    type=click.FloatRange(0, 1000),
    default=15.0,
    show_default=True,
    metavar="%",
    help="How wide the bracket may be, where there are levels between its ends.",
)
@options.names_option(
    "--context",
    "contexts",
    "The contexts to search, by name or glob.  [default: all]",
    complete=options.complete_contexts,
)
@options.n_shots
@options.names_option(
    "--dialect", "dialects", "One dialect.  [default: the first]", complete=options.complete_dialects
)
@options.names_option("--task", "tasks", "Task id or glob.  [default: all]", complete=options.complete_tasks)
@options.config
@options.names_option(
    "--reuse",
    "reuse",
    "Take over the answers of these runs.",
    metavar="RUN,…",
    complete=options.complete_runs,
)
@click.option(
    "--ablate",
    is_flag=True,
    help="At the level found, leave out each section of a ranked document in turn, and tell what it buys.",
)
@options.results
@click.option("--run-id", help="The name of the run.  [default: the time of its start]")
@options.limits
@options.yes
@options.allow_hosts
@options.sandbox
@options.as_events
@click.option("--verbose", "-v", is_flag=True, help="Print one line per question.")
def command(
    language: str | None,
    share: float,
    within: float,
    ablate: bool,
    results: Path,
    allow_hosts: tuple[str, ...],
    yes: bool,
    as_json: bool,
    verbose: bool,
    **given: object,
) -> None:
    """Find how many tokens of documentation and examples a model needs until it has learned a language, with
    few questions: those whose answers tell most are asked next, until the answer is clear.

    LANGUAGE is a folder, or the name of a built-in language. The search is an ordinary run: `trial --resume`
    continues it, `study` reads it. The answer is about the tasks of the suite.

    \b
    Examples:
      probatio learn kcl --model gpt-4o-mini
      probatio learn my-language --model gpt-4o-mini --to 90 --max-cost 2
      probatio learn my-language --context 'guide*' --n-shot 0      the levels of one document
      probatio learn my-language --context 'guide*' --ablate        and what each section of it buys
    """
    from probatio.api import carry_out_trials, list_unfinished
    from probatio.ask.hosts import environment
    from probatio.cli.output import outlive_readers
    from probatio.learn.search import find_levels
    from probatio.runs.consent import agree
    from probatio.runs.preparation import MAX_CONNECTIONS, TrialRequest, prepare
    from probatio.runs.progress import Show
    from probatio.runs.record import SearchRule
    from probatio.runs.summary import show_end

    env = environment(allow_hosts)
    note = options.note(as_json)
    options.confirm_config(given["config"], as_json)  # type: ignore[arg-type]
    given["max_connections"] = given["max_connections"] or MAX_CONNECTIONS
    request = TrialRequest(
        suite=Path(language) if language else None,
        search=SearchRule(share / 100, within / 100),
        **given,  # type: ignore[arg-type]  # click gives each option its type
    )
    prepared = prepare(request, results, env, note)
    _require_levels(prepared)
    consent = options.consent(yes, as_json)
    note(f"At most {len(prepared.record.plan):,} questions; a search asks a part of them. For all of them:")
    agree(prepared, consent, note)
    outlive_readers()
    show = Show(as_json=as_json, verbose=verbose)
    ending, analysis = carry_out_trials(prepared, env, show.open, show.say)
    again = shlex.join(["probatio", "trial", "--resume", str(prepared.folder)])
    show_end(show.close(), prepared.folder, ending, analysis, again)
    for found in find_levels(prepared.folder, prepared.suite):
        if as_json:
            options.print_event("found", found)
        else:
            click.echo(found.sentence)
    if reasons := list_unfinished(ending):
        raise Incomplete(f"{' '.join(reasons)} Continue with: {again}")
    if ablate:
        _ablate(prepared, request, results, env, note, show, consent, ending.tally.spent, as_json=as_json)


def _ablate(
    searched: PreparedRun,
    request: TrialRequest,
    results: Path,
    env: Mapping[str, str],
    note: Say,
    show: Show,
    consent: Consent,
    spent: float,
    *,
    as_json: bool,
) -> None:
    """A run for each model that has a level: all tasks, with a section left out at a time."""
    from probatio.api import carry_out_trials, list_unfinished
    from probatio.learn.ablation import list_ablations, measure_sections
    from probatio.learn.search import find_levels
    from probatio.runs.consent import agree
    from probatio.runs.preparation import prepare

    for number, found in enumerate(find_levels(searched.folder, searched.suite), 1):
        contexts = list_ablations(searched.suite, found)
        if not contexts or found.place is None:
            why = "no level of a document with ranked sections was found (docs/your-language.md)"
            note(f"{found.model}: nothing is left out: {why}.")
            continue
        name = f"{searched.record.run_id}-ablate-{number}"
        asked = msgspec.structs.replace(
            request, models=(found.model,), contexts=tuple(contexts), n_shots=(found.place.n_shot,),
            tasks=searched.record.plan.tasks, reuse=(searched.record.run_id,), run_id=name, search=None,
            max_cost=None if request.max_cost is None else request.max_cost - spent,
        )  # fmt: skip
        if asked.max_cost is not None and asked.max_cost <= 0:
            raise Incomplete(f"Nothing is left out: the budget of ${request.max_cost:.2f} is spent.")
        prepared = prepare(asked, results, env, note)
        agree(prepared, consent, note)
        ending, _ = carry_out_trials(prepared, env, show.open, show.say)
        show.close()
        spent += ending.tally.spent
        if not as_json:
            click.echo()
        for worth in measure_sections(prepared.folder, prepared.suite):
            if as_json:
                options.print_event("section", worth, per_100_tokens=worth.per_100_tokens)
            else:
                click.echo(f"{worth.model}: {worth.sentence}")
        if reasons := list_unfinished(ending):
            again = shlex.join(["probatio", "trial", "--resume", str(prepared.folder)])
            raise Incomplete(f"{' '.join(reasons)} Continue with: {again}")


def _require_levels(prepared: PreparedRun) -> None:
    plan = prepared.record.plan
    if len(plan.contexts) * len(plan.n_shots) < 2:
        raise UsageError("A search needs at least two levels: contexts, numbers of examples, or both.")
