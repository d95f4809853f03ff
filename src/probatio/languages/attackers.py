"""The runtimes that attack the jail for `probatio doctor`: those that models' code is given."""

from __future__ import annotations

from types import ModuleType

from probatio.languages import command_attacks
from probatio.languages.python import attacks as python_attacks
from probatio.languages.typescript import attacks as deno_attacks
from probatio.languages.typescript.engines import deno

__all__ = ["attackers", "deno"]


def attackers() -> tuple[tuple[str, ModuleType], ...]:
    """The name of a runtime, and the module with its attacks."""
    return ("deno", deno_attacks), ("python", python_attacks), ("a command", command_attacks)
