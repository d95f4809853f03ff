"""`probatio suite rehearse` and `suite simulate`: simulated days of a suite, and what chance does to its
verdict."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.core.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.rehearse import RehearsedDay
    from probatio.watch.simulate.figures import Characteristics, Measured


@click.command()
@click.argument("suite", metavar="SUITE", type=click.Path(path_type=Path))
@options.value_option("--days", click.IntRange(1, 400), 40, "Simulated days.")
@options.value_option("--worse-from", click.IntRange(1), 35, "The day from which one model is worse.")
@options.value_option("--models", click.IntRange(1, 20), 3, "Models; the last gets worse.")
@options.value_option("--share", click.FloatRange(0, 1), 1.0, "Of its cases that it then answers badly.")
@options.value_option("--noise", click.FloatRange(0, 1), 0.0, "Chance of a bad answer on any day.")
@click.option("--until", metavar="YYYY-MM-DD", help="The last simulated day.  [default: today, UTC]")
@click.option(
    "--send", is_flag=True, help="Really send the alerts to the channels of models.yml; else they are shown."
)
@options.config
@options.path_option("--results", "A new folder for the simulated days.", default=Path("rehearsal"))
@options.sandbox
@options.as_json
def rehearse(
    suite: Path, until: str | None, send: bool, config: Path | None, as_json: bool, **given: object
) -> None:
    """Rehearse a daily suite: its own proofs are replayed as simulated days, and one model is worse from a
    chosen day on.

    Scores, ledger, verdicts, alerts and gates are the real ones. No model is asked, nothing is paid, and
    every day is marked simulated; the days go into a folder of their own.

    \b
    Examples:
      probatio suite rehearse my-watch
      probatio suite rehearse my-watch --days 60 --worse-from 40 --share 0.3 --noise 0.02
      probatio suite rehearse my-watch --send          test webhook and mail for real
      probatio verdict --results rehearsal --fail-on cooked
    """
    from probatio.ask.hosts import environment
    from probatio.authoring.rehearse import Rehearsal, rehearse
    from probatio.core.trust import NAME_FILE, find_unsaid, refuse
    from probatio.watch.alerts.channels import read_channels, redact_addresses
    from probatio.watch.day.folder import parse_date

    env = environment(())
    if send:
        options.confirm_config(config, as_json)
    channels = read_channels(config)
    if send:
        refuse(find_unsaid(channel.request for channel in channels), NAME_FILE)
    redact_addresses(channels, env)
    if send and not channels:
        raise UsageError("--send needs a channel in the section `alerts:` of models.yml; see docs/alerts.md.")
    last = datetime.fromisoformat(parse_date(until, datetime.now(UTC))).date()
    before: dict[str, str] = {}

    def show(day: RehearsedDay) -> None:
        nonlocal before
        if as_json:
            options.print_event("day", day, simulated=True)
        elif day.headlines != before:
            headlines = ", ".join(f"{model} {headline}" for model, headline in day.headlines.items())
            click.echo(f"day {day.number:3d}  {day.date}  {headlines}")
        before = day.headlines

    wanted = Rehearsal(suite=suite, until=last, **given)  # type: ignore[arg-type]
    lived = rehearse(wanted, channels, env, show, options.note(as_json), send=send)
    if not as_json:
        click.echo(f"SIMULATED: {len(lived)} days in {wanted.results}. Look at them with:")
        click.echo(f"  probatio verdict --results {wanted.results}")
        click.echo(f"  probatio site serve --results {wanted.results}")


@click.command()
@click.argument("suite", metavar="SUITE", type=click.Path(path_type=Path))
@options.value_option("--models", click.IntRange(1), 100, "Synthetic models of each kind.")
@options.value_option("--seed", int, 0, "The same seed gives the same figures.")
@options.path_option(
    "--out", "Where the figures are saved.  [default: beside the suite's manifest]", only="folder"
)
@options.as_json
def simulate(suite: Path, models: int, seed: int, out: Path | None, as_json: bool) -> None:
    """Simulate how often the verdict on a daily suite errs: how many healthy models are flagged in a year,
    and how soon a drop is noticed, with this suite's use cases and number of cases.

    No model is asked. The figures are saved beside the suite's manifest; `verdict` and the site's methodology
    page show them. `daily`, the built-in suite, has figures already and needs --out.

    \b
    Examples:
      probatio suite simulate my-watch
      probatio suite simulate my-watch --models 500       narrower intervals, a minute
      probatio suite simulate daily --out simulated
    """
    import msgspec

    from probatio.authoring.check.daily import daily_folder
    from probatio.core.files import put
    from probatio.suites.daily_suite import DAILY, load_daily
    from probatio.watch.simulate.figures import FIGURES, count_cases
    from probatio.watch.simulate.simulator import simulate_suite

    folder = daily_folder(suite)
    if folder is None:
        raise UsageError(f"{suite} is no daily suite: it has no suite.yml.")
    if folder == DAILY and out is None:
        raise UsageError("The built-in suite has its figures already. --out FOLDER saves new ones there.")
    if folder.is_file() and out is None:
        raise UsageError(f"{folder} is one file, without a place for figures. --out FOLDER saves them there.")
    place = (out or folder) / FIGURES
    loaded = load_daily(folder)
    figures = simulate_suite(loaded.manifest, count_cases(loaded), models, seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    put(place, msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
    if as_json:
        options.print_json(figures)
    else:
        for sentence in _describe(figures):
            click.echo(sentence)
    click.echo(f"Written: {place}", err=as_json)


def _describe(figures: Characteristics) -> Iterator[str]:
    from probatio.watch.simulate.faults import FAULTS
    from probatio.watch.simulate.figures import describe_cases
    from probatio.watch.simulate.profiles import PROFILES

    yield f"Simulated: {figures.models} models of each kind, {describe_cases(figures.cases)}."
    for quiet in figures.quiet:
        yield (
            f"Healthy models ({PROFILES[quiet.profile].title}), in a year: {_share(quiet.cooked)} are ever "
            f"COOKED, {_share(quiet.confirmed)} ever CONFIRMED."
        )
    for fault in figures.faults:
        yield (
            f"{FAULTS[fault.fault].title} ({PROFILES[fault.profile].title}), in {fault.days} days: "
            f"{_share(fault.cooked.share)} are COOKED{_on(fault.cooked.median)}, "
            f"{_share(fault.confirmed.share)} CONFIRMED{_on(fault.confirmed.median)}."
        )
    yield "In brackets: 95 % intervals."


def _share(measured: Measured) -> str:
    return f"{measured.value:.1%} [{measured.low:.1%}, {measured.high:.1%}]"


def _on(day: float | None) -> str:
    return "" if day is None else f" (half of them by day {day:g})"
