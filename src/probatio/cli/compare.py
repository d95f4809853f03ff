"""`probatio compare`: compare runs, models or contexts, paired by trial."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="A B...", shell_complete=options.complete_runs)
@click.option(
    "--each", metavar="AXIS", help="Compare all levels of this axis in one run, such as every model with every other."
)
@click.option("--to-first", is_flag=True, help="Of several sides, compare each with the first only.")
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
    ctx: click.Context,
    sides: tuple[str, ...],
    each: str | None,
    to_first: bool,
    results: Path,
    suite: Path | None,
    fail_below: float | None,
    as_json: bool,
) -> None:
    """Compare B with A, paired by trial: the difference with its interval, an exact p, and the tasks whose result changed.

    A and B are RUN or RUN:AXIS=VALUE,… with the axes model, context, n_shot, dialect, type, category, difficulty, task, sample.
    Globs are allowed. An axis given twice selects both values. With more than two sides every two are compared, and the p-values
    are corrected for that (Holm). RUN is a run's id, folder or address (s3://…, gs://…).

    \b
    Examples:
      probatio compare monday tuesday                                     two runs
      probatio compare monday:model=gpt-4o monday:model=gpt-4o-mini       two models of one run
      probatio compare monday --each model                                every two models of one run
      probatio compare monday:context=minimal monday:context=basic monday:context=complete --to-first
      probatio compare monday tuesday --fail-below -2                     for CI: exit code 1 if B is over 2 points worse
    """
    from probatio.study.compare import compare_all, sides_of
    from probatio.study.comparison_words import comparison_lines, several_lines

    if each is not None:
        if len(sides) > 1:
            raise UsageError(f"--each {each} takes one run and compares what is in it; {len(sides)} were given.")
        sides = tuple(sides_of(sides[0], each, results, suite))
    elif len(sides) < 2:
        raise UsageError("Name two sides to compare, or one run with --each model.")
    if fail_below is not None and len(sides) > 2 and not to_first:
        raise UsageError("--fail-below needs to know what is compared with what: name two sides, or add --to-first.")
    compared = compare_all(sides, results, suite, to_first=to_first)
    failed = [one for one in compared if fail_below is not None and one.difference < fail_below]
    if as_json:
        import msgspec

        gate = None if fail_below is None else {"fail_below": fail_below, "failed": bool(failed)}
        if len(compared) == 1:
            record = {"event": "comparison", **msgspec.to_builtins(compared[0]), "gate": gate}
        else:
            record = {"event": "comparisons", "corrected": "holm", "comparisons": compared, "gate": gate}
        click.echo(msgspec.json.encode(record).decode())
    else:
        for line in comparison_lines(compared[0]) if len(compared) == 1 else several_lines(compared):
            click.echo(line)
        for one in compared if fail_below is not None else ():
            click.echo(
                f"Gate: {one.b} {one.difference:+.1f} is {'below' if one in failed else 'not below'} {fail_below:+g} points."
            )
    if failed:
        ctx.exit(1)
