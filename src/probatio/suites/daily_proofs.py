"""The proofs of a use case: answers with the scores the grader must give. No model ever sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_suite import DailySuite, UseCase
from probatio.suites.ready_graders import make_gold

FILE = "proofs.yml"

ProofKind = Literal["gold", "wrong", "hostile", "adversarial"]
"""`adversarial` is another word for `hostile`: an answer written to deceive the grader."""


class DailyProof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer, and the score it must get: exactly, or within bounds."""

    case: str
    kind: ProofKind
    answer: str
    why: str = ""
    score: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        if self.kind == "gold" and self.score is None:
            return 1.0, 1.0
        if self.score is not None:
            return self.score, self.score
        return 0.0 if self.at_least is None else self.at_least, 1.0 if self.at_most is None else self.at_most

    @property
    def hostile(self) -> bool:
        return self.kind in ("hostile", "adversarial")


class _ProofFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    proofs: tuple[DailyProof, ...]


def read_proofs(suite: DailySuite, use_case: UseCase) -> tuple[DailyProof, ...]:
    """The proofs of a use case, each of a case it has: those of its file, and gold that is made of what its
    case expects, where the file has none."""
    path: Path = use_case.folder / FILE
    proofs = _read_file(suite, use_case, path) if path.exists() else ()
    proven = {proof.case for proof in proofs if proof.kind == "gold"}
    made = [
        DailyProof(case.id, "gold", gold, why="made of what is expected")
        for case in use_case.cases
        if case.expect and case.id not in proven and (gold := make_gold(case.expect))
    ]
    return (*proofs, *made)


def _read_file(suite: DailySuite, use_case: UseCase, path: Path) -> tuple[DailyProof, ...]:
    proofs = read_yaml(path, _ProofFile, suite.folder).proofs
    known = {case.id for case in use_case.cases}
    for number, proof in enumerate(proofs, 1):
        low, high = proof.bounds
        if proof.case not in known:
            raise UsageError(f"{path}, proof {number}: `{use_case.id}` has no case `{proof.case}`.")
        if not 0 <= low <= high <= 1:
            raise UsageError(
                f"{path}, proof {number}: a score lies between 0 and 1, at_least is not above at_most."
            )
        if proof.score is not None and (proof.at_least is not None or proof.at_most is not None):
            raise UsageError(
                f"{path}, proof {number}: give a `score`, or `at_least` and `at_most`, not both."
            )
        if proof.kind == "gold" and high < 1:
            raise UsageError(f"{path}, proof {number}: a gold answer gets 1.0, or it is no gold.")
    return proofs
