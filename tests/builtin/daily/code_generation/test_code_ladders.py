"""The ladders of Code Generation: a bad rung costs itself, sizes count as the prompt says, and no answer
costs us much."""

from __future__ import annotations

import itertools
import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builtin.daily.code_generation.ladders import CASES, gold, rungs
from probatio.builtin.daily.code_generation import machine, network, pattern
from probatio.builtin.daily.code_generation.function_ladder import (
    FunctionRung,
    credit,
    drop_replaced,
    lengths_of,
    statements,
)
from probatio.builtin.daily.code_generation.grader import HiddenTest, check
from probatio.builtin.daily.code_generation.ladder import BEYOND, CREDITS, find_programs, size_credit
from probatio.core.records.check_result import CheckResult
from probatio.suites.daily_suite import Case

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

READ = ("code_pattern", "code_network", "code_machine")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_rungs_are_numbered_and_reach_the_breakdown(case: Case) -> None:
    assert [rung["rung"] for rung in case.gold["rungs"]] == list(range(1, case.rungs + 1))
    assert [part.rung for part in check(case, "nothing").parts] == list(range(1, case.rungs + 1))


def ladder(*functions: str) -> Case:
    tests = [{"args": [n], "expected": 2 * n} for n in (1, 2, 5)]
    made = [
        {"rung": n, "name": name, "function": name, "tests": tests} for n, name in enumerate(functions, 1)
    ]
    return Case("x", "", gold={"kind": "functions", "rungs": made})


def scores(checked: CheckResult) -> list[float]:
    return [part.score for part in checked.parts]


@pytest.mark.parametrize(
    "second",
    [
        "def g(n):\n    return 2 *", "def g(n):\n  while True: pass",
        "import os\ndef g(n):\n    os._exit(0)", "g = undefined",
        "def g(n):\n    raise SystemExit", "from re import *\ng = compile",
    ],
)  # fmt: skip
def test_a_bad_function_costs_only_itself(second: str) -> None:
    answer = f"```python\nf = lambda n: 2 * n\n\n{second}\n\ndef h(n):\n    return n + n\n```"
    assert scores(check(ladder("f", "g", "h"), answer)) == [1, 0, 1]


def test_one_result_for_every_call_earns_nothing() -> None:
    rung = FunctionRung(1, "x", "f", tuple(HiddenTest((n,), expected=n > 2) for n in range(5)))
    assert credit(rung, [None, None, None, "x", "x"]) == 0  # False for all
    assert credit(rung, ["x", "x", "x", None, None]) == 0  # True for all
    assert credit(rung, [None, None, None, None, "x"]) == 0.5
    assert credit(rung, [None] * 5) == 1


def lengths(answer: str, *asked: str) -> dict[str, int]:
    return lengths_of(drop_replaced(statements(f"```python\n{answer}\n```"), asked), dict.fromkeys(asked))


def test_the_length_of_a_function_is_that_of_its_last_definition_and_of_what_is_not_asked_for() -> None:
    answer = "import os\nf = lambda n: n + n + n\nprint(1)\nK=1\ndef f(n):\n  return K*n"
    assert lengths(answer, "f") == {"f": len("def f(n):\n  return K*n") + len("K=1")}
    decorated = "@staticmethod\ndef f(n): return 'ö'"
    assert lengths(decorated, "f") == {"f": len(decorated)}


