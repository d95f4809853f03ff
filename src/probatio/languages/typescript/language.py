"""TypeScript as a language under test or a host: a program that parses and starts has passed the check."""

from __future__ import annotations

from probatio.languages.contract import STANDARD, Checked
from probatio.languages.failure import error_line, why_failed
from probatio.languages.typescript.engines import engine_version
from probatio.languages.typescript.run import run
from probatio.records import ErrorType
from probatio.sandbox import Choice, ProgramOutcome


class TypeScript:
    """There is no checker apart from the engine, which refuses what it can't parse before it starts."""

    dialects = (STANDARD,)
    takes_input = False  # the engine reads the program itself from there

    def version(self) -> str:
        return engine_version()

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        return Checked()

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        return run(program, isolation=isolation)

    def failed(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        return ("syntax_error", error_line(outcome.stderr)) if not outcome.started else why_failed(outcome)

    def program_in(self, program: str, dialect: str) -> str:
        return program

    def template_in(self, template: str, dialect: str) -> str:
        return template

    def describe(self, what: str, argument: str, dialect: str) -> str:
        raise KeyError("TypeScript tells nothing about itself.")


LANGUAGE = TypeScript()
