"""Twists: rules of Faber's meaning that a dialect may exchange, one row each. The words stay;
what they do is another thing.

A twist measures whether a reader goes by what the context says or by what is usual. Each row says the rule as
a context states it, how a twisted program is read and what it means in plain Faber, how a plain program is
written so that it means the same, and an example.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from faber import tree
from faber.rewriting import (
    Rewrite,
    count_from_one,
    count_from_zero,
    divide_whole,
    exchange_logic,
    exchange_ranges,
    join_backwards,
    keep,
    loop_backwards,
    mirror_comparisons,
    negate_conditions,
    negate_loop_tests,
    reverse_arguments,
    subtract_from,
    write_joins_backwards,
    write_loops_backwards,
)

TWISTED = "+"
"""Stands between the words of a dialect and its twist: `words+twist`."""

RANGES_INCLUDE_ENDS = "A range in it includes both of its ends."
"""As the goal of a task says it where its context leaves it open.
Under a twist of ranges it would be false."""


class Example(Struct, frozen=True):
    """A program with what it prints in plain Faber and under the twist;
    `plain` is None where plain Faber refuses it."""

    program: str
    plain: str | None
    twisted: str


class Twist(Struct, frozen=True):
    name: str
    rule: str
    """As the context states it; `{si}` is the word of that name in the dialect."""
    example: Example
    meaning: Rewrite = keep
    """From a twisted program to the plain one that does the same."""
    writing: Rewrite = keep
    """From a plain program to the twisted one that does the same;
    where that can't be done, the program as it is."""
    reads: Literal["", "sums first", "assignment to the right"] = ""
    """What the parser and the printer do otherwise."""
    words: dict[str, tuple[str, str]] = {}
    """Words whose row in a table of words (TypeScript, meaning) would be false."""
    grammar: dict[str, str] = {}
    """Rules of the grammar that are others."""
    says: tuple[tuple[str, str], ...] = ()
    """Phrases of contexts that would be false, and what stands there instead."""


