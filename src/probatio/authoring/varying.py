"""Fresh tasks from those of a folder: the literals of its programs are changed by seed, and its own runner makes the new output.

A task is varied only in literals that can be traced. What a task asks to be written is varied in numbers and words that stand
once in its goal and once in its solution; what it shows, in those that stand equally often in all its programs. Input is varied
too. Everything else is dropped and counted.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from probatio.authoring.claims import right_claims, wrong_claims
from probatio.authoring.copying import require_empty
from probatio.authoring.literals import (
    all_numbers,
    exchanged,
    in_prose,
    literals,
    numbers_in,
    other_literals,
    prose_exchanged,
    quoted,
    said_in_words,
)
from probatio.authoring.proving import judged
from probatio.authoring.written import language_yaml, tasks_yaml
from probatio.errors import UsageError
from probatio.grade import assess
from probatio.grade.prediction import trimmed
from probatio.records import ProgramTest, Response, Task
from probatio.sandbox import Choice
from probatio.suite.language_file import FILE, read_language_file
from probatio.suite.language_suite import BLANK, Suite
from probatio.suite.task_types import KINDS
from probatio.suite.twists import FOLDER as TWISTS

ROUNDS_WITHOUT = 3
"""So many tries of a task in a row without a variant, and it is given up."""

NOTHING = "no literal can be traced"
SAME = "the output stays the same"
FAILS = "the program fails or does not end"
UNPROVEN = "the task's own claims no longer hold"
TWICE = "the variant is there already"


class Varied(msgspec.Struct, frozen=True):
    """What became of a folder."""

    tasks: tuple[Task, ...]
    dropped: dict[str, int]
    """Reason → how many candidates were dropped for it; of tasks without a literal, how many tasks."""
    sources: int
    """Tasks of which variants were made."""
    barren: tuple[str, ...]
    """Tasks of which none could be made."""


class _Dropped(Exception):
    """A candidate is no task, and why."""


def vary(
    suite: Suite, seed: int, count: int, isolation: Choice, watch: Callable[[int, int], None] = lambda done, total: None
) -> Varied:
    """Up to `count` fresh tasks, as many of each task as can be. The same seed gives the same tasks."""
    made: list[Task] = []
    dropped: Counter[str] = Counter()
    seen = {_programs(task) for task in suite.tasks.values()}
    vain = dict.fromkeys(suite.tasks, 0)  # tries in a row without a variant
    fertile: set[str] = set()
    number = 0
    while len(made) < count and (waiting := [task for task in suite.tasks.values() if vain[task.id] < ROUNDS_WITHOUT]):
        number += 1
        for task in waiting:
            if len(made) >= count:
                break
            chance = random.Random(f"{seed} {task.id} {number}")
            try:
                variant = _variant(suite, task, chance, isolation)
                if _programs(variant) in seen:
                    raise _Dropped(TWICE)
            except _Dropped as why:
                dropped[str(why)] += 1
                vain[task.id] = ROUNDS_WITHOUT if str(why) == NOTHING else vain[task.id] + 1
                continue
            vain[task.id] = 0
            fertile.add(task.id)
            seen.add(_programs(variant))
            made.append(msgspec.structs.replace(variant, id=f"{task.id}-s{seed}-{number}"))
            watch(len(made), count)
    barren = tuple(task for task in suite.tasks if task not in fertile and vain[task])
    return Varied(tuple(made), dict(sorted(dropped.items())), len(fertile), barren)


def write_varied(suite: Suite, varied: Varied, seed: int, target: Path) -> None:
    """A folder like the suite's with the fresh tasks alone. Refuses a folder that is there and not empty."""
    require_empty(target)
    if not varied.tasks:
        raise UsageError(f"No variant of {suite.name} can be made: {_reasons(varied)}.")
    without = shutil.ignore_patterns("__pycache__", "*.pyc", "tasks", TWISTS)
    shutil.copytree(suite.folder, target, ignore=without, dirs_exist_ok=True)
    about = read_language_file(suite.folder) if (suite.folder / FILE).exists() else None
    if about is None:
        raise UsageError(f"{suite.folder} has no {FILE}, so a folder like it can't be written.")
    version = f"{about.version or 'unversioned'}-varied-{seed}"
    said = f"The tasks of {suite.name} {about.version or ''} with other literals, made by `probatio suite vary`, seed {seed}."
    about = msgspec.structs.replace(about, version=version, fingerprint=None)
    (target / FILE).write_text(language_yaml(about, " ".join(said.split())), encoding="utf-8")
    (target / "tasks").mkdir()
    (target / "tasks" / "varied.yml").write_text(tasks_yaml(varied.tasks), encoding="utf-8")


def _reasons(varied: Varied) -> str:
    return ", ".join(f"{reason} ({count} times)" for reason, count in varied.dropped.items()) or "it has no task"


def _programs(task: Task) -> tuple[object, ...]:
    return task.goal, task.material, task.solution, tuple(test.stdin for test in task.runs)


