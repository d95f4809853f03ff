"""Expressions, plain or LaTeX, read by a small parser and compared by their values in 500 digits.

Nothing is simplified and no number grows: every step works on floats of fixed length, so no text of a model
costs more than its length. A power too large for a float of ours makes the text unreadable. Two expressions
are the same where they agree in 400 digits at every sample point: a text of 160 characters can come that
close to a value only by naming it, never by decimals.
"""

from __future__ import annotations

import functools
import re
import threading
from typing import Any

_LONGEST = 160
_DEEPEST = 8
_FUNCTIONS = ("sqrt", "sin", "cos", "tan", "ln", "log", "exp")
_CONSTANTS = ("pi", "e")
_OPEN, _CLOSE = ("(", "{"), (")", "}")
_POINTS = ("7/3", "-5/7", "11/13", "17/5")
_DIGITS = 500
_NEAR = 400  # digits that agree
_LARGEST_EXPONENT = 1000
_LARGEST = 4000  # bits before the point, about 1,200 digits

_reading = threading.Lock()
"""The context of mpmath holds its precision."""


class _NoExpression(Exception):
    """The tokens make no expression, or one of absurd size."""


def same_expression(text: str, gold: str, variables: tuple[str, ...], roots: bool = False) -> bool | None:
    """Whether two expressions are the same; None if the text is none that we read.

    `roots`: the value was asked for in square roots, so sines, logarithms and the like are no answer, however
    right.
    """
    tokens = _tokens(text, variables)
    if tokens is None:
        return None
    if roots and any(token in _FUNCTIONS[1:] or token in _CONSTANTS for token in tokens):
        return False
    with _reading:
        return _agree(tuple(tokens), gold, variables)


@functools.lru_cache(maxsize=256)
def _agree(tokens: tuple[str, ...], gold: str, variables: tuple[str, ...]) -> bool | None:
    context = _context()
    wanted = tuple(_tokens(gold, variables) or ())
    for point in _POINTS if variables else _POINTS[:1]:
        over, under = point.split("/")
        names = {name: context.mpf(over) / int(under) + index for index, name in enumerate(variables)}
        names |= {"e": context.e + 0, "pi": context.pi + 0}
        expected = _Evaluator(wanted, context, names).value()
        try:
            given = _Evaluator(tokens, context, names).value()
        except _NoExpression:
            return None
        except (ArithmeticError, ValueError):  # what has no value there: 1/0, the logarithm of 0
            return False
        if not abs(given - expected) <= context.mpf(10) ** -_NEAR * max(1, abs(expected)):
            return False
    return True


@functools.cache
def _context() -> Any:
    import mpmath  # type: ignore[import-untyped]

    context = mpmath.mp.clone()
    context.dps = _DIGITS
    return context


def _tokens(text: str, variables: tuple[str, ...]) -> list[str] | None:
    """The text as known tokens within bounds, else None."""
    if len(text) > _LONGEST:
        return None
    text = re.sub(r"√\s*(?:\(|(\d+))", lambda root: f"sqrt({root[1]})" if root[1] else "sqrt(", text)
    words = "|".join((*_FUNCTIONS, *_CONSTANTS, *map(re.escape, variables)))
    pattern = re.compile(
        rf"\s*(\d{{1,15}}(?:\.\d{{1,15}})?(?![\d.])|\\frac|\\?(?:{words})|\*\*|[-+*/^(){{}}])", re.ASCII
    )
    tokens: list[str] = []
    at, text = 0, text.strip()
    while at < len(text):
        token = pattern.match(text, at)
        if not token:
            return None
        spelled = {"**": "^", "\\frac": "\\frac"}
        tokens.append(spelled.get(token[1], token[1].removeprefix("\\")))
        at = token.end()
    return tokens if tokens and _is_balanced(tokens) else None


def _is_balanced(tokens: list[str]) -> bool:
    stack: list[str] = []
    for before, token in zip(("", *tokens), tokens, strict=False):
        if token in _OPEN:
            stack.append(token)
        elif token in _CLOSE and (not stack or _OPEN.index(stack.pop()) != _CLOSE.index(token)):
            return False
        if len(stack) > _DEEPEST or (token in _CLOSE and before in _OPEN):
            return False
    return not stack


