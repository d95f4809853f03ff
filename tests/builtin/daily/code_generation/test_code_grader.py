"""Code Generation is graded by what the function gives: the right block is found, and tests fail for what is
wrong with it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio import jail
from probatio.builtin.daily.code_generation.grader import HiddenTest, check, fault, program
from probatio.core.errors import CannotCheck
from probatio.jail import NoIsolation
from probatio.languages.python import CallFailed, Raised, Result, Returned
from probatio.suites.daily_suite import Case

DOUBLE = Case(
    "double",
    "",
    gold={"function": "double", "groups": [{"name": "all", "tests": [{"args": [2], "expected": 4}]}]},
)
RIGHT = "def double(n):\n    return 2 * n"
WRONG = "def double(n):\n    return n"


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{RIGHT}\n```",
        f"```py\n{RIGHT}\n```\nHope this helps!",
        f"```\n{RIGHT}\n```",
        f"~~~Python\n{RIGHT}\n~~~",
        f"```python\n{RIGHT}",
        RIGHT,
        f"Here it is:\n\n{RIGHT}\n\nIt doubles the number.",
        f"Here it is:\n{RIGHT}\nIt doubles the number.",
        f"import math\n\nFACTOR = 2\n\n\n{RIGHT}\n\n\nprint(double(3))\n",
        f"```python\n{WRONG}\n```\nNo, better:\n```python\n{RIGHT}\n```\nUse it "
        "so:\n```python\nprint(double(2))\n```",
        f"```text\n{WRONG}\n```\n```python\n{RIGHT}\n```\n```text\n{WRONG}\n```",
        "1. The code:\n\n   ```python\n   def double(n):\n       return 2 * n\n   ```",
        "```python\nimport functools\n\n@functools.cache\ndef double(n: int) -> int:\n    '''Twice n.'''\n  "
        "  return n + n\n```",
        f"```python\n{RIGHT}\n\nif __name__ == '__main__':\n    print(double(int(input())))\n```",
        f"```bash\npip install nothing\n```\n```python\n{RIGHT}\n```",
    ],
)
def test_the_function_is_found_wherever_it_stands(answer: str) -> None:
    assert check(DOUBLE, answer).score == 1


@pytest.mark.parametrize(
    "answer",
    [
        "", "I can't help with that.", f"```python\n{WRONG}\n```",
        f"```python\n{RIGHT}\n```\n```python\n{WRONG}\n```",
        "```python\nclass Solution:\n    def double(self, n):\n        return 2 * n\n```",
        "```python\ndef doubled(n):\n    return 2 * n\n```",
        "```python\ndef double(n):\n    return 2 *\n```", "The function `def double(n)` returns 4.",
        "double = 4",
    ],
)  # fmt: skip
def test_what_is_not_the_function_earns_nothing(answer: str) -> None:
    assert check(DOUBLE, answer).score == 0


def test_an_answer_without_the_function_says_so_and_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "run", None)
    checked = check(DOUBLE, "Just multiply by two.")
    assert checked.note == "The answer defines no function `double`."
    assert [part.name for part in checked.parts] == ["all"]


def test_where_no_jail_can_be_built_the_sample_is_an_error_and_no_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(choice: str) -> None:
        raise NoIsolation("No isolation works here, so no model's code is run.")

    monkeypatch.setattr(jail, "find_isolation", none)
    with pytest.raises(CannotCheck, match="No isolation works here"):
        check(DOUBLE, f"```python\n{RIGHT} + 0\n```")


@pytest.mark.parametrize(
    "test, result, expected",
    [
        (HiddenTest((1,), expected=2), Returned(2), None),
        (HiddenTest((1,), expected=2), Returned(3), "2 expected, 3 returned"),
        (HiddenTest((1,), expected=[2]), Returned((2,)), "[2] expected, (2,) returned"),
        (HiddenTest((1,), expected=1), Returned(True), "1 expected, True returned"),
        (HiddenTest((1,), expected=None), Returned(None), None),
        (HiddenTest((1,), expected=2), Raised(("KeyError", "LookupError")), "2 expected, KeyError raised ()"),
        (HiddenTest((1,), raises="ValueError"), Raised(("UnicodeError", "ValueError")), None),
        (
            HiddenTest((1,), raises="ValueError"),
            Raised(("TypeError",)),
            "ValueError expected, TypeError raised",
        ),
        (HiddenTest((1,), raises="ValueError"), Raised(()), "ValueError expected, nothing raised"),
        (
            HiddenTest((1,), raises="ValueError"),
            Returned("ValueError"),
            "ValueError expected, 'ValueError' returned",
        ),
        (HiddenTest(([1],), expected=1, unchanged=True), Returned(1, ([1],)), None),
        (HiddenTest(([1],), expected=1, unchanged=True), Returned(1, ([],)), "the arguments were changed"),
        (HiddenTest(([1],), expected=1, unchanged=True), Returned(1, None), "the arguments were changed"),
        (HiddenTest((1,), expected=2), CallFailed("no end"), "no end"),
    ],
)
def test_a_failed_test_says_what_was_expected_and_what_came(
    test: HiddenTest, result: Result, expected: str | None
) -> None:
    assert fault(test, result) == expected


def test_a_group_weighs_its_tests_unless_it_says_otherwise() -> None:
    tests = [{"args": [n], "expected": n} for n in range(3)]
    gold = {
        "function": "f",
        "groups": [{"name": "three", "tests": tests}, {"name": "heavy", "weight": 1, "tests": tests[1:]}],
    }
    checked = check(Case("w", "", gold=gold), "```python\ndef f(n):\n    return 0\n```")
    assert [(part.weight, round(part.score, 3)) for part in checked.parts] == [(3.0, 0.333), (1.0, 0.0)]
    assert checked.score == pytest.approx(0.25)


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_looking_for_the_program_never_raises(text: str) -> None:
    for answer in (text, f"```python\n{text}", f"def double({text}", f"{text}\ndef double(n):\n{text}"):
        source = program(answer, "double")
        assert source is None or "double" in source


@given(
    st.text(max_size=80)
    | st.sampled_from(["n.__class__", "yield n", "await n", "lambda: n", "…", "n\nreturn n"])
)
@settings(max_examples=25, deadline=None)
def test_grading_never_raises_whatever_stands_in_the_function(text: str) -> None:
    assert 0 <= check(DOUBLE, f"```python\ndef double(n):\n    return {text}\n```").score <= 1


@pytest.mark.parametrize(
    "piece",
    ["\n", " ", "`", "```\n", "```python\n", "def double(", "def double(n):\n", "x\n", "    ", "@a\n", "#"],
)
def test_a_long_hostile_text_is_searched_at_little_cost(piece: str) -> None:
    start = time.process_time()
    program(piece * (30_000 // len(piece)), "double")
    assert time.process_time() - start < 2
