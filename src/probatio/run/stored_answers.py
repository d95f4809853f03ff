"""Stored answers of any harness: whatever has a task, a model and a response can be graded. What is missing is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from probatio.records import Response
from probatio.store.lines import read_lines

_NEEDED = frozenset({"task_id", "model", "response"})


class StoredAnswers:
    """The answers of a file, one at a time, and afterwards what they lacked."""

    def __init__(self, path: Path, dialect: str) -> None:
        self._path = path
        self._unknown: dict[str, Any] = {
            "timestamp": "unknown", "run_id": "unknown", "framework_version": "unknown", "git_sha": None,
            "n_shot": 0, "context": "unknown", "dialect": dialect,
        }  # fmt: skip
        self._lacking: Counter[str] = Counter()
        self._unusable = 0

    def __iter__(self) -> Iterator[Response]:
        for line in read_lines(self._path, dict[str, Any]):
            if not line.keys() >= _NEEDED:
                self._unusable += 1
                continue
            missing = [name for name in self._unknown if name not in line]
            self._lacking.update(missing)
            try:
                yield msgspec.convert({**self._unknown, **line}, Response, strict=False)
            except msgspec.ValidationError:
                self._unusable += 1

    @property
    def remarks(self) -> list[str]:
        """One line each for what was missing and for what could not be used."""
        remarks = []
        # A dialect is one of the default where a harness knew no other; nobody has to be told.
        lacking = {name: count for name, count in self._lacking.items() if name != "dialect"}
        if lacking:
            fields = ", ".join(f"{name} ({count})" for name, count in lacking.items())
            remarks.append(f"Some answers lack fields, which are taken as unknown: {fields}.")
        if self._unusable:
            remarks.append(f"{self._unusable} lines have no task_id, model or response that can be read; left out.")
        return remarks
