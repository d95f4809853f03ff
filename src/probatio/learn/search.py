"""How many tokens a model takes to learn a language, found with few questions: an ordinary run that chooses
its questions as the answers come in (learn/statistics/threshold.py)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from probatio.core.errors import UsageError
from probatio.core.records import TrialKey
from probatio.learn.findings import Bracket, Condition, Found, LevelSeen, Place
from probatio.learn.statistics.threshold import (
    FALL_DOUBT,
    SURE,
    Grid,
    Seen,
    Window,
    choose,
    find_window,
    look,
    probe,
)
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import Trials, open_trials
from probatio.runs.record import RunRecord, SearchRule, read_run
from probatio.runs.store.layout import RUN_FILE
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import CHARACTERS_PER_TOKEN, render, render_question

BATCH = 4
"""Questions asked together; more of them save time, fewer save questions."""

Outcomes = Mapping[TrialKey, bool | None]
"""Trial → right or not; None where it could not be asked or checked."""


class Search:
    """The levels and tasks of a run, and what the answers to them tell."""

    def __init__(self, record: RunRecord, suite: Suite) -> None:
        if record.search is None:
            raise UsageError(f"{record.run_id} is not a search: `probatio learn` makes one.")
        self.rule: SearchRule = record.search
        self.dialect = record.plan.dialects[0]
        self.tasks = record.plan.tasks
        places = [(context, n_shot) for context in record.plan.contexts for n_shot in record.plan.n_shots]
        self.levels = sorted(
            (Place(_estimate(suite, self.tasks[0], context, n_shot, self.dialect), context, n_shot)
             for context, n_shot in places),
            key=lambda place: (place.tokens, places.index((place.context, place.n_shot))),
        )  # fmt: skip

    def key(self, model: str, level: int, task: int) -> TrialKey:
        place = self.levels[level]
        return TrialKey(self.tasks[task], model, place.n_shot, self.dialect, place.context, 0)

    def look(self, model: str, outcomes: Outcomes) -> Seen:
        return look(*self._read(model, outcomes), self.rule.share)

    def _read(self, model: str, outcomes: Outcomes) -> tuple[Grid, Grid, Grid]:
        """Which questions were right, were asked, and can't be asked."""
        import numpy as np

        places = [(level, task) for level in range(len(self.levels)) for task in range(len(self.tasks))]
        right, asked, closed = np.zeros((3, len(self.levels), len(self.tasks)), dtype=bool)
        for place in places:
            key = self.key(model, *place)
            if key in outcomes:
                right[place], asked[place] = outcomes[key] is True, outcomes[key] is not None
                closed[place] = outcomes[key] is None
        return right, asked, closed

    def next_questions(self, model: str, outcomes: Outcomes) -> list[TrialKey]:
        """The questions that tell most; none where the answer is clear."""
        seen = self.look(model, outcomes)
        settled = self.is_settled(seen)
        chosen = probe(seen, self._read(model, outcomes)[1]) if settled else choose(seen, BATCH)
        return [self.key(model, level, task) for level, task in chosen]

    def window(self, seen: Seen) -> Window:
        return find_window(seen.chances, SURE)

    def is_settled(self, seen: Seen) -> bool:
        """The bracket is as narrow as was asked for, and it is clear whether the share falls."""
        window = self.window(seen)
        if FALL_DOUBT < seen.fall < 1 - FALL_DOUBT:
            return False
        if window.first == window.last:
            return True
        if window.first == 0 or window.last == len(self.levels):
            return False
        above, at_most = self.levels[window.first - 1].tokens, self.levels[window.last].tokens
        return bool(at_most <= (1 + self.rule.within) * above)

    def find(self, model: str, outcomes: Outcomes, tokens: Mapping[Condition, int]) -> Found:
        """What is known now. `tokens`: as servers counted them."""
        seen, known = self.look(model, outcomes), self._count_tokens(model, tokens)
        window = self.window(seen)
        levels = [
            self._describe(model, number, known[number], seen, outcomes) for number in range(len(known))
        ]
        enough = levels[window.last] if window.last < len(levels) else None
        return Found(
            model=model,
            share=self.rule.share,
            tokens=Bracket(
                known[window.first - 1] if window.first else None, enough.tokens if enough else None
            ),
            place=Place(enough.tokens, enough.context, enough.n_shot) if enough else None,
            chance=window.chance,
            settled=not (seen.gains >= 0).any()
            or (self.is_settled(seen) and not probe(seen, self._read(model, outcomes)[1])),
            falls=seen.fall >= 1 - FALL_DOUBT,
            asked=sum(level.asked for level in levels),
            questions=len(self.levels) * len(self.tasks),
            levels=levels,
        )

    def _describe(self, model: str, number: int, tokens: int, seen: Seen, outcomes: Outcomes) -> LevelSeen:
        answers = [outcomes.get(self.key(model, number, task)) for task in range(len(self.tasks))]
        place = self.levels[number]
        return LevelSeen(
            place.context,
            place.n_shot,
            tokens,
            sum(answer is not None for answer in answers),
            answers.count(True),
            *(float(ends[number]) for ends in (seen.shares, seen.low, seen.high)),
        )

    def _count_tokens(self, model: str, tokens: Mapping[Condition, int]) -> list[int]:
        """Of each level; where it was not asked, our estimate at the rate of the others."""
        counted = [
            tokens.get(Condition(model, self.dialect, place.context, place.n_shot)) for place in self.levels
        ]
        pairs = [
            (place.tokens, count)
            for place, count in zip(self.levels, counted, strict=True)
            if count is not None and place.tokens
        ]
        rate = sum(count for _, count in pairs) / sum(ours for ours, _ in pairs) if pairs else 1.0
        return [
            round(place.tokens * rate) if count is None else count
            for place, count in zip(self.levels, counted, strict=True)
        ]


def find_levels(folder: Path, suite: Suite | None = None) -> list[Found]:
    """What the search in this run's folder tells of each model, from its files."""
    with open_trials([folder], suite) as trials:
        return list_found(trials)


def list_found(trials: Trials) -> list[Found]:
    """What the searches among these runs tell of each model. Nothing of a run whose suite can't be read."""
    found: list[Found] = []
    for run, folder in trials.folders.items():
        record = read_run(folder) if (folder / RUN_FILE).exists() else None
        if record is None or record.search is None or trials.suite is None:
            continue
        search = Search(record, trials.suite)
        outcomes = {
            TrialKey(*key): correct if asked else None
            for *key, correct, asked in trials.rows(
                "select task_id, model, n_shot, dialect, context, sample, correct, asked from graded "
                "where run = ? and attempt = 1",
                [run],
            )
        }
        parts = count_shared_parts(trials, [run])
        tokens = {condition: part.tokens for condition, part in parts.items()}
        found += [search.find(model, outcomes, tokens) for model in record.plan.models]
    return found


def _estimate(suite: Suite, task: str, context: str, n_shot: int, dialect: str) -> int:
    """Our estimate of the tokens before the question."""
    asked = suite.task(task, dialect)
    shared = len(render(suite, asked, context, n_shot, dialect)) - len(render_question(suite, asked, dialect))
    return round(shared / CHARACTERS_PER_TOKEN)
