"""Inference: what a task needs of its language that its prompt does not show, so that it must be guessed.

Computed from the programs and the texts, for languages that can tell what a program makes use of. A task that
is about a program needs what that program uses; one that asks for a program, what the solution uses.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import msgspec

from probatio.core.records import Task
from probatio.languages.contract import Needing
from probatio.suites.contexts import context_text
from probatio.suites.language_suite import Suite
from probatio.suites.task_types import KINDS


class Shown(msgspec.Struct, frozen=True):
    """How many tasks find all they need in a context, without examples, and what the others lack most
    often."""

    tasks: int
    shown: int
    lacking: dict[str, int]


def describe_contexts(suite: Suite) -> dict[str, Shown]:
    """By context; nothing for a language that can't tell."""
    if not isinstance(suite.language, Needing):
        return {}
    asked = [task for task in suite.tasks.values() if find_gold(task)]
    levels = {}
    for context in suite.contexts:
        lacks = [find_not_told(suite, task, context, 0) or frozenset() for task in asked]
        lacking = Counter(name for each in lacks for name in each)
        ranked = sorted(lacking.items(), key=lambda item: (-item[1], item[0]))
        levels[context] = Shown(len(asked), sum(not each for each in lacks), dict(ranked))
    return levels


def find_not_told(suite: Suite, task: Task, context: str, n_shot: int) -> frozenset[str] | None:
    """What the task needs and the prompt does not show; None if that is unknown or nothing is needed.

    It is the same in every dialect: each has one word for each, and the rule of a twist is stated where there
    are any.
    """
    language, program = suite.language, find_gold(task)
    if not isinstance(language, Needing) or not program:
        return None
    programs = [example.program for example in suite.examples[:n_shot]]
    if KINDS[task.type].judged == "completion":  # the rest of the program is there to be seen
        programs.append(task.material or "")
    shown = (f"```\n{program}\n```" for program in programs)
    text = "\n\n".join([context_text(suite, context, language.dialects[0]), *shown])
    return language.not_shown(_needs(language, program), text)


def find_gold(task: Task) -> str | None:
    """The program that must be understood or written; None if the task asks nothing about the language."""
    kind = KINDS[task.type]
    if kind.control:
        return None
    return task.material if kind.material == "program" else task.solution


@lru_cache(maxsize=4096)
def _needs(language: Needing, program: str) -> frozenset[str]:
    return language.needs(program)
