"""`probatio study items`: what each task, case and rung tells about the models that answered it."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option("--daily", is_flag=True, help="The cases and rungs of the daily suite, from the last days.")
@click.option(
    "--days",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="With --daily: how many of the last days; at most 28 are read, evenly spread.  [default: 14]",
)
@click.option("--pool", metavar="NAME", help="Only this use case or pool.")
@click.option("--rungs", is_flag=True, help="List every rung of the ladders, too.")
@click.option(
    "--quotes", is_flag=True, help="Answers that quote the solutions of the suite word for word, instead."
)
@options.as_json
@options.results
@options.recorded_suite
def command(
    runs: tuple[str, ...],
    daily: bool,
    days: int | None,
    pool: str | None,
    rungs: bool,
    quotes: bool,
    as_json: bool,
    results: Path,
    suite: Path | None,
) -> None:
    """Measure the items of runs, or of the daily suite: the pass rate of each model with an interval, how
    well an item separates the models, what it tells, and its tokens.

    Several runs are read together; they must have asked the same suite.

    \b
    Examples:
      probatio study items study-0.5b study-1.5b
      probatio study items --daily
      probatio study items --daily --pool math_reasoning --rungs    every rung of one use case
      probatio study items monday tuesday --quotes
    """
    from probatio.cli.study.items_text import format_items
    from probatio.learn.items.measuring import narrow_items
    from probatio.learn.items.of_days import DAYS, measure_days
    from probatio.learn.items.of_runs import measure_runs
    from probatio.learn.selection import find_folders
    from probatio.watch.ledger.ledger import withdrawn_days

    if bool(runs) == daily:
        raise UsageError(
            "Name runs, or give --daily: `probatio study items RUN…` or `probatio study items --daily`."
        )
    if quotes:
        if daily or pool or rungs:
            raise UsageError(
                "--quotes looks through runs; it goes with RUN, --results, --suite and --json only."
            )
        _quotes(runs, results, suite, as_json)
        return
    if runs and days is not None:
        raise UsageError("--days goes with --daily; a run is read whole.")
    if daily and suite is not None:
        raise UsageError("--suite goes with runs; days name their suite themselves.")
    if daily:
        found = measure_days(results, days or DAYS, withdrawn=withdrawn_days(results))
    else:
        found = measure_runs(find_folders(runs, results), suite)
    found = narrow_items(found, pool)
    if as_json:
        options.print_event("items", found)
        return
    for line in format_items(found, rungs):
        click.echo(line)


def _quotes(runs: tuple[str, ...], results: Path, suite: Path | None, as_json: bool) -> None:
    from probatio.cli.study.items_text import format_quotes
    from probatio.learn.items.quotes import find_quotes
    from probatio.learn.selection import find_folders

    found = find_quotes(find_folders(runs, results), suite)
    if as_json:
        options.print_event("quotes", found)
        return
    for line in format_quotes(found):
        click.echo(line)
