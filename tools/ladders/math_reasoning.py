"""Makes the five ladders of Math & Reasoning and their proofs.

python tools/ladders/math_reasoning.py            writes cases.yml and proofs.yml into the daily suite
python tools/ladders/math_reasoning.py --check    exits with 1 where they are not what this script makes

Every rung has a row in a table below and chance of its own: to tune a rung, change its row; the others stay as they are.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import math_prompts
from case_files import Ladder, cases_text, flow, proofs_text, write
from math_proofs import Task, proofs
from math_stories import EASY, FIRST, HARD, MIDDLE, NAMES, story

RUNGS = 15  # of every ladder: five easy, five for ordinary models, five beyond who answers at once
SEED = 3
# The last rung of each family is so long that even who thinks for an hour will hardly reach its end without a slip.

# The families SUMS, GROWTH and NEXT end in the middle: the models they are for get no further.

SUMS = ((1, 1), (1, 1), (2, 1), (2, 2), (2, 2), (3, 2), (3, 3), (4, 4))  # digits of the two numbers
PRODUCTS = (  # digits of the two factors
    (1, 1), (2, 1), (3, 1), (2, 2), (3, 2),
    (3, 3), (4, 4), (5, 5), (6, 6), (7, 7),
    (8, 8), (9, 9), (10, 10), (13, 13), (20, 20),
)  # fmt: skip
REMAINDERS = (  # digits of the dividend, the divisor
    (2, 4), (2, 5), (2, 7), (2, 9), (3, 8),
    (3, 13), (4, 17), (5, 19), (6, 23), (7, 29),
    (13, 71), (18, 83), (27, 97), (45, 193), (110, 389),
)  # fmt: skip
CHECKPOINTS = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    10,
    12,
    20,
    36,
    60,
    100,
    400,
)  # the gap to the one before makes a rung hard
GROWTH = (5, 3)  # where the machine that only grows begins, and by how much it grows
GROWN = 8  # rungs that ask for it
STORIES = (  # sentences, and of which kinds
    (3, FIRST), (3, FIRST), (3, FIRST), (3, EASY), (4, EASY),
    (5, MIDDLE), (6, MIDDLE), (7, MIDDLE), (8, MIDDLE), (10, MIDDLE),
    (13, HARD), (17, HARD), (22, HARD), (30, HARD), (60, HARD),
)  # fmt: skip
NEXT = (
    (2, 2),
    (5, 5),
    (10, 10),
    (1, 2),
    (3, 3),
    (90, -10),
    (4, 5),
    (1, 3),
    (50, -5),
    (7, 11),
)  # first number, difference
LETTERS = (3, 4, 5, 6, 7, 9, 10, 12, 14, 17, 50, 70, 100, 150, 400)  # length of the string
INVERSIONS = (2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 12, 15, 19, 26, 60)  # numbers in the row
OFTEN = 4  # times that a value may be right in a ladder of counting
GRIDS = (  # rows, columns, blocked squares
    (2, 2, 0), (2, 4, 0), (2, 3, 0), (3, 3, 0), (2, 5, 0),
    (3, 4, 0), (3, 3, 1), (3, 4, 1), (3, 5, 1), (4, 4, 1),
    (6, 6, 3), (7, 7, 4), (8, 8, 5), (10, 10, 8), (16, 16, 20),
)  # fmt: skip
CHAINS = (1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 24, 40, 60, 90, 200)  # signs in the sum
DEPTHS = (  # functions applied one after the other, the largest number they begin with
    (1, 9), (1, 9), (1, 20), (1, 40), (2, 9),
    (2, 12), (2, 20), (2, 40), (3, 12), (3, 20),
    (9, 400), (13, 400), (18, 400), (27, 400), (150, 400),
)  # fmt: skip
BASES = (  # base, digits
    (2, 2), (2, 3), (2, 4), (3, 3), (5, 2),
    (2, 6), (5, 3), (7, 3), (2, 8), (7, 4),
    (7, 9), (9, 11), (7, 14), (9, 18), (7, 40),
)  # fmt: skip
POWERS = (  # base, exponent, divisor
    (2, 3, 5), (3, 2, 4), (5, 2, 7), (2, 4, 9), (3, 3, 10),
    (2, 5, 7), (7, 3, 11), (2, 10, 13), (3, 8, 17), (5, 9, 23),
    (23, 37, 101), (57, 91, 211), (123, 145, 409), (345, 678, 1009), (123456, 7654321, 99991),
)  # fmt: skip


def chance(family: str, rung: int) -> random.Random:
    return random.Random(f"{family}{rung}/{SEED}")


def whole(digits: int, draw: random.Random) -> int:
    """A number of so many digits, without a 0 or 1 at its ends and, if it is long, with few that are easy."""
    digit = [
        draw.choice("23456789"),
        *(draw.choice("0123456789") for _ in range(digits - 2)),
        draw.choice("3467892"),
    ]
    return int("".join(digit[-digits:] if digits > 1 else digit[:1]))


def number(label: str, rung: int, name: str, question: str, value: int, kind: str = "number") -> Task:
    return Task(
        label,
        f"{label}. {question} =",
        {"label": label, "name": name, "rung": rung, "kind": kind, "value": str(value)},
    )


def row(
    label: str, rung: int, name: str, question: str, values: tuple[int, ...], names: tuple[str, ...]
) -> Task:
    gold = {
        "label": label,
        "name": name,
        "rung": rung,
        "kind": "row",
        "values": list(values),
        "names": list(names),
    }
    return Task(label, question, gold)


def grouped(tasks: list[Task]) -> list[Task]:
    """One family after the other: small models that are asked now this, now that answer everything alike."""
    families = list(dict.fromkeys(task.label[0] for task in tasks))
    return sorted(tasks, key=lambda task: families.index(task.label[0]))


def products() -> tuple[str, list[Task]]:
    tasks: list[Task] = []
    used = {0, 1}  # no remainder twice: one number for all tasks must not pay
    for rung, (sizes, (length, divisor)) in enumerate(zip(PRODUCTS, REMAINDERS, strict=True), start=1):
        if rung <= len(SUMS):
            a, b = (whole(size, chance(f"A{side}", rung)) for side, size in enumerate(SUMS[rung - 1]))
            tasks.append(
                number(f"A{rung}", rung, "sum", f"{a} + {b}", a + b, "digits" if a + b > 999 else "number")
            )
        a, b = (whole(size, chance(f"P{side}", rung)) for side, size in enumerate(sizes))
        kind = "digits" if a * b > 999 else "number"
        tasks.append(number(f"P{rung}", rung, "product", f"{a} × {b}", a * b, kind))
        draw = chance("R", rung)
        dividend = 0
        while dividend % divisor in used:
            dividend = whole(length, draw)
        used.add(dividend % divisor)
        tasks.append(number(f"R{rung}", rung, "remainder", f"{dividend} mod {divisor}", dividend % divisor))
    return math_prompts.PRODUCTS, grouped(tasks)


def trace() -> tuple[str, list[Task]]:
    x, a, b, c, d = 9, 2, 3, 5, 7
    tasks: list[Task] = []
    for step in range(1, CHECKPOINTS[-1] + 1):
        x = (x + step if x % 2 else x // 2 + step) % 100
        a = (a + d) % 100
        b = (b + (a if a % 2 else 3)) % 100
        c = (c + b if c < b else c - b) % 100
        d = (2 * d + 1 if d < c else d - c) % 100
        if step in CHECKPOINTS:
            rung = CHECKPOINTS.index(step) + 1
            if rung <= GROWN:
                tasks.append(number(f"R{step}", rung, f"after step {step}", "", GROWTH[0] + step * GROWTH[1]))
            tasks.append(number(f"T{step}", rung, f"after step {step}", "", x))
            tasks.append(row(f"S{step}", rung, f"after step {step}", "", (a, b, c, d), ("a", "b", "c", "d")))
    tasks = grouped(tasks)
    steps = f"{', '.join(map(str, CHECKPOINTS[:-1]))} and {CHECKPOINTS[-1]}"
    labels = "\n".join(f"{task.label}:" for task in tasks)
    grown = dict(zip(("begin", "more"), GROWTH, strict=True), last=CHECKPOINTS[GROWN - 1])
    return math_prompts.TRACE.format(steps=steps, count=len(tasks), labels=labels, **grown), tasks


def words() -> tuple[str, list[Task]]:
    tasks = []
    for rung, (steps, kinds) in enumerate(STORIES, start=1):
        text, coins = story(steps, kinds, chance("W", rung))
        tasks.append(row(f"W{rung}", rung, f"story of {steps}", f"W{rung}. {text}", coins, NAMES))
    return math_prompts.WORDS, tasks


def paths(rows: int, columns: int, blocked: set[tuple[int, int]]) -> int:
    ways = {(0, 1): 1}
    for r in range(1, rows + 1):
        for c in range(1, columns + 1):
            ways[r, c] = 0 if (r, c) in blocked else ways.get((r - 1, c), 0) + ways.get((r, c - 1), 0)
    return ways[rows, columns]


def _grid(rows: int, columns: int, count: int, draw: random.Random) -> list[tuple[int, int]]:
    """Blocked squares, not next to the two corners, that leave more than a third of the paths."""
    squares = [
        (r, c)
        for r in range(1, rows + 1)
        for c in range(1, columns + 1)
        if 1 < r + c - 1 < rows + columns - 1
    ]
    while True:
        blocked = sorted(draw.sample(squares, count))
        if 3 ** (1 + count // 4) * paths(rows, columns, set(blocked)) > math.comb(
            rows + columns - 2, rows - 1
        ):
            return blocked


def counting() -> tuple[str, list[Task]]:
    tasks: list[Task] = []
    grids = [_grid(*size, chance("G", rung)) for rung, size in enumerate(GRIDS, start=1)]
    ways = [
        paths(rows, columns, set(blocked)) for (rows, columns, _), blocked in zip(GRIDS, grids, strict=True)
    ]
    used = Counter(ways)  # no value often, nor that of the rung, nor the last one's:
    occurs = turned = (
        0  # neither one number for all, nor counting up, nor an answer in the wrong line may pay
    )
    for rung, (length, count) in enumerate(zip(LETTERS, INVERSIONS, strict=True), start=1):
        if rung <= len(NEXT):
            *shown, following = (NEXT[rung - 1][0] + at * NEXT[rung - 1][1] for at in range(5))
            tasks.append(number(f"N{rung}", rung, "next", f"{' '.join(map(str, shown))}, then", following))
        draw, barred = chance("L", rung), (0, rung, occurs)
        occurs = 0
        while occurs in barred or occurs > max(2, 0.7 * length) or used[occurs] >= OFTEN:
            letters = draw.sample("bdghkmnpt", 3)
            text = "".join(draw.choices(letters, k=length))
            occurs = text.count(letters[0])
        used[occurs] += 1
        tasks.append(number(f"L{rung}", rung, "letters", f"{letters[0]} in {text}", occurs, "near"))
        draw, barred = chance("I", rung), (0, rung if rung > 1 else 0, turned)
        turned = 0
        while turned in barred or used[turned] >= OFTEN:
            numbers = draw.sample(range(1, max(10, 2 * count)), count)
            turned = sum(numbers[i] > numbers[j] for j in range(count) for i in range(j))
        used[turned] += 1
        tasks.append(number(f"I{rung}", rung, "inversions", " ".join(map(str, numbers)), turned, "near"))
        rows, columns, _ = GRIDS[rung - 1]
        told = ", blocked " + " ".join(f"({r},{c})" for r, c in grids[rung - 1]) if grids[rung - 1] else ""
        kind = "digits" if rung > 2 * RUNGS // 3 else "number"
        tasks.append(number(f"G{rung}", rung, "paths", f"{rows} × {columns}{told}", ways[rung - 1], kind))
    return math_prompts.COUNTING, grouped(tasks)


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


def _chain(signs: int, draw: random.Random) -> tuple[str, int]:
    """A sum of small numbers, of which no part from the left is negative, and its value."""
    value = draw.randint(4, 9)
    text = str(value)
    for _ in range(signs):
        step = draw.randint(2, 9) * draw.choice((1, -1))
        step = abs(step) if value + step < 1 else step
        value += step
        text += f" {'+' if step > 0 else '-'} {abs(step)}"
    return text, value


def functions() -> tuple[str, list[Task]]:
    tasks = []
    for rung, ((depth, largest), (base, digits), (low, power, divisor)) in enumerate(
        zip(DEPTHS, BASES, POWERS, strict=True), start=1
    ):
        question, value = _chain(CHAINS[rung - 1], chance("E", rung))
        tasks.append(number(f"E{rung}", rung, "chain", question, value))
        question, value = _nested(depth, largest, chance("F", rung))
        tasks.append(number(f"F{rung}", rung, "functions", question, value))
        draw = chance("B", rung)
        written = draw.choice("123456789"[: base - 1]) + "".join(
            draw.choices("0123456789"[:base], k=digits - 1)
        )
        value = int(written, base)
        kind = "digits" if value > 999 else "number"
        tasks.append(number(f"B{rung}", rung, "base", f"{written} in base {base}", value, kind))
        tasks.append(
            number(f"M{rung}", rung, "power", f"{low}^{power} mod {divisor}", pow(low, power, divisor))
        )
    return math_prompts.FUNCTIONS, grouped(tasks)


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
        prompt = head if name == "math_trace" else head + "\n".join(task.question for task in tasks)
        gold = "\n".join(["answers:", *(f"  - {flow(task.gold)}" for task in tasks)])
        ladders.append(Ladder(name, difficulty, RUNGS, prompt, gold))
        worked += proofs(name, prompt, tasks, RUNGS)
    head = f"Math & Reasoning: five ladders of {RUNGS} rungs, made by tools/ladders/math_reasoning.py. Change the script."
    return cases_text(head, ladders), proofs_text("tools/ladders/math_reasoning.py", worked)


if __name__ == "__main__":
    write("math_reasoning", *made())
