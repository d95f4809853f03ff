"""Promises: each is held by tests that are there, and the page lists them word by word."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from probatio.core.promises import PROMISES

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "promises.md"
ALL = [promise for promises in PROMISES.values() for promise in promises]


@pytest.mark.parametrize("named", sorted({test for promise in ALL for test in promise.held_by}))
def test_a_promise_names_a_test_that_is_there(named: str) -> None:
    file, _, test = named.partition("::")
    tree = ast.parse((HERE / file).read_bytes())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert test in names if test else any(name.startswith("test_") for name in names)


def test_the_page_lists_every_promise_with_its_tests() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for by, promises in PROMISES.items():
        _, _, section = text.partition(f"## {by}\n")
        rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]
        assert rows == [
            f"| {promise.says} | {', '.join(f'`{test}`' for test in promise.held_by)} |"
            for promise in promises
        ]
