"""Every grader and every extraction takes time in proportion to the answer, whatever the answer is made
of."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from builtin.daily.cases import SUITE
from probatio.builtin.daily.code_generation.grader import program as python_program
from probatio.builtin.daily.graders import check
from probatio.builtin.daily.reading import figures, folding, json_answer, prose
from probatio.builtin.daily.web_design.grader import page_in
from probatio.core.text import fences
from probatio.grading import extract, program

SMALL, LARGE = 50_000, 200_000  # characters; the first is all that is ever graded of an answer
SECONDS = 1.0
LONGEST = 0.6  # seconds for all that is graded of an answer: a third of what a check may use
GROWTH = 10  # times as long for four times the text: linear is 4, quadratic 16
FAST = 0.05  # below this, a ratio of times says nothing
GLANCE = 20_000  # characters of the first look
QUICK = (
    FAST / (LARGE / GLANCE) ** 2
)  # what takes less there is below `FAST` for the large text, even if quadratic
SUSPICIOUS = 6
CALM = 3  # times as long for four times the text: no slip of the clock makes sixteen times look like this

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
    "a: b\n",
    "a:\n",
    ", \n",
    "they: not\n",
    "is not: or\n",
    "Mr. ",
    "Note\n\n",
    "the\n",
    "its \n",
    "final\t\n",
    "```\nOutput:\n```\n",
    "```\n```\nOutput:\n",
    "| a | b |\n",
    "9;",
    "1 h ",
    '"a":1,"a":2,',
)
NAMES = "".join(f"{letter}: {'9' * 999}\n" for letter in "ABCDEFGHIJKLMNOPQRST")
FAMILIES: dict[str, Callable[[int], str]] = {
    **{repr(piece): lambda size, piece=piece: (piece * (size // len(piece) + 1))[:size] for piece in PIECES},  # type: ignore[misc]
    **{
        f"{mark} and letters": lambda size, mark=mark: mark + "a" * (size - 3)  # type: ignore[misc]
        for mark in ("```", "~~~", "***", "---")
    },
    "prose": lambda size: (
        "The library opens on 3 May with 12 rooms, and it costs $1.2 million. " * (size // 60)
    )[:size],
    "spaces and a letter": lambda size: " " * (size - 1) + "a",
    "numbers, all different": lambda size: " ".join(map(str, range(10, size // 4)))[:size],
    "words, all different": lambda size: " ".join(f"{at:x}z" for at in range(size // 4))[:size],
    "lines, all different": lambda size: "".join(f"{at:x}z: no\n" for at in range(size // 6))[:size],
    "rows, all different": lambda size: (
        "| a | b |\n|---|---|\n" + "".join(f"| {at:x}z | b |\n" for at in range(size // 10))
    )[:size],
    "a list below thirty objects": lambda size: '{"a":' * 29 + '{"b":[' + "1," * (size // 2 - 200) + "{{",
    "a text below thirty objects": lambda size: '{"a":' * 29 + '{"b":["' + "a" * (size - 200) + '"{{',
    "a value of many digits for each letter": lambda size: (NAMES * (size // len(NAMES) + 1))[:size],
}
TEXT_CASES = {
    use_case.id: use_case.cases[0]
    for use_case in SUITE.use_cases.values()
    if use_case.grading != "judge" and use_case.id not in ("web_design", "code_generation")
}
READERS: dict[str, Callable[[str], object]] = {
    "reasoning": extract.without_reasoning,
    "fences": fences.find_fences,
    "prediction": extract.extract_prediction,
    "program": lambda text: extract.extract_program(text, ("ts",)),
    "completion": lambda text: program.complete("varia i = 0\n___ i < 3 { i += 1 }\nscribe i", text),
    "json": json_answer.find_object,
    "words": prose.word_count,
    "figures": figures.figures,
    "folding": folding.fold_markdown,
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


def grows_too_fast(reader: Callable[[str], object], make: Callable[[int], str]) -> str:
    """How long the reader takes for the small and the large text, if that is too long; else nothing.

    The shortest of several measurements counts: a busy machine makes one of them longer, never shorter."""
    short = min(seconds(reader, make(SMALL)) for _ in range(2))
    if short >= LONGEST:
        return f"{short:.3f} s"  # four times as much would take minutes if it is quadratic
    long = seconds(reader, make(LARGE))
    for _ in range(3):
        short = min(short, seconds(reader, make(SMALL)))
        if not too_slow(short, long):
            return ""
        long = min(long, seconds(reader, make(LARGE)))
    return f"{short:.3f} s and {long:.3f} s" if too_slow(short, long) else ""


def is_suspicious(reader: Callable[[str], object], make: Callable[[int], str]) -> bool:
    """A first look at a short text: nearly every reading is linear, or too fast to matter."""
    long = seconds(reader, make(GLANCE))
    if long < QUICK:
        return False
    if long > LONGEST / 2:
        return True  # also where it grows no more: a grader that reads only a beginning reads it too slowly
    short = seconds(reader, make(GLANCE // 4))
    if long < CALM * short:
        return False
    return long > SUSPICIOUS * min(short, *(seconds(reader, make(GLANCE // 4)) for _ in range(2)))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(READERS))
def test_time_grows_with_the_answer_and_no_faster(name: str) -> None:
    reader = READERS[name]
    reader("A: 1 km/h\nB: x")  # what is loaded once is not the answer's doing
    slow = {
        family: found
        for family, make in FAMILIES.items()
        if is_suspicious(reader, make) and (found := grows_too_fast(reader, make))
    }
    assert not slow


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(READERS))
def test_time_grows_no_faster_with_answers_of_any_length(name: str) -> None:
    reader = READERS[name]
    reader("A: 1 km/h\nB: x")
    slow = {family: found for family, make in FAMILIES.items() if (found := grows_too_fast(reader, make))}
    assert not slow


@pytest.mark.slow
def test_a_quadratic_reader_is_found() -> None:
    def quadratic(text: str) -> None:
        for _ in range(0, len(text), 40):  # far above FAST on any machine
            text.count("~")

    assert is_suspicious(quadratic, FAMILIES["'a'"])
    assert grows_too_fast(quadratic, FAMILIES["'a'"])
