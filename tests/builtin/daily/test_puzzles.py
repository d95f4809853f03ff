"""Gold without rungs is graded as it was before there were ladders: every proof of the old cases still holds."""

from __future__ import annotations

from typing import Any

import pytest

from builtin.daily.puzzles import puzzle_proofs, puzzles
from probatio.builtin.daily.graders import check

PROOFS = [
    pytest.param(use_case, proof, id=f"{proof['case']}-{number}")
    for use_case in ("math_reasoning", "report_analysis")
    for number, proof in enumerate(puzzle_proofs(use_case), start=1)
]


@pytest.mark.parametrize(("use_case", "proof"), PROOFS)
def test_an_answer_to_an_old_case_scores_what_its_proof_says(use_case: str, proof: dict[str, Any]) -> None:
    checked = check(puzzles(use_case)[proof["case"]], proof["answer"])
    low, high = proof.get("at_least", proof.get("score", 0.0)), proof.get("at_most", proof.get("score", 1.0))
    assert low - 1e-12 <= checked.score <= high + 1e-12, proof["why"]
    assert {part.rung for part in checked.parts} == {0}
