"""Learning by trying: how many tasks are solved within k attempts, what that costs, and what feedback is
worth.

A trial is solved within k attempts if one of its first k answers is right. Trials whose first answer could
not be asked or checked are left out, as everywhere. If a later answer could not, the trial is not solved by
it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from probatio.core.statistics.intervals import Rate, critical, estimate_paired_difference, rate_of
from probatio.learn.findings import FeedbackWorth, Repair, Trying
from probatio.learn.trials import Trials, lines_table

LEVELS = ("none", "verdict", "diagnostics")
"""Feedback from least to most."""

_COLUMNS = {"tokens_in": "BIGINT", "tokens_out": "BIGINT"}
_KEY = "task_id, model, n_shot, dialect, context, sample"


class TrialTries(NamedTuple):
    """One trial with all its attempts."""

    task: str
    solved: int | None  # the number of the attempt that was right
    first_error: str | None
    tokens: int | None  # of all attempts
    tokens_to_solve: int | None


def measure_attempts(trials: Trials) -> tuple[list[Trying], list[FeedbackWorth]]:
    """What the runs with several attempts show. Empty if there is no such run."""
    several = {run.run: run for run in trials.runs if run.attempts > 1}
    if not several:
        return [], []
    tried = _read_tries(trials, list(several))
    trying = [
        _trying(run, model, several[run].feedback or "", several[run].attempts, list(of_model.values()))
        for run in several
        for model in trials.levels("model")
        if (of_model := tried.get((run, model)))
    ]
    pairs = [(one, two) for one, two in combinations(several.values(), 2) if one.attempts == two.attempts]
    worth = []
    for one, two in pairs:
        a, b = sorted(
            (one, two), key=lambda run: LEVELS.index(run.feedback) if run.feedback in LEVELS else -1
        )
        for model in trials.levels("model"):
            before, after = tried.get((a.run, model)), tried.get((b.run, model))
            if a.feedback != b.feedback and before and after:
                worth.append(_worth(model, a.feedback or "", b.feedback or "", a.attempts, before, after))
    return trying, [each for each in worth if each.pairs]


def _read_tries(
    trials: Trials, runs: Sequence[str]
) -> dict[tuple[str, str], dict[tuple[object, ...], TrialTries]]:
    """Run and model → the trial's key → how it went."""
    tokens = _tokens(trials)
    rows: dict[tuple[object, ...], dict[int, tuple[bool, bool, str | None]]] = defaultdict(dict)
    for run, attempt, asked, correct, error, *key in trials.rows(
        f"select run, attempt, asked, correct, error_type, {_KEY} from graded order by run, line"
    ):
        if run in runs:
            rows[run, *key][attempt] = asked, correct, error
    tried: dict[tuple[str, str], dict[tuple[object, ...], TrialTries]] = defaultdict(dict)
    for (run, *key), answers in rows.items():
        if 1 not in answers or not answers[1][0]:
            continue
        solved = min(
            (attempt for attempt, (asked, right, _) in answers.items() if asked and right), default=None
        )
        spent = [tokens.get((run, *key, attempt)) for attempt in sorted(answers)]
        known = [each for each in spent if each is not None]
        whole = sum(known) if len(known) == len(spent) else None
        until = None if solved is None or whole is None else sum(known[:solved])
        tried[str(run), str(key[1])][tuple(key)] = TrialTries(
            str(key[0]), solved, answers[1][2], whole, until
        )
    return tried


def _tokens(trials: Trials) -> dict[tuple[object, ...], int]:
    """Run, trial and attempt → tokens in and out, if both are known and plausible."""
    tokens: dict[tuple[object, ...], int] = {}
    for run, file in trials.answers().items():
        for *key, spent in trials.rows(
            f"select task_id, model, n_shot, dialect, context, coalesce(sample, 0), "
            f"coalesce(attempt, 1), tokens_in + tokens_out from {lines_table(trials, [file], _COLUMNS)} "
            "where tokens_in between 1 and 10000000 and tokens_out between 0 and 10000000"
        ):
            tokens.setdefault((run, *key), spent)
    return tokens


def _trying(run: str, model: str, feedback: str, most: int, tried: Sequence[TrialTries]) -> Trying:
    return Trying(
        run=run,
        model=model,
        feedback=feedback,
        within=[
            _rate(tried, [each.solved is not None and each.solved <= k for each in tried])
            for k in range(1, most + 1)
        ],
        tokens_to_solve=_mean([each.tokens_to_solve for each in tried if each.tokens_to_solve is not None]),
        tokens_spent=_mean([each.tokens for each in tried if each.tokens is not None]),
        repairs=_repairs(tried),
    )


def _repairs(tried: Sequence[TrialTries]) -> list[Repair]:
    """By the class of the first answer's error, the commonest first."""
    by_error: dict[str, list[TrialTries]] = defaultdict(list)
    for each in tried:
        if each.solved != 1:
            by_error[each.first_error or "unnamed"].append(each)
    repairs = [
        Repair(error, _rate(group, [each.solved is not None for each in group]))
        for error, group in by_error.items()
    ]
    return sorted(repairs, key=lambda repair: (-repair.rate.asked, repair.error))


def _rate(tried: Sequence[TrialTries], passed: Sequence[bool]) -> Rate:
    counts: dict[str, tuple[int, int]] = {}
    for each, right in zip(tried, passed, strict=True):
        before = counts.get(each.task, (0, 0))
        counts[each.task] = before[0] + right, before[1] + 1
    return rate_of(counts.values())


def _worth(
    model: str,
    a: str,
    b: str,
    most: int,
    before: Mapping[tuple[object, ...], TrialTries],
    after: Mapping[tuple[object, ...], TrialTries],
) -> FeedbackWorth:
    pairs = [(before[key], after[key]) for key in before if key in after]
    counts: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    extra: dict[str, list[int]] = defaultdict(list)
    for one, two in pairs:
        gained, lost, of = counts[one.task]
        counts[one.task] = (
            gained + (one.solved is None and two.solved is not None),
            lost + (one.solved is not None and two.solved is None),
            of + 1,
        )
        if one.tokens is not None and two.tokens is not None:
            extra[one.task].append(two.tokens - one.tokens)
    points = estimate_paired_difference(counts.values())
    return FeedbackWorth(
        model, a, b, most, len(pairs), (100 * points[0], 100 * points[1], 100 * points[2]), _difference(extra)
    )


def _difference(by_task: Mapping[str, Sequence[int]]) -> tuple[float, float, float] | None:
    """The mean difference and its interval, tasks as clusters."""
    means = [sum(values) / len(values) for values in by_task.values()]
    if len(means) < 2:
        return None
    mean = sum(means) / len(means)
    variance = sum((each - mean) ** 2 for each in means) / (len(means) - 1)
    half = critical(len(means)) * sqrt(variance / len(means))
    return mean, mean - half, mean + half


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None
