"""The amounts and days that a reply has to name, worked out again from the message and the policy of its
prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, floor

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.customer_service.grader import LetterGold

CASES = cases("customer_service")
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
]
MONTHS.append("December")


def message(case: str) -> str:
    return CASES[case].prompt.partition("CUSTOMER'S MESSAGE\n")[2]


def day(text: str, year: int) -> date:
    number, month = text.split()[-2:]
    return date(year, MONTHS.index(month) + 1, int(number))


def told(when: date) -> str:
    return f"{when.day} {MONTHS[when.month - 1]}"


def amount(euros: Fraction) -> str:
    return f"{float(euros):g}"


def cents(euros: Fraction) -> Fraction:
    return Fraction(floor(euros * 100 + Fraction(1, 2)), 100)


def working(after: date, closed: set[date], step: int = 1) -> Iterator[date]:
    """The working days after a day, or before it."""
    while True:
        after += timedelta(step)
        if after.weekday() < 5 and after not in closed:
            yield after


def nth(days: Iterator[date], number: int) -> date:
    return [next(days) for _ in range(number)][-1]


def late_return() -> list[str]:
    rows = re.findall(
        r"^(\w+), ([\d.]+) euros, (from the sale, )?packaging (\w+), (\d+) kg$",
        message("cs_late_return"),
        re.M,
    )
    assert [row[0] for row in rows][-1] == "Bre"  # the one that came too late
    expected, total, weight = [], Fraction(0), 0
    for place, (name, price, sale, packaging, kg) in enumerate(rows[:-1], start=1):
        left = Fraction(price) * (Fraction(87, 100) if packaging == "opened" else 1)
        left *= Fraction(50 if sale else 90, 100)
        credit = cents(left - (4 if place >= 3 else 0))
        expected.append(f"{name} {amount(credit)} euros")
        total, weight = total + credit, weight + int(kg)
    total += cents(total / 20) if total > 200 else 0
    assert ceil(weight / 12) == 4
    return [*expected, "four labels", "nothing for Bre", f"{amount(total)} euros in all"]


def broken_bowl() -> list[str]:
    text = message("cs_broken_bowl")
    closed = {day(f"{n} April", 2024) for n in (1, 22, 23, 24, 25, 26)}
    closed |= {day(each, 2024) for each in ("29 March", "1 May", "9 May")}
    delivered, photos = day("25 March", 2024), day("28 March", 2024)
    assert (delivered.strftime("%A"), photos.strftime("%A")) == ("Monday", "Thursday")
    answer = nth(working(photos, closed), 2)
    leaves = nth(working(answer, closed), 12)
    prices = [Fraction(price) for price in re.findall(r"(?:bowl|jug|tray) (\d+) euros", text)]
    refund = prices[0] * Fraction(90, 100) + Fraction("9.60") * prices[0] / sum(prices)
    return [
        f"photos by {told(nth(working(delivered, closed), 4))}",
        f"answers on {told(answer)}",
        f"leaves on {told(leaves)}",
        f"arrives on {told(nth(working(leaves, closed), 4))}",
        f"refund on {told(nth(working(answer, closed), 20))}",
        f"refund of {float(refund):.2f} euros",
    ]


def saver_room() -> list[str]:
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5}
    expected = []
    for name, arrival, nights, persons in re.findall(
        r"(\w+day) (\d+ \w+), (\w+) nights, (\w+) persons", message("cs_saver_room")
    ):
        first = day(arrival, 2025)
        assert first.strftime("%A") == name
        if first > date(2025, 11, 9):
            expected.append(f"{arrival} is too late")
            continue
        price = Fraction(0)
        for night in (first + timedelta(n) for n in range(numbers[nights])):
            price += {4: 130, 5: 130, 6: 80}.get(night.weekday(), 95)
            price += 20 if date(2025, 6, 16) <= night <= date(2025, 9, 15) else 0
        price *= Fraction(9, 10) if numbers[nights] >= 3 else 1
        price += Fraction(7, 2) * numbers[nights] * numbers[persons]
        expected.append(f"{arrival} costs {amount(20 + max(Fraction(0), price - 240))}")
    return expected


def late_parcel() -> list[str]:
    holidays = {date(2024, 5, 1), date(2024, 5, 9), date(2024, 6, 20), date(2024, 7, 4)}
    expected, total = [], Fraction(0)
    for line in message("cs_late_parcel").splitlines():
        if not (
            found := re.match(
                r"88-(\d+), (express, |heavy, )?([\d.]+) euros, promised \w+ (\d+ \w+), (.*)", line
            )
        ):
            continue
        number, kind, price, promised, came = found.groups()
        parts = re.findall(r"(?:(\d+)% (?:of it came )?)?(?:came )?\w+day (\d+ \w+)", came)
        back = Fraction(0)
        for share, arrived in parts:
            end = day(arrived, 2024)
            days = [day(promised, 2024) + timedelta(n) for n in range(1, 120)]
            late = sum(each.weekday() < 5 and each not in holidays for each in days if each <= end)
            rate = {
                "express, ": min(Fraction(10 * late), Fraction(40)),
                "heavy, ": min(Fraction(3 * late, 2), Fraction(90)),
            }.get(kind, min(Fraction(5 * late), Fraction(25)))
            back += Fraction(price) * Fraction(int(share or 100), 100) * rate / 100
        total += back
        expected.append(f"{number} {amount(back)} euros" if back else f"{number} nothing")
        if number == "1203":
            assert late == 6
            expected.append("1203 is six days late")
    total += cents((total - 80) / 10) if total > 80 else 0
    return [*expected, f"{amount(total)} euros in all"]


def annual_plan() -> list[str]:
    text = message("cs_annual_plan")
    assert "from 20 November to 4 December, from 10 to 23 January and from 3 to 9 February" in text
    pauses = [
        (date(2024, 11, 20), date(2024, 12, 4)),
        (date(2025, 1, 10), date(2025, 1, 23)),
        (date(2025, 2, 3), date(2025, 2, 9)),
    ]
    lengths = [(last - first).days + 1 for first, last in pauses]
    used = sum(length for length in lengths if length >= 10)
    left = 90 - used
    end = date(2025, 11, 1) + timedelta(used)
    later = end + timedelta(left)
    return [
        f"{left} days are left",
        f"the pause ends on {told(date(2025, 4, 1) + timedelta(left - 1))}",
        f"runs until {told(end)}",
        f"export until {told(end + timedelta(30))}",
        f"reminder on {told(nth(working(end, set(), -1), 10))}",
        f"with the pause until {told(later)}",
        f"then export until {told(later + timedelta(30))}",
    ]


AGAIN: list[Callable[[], list[str]]] = [late_return, broken_bowl, saver_room, late_parcel, annual_plan]


@pytest.mark.parametrize("again", AGAIN, ids=lambda again: str(again.__name__))
def test_the_gold_follows_from_policy_and_message(again: Callable[[], list[str]]) -> None:
    elements = msgspec.convert(CASES[f"cs_{again.__name__}"].gold, LetterGold).elements
    worked_out = sorted(again())
    assert sorted({element.id for element in elements} & set(worked_out)) == worked_out
    spoken = {element.id: str([*element.wordings, *element.denied]).lower() for element in elements}
    for name in worked_out:  # the figures of a name are those that are looked for
        for figure in re.findall(r"\d+\.\d+|\d+", name):
            assert figure.rstrip("0") in spoken[name] or figure in spoken[name], name
