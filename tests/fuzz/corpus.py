"""Answers to begin from: proofs of the daily suite, kept answers of real models, solutions and examples of
every language, and programs that want more than they may."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import NamedTuple

from fuzz.canary import MARK
from probatio.grading import needs_sandbox
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import DailySuite, load_daily
from probatio.suites.language_suite import BUILT_IN, Suite, list_built_in_suites, load_suite
from scripts import script

DAILY, JUDGE = "daily", "judge"
PAGES, PROGRAMS = "web_design", "code_generation"
"""The use cases whose answers are opened in a browser, and run in the jail."""

KINDS = ("texts", "programs", "pages")


class Known(NamedTuple):
    """An answer to a question: `suite` is a language, `daily` or `judge`, `question` a task, a case or a use
    case."""

    kind: str
    suite: str
    question: str
    dialect: str
    text: str


@functools.cache
def answers(kind: str) -> list[Known]:
    """The answers of a kind; of each kind there are many."""
    return [each for each in _all() if each.kind == kind]


@functools.cache
def _all() -> list[Known]:
    return [*_daily(), *_judged(), *_frontier_programs(), *_languages()]


@functools.cache
def daily() -> DailySuite:
    return load_daily()


@functools.cache
def language(name: str) -> Suite:
    """A built-in suite, or a folder of kept Faber tasks (`level-2` …)."""
    if name in list_built_in_suites():
        return load_suite(BUILT_IN / name)  # a folder of that name may lie here
    return load_suite(script("frontier_faber").KEPT / name)


def _kind_of(use_case: str) -> str:
    return {PAGES: "pages", PROGRAMS: "programs"}.get(use_case, "texts")


def _daily() -> Iterator[Known]:
    suite = daily()
    for use_case in suite.use_cases.values():
        kind = _kind_of(use_case.id)
        for proof in read_proofs(suite, use_case):
            yield Known(kind, DAILY, proof.case, "", proof.answer)
    for kept in script("frontier").kept_sets().values():
        for each in kept:
            if each.case in suite.cases:
                yield Known(_kind_of(each.use_case), DAILY, each.case, "", each.answer)


def _judged() -> Iterator[Known]:
    """Replies of a judge, one for each answer of the calibration set."""
    for item in load_calibration(daily()):
        marks = {name: {"mark": mark, "reason": item.answer[:80]} for name, mark in item.marks.items()}
        yield Known("texts", JUDGE, item.use_case, "", json.dumps(marks))


def _frontier_programs() -> Iterator[Known]:
    for kept in script("frontier_faber").kept_sets().values():
        for each in kept:
            suite = language(each.asked.folder)
            run = needs_sandbox(suite.task(each.asked.task, each.asked.dialect))
            yield Known(
                "programs" if run else "texts",
                each.asked.folder,
                each.asked.task,
                each.asked.dialect,
                each.answer,
            )


def _languages() -> Iterator[Known]:
    for name in list_built_in_suites():
        suite = language(name)
        dialects = suite.language.dialects
        for number, task in enumerate(suite.tasks.values()):
            dialect = dialects[number % len(dialects)]
            program = needs_sandbox(task)
            example = suite.examples[number % len(suite.examples)].program if suite.examples else ""
            text = (task.solution or example) if program else task.runs[0].stdout
            yield Known("programs" if program else "texts", name, task.id, dialect, text)


GREEDY = {
    "python": (
        "import os, sys\nprint(os.environ)\nprint(open('/etc/passwd').read())\nopen('MARK', 'w').write('x')",
        "import subprocess\nprint(subprocess.run(['sh', '-c', 'id > MARK; env']))",
        "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)\nwhile 1: pass",
        "import resource\nresource.setrlimit(0, (-1, -1))\nwhile 1: pass",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        "x = [0] * 10**10",
        "print('y' * 10**9)",
        "import os\nwhile 1: os.fork()",
    ),
    "typescript": (
        "console.log(Deno.env.toObject()); Deno.writeTextFileSync('MARK', 'x')",
        "console.log(Deno.readTextFileSync('/etc/passwd'))",
        "while (true) {}",
        "const a: number[][] = []; while (true) a.push(new Array(1e6).fill(0))",
        "console.log('y'.repeat(5e8))",
        "const f = (): number => f(); f()",
        "new Deno.Command('sh', {args: ['-c', 'id > MARK']}).outputSync()",
    ),
    "text": ("error while loading shared libraries: libx.so\n", "[" * 5_000, "(" * 20_000, "{" * 3_000),
}
"""Programs that want more than they may have. `MARK` is a file that none of them may write."""


@functools.cache
def greedy() -> list[Known]:
    """Apart from the others: most of them take all the time that a program may take."""
    return list(_greedy())


def _greedy() -> Iterator[Known]:
    for name, programs in GREEDY.items():
        for each in programs:
            text = each.replace("MARK", MARK)
            if name != "text":
                cases = [case for case in daily().cases.values() if case.use_case == PROGRAMS]
                yield Known(
                    "programs", DAILY, cases[len(text) % len(cases)].id, "", f"```{name}\n{text}\n```"
                )
            for suite in list_built_in_suites():
                tasks = [task for task in language(suite).tasks.values() if needs_sandbox(task)]
                task = tasks[len(text) % len(tasks)]
                yield Known("programs", suite, task.id, language(suite).language.dialects[0], text)
