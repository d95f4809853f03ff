"""Write what programs print today into tasks that do not say what is expected; the author reads it then.

A task with a solution, or about a program, and without `expected_output` gets what the program prints. A
broken program without `diagnostics` gets what the toolchain says of it. What is written already is never
replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.inside import list_inside
from probatio.core.records import Task
from probatio.core.yamlfile import insert_key, open_yaml
from probatio.jail import Choice, find_isolation
from probatio.languages.comparison import trim
from probatio.languages.contract import LanguageSpec, trim_program
from probatio.languages.finding import find_language
from probatio.suites.language_suite import BLANK, Suite, find_suite_folder, load_suite
from probatio.suites.task_types import KINDS

LONGEST = 20_000
"""Characters of an output that may be written."""


class Filled(msgspec.Struct, frozen=True):
    """What was written into a task, or why nothing could be."""

    file: str
    task: str
    key: str
    text: str | None
    why: str = ""

    @property
    def sentence(self) -> str:
        if self.text is None:
            return f"{self.file}: {self.task} has no `{self.key}`, and none can be made: {self.why}."
        return f"{self.file}: {self.task}: {self.key} is {self.text[:200]!r} now."


def fill(folder: Path, isolation: Choice) -> list[Filled]:
    """Write the missing outputs and diagnostics of a language's folder."""
    root = find_suite_folder(folder)
    suite = load_suite(root, lacking_outputs=True)
    find_isolation(isolation)  # refuses here where no jail can be built
    filled = []
    for path in list_inside(root / "tasks", "*.y*ml", root):
        file = open_yaml(path, root)
        for number, given in enumerate(file.data.get("tasks") or ()):
            for key, made in _make_missing(suite, suite.tasks[given["id"]], given, isolation):
                text, why = made if isinstance(made, tuple) else (made, "")
                if text is not None:
                    written = insert_key(file, ("tasks", number), key, text)
                    if written is None:
                        text, why = None, "it can't be written into the task as it stands there, as in braces"
                    else:
                        put(path, written)
                        file = open_yaml(path, root)
                filled.append(Filled(path.name, given["id"], key, text, why))
    return filled


Made = str | tuple[None, str]


def _make_missing(
    suite: Suite, task: Task, given: dict[str, object], isolation: Choice
) -> Iterator[tuple[str, Made]]:
    kind = KINDS[task.type]
    if not task.tests and "expected_output" not in given:
        program, spec = _program_of(suite, task)
        made: Made = (None, "it has neither a program nor a solution")
        if program:
            made = _run(program, spec, isolation)
        yield "expected_output", made
        if not isinstance(made, str):
            return
        task = msgspec.structs.replace(task, expected_output=made)  # the diagnosis says what was expected
    if kind.material == "broken program" and not task.diagnostics:
        yield "diagnostics", _diagnose(task, suite.spec, isolation)


def _program_of(suite: Suite, task: Task) -> tuple[str, LanguageSpec]:
    """The program that prints what is expected: what the task is about, or its solution."""
    kind = KINDS[task.type]
    if kind.material == "program":
        return task.material or "", suite.spec
    if kind.material == "host program" and suite.host:
        return task.material or "", suite.host
    if kind.material == "template" and task.solution:
        return (task.material or "").replace(BLANK, task.solution), suite.spec
    return task.solution or "", suite.answer_language(task)


def _run(program: str, spec: LanguageSpec, isolation: Choice) -> Made:
    language = find_language(spec)
    dialect, text = language.dialects[0], trim_program(program, spec.whole)
    checked = language.check(text, dialect, isolation)
    if not checked.accepted:
        return (
            None,
            f"its program does not pass the check ({' '.join((checked.detail or '').split())[:200]})",
        )
    outcome = language.run(text, dialect, "", isolation)
    if outcome.exit != 0 or outcome.stopped:
        return None, f"its program fails ({language.explain_failure(outcome)[1]})"
    if len(outcome.stdout) > LONGEST:
        return None, f"its program prints more than {LONGEST:,} characters"
    return trim(outcome.stdout)


def _diagnose(task: Task, spec: LanguageSpec, isolation: Choice) -> Made:
    language = find_language(spec)
    dialect, text = language.dialects[0], trim_program(task.material or "", spec.whole)
    checked = language.check(text, dialect, isolation)
    if not checked.accepted:
        return (checked.detail).strip() or "the checker refuses it"
    outcome = language.run(text, dialect, "", isolation)
    if outcome.exit != 0 or outcome.stopped:
        return language.explain_failure(outcome)[1]
    printed = trim(outcome.stdout)
    if printed == trim(task.expected_output):
        return None, "it passes, so nothing is broken"
    return f"expected {trim(task.expected_output)!r}, printed {printed!r}"


def refuse_built_in(folder: Path) -> None:
    """Only a folder of the user is written to."""
    if not folder.is_dir():
        raise UsageError(f"--fill writes into a folder of yours; `{folder}` is none.")
