"""The gold values of the puzzles of Math & Reasoning are right: each is found once more, by counting or by another way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

import msgspec
import sympy  # type: ignore[import-untyped]

from builtin.daily.puzzles import puzzles
from probatio.builtin.daily.math_reasoning.grader import Gold, Values
from probatio.builtin.daily.math_reasoning.numbers import exact

CASES = puzzles("math_reasoning")


def gold(case: str) -> dict[str, str]:
    answers = msgspec.convert(CASES[case].gold, Gold).answers
    return {asked.label: ", ".join(asked.values) if isinstance(asked, Values) else asked.value for asked in answers}


def numbers(case: str) -> dict[str, Fraction | None]:
    return {label: exact(value) for label, value in gold(case).items()}


def test_the_basics() -> None:
    assert numbers("math_basics") == {
        "A": 38 + 47, "B": 12 * 9, "C": 144 // 16, "D": 12 * Fraction("0.45"), "E": Fraction(15, 100) * 80,
        "F": Fraction(3, 4) - Fraction(1, 6), "G": Fraction("3.60") / Fraction("3.20") - 1, "H": math.lcm(18, 24),
    }  # fmt: skip


def test_the_steps() -> None:
    assert numbers("math_steps") == {
        "A": 15 - 6, "B": 12 * 7, "C": 24 * 2, "D": Fraction("2.5") * 60, "E": 9 * 4, "F": 250 // 2, "G": 2**7, "H": 40 - 40 // 4,
    }  # fmt: skip


def test_the_train() -> None:
    first, last = Fraction(84, 60), Fraction(45, 75)
    whole = first + Fraction(12, 60) + last
    speed = 126 / first
    assert numbers("math_train") == {"A": speed, "B": speed * 1000 / 3600, "C": whole * 60, "D": (126 + 45) / whole}


def test_the_urn() -> None:
    draws = list(combinations("rrrrrbbbbggg", 3))
    mixed = [draw for draw in draws if len(set(draw)) > 1]

    def share(some: Sequence[object], of: Sequence[object]) -> Fraction:
        return Fraction(len(some), len(of))

    assert numbers("math_urn") == {
        "A": share([draw for draw in draws if len(set(draw)) == 3], draws),
        "B": share([draw for draw in draws if draw.count("r") >= 2], draws),
        "C": share([draw for draw in mixed if "r" not in draw], mixed),
        "D": Fraction(sum(len(set(draw)) for draw in draws), len(draws)),
    }


def test_the_algebra() -> None:
    x = sympy.Symbol("x")

    def read(text: str) -> sympy.Expr:
        return sympy.sympify(text.replace("^", "**").replace(" e**", "*exp").replace("e**2", "exp(2)").replace("3x", "3*x")
                             .replace("2x", "2*x").replace("8x", "8*x"))  # fmt: skip

    values = gold("math_algebra")
    assert {sympy.Integer(value) for value in values["A"].split(",")} == set(sympy.solve(x**4 - 13 * x**2 + 36, x))
    assert sympy.simplify(read(values["B"]) - sympy.diff(x**2 * sympy.exp(-3 * x), x)) == 0
    assert sympy.simplify(read(values["C"]) - sympy.integrate(x * sympy.exp(2 * x), (x, 0, 1))) == 0
    assert sympy.simplify(read(values["D"]) - sympy.sin(sympy.rad(75))) == 0
    assert sympy.Integer(values["E"]) == (x**2 + 16 / x).subs(x, 2)
    assert all((value**2 + 16 / value) > 12 for value in (1.9, 2.1))
    assert read(values["F"]) == sympy.rem(x**5 - 2 * x**3 + 3 * x + 7, x**2 + x - 2)


def test_the_seats() -> None:
    people = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus")
    rows = []
    for row in permutations(people):
        seat = {person: number for number, person in enumerate(row, 1)}
        if (
            abs(seat["Cleo"] - seat["Dan"]) == 3 and seat["Eva"] not in (1, 7) and seat["Gus"] % 2 == 0
            and abs(seat["Eva"] - seat["Gus"]) == 1 and seat["Ben"] == seat["Ada"] + seat["Gus"]
            and abs(seat["Dan"] - seat["Gus"]) != 1
        ):  # fmt: skip
            rows.append((row, seat))
    ((row, seat),) = rows
    values = gold("math_seats")
    assert [values[label] for label in "ABCD"] == [row[0], row[2], row[4], row[5]]
    assert values["E"] == str(seat["Dan"] * seat["Ben"])


def test_the_counting() -> None:
    upto = range(1, 2001)
    ways = sum(
        1
        for fifties, twenties, tens in product(range(5), range(11), range(21))
        if 50 * fifties + 20 * twenties + 10 * tens <= 200  # fives fill up what is missing
    )
    quotient = str(math.factorial(1000) // math.factorial(500))
    assert numbers("math_counting") == {
        "A": sum(1 for n in upto if (n % 6 == 0 or n % 10 == 0) and n % 15),
        "B": sum(1 for n in upto if sum(map(int, str(n))) == 15),
        "C": 13**147 % 1000,
        "D": ways,
        "E": len(quotient) - len(quotient.rstrip("0")),
        "F": sum(1 for bits in product("01", repeat=10) if "000" not in "".join(bits)),
        "G": 48379 * 72648,
    }


def test_every_letter_of_a_case_is_asked_for_in_its_prompt() -> None:
    for case in CASES.values():
        for label in gold(case.id):
            assert f"\n{label}. " in f"\n{case.prompt}"
            assert f"\n{label}: ..." in case.prompt