LONG = "def f(n):\n    total = n\n    return total + n"
"""A right function of 46 characters; the ladder below allows ten."""
CODE = "f=lambda n:n+n+0+0+0+0+0+0"
HIDDEN_CODE = {
    "defined twice": f"{LONG}\nf=f",
    "defined three times": f"{LONG}\nf=f\nf=f",
    "defined twice, by way of a call": f"{LONG}\nf=(f)",
    "the first definition kept by a default": f"{LONG}\nf=lambda n,f=f:f(n)",
    "the first definition kept by a decorator": f"{LONG}\n@f\ndef f(n):0",
    "the first definition kept in a list": f"{LONG}\nf=[f][0]",
    "the first definition by its name as a text": f"{LONG}\nf=eval('f')",
    "the first definition by the file's names": f"{LONG}\nf=globals()['f']",
    "the first definition under another name": f"{LONG}\ng=f\nf=g",
    "executed in a print": f"f=0\nprint(exec({CODE!r}))",
    "executed in a keyword of a print": f"f=0\nprint(end=exec({CODE!r}))",
    "executed in an f-string": f"f=0\nprint(f'{{exec({CODE!r})}}')",
    "set in a print": f"f=0\nprint(f:=lambda n:{CODE[11:]})",
    "set in a comprehension of a print": f"f=0\nprint([f:=lambda n:{CODE[11:]} for _ in'a'])",
    "unpacked in a print": f"f=0\nprint(*[exec({CODE!r})])",
    "another print": f"print=exec\nf=0\nprint({CODE!r})",
    "a text that is executed": f"{CODE!r}\nexec(__doc__)\nf=f",
    "a text that is evaluated by a call": "'n+n+0+0+0+0+0'\nf=lambda n:eval(__doc__)",
    "a text found in a frame": "'n+n+0'\nimport sys\nf=lambda n:eval(sys._getframe(2).f_code.co_consts[0])",
    "under a condition": f"f=0\nif 1:\n f=lambda n:{CODE[11:]}",
    "under a name that is never main": f"f=0\nif __name__:\n f=lambda n:{CODE[11:]}",
    "in a class": "class A:\n def f(n):\n  return n+n+0+0+0\nf=A.f",
    "in a try": f"f=0\ntry:\n f=lambda n:{CODE[11:]}\nfinally:0",
    "in a loop": f"for f in[lambda n:{CODE[11:]}]:0\nf=f",
    "with another after a semicolon": f"g=lambda n:{CODE[11:]};f=g",
    "with another after a continued line": f"g=lambda n:\\\n{CODE[11:]};f=g",
    "by a tuple": f"f,g=lambda n:{CODE[11:]},0\nf=f",
    "by an annotation": f"x:{CODE!r}=0\nf=lambda n:exec(str(__annotations__))",
    "by a global statement": f"def g():\n global f\n f=lambda n:{CODE[11:]}\nf=g()",
    "by a default argument": "f=lambda n,g=lambda n:n+n+0+0:g(n)",
    "by a nested function": "def f(n):\n def g():return n+n\n return g()",
    "in the name of an import": f"import os as _{CODE[11:].encode().hex()}\nf=lambda n:0",
    "in the names of many imports": "import os as x000000\n" * 100 + "f=lambda n:2*n",
}


@pytest.mark.parametrize("answer", HIDDEN_CODE.values(), ids=HIDDEN_CODE.keys())
def test_all_code_counts_for_a_limit(answer: str) -> None:
    case = ladder("f")
    case.gold["rungs"][0]["limit"] = 12
    assert scores(check(case, "```python\nf=lambda n:n*2\n```")) == [0.5], "14 characters"
    [score] = scores(check(case, f"```python\n{answer}\n```"))
    assert score <= BEYOND


def test_a_print_of_constants_and_imports_cost_nothing() -> None:
    free = "'Doubles.'\nfrom math import *\nimport functools as ft\nprint('done', 1, end='')\n...\n"
    assert lengths(f"{free}f=lambda n:n*2", "f") == {"f": 14}


def test_a_definition_that_is_wrapped_afterwards_still_works_and_counts_whole() -> None:
    wrapped = "from functools import cache\ndef f(n): return 2 * n\nf = cache(f)"
    assert scores(check(ladder("f"), f"```python\n{wrapped}\n```")) == [1]
    assert lengths(wrapped, "f") == {"f": len("def f(n): return 2 * n") + len("f = cache(f)")}
    again = "f = lambda n: f(n) if n else 0"
    assert lengths(f"{LONG}\n{again}", "f") == {"f": len(again)}, "a body is read when it is called"


