"""`probatio rehearse`: live through simulated days of a suite, to see its alerts and gates work before they are trusted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.rehearsal import RehearsedDay


@click.command()
@click.argument("suite", metavar="SUITE", type=click.Path(path_type=Path))
@click.option("--days", type=click.IntRange(1, 400), default=40, show_default=True, help="Simulated days.")
@click.option(
    "--worse-from", type=click.IntRange(1), default=35, show_default=True, help="The day from which one model is worse."
)
@click.option("--models", type=click.IntRange(1, 20), default=3, show_default=True, help="Models; the last gets worse.")
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Of its cases that it then answers badly.",
)
@click.option(
    "--noise", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Chance of a bad answer on any day."
)
@click.option("--until", metavar="YYYY-MM-DD", help="The last simulated day.  [default: today, UTC]")
@click.option("--send", is_flag=True, help="Really send the alerts to the channels of models.yml; else they are shown.")
@options.config
@click.option(
    "--results", type=click.Path(path_type=Path), default=Path("rehearsal"), show_default=True,
    help="A new folder for the simulated days.",
)  # fmt: skip
@options.sandbox
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per day.")
def command(suite: Path, until: str | None, send: bool, config: Path | None, as_json: bool, **given: object) -> None:
    """Rehearse a daily suite: its own proofs are replayed as simulated days, and one model is worse from a chosen day on.

    Scores, ledger, verdicts, alerts and gates are the real ones. No model is asked, nothing is paid, and every day is marked
    simulated; the days go into a folder of their own.

    \b
    Examples:
      probatio rehearse my-watch
      probatio rehearse my-watch --days 60 --worse-from 40 --share 0.3 --noise 0.02
      probatio rehearse my-watch --send          test webhook and mail for real
      probatio verdict --results rehearsal --fail-on cooked
    """
    import msgspec

    from probatio.alerts.channels import know_addresses, read_channels
    from probatio.ask.hosts import environment
    from probatio.authoring.rehearsal import Rehearsal, rehearse
    from probatio.day.folder import day_of

    env = environment(())
    channels = read_channels(config)
    know_addresses(channels, env)
    if send and not channels:
        raise UsageError("--send needs a channel in the section `alerts:` of models.yml; see docs/alerts.md.")
    last = datetime.fromisoformat(day_of(until, datetime.now(UTC))).date()
    before: dict[str, str] = {}

    def show(day: RehearsedDay) -> None:
        nonlocal before
        if as_json:
            click.echo(msgspec.json.encode({"event": "day", "simulated": True, **msgspec.to_builtins(day)}).decode())
        elif day.headlines != before:
            told = ", ".join(f"{model} {headline}" for model, headline in day.headlines.items())
            click.echo(f"day {day.number:3d}  {day.date}  {told}")
        before = day.headlines

    wanted = Rehearsal(suite=suite, until=last, **given)  # type: ignore[arg-type]
    lived = rehearse(wanted, channels, env, show, options.note(as_json), send=send)
    if not as_json:
        click.echo(f"SIMULATED: {len(lived)} days in {wanted.results}. Look at them with:")
        click.echo(f"  probatio verdict --results {wanted.results}")
        click.echo(f"  probatio site serve --results {wanted.results}")
