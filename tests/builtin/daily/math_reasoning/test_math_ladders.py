"""The gold of the ladders of Math & Reasoning follows from their prompts: every rung is read there and worked
out anew."""

from __future__ import annotations

import functools
import itertools
import re
from bisect import bisect_right, insort
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builtin.daily.cases import cases
from probatio.builtin.daily.math_reasoning.grader import Digits, MathGold, Near, NumberRow, check
from probatio.suites.daily_suite import Case

CASES = cases("math_reasoning")
ALL = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def gold(case: Case) -> MathGold:
    return msgspec.convert(case.gold, MathGold)


def values(case: str, family: str) -> dict[str, int]:
    return {each.label: int(each.value) for each in gold(CASES[case]).answers if each.label[0] == family}


def rows(case: str) -> dict[str, tuple[int, ...]]:
    return {each.label: each.values for each in gold(CASES[case]).answers if isinstance(each, NumberRow)}


def tasks(case: str, pattern: str) -> dict[str, re.Match[str]]:
    """The tasks of a prompt, by their label: lines that are the label, a full stop, and nothing but the
    pattern."""
    found = re.finditer(rf"^(?P<label>[A-Z]\d+)\. (?:{pattern})(?: =)?$", CASES[case].prompt, re.MULTILINE)
    return {each["label"]: each for each in found}


def remainder(digits: str, divisor: int) -> int:
    return functools.reduce(lambda rest, digit: (10 * rest + int(digit)) % divisor, digits, 0)


def test_the_products() -> None:
    asked = tasks("math_products", r"(\d+) × (\d+)")
    assert values("math_products", "P") == {
        label: sum(int(digit) * int(each[2]) * 10**place for place, digit in enumerate(reversed(each[3])))
        for label, each in asked.items()
    }


def test_the_sums() -> None:
    asked = tasks("math_products", r"(\d+) \+ (\d+)")
    added = {}
    for label, each in asked.items():
        length, carried, digits = max(len(each[2]), len(each[3])), 0, ""
        for a, b in zip(each[2].zfill(length)[::-1], each[3].zfill(length)[::-1], strict=True):
            carried, digit = divmod(int(a) + int(b) + carried, 10)
            digits = f"{digit}{digits}"
        added[label] = int(f"{carried}{digits}")
    assert values("math_products", "A") == added


def test_the_remainders() -> None:
    asked = tasks("math_products", r"(\d+) mod (\d+)")
    assert values("math_products", "R") == {
        label: remainder(each[2], int(each[3])) for label, each in asked.items()
    }


def expression(text: str) -> Callable[[dict[str, int]], int]:
    """`2 * d + 1`, from left to right, as no product stands behind a sum."""
    first, *rest = re.findall(r"[a-d]|\d+|[-+*]", text)

    def value(word: str, now: dict[str, int]) -> int:
        return now[word] if word.isalpha() else int(word)

    def worked_out(now: dict[str, int]) -> int:
        result = value(first, now)
        for sign, word in zip(rest[::2], rest[1::2], strict=True):
            other = value(word, now)
            result = result + other if sign == "+" else result - other if sign == "-" else result * other
        return result

    return worked_out


CONDITIONS: dict[str, Callable[[dict[str, int], tuple[str, ...]], bool]] = {
    r"(\w) is even": lambda now, names: now[names[0]] % 2 == 0,
    r"(\w) is less than (\w)": lambda now, names: now[names[0]] < now[names[1]],
}


def holds(condition: str, now: dict[str, int]) -> bool:
    for pattern, test in CONDITIONS.items():
        if found := re.fullmatch(pattern, condition):
            return test(now, found.groups())
    raise AssertionError(condition)


def test_the_trace_follows_the_rules_as_they_are_written() -> None:
    prompt = CASES["math_trace"].prompt
    now = {name: int(value) for name, value in re.findall(r"\b([a-d]) = (\d+)", prompt)}
    rules = re.findall(r"^\d\. (.+)\.$", prompt, re.MULTILINE)
    assert (len(now), len(rules)) == (4, 4)
    asked = rows("math_trace")
    seen = {}
    for step in range(1, 1 + max(int(label[1:]) for label in asked)):
        for rule in rules:
            both = re.fullmatch(r"If (.+?), (\w) becomes (.+?); (?:otherwise|if .+?,) \2 becomes (.+)", rule)
            if both:
                name, formula = both[2], both[3] if holds(both[1], now) else both[4]
            else:
                name, formula = re.fullmatch(r"(\w) becomes (.+)", rule).groups()  # type: ignore[union-attr]
            now[name] = int(str(expression(formula)(now))[-2:])
        seen[f"S{step}"] = tuple(now.values())
    assert asked == {label: seen[label] for label in asked}


