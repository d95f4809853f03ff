"""What a language under test is to the rest of Probatio: something that checks a program and runs it.

A language that works in-process is an object with these methods; a toolchain of commands becomes one in
`command.py`. Nothing outside this package knows a language by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Protocol, runtime_checkable

import msgspec

from probatio.core.records import ErrorType
from probatio.core.values import SET_WHEN_READ
from probatio.jail import Choice, Limits, ProgramOutcome
from probatio.languages.notation import Signs

STANDARD = "standard"
"""The dialect of a language that has only one."""

TWISTED = "+"
"""Stands between the words of a dialect and its twist: `words+twist`."""


class Checked(msgspec.Struct, frozen=True):
    """What a checker says of a program: nothing where it accepts it."""

    error_type: ErrorType | None = None
    detail: str = ""
    """Its first messages, as a reader or a model is shown them."""
    timely: bool = True
    """False where a limit of time may have had a part in it."""
    doubt: bool = False
    """True where the checker itself broke: it hangs, floods, crashes or does not start. Whether the program
    or our machine is to blame, a trivial program tells."""

    @property
    def accepted(self) -> bool:
        return self.error_type is None


class Language(Protocol):
    """A language under test, or the host language of its translations."""

    def __hash__(self) -> int: ...

    @property
    def dialects(self) -> tuple[str, ...]:
        """The sets of words it can be written in; programs of a suite are written in the first."""
        ...

    @property
    def takes_input(self) -> bool:
        """Whether its programs can read standard input here."""
        ...

    def version(self) -> str:
        """The version of whatever checks and runs its programs."""
        ...

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        """What the checker says. Raises nothing because of the program: a checker that breaks on it is
        `crashed_checker`, with a doubt."""
        ...

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        """Run a program the checker accepts. `started` is False where it never began."""
        ...

    def explain_failure(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        """The class of error and the message of a run that ended badly."""
        ...

    def program_in(self, program: str, dialect: str) -> str:
        """A program of the suite, in the dialect."""
        ...

    def template_in(self, template: str, dialect: str) -> str:
        """A program with a blank, in the dialect."""
        ...

    def describe(self, what: str, argument: str, dialect: str) -> str:
        """What a context says about the language by a placeholder: `grammar`, `vocabulary`, …; KeyError where
        it can't tell."""
        ...


@runtime_checkable
class Twisting(Protocol):
    """More methods, of a language whose rules can be exchanged. A *twist* is one such rule, part of a
    dialect's name.

    `check`, `run` and `describe` of such a language take twisted dialects too; `program_in` gives a program
    of the suite that does the same under the twist.
    """

    @property
    def twists(self) -> Mapping[str, str]:
        """The rule of every twist by its name, in the words of the first dialect."""
        ...

    def rule(self, dialect: str) -> str:
        """The rule of the dialect's twist, as a context states it."""
        ...

    def restate(self, template: str, dialect: str) -> str:
        """The template of a context without what would be false under the twist."""
        ...

    def respell(self, program: str, dialect: str) -> str:
        """A program that is written for the twist, in the words of the dialect."""
        ...

    def alike(self, program: str, dialect: str) -> bool:
        """Whether the twist can't matter to a program: it is compiled to the same thing with and without."""
        ...


@runtime_checkable
class Needing(Protocol):
    """More methods, of a language that can tell what a program asks its reader or writer to know."""

    def needs(self, program: str) -> frozenset[str]:
        """The words, library names and rules that a program of the suite, or a part of one, makes use of."""
        ...

    def not_shown(self, needed: frozenset[str], text: str) -> frozenset[str]:
        """What of it a text in the first dialect does not show. Programs stand in fences there."""
        ...


def explain_failure(outcome: ProgramOutcome) -> tuple[ErrorType, str]:
    """The class of error and the message of a run that ended badly, where a language has no rules for
    that."""
    return explain_stop(outcome) or ("runtime_error", f"exit {outcome.exit}: {find_error(outcome.stderr)}")


def explain_stop(outcome: ProgramOutcome) -> tuple[ErrorType, str] | None:
    """A limit of time is a class of its own; any other limit is an error at run time. None: no limit was
    met."""
    if not outcome.stopped:
        return None
    error: ErrorType = "timeout" if outcome.stopped in ("time", "cpu") else "runtime_error"
    return error, f"stopped at the limit of {outcome.stopped}"


