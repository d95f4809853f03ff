"""Defaults of a user's suite.yml: every constant it does not give is the built-in suite's.

The built-in manifest is the one place of the defaults. A table is filled key by key, a list is given whole or
not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import UsageError
from probatio.core.yamlfile import NOTE

OF_THE_SUITE = ("name", "version", "fingerprint", "use_cases", "forms")
"""What a suite never takes from another."""
OF_ANY_JUDGE = ("id", "max_tokens", "bar", "provider")
"""What a user's judge takes over from the built-in one; its route it does not."""
OF_A_USE_CASE: Mapping[str, Any] = {"max_tokens": 1500, "checked": 0.6}
"""Defaults of a user's use case: room for a page of text, and the weight of the part graded by code that all
built-in hybrids have. A built-in use case has numbers of its own."""

_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class OwnConstant(msgspec.Struct, frozen=True):
    """A number of the suite's own, and the built-in suite's in its place."""

    key: str  # rule.deterministic.collapse
    value: Any
    built_in: Any


def complete(own: Mapping[str, Any], built_in: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The manifest `own` of the suite in `folder`, with all it does not say."""
    filled: dict[str, Any] = _merge(
        own, {key: value for key, value in built_in.items() if key not in OF_THE_SUITE}
    )
    judge = own.get("judge")
    if isinstance(judge, dict) and not {"name", "provider", "base_url"}.isdisjoint(judge):
        filled["judge"] = {**{key: built_in["judge"][key] for key in OF_ANY_JUDGE}, **judge}
    entries = own.get("use_cases")
    if isinstance(entries, list):
        known = {entry["id"]: entry for entry in built_in["use_cases"]}
        filled["use_cases"] = [_use_case(entry, known, folder) for entry in entries]
    return filled


def own_constants(own: Mapping[str, Any], built_in: Mapping[str, Any]) -> tuple[OwnConstant, ...]:
    """Every constant that differs from the built-in manifest. Use cases don't count."""
    given = {key: value for key, value in own.items() if key not in OF_THE_SUITE}
    return tuple(_different(given, built_in, ""))


def _merge(own: Any, default: Any) -> Any:
    if not isinstance(own, dict) or not isinstance(default, dict):
        return own
    return {**default, **{key: _merge(value, default.get(key)) for key, value in own.items()}}


def _different(own: Any, default: Any, place: str) -> Iterator[OwnConstant]:
    if isinstance(own, dict) and isinstance(default, dict):
        for key, value in own.items():
            if str(key).startswith(NOTE):
                continue
            yield from _different(value, default.get(key), f"{place}.{key}" if place else str(key))
    elif own != (default := list(default) if isinstance(default, tuple) else default):
        yield OwnConstant(place, own, default)


def _use_case(entry: Any, known: Mapping[str, Mapping[str, Any]], folder: Path) -> Any:
    """An entry with its title, its grading and its limit. A use case of that name alone may stand for the
    entry."""
    given = {"id": entry} if isinstance(entry, str) else entry
    name = given.get("id") if isinstance(given, dict) else None
    if not isinstance(name, str):
        return given  # reading the record says what is wrong with it
    if not _FOLDER.fullmatch(name):
        raise UsageError(
            f"{folder / 'suite.yml'}: the use case `{name}` leads out of the suite or is no folder's name."
        )
    like = known.get(given["grader"] if isinstance(given.get("grader"), str) else name, {})
    filled = {
        "title": known[name]["title"] if name in known else name.replace("_", " ").replace("-", " ").title()
    }
    filled["grading"] = given.get("grading") or _grading(given, like, folder / name)
    filled["max_tokens"] = like.get("max_tokens", OF_A_USE_CASE["max_tokens"])
    if filled["grading"] == "hybrid":
        filled["checked"] = like.get("checked", OF_A_USE_CASE["checked"])
    return {**filled, **given}


def _grading(given: Mapping[str, Any], like: Mapping[str, Any], folder: Path) -> str:
    """How a use case is graded, by what is there: a rubric is for the judge, a grader is code."""
    code = (
        "grader" in given
        or (folder / "grader.py").exists()
        or like.get("grading") in ("deterministic", "hybrid")
    )
    if not (folder / "rubric.yml").exists():
        return "deterministic"
    return "hybrid" if code else "judge"
