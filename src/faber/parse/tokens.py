"""Tokens: cuts a program into words, numbers, texts and signs, and never fails on any text."""

from __future__ import annotations

import re
from functools import cache

from faber.diagnostics import Report
from faber.dialects import Dialect

# A token's kind is the Latin keyword or the sign itself, or one of these.
NAME = "NAME"
NUMBER = "NUMBER"
BIGINT = "BIGINT"
STRING = "STRING"
TEMPLATE = "TEMPLATE"
END = "END"

LOOKAHEAD = 2
"""How far the parser looks past the current token; as many further END tokens close the list."""

_SPACE = " \t\r\n"
_SIGNS = r"===|!==|==|!=|<=|>=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|->|\.\.|[-+*/%=<>&|^~!?:.,;@(){}\[\]]"

# NAME = letter { letter | digit } ;  letters are A-Z, a-z and "_"; a NAME is no KEYWORD
# KEYWORD = one of the words in the vocabulary ;
# NUMBER = digits [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ] | "0x" hex | "0b" bits | "0o" octals ;
# BIGINT = NUMBER "n" ;
# STRING = '"' { any but '"', "\" and newline | "\" any } '"' | the same between single quotes ;
# TEMPLATE = "`" { any | "\" any | "${" any "}" } "`" ;
# comment = "#" { any but newline } ;
_PATTERN = r"""
  [ \t\r\n]*+
  (?:
    (?P<word>{word})
  | (?P<number>0[xX](?:[0-9a-fA-F]+n?)?|0[bB](?:[01]+n?)?|0[oO](?:[0-7]+n?)?
    |[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?n?)
  | (?P<string>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"|'[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*+')
  | (?P<sign>{signs})
  | (?P<comment>\#[^\n]*)
  | (?P<template>`)
  | (?P<unterminated>["'][^\n]*)
  | (?P<other>.)
  )
"""

_ESCAPE_OR_QUOTE = re.compile(r"\\.|\"", re.DOTALL)
_HINTS = {
    "/": "Comments start with # and run to the end of the line.",
    **dict.fromkeys("“”’", 'Texts stand between plain quotes: "…".'),
}


class Tokens:
    """A program's tokens as parallel lists, ending with END tokens; comments are kept apart."""

    __slots__ = ("comments", "ends", "kinds", "source", "starts", "values")

    def __init__(self, source: str) -> None:
        self.source = source
        self.kinds: list[str] = []
        self.values: list[str] = []  # the word or sign as written; a text's inside, fit for double quotes
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.comments: list[tuple[int, int]] = []  # start and end offsets, `#` included


@cache
def _scanner(dialect: Dialect) -> re.Pattern[str]:
    word = "[A-Za-z_][A-Za-z0-9_]*"
    other_words = [w for w in dialect.words.values() if not re.fullmatch(word, w)]
    if other_words:
        word += "|" + "|".join(re.escape(w) for w in sorted(other_words, key=len, reverse=True))
    return re.compile(_PATTERN.format(word=word, signs=_SIGNS), re.VERBOSE | re.DOTALL)


def tokenize(source: str, dialect: Dialect, report: Report) -> Tokens:
    """The tokens of `source`; what is no token is reported and left out."""
    tokens = Tokens(source)
    kinds, values, starts, ends = tokens.kinds, tokens.values, tokens.starts, tokens.ends
    keyword_of = dialect.keyword_of
    match = _scanner(dialect).match
    at, length = 0, len(source)
    last = len(source.rstrip(_SPACE))
    while at < last:
        token = match(source, at)
        assert token is not None and token.lastgroup is not None  # `other` matches any character
        group = token.lastgroup
        at, end = token.span(group)
        text = source[at:end]
        value = text
        if group == "word":
            kind = keyword_of.get(text, NAME)
        elif group == "sign":
            kind = text
        elif group == "string":
            kind, value = STRING, text[1:-1] if text[0] == '"' else _requote(text[1:-1])
        elif group == "number":
            value = text.removesuffix("n")
            kind = NUMBER if value == text else BIGINT
            if len(value) == 2 and value[1] in "xXbBoO":
                kind = ""
                report.add("lexical", "malformed-number", at, f"{value} needs digits after its prefix.")
        elif group == "template":
            end = _template_end(source, at + 1)
            if end < 0:
                message = "This template text is never closed with a backtick."
                report.add("lexical", "unterminated-template", at, message)
                break
            kind, value = TEMPLATE, source[at + 1 : end - 1]
        else:
            kind = ""
            if group == "comment":
                tokens.comments.append((at, end))
            elif group == "unterminated":
                message = f"The text opened with {text[0]} is not closed on its line."
                report.add("lexical", "unterminated-text", at, message)
            else:
                message = f"The character {text!r} has no meaning here."
                report.add("lexical", "unexpected-character", at, message, _HINTS.get(text))
        if kind:
            kinds.append(kind)
            values.append(value)
            starts.append(at)
            ends.append(end)
        at = end
    for _ in range(LOOKAHEAD + 1):
        kinds.append(END)
        values.append("")
        starts.append(length)
        ends.append(length)
    return tokens


def _requote(inside: str) -> str:
    """The inside of a single-quoted text as it stands between double quotes."""
    return _ESCAPE_OR_QUOTE.sub(lambda m: m.group() if m.group()[0] == "\\" else '\\"', inside)


def _template_end(source: str, at: int) -> int:
    """The offset behind the closing backtick, or -1;
    braces are counted inside ${ }, where backticks are ordinary."""
    length = len(source)
    while at < length:
        char = source[at]
        if char == "`":
            return at + 1
        if char == "\\":
            at += 2
        elif char == "$" and source.startswith("{", at + 1):
            at, depth = at + 2, 1
            while at < length and depth:
                depth += {"{": 1, "}": -1}.get(source[at], 0)
                at += 1
        else:
            at += 1
    return -1
