"""The judge's reply, read apart: whatever a server sends in its name, reading it ends soon."""

from __future__ import annotations

import asyncio
import resource

import pytest

from probatio.grading.judge.protocol import Unreadable, read_apart
from probatio.suites.rubrics import Criterion, Rubric

ANCHORS = {n: str(n) for n in range(1, 6)}
RUBRIC = Rubric(
    tuple(Criterion(id=name, question="?", anchors=ANCHORS, weight=1) for name in ("shape", "voice"))
)


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def test_a_good_reply_is_read_as_it_is() -> None:
    marks = asyncio.run(read_apart('{"shape": {"mark": 4, "reason": "fine"}, "voice": 2}', RUBRIC))
    assert {name: mark.mark for name, mark in marks.items()} == {"shape": 4, "voice": 2}


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 100_000,
        "{" * 100_000,
        '{"a":' * 20_000,
        '{"a":[' * 16_000,
        '{"shape":' * 10_000,
        "{}" * 50_000,
        "\ud800{" * 1000,
    ],
    ids=["brackets", "braces", "objects", "both", "criteria", "empty", "surrogates"],
)
def test_a_reply_of_nested_brackets_is_unreadable_and_costs_us_nothing(reply: str) -> None:
    before = cpu()
    with pytest.raises(Unreadable) as told:
        asyncio.run(read_apart(reply, RUBRIC))
    str(told.value).encode()
    assert cpu() - before < 1
