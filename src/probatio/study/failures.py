"""Failing examples: a few failures in full, chosen so that every model and every error class shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from probatio.store.layout import ANSWERS, RUN_FILE
from probatio.study.findings import Failure
from probatio.study.tokens import Condition, SharedPart, question_in
from probatio.study.trials import TRIAL_COLUMNS, Trials, lines_table, run_names, stored

EXAMPLES = 10
"""Failures shown in full; the rest is in the JSONL files."""

LONGEST_TEXT = 4000
"""Characters of one question or answer; a model that repeats itself to the token limit fills no page."""

_COLUMNS = {**TRIAL_COLUMNS, "prompt": "VARCHAR", "response": "VARCHAR"}


def failures(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[Failure]:
    """For each model and error class in turn the failure under the largest condition: more context did not prevent it."""
    chosen = _chosen(trials, tokens)
    if not chosen:
        return []
    texts = _texts(trials, chosen)
    shown = []
    for row in chosen:
        run, task, model, n_shot, dialect, context, sample, error, detail = row
        prompt, answer = texts.get(row[:7], (None, None))
        question = _question(trials, prompt, task, Condition(model, dialect, context, n_shot), tokens)
        shown.append(
            Failure(
                run, task, model, n_shot, dialect, context, sample, error, _cut(detail), _cut(question), _cut(answer)
            )
        )
    return shown


def _question(
    trials: Trials, prompt: str | None, task: str, condition: Condition, tokens: Mapping[Condition, SharedPart]
) -> str | None:
    """The part of the prompt that is about this task alone; the whole prompt where that part is not known."""
    if not prompt:
        return prompt
    shared = tokens[condition].characters if condition in tokens else 0
    return question_in(prompt, trials.suite, task, condition.dialect) or prompt[shared:]


def _chosen(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[tuple[Any, ...]]:
    trials.db.execute(
        "create or replace table sizes (model VARCHAR, dialect VARCHAR, context VARCHAR, n_shot INTEGER, size INTEGER)"
    )
    if tokens:
        values = [value for condition, part in tokens.items() for value in (*condition, part.tokens)]
        trials.db.execute(f"insert into sizes values {', '.join(['(?, ?, ?, ?, ?)'] * len(tokens))}", values)
    return trials.rows(
        """
        with failed as (
            select run, task_id, model, n_shot, dialect, context, sample, coalesce(error_type, 'unnamed') as error,
                   error_detail, coalesce(size, 0) as size, line
            from trials left join sizes using (model, dialect, context, n_shot) where asked and not correct
        ), ranked as (
            select *, row_number() over (partition by model, error order by size desc, n_shot desc, run, line) as turn,
                   count(*) over (partition by model, error) as of_class
            from failed
        )
        select run, task_id, model, n_shot, dialect, context, sample, error, error_detail
        from ranked order by turn, of_class desc, model, error limit ?
        """,
        [EXAMPLES],
    )


def _texts(trials: Trials, chosen: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], tuple[str | None, str | None]]:
    """Prompt and answer of the chosen trials."""
    texts: dict[tuple[Any, ...], tuple[str | None, str | None]] = {}
    for folder, run in zip(trials.folders, run_names(trials.folders), strict=True):
        wanted = [row[1:7] for row in chosen if row[0] == run]
        file = stored(folder, ANSWERS)
        if not wanted or file is None:
            continue
        keys = ", ".join(["(?, ?, ?, ?, ?)"] * len(wanted))
        rows = trials.rows(
            f"select task_id, model, n_shot, coalesce(dialect, 'latin') as dialect, context, sample, prompt, response "
            f"from {lines_table(trials, [file], _COLUMNS)} "
            f"where coalesce(attempt, 1) = 1 and (task_id, model, n_shot, coalesce(dialect, 'latin'), context) in ({keys})",
            [value for key in wanted for value in key[:5]],
        )
        ours = (folder / RUN_FILE).exists()
        repeats: Counter[tuple[Any, ...]] = Counter()
        for *key, sample, prompt, response in rows:
            trial = (run, *key, sample if ours else repeats[tuple(key)])
            repeats[tuple(key)] += 1
            texts.setdefault(trial, (prompt, response))
    return texts


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n… ({len(text) - LONGEST_TEXT:,} more characters)"
