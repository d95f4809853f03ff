"""Conversion: read in one dialect, print in another, and make sure that the print means the same."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

from faber.analysis import TOO_DEEP, analyse
from faber.diagnostics import Diagnostic
from faber.dialects import find_dialect
from faber.print import print_program
from faber.tree import SURFACE, Node, Program
from faber.twists import untwist, write_twisted


class Conversion(Struct, frozen=True):
    """The printed program; `renamed` lists names that collide with the new dialect's words and what they
    became."""

    text: str
    renamed: dict[str, str]
    diagnostics: list[Diagnostic]
    """Why the program could not be read; `text` is the source as it was then."""


UNPRINTABLE = Diagnostic("syntax", "print", 1, 1, "The program cannot be printed so that it reads the same.")


def convert(source: str, dialect: str = "latin", to: str | None = None) -> Conversion:
    """Print a program canonically in dialect `to`.
    What cannot be read comes back unchanged, with the reasons."""
    target, written_in = find_dialect(to or dialect), find_dialect(dialect)
    untwisted = target.twist is written_in.twist
    analysis = analyse(source, dialect, semantic=not untwisted, thorough=not untwisted)
    unread = [each for each in analysis.diagnostics if each.phase != "semantic"]
    if unread or not analysis.program.complete:
        return Conversion(source, {}, unread)
    foreign = target.spelling != written_in.spelling
    try:
        if not untwisted:
            analysis.program = write_twisted(untwist(analysis.program, written_in.twist), target.twist)
        for separate in (False, True):
            text, renamed = print_program(
                analysis.program, source, analysis.tokens.comments, target, foreign, separate
            )
            if (foreign and not target.escapes and renamed) or _means_the_same(
                text, target.name, analysis.program
            ):
                return Conversion(text, renamed, [])
    except RecursionError:
        return Conversion(source, {}, [TOO_DEEP])
    return Conversion(source, {}, [UNPRINTABLE])


def _means_the_same(text: str, dialect: str, program: Program) -> bool:
    """Newlines separate nothing in Faber, so two statements may flow together;
    the print is read again to see."""
    again = analyse(text, dialect, semantic=False)
    return not again.diagnostics and same_meaning(again.program, program)


def same_meaning(one: Any, other: Any) -> bool:
    """Do two trees mean the same? Without recursion, so that no tree is too deep."""
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        kind = type(a)
        if kind is not type(b):
            return False
        if kind is list:
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
            continue
        if isinstance(a, Node):
            pairs.extend([(getattr(a, name), getattr(b, name)) for name in _meaningful_fields(a.__class__)])
        elif a != b:
            return False
    return True


@cache
def _meaningful_fields(kind: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in SURFACE)
