"""From a tree back to text, in one canonical way."""

from __future__ import annotations

from probatio.languages.faber.print.program import print_program

__all__ = ["print_program"]