def test_the_machine_that_only_grows() -> None:
    prompt = CASES["math_trace"].prompt
    ((start, more),) = re.findall(r"r = (\d+) at the start\. In every step r becomes r \+ (\d+)\.", prompt)
    (last,) = re.findall(r"Of machine R, only up to step (\d+)\.", prompt)
    steps = [int(label[1:]) for label in rows("math_trace") if int(label[1:]) <= int(last)]
    assert values("math_trace", "R") == {f"R{n}": sum([int(start), *[int(more)] * n]) for n in steps}
    assert max(values("math_trace", "R").values()) < 100, "two digits hold them all"


def test_the_machine_with_one_number() -> None:
    prompt = CASES["math_trace"].prompt
    assert "In step n, x becomes x / 2 + n if x is even, and x + n if x is odd." in prompt
    (start,) = re.findall(r"x = (\d+) at the start", prompt)
    x, seen = int(start), {}
    asked = values("math_trace", "T")
    for n in range(1, 1 + max(int(label[1:]) for label in asked)):
        half, odd = divmod(x, 2)
        x = int(str((x if odd else half) + n)[-2:])
        seen[f"T{n}"] = x
    assert asked == {label: seen[label] for label in asked}
    assert {label[1:] for label in asked} == {label[1:] for label in rows("math_trace")}


def whole(coins: dict[str, int], name: str, part: int) -> int:
    share, rest = divmod(coins[name], part)
    assert rest == 0, "nobody splits a coin"
    return share


def happens(sentence: str, coins: dict[str, int]) -> None:
    """What a sentence says, for whoever reads it."""

    def move(giver: str, taker: str, count: int) -> None:
        coins[giver] -= count
        coins[taker] += count

    def said(pattern: str) -> tuple[str, ...] | None:
        found = re.fullmatch(pattern, sentence)
        return found.groups() if found else None

    if words := said(r"(\w+) gives (\w+) (\d+)"):
        move(words[0], words[1], int(words[2]))
    elif words := said(r"(\w+) (finds|loses) (\d+)"):
        coins[words[0]] += int(words[2]) * (1 if words[1] == "finds" else -1)
    elif words := said(r"(\w+) doubles hers"):
        coins[words[0]] *= 2
    elif words := said(r"(\w+) gives (\w+) (half|a third) of hers"):
        move(words[0], words[1], whole(coins, words[0], {"half": 2, "a third": 3}[words[2]]))
    elif words := said(r"(\w+) finds as many as (\w+) has"):
        coins[words[0]] += coins[words[1]]
    elif words := said(r"(\w+) gives (\d+) to each of the others"):
        for other in set(coins) - {words[0]}:
            move(words[0], other, int(words[1]))
    elif words := said(r"(\w+) and (\w+) swap theirs"):
        coins[words[0]], coins[words[1]] = coins[words[1]], coins[words[0]]
    elif words := said(r"Whoever has most gives (\d+) to whoever has fewest"):
        assert len(set(coins.values())) == len(coins), "it is clear who has most and who has fewest"
        move(max(coins, key=coins.__getitem__), min(coins, key=coins.__getitem__), int(words[0]))
    elif words := said(r"If (\w+) has more than (\w+), (\w+) finds (\d+), otherwise \3 loses \4"):
        coins[words[2]] += int(words[3]) * (1 if coins[words[0]] > coins[words[1]] else -1)
    else:
        raise AssertionError(sentence)
    assert min(coins.values()) >= 0, "nobody gives what she does not have"


