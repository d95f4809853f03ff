"""A day as a job for the engine: its samples round by round, how they are drawn, and how they are graded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date

import msgspec

from probatio.day.grading import Grading
from probatio.day.samples import BASE, FULL, ROUNDS, DaySamples, GradedLine, Round, ServedLine, plan_of
from probatio.day.sampling import AdaptiveSampling
from probatio.records import Assessment, Grade, Model, Response, Sampling, Stamp, TrialKey
from probatio.run.plan import Numbering
from probatio.suite.daily_suite import DailySuite, UseCase

FRESH = 1000
"""Seeds of the full round begin this far from those of the base round: its samples are drawn anew."""


class DayJob:
    """The samples of a day, for the models and use cases asked for."""

    answer_line = ServedLine
    grade_line = GradedLine
    ends_alone = True

    def __init__(
        self,
        stamp: Stamp,
        models: tuple[Model, ...],
        suite: DailySuite,
        use_cases: Sequence[UseCase],
        sampling: Sampling,
        max_connections: int,
        samples: DaySamples,
        rounds: AdaptiveSampling,
        grading: Grading,
    ) -> None:
        self.stamp = stamp
        self.models = models
        self.max_connections = max_connections
        self._suite = suite
        # What only a judge can score is not worth asking while there is none.
        self._use_cases = [each for each in use_cases if grading.judge or each.grading != "judge"]
        self._sampling = sampling
        self._samples = samples
        self._rounds = rounds
        self._grading = grading
        self._cases = suite.cases
        ids = tuple(model.id for model in models)
        plans = {(case.id, which): plan_of(ids, case, which) for case in suite.use_cases.values() for which in ROUNDS}
        self._plan_of = {place: number for number, place in enumerate(plans)}
        self._numbering = Numbering(*plans.values())
        self.number = self._numbering.number
        self.key = self._numbering.key

    def __len__(self) -> int:
        return len(self._numbering)

    def total(self) -> int:
        return sum(len(self._first(model)) for model in self.models)

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield self._first(model)
        again: list[int] = []
        for use_case in self._use_cases:
            base = self._samples.grades(map(self.key, self._batch(model, use_case, BASE)))
            _, *more = self._rounds.needed(model.id, use_case, base)
            again += [number for which in more for number in self._batch(model, use_case, which)]
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
        return await self._grading.grade(response)

    def recall_answer(self, line: ServedLine) -> None:
        self._samples.add_answer(line)

    def recall_grade(self, line: GradedLine) -> bool:
        """A grade without its judged part is made anew once there is a judge."""
        self._samples.add_grade(line)
        case = self._cases.get(line.task_id)
        judged = case is not None and self._suite.use_cases[case.use_case].grading != "deterministic"
        return not (self._grading.judge and judged and line.judged is None)

    def answered(self, response: Response) -> None:
        """In the order of the file, so that the scores made now are those made from the files."""
        self._samples.add_answer(response)

    def graded(self, response: Response, grade: Grade) -> None:
        self._samples.add_grade(grade)

    def _first(self, model: Model) -> list[int]:
        return [
            number
            for use_case in self._use_cases
            for number in self._batch(model, use_case, self._rounds.first(model.id, use_case))
        ]

    def _batch(self, model: Model, use_case: UseCase, which: Round) -> range:
        return self._numbering.of_model(model.id, self._plan_of[use_case.id, which])
