"""Where a model's code runs: a jail of the operating system, with limits, and nothing of the host in it."""

from __future__ import annotations

from collections.abc import Callable

from probatio.core.errors import CannotCheck, Incomplete
from probatio.jail.isolation import (
    Choice,
    Isolation,
    NoIsolation,
    explain_no_jail,
    explain_unheld_processes,
    find_fault,
    find_isolation,
    warm_jail,
)
from probatio.jail.libraries import libraries
from probatio.jail.pace import Clocks, Pace
from probatio.jail.program import JAIL_SPEAKS, STOPS, Limits, ProgramOutcome, Runtime

__all__ = [
    "STOPS", "Choice", "Clocks", "Isolation", "Limits", "NoIsolation", "Pace", "ProgramOutcome", "Runtime",
    "explain_no_jail", "explain_unheld_processes", "find_isolation", "libraries", "run",
    "warm_jail",
]  # fmt: skip


def run(
    runtime: Runtime,
    stdin: bytes = b"",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    choice: Choice = "auto",
    paced: Callable[[], Pace] | None = None,
) -> ProgramOutcome:
    """Run one program in the jail to its end or to a limit. Never raises for what the program does.

    A program can print whatever the jail would say, so its word alone ends no run: the jail is tried again.
    `paced` makes what times its steps, for every start. Safe to call from many threads at once.
    """
    from probatio.jail import build

    if why := explain_no_jail():
        raise CannotCheck(why)  # of one answer, which is kept; the run goes on
    kind = find_isolation(choice).kind
    try:
        outcome = build.run(kind, runtime, stdin, limits, paced and paced())
        if outcome.exit != 1 or not outcome.stderr.startswith(JAIL_SPEAKS):
            return outcome
        outcome = build.run(kind, runtime, stdin, limits, paced and paced())
    except OSError as error:
        raise Incomplete(f"The jail could not be started: {error}.") from error
    if outcome.exit == 1 and outcome.stderr.startswith(JAIL_SPEAKS) and (reason := find_fault(kind)):
        raise Incomplete(f"The jail worked before and works no more: {reason}.")
    return outcome
