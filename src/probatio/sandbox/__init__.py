"""Where a model's code runs: a jail of the operating system, with limits, and nothing of the host in it."""

from __future__ import annotations

from probatio.sandbox.isolation import Choice, Isolation, NoIsolation, isolation
from probatio.sandbox.libraries import libraries
from probatio.sandbox.memo import Memo, key
from probatio.sandbox.outcome import STOPS, Limits, Outcome, Runtime

__all__ = [
    "STOPS", "Choice", "Isolation", "Limits", "Memo", "NoIsolation", "Outcome", "Runtime", "isolation", "libraries", "run",
]  # fmt: skip


def run(
    runtime: Runtime,
    stdin: bytes = b"",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    choice: Choice = "auto",
    memo: Memo | None = None,
) -> Outcome:
    """Run one program in the jail to its end or to a limit. Never raises for what the program does.

    Safe to call from many threads at once; with a memo, programs alike in everything are run once.
    """
    from probatio.sandbox import jail

    kind = isolation(choice).kind
    if memo is None:
        return jail.run(kind, runtime, stdin, limits)
    return memo.get(key(kind, runtime, stdin, limits), lambda: jail.run(kind, runtime, stdin, limits))
