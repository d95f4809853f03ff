"""Hints for programs that cannot be read: what a writer who knows another language probably meant."""

from __future__ import annotations


def hint_for_missing(expected: str, current: str) -> str | None:
    """Why an expected token may be missing where another one stands. {…} are places for the dialect's words."""
    if expected == ")" and current == ":":
        return "Parameters are type-first: `{numerus} x`, not `x: {numerus}`."
    if expected == ")" and current == "=":
        return "A parameter's default is written `{numerus} x {vel} 1`."
    if expected == ")" and current == ",":
        return "`{scribe}` takes its arguments without parentheses: `{scribe} a, b`."
    if expected == "{" and current == ":":
        return "A return type is written after an arrow: `() -> T`."
    if expected == "{" and current in ("NAME", "="):
        return "A body is a block `{{ … }}`, or follows `{ergo}` or `{reddit}`."
    if expected == "pro":
        return "A loop over values is written `{ex} list {pro} x {{ … }}`."
    return None


_UNEXPECTED = {
    "!": "There is no prefix `!`: write `{non} x`.",
    "/": "Comments start with `#`.",
    "*": "There is no `**`, and no `/* … */` comment: comments start with `#`.",
    "+": "There is no `++`: write `x += 1`.",
    ">": "There is no `=>`: a lambda is written `{pro} x: x + 1`.",
    ":": "Types stand before names: `{fixum} {numerus} x = 1`, not `x: {numerus}`.",
    ".": "After `{novum} X()` nothing follows directly: write `({novum} X()).f()`.",
    "scribe": "`{scribe}` is a statement and cannot be part of an expression.",
    ")": "Is a value missing before it?",
    "}": "Is a value missing before it, or is there one `}}` too many?",
}


def hint_for_unexpected(current: str) -> str | None:
    return _UNEXPECTED.get(current)


FORMAT_TEXT_FIRST = 'Write the text itself first: `{scriptum}("§ + §", a, b)`.'
