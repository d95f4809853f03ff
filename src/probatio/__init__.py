"""Probatio: can a model learn this language, and is it still what it was?

`probatio.run`, `read`, `grade`, `study`, `compare`, `power` and the other names below are functions for scripts and notebooks
(docs/python.md). They are imported when they are first used, so `import probatio` costs next to nothing. `__init__.pyi` has
their types.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Run": "probatio.api.asking",
    "run": "probatio.api.asking",
    "resume": "probatio.api.asking",
    "grade": "probatio.api.grading",
    "read": "probatio.api.reading",
    "study": "probatio.api.studying",
    "compare": "probatio.api.studying",
    "power": "probatio.api.studying",
    "export": "probatio.api.studying",
    "figures": "probatio.api.studying",
    "bibtex": "probatio.api.studying",
}
"""Public name → the module it comes from."""

__all__ = ["__version__", *_PUBLIC]


def _public(name: str) -> Any:
    return getattr(import_module(_PUBLIC[name]), name)


class _Callable(ModuleType):
    """A package that is called like the function of its name: `probatio.run` is the package run/ and asks models when called."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return _public(self.__name__.rpartition(".")[2])(*given, **named)

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(_public(self.__name__.rpartition(".")[2]))

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return _public(self.__name__.rpartition(".")[2]).__doc__  # type: ignore[no-any-return]


class _Package(ModuleType):
    """This package. Python sets a package's attribute when one of its parts is imported; there `run`, `grade` and `study` become
    callable, so that the name means the same before and after."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _PUBLIC and isinstance(value, ModuleType):
            value.__class__ = _Callable
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in _PUBLIC:
            return _public(name)
        raise AttributeError(f"module 'probatio' has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_PUBLIC})


sys.modules[__name__].__class__ = _Package
