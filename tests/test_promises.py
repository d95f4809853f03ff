"""Promises: each one of docs/promises.md is held by tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parent / "docs" / "promises.md").read_text(encoding="utf-8")
PROMISES = [line.strip("| ").rsplit(" | ", 1) for line in PAGE.splitlines() if line.startswith("| ")]
HELD_BY = {says: re.findall(r"`([^`]+)`", tests) for says, tests in PROMISES if says != "promise"}


def test_every_promise_is_a_sentence_of_its_own_with_tests() -> None:
    sections = PAGE.count("\n| promise | held by |\n")
    assert sections >= 3 and len(HELD_BY) == len(PROMISES) - sections
    assert all(says.endswith(".") and tests for says, tests in HELD_BY.items())


@pytest.mark.parametrize("named", sorted({test for tests in HELD_BY.values() for test in tests}))
def test_a_promise_names_a_test_that_is_there(named: str) -> None:
    file, _, test = named.partition("::")
    tree = ast.parse((HERE / file).read_bytes())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert test in names if test else any(name.startswith("test_") for name in names)
