"""`probatio verdict accept`: take a model's present level for its usual one, or take that back."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from probatio.cli import options
from probatio.core.errors import UsageError

if TYPE_CHECKING:
    from probatio.core.records import Acceptance, ModelVerdict
    from probatio.watch.ledger.ledger import LedgerLine

NOW_DAYS = 3
"""The level now is the mean of the last days: one alone is noisy."""


@click.command()
@click.argument("model")
@click.option("--why", metavar="TEXT", help="The reason, for those who read the ledger later.")
@click.option("--by", metavar="NAME", help="Who accepts it.  [default: the user of this machine]")
@click.option("--undo", is_flag=True, help="Take the last acceptance of MODEL back.")
@options.yes_to("Record it without a question.")
@options.results
@options.as_json
def accept(
    model: str, why: str | None, by: str | None, undo: bool, yes: bool, results: Path, as_json: bool
) -> None:
    """Accept the present level of MODEL: a new reference begins with its last recorded day, and the alarm
    ends. With --undo the last acceptance is taken back: the verdict is as if it had not been made.

    What is accepted is shown first, and you are asked. The ledger keeps who did it, when and why; the verdict
    of that day is corrected, no earlier one. Until the new reference is complete, a further fall is harder to
    see.

    \b
    Examples:
      probatio verdict accept gpt-4o --why "we moved to the smaller model on purpose"
      probatio verdict accept gpt-4o --undo
    """
    from probatio.core.clock import now_text
    from probatio.watch.ledger.later import accept as record_acceptance
    from probatio.watch.ledger.later import take_back
    from probatio.watch.ledger.ledger import head_of, ledger_path, read_ledger

    who, why = options.name_user(by), (why or "").strip()
    if not who or not (why or undo):
        raise UsageError("An acceptance names who accepts and why: --why and --by must not be empty.")
    if not ledger_path(results).exists():
        raise UsageError(
            f"{ledger_path(results)} does not exist: no day has been recorded yet; see `probatio daily`."
        )
    lines, made = read_ledger(results), now_text()
    name = _choose_model(model, lines)
    shown = _look(results, lines, name, made, undo=undo)
    if not as_json:
        for sentence in _describe(name, shown, who, why):
            click.echo(sentence)
    words = ["--by", by] if by is not None else []
    words += ["--why", why] if why else []
    words += ["--undo"] if undo else []
    again = ["probatio", "verdict", "accept", name, *words, "--results", str(results), "--yes"]
    question = f"Take the acceptance of {name} back?" if undo else f"Accept this level of {name}?"
    options.require_yes(yes, as_json, question, shlex.join(again))
    write = take_back if undo else record_acceptance
    record, *corrections = write(results, name, who, why, made, head_of(lines))
    if as_json:
        told = {"model": name, "date": record.date, "by": who, "why": why}
        levels = {"level_before": shown.before, "level_now": shown.now, "was": shown.verdict.label}
        event = "taken_back" if undo else "accepted"
        options.print_event(event, told, **levels, record=record.seq, corrected=len(corrections))
        return
    if undo:
        click.echo(f"{name} is compared with the days before {record.date} again.")
    else:
        click.echo(f"{name} is accepted as it is from {record.date} on, by {who}: {why}")
    new = "" if undo else f" A new reference begins with {record.date}."
    click.echo(
        f"Record {record.seq} of the ledger says so; {len(corrections)} "
        f"verdict{'s' * (len(corrections) != 1)} corrected.{new}"
    )


class _Shown(NamedTuple):
    """What a person sees before saying yes."""

    verdict: ModelVerdict  # of the last day
    stale: str | None  # why nothing is known of it today
    since: str  # first day of the level to be accepted
    reference: bool  # whether the level before is that of a complete reference
    before: float | None  # points, as every surface tells it …
    now: float | None  # … and on the last days
    undone: Acceptance | None  # what is taken back
    label: str  # what the verdict was before the acceptance


def _choose_model(model: str, lines: list[LedgerLine]) -> str:
    from probatio.core.text.names import pick
    from probatio.watch.ledger.ledger import standing_records

    records = standing_records(lines).values()
    known = sorted({verdict.model for record in records for verdict in record.verdicts})
    chosen = pick("model", (model,), known, "in the ledger")
    if len(chosen) != 1:
        raise UsageError(
            f"{model} stands for {len(chosen)} models ({', '.join(chosen)}); accept one at a time."
        )
    return chosen[0]


def _look(results: Path, lines: list[LedgerLine], model: str, made: str, *, undo: bool) -> _Shown:
    from probatio.watch.alerts.describing import VerdictDescriber
    from probatio.watch.ledger.later import find_judged_before, find_last_acceptance, find_last_record
    from probatio.watch.ledger.ledger import read_recorded_days
    from probatio.watch.verdict.level import collect_scores, compare_levels
    from probatio.watch.verdict.staleness import describe_age, last_answered, mark_stale, moment_of

    last = find_last_record(lines, results, model, made[:10])
    (verdict,) = (each for each in last.verdicts if each.model == model)
    judged, undone = verdict, None
    if undo:
        given, undone = find_last_acceptance(lines, model)
        before = find_judged_before(lines, given)
        (judged,) = (each for each in before.verdicts if each.model == model)
    since = judged.changed_on or judged.headline_since or judged.date
    days = read_recorded_days(results, until=last.date)
    level = VerdictDescriber(results, {day.date: day for day in days.days}).find_level(judged, since)
    old = [day for day in days.days if day.date in level.days]
    new = [day for day in days.days if day.date >= since and day.lines.get(model)][-NOW_DAYS:]
    now = collect_scores(model, new)
    alone = compare_levels(now, now)
    compared = compare_levels(collect_scores(model, old), now) or (None, alone[1] if alone else None)
    today = mark_stale(verdict, last_answered(days.days), moment_of(days.days, datetime.now(UTC)))
    stale = describe_age(today.headline_since) if today.shown == "STALE" else None
    return _Shown(verdict, stale, since, level.reference, compared[0], compared[1], undone, judged.label)


def _describe(model: str, shown: _Shown, who: str, why: str) -> list[str]:
    verdict = shown.verdict
    today = f" Today it is STALE: {shown.stale}." if shown.stale else ""
    said = [f"{model}: {verdict.label} since {verdict.headline_since}, the verdict of {verdict.date}.{today}"]
    if shown.undone:
        given = shown.undone
        said.append(f"Accepted as it is from {given.begins} on, by {given.by}: {given.why}")
        said.append(f"Before that: {shown.label} since {shown.since}.")
    now = "not known" if shown.now is None else f"{shown.now:.1f} points"
    if shown.before is None:
        said.append(f"Level now: {now}. There is no day before {shown.since} to compare with.")
    else:
        level = "Usual level, of its reference" if shown.reference else f"Level before {shown.since}"
        said.append(f"{level}: {shown.before:.1f} points. Now: {now}.")
    if shown.undone:
        said.append(f"The verdict will be as if this had not been accepted. Taken back by {who}.")
    else:
        said.append(
            f"To be accepted as its usual level, from {verdict.date} on, by {who}: {why.rstrip('.')}. A new "
            "reference begins, and `--undo` takes it back."
        )
    return said
