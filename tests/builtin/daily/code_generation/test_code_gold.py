"""The gold of every rung, worked out again from what the prompt says, by ways of its own."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from builtin.daily.code_generation.ladders import CASES, gold, rungs, script
from watch.day.days import built_in

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "f1": lambda n: n + n,
    "f2": lambda s: "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in s),
    "f3": lambda a, b: sorted([a, b])[1],
    "f4": lambda s: re.findall("[^ ]+", s)[-1],
    "f5": lambda n: sum(ord(c) - 48 for c in str(n)),
    "f6": lambda s: len(re.findall("[aeiou]", s)),
    "f7": lambda s: re.sub("[^a-z]", "", s.lower()) == "".join(reversed(re.sub("[^a-z]", "", s.lower()))),
    "f8": lambda n: round(((1 + 5**0.5) / 2) ** n / 5**0.5),
    "f9": lambda n: [d for d in range(1, n + 1) if n % d == 0] == [1, n] and n > 1,
    "f10": lambda s: "".join(m[1] + str(len(m[0])) for m in re.finditer(r"(.)\1*", s)),
    "f11": lambda s: eval("(" + s.replace("*", ")*(") + ")"),
    "f12": lambda m: walk(m),
    "f13": lambda s: collapsed(s) == "",
    "f14": lambda n: numeral(n),
    "f15": lambda a, b: nearest(a, b),
    "f16": lambda n: placed(n, ()),
    "f17": lambda c: grown(c),
}


def walk(table: list[list[int]]) -> list[int]:
    """Step by step over the cells, turning right where there is no fresh one ahead."""
    fresh = {(y, x) for y, row in enumerate(table) for x in range(len(row))}
    at, ahead, found = (0, 0), (0, 1), []
    while at in fresh:
        fresh.remove(at)
        found.append(table[at[0]][at[1]])
        if (at[0] + ahead[0], at[1] + ahead[1]) not in fresh:
            ahead = (ahead[1], -ahead[0])
        at = (at[0] + ahead[0], at[1] + ahead[1])
    return found


def collapsed(text: str) -> str:
    while (shorter := text.replace("()", "").replace("[]", "").replace("{}", "")) != text:
        text = shorter
    return text


def numeral(n: int) -> str:
    places = [("M", "", ""), ("C", "D", "M"), ("X", "L", "C"), ("I", "V", "X")]
    text = ""
    for digit, (one, five, ten) in zip(f"{n:04d}", places, strict=True):
        text += [
            "",
            one,
            one * 2,
            one * 3,
            one + five,
            five,
            five + one,
            five + one * 2,
            five + one * 3,
            one + ten,
        ][int(digit)]
    return text


def nearest(a: str, b: str) -> int:
    """By breadth: all strings one change away, until b is among them."""
    letters, reached, steps = set(b), {a}, 0
    while b not in reached:
        cuts = [(s[:i], s[i:]) for s in reached for i in range(len(s) + 1)]
        reached |= {x + y[1:] for x, y in cuts if y}
        reached |= {x + c + y[1:] for x, y in cuts if y for c in letters}
        reached |= {x + c + y for x, y in cuts if len(x + y) < max(len(a), len(b)) for c in letters}
        steps += 1
    return steps


def placed(n: int, rows: tuple[int, ...]) -> int:
    if len(rows) == n:
        return 1
    free = [x for x in range(n) if all(x != r and abs(x - r) != len(rows) - i for i, r in enumerate(rows))]
    return sum(placed(n, (*rows, x)) for x in free)


def grown(cells: list[list[int]]) -> list[list[int]]:
    xs, ys = [c[0] for c in cells] or [0], [c[1] for c in cells] or [0]
    next_cells = []
    for x in range(min(xs) - 1, max(xs) + 2):
        for y in range(min(ys) - 1, max(ys) + 2):
            around = sum([x + i, y + j] in cells for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
            if around == 3 or (around == 2 and [x, y] in cells):
                next_cells.append([x, y])
    return next_cells


def test_what_the_short_functions_must_give() -> None:
    found = {rung["function"]: rung for rung in rungs("code_short")}
    assert list(found) == list(FUNCTIONS)
    for name, does in FUNCTIONS.items():
        assert f"- {name}(" in CASES["code_short"].prompt
        for test in found[name]["tests"]:
            assert does(*test["args"]) == test["expected"], (name, test)


def programs_of(case: str) -> list[str]:
    """Two interpreters of Pebble beside the reference: the gold, and the one at length among the wrong
    answers."""
    proofs = [each for each in built_in("code_generation", "proofs") if each["case"] == case]
    return [
        gold(case),
        *(
            each["answer"].split("```python")[1].split("```")[0]
            for each in proofs
            if "at length" in each["why"]
        ),
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_what_the_interpreter_must_print(number: int) -> None:
    names: dict[str, Any] = {}
    exec(programs_of("code_interpreter")[number], names)
    for rung in rungs("code_interpreter"):
        for test in rung["tests"]:
            assert names[rung["function"]](*test["args"]) == test["expected"], (rung["name"], test["args"][0])


def test_what_the_small_functions_must_give() -> None:
    """Worked out otherwise than by the script: by the fractions module and by adding and taking away 1000."""

    def into_range(n: int) -> int:
        while n > 499:
            n -= 1000
        while n < -500:
            n += 1000
        return n

    does: dict[str, Callable[..., Any]] = {
        "words": lambda line: re.findall(r"[^ ]+", line),
        "skipped": lambda line: re.fullmatch(r" *(#.*)?", line) is not None,
        "wrapped": into_range,
        "quotient": lambda a, b: into_range(math.trunc(Fraction(a, b))),
        "rest": lambda a, b: a - b * math.trunc(Fraction(a, b)),
    }
    asked = {
        rung["function"]: rung["tests"] for rung in rungs("code_interpreter") if rung["function"] != "run"
    }
    assert list(asked) == list(does)
    for name, tests in asked.items():
        assert f"    def {name}(" in CASES["code_interpreter"].prompt
        assert [does[name](*test["args"]) for test in tests] == [test["expected"] for test in tests], name


def test_the_programs_of_the_interpreter_use_what_their_group_is_about() -> None:
    words = {9: "set", 11: "else", 12: "loop", 13: "give", 14: "my", 15: "try", 16: "back", 17: "def"}
    for rung in [each for each in rungs("code_interpreter") if each["function"] == "run"]:
        text = "\n".join(test["args"][0] for test in rung["tests"])
        assert words.get(rung["rung"], "say") in text.split()
        assert len({tuple(test["expected"]) for test in rung["tests"]}) > len(rung["tests"]) / 2


LANGUAGES: list[Callable[[str], bool]] = [
    lambda s: s == "ab",
    lambda s: len(s) == 1,
    lambda s: s.endswith("b"),
    lambda s: s.endswith("ab"),
    lambda s: set(s) == {"a"},
    lambda s: len(s) == 3,
    lambda s: s in ("ab", "ba"),
    lambda s: s.startswith("a"),
    lambda s: s.endswith("bb"),
    lambda s: "aba" in s,
    lambda s: len(s) % 2 == 0,
    lambda s: s.count("b") == 2,
    lambda s: "bb" not in s,
    lambda s: len(s) > 0 and s[0] == s[-1],
    lambda s: "aba" not in s,
    lambda s: s.count("a") % 2 == 0 and s.count("b") % 2 == 0,
    lambda s: divisible(s, 3),
    lambda s: all(abs(s[:n].count("a") - s[:n].count("b")) <= 2 for n in range(len(s) + 1)),
    lambda s: "abb" not in s and "bab" not in s,
    lambda s: places(s, "aa") == 1 and places(s, "bb") == 1,
    lambda s: s.count("a") % 3 == 0 and s.count("b") % 2 == 0,
    lambda s: divisible(s, 5),
    lambda s: "aabb" not in s and "abab" not in s,
    lambda s: s.count("a") % 2 == 1 and s.count("b") % 2 == 1 and "bb" not in s,
    lambda s: divisible(s, 7),
    lambda s: divisible(s[::-1], 7),
]


def divisible(text: str, by: int) -> bool:
    return text != "" and int(text.replace("a", "0").replace("b", "1"), 2) % by == 0


def places(text: str, word: str) -> int:
    return sum(text.startswith(word, at) for at in range(len(text)))


def test_what_the_expressions_must_match() -> None:
    expressions = [line.split(": ")[1] for line in gold("code_pattern").split("\n")]
    strings = ["".join(letters) for length in range(11) for letters in itertools.product("ab", repeat=length)]
    for rung, right, expression in zip(rungs("code_pattern"), LANGUAGES, expressions, strict=True):
        compiled = re.compile(expression)
        for string in strings:
            state = 0
            for letter in string:
                state = rung["next"][state]["ab".index(letter)]
            assert (state in rung["accepts"]) == right(string) == bool(compiled.fullmatch(string)), (
                rung["name"],
                string,
            )


RANKS = {"smaller": 1, "smallest": 1, "second smallest": 2, "third smallest": 3, "middle": 3}
"""Of the networks that place some values only; the largest of all is the number of wires."""


def test_what_the_networks_must_do() -> None:
    chance = random.Random(5)
    for rung, line in zip(rungs("code_network"), gold("code_network").split("\n"), strict=True):
        stated = next(
            each for each in CASES["code_network"].prompt.split("\n") if each.startswith(f"P{rung['rung']}: ")
        )
        wires, order = int(stated.split()[1]), re.search(r"on the wires ([\d, ]+) \[", stated)
        assert rung["wires"] == wires
        assert stated.endswith(f"[{rung['limit']}]")
        if order:
            assert rung["ends"] == {int(wire): rank for rank, wire in enumerate(order[1].split(", "), 1)}
        else:
            told = re.findall(
                r"(?:the|and the) (\w+(?: smallest)?)(?: value)?(?: \(.*?\))?(?: ends)? on wire (\d)", stated
            )
            assert rung["ends"] == {int(wire): RANKS.get(rank, wires) for rank, wire in told}
        comparators = [tuple(map(int, each.split("-"))) for each in line.split()[1:]]
        assert len(comparators) <= rung["limit"]
        for _ in range(60):
            values = [chance.randint(0, 20) for _ in range(wires)]
            held = dict(enumerate(values, 1))
            for low, high in comparators:
                held[low], held[high] = sorted((held[low], held[high]))
            assert {wire: held[wire] for wire in rung["ends"]} == {
                wire: sorted(values)[rank - 1] for wire, rank in rung["ends"].items()
            }


def ones(a: int) -> int:
    return bin(a).count("1")


def root(a: int) -> int:
    return max(n for n in range(a + 2) if n * n <= a)


def rabbits(a: int) -> int:
    return a if a < 2 else rabbits(a - 1) + rabbits(a - 2)


def steps_to_one(a: int) -> int:
    steps = 0
    while a != 1:
        a, steps = (a // 2 if a % 2 == 0 else 3 * a + 1), steps + 1
    return steps


COUNTED: list[Callable[[int, int], int]] = [
    lambda a, b: -~a,
    lambda a, b: a + 2,
    lambda a, b: a + 3,
    lambda a, b: len(range(1, a)),
    lambda a, b: len(range(2, a)),
    lambda a, b: sum((a, b, 1)),
    lambda a, b: 0,
    lambda a, b: a - min(a, b),
    lambda a, b: b,
    lambda a, b: a + a + a,
    lambda a, b: len(range(1, a, 2)),
    lambda a, b: sorted((a, b))[1],
    lambda a, b: sum([a] * b),
    lambda a, b: a - b * len(range(b, a + 1, b)),
    lambda a, b: len(range(b, a + 1, b)),
    lambda a, b: 1 << a,
    lambda a, b: ones(a),
    lambda a, b: root(a),
    lambda a, b: rabbits(a),
    lambda a, b: max(d for d in range(1, a + 1) if a % d == b % d == 0),
    lambda a, b: steps_to_one(a),
    lambda a, b: int(len([d for d in range(1, a + 1) if a % d == 0]) == 2),
]


def test_what_the_register_machine_must_leave_in_a() -> None:
    for rung, does in zip(rungs("code_machine"), COUNTED, strict=True):
        assert f"[{rung['limit']}]\n" in CASES["code_machine"].prompt
        for run in rung["runs"]:
            assert does(run["a"], run["b"]) == run["expected"], (rung["name"], run)


def test_the_cases_are_those_of_the_script() -> None:
    made = script("code_generation")
    assert {
        "code_short": (made.short_prompt(), made.short_gold()),
        "code_pattern": (made.pattern_prompt(), made.pattern_gold()),
        "code_network": (made.network_prompt(), made.network_gold()),
        "code_machine": (made.machine_prompt(), made.machine_gold()),
    } == {name: (case.prompt, case.gold) for name, case in CASES.items() if name != "code_interpreter"}
    assert CASES["code_interpreter"].prompt == made.PEBBLE


@pytest.mark.soak  # the prompts and gold answers of the script are compared above; this makes all of it again
def test_the_script_writes_the_file_anew_to_the_letter() -> None:
    made = script("code_generation")
    assert made.text() == made.FILE.read_text(encoding="utf-8")


def test_limits_are_in_the_prompt() -> None:
    for rung in rungs("code_short"):
        line = next(
            each
            for each in CASES["code_short"].prompt.split("\n")
            if each.startswith(f"- {rung['function']}(")
        )
        assert ("limit" in rung) == line.endswith("characters]")
        assert "limit" not in rung or line.endswith(f"[at most {rung['limit']} characters]")
    limits = {rung.get("limit") for rung in rungs("code_interpreter")}
    assert all(f"at most {limit} characters" in CASES["code_interpreter"].prompt for limit in limits if limit)
