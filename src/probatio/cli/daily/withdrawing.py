"""`probatio daily withdraw`: a day that was recorded by mistake counts no more."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("date", metavar="YYYY-MM-DD")
@click.option("--why", required=True, metavar="TEXT", help="The reason, which the pages show.")
@click.option("--by", metavar="NAME", help="Who withdraws it.  [default: the user of this machine]")
@options.yes_to("Record it without a question.")
@options.results
@options.as_json
def withdraw(date: str, why: str, by: str | None, yes: bool, results: Path, as_json: bool) -> None:
    """Withdraw a day that was recorded by mistake: verdicts and baselines leave it out, as if it had not been
    asked.

    The day is shown first, and you are asked. Its files stay where they are, and the ledger says who withdrew
    it, when and why; later verdicts that come out otherwise are corrected. A withdrawn day stays withdrawn
    and is not asked again.

    \b
    Example:
      probatio daily withdraw 2026-03-01 --why "asked with the wrong system prompt"
    """
    from probatio.core.clock import now_text
    from probatio.runs.store.layout import DAILY
    from probatio.watch.ledger.later import find_day
    from probatio.watch.ledger.later import withdraw as record_withdrawal
    from probatio.watch.ledger.ledger import head_of, read_ledger, standing_records

    who, why = options.name_user(by), why.strip()
    if not why or not who:
        raise UsageError("A withdrawal names who makes it and why: --why and --by must not be empty.")
    lines = read_ledger(results)
    day = find_day(lines, date)
    later = sum(each > date for each in standing_records(lines))
    if not as_json:
        told = ", ".join(f"{each.model} {each.label}" for each in day.verdicts)
        click.echo(f"{date}, recorded on {day.made[:10]}: {told or 'no verdict'}.")
        click.echo(
            f"To be withdrawn by {who}: {why.rstrip('.')}. It is left out of every verdict and baseline, "
            f"also of the {later} day{'s' * (later != 1)} after it. Its files stay in "
            f"{results / DAILY / date}. It can't be asked again, and this can't be undone."
        )
    words = ["--by", by] if by is not None else []
    again = ["probatio", "daily", "withdraw", date, "--why", why, *words, "--results", str(results), "--yes"]
    options.require_yes(yes, as_json, f"Withdraw {date}?", shlex.join(again))
    record, *corrections = record_withdrawal(results, date, who, why, now_text(), head_of(lines))
    if as_json:
        told_of = {"date": date, "by": who, "why": why}
        options.print_event("withdrawn", told_of, record=record.seq, corrected=len(corrections))
        return
    days = f"the verdicts of {len(corrections)} later day{'s' * (len(corrections) != 1)}"
    click.echo(f"{date} is withdrawn. Record {record.seq} of the ledger says so; {days} corrected.")