@pytest.mark.parametrize(
    "answer",
    [
        "(" * 100_000 + ")" * 100_000, "f=" * 30_000 + "1", "def f(n):\n" + " x\n" * 20_000, "f=f\n" * 15_000,
        "@f\n" * 15_000 + "def f():0", "# coding: rot13\nq=1", "f=1\0", "print(" * 5_000,
        "f=" + "lambda:" * 8_000 + "f",
        "f=" + "[f " * 5_000 + "]" * 5_000, "import a as " + "b" * 50_000,
    ],
)  # fmt: skip
def test_no_file_takes_long_to_measure(answer: str) -> None:
    start = time.process_time()
    lengths(answer, "f")
    assert time.process_time() - start < 2


def test_what_a_small_function_holds_beyond_its_free_characters_counts_for_the_others() -> None:
    found = statements("```python\ndef f(n): return n + 1\ndef g(n):\n  return f(n)\n```")
    f, g = len("def f(n): return n + 1"), len("def g(n):\n  return f(n)")
    assert lengths_of(found, {"f": None, "g": None}) == {"f": f, "g": g}
    assert lengths_of(found, {"f": 40, "g": None}) == {"f": f, "g": g}
    assert lengths_of(found, {"f": 10, "g": None}) == {"f": f, "g": g + f - 10}


@pytest.mark.parametrize(
    ("length", "expected"), [(10, 1.0), (40, 1.0), (41, 0.5), (50, 0.5), (51, 0.25), (9999, 0.25)]
)
def test_a_right_program_earns_by_its_size(length: int, expected: float) -> None:
    assert size_credit(length, 40) == expected
    assert size_credit(length, None) == 1


def test_the_prompts_state_what_a_longer_program_earns() -> None:
    assert CREDITS == ((1.0, 1.0), (1.25, 0.5))
    assert BEYOND == 0.25
    for case in CASES.values():
        prompt = " ".join(case.prompt.split())
        assert "A right one that is longer earns half" in prompt
        assert "up to 1.25 times" in prompt
        assert "and a quarter beyond" in prompt


@pytest.mark.parametrize(
    "answer",
    [
        "P1: x\nP2: y", "```\nP1: x\nP2: y\n```", "**P1:** x\n**P2:** y", "- P1: `x`\n- P2: `y`",
        "P1\nx\n\nP2\ny",
        "## P1\n```\nx\n```\n## P2\n```\ny\n```",
        "P1: no\nP1: x\nP2: y", "p1) x\np2) y", "Program P1: x\nProgram P2: y",
        "Thus P1 is done in:\n```\nP1: x\nP2: y\n```\nP1: that is all.",
        "| P1 | x\n| P2 | y",
        "P1 = x\nP2 = y",
    ],
)  # fmt: skip
def test_programs_are_found_by_their_labels(answer: str) -> None:
    assert {number: text.strip("`") for number, text in find_programs(answer).items()} == {1: "x", 2: "y"}


@pytest.mark.parametrize(
    ("expression", "same_as"),
    [("a{2}", "aa"), ("a{1,3}", "a(a(a)?)?"), ("a{0,1}b", "a?b"), ("(ab){2,}", "abab(ab)*"),
     ("[ab]", "."), ("(?:a|b)", "a|b"), ("(|a)b", "b|ab"),
     ("a{0}b", "b"), ("(a*)*", "a*"), ("(a?b?){2}", "(a?b?)(a?b?)"), ("[b]+", "bb*"), ("", "(|)")],
)  # fmt: skip
def test_expressions_mean_what_they_mean(expression: str, same_as: str) -> None:
    strings = ["".join(letters) for length in range(7) for letters in itertools.product("ab", repeat=length)]
    matched = [string for string in strings if re.fullmatch(same_as, string)]
    for each in (expression, same_as):
        assert [string for string in strings if matches(each, string)] == matched, each


def matches(expression: str, string: str) -> bool:
    automaton = pattern.build(expression)
    state = pattern.START
    for letter in string:
        state = automaton.step(state)[0]["ab".index(letter)]
    return automaton.ends(state)


