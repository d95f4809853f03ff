"""Optional packages: which extra brings which module, and the sentence for one that is not installed."""

from __future__ import annotations

import functools
import importlib.util

from probatio.core.errors import UsageError

EXTRA_OF: dict[str, str] = {
    "xllamacpp": "embedded",
    "starlette": "site",
    "uvicorn": "site",
    "jinja2": "site",
    "feedgen": "site",
    "markdown_it": "site",
    "mpmath": "watch",
    "pint": "watch",
    "apprise": "watch",
    "vl_convert": "charts",
    "kcl_lib": "kcl",
    "fsspec": "storage",
    "s3fs": "storage",
    "gcsfs": "storage",
    "ray": "ray",
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "frames",
}
"""Module → the extra of pyproject.toml that installs it. What is not here belongs to the core."""


def require(*modules: str) -> None:
    """Raise UsageError if one of these modules is not installed. Call it before importing them."""
    for module in modules:
        if not _is_installed(module):
            raise UsageError(describe_missing(EXTRA_OF[module]))


def require_extra(extra: str) -> None:
    """Raise UsageError if the extra is not installed completely."""
    require(*(module for module, name in EXTRA_OF.items() if name == extra))


def list_installed() -> dict[str, bool]:
    """Every extra, and whether it is installed completely."""
    extras = dict.fromkeys(EXTRA_OF.values(), True)
    for module, extra in EXTRA_OF.items():
        extras[extra] = extras[extra] and _is_installed(module)
    return extras


def describe_missing(extra: str) -> str:
    """The sentence for a missing extra. It has no full stop, so that the command can be copied."""
    return f"This needs the extra `{extra}`: pip install 'probatio[{extra}]'"


@functools.cache
def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
