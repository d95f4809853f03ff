"""Pebble, the language of the ladder code_interpreter: its rules, a reference interpreter over a tree, and the hidden programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

LIMIT = 2000
"""Characters of the whole solution on the last rungs."""
FREE = 120
"""Characters of a small function that do not count for the whole solution."""

PROMPT = f"""\
Write a Python function

    def run(source: str) -> list[str]

that executes a program of the small language Pebble and returns the lines it prints. Write five small functions before it, which are
tested by themselves, and which `run` may use:

    def words(line: str) -> list[str]       the words of a line (rule 1)
    def skipped(line: str) -> bool          whether a line does nothing (rule 2)
    def wrapped(n: int) -> int              a whole number brought into the range of rule 4
    def quotient(a: int, b: int) -> int     a / b by rule 7; b is not 0
    def rest(a: int, b: int) -> int         a % b by rule 7; b is not 0

Lines
1. Lines are numbered from 1. The words of a line are separated by one or more spaces; spaces around them mean nothing.
2. A line that is empty or whose first word begins with # does nothing, but it has its number.
3. Every other line is a statement. Names are lower-case letters. `end` closes the nearest open if, loop, def or try.

Values
4. Values are whole numbers from -500 to 499. Every literal (digits, perhaps with - in front) and every result of an operator is brought into this
   range by adding or taking away 1000 as often as needed: 500 is -500, 1203 is 203, -501 is 499.
5. An expression is `operand` or `operand operator expression`: all operators bind alike and group from the right.
   9 - 4 - 1 is 9 - (4 - 1) = 6, and 2 * 3 + 4 is 14.
6. An operand is a literal or a name. A name that has no value counts as 0.
7. Operators: + - * / % < =. The quotient / is rounded toward zero, and % is the remainder that belongs to it: -7 / 2 is -3, -7 % 2 is -1.
   A right side of 0 is a fault. < and = give 1 if true and 0 if not.

Statements
8. `say EXPR` prints the value.
9. `set NAME EXPR` changes the variable that reading NAME would find (rule 16); if there is none, it makes a global one.
10. `if EXPR` ... `else` ... `end` (else may be missing): the first part is executed if the value is greater than 0, else the second.
11. `loop EXPR` ... `end` executes its body as often as the value says, which is computed once; not at all if it is 0 or less.
    The name `turn` is the number of the current round (1, 2, ...) of the innermost loop of the current call, and 0 where there is none.
    No program sets `turn`.
12. `stop` ends the innermost loop of the current call, `next` its current round. Where there is no loop in the current call, both do the same as
    `give 0`.
13. `def NAME PARAMETER ...` ... `end` makes a function for the whole program when it is executed; a later def of the same name replaces it.
14. `call NAME OPERAND ...` executes the function in a new frame, in which the parameters are variables with the values of the operands. Missing
    operands are 0, surplus ones are ignored. When the call has ended, the caller goes on as if it executed `set it VALUE`, with the value given, or 0
    if the function came to its end without `give`.
15. `give EXPR` ends the current call with this value; outside of any function it ends the program.
16. Reading a name looks in the frame of the current call, then in the frame of its caller, and so on, and in the global variables last.
17. `my NAME EXPR` changes the variable NAME in the frame of the current call, and makes it there if there is none. Outside of any function that is a
    global variable.
18. `back NAME` takes away the last change of the variable that reading NAME would find: it has the value again that it had before. If it had none
    before (the change made it, or it is a parameter that was never changed), the variable is gone from its frame. If there is no such variable, that
    is a fault. `back` can be used again and again.

Faults
19. Faults are: a right side of 0 for / or %; a call while 10 calls are already running; a call of a function that was not made; back of no variable;
    a first word that is no statement. A fault prints `fault N`, N being the number of the line of the statement in which it happened, and ends the
    program, unless it happens in a try.
20. `try` ... `end`: if a fault happens while its body is executed, also in functions called from there, `fault N` is printed, the calls begun in the body
    are given up, all variables of all frames that are left become again as they were when the try began, with everything that `back` could take away from them,
    and execution goes on after its `end`. What was printed stays, and so do functions that were made. The innermost try takes the fault.
21. `stop`, `next` and `give` leave a try without taking anything back.

For example, the program with the lines `set a 7`, `loop 2`, `say a * turn - 1`, `end` and `say a / b` prints 0, 7 and fault 5.

The hidden tests of `run` come in twelve groups, from single `say` lines to programs that use all rules. In the last five groups all tests must be passed, and the
whole solution must have at most {LIMIT} characters (everything in your code block but import lines and the first {FREE} characters of each small function). A right one that is longer earns half there up to 1.25
times the limit, and a quarter beyond.

