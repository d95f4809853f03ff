"""A run of trials as a job: one round per model, drawn from the plan and never held as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator

import msgspec

from probatio.grade import GRADER_VERSION, assess, needs_sandbox
from probatio.records import Assessment, Model, Response, Sampling, TrialKey
from probatio.run.job import Graded, Stamp
from probatio.run.plan import Places
from probatio.run.record import RunRecord
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import render


class TrialJob:
    """The trials of a run's record."""

    graded_line = Graded
    ends_alone = False

    def __init__(self, record: RunRecord, suite: Suite) -> None:
        self._record = record
        self._suite = suite
        self._plan = record.plan
        self.models = record.models
        self.max_connections = record.max_connections
        self.total = len(record.plan)
        self.stamp = Stamp(record.run_id, record.framework_version, record.git_sha, GRADER_VERSION)
        self.number = Places(record.plan).number
        self.key = record.plan.__getitem__

    def __len__(self) -> int:
        return self.total

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield self._plan.of_model(model.id)

    def prompt(self, key: TrialKey) -> str:
        return render(self._suite, self._suite.tasks[key.task_id], key.context, key.n_shot, key.dialect)

    def sampling(self, key: TrialKey) -> Sampling:
        """Each sample has its own seed: the same one again would draw the same answer."""
        sampling = self._record.sampling
        if sampling.seed is None or not key.sample:
            return sampling
        return msgspec.structs.replace(sampling, seed=sampling.seed + key.sample)

    async def assess(self, response: Response) -> Assessment:
        task = self._suite.tasks[response.task_id]
        if response.response is not None and needs_sandbox(task):
            return await asyncio.to_thread(assess, task, response, self._record.sandbox)
        return assess(task, response)

    def recall(self, line: Graded) -> bool:
        return True
