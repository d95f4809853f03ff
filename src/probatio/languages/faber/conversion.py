"""Conversion: read in one dialect, print in another, and make sure that the print means the same."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from probatio.languages.faber.analysis import TOO_DEEP, analyse
from probatio.languages.faber.diagnostics import Diagnostic
from probatio.languages.faber.dialects import dialect as dialect_named
from probatio.languages.faber.print import print_program
from probatio.languages.faber.tree import SURFACE, Node, Program
from probatio.languages.faber.twists import meant, written


class Conversion(Struct, frozen=True):
    """The printed program; `renamed` lists names that collide with the new dialect's words and what they became."""

    text: str
    renamed: dict[str, str]
    diagnostics: list[Diagnostic]  # why the program could not be read, in which case `text` is the source as it was


UNPRINTABLE = Diagnostic("syntax", "print", 1, 1, "The program cannot be printed so that it reads the same.")


def convert(source: str, dialect: str = "latin", to: str | None = None) -> Conversion:
    """Print a program canonically in dialect `to`. What cannot be read comes back unchanged, with the reasons."""
    target, written_in = dialect_named(to or dialect), dialect_named(dialect)
    untwisted = target.twist is written_in.twist
    analysis = analyse(source, dialect, semantic=not untwisted, thorough=not untwisted)
    unread = [each for each in analysis.diagnostics if each.phase != "semantic"]
    if unread or not analysis.program.complete:
        return Conversion(source, {}, unread)
    foreign = target.spelling != written_in.spelling
    try:
        if not untwisted:
            analysis.program = written(meant(analysis.program, written_in.twist), target.twist)
        for separate in (False, True):
            text, renamed = print_program(analysis.program, source, analysis.tokens.comments, target, foreign, separate)
            if (foreign and not target.escapes and renamed) or _means_the_same(text, target.name, analysis.program):
                return Conversion(text, renamed, [])
    except RecursionError:
        return Conversion(source, {}, [TOO_DEEP])
    return Conversion(source, {}, [UNPRINTABLE])


def _means_the_same(text: str, dialect: str, program: Program) -> bool:
    """Newlines separate nothing in Faber, so two statements may flow together; the print is read again to see."""
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
            pairs.extend([(getattr(a, name), getattr(b, name)) for name in _meaningful_fields(kind)])
        elif a != b:
            return False
    return True


def _meaningful_fields(kind: type[Node]) -> tuple[str, ...]:
    """The fields of a kind of node that count, noted once."""
    fields = _MEANINGFUL.get(kind)
    if fields is None:
        fields = _MEANINGFUL[kind] = tuple(name for name in kind.__struct_fields__ if name not in SURFACE)
    return fields


_MEANINGFUL: dict[type[Node], tuple[str, ...]] = {}
