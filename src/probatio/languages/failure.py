"""A run that ended badly, as a class of error and a message."""

from __future__ import annotations

from probatio.records import ErrorType
from probatio.sandbox import ProgramOutcome


def why_failed(outcome: ProgramOutcome) -> tuple[ErrorType, str]:
    """A limit of time is a class of its own; any other limit, and any exit but 0, is an error at run time."""
    if outcome.stopped in ("time", "cpu"):
        return "timeout", f"stopped at the limit of {outcome.stopped}"
    if outcome.stopped:
        return "runtime_error", f"stopped at the limit of {outcome.stopped}"
    return "runtime_error", f"exit {outcome.exit}: {error_line(outcome.stderr)}"


def error_line(stderr: str) -> str:
    """The line that tells most: the first that speaks of an error, else the first."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return next((line for line in lines if "rror" in line), lines[0] if lines else "no message")[:300]
