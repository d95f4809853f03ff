"""Claims: what a suite says of its own programs, each as an answer and what the grader must make of it.

A solution must be right, a wrong answer must not be. So the proof is made by the same code, in the same worker and the same jail
as any grade.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from probatio.authoring.report import BROKEN, EXAMPLE, IN_CONTEXT, MATERIAL, SOLUTION, WRONG, Proof
from probatio.grade.extract import fenced_blocks
from probatio.languages.contract import LanguageSpec
from probatio.records import ProgramTest, Task
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import question
from probatio.suite.task_types import KINDS, Material, TaskKind

BARE = "without a code block"
"""How a completion is given a second time."""

Expected = Literal["right", "runs", "accepted", "fails as said", "wrong"]


class Claim(msgspec.Struct, frozen=True):
    """An answer to a task, and what must come of it."""

    subject: str
    claim: str
    task: Task
    spec: LanguageSpec
    """The language the answer is written in."""
    answer: str
    expected: Expected
    told: str = ""
    """What the answer is, where the claim alone does not say it."""
    only_warns: bool = False


def right_claims(suite: Suite) -> Iterator[Claim]:
    """Programs that must be what the suite says they are."""
    yield from _examples(suite)
    for task in suite.tasks.values():
        subject, spec = f"task {task.id}", suite.answer_language(task)
        if task.solution and KINDS[task.type].judged != "text":
            yield Claim(subject, SOLUTION, task, spec, fenced(task.solution, spec), "right")
            if KINDS[task.type].judged == "completion":  # the question asks for the missing part only
                yield Claim(subject, SOLUTION, task, spec, task.solution, "right", BARE)
        yield from _material(suite, task, subject)
    for name, text in suite.contexts.items():
        for number, program in enumerate(programs(text, suite.spec), 1):
            yield Claim(
                f"context {name}", IN_CONTEXT, _printing("", suite.spec, suite), suite.spec,
                fenced(program, suite.spec), "accepted", f"program {number}", only_warns=True,
            )  # fmt: skip


def wrong_claims(suite: Suite) -> Iterator[Claim]:
    """Answers to every task that must not be taken for right."""
    for task in suite.tasks.values():
        spec = suite.answer_language(task)
        for told, answer in _wrong_answers(suite, task, spec):
            yield Claim(f"task {task.id}", WRONG, task, spec, answer, "wrong", told)


def unproven(suite: Suite) -> Iterator[Proof]:
    """Tasks that no solution proves, and tasks that an answer without any output would pass."""
    for task in suite.tasks.values():
        if KINDS[task.type].judged == "text":
            continue
        if not (task.solution or "").strip():
            yield Proof(f"task {task.id}", SOLUTION, "open", "it has no `solution`.")
        if not any(test.stdout.strip() for test in task.runs):
            yield Proof(f"task {task.id}", WRONG, "failed", "one that prints nothing, as no output is expected.")


def fenced(program: str, spec: LanguageSpec) -> str:
    """A program as an answer gives it; the fence is longer than any inside."""
    longest = max((len(line) - len(line.lstrip("`")) for line in program.splitlines()), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{spec.fences[0]}\n{program.strip(chr(10))}\n{mark}"


def programs(markdown: str, spec: LanguageSpec) -> list[str]:
    """The programs of the language in a text."""
    return [block.body for block in fenced_blocks(markdown) if block.language in spec.fences]


def _examples(suite: Suite) -> Iterator[Claim]:
    for example in suite.examples:
        subject = f"example {example.id}"
        expected: Expected = "right" if example.output.strip() else "runs"
        for spec, program in ((suite.spec, example.program), (suite.host, example.host)):
            if spec is not None and program:
                task = _printing(example.output, spec, suite)
                yield Claim(subject, EXAMPLE, task, spec, fenced(program, spec), expected, spec.name)


def _material(suite: Suite, task: Task, subject: str) -> Iterator[Claim]:
    """The program a task is about: in its own language, it prints what is expected; a broken one must not."""
    kind: Material | None = KINDS[task.type].material
    if kind == "broken program":
        answer = fenced(task.material or "", suite.spec)
        yield Claim(subject, BROKEN, task, suite.spec, answer, "fails as said")
    elif kind in ("program", "host program"):
        spec = suite.host if kind == "host program" and suite.host else suite.spec
        asked = _printing(task.runs, spec, suite)
        yield Claim(subject, MATERIAL, asked, spec, fenced(task.material or "", spec), "right")


def _printing(output: str | tuple[ProgramTest, ...], spec: LanguageSpec, suite: Suite) -> Task:
    """A task that asks for a program of the language with this output."""
    tests = (ProgramTest(output),) if isinstance(output, str) else output
    return Task(id="", type="write_host" if spec is suite.host else "write", category="", tests=tests)


def _wrong_answers(suite: Suite, task: Task, spec: LanguageSpec) -> Iterator[tuple[str, str]]:
    kind = KINDS[task.type]
    yield "an empty answer", ""
    if asked := _question(suite, task):
        yield "the question given back", asked
    if kind.judged == "text":
        other = next((each for each in suite.tasks.values() if _outputs(each)[0] != _outputs(task)[0]), None)
        if other is not None:
            yield f"the output of {other.id}", _outputs(other)[0]
        return
    yield "an empty code block", fenced("", spec)
    other = _other(suite, task, kind)
    if other is not None:
        yield f"the solution of {other.id}", fenced(other.solution or "", spec)


def _question(suite: Suite, task: Task) -> str:
    try:
        return question(suite, task, suite.language.dialects[0])
    except Exception:  # whatever a language raises: a question that can't be made is a failed proof of its own
        return ""


def _other(suite: Suite, task: Task, kind: TaskKind) -> Task | None:
    """A task whose solution is an answer of the same kind and prints something else; of another category, if there is one."""
    fitting = [
        each
        for each in suite.tasks.values()
        if KINDS[each.type].judged == kind.judged
        and each.solution
        and each.solution != task.solution
        and not set(_outputs(each)) & set(_outputs(task))
    ]
    return next((each for each in fitting if each.category != task.category), fitting[0] if fitting else None)


def _outputs(task: Task) -> list[str]:
    return [test.stdout.strip() for test in task.runs]
