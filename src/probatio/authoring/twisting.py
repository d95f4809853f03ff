"""The tasks of a suite under a twist: which it touches, and what is right there. Every program is run in the jail.

A program to be read (predict, translate from) keeps its text, and what it prints under the twist is expected. Where it can't
run so, it is written so that it prints the same as before. A program to be written prints what it always did, and its solution
is written for the twist. What can't be made so is left out, and the reason is kept; so is a task that would be answered right by
whoever goes by the usual rule, as it measures nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from probatio.authoring.written import dumped
from probatio.errors import UsageError
from probatio.grade.prediction import trimmed
from probatio.languages.contract import TWISTED, Twisting
from probatio.records import Task
from probatio.sandbox import Choice
from probatio.suite.language_suite import BLANK, Suite
from probatio.suite.task_types import KINDS
from probatio.suite.twists import FOLDER, TwistedTask, TwistFile

LONGEST_OUTPUT = 2_000
"""Characters. A program that prints more under a twist runs wild; nobody would foretell it."""

COMMENT = "Made by `probatio suite twist`; do not edit."

UNDEFINED = ("undefined", "NaN")
"""What is printed where a program that was meant otherwise reaches for nothing. The rule does not say so, so it is not asked."""

SAME_ANSWER = "its answer is the same with and without the rule"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|[^\w\s]')


class Making:
    """One twist of a suite being made."""

    def __init__(self, suite: Suite, twist: str, isolation: Choice) -> None:
        language = suite.language
        if not isinstance(language, Twisting):
            raise UsageError(f"{suite.spec.name} has no twists: its rules can't be exchanged.")
        if twist not in language.twists:
            raise UsageError(f"{suite.spec.name} has no twist `{twist}`; it has {', '.join(language.twists)}.")
        self._language, self._twisting, self._isolation = language, language, isolation
        self._suite, self._twist = suite, twist
        self._dialect = f"{language.dialects[0]}{TWISTED}{twist}"

    def file(self, watch: Callable[[int, int], None] = lambda done, total: None) -> TwistFile:
        """All tasks of the suite under the twist. Raises UsageError for an example that would not be true."""
        for example in self._suite.examples:
            program = self._language.program_in(example.program.strip(), self._dialect)
            if example.output and self._printed(program) != trimmed(example.output):
                raise UsageError(f"The example `{example.id}` can't be written so that it is true under {self._twist}.")
        touched: list[TwistedTask] = []
        untouched: list[str] = []
        left_out: dict[str, str] = {}
        for number, task in enumerate(self._suite.tasks.values(), 1):
            found = self._under(task)
            if isinstance(found, TwistedTask):
                touched.append(found)
            elif found is None:
                untouched.append(task.id)
            else:
                left_out[task.id] = found
            watch(number, len(self._suite.tasks))
        rule = self._twisting.twists[self._twist]
        return TwistFile(self._twist, rule, tuple(touched), tuple(untouched), left_out)

    def _under(self, task: Task) -> TwistedTask | str | None:
        """The task under the twist, None where the twist does not touch it, or why it can't be asked."""
        kind = KINDS[task.type]
        if kind.control:
            return None
        if task.tests:
            return "it has tests with input"
        if self._twisting.restated(task.goal, self._dialect) != task.goal:
            return "its goal states the usual rule"
        match kind.material, kind.judged:
            case "program", _:
                return self._read(task)
            case "template", _:
                return self._completed(task)
            case "broken program", _:
                return "a broken program can't be twisted"
            case _:
                return self._written(task)

    def _read(self, task: Task) -> TwistedTask | str | None:
        material = (task.material or "").strip()
        if self._twisting.alike(material, self._dialect):
            return None
        output, expected = self._printed(material), trimmed(task.expected_output)
        if output == expected:
            return None
        wild = any(word in (output or "") and word not in expected for word in UNDEFINED)
        if output and len(output) <= LONGEST_OUTPUT and not wild:
            return TwistedTask(task.id, expected_output=output)
        written = self._language.program_in(material, self._dialect)
        if written != material and self._printed(written) == expected:
            if self._printed(written, self._language.dialects[0]) == expected:
                return SAME_ANSWER
            return TwistedTask(task.id, material=written)
        return "its program does not run under the twist, and can't be written for it"

    def _written(self, task: Task) -> TwistedTask | str | None:
        solution = (task.solution or "").strip()
        if not solution:
            return "it has no solution"
        if self._as_it_is(solution, task):
            return None
        written = self._language.program_in(solution, self._dialect)
        if self._printed(written) == trimmed(task.expected_output):
            return TwistedTask(task.id, solution=written)
        return "its solution can't be written for the twist"

    def _completed(self, task: Task) -> TwistedTask | str | None:
        """Only where the solution is what the twist is about; a program rewritten round the blank asks for what it always did."""
        template, solution = (task.material or "").strip(), (task.solution or "").strip()
        if not solution:
            return "it has no solution"
        if template.count(BLANK) > 1:
            return "it has several blanks"
        if self._as_it_is(template.replace(BLANK, solution), task):
            return None
        whole = self._language.program_in(template.replace(BLANK, solution), self._dialect)
        part = missing_part(template, whole)
        if part and self._printed(template.replace(BLANK, part)) == trimmed(task.expected_output):
            return TwistedTask(task.id, solution=part)
        return (
            SAME_ANSWER if whole != template.replace(BLANK, solution) else "its solution can't be written for the twist"
        )

    def _as_it_is(self, program: str, task: Task) -> bool:
        same = self._twisting.alike(program, self._dialect)
        return same or self._printed(program) == trimmed(task.expected_output)

    def _printed(self, program: str, dialect: str | None = None) -> str | None:
        """What a program prints, under the twist unless told otherwise; None where it is refused, fails or does not end."""
        dialect = dialect or self._dialect
        if not self._language.check(program, dialect, self._isolation).accepted:
            return None
        outcome = self._language.run(program, dialect, "", self._isolation)
        return trimmed(outcome.stdout) if outcome.exit == 0 and not outcome.stopped else None


def missing_part(template: str, program: str) -> str | None:
    """What stands in `program` at the blank of `template`; None where they differ elsewhere. Layout does not count."""
    before, _, after = template.partition(BLANK)
    head, tail = (_TOKEN.findall(text) for text in (before, after))
    tokens = list(_TOKEN.finditer(program))
    words = [token[0] for token in tokens]
    fits = words[: len(head)] == head and words[len(words) - len(tail) :] == tail
    if len(words) <= len(head) + len(tail) or not fits:
        return None
    return program[tokens[len(head)].start() : tokens[len(words) - len(tail) - 1].end()]


def twist_text(content: TwistFile) -> str:
    """A twist's file as it is written."""
    plain = {
        "twist": content.twist,
        "rule": content.rule,
        "tasks": [dict(_given(task)) for task in content.tasks],
        "untouched": list(content.untouched),
        "left_out": content.left_out,
    }
    return f"# {COMMENT}\n{dumped(plain)}"


def _given(task: TwistedTask) -> Iterator[tuple[str, str]]:
    for name in task.__struct_fields__:
        if (value := getattr(task, name)) is not None:
            yield name, value


def twist_path(suite: Suite, twist: str) -> Path:
    return suite.folder / FOLDER / f"{twist}.yml"
