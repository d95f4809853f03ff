"""Cases of suites 1 and 2 that are no ladders: users' suites still have their kind, so the graders must treat them as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from probatio.suite.daily_suite import Case
from probatio.yamlfile import read_yaml


class _CaseFile(msgspec.Struct):
    cases: list[Case]


class _ProofFile(msgspec.Struct):
    proofs: list[dict[str, Any]]


def _folder(use_case: str) -> Path:
    return Path(__file__).parent / use_case / "puzzles"


def puzzles(use_case: str) -> dict[str, Case]:
    return {case.id: case for case in read_yaml(_folder(use_case) / "cases.yml", _CaseFile).cases}


def puzzle_proofs(use_case: str) -> list[dict[str, Any]]:
    return read_yaml(_folder(use_case) / "proofs.yml", _ProofFile).proofs
