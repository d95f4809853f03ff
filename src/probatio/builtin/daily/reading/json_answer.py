"""The JSON object in an answer, in chatter or a fence, read even if it is broken; faults are named.

Where an answer holds several objects, the last complete one is the answer: a correction stands after what it
corrects. Other objects with other values are counted, so that a grader can make listing alternatives a loss.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

LONGEST = 40_000  # characters looked at; an answer of this suite has a tenth of it
_TRIES = 100
_VAIN = 2 * LONGEST
"""Characters that may be read where no object comes of it: an open bracket before 30 open braces would have
the whole answer read 30 times."""
_SHOWN = 64  # values of a repeated key
_DEEPEST = 30

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]]|$)")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?=\s*(?:[}\]]|,\s*[\"'}\n]|$))")
_LOOSE_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?=[\s,}\]]|$)")
_BARE_KEY = re.compile(r"[^\W\d][\w-]*")
_BARE_VALUE = re.compile(r"[^,{}\[\]\n\"':]+")
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CLOSING = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "‘": "’"}
_WORDS = {"true": True, "false": False, "null": None}
_FOREIGN_WORDS = {
    "True": True,
    "False": False,
    "None": None,
    "NaN": None,
    "undefined": None,
    "TRUE": True,
    "FALSE": False,
}


class Ambiguous(msgspec.Struct, frozen=True):
    """A key given twice with different values: neither is the answer."""

    values: tuple[str, ...]

    def __repr__(self) -> str:
        return f"given twice: {' and '.join(self.values)}"


class JsonObject(msgspec.Struct, frozen=True):
    """The object that counts, the faults of its JSON, and how many other objects contradict it."""

    value: dict[str, Any]
    faults: tuple[str, ...] = ()
    rivals: int = 0


class _NoObject(Exception):
    """No object begins here, not even a broken one."""


def find_object(text: str) -> JsonObject | None:
    """The last complete object that is not empty; one that is cut off only where there is no complete one."""
    text = text[:LONGEST]
    objects: list[tuple[dict[str, Any], tuple[str, ...]]] = []
    at = tries = vain = 0
    while (at := text.find("{", at)) != -1 and tries < _TRIES and vain < _VAIN:
        tries += 1
        reader = _JsonReader(text, at)
        try:
            value = reader.object_(0)
        except _NoObject:
            vain += reader.at - at
            at += 1
            continue
        at = reader.at
        if value:
            objects.append((value, tuple(sorted(reader.faults))))
    if not objects:
        return None
    complete = [one for one in objects if "cut off" not in one[1]] or objects
    value, faults = complete[-1]
    rivals = {repr(other) for other, _ in complete if other != value and other.keys() & value.keys()}
    return JsonObject(value, faults, len(rivals))


class _JsonReader:
    """Reads one object from its opening brace; notes what is not strict JSON, and goes on."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.faults: set[str] = set()

    def object_(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        self.at += 1
        comma = True
        while not self._take_closing("}", comma and bool(pairs)):
            if not comma:
                self.faults.add("missing comma")
            key = self._key()
            self._space()
            if self._is_at_end():
                break
            if self.text[self.at] != ":":
                raise _NoObject
            self.at += 1
            self._space()
            if self._is_at_end():
                break
            self._keep(pairs, key, self._value(depth + 1, grouped=True))
            comma = self._comma()
        return pairs

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        comma = True
        while not self._take_closing("]", comma and bool(items)):
            if not comma:
                self.faults.add("missing comma")
            items.append(self._value(depth + 1, grouped=False))
            comma = self._comma()
        return items

    def _take_closing(self, mark: str, dangling: bool) -> bool:
        self._space()
        if self._is_at_end():
            return True
        if self.text[self.at] != mark:
            return False
        self.at += 1
        if dangling:
            self.faults.add("trailing comma")
        return True

    def _comma(self) -> bool:
        self._space()
        if self.text.startswith(",", self.at):
            self.at += 1
            return True
        return False

    def _is_at_end(self) -> bool:
        """At the end of the text, or at the fence that should have come after the closing brace."""
        if self.at < len(self.text) and not self.text.startswith("```", self.at):
            return False
        self.faults.add("cut off")
        self.at = len(self.text)
        return True

    def _key(self) -> str:
        if self.text[self.at] in _CLOSING:
            return self._string()
        if not (match := _BARE_KEY.match(self.text, self.at)):
            raise _NoObject
        self.faults.add("key without quotes")
        self.at = match.end()
        return match[0]

    def _keep(self, pairs: dict[str, Any], key: str, value: Any) -> None:
        if key in pairs:
            self.faults.add("repeated key")
            before = pairs[key]
            if before != value:
                values = before.values if isinstance(before, Ambiguous) else (repr(before)[:60],)
                value = Ambiguous((*values, repr(value)[:60])[:_SHOWN])
        pairs[key] = value

    def _value(self, depth: int, grouped: bool) -> Any:
        if depth > _DEEPEST:
            raise _NoObject
        start = self.text[self.at]
        if start == "{":
            return self.object_(depth)
        if start == "[":
            return self._array(depth)
        if start in _CLOSING:
            return self._string()
        if grouped and (match := _GROUPED.match(self.text, self.at)):
            self.faults.add("number form")
            self.at = match.end()
            return _as_number(match[0].replace(",", ""))
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            return _as_number(match[0])
        if match := _LOOSE_NUMBER.match(self.text, self.at):
            self.faults.add("number form")
            self.at = match.end()
            return _as_number(match[0])
        return self._bare()

    def _bare(self) -> Any:
        if not (match := _BARE_VALUE.match(self.text, self.at)):
            raise _NoObject
        word = re.split(r"//|#|/\*", match[0])[0].strip()
        if not word:
            raise _NoObject
        self.at = self.text.index(word, self.at) + len(word)
        if word in _WORDS:
            return _WORDS[word]
        if word in _FOREIGN_WORDS:
            self.faults.add("word of another language")
            return _FOREIGN_WORDS[word]
        self.faults.add("text without quotes")
        return word

    def _string(self) -> str:
        opening = self.text[self.at]
        closing = _CLOSING[opening]
        if opening != '"':
            self.faults.add("wrong quotes")
        self.at += 1
        kept: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "\\":
                kept.append(self._read_escape())
            elif char == closing and (opening == '"' or self._ends_here()):
                return "".join(kept)
            else:
                if char == "\n":
                    self.faults.add("line break in a string")
                kept.append(char)
        self.faults.add("cut off")
        return "".join(kept)

    def _ends_here(self) -> bool:
        """Whether the quote just read ends its string, or is the apostrophe of a word."""
        return re.match(r"\s*(?:[,:}\]]|$)", self.text[self.at : self.at + 80]) is not None

    def _read_escape(self) -> str:
        char = self.text[self.at : self.at + 1]
        if char == "u" and (match := re.compile(r"[0-9a-fA-F]{4}").match(self.text, self.at + 1)):
            self.at = match.end()
            code = int(match[0], 16)
            low = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})").match(self.text, self.at)
            if 0xD800 <= code < 0xDC00 and low:
                self.at = low.end()
                return chr(0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00))
            return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"
        self.at += 1
        if char not in _ESCAPES or char == "'":
            self.faults.add("unknown escape")
        return _ESCAPES.get(char, char)

    def _space(self) -> None:
        while self.at < len(self.text):
            if self.text[self.at].isspace():
                self.at += 1
            elif match := re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL).match(self.text, self.at):
                self.faults.add("comment")
                self.at = match.end()
            else:
                return


def _as_number(digits: str) -> int | float:
    """As JSON reads it; a very long run of digits becomes a float instead of a slow integer."""
    if re.fullmatch(r"[+-]?\d{1,30}", digits):
        return int(digits)
    return float(digits)
