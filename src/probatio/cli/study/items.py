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
@click.option(
    "--model", metavar="MODEL", help="Which items tell something about this model, and which are dead weight."
)
@click.option("--pool", metavar="NAME", help="Only this use case or pool.")
@click.option("--rungs", is_flag=True, help="List every rung, too, and draw the ladder of every case.")
@options.path_option("--svg", "Write the picture of the ladders to this file.", only="file")
@click.option(
    "--saturation",
    "history",
    flag_value="saturation",
    help="Tasks that all models pass or all fail, and since when.  [default runs: all of the newest suite]",
)
@click.option(
    "--quotes",
    "history",
    flag_value="quotes",
    help="Answers that quote the solutions of the suite word for word.",
)
@options.as_json
@options.results
@options.recorded_suite
def command(
    runs: tuple[str, ...],
    daily: bool,
    days: int | None,
    model: str | None,
    pool: str | None,
    rungs: bool,
    svg: Path | None,
    history: str | None,
    as_json: bool,
    results: Path,
    suite: Path | None,
) -> None:
    """Measure the items of runs, or of the daily suite: difficulty by model with an interval, discrimination,
    who saturates an item, who never gets it, and its tokens. Then where each model stands, from easy to hard.

    Several runs are read together; they must have asked the same suite.

    \b
    Examples:
      probatio study items study-0.5b study-1.5b
      probatio study items --daily
      probatio study items --daily --pool math_reasoning --rungs    every rung of one use case
      probatio study items --daily --model gpt-4o                   what tells something about one model
      probatio study items --daily --svg ladders.svg --json
      probatio study items --saturation                             over all runs of the newest suite
      probatio study items monday tuesday --quotes
    """
    from probatio.cli.study.items_text import format_about, format_items
    from probatio.learn.items.information import weigh_items
    from probatio.learn.items.measuring import narrow_items
    from probatio.learn.items.of_days import DAYS, measure_days
    from probatio.learn.items.of_runs import measure_runs
    from probatio.learn.selection import find_folders

    if history is not None:
        if daily or model or pool or rungs or svg:
            raise UsageError(
                f"--{history} looks through runs; it goes with RUN, --results, --suite and --json only."
            )
        _history(runs, results, suite, history, as_json)
        return
    if bool(runs) == daily:
        raise UsageError(
            "Name runs, or give --daily: `probatio study items RUN…` or `probatio study items --daily`."
        )
    if runs and days is not None:
        raise UsageError("--days goes with --daily; a run is read whole.")
    if daily and suite is not None:
        raise UsageError("--suite goes with runs; days name their suite themselves.")
    if daily:
        found = measure_days(results, days or DAYS)
    else:
        found = measure_runs(find_folders(runs, results), suite)
    found = narrow_items(found, pool)
    informing = None
    if model is not None:
        from probatio.core.text.names import pick

        (chosen, *more) = pick("model", (model,), list(found.models), f"in {found.source}")
        if more:
            raise UsageError(f"`{model}` names several models ({', '.join((chosen, *more))}); name one.")
        informing = weigh_items(found, chosen)
    if svg is not None:
        from probatio.learn.items.ladders import picture_ladders

        svg.write_text(picture_ladders(found, rungs=rungs), encoding="utf-8")
    if as_json:
        options.print_event("items", found, about=informing)
        return
    for line in format_about(found, informing, rungs) if informing else format_items(found, rungs):
        click.echo(line)
    if svg is not None:
        click.echo(f"Picture: {svg}")


def _history(runs: tuple[str, ...], results: Path, suite: Path | None, which: str, as_json: bool) -> None:
    from probatio.cli.study.items_text import format_quotes, format_saturation
    from probatio.learn.items.quotes import find_quotes
    from probatio.learn.items.saturation import find_runs_of_newest_suite, measure_saturation
    from probatio.learn.selection import find_folders

    folders = find_folders(runs, results) or find_runs_of_newest_suite(results)
    found = measure_saturation(folders, suite) if which == "saturation" else find_quotes(folders, suite)
    if as_json:
        options.print_event(which, found)
        return
    for line in format_saturation(found) if which == ("saturation") else format_quotes(found):  # type: ignore[arg-type]
        click.echo(line)
