"""Before money is spent: a run expected to cost more than a limit is begun only with the user's word."""

from __future__ import annotations

import sys

import click

from probatio.errors import Incomplete, UsageError


def require_consent(expected: float, above: float, what: str, *, given: bool, as_json: bool) -> None:
    """Ask on a terminal; elsewhere refuse. `given`: the user has said --yes, or set a limit to what may be spent."""
    if expected <= above or given:
        return
    sentence = (
        f"{what} is expected to cost about ${expected:.2f}: more than ${above:.2f} (`confirm_above` in models.yml)."
    )
    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"{sentence} Say --yes to go on, or set a limit with --max-cost. Nothing was asked.")
    if not click.confirm(f"{sentence} Go on?"):
        raise Incomplete("Nothing was asked.")
