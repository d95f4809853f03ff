"""`probatio suite new --daily` and `suite check` of a daily suite."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.proving import Watch
    from probatio.sandbox import Choice


def write_new_daily(folder: Path, source: str) -> None:
    """Write a daily suite to begin with, and say what comes next."""
    from probatio.authoring.copying import new_daily

    if source != "command":
        raise UsageError("--from is for languages; a daily suite begins from the one that --daily writes.")
    use_cases, cases = new_daily(folder)
    named = shlex.quote(str(folder))
    click.echo(f"Written: {folder}, with {use_cases} use cases and {cases} cases. Next:")
    steps = {
        f"probatio suite check {named}": "prove it",
        f"probatio rehearse {named}": "see 40 simulated days, with a model that gets worse",
        f"probatio daily --suite {named} --dry-run": "see what would be asked",
    }
    wide = max(map(len, steps))
    for step, why in steps.items():
        click.echo(f"  {step:<{wide}}  {why}")


def check_daily(folder: Path, sandbox: Choice, results: Path, as_json: bool, watch: Watch) -> None:
    """Prove a daily suite; exit code 1 if a proof fails."""
    import msgspec

    from probatio.authoring.daily_check import check
    from probatio.authoring.daily_report import lines, summary
    from probatio.authoring.measured import headroom_lines, headroom_of_days

    report = check(folder, sandbox, watch)
    headroom = headroom_of_days(report.fingerprint, results)
    if as_json:
        measured = {"summary": summary(report), "headroom": msgspec.to_builtins(headroom)}
        click.echo(msgspec.json.encode({**msgspec.to_builtins(report), **measured}).decode())
    else:
        for line in (*lines(report), *headroom_lines(headroom)):
            click.echo(line)
    if not report.passed:
        sys.exit(1)
