"""Blanks of a question are names in braces, filled as `str.format` fills them, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.core.errors import UsageError
from probatio.core.text.blanks import LONGEST_FILLED, fill, find_wrong_blank
from probatio.suites.task_types import FIELDS, KINDS

VALUES = {"goal": "Print {1}.", "fence": "awk"}


@given(st.lists(st.sampled_from(["{goal}", "{fence}", "{{", "}}", "text\n", "é", "{{goal}}", "%s $x"])))
def test_what_is_accepted_is_filled_as_python_fills_it(parts: list[str]) -> None:
    text = "".join(parts)
    assert find_wrong_blank(text, VALUES) is None
    assert fill(text, VALUES) == text.format(**VALUES)


@given(st.text(alphabet="{}goal:!.[]0>x ", max_size=30))
def test_what_is_not_accepted_by_python_is_not_accepted_here(text: str) -> None:
    if find_wrong_blank(text, VALUES) is None:
        assert fill(text, VALUES) == text.format(**VALUES)


def test_the_built_in_questions_are_accepted() -> None:
    assert all(find_wrong_blank(kind.question, FIELDS) is None for kind in KINDS.values())


def test_a_text_that_would_be_too_long_is_not_made() -> None:
    with pytest.raises(UsageError, match="with its blanks filled"):
        fill("{goal}" * 1_000, {"goal": "x" * (LONGEST_FILLED // 999)})
