"""`probatio verify`: recompute everything recorded from the raw files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.grading.checked import CacheUsage
    from probatio.jail import Choice
    from probatio.watch.verify.verification import Verification

SHOWN = 20
"""Differences printed; --json lists all."""


@click.command()
@click.option(
    "--date",
    "dates",
    multiple=True,
    metavar="YYYY-MM-DD",
    help="Only this day and the chain; can be repeated.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Check only the chain, the file hashes and the verdicts: grade no answer again.",
)
@click.option(
    "--head",
    metavar="SHA256",
    help="A head of the ledger noted earlier, or at least its first 12 digits. It must still be in the "
    "ledger.",
)
@click.option(
    "--correct",
    metavar="WHY",
    help="Append a correction with this reason for every verdict that newer code makes otherwise; then "
    "check.",
)
@options.path_option("--suite", "The folder of the suite, if it lies outside of the results folder.")
@options.as_json
@options.sandbox
@options.workers
@options.fresh
@options.results
@click.pass_context
def command(
    ctx: click.Context,
    dates: tuple[str, ...],
    quick: bool,
    head: str | None,
    correct: str | None,
    suite: Path | None,
    as_json: bool,
    sandbox: Choice,
    workers: str | None,
    fresh: bool,
    results: Path,
) -> None:
    """Recompute the chain of the ledger, file hashes, grades, scores and verdicts. Prints the first
    difference.

    No model and no judge is called: code grades the answers again, and the stored replies of the judge are
    read again. The ledger itself can't show that its newest records were removed. So note the printed head
    elsewhere, and check it later with --head.

    An answer that the same grader checked before is not checked again but for a share drawn by chance; the
    output says how many. --fresh checks all of them again.

    After an upgrade of Probatio, verdicts may come out otherwise. --correct records them again, from the same
    files and with the same constants. Nothing is rewritten: the earlier records stay. Days whose files were
    changed are not corrected.

    \b
    Examples:
      probatio verify
      probatio verify --quick --correct "Probatio 0.5 names causes otherwise"
      probatio verify --quick --head 3fa9c2d1b07e       the chain, the hashes and the head noted last week
      probatio verify --date 2026-03-01 --json
      probatio verify --fresh --workers 16
    """
    from probatio.core.errors import UsageError
    from probatio.watch.ledger.chain import parse_head
    from probatio.watch.ledger.ledger import ledger_path
    from probatio.watch.verify.verification import verify

    head = parse_head(head) if head is not None else None
    if not ledger_path(results).exists():
        raise UsageError(
            f"{ledger_path(results)} does not exist: no day has been recorded yet; see `probatio daily`."
        )
    corrected = None if correct is None else _correct(results, correct, dates)
    kept = options.check_with(workers, options.warn, fresh=fresh)
    wanted: dict[str, Any] = {"dates": dates or None, "head": head, "sandbox": sandbox, "given": suite}
    report = verify(results, grades=not quick, **wanted)
    if kept and kept.usage.differed and not fresh:
        # What was taken from it before the difference was seen proves nothing.
        click.echo("All answers are checked again.", err=True)
        kept.share = 1.0
        report = verify(results, grades=not quick, **wanted)
    if as_json:
        more: dict[str, object] = {} if corrected is None else {"corrected": corrected}
        if not quick:
            more["checks"] = kept.usage if kept else None
        options.print_event("verified", report, **more)
    else:
        if corrected is not None:
            click.echo(f"Corrected: the verdicts of {corrected} day{'s' * (corrected != 1)}.")
        _show(report, kept.usage if kept and not quick else None, fresh)
    if report.findings:
        ctx.exit(1)


def _correct(results: Path, why: str, dates: tuple[str, ...]) -> int:
    """Record verdicts again that newer code makes otherwise. Gives the number of days."""
    from probatio.core.clock import now_text
    from probatio.core.errors import UsageError
    from probatio.watch.ledger.later import judge_again

    if not why.strip():
        raise UsageError("A correction says why: --correct must not be empty.")
    if dates:
        raise UsageError("--correct is for all days: verdicts follow from those before. Leave out --date.")
    return len(judge_again(results, now_text(), why.strip()))


def _show(report: Verification, checks: CacheUsage | None, fresh: bool) -> None:
    click.echo(
        f"Checked {report.records} records, {report.days} days: {report.files} files, "
        f"{report.grades} grades, {report.scores} scores, {report.verdicts} verdicts."
    )
    if checks is not None and checks.kept + checks.sampled:
        click.echo(f"Of the answers: {checks}.{'' if fresh else ' --fresh checks all again.'}")
    click.echo(
        f"Head of the ledger: {report.head or 'none'}  (note it elsewhere: a cut tail can't be seen from "
        f"inside)"
    )
    for days, what in (
        (report.simulated, "SIMULATED: a rehearsal, no model was asked."),
        (report.imported, "imported from a file: when and how their models were asked is not on record."),
        (report.replayed, "replayed: their dates were set; the answers' own times say when they were asked."),
    ):
        if days:
            click.echo(f"Note: {days} days are {what}")
    for note in report.notes:
        click.echo(f"Note: {note}")
    if not report.findings:
        click.echo("No difference.")
        return
    click.echo(f"First difference: {report.findings[0]}")
    for finding in report.findings[1:SHOWN]:
        click.echo(f"  also {finding}")
    if len(report.findings) > SHOWN:
        click.echo(f"  … and {len(report.findings) - SHOWN} more (--json has them all)")
