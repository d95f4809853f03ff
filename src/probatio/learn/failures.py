"""Failing examples: a few failures in full, chosen so that every model and every error class shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probatio.learn.answered import CONDITION, TEXTS, first_answers
from probatio.learn.findings import Condition, FailedTrial
from probatio.learn.tokens import SharedPart, find_question
from probatio.learn.trials import Trials

EXAMPLES = 10
"""Failures shown in full; the rest is in the JSONL files."""

LONGEST_TEXT = 4000
"""Characters of one question or answer; a model that repeats itself to the token limit fills no page."""


def pick_failures(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[FailedTrial]:
    """For each model and error class in turn, the failure under the largest condition: more context did not
    prevent it."""
    chosen = _choose(trials, tokens)
    if not chosen:
        return []
    texts = _texts(trials, chosen)
    shown = []
    for row in chosen:
        run, task, model, n_shot, dialect, context, sample, error, detail = row
        prompt, answer = texts.get(row[:7], (None, None))
        if prompt:  # only what is about this task alone, if that part is known
            shared = tokens.get(Condition(model, dialect, context, n_shot))
            prompt = (
                find_question(prompt, trials.suite, task, dialect)
                or (prompt[shared.characters if shared else 0 :])
            )
        texts_shown = _cut(detail), _cut(prompt), _cut(answer)
        shown.append(FailedTrial(run, task, model, n_shot, dialect, context, sample, error, *texts_shown))
    return shown


def _choose(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[tuple[Any, ...]]:
    columns = "model VARCHAR, dialect VARCHAR, context VARCHAR, n_shot INTEGER, size INTEGER"
    trials.db.execute(f"create or replace table sizes ({columns})")
    if tokens:
        values = [value for condition, part in tokens.items() for value in (*condition, part.tokens)]
        trials.db.execute(f"insert into sizes values {', '.join(['(?, ?, ?, ?, ?)'] * len(tokens))}", values)
    return trials.rows(
        """
        with failed as (
            select run, task_id, model, n_shot, dialect, context, sample,
                   coalesce(error_type, 'unnamed') as error, error_detail, coalesce(size, 0) as size, line
            from trials left join sizes using (model, dialect, context, n_shot)
            where asked and not correct and not control
        ), ranked as (
            select *, row_number() over (
                       partition by model, error order by size desc, n_shot desc, run, line
                   ) as turn,
                   count(*) over (partition by model, error) as of_class
            from failed
        )
        select run, task_id, model, n_shot, dialect, context, sample, error, error_detail
        from ranked order by turn, of_class desc, model, error limit ?
        """,
        [EXAMPLES],
    )


def _texts(
    trials: Trials, chosen: list[tuple[Any, ...]]
) -> dict[tuple[Any, ...], tuple[str | None, str | None]]:
    """Prompt and answer of the chosen trials."""
    texts: dict[tuple[Any, ...], tuple[str | None, str | None]] = {}
    for run, file in trials.answers().items():
        wanted = [row[1:6] for row in chosen if row[0] == run]
        if wanted:
            where = f"({CONDITION}) in ({', '.join(['(?, ?, ?, ?, ?)'] * len(wanted))})"
            query = first_answers(trials, run, file, TEXTS, where)
            for *key, prompt, response in trials.rows(query, [value for each in wanted for value in each]):
                texts[run, *key] = prompt, response
    return texts


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n… ({len(text) - LONGEST_TEXT:,} more characters)"
