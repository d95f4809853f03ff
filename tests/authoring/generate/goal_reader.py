"""Carries out a goal as its words say, knowing nothing of the program behind it: the proof that the words are
enough."""

from __future__ import annotations

import re
from typing import Any

_STATEMENTS = (
    (r"Let the (?:constant|variable) (\w+) be (.+)\.", "{0} = {1}"),
    (r"Set ((?:its )?\w+) to (.+)\.", "{0} = {1}"),
    (r"Append (.+) to the list (\w+)\.", "{1}.append({0})"),
    (r"Print (.+) on a line of its own\.", "_show({0})"),
    (r"Print on one line, with one space between them: (.+)\.", "_show({0})"),
    (r"If that fails, leave the rest of it out and, with the error (\w+):", "except _Fail as {0}:"),
    (r"Then, whether it failed or not:", "finally:"),
    (r"If (.+):", "if {0}:"),
    (r"Otherwise, if (.+):", "elif {0}:"),
    (r"Otherwise:", "else:"),
    (r"As long as (.+), repeat:", "while {0}:"),
    (r"For each (\w+) from (\w+) to (\w+), both included:", "for {0} in range({1}, {2} + 1):"),
    (r"For each (\w+) of the list (\w+), in its order:", "for {0} in list({1}):"),
    (r"For each (\w+) of (the list .+), in this order:", "for {0} in {1}:"),
    (r"Try this:", "try:"),
    (r"Fail with an error whose message is (.+)\.", "raise _Fail({0})"),
    (r"Return (.+)\.", "return {0}"),
    (r"Leave the loop\.", "break"),
    (r"Go on with the next round of the loop\.", "continue"),
    (r"Define the function (\w+)\((.+)\):", "def {0}({1}):"),
    (r"Define the class (\w+):", "class {0}:"),
    (r"Its field (\w+) begins as (.+)\.", "{0} = {1}"),
    (r"Its method (\w+)\((.+)\):", "def {0}(self, {1}):"),
)
_WORDS = (
    (r"\bthe empty text\b", '""'),
    (r"\bthe list ((?:[^ ,]+, )*[^ ,]+)", r"[\1]"),
    (r"\bthe length of (\w+)", r"len(\1)"),
    (r"\bthe part of (\w+) from place (\d+) up to and without place (\d+)", r"_Text(\1[\2:\3])"),
    (r"\bthe elements of (\w+) joined with (\S+) between them", r"\2.join(map(str, \1))"),
    (r"\bthe message of (\w+)", r"\1.message"),
    (r"\ba new object of the class (\w+)", r"\1()"),
    (r"\bits (?=\w)", "self."),
    (r": number\b", ""),
    (r"\bit is not so that\b", "not"),
    (r"\bis greater than\b", ">"),
    (r"\bis less than\b", "<"),
    (r"\bis at least\b", ">="),
    (r"\bis at most\b", "<="),
    (r"\bis not\b", "!="),
    (r"\bis\b", "=="),
    (r"\bmod\b", "%"),
)


class _Text(str):
    """A text takes numbers on, as in the language."""

    def __add__(self, other: Any) -> _Text:
        return _Text(str(self) + str(other))


class _Fail(Exception):
    def __init__(self, message: str) -> None:
        self.message = _Text(message)


def printed_by(goal: str) -> str:
    """What is printed when the steps of a goal are carried out."""
    lines: list[str] = []
    code = [_line(line) for line in goal.split(":\n\n", 1)[1].split("\n")]

    def show(*values: Any) -> None:
        lines.append(" ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in values))

    exec("\n".join(code), {"_show": show, "_Fail": _Fail, "_Text": _Text})
    return "\n".join(lines)


def _line(line: str) -> str:
    pad, _, step = line.partition("- ")
    for pattern, code in _STATEMENTS:
        if found := re.fullmatch(pattern, step):
            return pad + code.format(*(_expression(part or "") for part in found.groups()))
    raise AssertionError(f"no reader would know what to do with: {step}")


def _expression(words: str) -> str:
    """Words as Python; what stands in quotes is left as it is."""
    texts: list[str] = []

    def put_away(found: re.Match[str]) -> str:
        texts.append(found[0])
        return f"_text{len(texts) - 1}_"

    code = re.sub(r'"[^"]*"', put_away, words)
    for pattern, python in _WORDS:
        code = re.sub(pattern, python, code)
    code = code.replace('""', '_Text("")')
    return re.sub(r"_text(\d+)_", lambda found: f"_Text({texts[int(found[1])]})", code)
