"""Extraction: the answer out of what models really write round it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.core.text.fences import find_fences
from probatio.grading.extract import extract_prediction, without_reasoning


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("42", "42"),
        ("  42\n", "42"),
        ("```\n42\n```", "42"),
        ("```faber\nHello\n```", "Hello"),
        ("```text\n1\n2\n3\n```", "1\n2\n3"),
        ("~~~\n42\n~~~", "42"),
        ("```\nnever closed", "never closed"),
        ('"Hello, World"', "Hello, World"),
        ("'Hello'", "Hello"),
        ("`42`", "42"),
        ("**42**", "42"),
        ("**`42`**", "42"),
        ("The output will be:\n\n1\n2\n3", "1\n2\n3"),
        ("Output: 42", "42"),
        ("**Output:**\n\n42", "42"),
        ("**Output:** `42`", "42"),
        ("The program prints:\n```\nbig\n```\nbecause x > 5.", "big"),
        ("```faber\nscribe 2\n```\n\nOutput: 2", "2"),
        ("First x is 3, so the branch runs.\n\n```\nsmall\n```", "small"),
        ("If we assume the intent of the code:\n\n**25**", "25"),
        ("<think>Is it 3? Output: 3</think>\n4", "4"),
        ("thoughts whose opening tag the template ate</think>\n\n4", "4"),
        ("<think>never ends", ""),
        ("a said: b", "a said: b"),
        ('say "a" and "b"', 'say "a" and "b"'),
        ('"a" "b"', '"a" "b"'),
    ],
)
def test_a_prediction_is_found(text: str, answer: str) -> None:
    assert extract_prediction(text) == answer


def test_blocks_know_their_language() -> None:
    blocks = find_fences("a\n```TypeScript title=x\nlet a\n```\nb\n````faber\n```\ninner\n```\n````\n")
    assert [(block.language, block.body) for block in blocks] == [
        ("typescript", "let a"),
        ("faber", "```\ninner\n```"),
    ]


def test_several_thoughts_are_all_taken_out() -> None:
    assert without_reasoning("<think>a</think>x<THINKING>b</thinking>y") == "xy"


@given(st.text(alphabet=st.sampled_from('`~ \n<>/think"*:Output42abc'), max_size=300) | st.text())
def test_no_text_is_too_odd(text: str) -> None:
    extract_prediction(text)


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "```\n", "Output:", ":\n\n", "`", "* ", "```", "the ", "<think></think>"]
)
def test_a_hostile_megabyte_is_read_in_seconds(piece: str) -> None:
    began = time.process_time()
    extract_prediction(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 5
