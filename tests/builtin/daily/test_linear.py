"""Every grader and every extraction takes time in proportion to the answer, whatever the answer is made of."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from builtin.daily.cases import SUITE
from probatio.builtin.daily.code_generation.grader import program as python_program
from probatio.builtin.daily.graders import check
from probatio.builtin.daily.web_design.grader import page_in
from probatio.grade import completion, extract, figures, folding, json_answer, program_text, prose

SMALL, LARGE = 50_000, 200_000  # characters; the second is all that is ever graded of an answer
SECONDS = 1.0
GROWTH = 10  # times as long for four times the text: linear is 4, quadratic 16
FAST = 0.05  # below this, a ratio of times says nothing

PIECES = (
    "-",
    "*",
    "~",
    "{",
    "[",
    "(",
    "`",
    "_",
    "#",
    "|",
    ".",
    ":",
    "=",
    "\\",
    '"',
    "9",
    "a",
    "a ",
    "\n",
    " ",
    "- ",
    "A: ",
    "**",
    "```\n",
    "~~~\n",
    "<a",
    "<!--",
    "<think>",
    "&amp",
    '{"a":',
    "1,",
    "9 km ",
    "not ",
    "hundred and ",
    "$9 million ",
    "9/9/",
    "or ",
    "Output: ",
    "def f(\n",
    "x = 1\n",
    "\\text{",
    "\\boxed{",
    "\u0301",
    "\u200b",
    "\u0430",
    "\ud800",
    ":\n\n",
    "/*",
    "1. ",
    "a-",
    "“",
)
FAMILIES: dict[str, Callable[[int], str]] = {
    **{repr(piece): lambda size, piece=piece: (piece * (size // len(piece) + 1))[:size] for piece in PIECES},  # type: ignore[misc]
    **{f"{mark} and letters": lambda size, mark=mark: mark + "a" * (size - 3) for mark in ("```", "~~~", "***", "---")},  # type: ignore[misc]
    "prose": lambda size: ("The library opens on 3 May with 12 rooms, and it costs $1.2 million. " * (size // 60))[
        :size
    ],
    "spaces and a letter": lambda size: " " * (size - 1) + "a",
}
TEXT_CASES = {
    use_case.id: use_case.cases[0]
    for use_case in SUITE.use_cases.values()
    if use_case.grading != "judge" and use_case.id not in ("web_design", "code_generation")
}
READERS: dict[str, Callable[[str], object]] = {
    "reasoning": extract.without_reasoning,
    "fences": extract.fenced_blocks,
    "prediction": extract.prediction,
    "program": lambda text: program_text.program(text, ("ts",)),
    "completion": lambda text: completion.completed("varia i = 0\n___ i < 3 { i += 1 }\nscribe i", text),
    "json": json_answer.find_object,
    "words": prose.word_count,
    "figures": figures.figures,
    "folding": folding.rendered,
    "python program": lambda text: python_program(text, "f"),
    "web page": page_in,
    **{name: lambda text, case=case: check(case, text) for name, case in TEXT_CASES.items()},  # type: ignore[misc]
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    gc.freeze()  # what other tests have left is not searched again for each of a thousand measurements
    gc.collect()
    gc.disable()  # its passes over the heap of a long test run are not the answer's doing
    try:
        start = time.thread_time()  # a thread that another test has left is not the answer's doing either
        reader(text)
        return time.thread_time() - start
    finally:
        gc.enable()


def too_slow(short: float, long: float) -> bool:
    return long > SECONDS or (long > FAST and long > GROWTH * max(short, FAST / GROWTH))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(READERS))
def test_time_grows_with_the_answer_and_no_faster(name: str) -> None:
    reader = READERS[name]
    reader("A: 1 km/h\nB: x")  # what is loaded once is not the answer's doing
    slow = {}
    for family, make in FAMILIES.items():
        short = seconds(reader, make(SMALL))
        if short >= SECONDS:
            short = seconds(reader, make(SMALL))  # a busy machine takes longer once, not twice
        assert short < SECONDS, family  # before four times as much: what is quadratic would take minutes
        long = seconds(reader, make(LARGE))
        for _ in range(3):  # a busy machine may slow down one measurement; what is quadratic is slow each time
            if not too_slow(short, long):
                break
            short, long = max(short, seconds(reader, make(SMALL))), min(long, seconds(reader, make(LARGE)))
        if too_slow(short, long):
            slow[family] = (round(short, 3), round(long, 3))
    assert not slow
