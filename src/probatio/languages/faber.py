"""Faber as a language under test: its checker in-process,
its programs run as the TypeScript they compile to."""

from __future__ import annotations

import msgspec

import faber
from faber.dialects import NAMES
from faber.grammar import render_grammar
from faber.needs import find_needs, find_unshown
from faber.spelling import (
    spell_program,
    spell_template,
    spell_twisted_program,
    spell_word,
    state_rule,
    tabulate_words,
)
from faber.twists import TWISTS
from probatio.core.records import ErrorType
from probatio.jail import Choice, ProgramOutcome
from probatio.languages.contract import Checked, explain_failure, twist_of
from probatio.languages.typescript.engines import engine_version
from probatio.languages.typescript.language import run

_SHOWN_DIAGNOSTICS = 3


class Faber:
    """Suites are written in latin; the other dialects are made here."""

    dialects = NAMES
    takes_input = False

    def version(self) -> str:
        return f"{faber.VERSION} on {engine_version()}"

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        diagnostics = faber.check(program, dialect)
        shown = "; ".join(map(str, diagnostics[:_SHOWN_DIAGNOSTICS]))
        return Checked(faber.classify_errors(diagnostics), shown)

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        """A program that passed the check has begun, whatever the engine says of what it was compiled to."""
        try:
            compiled = faber.compile(program, dialect)
        except faber.Rejected as error:  # the check accepts it, but no program can be made of it
            return ProgramOutcome(exit=1, stdout="", stderr=f"error: {error}", stopped=None, seconds=0.0)
        return msgspec.structs.replace(run(compiled, isolation=isolation), started=True)

    def explain_failure(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        return explain_failure(outcome)

    def program_in(self, program: str, dialect: str) -> str:
        return spell_program(program, dialect)

    def template_in(self, template: str, dialect: str) -> str:
        return spell_template(template, dialect)

    def describe(self, what: str, argument: str, dialect: str) -> str:
        """`grammar`; `vocabulary`; `words: GROUP, …` with their meaning;
        `w: WORD`, one word as the dialect spells it."""
        match what:
            case "grammar":
                return f"```ebnf\n{render_grammar(dialect).rstrip()}\n```"
            case "vocabulary":
                return tabulate_words(["all"], dialect)
            case "words":
                return tabulate_words([group.strip() for group in argument.split(",")], dialect)
            case "w":
                return spell_word(argument, dialect)
            case _:
                raise KeyError("Faber tells its grammar, vocabulary, words and w.")

    @property
    def twists(self) -> dict[str, str]:
        return {name: state_rule(twist, "latin") for name, twist in TWISTS.items()}

    def rule(self, dialect: str) -> str:
        return state_rule(TWISTS[twist_of(dialect)], dialect)

    def restate(self, template: str, dialect: str) -> str:
        for usual, instead in TWISTS[twist_of(dialect)].says:
            template = template.replace(usual, instead)
        return template

    def respell(self, program: str, dialect: str) -> str:
        return spell_twisted_program(program, dialect)

    def alike(self, program: str, dialect: str) -> bool:
        try:
            return faber.compile(program) == faber.compile(program, dialect)
        except faber.Rejected:
            return False

    def needs(self, program: str) -> frozenset[str]:
        return find_needs(program)

    def not_shown(self, needed: frozenset[str], text: str) -> frozenset[str]:
        return find_unshown(needed, text)


LANGUAGE = Faber()
