"""A day as a job for the engine: its samples round by round, how they are drawn, and how they are graded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date

import msgspec

from probatio.day.grading import Grading
from probatio.day.samples import BASE, FRESH, FULL, Graded, Places
from probatio.day.sampling import Rounds
from probatio.records import Assessment, Model, Response, Sampling, TrialKey
from probatio.run.job import Stamp
from probatio.suite.daily_suite import DailySuite, UseCase


class DayJob:
    """The samples of a day, for the models and use cases asked for."""

    graded_line = Graded
    ends_alone = True

    def __init__(
        self,
        stamp: Stamp,
        models: tuple[Model, ...],
        suite: DailySuite,
        use_cases: Sequence[UseCase],
        sampling: Sampling,
        max_connections: int,
        rounds: Rounds,
        grading: Grading,
    ) -> None:
        self.stamp = stamp
        self.models = models
        self.max_connections = max_connections
        self._suite = suite
        # What only a judge can score is not worth asking while there is none.
        self._use_cases = [each for each in use_cases if grading.judge or each.grading != "judge"]
        self._sampling = sampling
        self._rounds = rounds
        self._grading = grading
        self._cases = suite.cases
        self._places = Places((model.id for model in models), suite)
        self._grades: dict[TrialKey, Graded] = {}
        self.number = self._places.number
        self.key = self._places.keys.__getitem__
        self.total = sum(len(self._first(model)) for model in models)

    def __len__(self) -> int:
        return len(self._places.keys)

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield self._first(model)
        again: list[int] = []
        for use_case in self._use_cases:
            if self._rounds.first(model.id, use_case) == BASE:
                base = (self._grades.get(self.key(place)) for place in self._places.batch(model.id, use_case, BASE))
                if self._rounds.again(model.id, use_case, [grade for grade in base if grade]):
                    again += self._places.batch(model.id, use_case, FULL)
        yield again

    def prompt(self, key: TrialKey) -> str:
        return self._cases[key.task_id].prompt

    def sampling(self, key: TrialKey) -> Sampling:
        """Each sample has its own seed, and those of the full round none of the base round's. At temperature 0 the request is the
        same every day; above it a day draws its own samples, or every day would draw those of the first."""
        seed = self._sampling.seed
        if seed is not None:
            seed += key.sample + (FRESH if key.context == FULL else 0)
            seed += date.fromisoformat(self.stamp.run_id).toordinal() * 2 * FRESH if self._sampling.temperature else 0
        return msgspec.structs.replace(
            self._sampling,
            max_tokens=self._suite.use_cases[self._cases[key.task_id].use_case].max_tokens,
            seed=seed,
        )

    async def assess(self, response: Response) -> Assessment:
        assessment = await self._grading.grade(response)
        self._grades[response.key] = Graded(
            **response.key._asdict(),
            correct=assessment.correct,
            level_a=assessment.level_a,
            error_type=assessment.error_type,
            error_detail=assessment.error_detail,
            score=assessment.score,
            breakdown={part: assessment.breakdown.get(part) for part in ("checked", "judged")},
        )
        return assessment

    def recall(self, line: Graded) -> bool:
        """A grade without its judged part is made anew once there is a judge."""
        use_case = self._suite.use_cases[self._cases[line.task_id].use_case]
        if self._grading.judge and use_case.grading != "deterministic" and line.judged is None:
            return False
        self._grades[line.key] = line
        return True

    def _first(self, model: Model) -> list[int]:
        return [
            place
            for use_case in self._use_cases
            for place in self._places.batch(model.id, use_case, self._rounds.first(model.id, use_case))
        ]
