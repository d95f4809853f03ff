"""Programs, templates and words of Faber, spelt as a dialect spells them."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from faber.conversion import convert
from faber.diagnostics import Report
from faber.dialects import find_dialect
from faber.parse.tokens import tokenize
from faber.twists import TWISTED, Twist
from faber.vocabulary import WORDS, Word


@lru_cache(maxsize=4096)
def spell_program(program: str, dialect: str) -> str:
    """A latin program in the dialect, by parse and print. Latin itself stays as its author wrote it."""
    if dialect == "latin":
        return program
    printed = convert(program, "latin", dialect).text
    if find_dialect(dialect).spelling == "latin" and printed == convert(program, "latin").text:
        return program  # the twist is not about it
    return printed.rstrip("\n")


@lru_cache(maxsize=1024)
def spell_twisted_program(program: str, dialect: str) -> str:
    """A program that is written for the dialect's twist in latin words, in the words of the dialect."""
    if find_dialect(dialect).spelling == "latin":
        return program
    twist = dialect.partition(TWISTED)[2]
    return convert(program, f"latin{TWISTED}{twist}", dialect).text.rstrip("\n")


@lru_cache(maxsize=1024)
def spell_template(template: str, dialect: str) -> str:
    """A completion template in the dialect.
    With its blank it does not parse, so its words are exchanged one by one.

    A name after a dot is a member's and stays. No other name may be a word of the language;
    the tests of a suite hold that, by reading the completed template back.
    """
    if find_dialect(dialect).spelling == "latin":
        return template
    words = find_dialect(dialect).words
    tokens = tokenize(template, find_dialect("latin"), Report(template))
    parts, at, previous = [], 0, ""
    for value, start, end in zip(tokens.values, tokens.starts, tokens.ends, strict=True):
        if template[start:end] in words and previous != ".":
            parts += [template[at:start], words[value]]
            at = end
        previous = value
    return "".join([*parts, template[at:]])


def spell_word(latin: str, dialect: str) -> str:
    """One word of the language in the dialect. Raises KeyError for a word it does not have."""
    try:
        return find_dialect(dialect).words[latin]
    except KeyError:
        raise KeyError(f"Faber has no word `{latin}`.") from None


def state_rule(twist: Twist, dialect: str) -> str:
    """The rule of a twist in the words of a dialect."""
    return twist.rule.format_map(find_dialect(dialect).words)


def tabulate_words(groups: list[str], dialect: str) -> str:
    """A Markdown table of the words of these groups and their meaning; `all` is every group."""
    known = list(dict.fromkeys(word.group for word in WORDS))
    groups = known if groups == ["all"] else groups
    if strange := [group for group in groups if group not in known]:
        raise KeyError(f"No group of words is called {strange[0]!r}; there are {', '.join(known)}.")
    chosen = find_dialect(dialect)
    rows = []
    for word in (_twist_word(each, chosen.twist) for each in WORDS if each.group in groups):
        typescript = f"`{word.typescript}`" if word.typescript else ""
        meaning = _spell_meaning(word.meaning, chosen.words)
        rows.append(f"| `{chosen.words[word.latin]}` | {typescript} | {meaning} |")
    return "\n".join(["| Faber | TypeScript | meaning |", "|---|---|---|", *rows])


def _twist_word(word: Word, twist: Twist | None) -> Word:
    """The row of a word as it is under the twist."""
    if twist is None or word.latin not in twist.words:
        return word
    typescript, meaning = twist.words[word.latin]
    return msgspec.structs.replace(word, typescript=typescript, meaning=meaning)


def _spell_meaning(text: str, words: dict[str, str]) -> str:
    """A word's meaning. The words of the language that it names between backticks are spelt as in the
    dialect."""
    return re.sub(
        r"`[^`]*`", lambda code: re.sub(r"\w+", lambda word: words.get(word[0], word[0]), code[0]), text
    )
