"""From a checked tree to TypeScript."""

from __future__ import annotations

from probatio.languages.faber.emit.program import emit

__all__ = ["emit"]
