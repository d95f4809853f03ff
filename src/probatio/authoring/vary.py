"""Fresh tasks from those of a folder: a seed changes the literals, and the folder's own runner makes the
output.

A task is varied only in literals that can be traced. In a program to be written, those are numbers and words
that are once in its goal and once in its solution; in a program that is shown, those that are equally often
in all programs of the task. Input is varied too. Everything else is dropped and counted.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import msgspec

from probatio.authoring.check.claims import list_right_claims, list_wrong_claims
from probatio.authoring.check.proving import judge, make_response
from probatio.authoring.literals import (
    choose_others,
    count_in_prose,
    count_literals,
    count_numbers,
    count_quoted,
    exchange,
    exchange_in_prose,
    find_numbers,
    names_in_words,
)
from probatio.authoring.new import NEVER_COPIED, require_empty
from probatio.authoring.yaml_text import format_language, format_tasks
from probatio.core.errors import UsageError
from probatio.core.inside import copy_inside
from probatio.core.records import ProgramTest, Task
from probatio.core.trust import adopt, adopt_like
from probatio.grading import assess
from probatio.jail import Choice
from probatio.languages.comparison import keeps_margin, trim
from probatio.languages.finding import require_toolchain
from probatio.languages.toolchain import PRIVATE
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.language_suite import BLANK, BUILT_IN, Suite
from probatio.suites.task_types import KINDS
from probatio.suites.twists import FOLDER as TWISTS

ROUNDS_WITHOUT = 3
"""Tries in a row without a variant, after which a task is given up."""

NOTHING = "no literal can be traced"
SAME = "the output stays the same"
FAILS = "the program fails or does not end"
UNPROVEN = "the task's own claims no longer hold"
TWICE = "the variant is there already"


class Varied(msgspec.Struct, frozen=True):
    """What became of a folder."""

    tasks: tuple[Task, ...]
    dropped: dict[str, int]
    """Reason → how many candidates were dropped for it, or how many tasks without a literal."""
    sources: int
    """Tasks of which variants were made."""
    barren: tuple[str, ...]
    """Tasks of which none could be made."""


class _Dropped(Exception):
    """Why a candidate is no task."""


def vary(suite: Suite, seed: int, count: int, isolation: Choice) -> Varied:
    """Make up to `count` fresh tasks, evenly from all tasks. The same seed gives the same tasks."""
    made: list[Task] = []
    dropped: Counter[str] = Counter()
    seen = {_identify(task) for task in suite.tasks.values()}
    vain = dict.fromkeys(suite.tasks, 0)  # tries in a row without a variant
    fertile: set[str] = set()
    number = 0
    while len(made) < count and (
        waiting := [task for task in suite.tasks.values() if vain[task.id] < ROUNDS_WITHOUT]
    ):
        number += 1
        for task in waiting:
            if len(made) >= count:
                break
            chance = random.Random(f"{seed} {task.id} {number}")
            try:
                variant = _make_variant(suite, task, chance, isolation)
                if _identify(variant) in seen:
                    raise _Dropped(TWICE)
            except _Dropped as why:
                dropped[str(why)] += 1
                vain[task.id] = ROUNDS_WITHOUT if str(why) == NOTHING else vain[task.id] + 1
                continue
            vain[task.id] = 0
            fertile.add(task.id)
            seen.add(_identify(variant))
            of = task.origin or task.id  # a variant of a variant is one of the first task
            made.append(msgspec.structs.replace(variant, id=f"{task.id}-s{seed}-{number}", origin=of))
    barren = tuple(task for task in suite.tasks if task not in fertile and vain[task])
    return Varied(tuple(made), dict(sorted(dropped.items())), len(fertile), barren)


def write_variants(suite: Suite, seed: int, count: int, target: Path, isolation: Choice) -> Varied:
    """Make variants and write them into a new folder."""
    require_empty(target)
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    varied = vary(suite, seed, count, isolation)
    write_varied(suite, varied, seed, target)
    return varied


def write_varied(suite: Suite, varied: Varied, seed: int, target: Path) -> None:
    """Write a folder like the suite's with the fresh tasks alone. It must be new or empty."""
    require_empty(target)
    if not varied.tasks:
        reasons = [f"{reason} ({count} times)" for reason, count in varied.dropped.items()]
        why = ", ".join(reasons) or "it has no task"
        raise UsageError(f"No variant of {suite.name} can be made: {why}.")
    if not (suite.folder / FILE).exists():
        raise UsageError(f"{suite.folder} has no {FILE}, so a folder like it can't be written.")
    copy_inside(suite.folder, target, *NEVER_COPIED, *PRIVATE, "tasks", TWISTS)
    about = read_language_file(suite.folder)
    named = f"{suite.name} {about.version}" if about.version else suite.name
    said = f"The tasks of {named} with other literals, made by `probatio suite vary`, seed {seed}."
    version = f"{about.version or 'unversioned'}-varied-{seed}"
    about = msgspec.structs.replace(about, version=version, fingerprint=None)
    (target / FILE).write_text(format_language(about, said), encoding="utf-8")
    (target / "tasks").mkdir()
    (target / "tasks" / "varied.yml").write_text(format_tasks(varied.tasks), encoding="utf-8")
    if suite.folder.resolve().is_relative_to(BUILT_IN):
        adopt(target)
    else:
        adopt_like(suite.folder, target)


def _identify(task: Task) -> tuple[object, ...]:
    return task.goal, task.material, task.solution, tuple(test.stdin for test in task.runs)


