"""Prompt tokens of context and examples: what a condition spends on teaching the language before it asks.

The tokens a server counts are those of the whole prompt. All prompts of a condition begin with the same text (context, then
examples), so that text is found as their longest common beginning, and its share of the characters is its share of the tokens.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from probatio.run.journal import RAW
from probatio.study.trials import Trials, json_lines

_COLUMNS = {
    "task_id": "VARCHAR",
    "model": "VARCHAR",
    "n_shot": "INTEGER",
    "dialect": "VARCHAR",
    "context": "VARCHAR",
    "prompt": "VARCHAR",
    "tokens_in": "BIGINT",
}


class Condition(NamedTuple):
    """How a model is asked, whatever the task."""

    model: str
    dialect: str
    context: str
    n_shot: int


class Taught(msgspec.Struct, frozen=True):
    """What a condition teaches: the tokens of the part its prompts share, and the end of that part in characters."""

    tokens: int
    estimated: bool
    characters: int


def taught(trials: Trials) -> dict[Condition, Taught]:
    """Per condition the tokens of context and examples; nothing where the prompts were not kept.

    A single task has no shared part to be told from, so a condition needs two tasks.
    """
    files = [file for folder in trials.folders if (file := folder / RAW).exists() and file.stat().st_size]
    if not files:
        return {}
    rows = trials.rows(
        # The common beginning of the first and the last prompt in the order of the alphabet is that of all of them.
        "select model, coalesce(dialect, 'latin'), context, n_shot, min(prompt), max(prompt), "
        "sum(tokens_in) filter (tokens_in > 0), sum(length(prompt)) filter (tokens_in > 0) "
        f"from {json_lines(files, _COLUMNS)} where prompt <> '' and n_shot is not null "
        "group by all having count(distinct task_id) > 1"
    )
    found: dict[Condition, Taught] = {}
    for model, dialect, context, n_shot, first, last, tokens, characters in rows:
        shared = _shared(first, last)
        count = shared * tokens / characters if characters else shared / _characters_per_token()
        found[Condition(model, dialect, context, n_shot)] = Taught(round(count), not characters, shared)
    return found


def _shared(first: str, last: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(first, last, strict=False))
    return next((number for number, (one, two) in pairs if one != two), min(len(first), len(last)))


def _characters_per_token() -> float:
    from probatio.run.shown import CHARACTERS_PER_TOKEN

    return CHARACTERS_PER_TOKEN
