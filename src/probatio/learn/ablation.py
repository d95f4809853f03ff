"""What each section of a document buys: the tasks are asked again at one level with a section left out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.learn.findings import Condition, Found
from probatio.learn.statistics.pairs import TaskPairs, measure_difference
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import open_trials
from probatio.suites.language_suite import Suite
from probatio.suites.ranked import name_level, split_level


class SectionWorth(msgspec.Struct, frozen=True):
    """What is lost without a section, in percentage points."""

    model: str
    section: str
    rank: int
    tokens: int
    tasks: int
    points: float
    low: float
    high: float

    @property
    def per_100_tokens(self) -> float:
        return 100 * self.points / self.tokens if self.tokens else 0.0

    @property
    def sentence(self) -> str:
        interval = f"95 % {self.low:+.1f} to {self.high:+.1f}"
        if self.low > 0:
            return (
                f"{self.section}: {self.points:+.1f} points ({interval}) for {self.tokens:,} tokens, "
                f"{self.per_100_tokens:.1f} per 100"
            )
        harm = "it does harm" if self.high < 0 else "it is not shown to buy anything"
        return f"{self.section}: {harm} ({self.points:+.1f} points, {interval}) for {self.tokens:,} tokens"


def list_ablations(suite: Suite, found: Found) -> list[str]:
    """The level that was found, and that level without each of its sections; none where the document is not
    ranked."""
    if found.place is None:
        return []
    name, rank, _ = split_level(found.place.context) or (found.place.context, 0, None)
    if name not in suite.ranked:
        return []
    rank = rank or suite.ranked[name].ranks[-1]
    sections = [each for each in suite.ranked[name].ranks if each <= rank]
    return [_name_base(suite, name, rank), *(name_level(name, rank, each) for each in sections)]


def _name_base(suite: Suite, name: str, rank: int) -> str:
    """The level that nothing is left out of; the last one is the whole document."""
    ranked = suite.ranked.get(name)
    return name if ranked and rank == ranked.ranks[-1] else name_level(name, rank)


def measure_sections(folder: Path, suite: Suite) -> list[SectionWorth]:
    """Per model, what each section that was left out in this run is worth; the most for its tokens first."""
    worth = []
    with open_trials([folder], suite) as trials:
        tokens = count_shared_parts(trials)
        rows = trials.rows(
            "select model, context, n_shot, dialect, task_id, count(*) filter (correct), count(*) "
            "from trials where asked and not control group by all order by all"
        )
    answers: dict[Condition, dict[str, tuple[int, int]]] = {}
    for model, context, n_shot, dialect, task, passed, asked in rows:
        answers.setdefault(Condition(model, dialect, context, n_shot), {})[task] = passed, asked
    for condition, without in answers.items():
        name, rank, left_out = split_level(condition.context) or ("", 0, None)
        base = condition._replace(context=_name_base(suite, name, rank))
        if left_out is None or base not in answers:
            continue
        pairs = [
            TaskPairs(
                task, 1, before[0], after[0], max(0, before[0] - after[0]), max(0, after[0] - before[0])
            )
            for task, before in answers[base].items()
            if (after := without.get(task))
        ]
        found = measure_difference(pairs)
        spent = [tokens[each].tokens if each in tokens else 0 for each in (base, condition)]
        worth.append(
            SectionWorth(
                condition.model,
                suite.ranked[name].title(left_out),
                left_out,
                max(0, spent[0] - spent[1]),
                len(pairs),
                100 * found.difference,
                100 * found.low,
                100 * found.high,
            )
        )
    return sorted(worth, key=lambda each: (each.model, -each.per_100_tokens))
