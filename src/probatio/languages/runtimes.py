"""The runtimes of models' programs that are found, not built: where they are, or why they are not there."""

from __future__ import annotations

from probatio.languages.typescript.engines import deno

__all__ = ["deno"]
