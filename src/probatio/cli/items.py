"""`probatio items`: what each task, case and rung tells about the models that answered it."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option("--daily", is_flag=True, help="The cases and rungs of the daily suite, from the last days.")
@click.option(
    "--days",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="With --daily: how many of the last days; of more than 28 every so many are read.  [default: 14]",
)
@click.option(
    "--model", metavar="MODEL", help="Which items tell something about this model, and which are dead weight."
)
@click.option("--pool", metavar="NAME", help="Only this use case or pool.")
@click.option("--rungs", is_flag=True, help="List every rung, too, and draw the ladder of every case.")
@click.option(
    "--svg", type=click.Path(path_type=Path, dir_okay=False), help="Write the picture of the ladders to this file."
)
@click.option(
    "--saturation",
    "history",
    flag_value="saturation",
    help="Tasks that nobody fails or nobody passes any more, and since when.  [default runs: all of the newest suite]",
)
@click.option(
    "--quotes", "history", flag_value="quotes", help="Answers that quote the solutions of the suite word for word."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
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
    """Measure the items of runs, or of the daily suite: difficulty by model with an interval, discrimination, who saturates an
    item, who never gets it, and its tokens. Then where each model stands, from easy to hard.

    Several runs are read together; they must have asked the same suite.

    \b
    Examples:
      probatio items study-0.5b study-1.5b
      probatio items --daily
      probatio items --daily --pool math_reasoning --rungs    every rung of one use case
      probatio items --daily --model gpt-4o                   what tells something about one model
      probatio items --daily --svg ladders.svg --json
      probatio items --saturation                             over all runs of the newest suite
      probatio items monday tuesday --quotes
    """
    from probatio.cli.items_table import about_lines, lines
    from probatio.items.information import about
    from probatio.items.measuring import narrowed
    from probatio.items.of_days import DAYS, items_of_days
    from probatio.items.of_runs import items_of_runs
    from probatio.study.trials import find_results

    if history is not None:
        if daily or model or pool or rungs or svg:
            raise UsageError(f"--{history} looks through runs; it goes with RUN, --results, --suite and --json only.")
        _history(runs, results, suite, history, as_json)
        return
    if bool(runs) == daily:
        raise UsageError("Name runs, or give --daily: `probatio items RUN…` or `probatio items --daily`.")
    if runs and days is not None:
        raise UsageError("--days goes with --daily; a run is read whole.")
    if daily and suite is not None:
        raise UsageError("--suite goes with runs; days name their suite themselves.")
    if daily:
        found = items_of_days(results, days or DAYS)
    else:
        folders = list({folder.resolve(): folder for run in runs for folder in [find_results(run, results)]}.values())
        found = items_of_runs(folders, suite)
    found = narrowed(found, pool)
    informing = None
    if model is not None:
        from probatio.names import pick

        (chosen, *more) = pick("model", (model,), list(found.models), f"in {found.source}")
        if more:
            raise UsageError(f"`{model}` names several models ({', '.join((chosen, *more))}); name one.")
        informing = about(found, chosen)
    if svg is not None:
        from probatio.items.pictures import ladders_picture

        svg.write_text(ladders_picture(found, rungs=rungs), encoding="utf-8")
    if as_json:
        import msgspec

        event = {"event": "items", **msgspec.to_builtins(found), "about": msgspec.to_builtins(informing)}
        click.echo(msgspec.json.encode(event).decode())
        return
    for line in about_lines(found, informing, rungs) if informing else lines(found, rungs):
        click.echo(line)
    if svg is not None:
        click.echo(f"Picture: {svg}")


def _history(runs: tuple[str, ...], results: Path, suite: Path | None, which: str, as_json: bool) -> None:
    from probatio.cli.items_history import quotes_lines, saturation_lines
    from probatio.items.quotes import quotes_of_runs
    from probatio.items.saturation import runs_of_newest_suite, saturation
    from probatio.study.trials import find_results

    folders = list({folder.resolve(): folder for run in runs for folder in [find_results(run, results)]}.values())
    folders = folders or runs_of_newest_suite(results)
    found = saturation(folders, suite) if which == "saturation" else quotes_of_runs(folders, suite)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"event": which, **msgspec.to_builtins(found)}).decode())
        return
    for line in saturation_lines(found) if which == "saturation" else quotes_lines(found):  # type: ignore[arg-type]
        click.echo(line)
