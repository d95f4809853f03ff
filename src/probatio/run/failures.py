"""Failures: which models could not be asked at all, and why most of their requests failed."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

KINDS_KEPT = 200
"""Different reasons counted of one model: a server may put a number of its own into each."""

SHOWN = 200
"""Characters of a reason in a sentence."""


class Failed(msgspec.Struct, frozen=True):
    """Requests of a model that gave no answer."""

    model: str
    requests: int
    reason: str  # the commonest
    answered: int = 0

    @property
    def whole(self) -> bool:
        """Whether not one request was answered."""
        return not self.answered

    @property
    def sentence(self) -> str:
        told = self.reason if len(self.reason) <= SHOWN else f"{self.reason[:SHOWN]}…"
        if self.whole:
            every = "its only request" if self.requests == 1 else f"all {self.requests} requests"
            return f"{self.model} could not be asked: {every} failed, most often: {told}."
        return f"{self.model}: {self.requests} of {self.requests + self.answered} requests failed, most often: {told}."


class Failures:
    """Counts, model by model, what was answered and what was not."""

    def __init__(self) -> None:
        self._answered: Counter[str] = Counter()
        self._reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def note(self, model: str, error: str | None) -> None:
        """One request: answered, or the reason it was not."""
        if error is None:
            self._answered[model] += 1
            return
        reasons = self._reasons[model]
        reasons[error if error in reasons or len(reasons) < KINDS_KEPT else _kind(error)] += 1

    def listed(self) -> list[Failed]:
        """Every model with a failed request."""
        return [
            Failed(model, reasons.total(), _commonest(reasons), self._answered[model])
            for model, reasons in self._reasons.items()
        ]


def _kind(reason: str) -> str:
    """`status 404` of `status 404: there is no such model`."""
    return reason.partition(":")[0].partition(";")[0]


def _commonest(reasons: Counter[str]) -> str:
    """The commonest kind of reason, in its commonest words: servers put numbers into their sentences."""
    kinds: Counter[str] = Counter()
    for reason, count in reasons.items():
        kinds[_kind(reason)] += count
    first = kinds.most_common(1)[0][0]
    words, _ = max(
        ((reason, count) for reason, count in reasons.items() if _kind(reason) == first), key=lambda each: each[1]
    )
    return " ".join(words.split()).rstrip(".")