Reply with one Python code block. Use the standard library only. No explanation.
"""


MOST_STEPS = 1_500
"""Statements of a hidden program, so that a slow interpreter has time enough."""


class TooLong(Exception):
    """The program takes more steps than a hidden program may."""


class Fault(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


class Reference:
    """Pebble by the rules above: the lines become a tree, and each statement tells how it ended (None, stop, next or give)."""

    def __init__(self, source: str) -> None:
        self.lines = [line.split() for line in source.split("\n")]
        self.printed: list[str] = []
        self.functions: dict[str, tuple[list[str], list[Any]]] = {}
        self.frames: list[dict[str, list[int]]] = [{}]
        self.turns: list[list[int]] = [[]]
        self.at = 0
        self.steps = 0

    def block(self) -> list[Any]:
        """Statements up to an `else` or `end`, which is left to whoever opened the block."""
        found = []
        while self.at < len(self.lines):
            number, words = self.at + 1, self.lines[self.at]
            if words and words[0] in ("else", "end"):
                break
            self.at += 1
            if not words or words[0].startswith("#"):
                continue
            first: list[Any] = []
            second: list[Any] = []
            if words[0] in ("if", "loop", "def", "try"):
                first = self.block()
                if self.lines[self.at][0] == "else":
                    self.at += 1
                    second = self.block()
                self.at += 1
            found.append((number, words[0], words[1:], first, second))
        return found

    def home(self, name: str) -> dict[str, list[int]] | None:
        return next((frame for frame in reversed(self.frames) if name in frame), None)

    def value(self, words: list[str], line: int) -> int:
        word = words[0]
        if word.lstrip("-").isdigit():
            left = wrapped(int(word))
        elif word == "turn":
            left = self.turns[-1][-1] if self.turns[-1] else 0
        else:
            frame = self.home(word)
            left = frame[word][-1] if frame else 0
        if len(words) == 1:
            return left
        right = self.value(words[2:], line)
        if words[1] in "/%":
            if right == 0:
                raise Fault(line)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return wrapped(quotient if words[1] == "/" else left - quotient * right)
        results = {
            "+": left + right,
            "-": left - right,
            "*": left * right,
            "<": int(left < right),
            "=": int(left == right),
        }
        return wrapped(results[words[1]])

    def put(self, name: str, value: int) -> None:
        frame = self.home(name)
        (self.frames[0] if frame is None else frame).setdefault(name, []).append(value)

    def execute(self, statements: list[Any]) -> tuple[str, int] | None:
        for statement in statements:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLong
            ended = self.one(*statement)
            if ended:
                return ended
        return None

    def one(
        self, line: int, word: str, words: list[str], first: list[Any], second: list[Any]
    ) -> tuple[str, int] | None:
        if word == "say":
            self.printed.append(str(self.value(words, line)))
        elif word == "set":
            self.put(words[0], self.value(words[1:], line))
        elif word == "my":
            value = self.value(words[1:], line)
            self.frames[-1].setdefault(words[0], []).append(value)
        elif word == "back":
            frame = self.home(words[0])
            if frame is None:
                raise Fault(line)
            frame[words[0]].pop()
            if not frame[words[0]]:
                del frame[words[0]]
        elif word == "if":
            return self.execute(first if self.value(words, line) > 0 else second)
        elif word == "loop":
            return self.loop(self.value(words, line), first)
        elif word in ("stop", "next"):
            return (word, 0) if self.turns[-1] else ("give", 0)
        elif word == "give":
            return "give", self.value(words, line)
        elif word == "def":
            self.functions[words[0]] = words[1:], first
        elif word == "call":
            self.call(line, words[0], words[1:])
        elif word == "try":
            return self.attempt(first)
        else:
            raise Fault(line)
        return None

    def loop(self, count: int, body: list[Any]) -> tuple[str, int] | None:
        for turn in range(1, count + 1):
            self.turns[-1].append(turn)
            ended = self.execute(body)
            self.turns[-1].pop()
            if ended and ended[0] == "stop":
                break
            if ended and ended[0] == "give":
                return ended
        return None

    def call(self, line: int, name: str, operands: list[str]) -> None:
        if len(self.frames) > 10 or name not in self.functions:
            raise Fault(line)
        parameters, body = self.functions[name]
        given = [self.value([each], line) for each in operands] + [0] * len(parameters)
        self.frames.append({parameter: [each] for parameter, each in zip(parameters, given, strict=False)})
        self.turns.append([])
        ended = self.execute(body)
        self.frames.pop()
        self.turns.pop()
        self.put("it", ended[1] if ended else 0)

    def attempt(self, body: list[Any]) -> tuple[str, int] | None:
        frames, turns = deepcopy(self.frames), deepcopy(self.turns)
        try:
            return self.execute(body)
        except Fault as fault:
            self.printed.append(f"fault {fault.line}")
            self.frames, self.turns = frames, turns
            return None


def wrapped(value: int) -> int:
    return (value + 500) % 1000 - 500


def run(source: str) -> list[str]:
    pebble = Reference(source)
    tree = pebble.block()
    try:
        pebble.execute(tree)
    except Fault as fault:
        pebble.printed.append(f"fault {fault.line}")
    return pebble.printed


class Author:
    """Programs by chance: every one ends, and prints something."""

    def __init__(self, chance: random.Random, words: str) -> None:
        self.chance = chance
        self.words = words.split()
        self.made: list[str] = []

    def operand(self) -> str:
        names = ["a", "b", "c", "it", "turn"] if "set" in self.words else []
        if names and self.chance.random() < 0.6:
            return self.chance.choice(names)
        return str(self.chance.choice((0, 1, 1, 2, 2, 3, 5, 7, -1, -4, 12, 40, 333)))

    def expression(self) -> str:
        parts = [self.operand()]
        while self.chance.random() < 0.45:
            parts += [self.chance.choice("++--**/%<="), self.operand()]
        return " ".join(parts)

    def inside(self, size: int, depth: int, loops: int) -> list[str]:
        return ["  " + line for line in self.block(size, depth, loops)]

    def block(self, size: int, depth: int, loops: int) -> list[str]:
        lines: list[str] = []
        for _ in range(size):
            word = self.chance.choice(self.words)
            small = self.chance.randint(1, 3)
            if word in ("if", "loop", "try", "def") and depth > 2:
                word = "say"
            if word == "loop" and loops > 1:
                word = "set"
            if word == "say":
                lines.append(f"say {self.expression()}")
            elif word in ("set", "my"):
                lines.append(f"{word} {self.chance.choice('abc')} {self.expression()}")
            elif word == "back":
                lines.append(f"back {self.chance.choice(['a', 'b', 'c', 'it'])}")
            elif word == "if":
                other = ["else", *self.inside(small, depth + 1, loops)] if self.chance.random() < 0.6 else []
                lines += [f"if {self.expression()}", *self.inside(small, depth + 1, loops), *other, "end"]
            elif word == "loop":
                count = self.chance.choice(("2", "3", "1 + 2", "a % 4", "0", "b - 1 % 3"))
                lines += [f"loop {count}", *self.inside(small, depth + 1, loops + 1), "end"]
            elif word == "try":
                lines += ["try", *self.inside(small + 1, depth + 1, loops), "end"]
            elif word == "def":
                name = self.chance.choice("fgh")
                lines += [
                    f"def {name} {self.chance.choice(('', 'a', 'a b', 'c', 'b turned'))}".rstrip(),
                    *self.inside(small + 1, depth + 1, loops),
                    "end",
                ]
            elif word == "call":
                operands = " ".join(self.operand() for _ in range(self.chance.randint(0, 2)))
                lines.append(f"call {self.chance.choice('fffgghk')} {operands}".rstrip())
            elif word in ("stop", "next"):
                lines += [f"if {self.expression()}", f"  {word}", "end"]
            elif word == "give":
                lines += [f"if {self.expression()}", f"  give {self.expression()}", "end"]
            elif word == "odd":
                lines.append(self.chance.choice(("jump 3", "say 1 / 0", "", "# a note", "   say   4  *  5 ")))
            else:
                lines.append(word)
        return lines

    def program(self, size: int) -> str:
        head = [f"set {name} {self.chance.randint(-9, 9)}" for name in "abc"] if "set" in self.words else []
        lines = [*head, *self.block(size, 0, 0), "say a" if head else "say 0"]
        if "call" in self.words:
            body = self.block(self.chance.randint(3, 5), 1, 0)
            lines = [
                "def f a",
                *["  " + line for line in body],
                "end",
                "def g b c",
                "  call f b",
                "  give it + c",
                "end",
                *lines,
                "say b",
                "say it",
            ]
        return "\n".join(lines)


GROUPS: list[tuple[str, str, int, bool, Callable[[list[str]], bool]]] = [
    # name, words the programs are made of, statements, strict, and what the output of a useful program has
    ("say with a number", "", 0, False, lambda out: True),
    ("one operator", "", 0, False, lambda out: True),
    ("several lines, notes and blanks", "", 0, False, lambda out: True),
    ("set", "say set", 5, False, lambda out: len(set(out)) > 2),
    ("long expressions", "", 0, False, lambda out: True),
    ("if and else", "say set if", 6, False, lambda out: len(set(out)) > 2),
    ("loop, turn, stop and next", "say set if loop loop stop next", 6, False, lambda out: len(set(out)) > 4),
    ("functions and give", "say set if give", 5, True, lambda out: len(set(out)) > 2),
    ("frames: my and dynamic scope", "say set my my if call call loop give def", 7, True, lambda out: len(set(out)) > 5),
    ("faults and try", "say set my try try call loop odd stop give def", 8, True, lambda out: "fault" in " ".join(out) and len(set(out)) > 5),
    ("back", "say set set back back my call loop try give", 9, True, lambda out: "fault" in " ".join(out) and len(set(out)) > 5),
    ("all rules together", "say set my back if loop try call def stop next give odd", 16, True, lambda out: " ".join(out).count("fault") > 1 and len(set(out)) > 8),
]  # fmt: skip

SMALL: list[tuple[str, Callable[..., Any], list[list[Any]]]] = [  # before `run`: name, what it does, arguments of its tests
    ("words", str.split, [["say 5"], ["  set   a  7 "], ["end"], [""], ["   "], ["def f a b"]]),
    ("skipped", lambda line: not line.strip() or line.strip()[0] == "#", [["say 1"], [""], ["# a note"], ["   "], ["  #x"], ["say # 1"], ["end"], [" loop 2"]]),
    ("wrapped", lambda n: wrapped(n), [[7], [500], [499], [-500], [-501], [1203], [0], [-1000], [2500], [98765]]),
    ("quotient", lambda a, b: wrapped(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)), [[7, 2], [-7, 2], [7, -2], [-8, -3], [12, 4], [1, 5], [-1, 5], [400, 3]]),
    ("rest", lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1), [[7, 2], [-7, 2], [7, -3], [-8, -3], [12, 4], [1, 5], [-1, 5], [400, 3]]),
]  # fmt: skip

SIMPLE = {
    1: ["say 5", "say 0", "say 42", "say -7", "say 499", "  say  12 ", "say 500", "say 1203"],
    2: ["say 2 + 3", "say 9 - 4", "say 6 * 7", "say 7 / 2", "say 3 < 5", "say 5 < 3", "say 4 = 4", "say -7 / 2", "say -7 % 2", "say 300 + 300", "say 8 / 0"],
    3: ["say 1\nsay 2", "# hello\nsay 3", "say 4\n\nsay 5", "say 1 + 1\n#say 9\nsay 3 * 3", "\n\nsay 8\n", " # x\n say 6 / 2", "say 2\nsay 4 / 0\nsay 6"],
    5: ["say 9 - 4 - 1", "say 2 * 3 + 4", "say 20 / 4 / 2", "say 1 < 2 < 1", "say 7 % 4 * 2", "say 499 + 1 * 2", "say -3 * 200 - 10", "say 5 - 5 - 5 - 5", "say 17 % 5 - 2 * 3", "say 100 * 7 + 7 % 4", "say 1 = 0 = 0 = 1", "say 250 * 2 / 2 - 7"],
}  # fmt: skip
TESTS = {8: 10, 9: 10, 10: 10, 11: 10, 12: 10}


def rungs(chance: random.Random) -> list[dict[str, Any]]:
    """The small functions; then the twelve groups: given programs where a line says it all, programs by chance elsewhere."""
    found: list[dict[str, Any]] = [
        {
            "rung": number,
            "name": f"the function {name}",
            "function": name,
            "tests": [{"args": args, "expected": does(*args)} for args in calls],
            "free": FREE,
        }
        for number, (name, does, calls) in enumerate(SMALL, 1)
    ]
    for number, (name, words, size, strict, useful) in enumerate(GROUPS, 1):
        programs = SIMPLE.get(number) or _made(
            chance, words + (" call call def" if number == 8 else ""), size, TESTS.get(number, 10), useful
        )
        rung: dict[str, Any] = {"rung": len(SMALL) + number, "name": name, "function": "run"}
        rung["tests"] = [{"args": [program], "expected": run(program)} for program in programs]
        found.append(rung | ({"strict": True, "limit": LIMIT} if strict else {}))
    return found


def _made(
    chance: random.Random, words: str, size: int, count: int, useful: Callable[[list[str]], bool]
) -> list[str]:
    author = Author(chance, words)
    found: list[str] = []
    while len(found) < count:
        program = author.program(size)
        try:
            printed = run(program)
        except TooLong:
            continue
        if useful(printed) and len(printed) < 60:
            found.append(program)
    return found
