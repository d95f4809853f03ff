"""Prompt tokens of context and examples: what a condition spends on teaching the language before it asks.

The tokens a server counts are those of the whole prompt. The shared part's share of the characters is taken as its share of the
tokens. Where the suite still renders the question a prompt ends with, the shared part is what stands before it; else it is the
longest text all prompts of the condition begin with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from probatio.errors import ProbatioError
from probatio.store.layout import ANSWERS
from probatio.study.trials import TRIAL_COLUMNS, Trials, lines_table, stored

if TYPE_CHECKING:
    from probatio.suite.language_suite import Suite

_COLUMNS = {**TRIAL_COLUMNS, "prompt": "VARCHAR", "tokens_in": "BIGINT"}
_BELIEVABLE = "tokens_in between 1 and 10000000"  # what a prompt can be made of, whatever a server counted


class Condition(NamedTuple):
    """How a model is asked, whatever the task."""

    model: str
    dialect: str
    context: str
    n_shot: int


class SharedPart(msgspec.Struct, frozen=True):
    """The part that all prompts of a condition share: its tokens, and its length in characters."""

    tokens: int
    estimated: bool
    characters: int


def shared_parts(trials: Trials) -> dict[Condition, SharedPart]:
    """Per condition the tokens of context and examples; nothing where the prompts were not kept.

    With a single task the shared part is not known, so a condition needs two tasks.
    """
    files = [file for folder in trials.folders if (file := stored(folder, ANSWERS)) is not None]
    if not files:
        return {}
    rows = trials.rows(
        # The common beginning of the first and the last prompt in the order of the alphabet is that of all of them.
        "select model, coalesce(dialect, 'latin'), context, n_shot, arg_min(task_id, prompt), min(prompt), max(prompt), "
        f"sum(tokens_in) filter ({_BELIEVABLE}), sum(length(prompt)) filter ({_BELIEVABLE}) "
        f"from {lines_table(trials, files, _COLUMNS)} where prompt <> '' and n_shot is not null "
        "and coalesce(attempt, 1) = 1 "
        "group by all having count(distinct task_id) > 1"
    )
    conditions: dict[Condition, SharedPart] = {}
    for model, dialect, context, n_shot, task, first, last, tokens, characters in rows:
        asked = question_in(first, trials.suite, task, dialect)
        shared = len(first) - len(asked) if asked else _alike(first, last)
        count = shared * tokens / characters if characters else shared / _characters_per_token()
        conditions[Condition(model, dialect, context, n_shot)] = SharedPart(round(count), not characters, shared)
    return conditions


def question_in(prompt: str, suite: Suite | None, task_id: str, dialect: str) -> str | None:
    """The question a prompt ends with, where the suite still renders the same one."""
    from probatio.suite.prompt import question

    if suite is None or task_id not in suite.tasks:
        return None
    try:
        asked = question(suite, suite.task(task_id, dialect), dialect)
    except ProbatioError:
        return None
    return asked if prompt.endswith(asked) else None


def _alike(first: str, last: str) -> int:
    """How many characters two texts begin with alike, by halving."""
    low, high = 0, min(len(first), len(last))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[low:middle] == last[low:middle] else (low, middle - 1)
    return low


def _characters_per_token() -> float:
    from probatio.suite.prompt import CHARACTERS_PER_TOKEN

    return CHARACTERS_PER_TOKEN
