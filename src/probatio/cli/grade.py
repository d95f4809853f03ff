"""`probatio grade`: grade stored answers again, without calling a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.jail import Choice


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@options.recorded_suite
@options.path_option("--out", "Write the grades to this file.  [default: next to the answers]")
@options.results
@options.sandbox
@options.workers
@options.fresh
@options.as_events
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

    RUN is a run's id or folder, a file raw_responses.jsonl, or an address (s3://…, gs://…: extra `storage`).
    A run at an address is first copied to a folder of its name under --results, and graded there; with --out
    only the grades are written. A program that was checked before by the same grader is not run again, unless
    --fresh says so.

    \b
    Examples:
      probatio grade 2026-01-05T20-27-27
      probatio grade old/raw_responses.jsonl --suite old --out /tmp/regraded.jsonl
      probatio grade 2026-01-05T20-27-27 --workers ray://head:10001      on the machines of a Ray cluster
    """
    from probatio.runs.regrade import regrade

    kept = options.check_with(workers, options.warn, fresh=fresh)
    report = regrade(run, results, suite, out, sandbox)
    if as_json:
        for flip in report.flips:
            options.print_event("flip", flip)
        counts = ("graded", "passed", "errors", "unchecked", "compared", "unknown_tasks")
        summary = {name: getattr(report, name) for name in counts}
        more = {"out": str(report.out), "remarks": report.remarks, "checks": kept.usage if kept else None}
        options.print_event("end", summary, flipped=len(report.flips), **more)
        return
    for remark in report.remarks:
        click.echo(remark, err=True)
    for flip in report.flips:
        click.echo(f"{flip.before} → {flip.after}  {flip.trial}  {flip.why or ''}".rstrip())
    if report.unknown_tasks:
        click.echo(
            f"{report.unknown_tasks} answers belong to tasks that are not in the suite; they were left out.",
            err=True,
        )
    asked = report.graded - report.errors - report.unchecked
    share = f" ({100 * report.passed / asked:.0f}%)" if asked else ""
    compared = "no earlier grades to compare with"
    if report.compared:
        compared = f"{len(report.flips)} of {report.compared} flipped"
    click.echo(f"{report.passed}/{asked} passed{share}; {compared}.")
    if report.unchecked:
        from probatio.runs.progress import describe_unchecked

        share = describe_unchecked(report.unchecked, asked + report.unchecked)
        click.echo(f"{share}; they count neither as right nor as wrong. Run this command again to try again.")
    if kept and kept.usage.kept + kept.usage.sampled:
        click.echo(f"{kept.usage}.{'' if fresh else ' --fresh checks all again.'}")
    click.echo(f"Grades: {report.out}")
