"""The ladders of Code Generation: prompts and gold from tables, written into cases.yml. Seeded: running it again gives the same file.

python tools/ladders/code_generation.py           writes src/probatio/builtin/daily/code_generation/cases.yml
python tools/ladders/code_generation.py --check   exits with 1 if the file would change
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable
from itertools import groupby, permutations, product
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from code_pebble import PROMPT as PEBBLE  # beside this script
from code_pebble import rungs as pebble_rungs

FILE = Path(__file__).parents[2] / "src/probatio/builtin/daily/code_generation/cases.yml"
SIZES = "A right one that is longer earns half up to 1.25 times its limit, and a quarter beyond."


class Short(NamedTuple):
    """A function to be written: its task in words, itself, the arguments of its tests, its limit in characters."""

    signature: str
    task: str
    does: Callable[..., Any]
    calls: list[list[Any]]
    limit: int | None = None


def of(*values: Any) -> list[list[Any]]:
    return [[value] for value in values]


def roman(n: int) -> str:
    pairs = zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    )
    text = ""
    for value, letters in pairs:
        text += letters * (n // value)
        n %= value
    return text


def balanced(text: str) -> bool:
    opened: list[str] = []
    for each in text:
        if each in "([{":
            opened.append(each)
        elif not opened or opened.pop() + each not in ("()", "[]", "{}"):
            return False
    return not opened


def spiral(grid: list[list[int]]) -> list[int]:
    rows, found = [list(row) for row in grid], []
    while rows:
        found += rows.pop(0)
        rows = [list(row) for row in zip(*rows, strict=True)][::-1]
    return found


def edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def plus_first(text: str) -> int:
    return math.prod(sum(map(int, factor.split("+"))) for factor in text.split("*"))


def queens(n: int) -> int:
    return sum(
        len({p[i] + i for i in range(n)}) == len({p[i] - i for i in range(n)}) == n
        for p in permutations(range(n))
    )


def life(cells: list[list[int]]) -> list[list[int]]:
    alive = {(x, y) for x, y in cells}
    near = [(x + i, y + j) for x, y in alive for i, j in product((-1, 0, 1), repeat=2) if i or j]
    return sorted([x, y] for x, y in set(near) if near.count((x, y)) in ((2, 3) if (x, y) in alive else (3,)))


SHORT = [
    Short("f1(n)", "twice the integer n", lambda n: 2 * n, of(1, 7, 0, -4, 250, 33)),
    Short("f2(s)", "the string s in upper case", str.upper, of("hello", "aBc d", "x1y", "probe", "Tea", "")),
    Short("f3(a, b)", "the larger of two integers", max, [[3, 9], [9, 4], [-5, -6], [7, 7], [0, -1], [12, 100]]),
    Short(
        "f4(s)",
        "the last word of s; s has one or more words, separated by single spaces",
        lambda s: s.split(" ")[-1],
        of("red green blue", "one", "a b", "the end", "no more tea today", "x yy zzz"),
    ),
    Short("f5(n)", "the sum of the decimal digits of n ≥ 0", lambda n: sum(map(int, str(n))), of(0, 7, 10, 99, 12345, 808)),
    Short(
        "f6(s)",
        "how many of the letters a, e, i, o, u the string s has; capital letters don't count",
        lambda s: sum(s.count(v) for v in "aeiou"),
        of("banana", "sky", "queue", "Education", "AEIOU", "a tree in view", "xyz e", "rhythm of it"),
    ),
    Short(
        "f7(s)",
        "whether s reads the same backwards (True or False), looking only at its letters a–z and A–Z, in either case",
        lambda s: (t := [c for c in s.lower() if c.isalpha()]) == t[::-1],
        of("level", "Level", "A man, a plan, a canal: Panama", "ab", "abca", "No 1x1 on!", "x, y", "was it a car?", "", "Ab 2 ba"),
    ),
    Short("f8(n)", "the n-th Fibonacci number: f8(0) is 0, f8(1) is 1; 0 ≤ n ≤ 20", fibonacci, of(0, 1, 2, 3, 7, 12, 20)),
    Short("f9(n)", "whether n is a prime number (True or False); 1 ≤ n ≤ 1000", prime, of(1, 2, 3, 4, 9, 17, 25, 91, 97, 561, 341, 997, 1000)),
    Short(
        "f10(s)",
        'the letters of s by runs, each with its length: f10("aaabcc") is "a3b1c2"; s has letters only and may be empty',
        lambda s: "".join(f"{k}{len(list(g))}" for k, g in groupby(s)),
        of("aaabcc", "", "z", "abab", "mmmmmmmmmmmm", "aaAAa"),
    ),
    Short(
        "f11(s)",
        'the value of a sum-and-product such as "2*3+4*5", where + binds tighter than *: here 2*(3+4)*5 = 70; '
        "s has only digits, + and *",
        plus_first,
        of("7", "2*3+4*5", "1+2*3", "10*10", "1+1+1*2+2*3", "12+0*5+5+5*1+1", "9*9*9+1"),
        46,
    ),
    Short(
        "f12(m)",
        "the numbers of the table m (a list of rows of equal length; m may be []) in a clockwise spiral from the top left, as a list",
        spiral,
        of([], [[1]], [[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 2, 3, 4]], [[1], [2], [3]], [[1, 2], [3, 4], [5, 6], [7, 8]]),
        51,
    ),
    Short(
        "f13(s)",
        "whether every bracket of s is closed by its own kind in the right order (True or False); s has only the characters ()[]{}",
        balanced,
        of("", "()", "([]{})", "(]", "([)]", "(", "}", "{{[()]}}()", "()()[", "][", "{[}]", "((()))[{}]"),
        63,
    ),
    Short("f14(n)", "n as a Roman numeral, such as MCMXCIV for 1994; 1 ≤ n ≤ 3999", roman, of(1, 4, 9, 14, 40, 90, 400, 444, 1994, 2026, 3888, 3999), 131),
    Short(
        "f15(a, b)",
        "how many single characters must at least be inserted, removed or replaced to turn string a into string b; at most 6 characters each",
        edits,
        [["", ""], ["", "abc"], ["abc", ""], ["kitten", "sittin"], ["flaw", "lawn"], ["ab", "ba"], ["abcdef", "azced"], ["same", "same"], ["xyz", "abcd"]],
        98,
    ),
    Short(
        "f16(n)",
        "in how many ways n queens can stand on a board of n × n squares with no two in one row, column or diagonal; 1 ≤ n ≤ 7",
        queens,
        of(1, 2, 3, 4, 5, 6, 7),
        110,
    ),
    Short(
        "f17(c)",
        "the next generation of Conway's game of life on an endless board: c is a list of the live cells, each [x, y]; "
        "the result is the sorted list of the live cells after one step, each [x, y]",
        life,
        of([], [[0, 0]], [[0, 0], [0, 1], [1, 0]], [[0, 0], [0, 1], [0, 2]], [[5, 5], [5, 6], [6, 5], [6, 6]], [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]], [[0, 0], [1, 1], [2, 2], [-1, 1]], [[100, -50], [101, -50], [102, -50], [100, -49]]),
        118,
    ),
]  # fmt: skip


def short_prompt() -> str:
    lines = [
        "Write these Python functions, all in one file. Each takes the arguments shown and returns what is described.",
        "",
    ]
    for each in SHORT:
        limit = f" [at most {each.limit} characters]" if each.limit else ""
        lines.append(f"- {each.signature}: {each.task}{limit}")
    lines += [
        "",
        "Where a limit stands in brackets, the function must be right in all hidden tests and its whole definition must not be longer than",
        "that: all characters from the first (`f` or `d`) to the last, with spaces, line breaks and indents. "
        + SIZES,
        "`f12=lambda m:…` is a definition like any other. Import lines cost nothing. Functions may call each other. Whatever else stands in",
        "the file is added to the length of every function. A call must end within one second.",
        "",
        "Reply with one Python code block that holds all functions. Use the standard library only. No explanation.",
    ]
    return "\n".join(lines) + "\n"


def short_gold() -> dict[str, Any]:
    rungs = []
    for number, each in enumerate(SHORT, 1):
        name = each.signature.partition("(")[0]
        tests = [{"args": args, "expected": each.does(*args)} for args in each.calls]
        rung = {"rung": number, "name": f"{name}: {each.task[:40]}".strip(), "function": name, "tests": tests}
        rungs.append(rung | ({"limit": each.limit} if each.limit else {}))
    return {"kind": "functions", "rungs": rungs}


class Counting(NamedTuple):
    """A program of the register machine: what A must be at the end, from which A and B, and its limit in lines."""

    task: str
    does: Callable[[int, int], int]
    starts: list[tuple[int, int]]
    limit: int


def alone(*values: int) -> list[tuple[int, int]]:
    return [(value, 0) for value in values]


def collatz(n: int) -> int:
    return 0 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)


TWO = [(0, 0), (5, 0), (0, 4), (3, 8), (9, 2), (6, 6), (31, 47), (58, 26)]
COUNTING = [
    Counting("A + 1", lambda a, b: a + 1, alone(0, 4, 17), 1),
    Counting("A + 2", lambda a, b: a + 2, alone(0, 4, 17), 2),
    Counting("A + 3", lambda a, b: a + 3, alone(0, 4, 17), 3),
    Counting("A − 1, or 0 where A is 0", lambda a, b: max(0, a - 1), alone(6, 1, 0, 260), 1),
    Counting("A − 2, or 0 where A is smaller than 2", lambda a, b: max(0, a - 2), alone(6, 1, 0, 2, 260), 2),
    Counting("A + B + 1", lambda a, b: a + b + 1, TWO, 5),
    Counting("0, whatever A was", lambda a, b: 0, alone(6, 1, 0, 260), 3),
    Counting("A − B, or 0 where B is larger than A", lambda a, b: max(0, a - b), TWO, 4),
    Counting("B, whatever A was", lambda a, b: b, TWO, 7),
    Counting("3 · A", lambda a, b: 3 * a, alone(1, 0, 2, 9, 75), 10),
    Counting("A / 2, rounded down", lambda a, b: a // 2, alone(1, 0, 2, 7, 12, 125), 10),
    Counting("the larger of A and B", lambda a, b: max(a, b), TWO, 13),
    Counting("A · B", lambda a, b: a * b, [*TWO, (7, 11)], 15),
    Counting("the remainder of A divided by B; B is at least 1", lambda a, b: a % b, [(0, 3), (7, 3), (9, 3), (2, 5), (20, 1), (23, 6), (5, 5)], 14),
    Counting("A / B, rounded down; B is at least 1", lambda a, b: a // b, [(0, 3), (7, 3), (9, 3), (2, 5), (8, 1), (23, 6), (5, 5)], 15),
    Counting("2 to the power of A", lambda a, b: 2**a, alone(0, 1, 2, 5, 9), 16),
    Counting("how many ones A has when written in binary", lambda a, b: a.bit_count(), alone(0, 1, 2, 3, 7, 8, 21, 31, 100), 16),
    Counting("the square root of A, rounded down", lambda a, b: math.isqrt(a), alone(0, 1, 3, 4, 8, 9, 30, 49, 63), 18),
    Counting("the A-th Fibonacci number (0, 1, 1, 2, 3, 5, …; 0 for A = 0)", lambda a, b: fibonacci(a), alone(0, 1, 2, 3, 6, 10, 13), 20),
    Counting("the greatest common divisor of A and B; both are at least 1", lambda a, b: math.gcd(a, b), [(1, 1), (6, 4), (4, 6), (7, 5), (12, 18), (30, 12), (9, 9), (35, 21)], 20),
    Counting("how many steps it takes from A to 1, if n becomes n/2 where n is even and 3n + 1 where it is odd; A is at least 1", lambda a, b: collatz(a), alone(1, 2, 3, 4, 5, 7, 9, 16), 26),
    Counting("1 if A is a prime number, else 0; A is at least 2", lambda a, b: int(prime(a)), alone(2, 3, 4, 5, 9, 13, 15, 25, 29, 33), 29),
]  # fmt: skip


def machine_prompt() -> str:
    lines = [
        "A register machine has five registers A, B, C, D, E. Each holds a whole number, 0 or more, of any size. A program is a list of lines,",
        "numbered from 1, with one of these instructions on each line (R stands for a register, N for a line number):",
        "",
        "    inc R      add 1 to R",
        "    dec R      take 1 from R; if R is 0, it stays 0",
        "    jz R N     if R is 0, go on at line N; otherwise with the next line",
        "    jmp N      go on at line N",
        "",
        "It starts at line 1 and ends when it goes on behind the last line: a jump may name the line after the last one, and no line beyond.",
        "At the start A and B hold the input and C, D and E hold 0 (B holds 0, too, where the task does not name it). At the end the result",
        "must be in A; the other registers may hold anything. A run may take at most 20,000 steps.",
        "",
        "For example, the first of these programs ends with A + 4 in A, and the second with A + B:",
        "",
        "Pa:",
        "inc A",
        "inc A",
        "inc A",
        "inc A",
        "",
        "Pb:",
        "jz B 5",
        "dec B",
        "inc A",
        "jmp 1",
        "",
        "Write programs that end with this in A. The number of lines allowed stands in brackets.",
        "",
    ]
    lines += [f"P{number}: {each.task} [{each.limit}]" for number, each in enumerate(COUNTING, 1)]
    lines += [
        "",
        f"A program counts if it is right for every hidden input. {SIZES}",
        "",
        "Reply with one code block. Write each program as in the examples: its label, then its lines without line numbers and without comments,",
        "then an empty line. No explanation.",
    ]
    return "\n".join(lines) + "\n"


def machine_gold() -> dict[str, Any]:
    return {
        "kind": "machine",
        "rungs": [
            {
                "rung": number,
                "name": f"P{number}: {each.task[:40]}".strip(),
                "limit": each.limit,
                "runs": [{"a": a, "b": b, "expected": each.does(a, b)} for a, b in each.starts],
            }
            for number, each in enumerate(COUNTING, 1)
        ],
    }


class Net(NamedTuple):
    """A comparator network: which rank must end on which wire, in words too, and its limit in comparators."""

    wires: int
    ends: dict[int, int]
    limit: int
    words: str = ""


def listed(*wires: int) -> dict[int, int]:
    """The wires on which the values end, the smallest first."""
    return {wire: rank for rank, wire in enumerate(wires, 1)}


def up(wires: int) -> dict[int, int]:
    return listed(*range(1, wires + 1))


NETS = [
    *(
        Net(n, {n: n}, n - 1, f"the largest value ends on wire {n}; the others anywhere")
        for n in (3, 4, 5, 6, 8)
    ),
    Net(2, up(2), 1, "the smaller value ends on wire 1, the larger on wire 2"),
    Net(2, {1: 2, 2: 1}, 1, "the smaller value ends on wire 2, the larger on wire 1"),
    Net(3, up(3), 3),
    Net(4, {1: 1}, 3, "the smallest value ends on wire 1; the others anywhere"),
    Net(4, up(4), 5),
    Net(4, listed(4, 3, 2, 1), 5),
    Net(
        6, {1: 1, 6: 6}, 7, "the smallest value ends on wire 1 and the largest on wire 6; the others anywhere"
    ),
    Net(5, up(5), 9),
    Net(5, {3: 3}, 7, "the middle value (the third smallest) ends on wire 3; the others anywhere"),
    Net(6, up(6), 12),
    Net(7, listed(3, 1, 4, 7, 5, 2, 6), 16),
    Net(
        9,
        {7: 1, 2: 2, 5: 3},
        17,
        "the smallest value ends on wire 7, the second smallest on wire 2 and the third smallest on wire 5; the others anywhere",
    ),
    Net(11, listed(6, 2, 11, 8, 1, 9, 4, 10, 3, 7, 5), 37),
    Net(9, listed(2, 9, 4, 7, 1, 6, 8, 3, 5), 26),
    Net(10, listed(4, 10, 1, 7, 3, 9, 6, 2, 8, 5), 31),
    Net(12, listed(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 41),
    Net(16, listed(1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 8, 16), 63),
]


def net_words(net: Net) -> str:
    if net.words:
        return net.words
    order = ", ".join(str(wire) for wire, _ in sorted(net.ends.items(), key=lambda end: end[1]))
    return f"all values end in order, smallest first, on the wires {order}"


def network_prompt() -> str:
    lines = [
        "A comparator network has wires numbered from 1; each carries a number. A comparator i-j looks at the two values on the wires i and j and",
        "puts the smaller on wire i and the larger on wire j (i may be larger than j). Comparators work one after another, from left to right.",
        "For example, the network 1-2 2-3 brings the largest of three values to wire 3.",
        "",
        "Write networks that do this for every possible input. The number of comparators allowed stands in brackets.",
        "",
    ]
    lines += [
        f"P{number}: {net.wires} wires; {net_words(net)} [{net.limit}]" for number, net in enumerate(NETS, 1)
    ]
    lines += [
        "",
        SIZES,
        "",
        "Reply with one code block that has one line for each network: its label, a colon, and its comparators separated by spaces. For 3 wires",
        "with the largest value on wire 3, the line would be `P0: 1-2 2-3`. No explanation.",
    ]
    return "\n".join(lines) + "\n"


def network_gold() -> dict[str, Any]:
    return {
        "kind": "network",
        "rungs": [
            {"rung": number, "name": f"P{number}: {net.wires} wires, {len(net.ends)} fixed", "wires": net.wires, "ends": net.ends, "limit": net.limit}
            for number, net in enumerate(NETS, 1)
        ],
    }  # fmt: skip


class Language(NamedTuple):
    """Strings over a and b to be matched: in words, and as an automaton by its first state, its step and its end."""

    task: str
    first: Any
    step: Callable[[Any, str], Any]
    accepts: Callable[[Any], bool]
    limit: int


def tail(length: int) -> Callable[[str, str], str]:
    return lambda seen, letter: (seen + letter)[-length:]


def avoids(*words: str) -> Callable[[str, str], str]:
    longest = max(map(len, words))

    def step(seen: str, letter: str) -> str:
        now = (seen + letter)[-longest:]
        return "!" if seen == "!" or any(now.endswith(word) for word in words) else now

    return step


def remainder(base: int, divisor: int) -> Callable[[int, str], int]:
    return lambda state, letter: (state * base + "ab".index(letter)) % divisor


def backwards(divisor: int) -> Callable[[tuple[int, int] | None, str], tuple[int, int]]:
    """The number read from right to left, so far, and what the next digit is worth."""

    def step(state: tuple[int, int] | None, letter: str) -> tuple[int, int]:
        value, worth = state or (0, 1)
        return (value + worth * "ab".index(letter)) % divisor, 2 * worth % divisor

    return step


def counts(a: int, b: int) -> Callable[[tuple[int, int], str], tuple[int, int]]:
    return lambda state, letter: ((state[0] + (letter == "a")) % a, (state[1] + (letter == "b")) % b)


def near(most: int) -> Callable[[int | None, str], int | None]:
    def step(state: int | None, letter: str) -> int | None:
        if state is None:
            return None
        now = state + (1 if letter == "a" else -1)
        return now if abs(now) <= most else None

    return step


LANGUAGES = [
    Language("the string ab, and nothing else", "", lambda s, c: (s + c)[:3], lambda s: s == "ab", 10),
    Language("the two strings a and b, and nothing else", "", lambda s, c: (s + c)[:2], lambda s: s in ("a", "b"), 10),
    Language("all strings that end with b", "", tail(1), lambda s: s == "b", 12),
    Language("all strings that end with ab", "", tail(2), lambda s: s == "ab", 14),
    Language("all strings of one or more a, with no b in them", "", avoids("b"), lambda s: s not in ("", "!"), 10),
    Language("all strings of exactly three letters", 0, lambda s, c: min(4, s + 1), lambda s: s == 3, 20),
    Language("the two strings ab and ba, and nothing else", "", lambda s, c: (s + c)[:3], lambda s: s in ("ab", "ba"), 10),
    Language("all strings that begin with a", "", lambda s, c: (s + c)[:1], lambda s: s == "a", 12),
    Language("all strings that end with bb", "", tail(2), lambda s: s == "bb", 12),
    Language("all strings that contain aba", "", avoids("aba"), lambda s: s == "!", 20),
    Language("all strings of even length, the empty string among them", 0, lambda s, c: 1 - s, lambda s: s == 0, 20),
    Language("all strings with exactly two b", 0, lambda s, c: min(3, s + (c == "b")), lambda s: s == 2, 20),
    Language("all strings, the empty one too, in which no two b stand side by side", "", avoids("bb"), lambda s: s != "!", 20),
    Language("all strings of one letter or more that begin and end with the same letter", "", lambda s, c: (s + c)[:1] + c, lambda s: s[:1] != "" and s[0] == s[-1], 40),
    Language("all strings, the empty one too, that do not contain aba", "", avoids("aba"), lambda s: s != "!", 40),
    Language("all strings in which the number of a is even and the number of b is even (0 is even)", (0, 0), counts(2, 2), lambda s: s == (0, 0), 60),
    Language("all strings of one letter or more that are a binary number divisible by 3, if a is the digit 0 and b the digit 1 (zeros may stand in front)", None, lambda s, c: remainder(2, 3)(s or 0, c), lambda s: s == 0, 60),
    Language("all strings, the empty one too, of which no beginning (the whole string counts as one) has over two more a than b or over two more b than a", 0, near(2), lambda s: s is not None, 80),
    Language("all strings, the empty one too, that contain neither abb nor bab", "", avoids("abb", "bab"), lambda s: s != "!", 60),
    Language("all strings in which aa stands at exactly one place and bb stands at exactly one place (aaa has aa at two places)", ("", 0, 0), lambda s, c: (c, min(2, s[1] + (s[0] + c == "aa")), min(2, s[2] + (s[0] + c == "bb"))), lambda s: s[1:] == (1, 1), 120),
    Language("all strings in which the number of a is divisible by 3 and the number of b is even (0 is both)", (0, 0), counts(3, 2), lambda s: s == (0, 0), 120),
    Language("all strings of one letter or more that are a binary number divisible by 5, if a is 0 and b is 1 (zeros may stand in front)", None, lambda s, c: remainder(2, 5)(s or 0, c), lambda s: s == 0, 80),
    Language("all strings, the empty one too, that contain neither aabb nor abab", "", avoids("aabb", "abab"), lambda s: s != "!", 80),
    Language("all strings in which the number of a is odd, the number of b is odd, and no two b stand side by side", (0, 0, ""), lambda s, c: "!" if s == "!" or s[2] + c == "bb" else ((s[0] + (c == "a")) % 2, (s[1] + (c == "b")) % 2, c), lambda s: s != "!" and s[:2] == (1, 1), 110),
    Language("all strings of one letter or more that are a binary number divisible by 7, if a is 0 and b is 1 (zeros may stand in front)", None, lambda s, c: remainder(2, 7)(s or 0, c), lambda s: s == 0, 200),
    Language("all strings of one letter or more that, read from right to left, are a binary number divisible by 7, if a is 0 and b is 1", None, backwards(7), lambda s: s is not None and s[0] == 0, 200),
]  # fmt: skip


def automaton(language: Language) -> dict[str, Any]:
    """The complete automaton of a language, states numbered in order of their discovery, alike ones left apart."""
    states = [language.first]
    following: list[list[int]] = []
    for state in states:
        row = []
        for letter in "ab":
            after = language.step(state, letter)
            if after not in states:
                states.append(after)
            row.append(states.index(after))
        following.append(row)
    return {"next": following, "accepts": [n for n, state in enumerate(states) if language.accepts(state)]}


def pattern_prompt() -> str:
    lines = [
        "Write regular expressions over the letters a and b. An expression must match exactly the strings described: all of them as a whole, and no",
        "other string of the letters a and b. Allowed are only:",
        "",
        "    a b        the letters",
        "    . [ab]     any one letter",
        "    ( )        a group",
        "    |          either what is left or what is right of it; one side may be empty",
        "    * + ?      none or more, one or more, none or one of what stands before",
        "    {m} {m,n}  m times, m to n times (numbers below 100)",
        "",
        "No look-ahead, no back-reference, no other sign. Most characters allowed, without spaces, stand in brackets.",
        "",
    ]
    lines += [f"P{number}: {each.task} [{each.limit}]" for number, each in enumerate(LANGUAGES, 1)]
    lines += [
        "",
        f"An expression counts if it is right for every string of any length. {SIZES}",
        "",
        "Reply with one code block that has one line for each expression: its label, a colon, a space and the expression. For all strings that",
        "end with a, the line would be `P0: (a|b)*a`. No explanation.",
    ]
    return "\n".join(lines) + "\n"


def pattern_gold() -> dict[str, Any]:
    return {
        "kind": "pattern",
        "rungs": [
            {"rung": n, "name": f"P{n}: {each.task[:50]}".strip(), "limit": each.limit, **automaton(each)}
            for n, each in enumerate(LANGUAGES, 1)
        ],
    }


def cases() -> Iterable[dict[str, Any]]:
    chance = random.Random(19)
    made = [
        ("code_short", 1, short_prompt(), short_gold()),
        ("code_pattern", 1, pattern_prompt(), pattern_gold()),
        ("code_interpreter", 2, PEBBLE, {"kind": "functions", "rungs": pebble_rungs(chance)}),
        ("code_network", 2, network_prompt(), network_gold()),
        ("code_machine", 3, machine_prompt(), machine_gold()),
    ]
    for name, difficulty, prompt, gold in made:
        yield {
            "id": name,
            "difficulty": difficulty,
            "rungs": len(gold["rungs"]),
            "prompt": prompt,
            "gold": gold,
        }


class _Dumper(yaml.CSafeDumper):
    """Prompts as blocks, lists of plain values on one line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text and not any(line.endswith(" ") for line in text.split("\n")) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)

HEAD = """\
# Code Generation: five ladders. Python functions are called in the jail, and what they must give stays here; programs for the small machines
# are simulated by the grader. Written by tools/ladders/code_generation.py: change the tables there and run it again.
"""


def text() -> str:
    return HEAD + yaml.dump(
        {"cases": list(cases())},
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=None,
        allow_unicode=True,
        width=140,
    )


def main() -> int:
    new = text()
    if "--check" in sys.argv:
        return int(new != FILE.read_text(encoding="utf-8"))
    FILE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