def _make_variant(suite: Suite, task: Task, chance: random.Random, isolation: Choice) -> Task:
    traced, inputs = find_traceable(task), _find_inputs(task)
    if not traced and not inputs:
        raise _Dropped(NOTHING)
    some = chance.sample(traced, chance.randint(1, len(traced))) if traced else []
    taken = set(inputs)
    for text in (task.material, task.solution):
        if text:
            taken |= {*count_literals(text), *count_numbers(text)}
    by = choose_others(some, taken, chance)
    of_input = choose_others(
        [number for number in inputs if number not in some], {*taken, *by.values()}, chance
    )
    if not by and not of_input:
        raise _Dropped(NOTHING)
    changed = _change(task, by, {**by, **of_input} if task.tests else by)
    answered = _add_outputs(suite, changed, isolation)
    if [test.stdout for test in answered.runs] == [test.stdout for test in task.runs]:
        raise _Dropped(SAME)
    _prove(suite, answered, isolation)
    return answered


def find_traceable(task: Task) -> list[str]:
    """The literals that can be changed in all their places, so that the task stays true."""
    kind = KINDS[task.type]
    texts = [text for text in (task.material, task.solution) if text]
    if not texts or kind.judged == "text":
        texts = texts[:1]
    counts = [count_literals(text) for text in texts]
    gold = task.solution or "" if kind.material is None else task.material or ""
    if kind.material not in ("program", "host program") and _may_follow(
        task.goal, counts, every=kind.material is None
    ):
        return []
    found = []
    for literal in sorted({name for count in counts for name in count}):
        in_goal = count_in_prose(task.goal, literal)
        if in_goal and not literal[0].isdigit() and count_quoted(task.goal, literal) != in_goal:
            continue  # in a sentence it may be a word like any other
        if names_in_words(task.goal, literal) or (
            task.diagnostics and count_in_prose(task.diagnostics, literal)
        ):
            continue
        alike = len({count[literal] for count in counts}) == 1
        if kind.material is None and not (in_goal == 1 and count_literals(gold)[literal] == 1):
            continue
        if (kind.needs_host or kind.material == "broken program") and not alike:
            continue
        if any(
            count[literal] != count_in_prose(text, literal) for count, text in zip(counts, texts, strict=True)
        ):
            continue  # it stands among other characters, too: inside a longer text, or as a name
        found.append(literal)
    return found


def _may_follow(goal: str, counts: list[Counter[str]], *, every: bool) -> bool:
    """Whether a number may follow from others, so that none may be changed.

    Such a number is in the goal and in no program; or, with `every`, in a program and not in the goal.
    """
    in_programs = {literal for count in counts for literal in count if literal[0].isdigit()}
    named = set(find_numbers(goal))
    return bool(named - in_programs) or (every and bool(in_programs - named))


def _find_inputs(task: Task) -> list[str]:
    """Numbers of the tests' input that nothing else names."""
    numbers = dict.fromkeys(number for test in task.tests for number in find_numbers(test.stdin))
    return [
        number
        for number in numbers
        if not count_in_prose(task.goal, number) and not names_in_words(task.goal, number)
    ]


def _change(task: Task, by: dict[str, str], of_input: dict[str, str]) -> Task:
    tests = tuple(ProgramTest("", exchange_in_prose(test.stdin, of_input)) for test in task.tests)
    return msgspec.structs.replace(
        task,
        goal=exchange_in_prose(task.goal, by),
        material=None if task.material is None else exchange(task.material, by),
        solution=None if task.solution is None else exchange(task.solution, by),
        tests=tests,
        expected_output="",
    )


def _add_outputs(suite: Suite, changed: Task, isolation: Choice) -> Task:
    """The task with what its program prints now."""
    gold, dialect, language = (
        _find_gold(changed, suite.spec.whole),
        suite.language.dialects[0],
        suite.language,
    )
    if gold is None or KINDS[changed.type].control:  # a control asks nothing about the language
        raise _Dropped(NOTHING)
    if not language.check(gold, dialect, isolation).accepted:
        raise _Dropped(FAILS)
    outputs = []
    for test in changed.runs:
        outcome = language.run(gold, dialect, test.stdin, isolation)
        if outcome.exit != 0 or outcome.stopped or not trim(outcome.stdout):
            raise _Dropped(FAILS)
        outputs.append(outcome.stdout if keeps_margin(changed.compare) else trim(outcome.stdout))
    if not changed.tests:
        return msgspec.structs.replace(changed, expected_output=outputs[0])
    tests = tuple(
        ProgramTest(stdout, test.stdin) for stdout, test in zip(outputs, changed.tests, strict=True)
    )
    return msgspec.structs.replace(changed, tests=tests)


def _find_gold(task: Task, whole: bool) -> str | None:
    """The program of the language under test that is right."""
    match KINDS[task.type].material:
        case "program":
            return task.material
        case "template":
            part = task.solution if whole or not task.solution else task.solution.strip()
            return (task.material or "").replace(BLANK, part) if part else None
        case _:
            return task.solution


def _prove(suite: Suite, task: Task, isolation: Choice) -> None:
    """Prove what `suite check` would prove, but for what was just run."""
    alone = msgspec.structs.replace(suite, tasks={task.id: task}, examples=(), contexts={})
    known = _find_gold(task, suite.spec.whole)
    for claim in (*list_right_claims(alone), *list_wrong_claims(alone)):
        if known is not None and claim.expected == "right" and known.strip() in claim.answer:
            continue
        response = make_response(task, claim.answer, suite.language.dialects[0])
        if judge(claim, assess(claim.task, response, claim.spec, isolation)).state == "failed":
            raise _Dropped(UNPROVEN)
