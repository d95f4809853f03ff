"""Abaco, whole: `abaco.py check FILE` reads a program, `abaco.py run FILE` runs it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

STRENGTH = {"at": 6, "*": 5, "/": 5, "mod": 5, "+": 4, "-": 4, "..": 3, "&": 2, "=": 1, "<": 1, ">": 1}
FROM_RIGHT = False
"""The decision that version 2 changed. In version 1 all were as strong, and the right one was first."""

TOKEN = re.compile(r'\s*("[^"]*"|\d+|\.\.|[A-Za-z_]\w*|[^\s\w])')
OPENING = {"for", "when", "to"}
Expression = tuple[Any, ...]


class Line:
    """The words of one line, read from left to right."""

    def __init__(self, number: int, text: str) -> None:
        self.number, self.words, self.place = number, TOKEN.findall(text), 0

    def fail(self, fault: str) -> NoReturn:
        sys.exit(f"line {self.number}: {fault}")

    def peek(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def next(self) -> str:
        self.place += 1
        return self.words[self.place - 1] if self.place <= len(self.words) else ""

    def expect(self, word: str) -> None:
        if (found := self.next()) != word:
            self.fail(f"`{word}` belongs here, not `{found or 'the end of the line'}`")

    def name(self) -> str:
        if not re.fullmatch(r"[A-Za-z_]\w*", found := self.next()):
            self.fail(f"a name belongs here, not `{found or 'the end of the line'}`")
        return found

    def expression(self, least: int = 0) -> Expression:
        left = self.atom()
        while (strength := STRENGTH.get(self.peek(), -1)) >= max(least, 0):
            sign = self.next()
            left = (sign, left, self.expression(strength + (not FROM_RIGHT)))
        return left

    def atom(self) -> Expression:
        word = self.next()
        if word.isdigit():
            return "value", int(word)
        if word.startswith('"') and len(word) > 1:
            return "value", word[1:-1]
        if word == "(":
            inside = self.expression()
            self.expect(")")
            return inside
        if word == "[":
            return "list", self.items("]")
        if not re.fullmatch(r"[A-Za-z_]\w*", word) or word in STRENGTH:
            self.fail(f"a value belongs here, not `{word or 'the end of the line'}`")
        if self.peek() == "(":
            self.next()
            return "call", word, self.items(")")
        return "name", word

    def items(self, closing: str) -> list[Expression]:
        found: list[Expression] = []
        while self.peek() != closing:
            found.append(self.expression())
            if self.peek() == ",":
                self.fail("`,` between items; they are parted by `;`")
            if self.peek() != closing:
                self.expect(";")
        self.next()
        return found


def read(text: str) -> list[Any]:
    """The statements of a program: (line, word, …)."""
    lines = [Line(number, row) for number, row in enumerate(text.splitlines(), 1) if row.strip()]
    block = read_block(lines, None)
    if lines:
        lines[0].fail(f"`{lines[0].words[0]}` belongs to nothing")
    return block


def read_block(lines: list[Line], opened: Line | None) -> list[Any]:
    block: list[Any] = []
    while lines and lines[0].peek() not in ("end", "otherwise"):
        line = lines.pop(0)
        word = line.next()
        if word in ("show", "give"):
            block.append((line, word, line.expression()))
        elif word == "let":
            name = line.name()
            line.expect("be")
            block.append((line, word, name, line.expression()))
        elif word in OPENING:
            block.append(read_opening(word, line, lines))
        else:
            line.fail(f"`{word}` begins no statement")
        if line.peek():
            line.fail(f"`{line.peek()}` is too much")
    if opened and not lines:
        opened.fail(f"`{opened.words[0]}` has no `end`")
    return block


def read_opening(word: str, line: Line, lines: list[Line]) -> tuple[Any, ...]:
    head: list[Any] = []
    if word == "for":
        head.append(line.name())
        line.expect("of")
    if word == "to":
        head.append(line.name())
        head.append([line.name() for _ in range(len(line.words) - line.place)])
    else:
        head.append(line.expression())
    block, other = read_block(lines, line), []
    if lines[0].peek() == "otherwise" and word == "when":
        lines.pop(0)
        other = read_block(lines, line)
    lines.pop(0).expect("end")
    return line, word, *head, block, other


class Given(Exception):
    """What a function gives."""


def run_block(block: list[Any], names: dict[str, Any]) -> None:
    for line, word, *parts in block:
        if word == "show":
            value = evaluate(parts[0], names, line)
            print(" ".join(map(show, value)) if isinstance(value, list) else show(value))
        elif word == "give":
            raise Given(evaluate(parts[0], names, line))
        elif word == "let":
            names[parts[0]] = evaluate(parts[1], names, line)
        elif word == "to":
            names[parts[0]] = make(parts[1], parts[2], names, line)
        elif word == "for":
            for item in require(list, evaluate(parts[1], names, line), "for … of", line):
                names[parts[0]] = item
                run_block(parts[2], names)
        else:
            holds = require(bool, evaluate(parts[0], names, line), "when", line)
            run_block(parts[1] if holds else parts[2], names)


def make(wanted: list[str], block: list[Any], outside: dict[str, Any], line: Line) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        if len(values) != len(wanted):
            line.fail(f"{len(wanted)} values belong here, not {len(values)}")
        try:
            run_block(block, {**outside, **dict(zip(wanted, values, strict=True))})
        except Given as given:
            return given.args[0]
        return 0

    return call


def show(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def require(kind: type, value: Any, word: str, line: Line) -> Any:
    if type(value) is not kind:
        wanted, found = (NAMES.get(each, "function") for each in (kind, type(value)))
        line.fail(f"`{word}` takes a {wanted}, not a {found}")
    return value


NAMES = {int: "number", str: "text", bool: "yes or no", list: "list"}
NUMBERS: dict[str, Callable[[int, int], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "..": lambda a, b: list(range(a, b + 1)),
}


def evaluate(expression: Expression, names: dict[str, Any], line: Line) -> Any:
    word, *parts = expression
    if word == "value":
        return parts[0]
    if word == "list":
        return [evaluate(part, names, line) for part in parts[0]]
    if word in ("name", "call"):
        if parts[0] not in names:
            line.fail(f"nothing is called `{parts[0]}`")
        value = names[parts[0]]
        return value(*(evaluate(part, names, line) for part in parts[1])) if word == "call" else value
    right = evaluate(parts[1], names, line)
    left = evaluate(parts[0], names, line)
    if word == "=":
        return left == right
    if word == "&":
        return show(left) + show(right)
    right = require(int, right, word, line)
    if word == "at":
        items = require(list, left, word, line)
        return items[right - 1] if 0 < right <= len(items) else line.fail(f"there is no item {right}")
    if word in ("/", "mod") and not right:
        line.fail(f"`{word}` by 0")
    return NUMBERS[word](require(int, left, word, line), right)


def main() -> None:
    sys.setrecursionlimit(3000)
    program = read(Path(sys.argv[2]).read_text(encoding="utf-8"))
    if sys.argv[1] == "run":
        numbers = [int(word) for word in sys.stdin.read().split()]
        run_block(program, {"input": numbers, "size": len, "sum": sum})


main()
