"""`probatio simulate`: measure false alarms and delays of the verdict on synthetic models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.errors import UsageError

if TYPE_CHECKING:
    from probatio.simulate.characteristics import Result
    from probatio.workers import Checks


@click.command()
@click.option(
    "--models", type=click.IntRange(1), default=200, show_default=True, help="Synthetic models per noise profile."
)
@click.option(
    "--days",
    type=click.IntRange(1),
    default=365,
    show_default=True,
    help="Days each healthy model is watched.",
)
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="Only this noise profile; can be repeated.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="Only this fault; can be repeated. `none`: only false alarms.",
)
@click.option(
    "--suite",
    type=click.Path(path_type=Path),
    help="Folder of another daily suite. The constants are read from its manifest.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same figures.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Save the figures and the page made from them in this folder. A run that was broken off goes on from there.",
)
@options.workers
def command(
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
    """Run the rule and the evidence over synthetic models: false alarms on healthy ones, and how soon a fault is detected.

    A fault is tried on a quarter of the models. The evidence is run beside its first edition on the same days. The default run
    takes about 25 minutes of CPU, 500 models about an hour. With --out every part is kept when it is there: break the
    command off when you like, and give it again to go on.

    \b
    Examples:
      probatio simulate --profile partial --fault drop-10-all
      probatio simulate --models 500 --fault none
      probatio simulate --models 500 --workers ray://head:10001 --out simulated
      probatio simulate --models 500 --out simulated      (operating_characteristics.json, operating-characteristics.md)
    """
    import msgspec

    from probatio.simulate import characteristics
    from probatio.simulate.compared import ALL_PROFILES
    from probatio.simulate.faults import FAULTS
    from probatio.simulate.parts import KeptParts
    from probatio.suite.daily_suite import read_manifest

    for given, known, kind in ((profiles, ALL_PROFILES, "profile"), (faults, (*FAULTS, "none"), "fault")):
        for name in given:
            if name not in known:
                raise UsageError(f"There is no {kind} `{name}`; there are {', '.join(known)}.")
    manifest = read_manifest(suite)
    kept = None
    if out is not None:
        kept = KeptParts(out, characteristics.made_with(manifest, models, days, seed))
        if len(kept):
            click.echo(f"{len(kept)} parts are there already.", err=True)
    figures = characteristics.measured(
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
        click.echo(msgspec.json.encode(figures).decode())
    if out is not None:
        for path in characteristics.write(figures, out):
            click.echo(f"Written: {path}", err=as_json)


def _pool(workers: str | None) -> Checks | None:
    """Whoever makes the parts; None for this process itself, where one is all there is."""
    from probatio.workers.choosing import shared, use
    from probatio.workers.lane import cores

    if workers == "1" or (workers is None and cores() == 1):
        return None
    use(workers, lambda sentence: click.echo(sentence, err=True))
    return shared()


def _print(result: Result) -> None:
    from probatio.simulate.causes import KINDS, Named
    from probatio.simulate.compared import ALL_PROFILES, Delay, FalseConfirmed
    from probatio.simulate.faults import FALLS, FAULTS
    from probatio.simulate.profiles import PROFILES
    from probatio.simulate.promise import Promise
    from probatio.simulate.simulator import AfterFault, QuietYears

    if isinstance(result, QuietYears):
        click.echo(
            f"nothing wrong, {PROFILES[result.profile].title}, judged {result.noise}: "
            f"SUSPICIOUS {result.suspicious.value:.1%} of use-case-days, COOKED {result.cooked.value:.1%} of models, "
            f"CONFIRMED {result.confirmed.value:.1%} [{result.confirmed.low:.1%}, {result.confirmed.high:.1%}] "
            f"({result.models} models, {result.days} days)"
        )
    elif isinstance(result, AfterFault):
        click.echo(
            f"{FAULTS[result.fault].title}, {PROFILES[result.profile].title}: "
            f"COOKED {result.cooked.share.value:.1%}{_on(result.cooked.median)}, "
            f"CONFIRMED {result.confirmed.share.value:.1%}{_on(result.confirmed.median)} ({result.models} models)"
        )
    elif isinstance(result, FalseConfirmed):
        click.echo(
            f"nothing wrong, {ALL_PROFILES[result.profile].title}, {_shape(result.whole_suite)}: CONFIRMED "
            f"{result.second.value:.1%} [{result.second.low:.1%}, {result.second.high:.1%}], first edition "
            f"{result.first.value:.1%}; {result.full_days:g} days at full count ({result.models} models)"
        )
    elif isinstance(result, Delay):
        click.echo(
            f"{FALLS[result.fall].title}, {ALL_PROFILES[result.profile].title}, 25 cases: "
            f"CONFIRMED{_on(result.second.median)}, in 14 days {result.second_in_time.value:.0%}; first edition"
            f"{_on(result.first.median)}, {result.first_in_time.value:.0%} ({result.models} models)"
        )
    elif isinstance(result, Promise):
        click.echo(
            f"smallest drop, {ALL_PROFILES[result.profile].title}, {_shape(result.whole_suite)}: {result.drop:.1%}, "
            f"confirmed in 14 days {result.kept:.0%} [{result.low:.0%}, {result.high:.0%}] ({result.models} references)"
        )
    elif isinstance(result, Named):
        click.echo(
            f"{result.scenario}, {KINDS[result.kind].title}: {result.cause} named in {result.right.value:.0%} "
            f"[{result.right.low:.0%}, {result.right.high:.0%}] of {result.flagged} flagged runs"
        )
    else:
        click.echo(
            f"The rule: a smooth decline ends at z = {result.decline_z:.2f}; false SUSPICIOUS {result.fresh.value:.1%} "
            f"with a fresh re-run, {result.pooled.value:.1%} pooled; COOKED episodes a year "
            f"{result.flagged_in.value:.1f} with flagged days in the baseline, {result.flagged_out.value:.1f} without."
        )


def _shape(whole_suite: bool) -> str:
    return "whole suite" if whole_suite else "25 cases"


def _on(day: float | None) -> str:
    return "" if day is None else f" (median day {day:g})"
