"""TypeScript: programs run on deno, which the `deno` wheel brings, printing as bun's console does."""

from __future__ import annotations

from probatio.languages.typescript.run import run
from probatio.sandbox import Limits, ProgramOutcome

__all__ = ["Limits", "ProgramOutcome", "run"]
