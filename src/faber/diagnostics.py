"""Diagnostics: what is wrong with a program, where, and what to do about it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Phase = Literal["lexical", "syntax", "semantic"]
ErrorClass = Literal["syntax_error", "type_error"]


class Diagnostic(Struct, frozen=True):
    """One finding. Lines and columns count from 1; a column counts characters."""

    phase: Phase
    code: str
    line: int
    column: int
    message: str
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.line}:{self.column} {self.phase} error [{self.code}]: {self.message}"
        return f"{text}\n    {self.hint}" if self.hint else text


def classify_errors(diagnostics: Sequence[Diagnostic]) -> ErrorClass | None:
    """The grading class: a program that cannot be read has a syntax error,
    one that reads but is wrong a type error."""
    if any(d.phase != "semantic" for d in diagnostics):
        return "syntax_error"
    return "type_error" if diagnostics else None


class Report:
    """The diagnostics of one program, in the order they are met."""

    __slots__ = ("_starts", "diagnostics", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self._starts: list[int] | None = None  # of the lines, once one is asked for

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset."""
        if self._starts is None:
            self._starts = [0, *(newline.end() for newline in re.finditer("\n", self.source))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def add(self, phase: Phase, code: str, at: int, message: str, hint: str | None = None) -> None:
        self.diagnostics.append(Diagnostic(phase, code, *self.place(at), message, hint))
