"""The commands below `probatio daily`: import, alerts, calibrate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.core.records import Calibration
    from probatio.watch.alerts.channels import Channel


config_option = options.path_option(
    "--config", "The models.yml with `alerts:`.  [default: config/models.yml]"
)


@click.command()
@click.argument("file", metavar="FILE.jsonl", type=click.Path(path_type=Path))
@options.suite_of_days
@options.new_series
@options.config
@options.results
@options.max_cost
@options.sandbox
@click.option("--dry-run", is_flag=True, help="Only check the file.")
@options.as_json
def import_days(file: Path, results: Path, dry_run: bool, as_json: bool, **given: object) -> None:
    """Import past days: one JSON object per line, with date, model, case, and an answer or a score from 0 to
    1.

    Answers are graded again by the suite, scores are taken as they are. The days are marked imported;
    baseline and reference use them. Dates that are there already, dates that are not over and unknown cases
    are refused, and nothing is half-written.

    \b
    A line:
      {"date": "2026-03-01", "model": "gpt-4o", "case": "order_chairs", "answer": "…"}

    \b
    Examples:
      probatio daily import answers.jsonl --suite my-watch --dry-run
      probatio daily import answers.jsonl --suite my-watch
    """
    from probatio.ask.hosts import environment
    from probatio.watch.day.importing import carry_in, read_import
    from probatio.watch.day.preparation import DayRequest

    request = DayRequest(**given)  # type: ignore[arg-type]
    note = options.note(as_json)
    wanted = read_import(file, request, results, datetime.now(UTC))
    for model in wanted.unknown_models:
        note(f"`{model}` is not in models.yml; a model of that id has to be the same one later.")
    answers, scores = wanted.counts
    counted = {"dates": len(wanted.dates), "models": len(wanted.models), "answers": answers, "scores": scores}
    counts = ", ".join(f"{number} {name if number != 1 else name[:-1]}" for name, number in counted.items())
    if dry_run:
        if as_json:
            options.print_event("plan", counted)
        else:
            click.echo(f"{file}: {counts}. Nothing was imported.")
        return
    done = carry_in(wanted, request, results, environment(()), note)
    if as_json:
        gaps = [
            {"date": gap.date, "model": gap.model, "use_case": gap.use_case, "why": gap.gap}
            for gap in done.gaps
        ]
        options.print_event("imported", counted, corrected=done.corrections, gaps=gaps)
        return
    click.echo(f"Imported: {counts}, from {done.dates[0]} to {done.dates[-1]}.")
    if done.gaps:
        first = done.gaps[0]
        click.echo(
            f"Gaps: {len(done.gaps)}, such as {first.model} in {first.use_case} on {first.date}: {first.gap}."
        )
    if done.corrections:
        click.echo(
            f"Later days whose verdicts follow from these: {done.corrections}; "
            f"the ledger has their corrections."
        )


@click.command(cls=Verb, no_args_is_help=True)
def alerts() -> None:
    """Alerts about changed verdicts. The section `alerts:` of models.yml lists the channels.

    \b
    Examples:
      probatio daily alerts test
      probatio daily alerts send
    """


@click.command()
@config_option
@options.as_json
def test_alerts(config: Path | None, as_json: bool) -> None:
    """Send a test message to every channel and list the channels that failed. Exit code 3 if any failed.

    \b
    Example:
      probatio daily alerts test --config config/models.yml
    """
    from probatio.ask.hosts import environment
    from probatio.watch.alerts.delivery import try_channels

    options.confirm_config(config, as_json)
    channels = _read_channels(config)
    failed = try_channels(channels, environment(), options.note(as_json))
    if as_json:
        options.print_event("alerts_test", channels=len(channels), failed=failed)
    if failed:
        raise Incomplete(f"{len(failed)} of {len(channels)} alert channels failed: {', '.join(failed)}.")


@click.command()
@config_option
@options.results
@options.as_json
def send_alerts(config: Path | None, results: Path, as_json: bool) -> None:
    """Send due alerts and alerts that failed before, at once. Exit code 3 if a channel fails again.

    \b
    Example:
      probatio daily alerts send
    """
    from probatio.ask.hosts import environment
    from probatio.watch.alerts.delivery import alert

    options.confirm_config(config, as_json)
    channels = _read_channels(config)
    report = alert(results, channels, environment(), options.note(as_json))
    if as_json:
        options.print_event("alerts_sent", sent=report.sent, pending=report.pending, failed=report.failed)
    if report.failed:
        raise Incomplete(f"{report.pending} alerts are still unsent, for {', '.join(report.failed)}.")
    if not report.sent and not as_json:
        click.echo("Nothing to send.")


def _read_channels(config: Path | None) -> tuple[Channel, ...]:
    from probatio.watch.alerts.channels import read_channels

    channels = read_channels(config)
    if not channels:
        raise UsageError(
            f"{config or 'config/models.yml'} has no section `alerts:` with a channel; see docs/alerts.md."
        )
    return channels


@click.command()
@options.daily_suite
@options.config
@click.option(
    "--pin", is_flag=True, help="Make today's marks the new reference and raise the suite's patch version."
)
@options.value_option("--max-connections", click.IntRange(1), 16, "Most requests at a time.")
@options.allow_hosts
@options.as_events
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
    """Let the judge mark the frozen answers and show the shift of each mark. Exit code 1 if the shift is too
    large.

    \b
    Examples:
      probatio daily calibrate
      probatio daily calibrate --suite my-suite --pin
    """
    from probatio.ask.hosts import environment
    from probatio.core.config import load_config
    from probatio.suites.daily_suite import load_daily
    from probatio.watch.day.pinning import calibrate_now, pin_marks, require_own_answers
    from probatio.watch.day.preparation import apply_config

    env = environment(allow_hosts)
    options.confirm_config(config, as_json)
    own = load_daily(suite)
    asked = apply_config(own, load_config(config).daily)
    if pin and asked.manifest.judge != own.manifest.judge:
        raise UsageError(
            "--pin is for the suite's own judge: take `judge` out of `daily` in models.yml, "
            "or change suite.yml."
        )
    if pin:
        require_own_answers(own)
    judged, calibration = calibrate_now(asked, env, max_connections)
    _show_calibration(calibration, as_json)
    if calibration.error:
        raise Incomplete(f"The judge could not be calibrated: {calibration.error}.")
    if pin:
        pinned = pin_marks(own, judged)
        click.echo(
            f"Pinned as {pinned.manifest.name} {pinned.version} in {pinned.folder}; "
            f"all baselines start again.",
            err=as_json,
        )
    elif calibration.barred:
        ctx.exit(1)


def _show_calibration(calibration: Calibration, as_json: bool) -> None:
    if as_json:
        for item in calibration.items:
            options.print_event("item", item)
        options.print_event("calibration", calibration, items=())
        return
    width = max((len(item.id) for item in calibration.items), default=4)
    click.echo(f"{'answer':<{width}}  {'use case':<18}  reference  mark  shift")
    for item in calibration.items:
        found = f"   –  {item.error}"
        if item.mark is not None:
            found = f"{item.mark:4.2f}  {item.mark - item.reference:+5.2f}"
        click.echo(f"{item.id:<{width}}  {item.use_case:<18}  {item.reference:9.2f}  {found}")
    if calibration.shift is not None:
        barred = "within the bar"
        if calibration.barred:
            barred = "barred: judged and hybrid use cases can't flip a verdict"
        cost = f", ${calibration.cost:.4f}" if calibration.cost else ""
        click.echo(f"\n{calibration.judge}: mean shift {calibration.shift:+.3f}, {barred}{cost}.")
