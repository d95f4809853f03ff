"""A job: what the engine is given to carry out. A run of trials is one, a day of the watch is another."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Protocol

from probatio.records import Assessment, Grade, KeyLine, Model, Prompt, Response, Sampling, Stamp, TrialKey


class AnswerLine(KeyLine):
    """As much of an answer's line as a resume needs."""

    cost: float | None = None
    error: str | None = None


class GradeLine(KeyLine):
    """As much of a grade's line as a resume needs."""

    correct: bool = False
    error_type: str | None = None


class Job(Protocol):
    """Questions, the order they are asked in, and how an answer is graded."""

    @property
    def stamp(self) -> Stamp: ...

    @property
    def models(self) -> tuple[Model, ...]: ...

    @property
    def max_connections(self) -> int: ...

    @property
    def answer_line(self) -> type[Any]:
        """How a line of the answers is read on resume: `AnswerLine`, or a record with more fields."""
        ...

    @property
    def grade_line(self) -> type[Any]:
        """How a line of the grades is read on resume: `GradeLine`, or a record with more fields."""
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

    def total(self) -> int:
        """How many questions are asked for certain; later rounds come on top. Called when the resume is done."""
        ...

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        """The questions of a model, round after round: the next is drawn when the one before is answered and graded."""
        ...

    def prompt(self, key: TrialKey) -> Prompt: ...

    def sampling(self, key: TrialKey) -> Sampling: ...

    async def assess(self, response: Response) -> Assessment: ...

    def recall_answer(self, line: Any) -> None:
        """Take up an answer of an earlier process, of this job or not."""
        ...

    def recall_grade(self, line: Any) -> bool:
        """Take up a grade of an earlier process, of this job or not; False where the answer is to be graded again."""
        ...

    def answered(self, response: Response) -> None:
        """An answer is kept, and not graded yet."""
        ...

    def graded(self, response: Response, grade: Grade) -> None:
        """An answer was graded and the grade is kept."""
        ...
