"""One grammar for lengths of time, in flags and in files."""

from __future__ import annotations

import pytest

from probatio.core.clock import parse_duration
from probatio.core.errors import UsageError


def test_a_bare_number_is_seconds_and_a_letter_is_its_unit() -> None:
    texts = ("15", 15, 0.2, "15s", "1.5m", "10m", "2h", "2d", "0s")
    assert [parse_duration(text, "--jitter") for text in texts] == [
        15,
        15,
        0.2,
        15,
        90,
        600,
        7200,
        172_800,
        0,
    ]


@pytest.mark.parametrize("wrong", ["", "15 m", "-5m", "1w", "m", "1e9", "inf", "nan", "1h30m", "9" * 10])
def test_anything_else_is_refused_in_a_sentence(wrong: str) -> None:
    with pytest.raises(
        UsageError, match=r"--jitter .*: write a length of time such as 15, 15s, 10m, 2h or 2d\."
    ):
        parse_duration(wrong, "--jitter")
