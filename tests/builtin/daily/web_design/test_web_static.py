"""The figures that the web pages ask for are worked out again from the prompts' words, and read from sources
of many forms."""

from __future__ import annotations

import ast
import functools
import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import accumulate, count, islice

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.web_design.grader import PageGold
from probatio.builtin.daily.web_design.source import Figures, PageSource, credit

PAGES = cases("web_design")
OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def gold(case: str) -> tuple[Figures, ...]:
    return msgspec.convert(PAGES[case].gold, PageGold).static


def words(case: str) -> str:
    return " ".join(PAGES[case].prompt.split())


def told(case: str, pattern: str) -> re.Match[str]:
    found = re.search(pattern, words(case))
    assert found, f"{case} no longer says: {pattern}"
    return found


def test_a_growing_team() -> None:
    start = int(told("web_pricing", r"has (\d+) seats in month 1\.")[1])
    told(
        "web_pricing",
        r"divisible by 5 four more; in other odd months three more; in other even months one less\.",
    )
    told("web_pricing", r"divisible by 7, after that, a third of the seats \(rounded down\) is given back")
    dear, many, cheap = (
        int(x) for x in told("web_pricing", r"\$(\d+) for each of the first (\d+) seats and \$(\d+)").groups()
    )
    told(
        "web_pricing",
        r"divisible by 6 it is halved, rounded down .* if more than \$1000 .* divisible by 4, it is \$25 "
        r"less",
    )
    months = [int(x) for x in told("web_pricing", r"each of the months ([\d, ]+\d),")[1].split(", ")]

    def seats(month: int) -> int:
        if month == 1:
            return start
        now = seats(month - 1) + (4 if month % 5 == 0 else (-1, 3)[month % 2])
        return now if month % 7 else now - int(Fraction(now, 3))

    @functools.cache
    def bill(month: int) -> int:
        whole = sum(dear if place <= many else cheap for place in range(1, seats(month) + 1))
        whole = whole if month % 6 else whole // 2
        return whole - 25 if seats(month) % 4 == 0 and sum(map(bill, range(1, month))) > 1000 else whole

    paid = list(accumulate(bill(month) for month in range(1, max(months) + 1)))
    assert [(one.id, one.cells) for one in gold("web_pricing")] == [
        (f"m{month}", tuple(map(str, (month, seats(month), bill(month), paid[month - 1]))))
        for month in months
    ]


def test_loans_and_due_dates() -> None:
    lengths = [
        int(x) for x in re.findall(r"\d+", told("web_signup", r"nine months with ([\d, and]+) days")[1])
    ]
    week = told("web_signup", r"six days, ([\w, ]+); the first day of the year is a (\w+)\.")
    names, first = week[1].split(", "), week[2]
    shut = set(told("web_signup", r"closed every Sat and on ([\d., ]+); all")[1].split(", "))
    loans = re.findall(r"([\d.]+) for (\d+)", told("web_signup", r"The loans: (.*?)\. Each row")[1])
    assert len(lengths) == 9
    assert len(names) == 6

    def number(date: str) -> int:  # days since 1.1
        day, month = map(int, date.split("."))
        return sum(lengths[: month - 1]) + day - 1

    def date(number: int) -> str:
        month = next(m for m in range(9) if number < sum(lengths[: m + 1]))
        return f"{number - sum(lengths[:month]) + 1}.{month + 1}"

    def name(number: int) -> str:
        return names[(names.index(first) + number) % 6]

    rows = []
    for borrowed, lasts in loans:
        opens = (day for day in count(number(borrowed) + 1) if name(day) != "Sat" and date(day) not in shut)
        due = next(islice(opens, int(lasts) - 1, None))
        rows.append((borrowed, lasts, name(number(borrowed)), date(due), name(due)))
    assert [one.cells for one in gold("web_signup")] == rows


def test_the_profile_of_a_trail() -> None:
    told("web_table", r"at 0 m of distance and a height of 400 m\.")
    told(
        "web_table",
        r"x is 20 plus D/20 rounded down, and y is 200 minus the whole number that H/5 rounded down gives",
    )
    pieces = re.findall(
        r"(\d+) ([+-]\d+)", told("web_table", r"change of height in metres: (.*?) A point stands")[1]
    )
    far = list(accumulate(int(one) for one, _ in pieces))
    high = list(accumulate((int(two) for _, two in pieces), initial=400))[1:]
    numbers = [
        str(one) for d, h in zip(far, high, strict=True) for one in (int(20 + d / 20), 200 - int(h / 5))
    ]
    assert len(pieces) == 36
    assert [one for figures in gold("web_table") for one in figures.numbers] == numbers
    assert [figures.skip for figures in gold("web_table")] == list(range(2, 74, 6))


def test_shares_by_week() -> None:
    rows = []
    for week, listed in re.findall(r"(Week \d+): ([\d, ]+?)(?= Week| -)", words("web_dashboard")):
        sold = [Fraction(one) for one in listed.split(", ")]
        exact = [1000 * one / sum(sold) for one in sold]
        given = [int(one) for one in exact]
        while sum(given) < 1000:  # one tenth after the other
            lost = [share - got for share, got in zip(exact, given, strict=True)]
            given[lost.index(max(lost))] += 1
        rows.append((week, *(f"{Decimal(one) / 10:.1f}%" for one in given)))
    assert [one.cells for one in gold("web_dashboard")] == rows
    assert all(round(sum(float(cell[:-1]) for cell in row[1:]), 6) == 100 for row in rows)


