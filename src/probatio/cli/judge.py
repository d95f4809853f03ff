"""`probatio judge`: compare the judge's marks with its calibration set, and set new reference marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.records import Calibration


@click.group()
def command() -> None:
    """Check the judge model of the daily suite.

    \b
    Example:
      probatio judge calibrate
    """


@command.command()
@click.option(
    "--suite", type=click.Path(path_type=Path), help="A folder with suite.yml.  [default: the built-in suite]"
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A models.yml.  [default: config/models.yml, else the built-in list]",
)
@click.option("--pin", is_flag=True, help="Make today's marks the new reference and raise the suite's patch version.")
@click.option(
    "--max-connections", type=click.IntRange(1), default=16, show_default=True, help="Most requests at a time."
)
@options.allow_hosts
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line.")
@click.pass_context
def calibrate(
    ctx: click.Context,
    suite: Path | None,
    config: Path | None,
    pin: bool,
    max_connections: int,
    allow_hosts: tuple[str, ...],
    as_json: bool,
) -> None:
    """Let the judge mark the frozen answers and show the shift of each mark. Exit code 1 if the shift is too large.

    \b
    Examples:
      probatio judge calibrate
      probatio judge calibrate --suite my-suite --pin
    """
    from probatio.ask.hosts import environment
    from probatio.config import load_config
    from probatio.day.settings import as_configured
    from probatio.judge.pinning import calibrate_now, pin_marks
    from probatio.suite.daily_suite import load_daily

    env = environment(allow_hosts)
    own = load_daily(suite)
    asked = as_configured(own, load_config(config).daily)
    if pin and asked.manifest.judge != own.manifest.judge:
        raise UsageError(
            "--pin is for the suite's own judge: take `judge` out of `daily` in models.yml, or change suite.yml."
        )
    judged, calibration = calibrate_now(asked, env, max_connections)
    _show(calibration, as_json)
    if calibration.error:
        raise Incomplete(f"The judge could not be calibrated: {calibration.error}.")
    if pin:
        pinned = pin_marks(own, judged)
        click.echo(
            f"Pinned as {pinned.manifest.name} {pinned.version} in {pinned.folder}; all baselines start anew.",
            err=as_json,
        )
    elif calibration.barred:
        ctx.exit(1)


def _show(calibration: Calibration, as_json: bool) -> None:
    import msgspec

    if as_json:
        for item in calibration.items:
            click.echo(msgspec.json.encode({"event": "item", **msgspec.structs.asdict(item)}).decode())
        total = msgspec.structs.asdict(msgspec.structs.replace(calibration, items=()))
        click.echo(msgspec.json.encode({"event": "calibration", **total}).decode())
        return
    width = max((len(item.id) for item in calibration.items), default=4)
    click.echo(f"{'answer':<{width}}  {'use case':<18}  reference  mark  shift")
    for item in calibration.items:
        if item.mark is None:
            click.echo(f"{item.id:<{width}}  {item.use_case:<18}  {item.reference:9.2f}     –  {item.error}")
        else:
            shift = item.mark - item.reference
            click.echo(
                f"{item.id:<{width}}  {item.use_case:<18}  {item.reference:9.2f}  {item.mark:4.2f}  {shift:+5.2f}"
            )
    if calibration.shift is not None:
        barred = "barred: judged and hybrid use cases can't flip a verdict" if calibration.barred else "within the bar"
        cost = f", ${calibration.cost:.4f}" if calibration.cost else ""
        click.echo(f"\n{calibration.judge}: mean shift {calibration.shift:+.3f}, {barred}{cost}.")
