"""The tasks of a suite under a twist: which it touches, and what is right there. Programs run in the jail.

A program to be read (predict, translate from) keeps its text, and what it prints under the twist is expected.
If it can't run so, it is rewritten to print the same as before. A program to be written prints what it always
did, and its solution is written for the twist. Other tasks are left out with the reason; so is a task whose
answer by the usual rule is right under the twist, as it measures nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.authoring.yaml_text import dump_yaml
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.inside import read_inside
from probatio.core.records import Task
from probatio.core.text.names import pick
from probatio.jail import Choice
from probatio.languages.comparison import trim
from probatio.languages.contract import TWISTED, Twisting
from probatio.suites.language_suite import BLANK, Suite
from probatio.suites.task_types import KINDS
from probatio.suites.twists import FOLDER, TwistedTask, TwistFile

LONGEST_OUTPUT = 2_000
"""Characters. A program that prints more under a twist runs wild."""

COMMENT = "Made by `probatio suite twist`; do not edit."

UNDEFINED = ("undefined", "NaN")
"""What a program prints if it reads a missing value under a twist. No rule says so, so it is not asked."""

SAME_ANSWER = "its answer is the same with and without the rule"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|[^\w\s]')


class WrittenTwist(msgspec.Struct, frozen=True):
    """What a twist does to the tasks of a suite, in numbers, and whether its file said so before."""

    twist: str
    touched: int
    untouched: int
    left_out: int
    file: str
    same: bool


def write_twists(
    suite: Suite, names: Sequence[str], isolation: Choice, *, only_check: bool
) -> Iterator[WrittenTwist]:
    """Make the twists with these names or globs and write their files; with `only_check` only compare."""
    if not isinstance(suite.language, Twisting):
        raise UsageError(f"{suite.spec.name} has no twists: its rules can't be exchanged.")
    for name in pick("twist", names, tuple(suite.language.twists), f"in {suite.spec.name}"):
        content = TwistMaker(suite, name, isolation).make()
        path, text = twist_path(suite, name), format_twist(content) if content.tasks else None
        same = (read_inside(path, suite.folder).decode() if path.exists() else None) == text
        if text is None and not only_check:
            path.unlink(missing_ok=True)
        elif text is not None and not same and not only_check:
            path.parent.mkdir(exist_ok=True)
            put(path, text.encode())
        touched, untouched, left_out = map(len, (content.tasks, content.untouched, content.left_out))
        yield WrittenTwist(name, touched, untouched, left_out, str(path), same)


class TwistMaker:
    """Makes one twist of a suite."""

    def __init__(self, suite: Suite, twist: str, isolation: Choice) -> None:
        if not isinstance(suite.language, Twisting):
            raise UsageError(f"{suite.spec.name} has no twists: its rules can't be exchanged.")
        self._language, self._isolation = suite.language, isolation
        self._suite, self._twist = suite, twist
        self._dialect = f"{suite.language.dialects[0]}{TWISTED}{twist}"

    def make(self) -> TwistFile:
        """All tasks of the suite under the twist. Raises UsageError if an example would be false."""
        for example in self._suite.examples:
            program = self._language.program_in(example.program.strip(), self._dialect)
            stdin = example.stdin or ""
            if example.output and self._run_program(program, stdin=stdin) != trim(example.output):
                raise UsageError(
                    f"The example `{example.id}` can't be written so that it is true under {self._twist}."
                )
        touched: list[TwistedTask] = []
        untouched: list[str] = []
        left_out: dict[str, str] = {}
        for task in self._suite.tasks.values():
            found = self._twist_task(task)
            if isinstance(found, TwistedTask):
                touched.append(found)
            elif found is None:
                untouched.append(task.id)
            else:
                left_out[task.id] = found
        rule = self._language.twists[self._twist]
        return TwistFile(self._twist, rule, tuple(touched), tuple(untouched), left_out)

    def _twist_task(self, task: Task) -> TwistedTask | str | None:
        """The task under the twist, None if the twist does not touch it, or why it can't be asked."""
        kind = KINDS[task.type]
        if kind.control:
            return None
        if task.tests:
            return "it has tests with input"
        if self._language.restate(task.goal, self._dialect) != task.goal:
            return "its goal states the usual rule"
        match kind.material:
            case "program":
                return self._twist_reading(task)
            case "template":
                return self._twist_completion(task)
            case "broken program":
                return "a broken program can't be twisted"
        return self._twist_writing(task)

    def _twist_reading(self, task: Task) -> TwistedTask | str | None:
        material = (task.material or "").strip()
        if self._language.alike(material, self._dialect):
            return None
        output, expected = self._run_program(material), trim(task.expected_output)
        if output == expected:
            return None
        wild = any(word in (output or "") and word not in expected for word in UNDEFINED)
        if output and len(output) <= LONGEST_OUTPUT and not wild:
            return TwistedTask(task.id, expected_output=output)
        written = self._language.program_in(material, self._dialect)
        if written != material and self._run_program(written) == expected:
            if self._run_program(written, self._language.dialects[0]) == expected:
                return SAME_ANSWER
            return TwistedTask(task.id, material=written)
        return "its program does not run under the twist, and can't be written for it"

    def _twist_writing(self, task: Task) -> TwistedTask | str | None:
        solution = (task.solution or "").strip()
        if not solution:
            return "it has no solution"
        if self._holds_unchanged(solution, task):
            return None
        written = self._language.program_in(solution, self._dialect)
        if self._run_program(written) == trim(task.expected_output):
            return TwistedTask(task.id, solution=written)
        return "its solution can't be written for the twist"

    def _twist_completion(self, task: Task) -> TwistedTask | str | None:
        """Only if the twist changes the solution: with a rewritten rest, the task would ask for the same as
        before."""
        template, solution = (task.material or "").strip(), (task.solution or "").strip()
        if not solution:
            return "it has no solution"
        if template.count(BLANK) > 1:
            return "it has several blanks"
        usual = template.replace(BLANK, solution)
        if self._holds_unchanged(usual, task):
            return None
        whole = self._language.program_in(usual, self._dialect)
        part = find_missing_part(template, whole)
        if part and self._run_program(template.replace(BLANK, part)) == trim(task.expected_output):
            return TwistedTask(task.id, solution=part)
        return SAME_ANSWER if whole != usual else "its solution can't be written for the twist"

    def _holds_unchanged(self, program: str, task: Task) -> bool:
        same = self._language.alike(program, self._dialect)
        return same or self._run_program(program) == trim(task.expected_output)

    def _run_program(self, program: str, dialect: str | None = None, stdin: str = "") -> str | None:
        """What a program prints, by default under the twist; None if it is refused, fails or does not end."""
        dialect = dialect or self._dialect
        if not self._language.check(program, dialect, self._isolation).accepted:
            return None
        outcome = self._language.run(program, dialect, stdin, self._isolation)
        return trim(outcome.stdout) if outcome.exit == 0 and not outcome.stopped else None


def find_missing_part(template: str, program: str) -> str | None:
    """What `program` has at the blank of `template`; None if they differ elsewhere. Layout does not count."""
    before, _, after = template.partition(BLANK)
    head, tail = (_TOKEN.findall(text) for text in (before, after))
    tokens = list(_TOKEN.finditer(program))
    words = [token[0] for token in tokens]
    fits = words[: len(head)] == head and words[len(words) - len(tail) :] == tail
    if len(words) <= len(head) + len(tail) or not fits:
        return None
    return program[tokens[len(head)].start() : tokens[len(words) - len(tail) - 1].end()]


def format_twist(content: TwistFile) -> str:
    """The text of a twist's file."""
    tasks = [
        {name: value for name, value in msgspec.structs.asdict(task).items() if value is not None}
        for task in content.tasks
    ]
    plain = {**msgspec.structs.asdict(content), "tasks": tasks, "untouched": list(content.untouched)}
    return f"# {COMMENT}\n{dump_yaml(plain)}"


def twist_path(suite: Suite, twist: str) -> Path:
    return suite.folder / FOLDER / f"{twist}.yml"
