"""`probatio daily`: run the daily suite with every tracked model and score the day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import Incomplete, ProbatioError, Say, UsageError

if TYPE_CHECKING:
    from probatio.watch.day.preparation import PreparedDay


class Again(Protocol):
    """The command that goes on with a day."""

    def __call__(self, *, capped: bool) -> str: ...


GROUPS = {
    "What is asked": ("suite", "new_series", "use_cases", "form", "date", "replay"),
    "Who is asked": ("models", "config", "allow_hosts", "no_route_check"),
    "Limits": ("max_cost", "max_month_cost", "yes", "max_connections", "max_wait", "workers", "sandbox"),
    "When": ("every", "jitter", "once"),
    "Output": ("results", "heartbeat", "dry_run", "verbose", "as_json"),
}
"""Heading in `--help` → its options."""


@click.command(cls=Verb, groups=GROUPS)
@click.option("--date", metavar="YYYY-MM-DD", help="The day to run or to complete, in UTC.  [default: today]")
@click.option(
    "--replay",
    is_flag=True,
    help="The date is a set one, as in a recorded example: every page marks the day as replayed.",
)
@options.models
@click.option(
    "--form",
    metavar="NAME",
    help="How much of the suite each model is asked today: `whole`, or one of its `forms`, such as "
    "`first`.  [default: as models.yml says, else `small` for an embedded model]",
)
@options.names_option("--use-case", "use_cases", "Use case id or glob, such as 'math_*'.")
@options.suite_of_days
@options.new_series
@options.config
@options.results
@options.limits
@options.yes
@click.option(
    "--max-month-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Ask nothing more when the days of this month have cost so much.  [default: `max_month_cost` of "
    "models.yml]",
)
@click.option(
    "--heartbeat",
    metavar="URL",
    help="Call this address after a complete day, and its /fail after one that is not.  [default: "
    "`heartbeat` of models.yml]",
)
@click.option(
    "--unattended",
    is_flag=True,
    hidden=True,
    help="With --dry-run: refuse a day that would ask for consent, or lacks a key.",
)
@options.allow_hosts
@click.option(
    "--no-route-check",
    is_flag=True,
    help="Do not ask the route's catalogue, on a model's first day, whether its pinned provider serves it.",
)
@options.workers
@click.option("--dry-run", is_flag=True, help="Show counts and estimated cost; ask no model.")
@options.sandbox
@options.as_events
@click.option("--verbose", "-v", is_flag=True, help="Print one line per sample.")
@click.option(
    "--every",
    is_flag=False,
    flag_value="06:00",
    metavar="[HH:MM|LENGTH]",
    help="Run each day at this hour in UTC, or each time that LENGTH has passed: 6h, 1d.  [06:00 if you "
    "give none]",
)
@click.option(
    "--jitter", metavar="LENGTH", help="With --every: start up to this much later, at random: 90s, 15m, 2h."
)
@click.option("--once", is_flag=True, help="With --every: stop after one day, with its exit code.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    results: Path,
    as_json: bool,
    verbose: bool,
    dry_run: bool,
    max_connections: int | None,
    allow_hosts: tuple[str, ...],
    heartbeat: str | None,
    workers: str | None,
    yes: bool,
    unattended: bool,
    every: str | None,
    jitter: str | None,
    once: bool,
    **given: object,
) -> None:
    """Run the daily suite: every tracked model gets the same cases and a score per use case.

    Running a day again sends only the requests that are missing. A model that is first asked on another date
    than the day's is marked as asked late: it is shown, but it enters no baseline.

    With --every it runs each day at that hour of the day in UTC, or each time that length of time has passed,
    until Ctrl-C or SIGTERM. If the hour is past and today has not run, it runs at once; a day that is
    complete is not asked again. Two days never run at the same time, and after a failed day the next one runs
    as usual. What the month has cost is said at the start and after each day. If a day is expected to cost
    more than `confirm_above` in models.yml, say --yes or set a limit when you start it. `daily schedule`
    makes the files for cron, systemd and GitHub Actions.

    \b
    Examples:
      probatio daily                                the models of models.yml, else an embedded model
      probatio daily --model 'gpt-*' --max-cost 2
      probatio daily --date 2026-03-01              complete that day
      probatio daily --form first                   a first look: one case of each use case that code grades
      probatio daily --dry-run                      show the plan and the estimated cost
      probatio daily --every 06:00 --jitter 15m --max-cost 5
      probatio daily --every 6h --max-month-cost 60 --heartbeat https://hc-ping.com/UUID
    """
    sending = not dry_run or unattended
    if sending:
        options.confirm_config(given["config"], as_json)  # type: ignore[arg-type]
    if every is not None:
        from probatio.cli.daily.every import keep_running

        ctx.exit(keep_running(ctx, every, jitter, once))
    if jitter is not None or once:
        raise UsageError("--jitter and --once go with --every.")
    from probatio.ask.hosts import environment
    from probatio.cli.daily.every import format_again
    from probatio.core.config import load_config
    from probatio.runs.consent import agree
    from probatio.runs.preparation import MAX_CONNECTIONS
    from probatio.watch.alerts.heartbeat import find_heartbeat, ping
    from probatio.watch.day.preparation import DayRequest, prepare
    from probatio.watch.day.summary import describe_start, show_plan

    env = environment(allow_hosts)
    request = DayRequest(**given, max_connections=max_connections or MAX_CONNECTIONS)  # type: ignore[arg-type]
    note = options.note(as_json)
    configured = load_config(request.config).daily.heartbeat
    beat = find_heartbeat(heartbeat, configured, env, note, sending=sending)
    try:
        prepared = prepare(request, results, env, note, datetime.now(UTC), dry=dry_run, keys=sending)
        options.say_ahead(results, note)
        if dry_run:
            show_plan(prepared, as_json=as_json)
        else:
            note(describe_start(prepared))
        if not dry_run or unattended:
            agree(prepared, options.consent(yes, as_json or unattended), note)
        if dry_run:
            return
        options.check_with(workers, note)
        again = partial(format_again, ctx, prepared.record.date)
        _run(prepared, env, note, again, as_json=as_json, verbose=verbose)
    except _Interrupted:
        raise
    except (ProbatioError, OSError):
        if beat and beat.failed and not dry_run:
            ping(beat.failed, note)
        raise
    if beat:
        ping(beat.done, note)


class _Interrupted(Incomplete):
    """A person or the system stopped the day: it will be continued, so no heartbeat reports a failure."""


def _run(
    prepared: PreparedDay, env: Mapping[str, str], note: Say, go_on: Again, *, as_json: bool, verbose: bool
) -> None:
    from probatio.cli.output import outlive_readers
    from probatio.runs.models import list_reasons
    from probatio.runs.progress import Show, mark_of_score
    from probatio.runs.session import INTERRUPTED, TERMINATED
    from probatio.suites.daily_suite import constants_of
    from probatio.watch.day.first_day import describe_first_day
    from probatio.watch.day.job import run_day
    from probatio.watch.day.summary import show_end

    outlive_readers()
    show = Show(as_json=as_json, verbose=verbose, mark=mark_of_score)
    ending = run_day(prepared, env, show.open, note)
    show_end(show.close(), prepared, ending)
    capped = (ending.session.stop_reason or "").startswith("The budget of")
    again = f"Continue with: {go_on(capped=capped)}"
    if ending.session.stop_reason in (f"{INTERRUPTED}.", f"{TERMINATED}."):
        raise _Interrupted(f"{ending.session.stop_reason} {again}")
    if ending.session.stop_reason:
        if prepared.month and prepared.request.max_cost == prepared.month.left:
            again = (
                f"That is what was left of the month's cap of ${prepared.month.cap:.2f}; a larger one is "
                f"given with --max-month-cost. {again}"
            )
        raise Incomplete(f"{ending.session.stop_reason} {again}")
    if whole := [*(each.sentence for each in ending.session.unasked), *ending.session.refused.values()]:
        raise Incomplete(f"{' '.join(whole)} {again}")
    if skipped := prepared.record.skipped:
        raise Incomplete(f"Not asked: {list_reasons(skipped)}. {again}")
    if ending.missing:
        raise Incomplete(f"{', '.join(ending.missing)}: begun earlier and not complete. {again}")
    if ending.closed and (words := describe_first_day(prepared.new, constants_of(prepared.suite.manifest))):
        note(words)
