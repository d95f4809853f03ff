"""Faber: Latin keywords, type-first declarations, compiled to TypeScript. Checked, formatted, compiled and run here."""

from __future__ import annotations

from probatio.languages.faber.analysis import TOO_DEEP, Rejected, analyse
from probatio.languages.faber.conversion import Conversion, convert
from probatio.languages.faber.diagnostics import Diagnostic, error_class
from probatio.languages.faber.dialects import dialect as dialect_named
from probatio.languages.faber.emit import emit
from probatio.languages.faber.twists import meant
from probatio.sandbox import Choice, ProgramOutcome

__all__ = [
    "VERSION", "Conversion", "Diagnostic", "Rejected", "check", "compile", "conversion", "error_class", "format", "run",
]  # fmt: skip

VERSION = "1.0.0"
"""Bumped whenever a program could be checked or run otherwise; recorded with every run."""

# The functions below share their names with the modules that do the work. The modules are loaded above, once and for all,
# so these names stay the functions.


def check(source: str, dialect: str = "latin", *, strict: bool = False) -> list[Diagnostic]:
    """What is wrong with a program; empty when the reference compiler would accept it.

    `strict` adds what the reference leaves unchecked: arguments, members, missing returns. Grading never uses it.
    """
    return analyse(source, dialect, strict=strict).diagnostics


def compile(source: str, dialect: str = "latin") -> str:
    """The program as TypeScript; Rejected carries the diagnostics where the check finds any."""
    analysis = analyse(source, dialect, thorough=True)
    if analysis.diagnostics:
        raise Rejected(analysis.diagnostics)
    try:
        return emit(meant(analysis.program, dialect_named(dialect).twist))
    except RecursionError:
        raise Rejected([TOO_DEEP]) from None


def conversion(source: str, dialect: str = "latin", to: str | None = None) -> Conversion:
    """The program printed canonically in dialect `to`, with the names that had to change, or why it cannot be read."""
    return convert(source, dialect, to)


def format(source: str, dialect: str = "latin", to: str | None = None) -> str:
    """The program printed canonically, in dialect `to` where given; what cannot be read comes back unchanged."""
    return convert(source, dialect, to).text


def run(source: str, dialect: str = "latin", isolation: Choice = "auto") -> ProgramOutcome:
    """Compile a program and run it where TypeScript answers run; Rejected where the check finds errors."""
    from probatio.languages.typescript import run as run_typescript

    return run_typescript(compile(source, dialect), isolation=isolation)
