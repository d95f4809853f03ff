"""Faber: Latin keywords, type-first declarations, compiled to TypeScript. Checked, formatted, compiled and run here."""

from __future__ import annotations

from probatio.languages.faber.diagnostics import Diagnostic, error_class
from probatio.languages.faber.pipeline import Rejected, analyse
from probatio.languages.faber.typescript import emit

__all__ = ["Diagnostic", "Rejected", "check", "compile", "error_class"]

# The functions below share their names with the modules that do the work. The modules are loaded above, once and for all,
# so these names stay the functions.


def check(source: str, dialect: str = "latin") -> list[Diagnostic]:
    """What is wrong with a program; empty when the reference compiler would accept it."""
    return analyse(source, dialect).diagnostics


def compile(source: str, dialect: str = "latin") -> str:
    """The program as TypeScript; Rejected carries the diagnostics where the check finds any."""
    analysis = analyse(source, dialect, thorough=True)
    if analysis.diagnostics:
        raise Rejected(analysis.diagnostics)
    return emit(analysis.program)
