"""`probatio suite rehearse` and `suite simulate`: simulated days of a suite, and synthetic models."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.core.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.rehearse import RehearsedDay
    from probatio.jail.workers import Checks
    from probatio.watch.simulate.parts import Result
    from probatio.watch.simulate.simulator import Measured


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
@options.value_option("--models", click.IntRange(1), 200, "Synthetic models per noise profile.")
@options.value_option("--days", click.IntRange(1), 365, "Days each healthy model is watched.")
@click.option(
    "--profile", "profiles", multiple=True, metavar="NAME", help="Only this noise profile; can be repeated."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="Only this fault; can be repeated. `none`: only false alarms.",
)
@options.path_option("--suite", "Folder of another daily suite. The constants are read from its manifest.")
@options.value_option("--seed", int, 0, "The same seed gives the same figures.")
@options.as_json
@options.path_option(
    "--out",
    "Save the figures and the page made from them in this folder. A stopped run goes on from there.",
    only="folder",
)
@options.workers
def simulate(
    models: int,
    days: int,
    profiles: tuple[str, ...],
    faults: tuple[str, ...],
    suite: Path | None,
    seed: int,
    as_json: bool,
    out: Path | None,
    workers: str | None,
) -> None:
    """Run the rule and the evidence over synthetic models: false alarms on healthy ones, and how soon a fault
    is detected.

    A fault is tried on a quarter of the models. The default run takes about 25 minutes of CPU, 500 models
    about an hour. With --out every part is kept when it is ready: stop the command when you like, and give it
    again to go on.

    \b
    Examples:
      probatio suite simulate --profile partial --fault drop-10-all
      probatio suite simulate --models 500 --fault none
      probatio suite simulate --models 500 --workers ray://head:10001 --out simulated
      probatio suite simulate --models 500 --out simulated      with a page, operating-characteristics.md
    """

    from probatio.suites.daily_suite import read_manifest
    from probatio.watch.simulate import characteristics
    from probatio.watch.simulate.evidence_alone import ALL_PROFILES
    from probatio.watch.simulate.faults import FAULTS
    from probatio.watch.simulate.parts import KeptParts

    for given, known, kind in ((profiles, ALL_PROFILES, "profile"), (faults, (*FAULTS, "none"), "fault")):
        for name in given:
            if name not in known:
                raise UsageError(f"There is no {kind} `{name}`; there are {', '.join(known)}.")
    manifest = read_manifest(suite)
    kept = None
    if out is not None:
        kept = KeptParts(out, characteristics.digest_inputs(manifest, models, days, seed))
        if len(kept):
            click.echo(f"{len(kept)} parts are there already.", err=True)
    figures = characteristics.measure(
        manifest,
        models=models,
        days=days,
        seed=seed,
        profiles=profiles,
        faults=[name for name in faults if name != "none"] if faults else None,
        report=(lambda result: None) if as_json else _print,
        kept=kept,
        pool=_pool(workers),
    )
    if as_json:
        options.print_json(figures)
    if out is not None:
        for path in characteristics.write(figures, out):
            click.echo(f"Written: {path}", err=as_json)


def _pool(workers: str | None) -> Checks | None:
    """The workers that make the parts; None if this process makes them itself."""
    from probatio.core.machine import count_cores
    from probatio.jail.workers.choosing import get_pool, use

    if workers == "1" or (workers is None and count_cores() == 1):
        return None
    use(workers, options.warn)
    return get_pool()


def _print(result: Result) -> None:
    from probatio.watch.simulate.causes import KINDS, NamedCauses
    from probatio.watch.simulate.evidence_alone import ALL_PROFILES, Delay, FalseConfirmed
    from probatio.watch.simulate.faults import FALLS, FAULTS
    from probatio.watch.simulate.profiles import PROFILES
    from probatio.watch.simulate.promise import PromiseKept
    from probatio.watch.simulate.simulator import AfterFault, QuietYears

    if isinstance(result, QuietYears):
        click.echo(
            f"nothing wrong, {PROFILES[result.profile].title}, judged {result.noise}: "
            f"SUSPICIOUS {result.suspicious.value:.1%} of use-case-days, "
            f"COOKED {result.cooked.value:.1%} of models, CONFIRMED {_share(result.confirmed)} "
            f"({result.models} models, {result.days} days)"
        )
    elif isinstance(result, AfterFault):
        click.echo(
            f"{FAULTS[result.fault].title}, {PROFILES[result.profile].title}: "
            f"COOKED {result.cooked.share.value:.1%}{_on(result.cooked.median)}, "
            f"CONFIRMED {result.confirmed.share.value:.1%}{_on(result.confirmed.median)} "
            f"({result.models} models)"
        )
    elif isinstance(result, FalseConfirmed):
        click.echo(
            f"nothing wrong, {ALL_PROFILES[result.profile].title}, {_shape(result.whole_suite)}: "
            f"CONFIRMED {_share(result.confirmed)}; "
            f"{result.full_days:g} days at full count ({result.models} models)"
        )
    elif isinstance(result, Delay):
        click.echo(
            f"{FALLS[result.fall].title}, {ALL_PROFILES[result.profile].title}, 25 cases: "
            f"CONFIRMED{_on(result.confirmed.median)}, in 14 days {result.in_time.value:.0%} "
            f"({result.models} models)"
        )
    elif isinstance(result, PromiseKept):
        click.echo(
            f"smallest drop, {ALL_PROFILES[result.profile].title}, {_shape(result.whole_suite)}: "
            f"{result.drop:.1%}, confirmed in 14 days {result.kept:.0%} "
            f"[{result.low:.0%}, {result.high:.0%}] ({result.models} references)"
        )
    elif isinstance(result, NamedCauses):
        click.echo(
            f"{result.scenario}, {KINDS[result.kind].title}: {result.cause} named in "
            f"{result.right.value:.0%} [{result.right.low:.0%}, {result.right.high:.0%}] "
            f"of {result.flagged} flagged runs"
        )
    else:
        click.echo(
            f"The rule: a smooth decline ends at z = {result.decline_z:.2f}; "
            f"false SUSPICIOUS {result.fresh.value:.1%} with a fresh re-run, "
            f"{result.pooled.value:.1%} pooled; COOKED episodes a year "
            f"{result.flagged_in.value:.1f} with flagged days in the baseline, "
            f"{result.flagged_out.value:.1f} without."
        )


def _share(measured: Measured) -> str:
    return f"{measured.value:.1%} [{measured.low:.1%}, {measured.high:.1%}]"


def _shape(whole_suite: bool) -> str:
    return "whole suite" if whole_suite else "25 cases"


def _on(day: float | None) -> str:
    return "" if day is None else f" (median day {day:g})"
