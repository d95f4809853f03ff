"""What each decision of a language costs: the tasks that take a rule, against others that are as hard.

It is descriptive: rules are not assigned to tasks by chance, and a task may take several.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from probatio.core.statistics.intervals import Rate, rate_of
from probatio.core.text.visible import make_one_line
from probatio.languages.contract import twist_of
from probatio.learn.curves import SHARES, fit_curves
from probatio.learn.findings import Condition, Diagnosis, Reach, RuleCost
from probatio.learn.statistics.strata import measure_loss
from probatio.learn.tokens import SharedPart
from probatio.learn.trials import Trials

if TYPE_CHECKING:
    from probatio.suites.language_suite import Suite

SHOWN_DIAGNOSES = 3
LONGEST_DIAGNOSIS = 120
"""Characters of a diagnosis, by which failures are grouped."""
_READ = 500
"""Characters of its first line that are looked at: a checker may print what it likes."""


class Asked(NamedTuple):
    """How often a model passed a task under a condition."""

    context: str
    n_shot: int
    task: str
    cluster: str
    difficulty: str | None
    passed: int
    asked: int


def measure_rules(trials: Trials, tokens: Mapping[Condition, SharedPart]) -> list[RuleCost]:
    """By model and rule, in the order of language.yml. Empty without the suite, or if it names no rules."""
    suite = trials.suite
    if suite is None or not suite.rules:
        return []
    # A twist exchanges a rule: what that costs is another question.
    plain = [dialect for dialect in trials.levels("dialect") if not twist_of(dialect)]
    trials.db.execute(
        "create or replace table untwisted as select * from trials "
        "where asked and not control and list_contains(?, dialect)",
        [plain],
    )
    counts: dict[str, list[Asked]] = defaultdict(list)
    for model, *row in trials.rows(
        "select model, context, n_shot, task_id, cluster, difficulty, count(*) filter (correct), count(*) "
        "from untwisted group by all order by all"
    ):
        counts[model].append(Asked(*row))
    said = _count_diagnoses(trials)
    taking = {
        rule: {task.id for task in suite.tasks.values() if rule in (task.rules or ())} for rule in suite.rules
    }
    reached = {rule: _find_reached(trials, tasks, tokens) for rule, tasks in taking.items()}
    return [
        _measure(suite, model, rule, counts[model], tasks, said, reached[rule].get(model))
        for model in trials.levels("model", "not control")
        for rule, tasks in taking.items()
        if any(each.task in tasks for each in counts[model])
    ]


def find_costliest(rules: Iterable[RuleCost]) -> RuleCost | None:
    """The rule of a model with the most points lost; None where none can be compared."""
    compared = [one for one in rules if one.lost is not None]
    return max(compared, key=lambda one: one.lost or 0.0, default=None)


def _measure(
    suite: Suite,
    model: str,
    rule: str,
    counts: list[Asked],
    tasks: set[str],
    said: Mapping[tuple[str, str], Counter[str]],
    reach: Reach | None,
) -> RuleCost:
    ours = [each for each in counts if each.task in tasks]
    told, untold = (
        _rate([each for each in ours if (rule in suite.rules_told(each.context, each.n_shot)) == is_told])
        for is_told in (True, False)
    )
    lost = measure_loss(
        _by_difficulty(ours), _by_difficulty(each for each in counts if each.task not in tasks)
    )
    diagnoses: Counter[str] = Counter()
    for task in sorted(tasks):
        diagnoses.update(said.get((model, task), {}))
    most = sorted(diagnoses.items(), key=lambda item: (-item[1], item[0]))
    return RuleCost(
        model=model,
        rule=rule,
        sentence=suite.rules[rule],
        tasks=len({each.cluster for each in ours}),
        told=told,
        untold=untold,
        lost=lost and 100 * lost.share + 0.0,
        low=lost and 100 * lost.low,
        high=lost and 100 * lost.high,
        reach=reach,
        failures=diagnoses.total(),
        diagnoses=[Diagnosis(text, count) for text, count in most[:SHOWN_DIAGNOSES]],
    )


def _rate(counts: Iterable[Asked]) -> Rate:
    return rate_of((passed, asked) for _, passed, asked in _sum_tasks(counts).values())


def _sum_tasks(counts: Iterable[Asked]) -> dict[str, tuple[str | None, int, int]]:
    """Task, with its variants → its difficulty, and the counts of all its conditions."""
    sums: dict[str, tuple[str | None, int, int]] = {}
    for each in counts:
        _, passed, asked = sums.get(each.cluster, (None, 0, 0))
        sums[each.cluster] = each.difficulty, passed + each.passed, asked + each.asked
    return sums


def _by_difficulty(counts: Iterable[Asked]) -> dict[str, list[float]]:
    rates: dict[str, list[float]] = defaultdict(list)
    for difficulty, passed, asked in _sum_tasks(counts).values():
        if difficulty is not None:
            rates[difficulty].append(passed / asked)
    return rates


def _find_reached(
    trials: Trials, tasks: set[str], tokens: Mapping[Condition, SharedPart]
) -> dict[str, Reach]:
    """Model → the tokens from which on it uses the rule rightly, by the curve of the rule's tasks."""
    if not tokens:
        return {}
    trials.db.execute(
        "create or replace table ruled as select * from untwisted where list_contains(?, task_id)",
        [sorted(tasks)],
    )
    curves, _ = fit_curves(trials, tokens, "ruled")
    several = Counter(curve.model for curve in curves)  # one for each dialect
    return {
        curve.model: next(reach for reach in curve.reach if reach.share == SHARES[0])
        for curve in curves
        if several[curve.model] == 1 and not curve.dip
    }


def _count_diagnoses(trials: Trials) -> dict[tuple[str, str], Counter[str]]:
    """(model, task) → what is said of its failures."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for model, task, error, detail, count in trials.rows(
        "select model, task_id, coalesce(error_type, 'unnamed'), error_detail, count(*) "
        "from untwisted where not correct group by all"
    ):
        found[model, task][group_diagnosis(detail or "") or error] += count
    return found


_PLACES = re.compile(
    r"\b(?:(?:at|in|on) )?(?:line|lines|column|col|row|character|position) \d+(?:[:.,]\d+)*[:,]? ?"
    r"|\b[\w./-]{0,80}:\d+(?::\d+)?:? ?|^test \d+ of \d+: |\bexit \d+: ",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)(['\"`])(?:(?!\1).)*\w(?:(?!\1).)*\1(?!\w)")
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")


@lru_cache(maxsize=4096)
def group_diagnosis(detail: str) -> str:
    """What a diagnosis has in common with others: its first line, without places, numbers and quoted names.
    A sign in quotes stays, since it is the fault: "`,` in a list where a space belongs"."""
    first = next((line for line in detail.splitlines() if line.strip()), "")[:_READ]
    without = _QUOTED.sub(lambda match: f"{match[1]}…{match[1]}", _PLACES.sub("", first))
    return " ".join(make_one_line(_NUMBERS.sub("…", without)).split())[:LONGEST_DIAGNOSIS]
