"""TypeScript: programs run on deno, which the `deno` wheel brings, printing as bun's console does."""

from __future__ import annotations

from probatio.languages.typescript.language import run

__all__ = ["run"]
