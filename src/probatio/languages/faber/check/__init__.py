"""What is wrong with a program that reads: names, types, returns and cases, as the reference compiler sees them."""

from __future__ import annotations

from probatio.languages.faber.check.program import check

__all__ = ["check"]
