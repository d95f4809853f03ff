"""`probatio accept`: a person says that a model's new level is its usual one from now on."""

from __future__ import annotations

import getpass
from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError


@click.command()
@click.argument("model")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for those who read the ledger later.")
@click.option("--by", metavar="NAME", help="Who accepts it.  [default: the user of this machine]")
@options.results
def command(model: str, why: str, by: str | None, results: Path) -> None:
    """Accept the present level of MODEL: a new reference begins with its last recorded day, and the alarm ends.

    The ledger keeps who accepted it, when and why; the verdict of that day is corrected, no earlier one. Until the new
    reference is complete, a further fall is harder to see.

    \b
    Example:
      probatio accept gpt-4o --why "we moved to the smaller model on purpose"
    """
    from probatio.ledger.later import accept
    from probatio.ledger.ledger import ledger_path
    from probatio.names import pick
    from probatio.run.clock import now_text

    who = (getpass.getuser() if by is None else by).strip()
    if not why.strip() or not who:
        raise UsageError("An acceptance names who accepts and why: --why and --by must not be empty.")
    if not ledger_path(results).exists():
        raise UsageError(f"{ledger_path(results)} does not exist: no day has been recorded yet; see `probatio daily`.")
    chosen = pick("model", (model,), _models(results), "in the ledger")
    if len(chosen) != 1:
        raise UsageError(f"{model} stands for {len(chosen)} models ({', '.join(chosen)}); accept one at a time.")
    record, *corrections = accept(results, chosen[0], who, why.strip(), now_text())
    click.echo(f"{chosen[0]} is accepted as it is from {record.date} on, by {who}: {why.strip()}")
    click.echo(
        f"Record {record.seq} of the ledger says so; {len(corrections)} verdict{'s' * (len(corrections) != 1)} corrected. A new "
        f"reference begins with {record.date}."
    )


def _models(results: Path) -> list[str]:
    from probatio.ledger.ledger import read_ledger, standing_records

    records = standing_records(read_ledger(results)).values()
    return sorted({verdict.model for record in records for verdict in record.verdicts})
