"""`probatio alert`: test the alert channels, and send alerts that failed before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.alerts.channels import Channel

config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="The models.yml with `alerts:`.  [default: config/models.yml]"
)


@click.group()
def command() -> None:
    """Alerts about changed verdicts. The section `alerts:` of models.yml lists the channels.

    \b
    Examples:
      probatio alert test
      probatio alert send
    """


@command.command()
@config_option
def test(config: Path | None) -> None:
    """Send a test message to every channel and list the channels that failed. Exit code 3 if any failed.

    \b
    Example:
      probatio alert test --config config/models.yml
    """
    from probatio.alerts.delivery import try_channels
    from probatio.ask.hosts import environment

    channels = _channels(config)
    failed = try_channels(channels, environment(), click.echo)
    if failed:
        raise Incomplete(f"{len(failed)} of {len(channels)} alert channels failed: {', '.join(failed)}.")


@command.command()
@config_option
@options.results
def send(config: Path | None, results: Path) -> None:
    """Send due alerts and alerts that failed before, at once. Exit code 3 if a channel fails again.

    \b
    Example:
      probatio alert send
    """
    from probatio.alerts.delivery import alert
    from probatio.ask.hosts import environment

    channels = _channels(config)
    report = alert(results, channels, environment(), click.echo)
    if report.failed:
        raise Incomplete(f"{report.pending} alerts are still unsent, for {', '.join(report.failed)}.")
    if not report.sent:
        click.echo("Nothing to send.")


def _channels(config: Path | None) -> tuple[Channel, ...]:
    from probatio.alerts.channels import read_channels

    channels = read_channels(config)
    if not channels:
        raise UsageError(
            f"{config or 'config/models.yml'} has no section `alerts:` with a channel; see docs/alerts.md."
        )
    return channels
