"""`probatio verdict`: is each model still what it was, and why."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import UsageError
from probatio.core.redact import redact
from probatio.core.text.visible import make_visible, unwrap_stream

if TYPE_CHECKING:
    from probatio.cli.verdict.table import Paint
    from probatio.core.records import Constants, Day
    from probatio.watch.verdict.days import Days


FAIL_ON = {
    "suspicious": ("SUSPICIOUS", "COOKED", "COOKED, confirmed"),
    "cooked": ("COOKED", "COOKED, confirmed"),
    "confirmed": ("COOKED, confirmed",),
    "calibrating": ("CALIBRATING",),
    "gap": (),
    "stale": (),
}
"""Gate → the headlines that fail it. A model of which nothing is known fails every gate (`find_unknown`)."""

WATCHED_DAYS = 28
"""Without a list of models, one that was asked so lately is still expected."""

COLOURS = {
    "COOKED": "red",
    "SUSPICIOUS": "yellow",
    "OK": "green",
    "CALIBRATING": "blue",
    "GAP": "bright_black",
    "STALE": "bright_black",
}


@click.command(cls=Verb)
@click.option(
    "--model", "models", multiple=True, metavar="MODEL", help="Only this model id or glob; can be repeated."
)
@click.option(
    "--date",
    metavar="YYYY-MM-DD",
    help="The verdict of that day, from all days up to it.  [default: the last day]",
)
@click.option("--explain", metavar="MODEL", help="Print every number behind the verdict on one model.")
@click.option(
    "--regrade",
    is_flag=True,
    help="Grade the day's stored answers again first: shows whether the grader changed, and not the model.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(FAIL_ON)),
    help="For CI: exit code 1 if the headline of a listed model is this bad or worse; can be repeated. What "
    "was not asked, not fully scored, not completed or is too old fails every gate; `stale` asks for age "
    "alone.",
)
@click.option(
    "--max-age",
    metavar="LENGTH",
    default="36h",
    show_default=True,
    help="A model whose last answers are older is STALE: nothing is said of it, and it passes no gate.",
)
@click.option(
    "--as-of",
    metavar="TIME",
    help="Read the days as of this date or time in UTC.  [default: now; for replayed, simulated and imported "
    "days their last one]",
)
@options.config
@click.option(
    "--detectable",
    is_flag=True,
    help="Compute the smallest drop each verdict would detect, where it is not kept yet (1 s each).",
)
@options.as_json
@options.results
@click.pass_context
def command(
    ctx: click.Context,
    models: tuple[str, ...],
    date: str | None,
    explain: str | None,
    regrade: bool,
    detectable: bool,
    fail_on: tuple[str, ...],
    max_age: str,
    as_of: str | None,
    config: Path | None,
    as_json: bool,
    results: Path,
) -> None:
    """Show for each model whether it got worse: one headline, made of the published rule and of the evidence.

    \b
    Examples:
      probatio verdict                                  the last recorded day
      probatio verdict --date 2026-03-01 --model 'gpt-*'
      probatio verdict --explain gpt-4o                 scores, baselines, tests, evidence, cause
      probatio verdict --fail-on cooked                 for CI: exit code 1 if any model is COOKED
      probatio verdict --fail-on confirmed              for CI: exit code 1 only if the evidence has proven it
      probatio verdict --fail-on cooked --max-age 2d    for CI: a day may be late by a day
    """
    from probatio.core.clock import parse_duration
    from probatio.core.text.names import pick
    from probatio.runs.store.days import read_hashed_days
    from probatio.runs.store.detectable import user_detectable_cache
    from probatio.watch.alerts.describing import VerdictDescriber
    from probatio.watch.day.series import find_unfinished
    from probatio.watch.judged import digest_days, judge_last, keep_words
    from probatio.watch.ledger.ledger import counted_days, read_ledger
    from probatio.watch.verdict.changed_route import describe_change
    from probatio.watch.verdict.staleness import find_unknown, mark_stale

    ahead = options.say_ahead(results, options.warn) if date is None else ()
    lines = read_ledger(results)
    days = counted_days(read_hashed_days(results, date, ahead), lines)
    day = choose_day(days, results, date)
    constants = _constants(results, day, gate=bool(fail_on) or regrade)
    moment, limit = _find_moment(as_of, days, date), timedelta(seconds=parse_duration(max_age, "--max-age"))
    watched = day.models if date or explain else list_watched(days, config, moment)
    chosen = pick("model", (explain,) if explain else models or ("*",), watched, f"on {day.date}")
    regraded = {}
    if regrade:
        from probatio.watch.verify.verification import count_changed_grades

        regraded = count_changed_grades(results, day)
    judged = judge_last(
        days,
        made_of := digest_days(days),
        constants,
        user_detectable_cache(),
        models=chosen,
        regraded=regraded,
        compute=detectable or explain is not None,
    )
    answered = judged.days_of(days)
    made = [mark_stale(verdict, answered, moment, limit) for verdict in judged.verdicts]
    shown = [verdict for verdict in made if verdict.date == day.date or verdict.shown == "STALE"]
    gates = {label for gate in fail_on for label in FAIL_ON[gate]}
    fallen = [verdict.model for verdict in shown if verdict.state in gates]
    moved = {
        verdict.model: describe_change(verdict.changed_route)
        for verdict in shown
        if verdict.changed_route and verdict.changed_route.level in gates
    }
    unknown = find_unknown(made, chosen, day.date, age_only=fail_on == ("stale",)) if fail_on else {}
    if fail_on and date is None and (begun := find_unfinished(results, day.date)):
        unknown[begun] = "the day is not complete; `probatio daily` goes on with it"
    failed = [model for model in chosen if model in {*fallen, *moved, *unknown}] + [
        each for each in unknown if each not in chosen
    ]
    with keep_words(made_of, lines) as known:
        teller = VerdictDescriber(results, {each.date: each for each in days.days}, known=known)
        words = {verdict.model: teller.describe(verdict) for verdict in shown}
        levels = {verdict.model: teller.find_level(verdict) for verdict in shown}
    if as_json:
        gate = (
            {"fail_on": fail_on, "failed": failed, "changed_route": moved, "unknown": unknown}
            if fail_on
            else None
        )
        more = {"simulated": True} if day.record.simulated else {}
        expected = teller.expect_false(len(day.models), day.date)
        options.print_event(
            "verdicts",
            date=day.date,
            verdicts=shown,
            told=words,
            levels=levels,
            gate=gate,
            expected_false=expected,
            **more,
        )
    else:
        from probatio.cli.verdict.table import explain_verdict, format_table

        def render(paint: Paint) -> str:
            if explain:
                return explain_verdict(shown[0], words[shown[0].model], days, constants, paint)
            return format_table(shown, words, levels, paint)

        if day.record.simulated:
            click.echo("SIMULATED: no model was asked on these days.")
        click.echo(_paint(render), file=unwrap_stream(sys.stdout))
        if not explain and len(day.models) > 1:
            click.echo(teller.expect_false(len(day.models), day.date).sentence)
        if fail_on:
            named = " or ".join(gate.upper() for gate in fail_on)
            click.echo(f"Gate: {', '.join(fallen) if fallen else 'no model'} at or beyond {named}.")
            for name, why in moved.items():
                click.echo(f"Gate: {name}: {why}.")
            for name, why in unknown.items():
                click.echo(f"Gate: {name}: {why}. That passes no gate.")
    if failed:
        ctx.exit(1)


def _find_moment(as_of: str | None, days: Days, date: str | None) -> datetime:
    """The moment at which the days are read."""
    from probatio.watch.verdict.staleness import moment_of, time_of

    if date is not None and as_of is None:
        return time_of(days.days[-1].record)
    if as_of is None:
        return moment_of(days.days, datetime.now(UTC))
    try:
        given = datetime.fromisoformat(as_of)
    except ValueError:
        raise UsageError(f"--as-of {as_of}: write 2026-03-01 or 2026-03-01T18:00.") from None
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def list_watched(days: Days, config: Path | None, moment: datetime) -> list[str]:
    """The models that a verdict is expected of: those of the newest day, and those of models.yml; without a
    models.yml, all that were asked in the four weeks before."""
    from probatio.core.config import load_config, select_models

    expected = dict.fromkeys(days.days[-1].models)
    listed = load_config(config)
    if listed.source != "built-in":
        named = listed.daily.models
        expected |= {each.id: None for each in (select_models(listed, named) if named else listed.models)}
    else:
        since = (moment - timedelta(days=WATCHED_DAYS)).date().isoformat()
        expected |= {model: None for day in days.days if day.date >= since for model in day.models}
    return list(expected)


def _constants(results: Path, day: Day, *, gate: bool) -> Constants:
    """The constants of the day's suite. Where that is gone or unknown here, those of the day's record are
    enough to look at results; a gate and a regrading need the suite."""
    from probatio.runs.store.days import suite_folder
    from probatio.suites.daily_suite import constants_of, read_manifest
    from probatio.watch.ledger.ledger import raise_edition, read_ledger, standing_records

    try:
        return constants_of(read_manifest(suite_folder(results, day.record)))
    except UsageError as error:
        if gate:
            raise
        record = standing_records(read_ledger(results)).get(day.date)
        of = "the built-in constants" if record is None else "the constants of the day's record"
        options.warn(f"{error} Without it, the verdict is computed with {of}.")
        return constants_of(read_manifest()) if record is None else raise_edition(record.constants)


def choose_day(days: Days, results: Path, date: str | None) -> Day:
    """The day of the verdict: the one named, else the last."""
    from probatio.runs.store.layout import DAILY
    from probatio.watch.ledger.ledger import describe_withdrawn, withdrawn_days

    if date is not None and (gone := withdrawn_days(results).get(date)) is not None:
        raise UsageError(f"{describe_withdrawn(gone)}. It has no verdict.")
    if not days.days:
        raise UsageError(
            f"There is no recorded day under {results / DAILY}{' up to ' + date if date else ''}; see "
            f"`probatio daily`."
        )
    if date is not None and date not in days.dates:
        raise UsageError(
            f"{date} was not recorded under {results / DAILY}; the last day before it is {days.dates[-1]}."
        )
    return days.days[-1]


def _paint(render: Callable[[Paint], str]) -> str:
    """The text made visible, with colours for badges. The brush is a random word that no text has."""
    brush = token_hex(8)
    text = make_visible(redact(render(lambda text, status: f"{brush}{status}:{text}{brush};")))
    return re.sub(
        rf"{brush}(\w+):(.*?){brush};", lambda badge: click.style(badge[2], fg=COLOURS[badge[1]]), text
    )
