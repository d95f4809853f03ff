"""What a reader or writer of a program must know of Faber: its words,
library names and a few rules that no word tells.

Used to say which tasks ask for more than a context shows. A thing is shown where its name stands in the text;
a rule, where one of its phrases does.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from faber.diagnostics import Report
from faber.dialects import find_dialect
from faber.library import EXPORTS, METHODS
from faber.parse.tokens import NAME, STRING, tokenize
from faber.vocabulary import KEYWORD_NAMES, TYPE_NAMES


class Rule(Struct, frozen=True):
    """Something about a word that its name alone does not tell."""

    name: str
    of: frozenset[str]
    """The words or signs that it is about."""
    phrases: tuple[str, ...]
    """Each says it."""


RULES = (
    Rule("usque keeps its end", frozenset(("usque",)), ("range with its end", "keeps it")),
    Rule(
        ".. leaves its end out",
        frozenset(("..", "ante")),
        ("range without its end", "`..` leaves the end out"),
    ),
    Rule("numeratum reads leading digits", frozenset(("numeratum",)), ("parseInt",)),
    Rule("fractatum reads a leading number", frozenset(("fractatum",)), ("parseFloat",)),
    Rule("§ is filled in", frozenset(("scriptum",)), ("§",)),
)

_SIGNS = frozenset(("..",))
_LIBRARY = METHODS | {name for names in EXPORTS.values() for name in names}
_NAME = re.compile(r"\w+")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def find_needs(program: str) -> frozenset[str]:
    """The words, library names and rules that a latin program, or a part of one, makes use of."""
    if "`" in program or "'" in program or '"."' in program:  # what only the tokens tell
        found = _find_by_token(program)
    else:
        found = _find_by_piece(program)
    return frozenset(found | {rule.name for rule in RULES if rule.of & found})


_PIECE = re.compile(
    r"""\#[^\n]*
    | ("[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+" | \.\.
      | \.(?:[ \t\r\n]|\#[^\n]*)*+[A-Za-z_][A-Za-z0-9_]* | [A-Za-z_][A-Za-z0-9_]*)
    | 0[xX][0-9a-fA-F]+n? | 0[bB][01]+n? | 0[oO][0-7]+n? | [0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?n?
    | "[^\n]*""",
    re.VERBOSE,
)
"""A text, a range, a name with the point before it or a name alone, as group 1;
comments, numbers and open texts without it."""


def _find_by_piece(program: str) -> set[str]:
    """The same as by token, for a third of the time: a study of 20,000 tasks looks at each of their programs,
    which is a second of the run."""
    keyword_of = find_dialect("latin").keyword_of
    found: set[str] = set()
    for piece in {*_PIECE.findall(program)}:
        if piece[:1] == '"':
            if piece[1:-1] in EXPORTS:
                found.add(piece[1:-1])
                found |= _find_imported(program)
        elif piece == "..":
            found.add(piece)
        elif piece[:1] == ".":
            if (name := piece.rpartition("\n")[2].lstrip(". \t\r")) in METHODS:
                found.add(name)
        elif (kind := keyword_of.get(piece, NAME)) in KEYWORD_NAMES:
            found.add(kind)
        elif kind == NAME and piece in TYPE_NAMES:
            found.add(piece)
    return found


def _find_by_token(program: str) -> set[str]:
    tokens = tokenize(program, find_dialect("latin"), Report(program))
    found: set[str] = set()
    previous = ""
    for kind, value in zip(tokens.kinds, tokens.values, strict=True):
        if previous == ".":
            if value in METHODS:
                found.add(value)
        elif kind in KEYWORD_NAMES or kind in _SIGNS:
            found.add(kind)
        elif kind == NAME and value in TYPE_NAMES:
            found.add(value)
        elif kind == STRING and value in EXPORTS:
            found.add(value)
            found |= _find_imported(program)
        previous = value
    return found


def _find_imported(program: str) -> set[str]:
    """Names of the library that the program takes out of a module."""
    lines = [line for line in program.splitlines() if "importa" in line]
    return {
        name for line in lines for name in re.findall(r"\w+", line.split("importa", 1)[1]) if name in _LIBRARY
    }


@lru_cache(maxsize=512)
def _names(text: str) -> frozenset[str]:
    """The names that stand in code: `in` and `per` are English words, too."""
    return frozenset(name for code in _CODE.findall(text) for name in _NAME.findall(code))


def find_unshown(needed: frozenset[str], text: str) -> frozenset[str]:
    """What of it a text with the words of latin does not show."""
    there = _names(text)
    by_name = {rule.name: rule for rule in RULES}
    missing = set()
    for each in needed:
        if each in by_name:
            shown = any(phrase in text for phrase in by_name[each].phrases)
        else:
            shown = each in there if each.isidentifier() else each in text
        if not shown:
            missing.add(each)
    return frozenset(missing)
