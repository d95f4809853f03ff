"""`probatio study`: analyse the answers of runs; every rate has an interval."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import UsageError


@click.command(cls=Verb)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=options.complete_study)
@options.results
@options.path_option(
    "--out",
    "Write into this folder.  [default: the folder of the run; of a run at an address, one of its name "
    "under --results]",
    only="folder",
)
@options.recorded_suite
@options.path_option("--config", "The models.yml with the analyst model.  [default: config/models.yml]")
@click.option(
    "--narrative/--no-narrative",
    default=None,
    help="Let the analyst model of models.yml write a section of text.  [default: only with --config]",
)
@options.allow_hosts
@click.option(
    "--side-by-side",
    is_flag=True,
    help="Put runs of different suites on one page, languages.md: pass rate against tokens of context, "
    "model by model.",
)
@options.names_option(
    "--format",
    "formats",
    "Write tables in these formats instead of analysis.md; latex brings figures and BibTeX.",
    metavar="latex,csv,parquet,html,bibtex",
)
@options.names_option("--figure", "figures", "Write the figures as these files.", metavar="svg,pdf,png")
@options.value_option(
    "--size", click.Choice(["column", "page"]), "column", "How wide a figure is: 84 or 174 mm."
)
@click.option(
    "--compare", "axis", metavar="AXIS", help="Add every two levels of this axis compared, such as model."
)
@options.as_json
def command(
    runs: tuple[str, ...],
    results: Path,
    out: Path | None,
    suite: Path | None,
    config: Path | None,
    narrative: bool | None,
    allow_hosts: tuple[str, ...],
    side_by_side: bool,
    formats: tuple[str, ...],
    figures: tuple[str, ...],
    size: str,
    axis: str | None,
    as_json: bool,
) -> None:
    """Analyse one run, or several runs of the same suite. Writes analysis.md with charts and prints a
    summary.

    RUN is a run's id, folder or address (s3://…, gs://…: extra `storage`). A folder of another harness works
    too, if it has a graded_results.jsonl. A first word that names one of the commands below is that command;
    write a run of that name as a path, such as results/compare.

    \b
    Examples:
      probatio study 2026-01-05T20-27-27
      probatio study run-1 run-2 --out results/both
      probatio study run-1 --narrative
      probatio study 2026-01-05T20-27-27 --json
      probatio study s3://bucket/runs/2026-01-05T20-27-27
      probatio study 2026-01-05T20-27-27 --format latex,csv --out paper --compare model
      probatio study 2026-01-05T20-27-27 --figure svg,pdf,png --size page
      probatio study one-language other-language --side-by-side --out results/languages
    """
    from probatio.api import compare, export
    from probatio.ask.hosts import environment
    from probatio.core.config import load_config
    from probatio.learn.analysis import study_of, write_study
    from probatio.learn.report.narrative import require_analyst
    from probatio.learn.report.sections import summarise
    from probatio.learn.selection import NotFound, find_folders
    from probatio.runs.store.address import is_address

    env = environment(allow_hosts)
    try:
        folders = find_folders(runs, results)
    except NotFound as error:
        if any(sign in runs[0] for sign in "/:"):  # a path, an address or a selection
            raise
        raise UsageError(f"{error} {_suggest_command(runs[0])}") from None
    if len(folders) > 1 and out is None:
        raise UsageError("The study of several runs needs a folder of its own: name it with --out DIR.")
    if out is None and is_address(runs[0]):
        out = results / folders[0].name  # not the cache, where the fetched run is
    target = out or folders[0]
    if side_by_side:
        _side_by_side(folders, target, as_json)
        return
    if formats or figures:
        if axis is not None and len(folders) > 1:
            raise UsageError(f"--compare {axis} compares within one run; {len(folders)} were named.")
        compared = compare(str(folders[0]), each=axis, suite=suite) if axis else []
        files = export(
            *folders, out=target, formats=formats, figures=figures, size=size, compared=compared, suite=suite
        )
        if as_json:
            options.print_event("export", files=[str(file) for file in files])
            return
        for file in files:
            click.echo(file)
        return
    if axis is not None:
        raise UsageError(
            f"--compare {axis} goes with --format or --figure; `probatio study compare RUN --each {axis}` "
            f"shows it here."
        )
    analyst = load_config(config) if narrative or (narrative is None and config is not None) else None
    if analyst is not None and config is None:
        require_analyst(analyst, env)
    study = study_of(folders, suite)
    analysis, written = write_study(study, target, analyst, env)
    if as_json:
        options.print_event("study", study, narrative=written, analysis=str(analysis))
        return
    for line in [*(f"Note: {note}" for note in study.notes), *summarise(study)]:
        click.echo(line)
    if analyst is not None and written.missing:
        click.echo(written.missing)
    click.echo(f"Analysis: {analysis}")


def _suggest_command(word: str) -> str:
    """A sentence for a first word that names no run: it may be a mistyped command."""
    from probatio.cli import COMMANDS
    from probatio.cli.grammar import find_below
    from probatio.core.text.names import find_near

    below = list(find_below("study", COMMANDS))
    if meant := find_near(word, below):
        return f"Did you mean `probatio study {meant[0]}`?"
    return f"The commands below `study` are {', '.join(below)}; see `probatio study --help`."


def _side_by_side(folders: list[Path], target: Path, as_json: bool) -> None:
    from probatio.learn.report.side_by_side import describe_gain, read_languages, write_side_by_side

    found = read_languages(folders)
    page = write_side_by_side(found, target)
    if as_json:
        options.print_event("languages", languages=found.languages, gains=found.gains, page=str(page))
        return
    for one in found.gains:
        click.echo(describe_gain(one))
    if not found.gains:
        click.echo("No two languages were asked with the same numbers of tokens: no gains to compare.")
    click.echo(f"Page: {page}")