class _Evaluator:
    """Evaluates a row of tokens from left to right, one method for each rule of the grammar."""

    def __init__(self, tokens: tuple[str, ...], context: Any, names: dict[str, Any]) -> None:
        self.tokens = tokens
        self.at = 0
        self.context = context
        self.names = names
        self.latex = "\\frac" in tokens or "{" in tokens

    def value(self) -> Any:
        """The value of all tokens."""
        value = self._sum()
        if self._next():
            raise _NoExpression
        return value

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self, *wanted: str) -> str:
        token = self._next()
        if token not in wanted:
            return ""
        self.at += 1
        return token

    def _sum(self) -> Any:
        """sum = product { (+ | -) product }"""
        value = self._product()
        while sign := self._take("+", "-"):
            value = self._require_bounded(value + self._product() if sign == "+" else value - self._product())
        return value

    def _product(self) -> Any:
        """product = factor { (* | /) factor | power }; two numbers side by side are no product"""
        value = self._factor()
        while token := self._next():
            if self._take("*"):
                value = value * self._factor()
            elif self._take("/"):
                value = value / self._factor()
            elif token in ("+", "-", *_CLOSE):
                break
            elif token == "^" or (token[0].isdigit() and self.tokens[self.at - 1][0].isdigit()):
                raise _NoExpression
            else:
                value = value * self._power()
            value = self._require_bounded(value)
        return value

    def _factor(self) -> Any:
        sign = self._take("+", "-")
        return -self._power() if sign == "-" else self._power()

    def _power(self) -> Any:
        """power = atom [ ^ [+ | -] atom ]; a tower of powers has several readings"""
        base = self._atom()
        before = self.tokens[self.at - 1]
        if not self._take("^"):
            return base
        sign = self._take("+", "-")
        exponent = self._atom()
        if before == "}" or self._next() == "^":
            raise _NoExpression
        return self._raise_power(base, -exponent if sign == "-" else exponent)

    def _atom(self) -> Any:
        token = self._next()
        self.at += 1
        if token in _OPEN:
            value = self._sum()
            self.at += 1  # the brackets are balanced
            return value
        if token[:1].isdigit():  # a decimal is the fraction it stands for
            whole, _, digits = token.partition(".")
            return self.context.mpf(int(whole + digits)) / 10 ** len(digits)
        if token in self.names:
            return self.names[token]
        if token == "\\frac":
            over = self._argument()
            return self._require_bounded(over / self._argument())
        if token in _FUNCTIONS and (self._next() in _OPEN or (self.latex and self._next()[:1].isalnum())):
            value = self._atom()
            if token == "exp":
                return self._raise_power(self.names["e"], value)
            return self._require_bounded(getattr(self.context, token)(value))
        raise _NoExpression

    def _argument(self) -> Any:
        """Of \\frac: a group, a name, or one digit (\\frac12 is a half)."""
        token = self._next()
        if token[:1].isdigit() and len(token) > 1:
            rest = token[1:]
            if not rest.isdigit():
                raise _NoExpression
            self.tokens = (*self.tokens[: self.at], token[0], rest, *self.tokens[self.at + 1 :])
        elif token not in _OPEN and not token[:1].isalnum():
            raise _NoExpression
        return self._atom()

    def _raise_power(self, base: Any, exponent: Any) -> Any:
        if abs(exponent) > _LARGEST_EXPONENT or abs(exponent) * max(1, abs(self._magnitude(base))) > _LARGEST:
            raise _NoExpression
        return self._require_bounded(base**exponent)

    def _require_bounded(self, value: Any) -> Any:
        if abs(self._magnitude(value)) > _LARGEST:
            raise _NoExpression
        return value

    def _magnitude(self, value: Any) -> Any:
        """Bits before the point, or zeros behind it."""
        return self.context.mag(value) if value else 0