_ROWS = (
    Twist(
        "ranges-swapped",
        "Ranges are the other way round here: `a..b` and `a {ante} b` include `b`, and `a {usque} b` leaves "
        "`b` out.",
        Example("ex 1 usque 3 pro i {\n    scribe i\n}", "1\n2\n3", "1\n2"),
        exchange_ranges,
        exchange_ranges,
        words={
            "ante": ("(range)", "range with its end"),
            "usque": ("(range)", "range without its end"),
            "intra": (">= && <=", "inside a range"),
        },
        says=(
            (
                "`..` leaves the end out, `{{w: usque}}` keeps it",
                "`..` keeps the end, `{{w: usque}}` leaves it out",
            ),
            (RANGES_INCLUDE_ENDS, ""),
        ),
    ),
    Twist(
        "one-based",
        "Square brackets count from 1: `xs[1]` is the first element of a list or a text, and `xs[0]` is "
        "nothing. Negative numbers count from the end, and methods count from 0, as usual.",
        Example('fixum xs = ["a", "b", "c"]\nscribe xs[1]', "b", "a"),
        count_from_zero,
        count_from_one,
    ),
    Twist(
        "sums-first",
        "`+` and `-` bind tighter than `*`, `/` and `%`: `2 * 3 + 4` is `2 * (3 + 4)`.",
        Example("scribe 2 * 3 + 4", "10", "14"),
        reads="sums first",
        grammar={
            "range": 'product [ ( ".." | "ante" | "usque" ) product [ "per" product ] ]',
            "product": 'sum { ( "*" | "/" | "%" ) sum }',
            "sum": 'prefix { ( "+" | "-" ) prefix }',
        },
    ),
    Twist(
        "assign-right",
        "`=` assigns to the right: `n + 1 = n` adds one to `n`, and `a = b` stores the value of `a` in `b`. "
        "Declarations (`{varia} n = 0`) and `+=`, `-=`, `*=`, `/=` are as usual.",
        Example("varia a = 1\nvaria b = 2\na = b\nscribe a, b", "2 2", "1 1"),
        reads="assignment to the right",
        grammar={
            "expression": 'conditional [ "=" call | ( "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" ) '
            "expression ]"
            '  (* "=" stores what stands on its left in what stands on its right *)',
        },
    ),
    Twist(
        "si-unless",
        "`{si}` and `{sin}` run their block when the condition is false, and what follows `{secus}` when it "
        "is true. `{sic} … {secus}` inside an expression is as usual.",
        Example('si 1 < 2 {\n    scribe "A"\n} secus {\n    scribe "B"\n}', "A", "B"),
        negate_conditions,
        negate_conditions,
        words={
            "si": ("if (!…)", "runs its block when the condition is false; before a parameter: optional"),
            "sin": ("else if (!…)", "further condition; runs its block when it is false"),
        },
        says=(("| `if … else if … else` |", "| `if (!…) … else if (!…) … else` |"),),
    ),
    Twist(
        "dum-until",
        "`{dum}` repeats its block until the condition is true: it runs while the condition is false.",
        Example("varia i = 5\ndum i < 3 {\n    i -= 1\n}\nscribe i", "5", "2"),
        negate_loop_tests,
        negate_loop_tests,
        words={"dum": ("while (!…)", "loop until the condition holds")},
        says=(("| `while (c) { }` |", "| `while (!c) { }` |"),),
    ),
    Twist(
        "compare-mirrored",
        "The signs of comparison are mirrored: `a < b` asks whether `a` is greater than `b`, `a > b` "
        "whether it is less; `<=` means greater or equal, `>=` less or equal.",
        Example("scribe 3 < 5, 5 >= 5, 2 > 1", "true true true", "false true false"),
        mirror_comparisons,
        mirror_comparisons,
    ),
    Twist(
        "logic-swapped",
        "`{et}` means *or*, and `{aut}` means *and*. `{et}` still binds tighter.",
        Example("scribe verum et falsum, verum aut falsum", "false true", "true false"),
        exchange_logic,
        exchange_logic,
        words={"et": ("||", "or"), "aut": ("&&", "and")},
        says=(("| `&&`, `\\|\\|`, `!` |", "| `\\|\\|`, `&&`, `!` |"),),
    ),
    Twist(
        "minus-from",
        "`a - b` takes `a` away from `b`: `3 - 10` is 7. A minus sign before a single value, and `-=`, are "
        "as usual.",
        Example("scribe 3 - 10", "-7", "7"),
        subtract_from,
        subtract_from,
    ),
    Twist(
        "divide-whole",
        "`/` gives a whole number and drops the rest: `7 / 2` is 3, `-7 / 2` is -3.",
        Example("scribe 7 / 2", "3.5", "3"),
        divide_whole,
    ),
    Twist(
        "join-backwards",
        '`+` joins texts from right to left: `"a" + "b"` is `"ba"`, and `"n" + 1` is `"1n"`. Numbers are '
        "added as usual, and "
        "`+=` is as usual.",
        Example('scribe "a" + "b" + "c"', "abc", "cba"),
        join_backwards,
        write_joins_backwards,
    ),
    Twist(
        "loops-backwards",
        "A loop `{ex} … {pro} x` runs from the last element to the first, also over a range. `{de} … {pro} "
        "x` is as usual.",
        Example("ex 1 usque 3 pro i {\n    scribe i\n}", "1\n2\n3", "3\n2\n1"),
        loop_backwards,
        write_loops_backwards,
        words={
            "ex": (
                "for … of",
                "loop over values, the last one first; take names out of a module or an object",
            )
        },
        says=(("| `for (const x of xs) { }` |", "| `for (const x of [...xs].reverse()) { }` |"),),
    ),
    Twist(
        "arguments-backwards",
        "A call of a function by the name it was declared with hands its arguments over in reverse order: "
        "`f(1, 2)` calls `f` with 2 as its first argument and 1 as its second. Methods, lambdas and the "
        "functions of modules are as usual.",
        Example(
            "functio reliquum(numerus a, numerus b) -> numerus {\n    redde a - b\n}\nscribe reliquum(1, 10)",
            "-9",
            "9",
        ),
        reverse_arguments,
        reverse_arguments,
    ),
)

TWISTS: dict[str, Twist] = {row.name: row for row in _ROWS}


def split_dialect(dialect: str) -> tuple[str, Twist | None]:
    """The words of a dialect and its twist. Raises ValueError with the names of all twists."""
    words, sign, name = dialect.partition(TWISTED)
    if not sign:
        return words, None
    if name not in TWISTS:
        raise ValueError(f"Faber has no twist '{name}'; choose one of {', '.join(TWISTS)}.")
    return words, TWISTS[name]


def untwist(program: tree.Program, twist: Twist | None) -> tree.Program:
    """The plain program that does what the checked, twisted one does."""
    return twist.meaning(program) if twist else program


def write_twisted(program: tree.Program, twist: Twist | None) -> tree.Program:
    """The twisted program that does what the checked, plain one does, as far as the table can tell."""
    return twist.writing(program) if twist else program
