"""Expressions, plain or LaTeX, read and compared by sympy, within bounds that no text of a model can pass.

sympy evaluates what it parses, and LaTeX parsers look ahead without limit, so a text reaches them only as a short row of known
tokens with small powers: nothing like 9^9^9, no names but ours, no calls but those of the table. Two expressions are the same
where they agree in 12 digits at every sample point; simplification, which can take for ever, is not needed for that.
"""

from __future__ import annotations

import functools
import logging
import re
import threading
from typing import Any

_LONGEST = 160
_DEEPEST = 8
_FUNCTIONS = ("sqrt", "sin", "cos", "tan", "ln", "log", "exp")
_CONSTANTS = ("pi", "e")
_OPEN, _CLOSE = ("(", "{"), (")", "}")
_SMALL = 12  # the largest whole number in an exponent
_POWERS = 2  # powers of powers, (x^2 + 1)^3, but not more
_POINTS = ("7/3", "-5/7", "11/13", "17/5")
_DIGITS = 25
_NEAR = 1e-12

_reading = threading.Lock()
"""The LaTeX parser keeps state between calls."""


def same_expression(text: str, gold: str, variables: tuple[str, ...]) -> bool | None:
    """Whether two expressions are the same; None where the text is none that we read."""
    tokens = _tokens(text, variables)
    if tokens is None:
        return None
    with _reading:
        return _agree(tuple(tokens), gold, variables)


@functools.lru_cache(maxsize=256)
def _agree(tokens: tuple[str, ...], gold: str, variables: tuple[str, ...]) -> bool | None:
    wanted = _read(tuple(_tokens(gold, variables) or ()), variables)
    given = _read(tokens, variables)
    if given is None:
        return None
    import sympy  # type: ignore[import-untyped]

    assert wanted is not None, f"the gold {gold!r} is no expression we read"
    for point in _POINTS if variables else _POINTS[:1]:
        at = {name: sympy.Rational(point) + index for index, name in enumerate(variables)}
        try:
            a, b = (_value(side, at) for side in (given, wanted))
        except Exception:  # what has no value there (1/0, the logarithm of 0) ends in errors of every kind
            return False
        if not abs(a - b) <= _NEAR * max(1.0, abs(b)):
            return False
    return True


def _value(expression: Any, at: dict[str, Any]) -> complex:
    places = {
        symbol: at[symbol.name] for symbol in expression.free_symbols
    }  # LaTeX's symbols are real, the others anything
    return complex(expression.subs(places).evalf(_DIGITS))


def _tokens(text: str, variables: tuple[str, ...]) -> list[str] | None:
    """The text as known tokens within bounds, else None."""
    if len(text) > _LONGEST:
        return None
    text = re.sub(r"√\s*(?:\(|(\d+))", lambda root: f"sqrt({root[1]})" if root[1] else "sqrt(", text)
    words = "|".join((*_FUNCTIONS, *_CONSTANTS, *map(re.escape, variables)))
    pattern = re.compile(rf"\s*(\d{{1,15}}(?:\.\d{{1,15}})?(?![\d.])|\\frac|\\?(?:{words})|\*\*|[-+*/^(){{}}])")
    tokens: list[str] = []
    at, text = 0, text.strip()
    while at < len(text):
        token = pattern.match(text, at)
        if not token:
            return None
        tokens.append("^" if token[1] == "**" else token[1].removeprefix("\\") if token[1] != "\\frac" else "\\frac")
        at = token.end()
    return tokens if tokens and _balanced(tokens) and _bounded(tokens) else None


def _balanced(tokens: list[str]) -> bool:
    stack: list[str] = []
    for before, token in zip(("", *tokens), tokens, strict=False):
        if token in _OPEN:
            stack.append(token)
        elif token in _CLOSE and (not stack or _OPEN.index(stack.pop()) != _CLOSE.index(token)):
            return False
        if len(stack) > _DEEPEST or (token in _CLOSE and before in _OPEN):
            return False
    return not stack