def test_the_stories_end_as_their_sentences_say() -> None:
    ends = {}
    for label, each in tasks("math_words", r"(Ada \d+, Mia \d+, Eva \d+)\. (.+)\.").items():
        coins = {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", each[2])}
        for sentence in each[3].split(". "):
            happens(sentence, coins)
        ends[label] = tuple(coins.values())
    assert rows("math_words") == ends


def test_the_rows_go_on_by_the_same_amount() -> None:
    following = {}
    for label, each in tasks("math_counting", r"(\d+(?: \d+)+), then").items():
        numbers = [int(number) for number in each[2].split()]
        (step,) = {after - before for before, after in itertools.pairwise(numbers)}
        following[label] = numbers[-1] + step
    assert values("math_counting", "N") == following


def test_the_letters_and_the_inversions() -> None:
    letters = tasks("math_counting", r"([a-z]) in ([a-z]+)")
    assert values("math_counting", "L") == {
        label: len(re.findall(each[2], each[3])) for label, each in letters.items()
    }
    inversions = {}
    for label, each in tasks("math_counting", r"(\d+(?: \d+)+)").items():
        before: list[int] = []
        inversions[label] = 0
        for number in map(int, each[2].split()):
            inversions[label] += len(before) - bisect_right(before, number)
            insort(before, number)
    assert values("math_counting", "I") == inversions


def test_the_paths() -> None:
    counted = {}
    for label, each in tasks("math_counting", r"(\d+) × (\d+)(?:, blocked ((?:\(\d+,\d+\) ?)+))?").items():
        end = int(each[2]), int(each[3])
        blocked = {(int(row), int(column)) for row, column in re.findall(r"(\d+),(\d+)", each[4] or "")}

        @functools.cache
        def ways(row: int, column: int, end=end, blocked=frozenset(blocked)) -> int:  # type: ignore[no-untyped-def]
            if row > end[0] or column > end[1] or (row, column) in blocked:
                return 0
            return 1 if (row, column) == end else ways(row + 1, column) + ways(row, column + 1)

        counted[label] = ways(1, 1)
    assert values("math_counting", "G") == counted


def test_the_functions() -> None:
    prompt = CASES["math_functions"].prompt
    assert "f(n) is n / 2 if n is even, and n + 101 if n is odd." in prompt
    assert "g(n) is 7 * n + 5, of which only the last three digits are kept" in prompt
    assert "h(n) is 1000 - n if n is greater than 500, and 2 * n + 3 otherwise." in prompt
    assert "from right to left: fgh(5) is f(g(h(5)))" in prompt
    worth = {}
    for label, each in tasks("math_functions", r"([fgh]+)\((\d+)\)").items():
        n = int(each[3])
        for name in each[2][::-1]:
            if name == "f":
                n = n + 101 if n & 1 else n >> 1
            elif name == "g":
                n = int(str(7 * n + 5)[-3:])
            else:
                n = 2 * n + 3 if n <= 500 else 1000 - n
            assert n >= 0, "negative numbers have no last three digits"
        worth[label] = n
    assert values("math_functions", "F") == worth


def test_the_chains() -> None:
    worth = {}
    for label, each in tasks("math_functions", r"(\d(?: [-+] \d)+)").items():
        worth[label] = sum(int(number.replace(" ", "")) for number in re.findall(r"[-+]? ?\d", each[2]))
    assert values("math_functions", "E") == worth


def test_the_bases_and_the_powers() -> None:
    bases = tasks("math_functions", r"(\d+) in base (\d)")
    assert values("math_functions", "B") == {
        label: sum(int(digit) * int(each[3]) ** place for place, digit in enumerate(reversed(each[2])))
        for label, each in bases.items()
    }
    assert all(max(each[2]) < each[3] for each in bases.values())
    rests = {}
    for label, each in tasks("math_functions", r"(\d+)\^(\d+) mod (\d+)").items():
        base, exponent, divisor = (int(each[at]) for at in (2, 3, 4))
        rest = 1
        for bit in f"{exponent:b}":
            rest = rest * rest * (base if bit == "1" else 1) % divisor
        rests[label] = rest
    assert values("math_functions", "M") == rests


@ALL
def test_every_task_weighs_the_same_and_each_family_climbs(case: Case) -> None:
    answers = gold(case).answers
    assert {each.weight for each in answers} == {1}
    for _, family in itertools.groupby(answers, key=lambda each: each.label[0]):
        rungs = [each.rung for each in family]
        assert rungs == list(range(1, len(rungs) + 1))
    assert {each.rung for each in answers} == set(range(1, case.rungs + 1))
    in_prompt = re.findall(r"^([A-Z][1-9]\d*)[.:]", case.prompt, re.MULTILINE)
    assert in_prompt == [each.label for each in answers]


@ALL
def test_a_part_says_which_rung_it_belongs_to(case: Case) -> None:
    assert [part.rung for part in check(case, "").parts] == [each.rung for each in gold(case).answers]


@ALL
def test_no_single_number_for_everything_earns_a_tenth(case: Case) -> None:
    numbers = {
        number
        for each in gold(case).answers
        for number in (each.values if isinstance(each, NumberRow) else (int(each.value),))
    }
    for number in numbers:
        answer = "\n".join(
            f"{each.label}: "
            f"{' '.join([str(number)] * len(each.values)) if isinstance(each, NumberRow) else number}"
            for each in gold(case).answers
        )
        assert check(case, answer).score <= 0.1, number


PIECES = st.sampled_from(
    [
        "12",
        " ",
        "or",
        ",",
        ".",
        "-",
        "a",
        "Ada",
        "=",
        "(",
        ")",
        "9" * 70,
        "½",
        "٣",
        "|",
        "**",
        "\n",
        "1e9",
        "/",
    ]
)


@given(
    st.sampled_from(list(CASES.values())), st.text(max_size=60) | st.lists(PIECES, max_size=12).map("".join)
)
@settings(max_examples=150, deadline=None)
def test_any_text_behind_every_label_scores_between_0_and_1(case: Case, text: str) -> None:
    answer = "\n".join(f"{each.label}: {text}" for each in gold(case).answers)
    assert 0 <= check(case, answer).score <= 1


def credit(answer: Digits | Near | NumberRow, text: str) -> float:
    kind = type(answer).__struct_config__.tag
    return check(Case("c", "", gold={"answers": [{"kind": kind, **msgspec.to_builtins(answer)}]}), text).score


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("P12: 1234567890", 1), ("P12: 1,234,567,890", 1), ("**P12:** 1 234 567 890", 1),
        ("P12: 12 × 3 = 1234567890", 1),
        ("P12: 1234067890", 0.5 * 7 / 8), ("P12: 1234500000", 0.5 * 4 / 8), ("P12: 9999567890", 0.5 * 4 / 8),
        ("P12: 234567890", 0.5 * 7 / 8), ("P12: 1999999991", 0), ("P12: 42", 0), ("P12: -1234567890", 0),
        ("P12: 1234567890 or 1234567891", 0.5 * 7 / 8), ("P12: 1234567890.5", 0), ("P1: 1234567890", 0),
        ("P12: 1234567890/1", 0),
    ],
)  # fmt: skip
def test_a_long_number_earns_up_to_half_for_its_right_ends(text: str, worth: float) -> None:
    assert credit(Digits("P12", "product", "1234567890"), text) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("L1: 100", 1),
        ("L1: 99", 0.27),
        ("L1: 105 times", 0.15),
        ("L1: 110", 0),
        ("L1: 90", 0),
        ("L1: 99 or 100", 0.27),
        ("L1: 0", 0),
    ],
)
def test_a_count_that_is_nearly_right_earns_a_little(text: str, worth: float) -> None:
    assert credit(Near("L1", "letters", "100"), text) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("W1: 12 7 30", 1), ("W1: 12, 7, 30", 1), ("W1: 12,7,30", 1), ("W1: (12, 7, 30)", 1),
        ("W1: Ada 12, Mia 7, Eva 30", 1),
        ("W1: Ada: 12, Mia: 7, Eva: 30", 1), ("W1: Eva has 30, Ada has 12, Mia has 7", 1),
        ("| W1 | 12 | 7 | 30 |", 1),
        ("W1: 12 7 31", 2 / 3), ("W1: 7 12 30", 1 / 3), ("W1: 12 7", 2 / 3), ("W1: 12 7 30 31", 0),
        ("W1: 12 or 13 7 30", 0),
        ("W1: 12 coins, 7 coins, 30 coins", 1), ("W1: -12 7 30", 2 / 3), ("W1: 12.0 7.0 30.0", 1),
        ("W1: 12.5 7 30", 0),
        ("W1: none", 0), ("W1: " + "9" * 5000, 0), ("W1: [12, 7, 30]", 1), (r"W1: $12, 7, 30$", 1),
        ("W1: **12 7 30**", 1), ("W1:\n12 7 30", 1),
    ],
)  # fmt: skip
def test_a_row_earns_the_share_that_is_right_and_a_list_of_candidates_nothing(
    text: str, worth: float
) -> None:
    assert credit(
        NumberRow("W1", "story", values=(12, 7, 30), names=(("Ada"), "Mia", "Eva")), text
    ) == pytest.approx(worth)
