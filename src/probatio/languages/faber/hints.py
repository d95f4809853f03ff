"""Hints: what a writer who knows another language probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probatio.languages.faber.cursor import Cursor


def _say(cursor: Cursor, text: str) -> str:
    """Fill the dialect's words into {keyword} places."""
    return text.format_map(cursor.dialect.words)


def expected(kind: str, cursor: Cursor) -> str | None:
    """Why an expected token may be missing."""
    found = cursor.kinds[cursor.i]
    if kind == ")" and found == ":":
        return _say(cursor, "Parameters are type-first: `{numerus} x`, not `x: {numerus}`.")
    if kind == ")" and found == "=":
        return _say(cursor, "A parameter's default is written `{numerus} x {vel} 1`.")
    if kind == ")" and found == ",":
        return _say(cursor, "`{scribe}` takes its arguments without parentheses: `{scribe} a, b`.")
    if kind == "{" and found == ":":
        return "A return type is written after an arrow: `() -> T`."
    if kind == "{" and found in ("NAME", "="):
        return _say(cursor, "A body is a block `{{ … }}`, or follows `{ergo}` or `{reddit}`.")
    if kind == "pro":
        return _say(cursor, "A loop over values is written `{ex} list {pro} x {{ … }}`.")
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


def unexpected(cursor: Cursor) -> str | None:
    hint = _UNEXPECTED.get(cursor.kinds[cursor.i])
    return _say(cursor, hint) if hint else None


def format_text(cursor: Cursor) -> str:
    return _say(cursor, 'Write the text itself first: `{scriptum}("§ + §", a, b)`.')


_FOREIGN = {
    **dict.fromkeys(("let", "var"), "A mutable variable is declared with `{varia}`."),
    "const": "An immutable variable is declared with `{fixum}`.",
    **dict.fromkeys(("function", "func", "def", "fn"), "A function is declared with `{functio}`."),
    "if": "A condition starts with `{si}`.",
    **dict.fromkeys(("else", "aliter", "alioquin"), "Otherwise is `{secus}`, with a further condition `{sin}`."),
    "while": "A loop with a condition starts with `{dum}`.",
    "for": "A loop over values is written `{ex} list {pro} x {{ … }}`.",
    "return": "A value is returned with `{redde}`.",
    **dict.fromkeys(("print", "console", "scribere", "dic"), "Output is written with `{scribe} value`."),
    **dict.fromkeys(("true", "verus"), "True is `{verum}`."),
    **dict.fromkeys(("false", "falsus"), "False is `{falsum}`."),
    **dict.fromkeys(("null", "undefined", "None"), "Nothing is `{nihil}`."),
    "new": "An object is made with `{novum}`.",
    "this": "The object of a method is `{ego}`.",
    "class": "A class is declared with `{genus}`.",
    "enum": "An enumeration is declared with `{ordo}`.",
    "interface": "A contract is declared with `{pactum}`.",
    "try": "Catching starts with `{tempta}`.",
    "throw": "A value is thrown with `{iace}`.",
    "break": "A loop is left with `{rumpe}`.",
    "continue": "The next round starts with `{perge}`.",
    "switch": "Choosing by value starts with `{elige}`.",
    "import": 'Names are imported with `{ex} "module" {importa} name`.',
    "await": "A promise is awaited with `{cede}`.",
    **dict.fromkeys(
        ("Math", "pavimentum", "radix", "potentia"), 'Import it first: `{ex} "norma/mathesis" {importa} radix`.'
    ),
}


def undefined(name: str, words: dict[str, str]) -> str | None:
    """What a writer may have meant by a name nobody declared."""
    hint = _FOREIGN.get(name)
    return hint.format_map(words) if hint else None
