"""Where a model's code runs: a jail of the operating system, with limits, and nothing of the host in it."""

from __future__ import annotations

from probatio.errors import CannotCheck, Incomplete
from probatio.sandbox.isolation import (
    Choice,
    Isolation,
    Kind,
    NoIsolation,
    elsewhere,
    fault,
    isolation,
    unheld_processes,
)
from probatio.sandbox.libraries import libraries
from probatio.sandbox.memo import Memo, key, noted
from probatio.sandbox.program import STOPS, Limits, ProgramOutcome, Runtime

__all__ = [
    "STOPS", "Choice", "Isolation", "Limits", "Memo", "NoIsolation", "ProgramOutcome", "Runtime",
    "elsewhere", "isolation", "libraries", "run", "unheld_processes",
]  # fmt: skip


def run(
    runtime: Runtime,
    stdin: bytes = b"",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    choice: Choice = "auto",
    memo: Memo | None = None,
) -> ProgramOutcome:
    """Run one program in the jail to its end or to a limit. Never raises for what the program does.

    Safe to call from many threads at once; with a memo, programs alike in everything are run once.
    """
    if told := elsewhere():
        raise CannotCheck(told)  # of one answer, which is kept; the run goes on
    kind = isolation(choice).kind
    if memo is None:
        return noted(_run(kind, runtime, stdin, limits))
    return memo.get(key(kind, runtime, stdin, limits), lambda: noted(_run(kind, runtime, stdin, limits)))


_JAIL_SPEAKS = ("bwrap: ", "probatio: ")


def _run(kind: Kind, runtime: Runtime, stdin: bytes, limits: Limits) -> ProgramOutcome:
    """Run in the jail, and tell a program that failed from a jail that could not be built.

    A program can print whatever the jail would say, so its word alone ends no run: the jail is tried anew.
    """
    from probatio.sandbox import jail

    try:
        outcome = jail.run(kind, runtime, stdin, limits)
        if outcome.exit != 1 or not outcome.stderr.startswith(_JAIL_SPEAKS):
            return outcome
        outcome = jail.run(kind, runtime, stdin, limits)
    except OSError as error:
        raise Incomplete(f"The jail could not be started: {error}.") from error
    if outcome.exit == 1 and outcome.stderr.startswith(_JAIL_SPEAKS) and (reason := fault(kind)):
        raise Incomplete(f"The jail worked before and works no more: {reason}.")
    return outcome
