"""The cases of the suites before the ladders score what they always scored, and their breakdowns know no rung."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from builtin.daily.text_puzzles import puzzle_proofs, puzzles

PROOFS = [
    (use_case, proof)
    for use_case in ("structured_extraction", "instruction_following")
    for proof in puzzle_proofs(use_case)
]


@pytest.mark.parametrize(
    ("use_case", "proof"), PROOFS, ids=[f"{proof['case']}-{proof['why'][:30]}" for _, proof in PROOFS]
)
def test_an_answer_to_a_case_without_rungs_scores_what_it_did(use_case: str, proof: dict[str, Any]) -> None:
    grader = importlib.import_module(f"probatio.builtin.daily.{use_case}.grader")
    checked = grader.check(puzzles(use_case)[proof["case"]], proof["answer"])
    low = proof.get("score", proof.get("at_least", 0.0))
    high = proof.get("score", proof.get("at_most", 1.0))
    assert low - 1e-12 <= checked.score <= high + 1e-12
    assert {part.rung for part in checked.parts} == {0}
    assert [part.name for part in checked.parts][-1] == {
        "structured_extraction": "schema",
        "instruction_following": "nothing else",
    }[use_case]
