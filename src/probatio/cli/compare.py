"""`probatio compare`: compare two runs, models or contexts, paired by trial."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.study.compare import Comparison

SHOWN_FLIPS = 20
"""Tasks printed; --json lists all."""


@click.command()
@click.argument("a")
@click.argument("b")
@options.results
@options.recorded_suite
@click.option(
    "--fail-below",
    type=click.FloatRange(-100, 100),
    metavar="N",
    help="Exit code 1 if B minus A is below N percentage points, such as -2.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as one JSON object.")
@click.pass_context
def command(
    ctx: click.Context, a: str, b: str, results: Path, suite: Path | None, fail_below: float | None, as_json: bool
) -> None:
    """Compare B with A, paired by trial: the difference with its interval, McNemar's p, and the tasks whose result changed.

    A and B are RUN or RUN:AXIS=VALUE,… with the axes model, context, n_shot, dialect, type, category, difficulty, task, sample.
    Globs are allowed. An axis given twice selects both values.

    \b
    Examples:
      probatio compare monday tuesday                                     two runs
      probatio compare monday:model=gpt-4o monday:model=gpt-4o-mini       two models of one run
      probatio compare monday:context=minimal monday:context=complete
      probatio compare monday tuesday --fail-below -2                     for CI: exit code 1 if B is over 2 points worse
    """
    from probatio.study.compare import compare

    found = compare(a, b, results, suite)
    failed = fail_below is not None and found.difference < fail_below
    if as_json:
        import msgspec

        gate = None if fail_below is None else {"fail_below": fail_below, "failed": failed}
        told = {"event": "comparison", **msgspec.to_builtins(found), "gate": gate}
        click.echo(msgspec.json.encode(told).decode())
    else:
        _show(found)
        if fail_below is not None:
            click.echo(f"Gate: {found.difference:+.1f} is {'below' if failed else 'not below'} {fail_below:+g} points.")
    if failed:
        ctx.exit(1)


def _show(found: Comparison) -> None:
    from probatio.study.report import p_value

    for name, side, rate in (("A", found.a, found.rate_a), ("B", found.b, found.rate_b)):
        click.echo(f"{name}  {side}: {rate.passed}/{rate.asked} ({100 * (rate.share or 0):.1f} %)")
    click.echo(
        f"B less A: {found.difference:+.1f} points, 95 % {found.low:+.1f} to {found.high:+.1f} "
        f"({found.pairs} pairs, clustered by {found.tasks} tasks)"
    )
    click.echo(f"Only B passes {found.gained}, only A passes {found.lost}; exact McNemar p {p_value(found.p)}")
    if found.pairs > found.tasks:
        click.echo(
            "McNemar counts every pair as independent; with several pairs per task the interval is the safer word."
        )
    left_out = [
        f"{count} {what}"
        for count, what in (
            (found.unpaired_a, "of A without a partner"),
            (found.unpaired_b, "of B without a partner"),
            (found.unasked, "pairs not asked on one side"),
        )
        if count
    ]
    if left_out:
        click.echo(f"Left out: {', '.join(left_out)}.")
    for flip in found.flips[:SHOWN_FLIPS]:
        sign = "worse " if flip.lost > flip.gained else "better" if flip.gained > flip.lost else "mixed "
        click.echo(f"  {sign}  {flip.task_id}: {flip.passed_a}/{flip.pairs} → {flip.passed_b}/{flip.pairs}")
    if len(found.flips) > SHOWN_FLIPS:
        click.echo(f"  … and {len(found.flips) - SHOWN_FLIPS} more tasks (--json has them all)")
