"""A comparison as a comment on a pull request: one sentence, a table, the tasks that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.compare import Comparison, TaskFlip
from probatio.learn.gate import Gate
from probatio.learn.report.comparison import (
    SHOWN_FLIPS,
    describe_comparison,
    describe_days,
    describe_interval,
    list_left_out,
    name_flip,
)

_LIVE_ON_GITHUB = re.compile("[@#]")
"""A @name is notified and a #number linked even where Markdown is escaped, so a space of no width follows."""


def list_comment(one: Comparison | None, gate: Gate | None) -> Iterator[str]:
    """The lines of the comment. Without a comparison it is the sentence that says why there is none."""
    for line in _lines(one, gate):
        yield _LIVE_ON_GITHUB.sub(r"\g<0>&#8203;", line)


def _lines(one: Comparison | None, gate: Gate | None) -> Iterator[str]:
    if gate is not None:
        yield escape_markdown(gate.sentence)
    elif one is not None:
        yield escape_markdown(describe_comparison(one))
    if one is None:
        return
    sides = ("A", one.a, one.rate_a), ("B", one.b, one.rate_b)
    yield ""
    yield from format_table(
        ["", "side", "passes", "%", "95 % interval"],
        [
            (name, side, f"{rate.passed}/{rate.asked}", f"{100 * (rate.share or 0):.1f}",
             f"{100 * rate.low:.1f} to {100 * rate.high:.1f}")
            for name, side, rate in sides
        ]
        + [("B less A", "", f"{one.gained} gained, {one.lost} lost", f"{one.difference:+.1f}",
            describe_interval(one.low, one.high))],
    )  # fmt: skip
    yield ""
    days = describe_days(one)
    yield f"{one.pairs} pairs of {one.tasks} tasks{f', {days}' if days else ''}."
    if left_out := list_left_out(one):
        yield f"Left out: {', '.join(left_out)}."
    if one.flips:
        yield ""
        yield from format_table(["task", "change", "A", "B"], map(_row, one.flips[:SHOWN_FLIPS]))
    if len(one.flips) > SHOWN_FLIPS:
        yield ""
        yield f"… and {len(one.flips) - SHOWN_FLIPS} more tasks that changed."


def _row(flip: TaskFlip) -> tuple[str, str, str, str]:
    passed = (f"{count}/{flip.pairs}" for count in (flip.passed_a, flip.passed_b))
    return flip.task_id, name_flip(flip), *passed  # type: ignore[return-value]
