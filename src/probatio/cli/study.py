"""`probatio study`: analyse the answers of runs; every rate has an interval."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=options.complete_runs)
@options.results
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write into this folder.  [default: the folder of the run; of a run at an address, one of its name under --results]",
)
@options.recorded_suite
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The models.yml with the analyst model.  [default: config/models.yml]",
)
@click.option(
    "--narrative/--no-narrative",
    default=True,
    show_default=True,
    help="Let the analyst model of models.yml write a section of text.",
)
@options.allow_hosts
@click.option(
    "--side-by-side",
    is_flag=True,
    help="Put runs of different suites on one page, languages.md: pass rate against tokens of context, model by model.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    callback=options.listed,
    metavar="latex,csv,parquet,html,bibtex",
    help="Write tables in these formats instead of analysis.md; latex brings figures and BibTeX.",
)
@click.option(
    "--figure",
    "figures",
    multiple=True,
    callback=options.listed,
    metavar="svg,pdf,png",
    help="Write the figures as these files.",
)
@click.option(
    "--size",
    type=click.Choice(["column", "page"]),
    default="column",
    show_default=True,
    help="How wide a figure is: 84 or 174 mm.",
)
@click.option("--compare", "axis", metavar="AXIS", help="Add every two levels of this axis compared, such as model.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as one JSON object.")
def command(
    runs: tuple[str, ...],
    results: Path,
    out: Path | None,
    suite: Path | None,
    config: Path | None,
    narrative: bool,
    allow_hosts: tuple[str, ...],
    side_by_side: bool,
    formats: tuple[str, ...],
    figures: tuple[str, ...],
    size: str,
    axis: str | None,
    as_json: bool,
) -> None:
    """Analyse one run, or several runs of the same suite. Writes analysis.md with charts and prints a summary.

    RUN is a run's id, folder or address (s3://…, gs://…: extra `storage`). A folder of another harness works too, if it has a
    graded_results.jsonl.

    \b
    Examples:
      probatio study 2026-01-05T20-27-27
      probatio study run-1 run-2 --out results/both --no-narrative
      probatio study 2026-01-05T20-27-27 --json
      probatio study s3://bucket/runs/2026-01-05T20-27-27
      probatio study 2026-01-05T20-27-27 --format latex,csv --out paper --compare model
      probatio study 2026-01-05T20-27-27 --figure svg,pdf,png --size page
      probatio study one-language other-language --side-by-side --out results/languages
    """
    from probatio.ask.hosts import environment
    from probatio.config import load_config
    from probatio.store.address import is_address
    from probatio.study.analysis import study_of, write_study
    from probatio.study.report import short_form
    from probatio.study.trials import find_results

    env = environment(allow_hosts)
    folders = list({folder.resolve(): folder for run in runs for folder in [find_results(run, results)]}.values())
    if len(folders) > 1 and out is None:
        raise UsageError("The study of several runs needs a folder of its own: name it with --out DIR.")
    if out is None and is_address(runs[0]):  # what was fetched lies in a cache; what is written belongs to the user
        out = results / folders[0].name
    if side_by_side:
        _side_by_side(folders, out or folders[0], as_json)
        return
    if formats or figures:
        _export(folders, out or folders[0], suite, formats, figures, size, axis, as_json)
        return
    if axis is not None:
        raise UsageError(
            f"--compare {axis} goes with --format or --figure; `probatio compare RUN --each {axis}` shows it here."
        )
    analyst = load_config(config) if narrative else None
    study = study_of(folders, suite)
    target, written = write_study(study, out or folders[0], analyst, env)
    if as_json:
        import msgspec

        findings = {
            "event": "study",
            **msgspec.to_builtins(study),
            "narrative": msgspec.to_builtins(written),
            "analysis": str(target),
        }
        click.echo(msgspec.json.encode(findings).decode())
        return
    for line in [*(f"Note: {note}" for note in study.notes), *short_form(study)]:
        click.echo(line)
    if analyst is not None and written.missing:
        click.echo(written.missing)
    click.echo(f"Analysis: {target}")


def _export(
    folders: list[Path],
    out: Path,
    suite: Path | None,
    formats: tuple[str, ...],
    figures: tuple[str, ...],
    size: str,
    axis: str | None,
    as_json: bool,
) -> None:
    from probatio.api.studying import compare, export

    if axis is not None and len(folders) > 1:
        raise UsageError(f"--compare {axis} compares within one run; {len(folders)} were named.")
    compared = compare(str(folders[0]), each=axis, suite=suite) if axis else []
    written = export(*folders, out=out, formats=formats, figures=figures, size=size, compared=compared, suite=suite)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"event": "export", "files": [str(file) for file in written]}).decode())
        return
    for file in written:
        click.echo(file)


def _side_by_side(folders: list[Path], target: Path, as_json: bool) -> None:
    from probatio.study.side_by_side import side_by_side, write_side_by_side

    languages = side_by_side(folders)
    page = write_side_by_side(languages, target)
    if as_json:
        import msgspec

        found = {"event": "languages", "languages": msgspec.to_builtins(languages), "page": str(page)}
        click.echo(msgspec.json.encode(found).decode())
        return
    for one in languages:
        for curve in one.curves:
            ends = (f"{100 * (point.rate.share or 0):.0f} %" for point in (curve.points[0], curve.points[-1]))
            click.echo(f"{one.suite}, {curve.model}: {' → '.join(ends)} from the least told to the most")
    click.echo(f"Page: {page}")