@pytest.mark.parametrize(
    "expression",
    ["(", ")", "a)", "(a", "*a", "a**", "a{3,1}", "a{", "a{100}", "[c]", "[^a]", "c", "(?=a)", r"\1",
     "a|*", "((a{99}){99}){99}", "(" * 200 + "a" + ")" * 200, "a" * 3000],
)  # fmt: skip
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(pattern.Refused):
        pattern.build(expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1-2 2-3", [(1, 2), (2, 3)]), ("(1-2), (3-1)", [(1, 2), (3, 1)]), ("1–2; 2 - 3.", [(1, 2), (2, 3)])],
)  # fmt: skip
def test_comparators_are_read(text: str, expected: list[tuple[int, int]]) -> None:
    assert network.comparators_in(text, 3) == expected


@pytest.mark.parametrize("text", ["", "1-4", "1-1", "0-1", "1-2 or 2-3", "none", "1-2 " * 500, "-1-2-3"])
def test_what_is_no_network_is_refused(text: str) -> None:
    assert isinstance(network.comparators_in(text, 3), str)


def test_a_run_of_the_machine_ends_at_its_limit() -> None:
    loop = machine.instructions("jmp 1")
    assert isinstance(loop, list)
    assert machine.execute(loop, 1, 1) is None
    count = machine.instructions("1. JZ A, 4\n2. dec A  # one less\n3. jmp 1")
    assert isinstance(count, list)
    assert machine.execute(count, 5, 1, steps=16) == 0
    assert machine.execute(count, 5, 1, steps=15) is None


@pytest.mark.parametrize(
    "text", ["", "jmp 3", "jmp 0", "jz A 9", "inc F", "add A B", "inc A\nall right", "inc A\n" * 300]
)
def test_what_is_no_program_of_the_machine_is_refused(text: str) -> None:
    assert isinstance(machine.instructions(text), str)


HOSTILE = {
    "code_pattern": [
        "(a|b)*a" + "." * 120,
        "(a*b*)*" * 100,
        "((a|b){1,99}){1,30}",
        "(.*a){40}",
        "(a?){99}" * 20,
        "|" * 1900,
    ],
    "code_network": ["1-2 " * 400, "1-2 2-1 " * 200, "1 - " * 3000],
    "code_machine": ["inc A\njmp 1", "inc A\ninc B\ninc C\njmp 1\n" * 40, "jmp 1\n" * 5000],
}


@pytest.mark.parametrize("case", READ)
def test_a_ladder_of_hostile_programs_costs_less_than_half_the_workers_limit(case: str) -> None:
    for text in HOSTILE[case]:
        answer = "\n\n".join(f"P{rung['rung']}:\n{text}" for rung in rungs(case))
        start = time.process_time()
        assert check(CASES[case], answer).score < 0.2
        assert time.process_time() - start < 1, text[:40]


@given(st.text(max_size=300) | st.text("P123:\n incjzmpABC-45()*|{}ab.", max_size=300))
@example("\r0")
@settings(max_examples=150, deadline=None)
def test_no_answer_breaks_the_reading_of_a_ladder(text: str) -> None:
    for case in READ:
        assert 0 <= check(CASES[case], f"P1: {text}\nP2:\n{text}").score < 0.5
    statements(text)
    statements(f"```python\n{text}\ndef f1(n):\n{text}")


@pytest.mark.parametrize(
    "piece",
    ["(", "-", "not ", "a.", "[", "x=1\n", "def f(\n", "@a\n", "lambda:", "f'{", "'''", "\\\n", "if a:\n "],
)
def test_no_text_is_parsed_for_long(piece: str) -> None:
    start = time.process_time()
    statements(piece * (200_000 // len(piece)))
    statements(f"```python\n{piece * (200_000 // len(piece))}")
    assert time.process_time() - start < 2


def test_gold_answers_stand_without_a_fence() -> None:
    for case in READ:
        assert check(CASES[case], gold(case)).score == 1
