"""`probatio import`: take in answers or scores of past days, so that a watch need not begin from nothing; or tasks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from probatio.cli import options


@click.command()
@click.argument("file", metavar="FILE.jsonl|DIR", type=click.Path(path_type=Path))
@click.option(
    "--suite",
    type=click.Path(path_type=Path),
    help="A folder with suite.yml; for tasks, a language's folder.  [default: the built-in suite]",
)
@options.config
@options.results
@options.max_cost
@options.sandbox
@click.option("--dry-run", is_flag=True, help="Only check the file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(file: Path, results: Path, dry_run: bool, as_json: bool, **given: object) -> None:
    """Import past days: one JSON object per line, with date, model, case, and an answer or a score from 0 to 1.

    Or add task folders of Harbor to the suite of a language: DIR is one of them, or a folder of several.

    Answers are graded anew by the suite, scores are taken as they are. The days are marked imported; baseline and reference use
    them. Dates that are there already, dates that are not over and unknown cases are refused, and nothing is half-written.

    \b
    A line:
      {"date": "2026-03-01", "model": "gpt-4o", "case": "order_chairs", "answer": "…"}
    \b
    Examples:
      probatio import answers.jsonl --suite my-watch --dry-run
      probatio import answers.jsonl --suite my-watch
      probatio import harbor-tasks --suite my-language
    """
    if file.is_dir():
        from probatio.cli.import_tasks import import_tasks

        import_tasks(file, given["suite"], dry_run=dry_run, as_json=as_json)  # type: ignore[arg-type]
        return
    import msgspec

    from probatio.ask.hosts import environment
    from probatio.day.importing import carry_in, read_import
    from probatio.day.preparation import DayRequest

    request = DayRequest(**given)  # type: ignore[arg-type]
    note = options.note(as_json)
    wanted = read_import(file, request, results, datetime.now(UTC))
    for model in wanted.unknown_models:
        note(f"`{model}` is not in models.yml; a model of that id has to be the same one later.")
    answers, scores = wanted.counts
    counted = {"dates": len(wanted.dates), "models": len(wanted.models), "answers": answers, "scores": scores}
    if dry_run:
        if as_json:
            click.echo(msgspec.json.encode({"event": "plan", **counted}).decode())
        else:
            click.echo(f"{file}: {_told(counted)}. Nothing was imported.")
        return
    done = carry_in(wanted, request, results, environment(()), note)
    if as_json:
        gaps = [{"date": gap.date, "model": gap.model, "use_case": gap.use_case, "why": gap.gap} for gap in done.gaps]
        event = {"event": "imported", **counted, "corrected": done.corrections, "gaps": gaps}
        click.echo(msgspec.json.encode(event).decode())
        return
    click.echo(f"Imported: {_told(counted)}, from {done.dates[0]} to {done.dates[-1]}.")
    if done.gaps:
        first = done.gaps[0]
        click.echo(f"Gaps: {len(done.gaps)}, such as {first.model} in {first.use_case} on {first.date}: {first.gap}.")
    if done.corrections:
        click.echo(
            f"Later days whose verdicts follow from these: {done.corrections}; the ledger has their corrections."
        )


def _told(counted: dict[str, int]) -> str:
    return ", ".join(f"{number} {name if number != 1 else name[:-1]}" for name, number in counted.items())
