"""Makes the five ladders of Math & Reasoning and their proofs.

python config/ladders/math_reasoning.py            writes cases.yml and proofs.yml into the daily suite
python config/ladders/math_reasoning.py --check    exits with 1 where they are not what this script makes

Every rung has a row in a table below and chance of its own: to tune a rung, change its row; the others stay as they are.
"""

from __future__ import annotations

import math
import random
from typing import Any

from case_files import Ladder, cases_text, flow, proofs_text, write
from math_proofs import Task, proofs
from math_stories import EASY, HARD, MIDDLE, NAMES, story

RUNGS = 15  # of every ladder: five easy, five for ordinary models, five beyond who answers at once
SEED = 3
# The last rung of each family is so long that even who thinks for an hour will hardly reach its end without a slip.

PRODUCTS = (  # digits of the two factors
    (1, 1), (2, 1), (2, 2), (3, 2), (3, 3),
    (4, 3), (4, 4), (5, 5), (6, 6), (7, 7),
    (8, 8), (9, 9), (10, 10), (13, 13), (20, 20),
)  # fmt: skip
REMAINDERS = (  # digits of the dividend, the divisor
    (2, 4), (2, 7), (3, 6), (3, 9), (3, 13),
    (4, 17), (5, 19), (6, 23), (8, 37), (10, 47),
    (13, 71), (18, 83), (27, 97), (45, 193), (110, 389),
)  # fmt: skip
CHECKPOINTS = (1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 27, 39, 59, 99, 400)  # the gap to the one before makes a rung hard
STORIES = (  # sentences, and of which kinds
    (3, EASY), (3, EASY), (4, EASY), (4, EASY), (5, EASY),
    (5, MIDDLE), (6, MIDDLE), (7, MIDDLE), (8, MIDDLE), (10, MIDDLE),
    (13, HARD), (17, HARD), (22, HARD), (30, HARD), (60, HARD),
)  # fmt: skip
LETTERS = (4, 5, 6, 7, 9, 11, 14, 18, 24, 32, 50, 70, 100, 150, 400)  # length of the string
INVERSIONS = (2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 15, 19, 26, 60)  # numbers in the row
GRIDS = (  # rows, columns, blocked squares
    (2, 2, 0), (2, 3, 0), (2, 4, 0), (3, 3, 0), (3, 3, 1),
    (3, 4, 1), (3, 5, 1), (4, 4, 1), (4, 5, 2), (5, 5, 2),
    (6, 6, 3), (7, 7, 4), (8, 8, 5), (10, 10, 8), (16, 16, 20),
)  # fmt: skip
DEPTHS = (1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 9, 13, 18, 27, 150)  # functions applied one after the other
BASES = (  # base, digits
    (2, 2), (2, 3), (2, 4), (3, 3), (5, 3),
    (2, 8), (7, 4), (6, 5), (7, 6), (9, 7),
    (7, 9), (9, 11), (7, 14), (9, 18), (7, 40),
)  # fmt: skip
POWERS = (  # base, exponent, divisor
    (2, 3, 5), (3, 3, 4), (5, 2, 7), (2, 5, 9), (3, 4, 10),
    (7, 3, 11), (2, 10, 13), (3, 8, 17), (5, 9, 23), (7, 12, 31),
    (23, 37, 101), (57, 91, 211), (123, 145, 409), (345, 678, 1009), (123456, 7654321, 99991),
)  # fmt: skip

ONLY = (
    "Write the answers only, at once, without working and without any other text: one line for each task, in the order of the\n"
    "tasks, with the label, a colon and {what}. Answer every task; where you are not sure, give your best guess."
)


def chance(family: str, rung: int) -> random.Random:
    return random.Random(f"{family}{rung}/{SEED}")


def whole(digits: int, draw: random.Random) -> int:
    """A number of so many digits, without a 0 or 1 at its ends and, if it is long, with few that are easy."""
    digit = [draw.choice("23456789"), *(draw.choice("0123456789") for _ in range(digits - 2)), draw.choice("3467892")]
    return int("".join(digit[-digits:] if digits > 1 else digit[:1]))


def number(label: str, rung: int, name: str, question: str, value: int, kind: str = "number") -> Task:
    return Task(label, f"{label}. {question}", {"label": label, "name": name, "rung": rung, "kind": kind, "value": str(value)})


def row(label: str, rung: int, name: str, question: str, values: tuple[int, ...], names: tuple[str, ...]) -> Task:
    gold = {"label": label, "name": name, "rung": rung, "kind": "row", "values": list(values), "names": list(names)}
    return Task(label, question, gold)


