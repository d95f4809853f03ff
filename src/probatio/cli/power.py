"""`probatio power`: the chance to see a difference, before anything is spent."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options


@click.command()
@click.argument("pilot", nargs=-1, metavar="[RUN | A B]")
@click.option(
    "--delta", type=click.FloatRange(-100, 100), required=True, metavar="POINTS", help="The difference, B minus A."
)
@click.option("--tasks", type=click.IntRange(1), help="Tasks in the comparison.  [default: those of the pilot]")
@click.option("--samples", type=click.IntRange(1), help="Answers per trial.  [default: 1, or as the pilot]")
@click.option(
    "--conditions",
    type=click.IntRange(1),
    help="Under how many conditions both sides answer each task, such as contexts times n-shots.  [default: 1, or as the pilot]",
)
@click.option(
    "--between",
    type=click.Choice(["model", "context", "dialect"]),
    default="model",
    show_default=True,
    help="What will be compared.",
)
@click.option(
    "--rate", type=click.FloatRange(0, 100), metavar="%", help="How often A passes.  [default: 50, or as the pilot]"
)
@click.option(
    "--chance",
    type=click.FloatRange(10, 99),
    default=80,
    show_default=True,
    metavar="%",
    help="The chance to plan for.",
)
@options.results
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def command(
    pilot: tuple[str, ...],
    delta: float,
    tasks: int | None,
    samples: int | None,
    conditions: int | None,
    between: str,
    rate: float | None,
    chance: float,
    results: Path,
    as_json: bool,
) -> None:
    """Tell the chance that a comparison will show a difference of so many points, and how many tasks it takes.

    The comparison is paired and clustered by task, as `probatio compare` does it. Without a pilot, rates are stated and answers
    to one task are taken to be as alike as usual. RUN takes both from a run with several models, contexts or dialects; A B from
    two sides as `probatio compare` takes them.

    \b
    Examples:
      probatio power --delta 5 --tasks 95 --samples 1
      probatio power --delta 5 --tasks 95 --conditions 20 --rate 80        each task under 20 conditions
      probatio power monday --delta 5 --between context                    from a pilot run
      probatio power monday:model=a tuesday:model=b --delta -3 --chance 90
    """
    from probatio.errors import UsageError
    from probatio.study.planning import plan_power, power_lines

    if len(pilot) > 2:
        raise UsageError(f"A pilot is one run or two sides; {len(pilot)} were given.")
    plan = plan_power(
        pilot,
        delta=delta,
        results=results,
        between=between,
        tasks=tasks,
        samples=samples,
        conditions=conditions,
        rate=rate,
        chance=chance,
    )
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"event": "power", **msgspec.to_builtins(plan)}).decode())
        return
    for line in power_lines(plan):
        click.echo(line)
