"""The result of checking an answer by code: named parts with their credit, and the score they make."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True):
    """One thing that was checked."""

    name: str
    score: float  # 0–1
    detail: str = ""  # what was expected and what was there, for the reader of a breakdown
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case, from 1; 0 for what belongs to none


class CheckResult(msgspec.Struct, frozen=True):
    """All parts of a checked answer, and what is taken off their weighted mean."""

    parts: tuple[Part, ...]
    penalty: float = 0.0  # 0–1, taken off the weighted mean (invented fields and the like)
    note: str | None = None  # why nothing could be checked, or why something was taken off, as a sentence
    timely: bool = True  # False: a limit of time may have had a part in it

    @property
    def score(self) -> float:
        total = sum(part.weight for part in self.parts)
        if total <= 0:
            return 0.0
        earned = sum(part.weight * min(1.0, max(0.0, part.score)) for part in self.parts) / total
        return min(1.0, max(0.0, earned - self.penalty))
