"""Prompt tokens of context and examples: what a condition spends on teaching the language before it asks.

A server counts the tokens of the whole prompt. We take the shared part's share of the characters as its share
of the tokens. If the suite still renders the question at the end of a prompt, the shared part is all before
it; else it is the longest text that all prompts of the condition begin with.
"""

from __future__ import annotations

from collections.abc import Container
from os.path import commonprefix
from typing import TYPE_CHECKING

import msgspec

from probatio.core.errors import ProbatioError
from probatio.learn.database import quote_text
from probatio.learn.findings import Condition
from probatio.learn.trials import Trials, lines_table

if TYPE_CHECKING:
    from probatio.suites.language_suite import Suite

_COLUMNS = {"prompt": "VARCHAR", "tokens_in": "BIGINT"}
_BELIEVABLE = "tokens_in between 1 and 10000000"  # a server may count anything


class SharedPart(msgspec.Struct, frozen=True):
    """The part that all prompts of a condition share: its tokens, and its length in characters."""

    tokens: int
    estimated: bool
    characters: int


def count_shared_parts(trials: Trials, runs: Container[str] | None = None) -> dict[Condition, SharedPart]:
    """Condition → the tokens of context and examples. Empty if the prompts were not kept.

    A condition needs two tasks: with one the shared part is not known. `runs`: only of these.
    """
    files = {run: file for run, file in trials.answers().items() if runs is None or run in runs}
    if not files:
        return {}
    lines = " union all ".join(
        f"select {quote_text(run)} as run, * from {lines_table(trials, [file], _COLUMNS)}"
        for run, file in files.items()
    )
    rows = trials.rows(
        # The common beginning of the first and the last prompt in the order of the alphabet is that of all of
        # them.
        "select model, dialect, context, n_shot, arg_min(task_id, prompt), min(prompt), max(prompt), "
        f"sum(tokens_in) filter ({_BELIEVABLE}), sum(length(prompt)) filter ({_BELIEVABLE}) "
        f"from ({lines}) semi join graded using (run, task_id, model, n_shot, dialect, context) "
        "where prompt <> '' and coalesce(attempt, 1) = 1 group by all having count(distinct task_id) > 1"
    )
    from probatio.suites.prompt import CHARACTERS_PER_TOKEN

    conditions: dict[Condition, SharedPart] = {}
    for model, dialect, context, n_shot, task, first, last, tokens, characters in rows:
        asked = find_question(first, trials.suite, task, dialect)
        shared = len(first) - len(asked) if asked else len(commonprefix([first, last]))  # noqa: RUF071 - texts
        count = shared * tokens / characters if characters else shared / CHARACTERS_PER_TOKEN
        conditions[Condition(model, dialect, context, n_shot)] = SharedPart(
            round(count), not characters, shared
        )
    return conditions


def find_question(prompt: str, suite: Suite | None, task_id: str, dialect: str) -> str | None:
    """The question at the end of a prompt, if the suite still renders the same one."""
    from probatio.suites.prompt import render_question

    if suite is None or task_id not in suite.tasks:
        return None
    try:
        asked = render_question(suite, suite.task(task_id, dialect), dialect)
    except (ProbatioError, ValueError):  # a dialect that its language does not have
        return None
    return asked if prompt.endswith(asked) else None
