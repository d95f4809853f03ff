"""A job: what the engine is given to carry out. A run of trials is one, a day of the watch is another.

What can be asked is numbered, so that what is answered takes one byte each and a large run costs no more memory than a
small one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Protocol

import msgspec

from probatio.records import Assessment, Model, Response, Sampling, TrialKey


class Stamp(msgspec.Struct, frozen=True):
    """What every line of a job's journal carries."""

    run_id: str
    framework_version: str
    git_sha: str | None
    grader_version: str


class Graded(msgspec.Struct):
    """As much of a raw or graded line as a resume needs to know; reading no more keeps the scan of a large run short."""

    task_id: str
    model: str
    n_shot: int
    context: str
    dialect: str = "latin"
    sample: int = 0
    cost: float | None = None
    correct: bool = False
    error_type: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


class Job(Protocol):
    """Questions, the order they are asked in, and how an answer is judged."""

    @property
    def stamp(self) -> Stamp: ...

    @property
    def models(self) -> tuple[Model, ...]: ...

    @property
    def max_connections(self) -> int: ...

    @property
    def total(self) -> int:
        """How many questions are asked for certain; later rounds come on top."""
        ...

    @property
    def graded_line(self) -> type[Any]:
        """How a line of the grades is read on resume: `Graded`, or a record with more fields."""
        ...

    @property
    def ends_alone(self) -> bool:
        """Whether a model whose key is refused ends alone, while the others go on."""
        ...

    def __len__(self) -> int:
        """How many questions there can be."""
        ...

    def number(self, key: TrialKey) -> int | None:
        """The number of a question; None where it is not of this job."""
        ...

    def key(self, number: int) -> TrialKey: ...

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        """The questions of a model, round after round: the next is drawn when the one before is answered and graded."""
        ...

    def prompt(self, key: TrialKey) -> str: ...

    def sampling(self, key: TrialKey) -> Sampling: ...

    async def assess(self, response: Response) -> Assessment: ...

    def recall(self, line: Any) -> bool:
        """Take up a grade of an earlier process; False where the answer is to be graded again."""
        ...
