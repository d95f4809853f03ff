"""`probatio verdict`: is each model still what it was, and why."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import UsageError
from probatio.redact import redact
from probatio.visible import raw, visible

if TYPE_CHECKING:
    from probatio.cli.verdict_table import Paint
    from probatio.records import Day, ModelVerdict
    from probatio.verdict.days import Days
    from probatio.verdict.words import Told

FAIL_ON = {
    "suspicious": ("SUSPICIOUS", "COOKED", "COOKED, confirmed"),
    "cooked": ("COOKED", "COOKED, confirmed"),
    "confirmed": ("COOKED, confirmed",),
}
"""Gate → the headlines that fail it."""

COLOURS = {"COOKED": "red", "SUSPICIOUS": "yellow", "OK": "green", "CALIBRATING": "blue", "GAP": "bright_black"}


@click.command()
@click.option("--model", "models", multiple=True, metavar="MODEL", help="Only this model id or glob; can be repeated.")
@click.option(
    "--date", metavar="YYYY-MM-DD", help="The verdict of that day, from all days up to it.  [default: the last day]"
)
@click.option("--explain", metavar="MODEL", help="Print every number behind the verdict on one model.")
@click.option(
    "--regrade",
    is_flag=True,
    help="Grade the day's stored answers again first: shows whether the grader changed, and not the model.",
)
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    help="For CI: exit code 1 if the headline of a listed model is this bad or worse.",
)
@click.option(
    "--detectable",
    is_flag=True,
    help="Compute the smallest drop each verdict would detect, where it is not kept yet (1 s each).",
)
@click.option("--json", "as_json", is_flag=True, help="Print every number as one JSON object.")
@options.results
@click.pass_context
def command(
    ctx: click.Context,
    models: tuple[str, ...],
    date: str | None,
    explain: str | None,
    regrade: bool,
    detectable: bool,
    fail_on: str | None,
    as_json: bool,
    results: Path,
) -> None:
    """Show for each model whether it got worse: one headline, made of the published rule and of the evidence.

    \b
    Examples:
      probatio verdict                                  the last recorded day
      probatio verdict --date 2026-03-01 --model 'gpt-*'
      probatio verdict --explain gpt-4o                 scores, baselines, tests, evidence, cause
      probatio verdict --fail-on cooked                 for CI: exit code 1 if any model is COOKED, confirmed or not
      probatio verdict --fail-on confirmed              for CI: exit code 1 only if the evidence has proven it
    """
    from probatio.alerts.telling import Teller
    from probatio.ledger.ledger import recorded_days
    from probatio.names import pick
    from probatio.run.clock import today
    from probatio.store.days import days_ahead, suite_folder, told_ahead
    from probatio.store.detectable import user_detectable_cache
    from probatio.suite.daily_suite import constants_of, read_manifest
    from probatio.verdict.verdicts import verdicts

    ahead = days_ahead(results, today()) if date is None else ()
    if ahead:
        click.echo(told_ahead(ahead, today()), err=True)
    days = recorded_days(results, until=date, without=ahead)
    day = chosen_day(days, results, date)
    constants = constants_of(read_manifest(suite_folder(results, day.record)))
    chosen = pick("model", (explain,) if explain else models or ("*",), day.models, f"on {day.date}")
    regraded = {}
    if regrade:
        from probatio.audit.verify import changed_grades

        regraded = changed_grades(results, day)
    shown = verdicts(
        days,
        constants,
        dates={day.date},
        models=chosen,
        regraded=regraded,
        detectable=user_detectable_cache(),
        compute=detectable or explain is not None,
    )
    teller = Teller(results, {each.date: each for each in days.days})
    failed = [verdict.model for verdict in shown if fail_on and verdict.label in FAIL_ON[fail_on]]
    if as_json:
        _print_json(shown, [teller.told(verdict) for verdict in shown], day, fail_on, failed)
    else:
        if day.record.simulated:
            click.echo("SIMULATED: no model was asked on these days.")
        from probatio.cli.verdict_table import explained, table

        told = {verdict.model: teller.told(verdict) for verdict in shown}
        click.echo(
            _coloured(
                lambda paint: (
                    explained(shown[0], told[shown[0].model], days, constants, paint)
                    if explain
                    else table(shown, told, paint)
                )
            ),
            file=raw(sys.stdout),
        )
    if fail_on and not as_json:
        click.echo(f"Gate: {', '.join(failed) if failed else 'no model'} at or beyond {fail_on.upper()}.")
    if failed:
        ctx.exit(1)


def chosen_day(days: Days, results: Path, date: str | None) -> Day:
    """The day of the verdict: the one named, else the last."""
    from probatio.store.layout import DAILY

    if not days.days:
        raise UsageError(
            f"There is no recorded day under {results / DAILY}{' up to ' + date if date else ''}; see `probatio daily`."
        )
    if date is not None and date not in days.dates:
        raise UsageError(
            f"{date} was not recorded under {results / DAILY}; the last day before it is {days.dates[-1]}."
        )
    return days.days[-1]


def _coloured(render: Callable[[Paint], str]) -> str:
    """The text made visible, with the colours of our badges. The brush is a word nobody could write into a reason."""
    brush = token_hex(8)
    text = visible(redact(render(lambda text, status: f"{brush}{status}:{text}{brush};")))
    return re.sub(rf"{brush}(\w+):(.*?){brush};", lambda badge: click.style(badge[2], fg=COLOURS[badge[1]]), text)


def _print_json(
    verdicts: list[ModelVerdict], told: list[Told], day: Day, fail_on: str | None, failed: list[str]
) -> None:
    import msgspec

    gate = None if fail_on is None else {"fail_on": fail_on, "failed": failed}
    words = {verdict.model: each for verdict, each in zip(verdicts, told, strict=True)}
    event: dict[str, object] = {
        "event": "verdicts",
        "date": day.date,
        "verdicts": verdicts,
        "told": words,
        "gate": gate,
    }
    event |= {"simulated": True} if day.record.simulated else {}
    click.echo(msgspec.json.encode(event).decode())
