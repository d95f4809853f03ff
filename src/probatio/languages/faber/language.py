"""Faber as a language under test: its checker in-process, its programs run as the TypeScript they compile to."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from probatio.languages import faber
from probatio.languages.contract import TWISTED, Checked, twist_of
from probatio.languages.faber import dialects
from probatio.languages.faber.diagnostics import Lines, Report
from probatio.languages.faber.grammar import grammar
from probatio.languages.faber.needs import needs, not_shown
from probatio.languages.faber.parse.tokens import tokenize
from probatio.languages.faber.twists import TWISTS, stated
from probatio.languages.faber.vocabulary import WORDS, Word
from probatio.languages.failure import why_failed
from probatio.languages.typescript.engines import engine_version
from probatio.records import ErrorType
from probatio.sandbox import Choice, ProgramOutcome

_SHOWN_DIAGNOSTICS = 3


class Faber:
    """Suites are written in latin; the other dialects are made here."""

    dialects = dialects.NAMES
    takes_input = False

    def version(self) -> str:
        return f"{faber.VERSION} on {engine_version()}"

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        diagnostics = faber.check(program, dialect)
        if not diagnostics:
            return Checked()
        return Checked(faber.error_class(diagnostics), "; ".join(map(str, diagnostics[:_SHOWN_DIAGNOSTICS])))

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        """A program that passed the check has begun, whatever the engine says of what it was compiled to."""
        try:
            return msgspec.structs.replace(faber.run(program, dialect, isolation), started=True)
        except faber.Rejected as error:  # the check accepts it, but no program can be made of it
            return ProgramOutcome(exit=1, stdout="", stderr=f"error: {error}", stopped=None, seconds=0.0)

    def failed(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        return why_failed(outcome)

    def program_in(self, program: str, dialect: str) -> str:
        return _program_in(program, dialect)

    def template_in(self, template: str, dialect: str) -> str:
        return _template_in(template, dialect)

    def describe(self, what: str, argument: str, dialect: str) -> str:
        """`grammar`; `vocabulary`; `words: GROUP, …` with their meaning; `w: WORD`, one word as the dialect spells it."""
        match what:
            case "grammar":
                return f"```ebnf\n{grammar(dialect).rstrip()}\n```"
            case "vocabulary":
                return _table(["all"], dialect)
            case "words":
                return _table([group.strip() for group in argument.split(",")], dialect)
            case "w":
                return _word(argument, dialect)
            case _:
                raise KeyError("Faber tells its grammar, vocabulary, words and w.")

    @property
    def twists(self) -> dict[str, str]:
        return {name: stated(twist, lambda latin: latin) for name, twist in TWISTS.items()}

    def rule(self, dialect: str) -> str:
        return stated(TWISTS[twist_of(dialect)], lambda latin: _word(latin, dialect))

    def restated(self, template: str, dialect: str) -> str:
        for usual, instead in TWISTS[twist_of(dialect)].says:
            template = template.replace(usual, instead)
        return template

    def needs(self, program: str) -> frozenset[str]:
        return needs(program)

    def not_shown(self, needed: frozenset[str], text: str) -> frozenset[str]:
        return not_shown(needed, text)

    def respelt(self, program: str, dialect: str) -> str:
        return _respelt(program, dialect)

    def alike(self, program: str, dialect: str) -> bool:
        try:
            return faber.compile(program) == faber.compile(program, dialect)
        except faber.Rejected:
            return False


@lru_cache(maxsize=4096)
def _program_in(program: str, dialect: str) -> str:
    """A latin program in the dialect, by parse and print; latin itself stays as its author wrote it."""
    if dialect == "latin":
        return program
    printed = faber.format(program, "latin", dialect)
    if dialects.dialect(dialect).spelling == "latin" and printed == faber.format(program, "latin"):
        return program  # the twist is not about it
    return printed.rstrip("\n")


@lru_cache(maxsize=1024)
def _respelt(program: str, dialect: str) -> str:
    """A program of the dialect's twist, from the words of latin to those of the dialect."""
    if dialects.dialect(dialect).spelling == "latin":
        return program
    return faber.format(program, f"latin{TWISTED}{twist_of(dialect)}", dialect).rstrip("\n")


@lru_cache(maxsize=1024)
def _template_in(template: str, dialect: str) -> str:
    """A completion template in the dialect. With its blank it does not parse, so its words are exchanged one by one.

    A name after a dot is a member's and stays; that no other name is one of the language's words is what the suite's test
    holds, by reading the completed template back.
    """
    if dialects.dialect(dialect).spelling == "latin":
        return template
    words = dialects.dialect(dialect).words
    tokens = tokenize(template, dialects.dialect("latin"), Report(Lines(template)))
    parts, at, previous = [], 0, ""
    for value, start, end in zip(tokens.values, tokens.starts, tokens.ends, strict=True):
        if template[start:end] in words and previous != ".":
            parts += [template[at:start], words[value]]
            at = end
        previous = value
    return "".join([*parts, template[at:]])


def _word(latin: str, dialect: str) -> str:
    try:
        return dialects.dialect(dialect).words[latin]
    except KeyError:
        raise KeyError(f"Faber has no word `{latin}`.") from None


def _table(groups: list[str], dialect: str) -> str:
    known = list(dict.fromkeys(word.group for word in WORDS))
    groups = known if groups == ["all"] else groups
    if strange := [group for group in groups if group not in known]:
        raise KeyError(f"No group of words is called {strange[0]!r}; there are {', '.join(known)}.")
    rows = [
        f"| `{_word(word.latin, dialect)}` | {f'`{word.typescript}`' if word.typescript else ''} "
        f"| {_meaning(word.meaning, dialect)} |"
        for word in map(_twisted(dialect), WORDS)
        if word.group in groups
    ]
    return "\n".join(["| Faber | TypeScript | meaning |", "|---|---|---|", *rows])


def _twisted(dialect: str) -> Callable[[Word], Word]:
    """The row of a word as it is under the dialect's twist."""
    twist = dialects.dialect(dialect).twist
    others = twist.words if twist else {}

    def row(word: Word) -> Word:
        if word.latin not in others:
            return word
        typescript, meaning = others[word.latin]
        return msgspec.structs.replace(word, typescript=typescript, meaning=meaning)

    return row


def _meaning(text: str, dialect: str) -> str:
    """A word's meaning, with the words of the language it names between backticks in the dialect."""
    words = dialects.dialect(dialect).words
    return re.sub(r"`[^`]*`", lambda code: re.sub(r"\w+", lambda word: words.get(word[0], word[0]), code[0]), text)


LANGUAGE = Faber()
