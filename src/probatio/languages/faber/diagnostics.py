"""Diagnostics: what is wrong with a program, where, and what to do about it."""

from __future__ import annotations

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


def error_class(diagnostics: Sequence[Diagnostic]) -> ErrorClass | None:
    """The grading class: a program that cannot be read has a syntax error, one that reads but is wrong a type error."""
    if any(d.phase != "semantic" for d in diagnostics):
        return "syntax_error"
    return "type_error" if diagnostics else None


class Lines:
    """Turns an offset into a line and a column."""

    __slots__ = ("_starts", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._starts: list[int] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        if self._starts is None:
            starts = [0]
            at = self.source.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.source.find("\n", at + 1)
            self._starts = starts
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, offset: int) -> int:
        return self.place(offset)[0]


class Report:
    """The diagnostics of one program, in the order they are met."""

    __slots__ = ("diagnostics", "lines")

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.diagnostics: list[Diagnostic] = []

    def add(self, phase: Phase, code: str, at: int, message: str, hint: str | None = None) -> None:
        line, column = self.lines.place(at)
        self.diagnostics.append(Diagnostic(phase, code, line, column, message, hint))