def products() -> tuple[str, list[Task]]:
    tasks: list[Task] = []
    used = {0, 1}  # no remainder twice: one number for all tasks must not pay
    for rung, (sizes, (length, divisor)) in enumerate(zip(PRODUCTS, REMAINDERS, strict=True), start=1):
        a, b = (whole(size, chance(f"P{side}", rung)) for side, size in enumerate(sizes))
        kind = "digits" if a * b > 999 else "number"
        tasks.append(number(f"P{rung}", rung, "product", f"{a} × {b}", a * b, kind))
        draw = chance("R", rung)
        dividend = next(n for n in iter(lambda: whole(length, draw), None) if n % divisor not in used)
        used.add(dividend % divisor)
        tasks.append(number(f"R{rung}", rung, "remainder", f"{dividend} divided by {divisor}", dividend % divisor))
    head = (
        "Thirty tasks, from easy to very hard. P: multiply the two numbers. R: divide the first whole number by the second and give\n"
        f"the remainder (17 divided by 5 leaves 2).\n\n{ONLY.format(what='the number')} The first line begins with \"P1:\".\n\n"
    )
    return head, tasks


RULES = """\
1. a becomes a + d.
2. If a is even, b becomes b + 3; if a is odd, b becomes b + a.
3. If c is less than b, c becomes c + b; otherwise c becomes c - b.
4. If d is less than c, d becomes 2 * d + 1; otherwise d becomes d - c."""


def trace() -> tuple[str, list[Task]]:
    a, b, c, d = 2, 3, 5, 7
    tasks = []
    for step in range(1, CHECKPOINTS[-1] + 1):
        a = (a + d) % 100
        b = (b + (a if a % 2 else 3)) % 100
        c = (c + b if c < b else c - b) % 100
        d = (2 * d + 1 if d < c else d - c) % 100
        if step in CHECKPOINTS:
            rung = CHECKPOINTS.index(step) + 1
            tasks.append(row(f"S{step}", rung, f"after step {step}", "", (a, b, c, d), ("a", "b", "c", "d")))
    head = (
        "Four counters start with a = 2, b = 3, c = 5, d = 7. Then one step after the other is carried out. Every step consists of these\n"
        f"four lines, in this order, and each line uses the newest values:\n\n{RULES}\n\n"
        "After every line only the last two digits of the new value are kept (118 becomes 18, 205 becomes 5).\n\n"
        f"What are the four counters after step {', '.join(map(str, CHECKPOINTS[:-1]))} and {CHECKPOINTS[-1]}?\n\n"
        "Write the answers only, at once, without working and without any other text: one line for each of these steps, with S and the\n"
        "number of the step, a colon, and the values of a, b, c and d in this order, separated by spaces. Write all "
        f"{RUNGS} lines; where you\nare not sure, give your best guess. The lines begin with:\n"
        + "\n".join(f"{task.label}:" for task in tasks)
    )
    return head, tasks


def words() -> tuple[str, list[Task]]:
    tasks = []
    for rung, (steps, kinds) in enumerate(STORIES, start=1):
        text, coins = story(steps, kinds, chance("W", rung))
        tasks.append(row(f"W{rung}", rung, f"story of {steps}", f"W{rung}. {text}", coins, NAMES))
    head = (
        "Fifteen stories, from short to very long. In each, Ada, Mia and Eva have some coins at the start, and then one thing happens after\n"
        "the other. How many coins does each of them have at the end?\n\n"
        f"{ONLY.format(what='three numbers separated by spaces: the coins of Ada, of Mia and of Eva').replace('task', 'story').replace('storys', 'stories').replace('label', 'number of the story')}\n"
        'The first line begins with "W1:".\n\n'
    )
    return head, tasks


def paths(rows: int, columns: int, blocked: set[tuple[int, int]]) -> int:
    ways = {(0, 1): 1}
    for r in range(1, rows + 1):
        for c in range(1, columns + 1):
            ways[r, c] = 0 if (r, c) in blocked else ways.get((r - 1, c), 0) + ways.get((r, c - 1), 0)
    return ways[rows, columns]


