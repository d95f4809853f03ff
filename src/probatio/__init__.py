"""Probatio: can a model learn this language, and is it still what it was?

`probatio.run`, `read`, `grade`, `study`, `compare`, `power` and the other names below are functions for
scripts and notebooks (docs/python.md). They are imported when they are first used, so `import probatio` costs
next to nothing. `__init__.pyi` has their types.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

__all__ = [
    "Run",
    "__version__",
    "bibtex",
    "compare",
    "export",
    "figures",
    "grade",
    "power",
    "read",
    "resume",
    "run",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'probatio' has no attribute {name!r}")
    return getattr(import_module("probatio.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
