"""The figures of the five web pages that are worked out while writing: data for the prompts, gold for the grader.

    python tools/ladders/web_design.py            print the data of the prompts and the gold
    python tools/ladders/web_design.py --write    put the gold (`static`) into cases.yml

The wording of the prompts stands in cases.yml; tests/builtin/daily/web_design/test_web_static.py works every figure out
again from there.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

CASES = Path(__file__).parents[2] / "src/probatio/builtin/daily/web_design/cases.yml"
SHOWN_MONTHS = (1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 26, 33)
MONTH_DAYS = (31, 28, 33, 30, 35, 29, 32, 34, 27)
WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
FIRST = "Thu"
HOLIDAYS = ((5, 1), (20, 2), (2, 3), (19, 4), (4, 5), (31, 5), (21, 6), (9, 7), (30, 7), (16, 8))
LOANS = (
    ((1, 1), 2), ((7, 1), 1), ((27, 1), 3), ((1, 2), 6), ((18, 2), 9), ((25, 3), 12),
    ((6, 4), 17), ((29, 5), 20), ((3, 6), 26), ((24, 4), 35), ((17, 2), 61), ((12, 3), 94),
)  # fmt: skip
CATEGORIES = (2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)
SHEET = {
    "A6": "4", "B6": "7", "C6": "2.5", "D6": "12",
    "A5": "=B6-9", "B5": "=C6*D6", "C5": "=D6/A6", "D5": "tea",
    "A4": "=B5+C5*B6", "B4": "=-A5*(C4-B6)", "C4": "=D6-A6/2", "D4": "=D5+1",
    "A3": "=SUM(A4:D6)", "B3": "=SUM(B4:C6)-A4", "C3": "=B3*C6-B4", "D3": "=SUM(A4:C6)/8",
    "A2": "=D3-C3/4", "B2": "=A2*B4+SUM(C6:A6)", "C2": "=B2/C5-B3*C6", "D2": "=SUM(C5:B3)*3-C2",
    "A1": "=D2-B2*C4", "B1": "=SUM(A2:D2)/(B6+A5)", "C1": "=B1*A6-A1/7", "D1": "=C1-SUM(A1:B2)",
}  # fmt: skip


def growing_team() -> list[dict[str, object]]:
    seats, paid, rows = 5, 0, []
    for month in range(1, max(SHOWN_MONTHS) + 1):
        if month > 1:
            seats += 4 if month % 5 == 0 else 3 if month % 2 else -1
            if month % 7 == 0:
                seats -= seats // 3
        bill = 14 * min(seats, 8) + 11 * max(seats - 8, 0)
        if month % 6 == 0:
            bill //= 2
        if paid > 1000 and seats % 4 == 0:
            bill -= 25
        paid += bill
        if month in SHOWN_MONTHS:
            rows.append({"id": f"m{month}", "cells": [month, seats, bill, paid], "given": 1})
    return rows


def loans() -> list[dict[str, object]]:
    dates = [(day, month) for month, days in enumerate(MONTH_DAYS, start=1) for day in range(1, days + 1)]
    weekday = {date: WEEK[(number + WEEK.index(FIRST)) % len(WEEK)] for number, date in enumerate(dates)}
    rows = []
    for number, (borrowed, lasts) in enumerate(LOANS, start=1):
        after = dates[dates.index(borrowed) + 1 :]
        due = [date for date in after if weekday[date] != "Sat" and date not in HOLIDAYS][lasts - 1]
        cells = [f"{borrowed[0]}.{borrowed[1]}", lasts, weekday[borrowed], f"{due[0]}.{due[1]}", weekday[due]]
        rows.append({"id": f"loan{number}", "cells": cells, "given": 2})
    return rows


def track() -> list[tuple[int, int]]:
    """36 pieces of a trail, as metres forward and metres up: first of round figures, then of any, then of large ones."""
    draw = random.Random(31)
    round_ones = [(20 * draw.randint(1, 6), 5 * draw.randint(-3, 6)) for _ in range(9)]
    any_ones = [(draw.randint(31, 99), draw.randint(-29, 38)) for _ in range(15)]
    large = [(draw.randint(112, 387), draw.randint(-148, 139)) for _ in range(12)]
    return round_ones + any_ones + large


def profile() -> list[dict[str, object]]:
    far, high, points = 0, 400, []
    for forward, up in track():
        far, high = far + forward, high + up
        points.append((20 + far // 20, 200 - high // 5))
    return [
        {"id": "profile", "attribute": "points", "skip": 2 + 6 * group,
         "numbers": [value for point in points[3 * group : 3 * group + 3] for value in point]}
        for group in range(12)
    ]  # fmt: skip


def sales() -> list[list[int]]:
    draw = random.Random(7)
    rows = [[30, 20], [7, 33], [12, 21, 27], [88, 145, 67]]
    return rows + [[draw.randint(104, 997) for _ in range(count)] for count in CATEGORIES[4:]]


def shares() -> list[dict[str, object]]:
    rows = []
    for number, sold in enumerate(sales(), start=1):
        whole = sum(sold)
        tenths = [1000 * one // whole for one in sold]
        rests = sorted(range(len(sold)), key=lambda place: (-(1000 * sold[place] % whole), place))
        for place in rests[: 1000 - sum(tenths)]:
            tenths[place] += 1
        cells = [f"Week {number}", *(f"{one // 10}.{one % 10}%" for one in tenths)]
        rows.append({"id": f"w{number}", "cells": cells, "given": 1})
    return rows


def example() -> list[dict[str, object]]:
    from fractions import Fraction

    def number(text: str) -> Fraction | str:
        return Fraction(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text

    def cells_of(one: str, two: str) -> list[str]:
        columns, rows = sorted((one[0], two[0])), sorted((one[1], two[1]))
        return [f"{chr(c)}{r}" for r in range(int(rows[0]), int(rows[1]) + 1)
                for c in range(ord(columns[0]), ord(columns[1]) + 1)]  # fmt: skip

    def value(address: str) -> Fraction | str:
        content = SHEET[address]
        if not content.startswith("="):
            return number(content)
        failed: list[str] = []

        def total(match: re.Match[str]) -> str:
            found = [value(cell) for cell in cells_of(match[1], match[2])]
            failed.extend(one for one in found if isinstance(one, str) and one.startswith("#"))
            return f"F('{sum((one for one in found if isinstance(one, Fraction)), Fraction(0))}')"

        def cell(match: re.Match[str]) -> str:
            found = value(match[0])
            if isinstance(found, str):
                failed.append(found if found.startswith("#") else "#TEXT!")
                return "F(1)"
            return f"F('{found}')"

        text = re.sub(r"SUM\((\w\d):(\w\d)\)", total, content[1:])
        text = re.sub(r"(?<!')\b[A-D][1-6]\b", cell, text)
        text = re.sub(r"(?<![\w'./-])(\d+)(?![\w'./])", r"F(\1)", text)
        result = eval(text, {"F": Fraction})
        return failed[0] if failed else Fraction(result)

    def shown(found: Fraction | str) -> str:
        if isinstance(found, str):
            return found
        cents = int(abs(found) * 100 + Fraction(1, 2))
        text = f"{cents // 100}.{cents % 100:02}".rstrip("0").rstrip(".")
        return f"-{text}" if found < 0 and cents else text

    order = [f"{column}{row}" for row in range(6, 0, -1) for column in "ABCD"]
    return [{"id": f"e-{address}", "cells": [shown(value(address))], "given": 0} for address in order]


LADDERS: dict[str, tuple[int, int, Callable[[], list[dict[str, object]]]]] = {
    # case → rungs below, figures per rung, what makes them
    "web_pricing": (6, 1, growing_team),
    "web_signup": (7, 1, loans),
    "web_table": (13, 1, profile),
    "web_dashboard": (17, 1, shares),
    "web_sheet": (23, 2, example),
}


def gold(case: str) -> list[str]:
    below, together, make = LADDERS[case]
    lines = []
    for number, item in enumerate(make()):
        fields = ", ".join(f"{key}: {_flow(value)}" for key, value in item.items())
        lines.append(f"        - {{rung: {below + 1 + number // together}, {fields}}}")
    return lines


def _flow(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(f'"{one}"' for one in value) + "]"
    return str(value)


def write() -> None:
    text = CASES.read_text(encoding="utf-8")
    for case in LADDERS:
        start = text.index(f"  - id: {case}\n")
        there = re.compile(r"(?<=      static:\n)(?:        - \{rung: .*\n)*")
        found = there.search(text, start)
        assert found, f"{case} has no `static:`"
        text = text[: found.start()] + "\n".join(gold(case)) + "\n" + text[found.end() :]
    CASES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        print(" ".join(f"{forward} {up:+}," for forward, up in track()))
        print(
            "\n".join(
                f"Week {week}: {', '.join(map(str, sold))}" for week, sold in enumerate(sales(), start=1)
            )
        )
        for case in LADDERS:
            print(case, *gold(case), sep="\n")
