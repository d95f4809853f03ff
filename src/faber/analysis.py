"""From text to tree to diagnostics: the steps every command shares, safe for any text."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from faber.check import check
from faber.diagnostics import Diagnostic, Report
from faber.dialects import find_dialect
from faber.parse import Tokens, parse, tokenize
from faber.tree import Program

STACK = 20_000
"""Frames the parser and the check may need for the deepest program they accept (see MAX_DEPTH): Python's
own frames live on the heap, so a higher limit costs nothing until it is used. Raised once and never
lowered: lowering it would fail whatever else is running."""
sys.setrecursionlimit(max(STACK, sys.getrecursionlimit()))

TOO_DEEP = Diagnostic("syntax", "nesting", 1, 1, "The program nests too deeply.", "Split it into functions.")


class Rejected(ValueError):
    """The program has errors; `diagnostics` says which."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


@dataclass(slots=True)
class Analysis:
    tokens: Tokens
    program: Program
    diagnostics: list[Diagnostic]


def analyse(
    source: str,
    dialect: str = "latin",
    *,
    semantic: bool = True,
    thorough: bool = False,
    strict: bool = False,
) -> Analysis:
    """Read and check a program. `thorough` types what the check passes over too;
    `strict` also reports what is wrong there."""
    words = find_dialect(dialect)
    report = Report(source)
    tokens = tokenize(source, words, report)
    program = Program(0, [], complete=False)
    try:
        program = parse(tokens, words, report)
        if semantic:
            check(program, report, words, thorough=thorough or strict, strict=strict)
    except RecursionError:
        report.diagnostics.append(TOO_DEEP)
    return Analysis(tokens, program, report.diagnostics)