def _grid(rows: int, columns: int, count: int, draw: random.Random) -> list[tuple[int, int]]:
    """Blocked squares, not next to the two corners, that leave more than a third of the paths."""
    squares = [
        (r, c) for r in range(1, rows + 1) for c in range(1, columns + 1) if 1 < r + c - 1 < rows + columns - 1
    ]
    while True:
        blocked = sorted(draw.sample(squares, count))
        if 3 ** (1 + count // 4) * paths(rows, columns, set(blocked)) > math.comb(rows + columns - 2, rows - 1):
            return blocked


def counting() -> tuple[str, list[Task]]:
    tasks: list[Task] = []
    used: set[tuple[str, int]] = set()  # no value twice: one number for all tasks must not pay
    for rung, (length, count, (rows, columns, holes)) in enumerate(zip(LETTERS, INVERSIONS, GRIDS, strict=True), start=1):
        draw = chance("L", rung)
        occurs = 0
        while not 1 < occurs < length or ("L", occurs) in used:
            letters = draw.sample("bdghkmnpt", 3)
            text = "".join(draw.choices(letters, k=length))
            occurs = text.count(letters[0])
        tasks.append(number(f"L{rung}", rung, "letters", f"{letters[0]} in {text}", occurs, "near"))
        draw = chance("I", rung)
        turned = 0
        while not turned or ("I", turned) in used:
            numbers = draw.sample(range(1, max(10, 2 * count)), count)
            turned = sum(numbers[i] > numbers[j] for j in range(count) for i in range(j))
        tasks.append(number(f"I{rung}", rung, "inversions", " ".join(map(str, numbers)), turned, "near"))
        used |= {("L", occurs), ("I", turned)}
        blocked = _grid(rows, columns, holes, chance("G", rung))
        told = ", blocked " + " ".join(f"({r},{c})" for r, c in blocked) if blocked else ""
        kind = "digits" if rung > 2 * RUNGS // 3 else "number"
        tasks.append(number(f"G{rung}", rung, "paths", f"{rows} × {columns}{told}", paths(rows, columns, set(blocked)), kind))
    head = (
        "Forty-five tasks, from easy to very hard.\n"
        "L: How many times does the letter occur in the string?\n"
        "I: In how many pairs of numbers of the row is the earlier one larger than the later one? (In the row 5 3 4 there are 2.)\n"
        "G: A grid has so many rows × columns. How many ways lead from the square in the first row and first column to the one in the last\n"
        "row and last column, if each move goes one square to the right or one square down, and blocked squares (row,column) may not be\n"
        f"entered?\n\n{ONLY.format(what='the number')} The first line begins with \"L1:\".\n\n"
    )
    return head, tasks


def f(n: int) -> int:
    return n // 2 if n % 2 == 0 else n + 101


def g(n: int) -> int:
    return (7 * n + 5) % 1000


def h(n: int) -> int:
    return 1000 - n if n > 500 else 2 * n + 3


def _nested(depth: int, largest: int, draw: random.Random) -> tuple[str, int]:
    """A row of functions and its value; no value on the way is negative, of which nobody knows the last three digits."""
    while True:
        start, names = draw.randint(4, largest), "".join(draw.choices("fgh", k=depth))
        values = [start]
        for name in reversed(names):
            values.append({"f": f, "g": g, "h": h}[name](values[-1]))
        if min(values) >= 0:
            return f"{names}({start})", values[-1]


def functions() -> tuple[str, list[Task]]:
    tasks = []
    for rung, (depth, (base, digits), (low, power, divisor)) in enumerate(zip(DEPTHS, BASES, POWERS, strict=True), start=1):
        question, value = _nested(depth, 60 if rung <= RUNGS // 3 else 400, chance("F", rung))
        tasks.append(number(f"F{rung}", rung, "functions", question, value))
        draw = chance("B", rung)
        written = draw.choice("123456789"[: base - 1]) + "".join(draw.choices("0123456789"[:base], k=digits - 1))
        value = int(written, base)
        kind = "digits" if value > 999 else "number"
        tasks.append(number(f"B{rung}", rung, "base", f"{written} in base {base}", value, kind))
        tasks.append(number(f"M{rung}", rung, "power", f"{low}^{power} divided by {divisor}", pow(low, power, divisor)))
    head = (
        "Forty-five tasks, from easy to very hard.\n"
        "F: Three functions of whole numbers are given.\n"
        "   f(n) is n / 2 if n is even, and n + 101 if n is odd.\n"
        "   g(n) is 7 * n + 5, of which only the last three digits are kept (1245 becomes 245).\n"
        "   h(n) is 1000 - n if n is greater than 500, and 2 * n + 3 otherwise.\n"
        "   Several letters mean one function after the other, from right to left: fgh(5) is f(g(h(5))). What is the value?\n"
        "B: Which number, written in the usual base 10, is this?\n"
        "M: What is the remainder when the power is divided by the number? (2^4 divided by 5 leaves 1.)\n\n"
        f"{ONLY.format(what='the number')} The first line begins with \"F1:\".\n\n"
    )
    return head, tasks


LADDERS: tuple[tuple[str, int, Any], ...] = (
    ("math_products", 1, products),
    ("math_trace", 2, trace),
    ("math_words", 2, words),
    ("math_counting", 3, counting),
    ("math_functions", 3, functions),
)


def made() -> tuple[str, str]:
    """The text of cases.yml and of proofs.yml."""
    ladders, worked = [], []
    for name, difficulty, make in LADDERS:
        head, tasks = make()
        prompt = head + "\n".join(task.question for task in tasks if task.question)
        gold = "\n".join(["answers:", *(f"  - {flow(task.gold)}" for task in tasks)])
        ladders.append(Ladder(name, difficulty, RUNGS, prompt, gold))
        worked += proofs(name, prompt, tasks, RUNGS)
    head = "Math & Reasoning: five ladders of fifteen rungs, made by config/ladders/math_reasoning.py. Change the script, not this file."
    return cases_text(head, ladders), proofs_text("config/ladders/math_reasoning.py", worked)


if __name__ == "__main__":
    write("math_reasoning", *made())
