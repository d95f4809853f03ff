"""`probatio daily`: run the daily suite with every tracked model and score the day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import Incomplete, ProbatioError, Say

if TYPE_CHECKING:
    from probatio.day.preparation import PreparedDay


@click.command()
@click.option("--date", metavar="YYYY-MM-DD", help="The day to run or to complete, in UTC.  [default: today]")
@click.option(
    "--replay",
    is_flag=True,
    help="The date is a set one, as in a recorded example: the day is marked replayed, and every page says so.",
)
@options.models
@click.option(
    "--use-case", "use_cases", multiple=True, callback=options.listed, help="Use case id or glob, such as 'math_*'."
)
@click.option(
    "--suite", type=click.Path(path_type=Path), help="A folder with suite.yml.  [default: the built-in suite]"
)
@options.config
@options.results
@options.limits
@options.yes
@click.option(
    "--max-month-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Ask nothing more when the days of this month have cost so much.  [default: `max_month_cost` of models.yml]",
)
@click.option(
    "--heartbeat",
    metavar="URL",
    help="Call this address after a complete day, and its /fail after one that is not.  [default: `heartbeat` of models.yml]",
)
@click.option(
    "--unattended", is_flag=True, hidden=True, help="With --dry-run: refuse a day that would ask for consent."
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line.")
@click.option("--verbose", "-v", is_flag=True, help="Print one line per sample.")
def command(
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
    **given: object,
) -> None:
    """Run the daily suite: every tracked model gets the same cases and a score per use case.

    Running a day again sends only the requests that are missing. A model that is first asked on another date than the day's is
    marked as asked late: it is shown, but it enters no baseline.

    \b
    Examples:
      probatio daily                                the models of models.yml, else an embedded model
      probatio daily --model 'gpt-*' --max-cost 2
      probatio daily --date 2026-03-01              complete that day
      probatio daily --dry-run                      show the plan and the estimated cost
    """
    from probatio.alerts.heartbeat import beat_of, ping
    from probatio.ask.hosts import environment
    from probatio.config import load_config
    from probatio.day.preparation import DayRequest, prepare
    from probatio.day.summary import show_plan
    from probatio.run.clock import today
    from probatio.run.request import MAX_CONNECTIONS
    from probatio.store.days import days_ahead, told_ahead

    env = environment(allow_hosts)
    request = DayRequest(**given, max_connections=max_connections or MAX_CONNECTIONS)  # type: ignore[arg-type]
    note = options.note(as_json)
    beat = beat_of(heartbeat, load_config(request.config).daily.heartbeat, env, note)
    try:
        prepared = prepare(request, results, env, note, datetime.now(UTC), fetch=not dry_run)
        if ahead := days_ahead(results, today()):
            note(told_ahead(ahead, today()))
        if dry_run:
            show_plan(prepared, as_json=as_json)
        if not dry_run or unattended:
            _require_consent(prepared, yes=yes, as_json=as_json or unattended)
        if dry_run:
            return
        options.check_with(workers, note)
        _run(prepared, env, note, as_json=as_json, verbose=verbose)
    except _Interrupted:
        raise
    except (ProbatioError, OSError):
        if beat and beat.failed and not dry_run:
            ping(beat.failed, note)
        raise
    if beat:
        ping(beat.done, note)


def _require_consent(prepared: PreparedDay, *, yes: bool, as_json: bool) -> None:
    """A limit that the user has set for the day or for the month is their word, too."""
    from probatio.cli.consent import require_consent
    from probatio.day.estimate import expected_day

    given = yes or prepared.request.max_cost is not None
    if not given:
        expected = expected_day(prepared).at_most
        require_consent(expected, prepared.confirm_above, "This day, at full count,", given=False, as_json=as_json)


class _Interrupted(Incomplete):
    """A person or the system stopped the day: it will be continued, and nobody needs to be woken."""


def _run(prepared: PreparedDay, env: Mapping[str, str], note: Say, *, as_json: bool, verbose: bool) -> None:
    from probatio.cli.reader_gone import outlive_readers
    from probatio.day.first_day import first_words
    from probatio.day.summary import show_end
    from probatio.day.work import run_day
    from probatio.run.progress import Show, mark_of_score
    from probatio.run.session import INTERRUPTED, TERMINATED
    from probatio.suite.daily_suite import constants_of

    outlive_readers()
    show = Show(as_json=as_json, verbose=verbose, mark=mark_of_score)
    ending = run_day(prepared, env, show.open, note)
    show_end(show.close(), prepared.folder, ending, prepared.suite)
    again = f"Continue with: probatio daily --date {prepared.record.date}"
    if ending.session.stop_reason in (f"{INTERRUPTED}.", f"{TERMINATED}."):
        raise _Interrupted(f"{ending.session.stop_reason} {again}")
    if ending.session.stop_reason:
        if prepared.month and prepared.request.max_cost == prepared.month.left:
            again = (
                f"That is what was left of the month's cap of ${prepared.month.cap:.2f}. {again} --max-month-cost USD"
            )
        raise Incomplete(f"{ending.session.stop_reason} {again}")
    if whole := [*(each.sentence for each in ending.session.unasked), *ending.session.refused.values()]:
        raise Incomplete(f"{' '.join(whole)} {again}")
    if ending.missing:
        raise Incomplete(f"{', '.join(ending.missing)}: begun earlier and not complete. {again}")
    if ending.closed and (words := first_words(prepared.new, constants_of(prepared.suite.manifest))):
        note(words)
