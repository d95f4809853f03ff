"""Claims: what a suite says of its own programs. Each is an answer, with the grade it must get.

A solution must be right, a wrong answer must not be. They are graded by the same code, in the same worker and
jail as any answer of a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Literal

import msgspec

from probatio.authoring.check.report import Claim, Proof
from probatio.core.records import Compare, ProgramTest, Task, TaskType
from probatio.core.text.fences import find_fences
from probatio.languages.contract import LanguageSpec, trim_program
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import render_question
from probatio.suites.task_types import KINDS

_OUTPUT = ("output", "stdout")
"""The words of a block that holds what a program prints."""
_LEAD = re.compile(r"\b(?:outputs?|prints?|printed|result)\b|→|=>", re.IGNORECASE)
_LONGEST_LEAD = 60

BARE = "without a code block"
"""How a completion is given a second time."""

Expected = Literal["right", "runs", "accepted", "fails as said", "wrong"]


class SuiteClaim(msgspec.Struct, frozen=True):
    """An answer to a task, and the grade it must get."""

    subject: str
    claim: Claim
    task: Task
    spec: LanguageSpec
    """The language the answer is written in."""
    answer: str
    expected: Expected
    note: str = ""
    """What the answer is, if the claim alone does not say it."""
    only_warns: bool = False


def list_right_claims(suite: Suite) -> Iterator[SuiteClaim]:
    """Programs that must be what the suite says they are."""
    yield from _claim_examples(suite)
    for task in suite.tasks.values():
        subject, spec = f"task {task.id}", suite.answer_language(task)
        if task.solution and KINDS[task.type].judged != "text":
            yield SuiteClaim(subject, Claim.SOLUTION, task, spec, fence_program(task.solution, spec), "right")
            if KINDS[task.type].judged == "completion":  # the question asks for the missing part only
                yield SuiteClaim(subject, Claim.SOLUTION, task, spec, task.solution, "right", BARE)
        yield from _claim_material(suite, task, subject)
    for name, text in suite.contexts.items():
        task = _ask_to_print((ProgramTest(""),), suite.spec, suite, suite.compare)
        for number, program in enumerate(find_programs(text, suite.spec), 1):
            yield SuiteClaim(
                f"context {name}", Claim.IN_CONTEXT, task, suite.spec,
                fence_program(program, suite.spec), "accepted", f"program {number}", only_warns=True,
            )  # fmt: skip
        for number, (program, output) in enumerate(find_stated(text, suite.spec), 1):
            asked = _ask_to_print((ProgramTest(output),), suite.spec, suite, suite.compare)
            yield SuiteClaim(
                f"context {name}", Claim.STATED, asked, suite.spec, fence_program(program, suite.spec),
                "right", f"output {number}",
            )  # fmt: skip


def list_wrong_claims(suite: Suite) -> Iterator[SuiteClaim]:
    """Answers to every task that must be graded wrong."""
    for task in suite.tasks.values():
        spec = suite.answer_language(task)
        for note, answer in _make_wrong_answers(suite, task, spec):
            yield SuiteClaim(f"task {task.id}", Claim.FAILS, task, spec, answer, "wrong", note)


def list_unproven(suite: Suite) -> Iterator[Proof]:
    """Tasks that no solution proves, and tasks that an answer without any output would pass."""
    for task in suite.tasks.values():
        if KINDS[task.type].judged == "text":
            continue
        if not ((task.solution or "").strip() or (suite.spec.whole and task.solution)):
            yield Proof(f"task {task.id}", Claim.SOLUTION, "open", "it has no `solution`.")
        if not any(test.stdout.strip() for test in task.runs):
            yield Proof(
                f"task {task.id}", Claim.FAILS, "failed", "one that prints nothing, as no output is expected."
            )


def fence_program(program: str, spec: LanguageSpec) -> str:
    """A program as an answer, in a fence longer than any inside."""
    longest = max((len(line) - len(line.lstrip("`")) for line in program.splitlines()), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{spec.fences[0]}\n{trim_program(program, spec.whole)}\n{mark}"


def find_programs(markdown: str, spec: LanguageSpec) -> list[str]:
    """The programs of the language in a text."""
    blocks = [block for block in find_fences(markdown) if block.language in spec.fences]
    return [block.inside if spec.whole else block.body for block in blocks]


def find_stated(markdown: str, spec: LanguageSpec) -> list[tuple[str, str]]:
    """The programs of a text whose output is stated in the block behind them: by its word (`output`), or by
    what stands between the two ("It prints:")."""
    blocks = find_fences(markdown)
    stated = []
    for block, behind in pairwise(blocks):
        between = markdown[block.end : behind.start].strip()
        is_program = block.language in spec.fences or not block.language
        says_so = behind.language in _OUTPUT or (not behind.language and _LEAD.search(between))
        if is_program and says_so and len(between) <= _LONGEST_LEAD:
            stated.append((block.inside if spec.whole else block.body, behind.inside))
    return stated


def _claim_examples(suite: Suite) -> Iterator[SuiteClaim]:
    for example in suite.examples:
        subject = f"example {example.id}"
        expected: Expected = "right" if example.output.strip() else "runs"
        for spec, program in ((suite.spec, example.program), (suite.host, example.host)):
            if spec is not None and program:
                task = _ask_to_print(
                    (ProgramTest(example.output, example.stdin or ""),), spec, suite, suite.compare
                )
                yield SuiteClaim(
                    subject, Claim.EXAMPLE, task, spec, fence_program(program, spec), expected, spec.name
                )


def _claim_material(suite: Suite, task: Task, subject: str) -> Iterator[SuiteClaim]:
    """The program a task is about: in its own language, it prints what is expected; a broken one must not."""
    kind = KINDS[task.type].material
    if kind == "broken program":
        answer = fence_program(task.material or "", suite.spec)
        yield SuiteClaim(subject, Claim.BROKEN, task, suite.spec, answer, "fails as said")
    elif kind in ("program", "host program"):
        spec = suite.host if kind == "host program" and suite.host else suite.spec
        asked = _ask_to_print(task.runs, spec, suite, task.compare)
        answer = fence_program(task.material or "", spec)
        yield SuiteClaim(subject, Claim.MATERIAL, asked, spec, answer, "right")


def _ask_to_print(tests: tuple[ProgramTest, ...], spec: LanguageSpec, suite: Suite, compare: Compare) -> Task:
    """A task that asks for a program of the language with this output."""
    kind: TaskType = "write_host" if spec is suite.host else "write"
    return Task(id="", type=kind, category="", tests=tests, compare=compare)


def _make_wrong_answers(suite: Suite, task: Task, spec: LanguageSpec) -> Iterator[tuple[str, str]]:
    judged, asked = KINDS[task.type].judged, ""
    yield "an empty answer", ""
    with suppress(Exception):  # of the language; a question that can't be made fails a proof of its own
        asked = render_question(suite, task, suite.language.dialects[0])
    if asked:
        yield "the question given back", asked
    if judged == "text":
        other = next((each for each in suite.tasks.values() if _outputs(each)[0] != _outputs(task)[0]), None)
        if other is not None:
            yield f"the output of {other.id}", _outputs(other)[0]
        return
    yield "an empty code block", fence_program("", spec)
    fitting = [
        each
        for each in suite.tasks.values()
        if KINDS[each.type].judged == judged
        and each.solution
        and each.solution != task.solution
        and not set(_outputs(each)) & set(_outputs(task))
    ]
    # of another category if possible
    if other := next((each for each in fitting if each.category != task.category), next(iter(fitting), None)):
        yield f"the solution of {other.id}", fence_program(other.solution or "", spec)


def _outputs(task: Task) -> list[str]:
    return [test.stdout.strip() for test in task.runs]