def _variant(suite: Suite, task: Task, chance: random.Random, isolation: Choice) -> Task:
    traced, inputs = traceable(task), _inputs(task)
    if not traced and not inputs:
        raise _Dropped(NOTHING)
    some = chance.sample(traced, chance.randint(1, len(traced))) if traced else []
    taken = {*_all_literals(task), *inputs}
    by = other_literals(some, taken, chance)
    of_input = other_literals([number for number in inputs if number not in some], {*taken, *by.values()}, chance)
    if not by and not of_input:
        raise _Dropped(NOTHING)
    changed = _changed(task, by, {**by, **of_input} if task.tests else by)
    answered = _with_outputs(suite, task, changed, isolation)
    if [test.stdout for test in answered.runs] == [test.stdout for test in task.runs]:
        raise _Dropped(SAME)
    _prove(suite, answered, isolation)
    return answered


def traceable(task: Task) -> list[str]:
    """The literals that can be changed in all places where they stand, so that the task still says what is true."""
    kind = KINDS[task.type]
    texts = [text for text in (task.material, task.solution) if text]
    if not texts or kind.judged == "text":
        texts = texts[:1]
    counts = [literals(text) for text in texts]
    gold = task.solution or "" if kind.material is None else task.material or ""
    if kind.material not in ("program", "host program") and _derived(task.goal, counts, every=kind.material is None):
        return []
    found = []
    for literal in sorted({name for count in counts for name in count}):
        in_goal = in_prose(task.goal, literal)
        if in_goal and not literal[0].isdigit() and quoted(task.goal, literal) != in_goal:
            continue  # in a sentence it may be a word like any other
        if said_in_words(task.goal, literal) or (task.diagnostics and in_prose(task.diagnostics, literal)):
            continue
        alike = len({count[literal] for count in counts}) == 1
        if kind.material is None and not (in_goal == 1 and literals(gold)[literal] == 1):
            continue
        if (kind.needs_host or kind.material == "broken program") and not alike:
            continue
        if any(count[literal] != in_prose(text, literal) for count, text in zip(counts, texts, strict=True)):
            continue  # it stands among other characters, too: inside a longer text, or as a name
        found.append(literal)
    return found


def _derived(goal: str, counts: list[Counter[str]], *, every: bool) -> bool:
    """Whether a number may follow from others, which must not be changed then: one that the goal names and no program has, or,
    where the goal says everything, one that a program has and the goal does not name."""
    in_programs = {literal for count in counts for literal in count if literal[0].isdigit()}
    named = set(numbers_in(goal))
    return bool(named - in_programs) or (every and bool(in_programs - named))


def _inputs(task: Task) -> list[str]:
    """Numbers of the tests' input that nothing else names."""
    numbers = dict.fromkeys(number for test in task.tests for number in numbers_in(test.stdin))
    return [number for number in numbers if not in_prose(task.goal, number) and not said_in_words(task.goal, number)]


def _all_literals(task: Task) -> Iterator[str]:
    for text in (task.material, task.solution):
        if text:
            yield from literals(text)
            yield from all_numbers(text)


def _changed(task: Task, by: dict[str, str], of_input: dict[str, str]) -> Task:
    def program(text: str | None) -> str | None:
        return None if text is None else exchanged(text, by)

    tests = tuple(ProgramTest("", prose_exchanged(test.stdin, of_input)) for test in task.tests)
    return msgspec.structs.replace(
        task,
        goal=prose_exchanged(task.goal, by),
        material=program(task.material),
        solution=program(task.solution),
        tests=tests,
        expected_output="",
    )


def _with_outputs(suite: Suite, task: Task, changed: Task, isolation: Choice) -> Task:
    """The task with what its program prints now."""
    gold = _gold(changed)
    if gold is None:
        raise _Dropped(NOTHING)
    dialect, language = suite.language.dialects[0], suite.language
    if KINDS[task.type].control:
        raise _Dropped(NOTHING)  # it asks nothing about the language, so there is no use in more of them
    if not language.check(gold, dialect, isolation).accepted:
        raise _Dropped(FAILS)
    outputs = []
    for test in changed.runs:
        outcome = language.run(gold, dialect, test.stdin, isolation)
        if outcome.exit != 0 or outcome.stopped or not trimmed(outcome.stdout):
            raise _Dropped(FAILS)
        outputs.append(trimmed(outcome.stdout))
    if not changed.tests:
        return msgspec.structs.replace(changed, expected_output=outputs[0])
    tests = tuple(ProgramTest(stdout, test.stdin) for stdout, test in zip(outputs, changed.tests, strict=True))
    return msgspec.structs.replace(changed, tests=tests)


def _gold(task: Task) -> str | None:
    """The program of the language under test that is right."""
    match KINDS[task.type].material:
        case "program":
            return task.material
        case "template":
            return (task.material or "").replace(BLANK, (task.solution or "").strip()) if task.solution else None
        case _:
            return task.solution


def _prove(suite: Suite, task: Task, isolation: Choice) -> None:
    """What `suite check` would prove of it, but for what was just run."""
    alone = msgspec.structs.replace(suite, tasks={task.id: task}, examples=(), contexts={})
    known = _gold(task)
    for claim in (*right_claims(alone), *wrong_claims(alone)):
        if known is not None and claim.expected == "right" and known.strip() in claim.answer:
            continue
        response = Response(
            timestamp="", run_id="", framework_version="", task_id=task.id, model="", n_shot=0, context="",
            dialect=suite.language.dialects[0], response=claim.answer,
        )  # fmt: skip
        if judged(claim, assess(claim.task, response, claim.spec, isolation)).state == "failed":
            raise _Dropped(UNPROVEN)
