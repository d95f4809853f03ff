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
    Globs are allowed. An axis given twice selects both values. RUN is a run's id, folder or address (s3://…, gs://…).

    \b
    Examples:
      probatio compare monday tuesday                                     two runs
      probatio compare monday:model=gpt-4o monday:model=gpt-4o-mini       two models of one run
      probatio compare monday:context=minimal monday:context=complete
      probatio compare monday tuesday --fail-below -2                     for CI: exit code 1 if B is over 2 points worse
    """
    from probatio.study.compare import compare

    comparison = compare(a, b, results, suite)
    failed = fail_below is not None and comparison.difference < fail_below
    if as_json:
        import msgspec

        gate = None if fail_below is None else {"fail_below": fail_below, "failed": failed}
        record = {"event": "comparison", **msgspec.to_builtins(comparison), "gate": gate}
        click.echo(msgspec.json.encode(record).decode())
    else:
        _show(comparison)
        if fail_below is not None:
            click.echo(
                f"Gate: {comparison.difference:+.1f} is {'below' if failed else 'not below'} {fail_below:+g} points."
            )
    if failed:
        ctx.exit(1)


def _show(comparison: Comparison) -> None:
    from probatio.study.report import p_value

    for name, side, rate in (("A", comparison.a, comparison.rate_a), ("B", comparison.b, comparison.rate_b)):
        click.echo(f"{name}  {side}: {rate.passed}/{rate.asked} ({100 * (rate.share or 0):.1f} %)")
    click.echo(
        f"B less A: {comparison.difference:+.1f} points, 95 % {comparison.low:+.1f} to {comparison.high:+.1f} "
        f"({comparison.pairs} pairs, clustered by {comparison.tasks} tasks)"
    )
    click.echo(
        f"Only B passes {comparison.gained}, only A passes {comparison.lost}; exact McNemar p {p_value(comparison.p)}"
    )
    if comparison.pairs > comparison.tasks:
        click.echo("McNemar counts every pair as independent. With several pairs per task, trust the interval.")
    left_out = [
        f"{count} {what}"
        for count, what in (
            (comparison.unpaired_a, "of A without a partner"),
            (comparison.unpaired_b, "of B without a partner"),
            (comparison.unasked, "pairs not asked on one side"),
        )
        if count
    ]
    if left_out:
        click.echo(f"Left out: {', '.join(left_out)}.")
    for flip in comparison.flips[:SHOWN_FLIPS]:
        sign = "worse " if flip.lost > flip.gained else "better" if flip.gained > flip.lost else "mixed "
        click.echo(f"  {sign}  {flip.task_id}: {flip.passed_a}/{flip.pairs} → {flip.passed_b}/{flip.pairs}")
    if len(comparison.flips) > SHOWN_FLIPS:
        click.echo(f"  … and {len(comparison.flips) - SHOWN_FLIPS} more tasks (--json has them all)")
