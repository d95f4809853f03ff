"""`probatio grade`: grade stored answers again, without calling a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.sandbox import Choice


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@options.recorded_suite
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write the grades to this file.  [default: beside the answers]"
)
@options.results
@options.sandbox
@options.workers
@options.fresh
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line.")
def command(
    run: str,
    suite: Path | None,
    out: Path | None,
    results: Path,
    sandbox: Choice,
    workers: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Grade stored answers again and list the grades that changed. No model is called.

    RUN is a run's id or folder, a file raw_responses.jsonl, or an address (s3://…, gs://…: extra `storage`). A run at an address
    is first copied to a folder of its name under --results, and graded there; with --out only the grades are written.
    A program that was checked before by the same grader is not run again, unless --fresh says so.

    \b
    Examples:
      probatio grade 2026-01-05T20-27-27
      probatio grade old/raw_responses.jsonl --suite old --out /tmp/regraded.jsonl
      probatio grade 2026-01-05T20-27-27 --workers ray://head:10001      on the machines of a Ray cluster
    """
    import msgspec

    from probatio.run.regrade import regrade

    kept = options.check_with(workers, lambda sentence: click.echo(sentence, err=True), fresh=fresh)
    report = regrade(run, results, suite, out, sandbox)
    if as_json:
        for flip in report.flips:
            click.echo(msgspec.json.encode({"event": "flip", **msgspec.structs.asdict(flip)}).decode())
        counts = ("graded", "passed", "errors", "unchecked", "compared", "unknown_tasks")
        summary = {name: getattr(report, name) for name in counts}
        click.echo(
            msgspec.json.encode(
                {
                    "event": "end",
                    **summary,
                    "flipped": len(report.flips),
                    "out": str(report.out),
                    "remarks": report.remarks,
                    "checks": msgspec.to_builtins(kept.usage) if kept else None,
                }
            ).decode()
        )
        return
    for remark in report.remarks:
        click.echo(remark, err=True)
    for flip in report.flips:
        click.echo(f"{flip.before} → {flip.after}  {flip.trial}  {flip.why or ''}".rstrip())
    if report.unknown_tasks:
        click.echo(
            f"{report.unknown_tasks} answers belong to tasks that are not in the suite; they were left out.", err=True
        )
    asked = report.graded - report.errors - report.unchecked
    share = f" ({100 * report.passed / asked:.0f}%)" if asked else ""
    compared = (
        f"{len(report.flips)} of {report.compared} flipped" if report.compared else "no earlier grades to compare with"
    )
    click.echo(f"{report.passed}/{asked} passed{share}; {compared}.")
    if report.unchecked:
        from probatio.run.progress import unchecked_share

        told = unchecked_share(report.unchecked, asked + report.unchecked)
        click.echo(f"{told}; they count neither as right nor as wrong. Run this command again to try again.")
    if kept and kept.usage.kept + kept.usage.sampled:
        click.echo(f"{kept.usage}.{'' if fresh else ' --fresh checks all again.'}")
    click.echo(f"Grades: {report.out}")