def _bounded(tokens: list[str]) -> bool:
    """Whether every exponent is small and no power stands on more than `_POWERS` others."""
    levels = [0]
    inner = 0
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        if token in _OPEN:
            levels.append(0)
        elif token in _CLOSE:
            inner = levels.pop()
            levels[-1] = max(levels[-1], inner)
        elif token == "^":
            level = 1 + (inner if before in _CLOSE else 0)
            if not before or before == "}" or level > _POWERS or not _small(tokens, at + 1):
                return False
            levels[-1] = max(levels[-1], level)
        elif token == "exp" and not _small(tokens, at + 1):
            return False
    return True


def _small(tokens: list[str], at: int) -> bool:
    """Whether the exponent that begins here is a small number, a name, or a short group of those."""
    if at < len(tokens) and tokens[at] in ("+", "-"):
        at += 1
    if at >= len(tokens):
        return False
    end = _end_of_group(tokens, at) if tokens[at] in _OPEN else at + 1
    inside = tokens[at:end]
    numbers = [token for token in inside if token[0].isdigit()]
    names = [token for token in inside if token[0].isalpha()]
    if end < len(tokens) and tokens[end] == "^":
        return False
    return (
        len(numbers) <= 2 and len(names) <= 2 and all(float(number) <= _SMALL for number in numbers)
        and not any(token == "^" or token in _FUNCTIONS for token in inside)
    )  # fmt: skip


def _end_of_group(tokens: list[str], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place] in _OPEN) - (tokens[place] in _CLOSE)
        if depth == 0:
            return place + 1
    return len(tokens)


def _read(tokens: tuple[str, ...], variables: tuple[str, ...]) -> Any | None:
    """The expression as sympy has it; None where the tokens make none."""
    latex = "\\frac" in tokens or "{" in tokens
    try:
        expression = _read_latex(tokens) if latex else _read_plain(tokens, variables)
    except Exception:  # two parsers with errors of every kind for what is no expression
        return None
    import sympy

    if not isinstance(expression, sympy.Expr) or not {symbol.name for symbol in expression.free_symbols} <= set(
        variables
    ):
        return None
    return expression


def _read_latex(tokens: tuple[str, ...]) -> Any:
    import math_verify  # type: ignore[import-untyped]

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that we set no alarm, which threads can't have
    commands = {*_FUNCTIONS, "pi"}
    text = " ".join(f"\\{token}" if token in commands else _as_fraction(token, "\\frac{%s}{%s}") for token in tokens)
    parsed = math_verify.parse(f"${text}$", [math_verify.LatexExtractionConfig()], parsing_timeout=None)
    return parsed[0].doit() if parsed else None


def _read_plain(tokens: tuple[str, ...], variables: tuple[str, ...]) -> Any:
    import sympy
    from sympy.parsing.sympy_parser import auto_number, parse_expr  # type: ignore[import-untyped]

    words: list[str] = []
    for before, token in zip(("", *tokens), tokens, strict=False):
        if before and before not in _FUNCTIONS and before[-1] not in "+-*/^(" and (token[0].isalnum() or token == "("):
            if before[0].isdigit() and token[0].isdigit():
                return None
            words.append("*")
        elif before in _FUNCTIONS and token != "(":
            return None
        words.append("**" if token == "^" else _as_fraction(token, "(%s/%s)"))
    known = {"e": sympy.E, "pi": sympy.pi, **{name: sympy.Symbol(name) for name in variables}}
    known.update({name: getattr(sympy, name) for name in _FUNCTIONS})
    return parse_expr("".join(words), known, (auto_number,), {"Integer": sympy.Integer})


def _as_fraction(token: str, shape: str) -> str:
    """A decimal as the exact fraction it is: a parser would make a rounded number of it."""
    whole, point, digits = token.partition(".")
    return shape % (int(whole + digits), 10 ** len(digits)) if point else token