def test_the_worked_example() -> None:
    listed = dict(
        re.findall(
            r"\b([A-D][1-6]) (=[^;\s]+|[\w.]+)(?=;|\s)",
            told("web_sheet", r"reckoned with\. (.*? D6 \d+ )")[1],
        )
    )
    assert len(listed) == 24

    def rectangle(one: str, two: str) -> list[str]:
        (left, right), (top, bottom) = sorted((one[0], two[0])), sorted((one[1], two[1]))
        return [address for address in listed if left <= address[0] <= right and top <= address[1] <= bottom]

    def worth(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=number):
                return Fraction(str(number))
            case ast.UnaryOp(operand=operand):
                return -worth(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](worth(left), worth(right))
            case ast.Name(id=address):
                found = cell(address)
                if isinstance(found, str):
                    raise ValueError(found if found.startswith("#") else "#TEXT!")
                return found
            case ast.Subscript(slice=ast.Slice(lower=ast.Name(id=one), upper=ast.Name(id=two))):
                summed = [cell(address) for address in rectangle(one, two)]
                if errors := [each for each in summed if isinstance(each, str) and each.startswith("#")]:
                    raise ValueError(errors[0])
                return sum((each for each in summed if isinstance(each, Fraction)), Fraction(0))
        raise AssertionError(ast.dump(node))

    def cell(address: str) -> Fraction | str:
        content = listed[address]
        if not content.startswith("="):
            return content if content.isalpha() else Fraction(content)
        try:
            return worth(ast.parse(re.sub(r"SUM\((\w+:\w+)\)", r"SUM[\1]", content[1:]), mode="eval").body)
        except ValueError as error:
            return str(error)

    def shown(value: Fraction | str) -> str:
        if isinstance(value, str):
            return value
        cents = (Decimal(value.numerator) / value.denominator).quantize(Decimal("0.01"), ROUND_HALF_UP)
        return f"{cents:f}".rstrip("0").rstrip(".")

    expected = {f"e-{address}": shown(cell(address)) for address in listed}
    assert {one.id: one.cells[0] for one in gold("web_sheet")} == expected
    assert len(set(expected.values())) > 18


@pytest.mark.parametrize(
    ("html", "share"),
    [
        ("<tr id=m2><td>2<td>4<td>56<td>126", 1.0),
        ('<tr id="m2"><th scope="row">Month 2</th><td><b>4</b></td><td>$56</td><td>$126.00</td></tr>', 1.0),
        ('<tr id="m2"><td>2</td><td>4</td><td>57</td><td>127</td></tr>', 1 / 3),
        ('<tr id="m2"><td>2</td><td>4</td><td>56 or 57</td><td>126</td></tr>', 2 / 3),
        ('<tr id="m2"><td>2</td><td>4</td><td>56</td></tr>', 0.0),
        ("<tr id=m2><td>2<td>4<td>56<td>126</tr><tr id=m2><td>2<td>5<td>70<td>140</tr>", 0.0),
        ('<script>x = `<tr id="m2"><td>2</td><td>4</td><td>56</td><td>126</td></tr>`</script>', 0.0),
        ('<template><tr id="m2"><td>2</td><td>4</td><td>56</td><td>126</td></tr></template>', 0.0),
        ('<!-- <tr id="m2"><td>2</td><td>4</td><td>56</td><td>126</td></tr> -->', 0.0),
    ],
)  # fmt: skip
def test_cells_are_read_as_they_were_written(html: str, share: float) -> None:
    wanted = Figures(id="m2", cells=("2", "4", "56", "126"), given=1)
    assert credit(wanted, PageSource(f"<table>{html}</table>"))[0] == pytest.approx(share)


def test_signs_around_a_number_do_not_matter_but_its_value_does() -> None:
    wanted = Figures(id="a", cells=("-1234.5",))
    for text in ("-1234.5", "−1,234.50", "-$1,234.5", "&minus;1&#8239;234.5"):
        assert credit(wanted, PageSource(f"<td id=a>{text}</td>"))[0] == 1.0, text
    for text in ("1234.5", "-1234", "-12345", "", "-1234.5 -1234.6"):
        assert credit(wanted, PageSource(f"<td id=a>{text}</td>"))[0] == 0.0, text


def test_points_are_compared_in_their_place() -> None:
    wanted = Figures(id="p", attribute="points", skip=2, numbers=("21", "116", "22", "113"))
    assert credit(wanted, PageSource('<svg><polyline id="p" points="20,120 21,116 22,113"/></svg>'))[0] == 1.0
    assert (
        credit(wanted, PageSource('<svg><polyline id="p" points="20 120, 21 116, 22 114"></svg>'))[0] == 0.75
    )
    assert credit(wanted, PageSource('<svg><polyline id="p" points="21,116 22,113"/></svg>'))[0] == 0.0
