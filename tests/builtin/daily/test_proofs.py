"""Every use case proves its grader: a gold answer for every case, subtly wrong ones, and ones written to deceive it.

The proofs stand beside the cases, in `proofs.yml` of each folder. A folder is passed over only while it is empty.
"""

from __future__ import annotations

import functools
import importlib
from collections import Counter
from collections.abc import Callable
from typing import Literal

import msgspec
import pytest

from builtin.daily.cases import cases, graded
from probatio.browser.chromium import executable
from probatio.errors import CannotCheck
from probatio.grade.check_result import CheckResult
from probatio.sandbox import NoIsolation, isolation
from probatio.suite.daily_suite import DAILY, Case, read_manifest
from probatio.yamlfile import read_yaml

FEWEST_WRONG = 2
FEWEST_ADVERSARIAL = 3
RUNS_CODE = {"code_generation", "web_design"}


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    case: str
    kind: Literal["gold", "wrong", "adversarial"]
    answer: str
    why: str
    score: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        if self.score is not None:
            return self.score, self.score
        return 0.0 if self.at_least is None else self.at_least, 1.0 if self.at_most is None else self.at_most


class ProofFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    proofs: tuple[Proof, ...]


GRADING = {entry.id: entry.grading for entry in read_manifest().use_cases}
EXPECTED = {
    "deterministic": {"cases.yml", "grader.py", "proofs.yml"},
    "hybrid": {"cases.yml", "grader.py", "proofs.yml", "rubric.yml"},
    "judge": {"cases.yml", "rubric.yml"},
}
CHECKED = [use_case for use_case, grading in GRADING.items() if grading != "judge"]


def there(use_case: str) -> set[str]:
    return EXPECTED[GRADING[use_case]] & {path.name for path in (DAILY / use_case).iterdir()}


@functools.cache
def proofs(use_case: str) -> tuple[Proof, ...]:
    path = DAILY / use_case / "proofs.yml"
    return read_yaml(path, ProofFile).proofs if path.exists() else ()


def grader(use_case: str) -> Callable[[Case, str], CheckResult]:
    check: Callable[[Case, str], CheckResult] = importlib.import_module(
        f"probatio.builtin.daily.{use_case}.grader"
    ).check
    return check


def all_proofs() -> list[object]:
    params: list[object] = []
    for use_case in CHECKED:
        numbers: Counter[str] = Counter()
        for proof in proofs(use_case):
            numbers[f"{proof.case}-{proof.kind}"] += 1
            name = f"{proof.case}-{proof.kind}"
            params.append(pytest.param(use_case, proof, id=f"{name}-{numbers[name]}"))
    return params


@pytest.mark.parametrize("use_case", list(GRADING))
def test_a_use_case_has_all_its_files(use_case: str) -> None:
    if not there(use_case):
        pytest.skip(f"{use_case} is not written yet")
    assert there(use_case) == EXPECTED[GRADING[use_case]]


@pytest.mark.parametrize("use_case", CHECKED)
def test_every_case_has_a_gold_answer_and_the_grader_is_tried_by_wrong_and_deceiving_ones(use_case: str) -> None:
    if not there(use_case):
        pytest.skip(f"{use_case} is not written yet")
    kinds = Counter(proof.kind for proof in proofs(use_case))
    golds = {proof.case for proof in proofs(use_case) if proof.kind == "gold"}
    assert golds == set(cases(use_case))
    assert kinds["wrong"] >= FEWEST_WRONG
    assert kinds["adversarial"] >= FEWEST_ADVERSARIAL


@pytest.mark.parametrize(("use_case", "proof"), all_proofs())
def test_a_proof_claims_something(use_case: str, proof: Proof) -> None:
    low, high = proof.bounds
    assert proof.case in cases(use_case)
    assert proof.why.strip()
    assert 0 <= low <= high <= 1
    assert (proof.score is None) != (proof.at_least is None and proof.at_most is None), "a score or bounds, one of them"
    assert (low, high) != (0.0, 1.0), "bounds that nothing can break"
    if proof.kind == "gold":
        assert proof.score == 1.0
    if proof.kind == "wrong":
        assert high < 1.0


def needs_met(use_case: str) -> None:
    """Skips where this machine lacks what the grader runs an answer in."""
    if use_case == "web_design":
        try:
            executable()
        except CannotCheck as error:
            pytest.skip(str(error))
    if use_case in RUNS_CODE:
        try:
            isolation()
        except NoIsolation as error:
            pytest.skip(str(error))


@pytest.mark.parametrize(("use_case", "proof"), all_proofs())
def test_an_answer_scores_what_its_proof_says(use_case: str, proof: Proof) -> None:
    needs_met(use_case)
    checked = graded(proof.case, proof.answer)
    low, high = proof.bounds
    lost = [
        f"{part.name}: {part.score:.2f} × {part.weight} ({part.detail})" for part in checked.parts if part.score < 1
    ]
    assert low - 1e-12 <= checked.score <= high + 1e-12, f"{proof.why}: {checked.score} {checked.note} {lost}"
    if proof.kind == "gold":
        assert checked.score == 1.0


@pytest.mark.parametrize("use_case", CHECKED)
def test_an_empty_answer_earns_nothing(use_case: str) -> None:
    if not (DAILY / use_case / "grader.py").exists():
        pytest.skip(f"{use_case} has no grader yet")
    needs_met(use_case)
    assert {case.id: grader(use_case)(case, "").score for case in cases(use_case).values()} == dict.fromkeys(
        cases(use_case), 0.0
    )


@pytest.mark.parametrize("use_case", list(GRADING))
def test_a_use_case_has_about_five_cases_of_graded_difficulty(use_case: str) -> None:
    if not there(use_case):
        pytest.skip(f"{use_case} is not written yet")
    assert 4 <= len(cases(use_case)) <= 8
    difficulties = [case.difficulty for case in cases(use_case).values()]
    assert set(difficulties) <= {1, 2, 3}
    assert len(set(difficulties)) > 1