def find_error(stderr: str) -> str:
    """The line that says most: the first with an error in it, else the first."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return next((line for line in lines if "rror" in line), lines[0] if lines else "no message")[:300]


def twist_of(dialect: str) -> str:
    """The name of the dialect's twist; empty where it has none."""
    return dialect.partition(TWISTED)[2]


def without_twist(dialect: str) -> str:
    """The dialect of the same words without a twist."""
    return dialect.partition(TWISTED)[0]


class ErrorRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"error": "class"}):
    """A line of `errors` in language.yml: what an exit code or a message means. The first rule that fits
    decides."""

    error: ErrorType
    exit: tuple[int, ...] | int | None = None
    message: str | None = None
    """A regular expression, looked for in what was printed."""
    stage: str | None = None
    """`check` or `run`; either, where not given."""


# What is not set is in no encoding: a language that does not use it keeps its fingerprint.
ServeCommand = tuple[str, ...] | msgspec.UnsetType


class TwistCommands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second set of commands: the language with one rule exchanged."""

    run: tuple[str, ...]
    check: tuple[str, ...] | None = None
    """None: that of the language."""
    rule: str = ""
    """As a context states it; the name of the twist in words, where it is not given."""
    replaces: tuple[str, ...] = ()
    """Sentences of contexts that are false under it: they are taken out."""


class Commands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A toolchain of commands: how a program is checked and run. `{file}` stands for the program's file,
    `{folder}` for the language's own folder, `{python}` for the interpreter that runs Probatio,
    `{scratch}` for a folder to write in."""

    run: tuple[str, ...]
    check: tuple[str, ...] | None = None
    version: tuple[str, ...] | None = None
    """Prints the toolchain's version."""
    serve: ServeCommand = msgspec.UNSET
    """`{python}` and a file with a function `run(program)`: loaded once, and forked for each program."""
    suffix: str = ".txt"
    reads: tuple[str, ...] = ()
    """More files and folders that a run needs, seen read-only in the jail."""
    env: dict[str, str] = {}
    limits: Limits = Limits()
    processes: bool = False
    """Whether the commands start processes of their own (a compiler, a shell script). They get a folder to
    write in, then, and run in bubblewrap alone, which can hold them."""
    errors: tuple[ErrorRule, ...] = ()
    twists: dict[str, TwistCommands] | msgspec.UnsetType = msgspec.UNSET
    """Other commands for the same programs, by the name of the rule they exchange."""
    folder: Annotated[str, SET_WHEN_READ] = ""
    """Where the language's folder is; set when it is read."""

    @property
    def called(self) -> list[tuple[str, ...]]:
        """The words of all commands that are given."""
        twisted = [words for twist in (self.twists or {}).values() for words in (twist.run, twist.check)]
        listed = (self.run, self.check, self.version, self.serve or None, *twisted)
        return [words for words in listed if words]


WholeProgram = Literal["whole"] | msgspec.UnsetType


class LanguageSpec(msgspec.Struct, frozen=True):
    """All that is needed to grade a program of a language; it goes to the worker process with every
    answer."""

    name: str
    """As prompts call it."""
    fences: tuple[str, ...]
    """The words after ``` that mean it; prompts ask for the first."""
    implementation: str | None = None
    """The name of an entry point in the group `probatio.languages`; else `commands`."""
    commands: Commands | None = None
    keywords: tuple[str, ...] = ()
    """Words that begin a statement: they help to find a program in an answer that has no fences."""
    program: WholeProgram = msgspec.UNSET
    """`whole`: the answer is the program, every character of it."""
    shown: Signs = msgspec.UNSET
    """Signs that stand for characters that can't be seen."""

    @property
    def whole(self) -> bool:
        return self.program == "whole"

    @property
    def has_check(self) -> bool:
        return self.commands is None or self.commands.check is not None


def trim_program(text: str, whole: bool) -> str:
    """A program of a suite without the line breaks round it, which come from YAML; as it is where the answer
    is the `whole` program. Blanks are kept: they may be part of it."""
    return text if whole else text.strip("\n")
