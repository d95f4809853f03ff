"""Learning by trying: how many tasks are solved within k attempts, what that costs, and what feedback is
worth.

A trial is solved within k attempts if one of its first k answers is right. Trials whose first answer could
not be asked or checked are left out, as everywhere. If a later answer could not, the trial is not solved by
it. Controls, which ask nothing about the language, are left out, as everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from probatio.core.statistics.intervals import Rate, critical, estimate_paired_difference, rate_of
from probatio.learn.alike import RunSeen
from probatio.learn.curves import fit_curves
from probatio.learn.findings import Condition, FeedbackWorth, Repair, TriedCurves, Trying
from probatio.learn.tokens import SharedPart
from probatio.learn.trials import Trials, lines_table

LEVELS = ("none", "verdict", "diagnostics")
"""Feedback from least to most."""

_COLUMNS = {"tokens_in": "BIGINT", "tokens_out": "BIGINT"}
_KEY = "task_id, model, n_shot, dialect, context, sample"


class TrialTries(NamedTuple):
    """One trial with all its attempts."""

    cluster: str
    context: str
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
        _trying(several[run], model, list(of_model.values()), trials.levels("context"))
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
                paired = [(before[key], after[key]) for key in before if key in after]
                worth.append(_worth(model, a.feedback or "", b.feedback or "", a.attempts, paired))
    return trying, [each for each in worth if each.pairs]


def _read_tries(
    trials: Trials, runs: Sequence[str]
) -> dict[tuple[str, str], dict[tuple[object, ...], TrialTries]]:
    """Run and model → the trial's key → how it went."""
    tokens = _tokens(trials)
    rows: dict[tuple[object, ...], dict[int, tuple[bool, bool, str | None]]] = defaultdict(dict)
    clusters: dict[tuple[object, ...], str] = {}
    for run, attempt, asked, correct, error, cluster, *key in trials.rows(
        f"select run, graded.attempt, graded.asked, graded.correct, graded.error_type, cluster, {_KEY} "
        f"from graded join trials using (run, {_KEY}) where not control order by run, graded.line"
    ):
        if run in runs:
            rows[run, *key][attempt] = asked, correct, error
            clusters[run, *key] = cluster
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
            clusters[run, *key], str(key[4]), solved, answers[1][2], whole, until
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


def _trying(run: RunSeen, model: str, tried: Sequence[TrialTries], contexts: Sequence[str]) -> Trying:
    by_context = {context: [each for each in tried if each.context == context] for context in contexts}
    return Trying(
        run=run.run,
        model=model,
        feedback=run.feedback or "",
        within=_within(tried, run.attempts),
        contexts={context: _within(each, run.attempts) for context, each in by_context.items() if each},
        tokens_to_solve=_mean([each.tokens_to_solve for each in tried if each.tokens_to_solve is not None]),
        tokens_spent=_mean([each.tokens for each in tried if each.tokens is not None]),
        repairs=_repairs(tried),
    )


def _within(tried: Sequence[TrialTries], most: int) -> list[Rate]:
    """Solved within 1, 2, … attempts."""
    return [_rate(tried, [_is_solved(each, k) for each in tried]) for k in range(1, most + 1)]


def _is_solved(one: TrialTries, within: int) -> bool:
    return one.solved is not None and one.solved <= within


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
        before = counts.get(each.cluster, (0, 0))
        counts[each.cluster] = before[0] + right, before[1] + 1
    return rate_of(counts.values())


def _worth(
    model: str, a: str, b: str, most: int, paired: Sequence[tuple[TrialTries, TrialTries]]
) -> FeedbackWorth:
    extra: dict[str, list[int]] = defaultdict(list)
    for one, two in paired:
        if one.tokens is not None and two.tokens is not None:
            extra[one.cluster].append(two.tokens - one.tokens)
    within = [_points(paired, k) for k in range(1, most + 1)]
    return FeedbackWorth(model, a, b, most, len(paired), within[-1], _difference(extra), within)


def _points(paired: Sequence[tuple[TrialTries, TrialTries]], within: int) -> tuple[float, float, float]:
    """How much more is solved within so many attempts, and its interval."""
    counts: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for one, two in paired:
        before, after = _is_solved(one, within), _is_solved(two, within)
        gained, lost, of = counts[one.cluster]
        counts[one.cluster] = gained + (after and not before), lost + (before and not after), of + 1
    found = estimate_paired_difference(counts.values())
    return 100 * found.difference, 100 * found.low, 100 * found.high


def fit_tried_curves(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[TriedCurves]:
    """Per feedback and model: the curve of first answers, and that of what all attempts solve, over the same
    trials. So the one is what documentation is worth alone, and the other with what is said of answers."""
    found = []
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for run in trials.runs:
        if run.attempts > 1:
            groups[run.feedback or "", run.attempts].append(run.run)
    for (feedback, most), runs in groups.items():
        trials.db.execute(
            "create or replace table first_tries as select * from trials where list_contains(?, run)", [runs]
        )
        trials.db.execute(
            "create or replace table all_tries as select first_tries.* replace (solved as correct) "
            f"from first_tries join (select run, {_KEY}, bool_or(asked and correct) as solved from graded "
            f"where attempt <= ? group by all) using (run, {_KEY})",
            [most],
        )
        alone, tried = (
            {(curve.model, curve.dialect): curve for curve in fit_curves(trials, tokens, table)[0]}
            for table in ("first_tries", "all_tries")
        )
        found += [TriedCurves(feedback, most, alone[key], tried[key]) for key in alone if key in tried]
    return found


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
