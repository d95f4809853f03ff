"""Redaction: no key that this process knows gets into a file, a log, a terminal or a message.

Code that reads a key passes it to `know`. Every text from a server goes through `redact` before it is kept. A
key is found as it is, in hexadecimal, within base64 (so within basic authentication, at any of its three
alignments), and cut at either end; each of its characters may be escaped as in JSON, in a URL or in HTML,
several times over, and blanks, line breaks and characters that are not seen may stand between them.

Worked by hand: of the key `sk-1234567890ab`, `sk\\u002d1234567890ab`, `sk%252D1234567890ab` and
`sk-1234\\n567890ab` are found, and `Basic dTpzay0xMjM0NTY3ODkwYWI=` (`u:` before it) becomes `Basic [key]`.

A text that is JSON stays JSON: `"one\\nsk-1234567890ab"` becomes `"one\\n[key]"`. No escape is cut in two.
"""

from __future__ import annotations

import base64
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from urllib.parse import unquote, urlsplit

MARK = "[key]"
"""Stands in place of a key. It needs no escape within JSON."""

SHORTEST, SURE = 8, 16
"""A key under 8 characters, or under 16 of letters alone ("changeme", "ollama"), may be a word that an answer
uses. It is taken out only where it stands as a credential: after `Bearer`."""

CUT, LONG = 16, 24
"""Of a key of at least 24 characters, the first and last 16 are looked for as well: an echo may be cut."""

_ESCAPE = (
    r"\\{1,8}+(?:(?:u00|U000000|x)([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([/+=_.-])|([nrtfvb]))"
    r"|%(?:25){0,4}([0-9a-fA-F]{2})"
    r"|&#(?:[xX]0{0,4}([0-9a-fA-F]{1,4})|0{0,4}([0-9]{1,5}));"
)
"""An escaped character; repetitions are bounded, so that reading stays linear."""

_HIDDEN = (
    r"[\s\x00-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""A character that shows nothing: a blank, a line break, a control, a joiner, a mark of direction."""

_escape, _hidden, _token = re.compile(_ESCAPE), re.compile(_HIDDEN), re.compile(f"{_ESCAPE}|{_HIDDEN}")
_half_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_blank = re.compile(r"[ \t]")
_ASCII_HIDDEN = dict.fromkeys((*range(33), 127))

_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-")

_forms: dict[str, bool] = {}
"""What is looked for → whether it is a part only, and what stands round it belongs to it."""
_weak: set[str] = set()


def know(*keys: str | None) -> None:
    """Take note of keys. What is empty or not set is no key."""
    for key in keys:
        if key and key.strip() and key not in _forms and key not in _weak:
            _learn(key.strip())


def know_address(url: str | None) -> None:
    """Take note of what is secret in an address: its password, and every part that looks like a token."""
    if not url or "://" not in url:
        return
    rest = url.partition("://")[2]
    if "@" in rest.partition("/")[0]:
        try:
            password = urlsplit(url).password
        except ValueError:
            password = None
        know(password, password and unquote(password))
    know(*(part for part in re.split(r"[/:@?&=#]", rest) if _looks_like_a_token(part)))


def redact(text: str) -> str:
    """The text without any key that is known."""
    if not _forms and not _weak:
        return text
    folded = _fold(text)
    found = {
        form: part for form, part in list(_forms.items()) if form in folded or (not part and form in text)
    }
    if found:
        text = _without(text, found)
    return _bearer().sub(rf"\1{MARK}", text) if _weak and "earer" in folded else text


def forget_all() -> None:
    """Forget every key; for tests."""
    _forms.clear()
    _weak.clear()
    _bearer.cache_clear()


def _learn(key: str) -> None:
    key = _fold(key)
    if len(key) < SHORTEST or (len(key) < SURE and not _looks_random(key)):
        _weak.add(key)
        _bearer.cache_clear()
        return
    _forms[key] = False
    if len(key) >= LONG:
        _forms.setdefault(key[:CUT], True)
        _forms.setdefault(key[-CUT:], True)
    data = key.encode()
    for form in (data.hex(), data.hex().upper(), *_in_base64(data)):
        _forms.setdefault(form, True)


def _in_base64(data: bytes) -> Iterable[str]:
    """What base64 makes of the key whatever stands before and after it."""
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        begin = (before * 8 + 5) // 6
        core = whole[begin : (before + len(data)) * 8 // 6]
        yield core
        yield core.translate(str.maketrans("+/", "-_"))


def _looks_random(text: str) -> bool:
    return any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)


def _looks_like_a_token(part: str) -> bool:
    return len(part) >= 12 and "." not in part and _looks_random(part)


def _fold(text: str) -> str:
    """The text with its escapes undone, and without what may stand between the characters of a key."""
    if any(sign in text for sign in "\\%&"):
        text = _escape.sub(_unescape, text)
    if text.isascii():
        return text.translate(_ASCII_HIDDEN)
    return _hidden.sub("", "".join(text.split()))


def _unescape(match: re.Match[str]) -> str:
    """The character of an escape, or nothing if it is a hidden one."""
    coded, wide, plain, blank, percent, hexadecimal, decimal = match.groups()
    if plain or blank:
        return str(plain or "")
    code = int(decimal) if decimal else int(coded or wide or percent or hexadecimal or "20", 16)
    sign = chr(code)
    if _hidden.match(sign):
        return ""
    return sign if code < 128 else match[0]


def _without(text: str, found: Mapping[str, bool]) -> str:
    """The text with every place that is a key, or a part of one, replaced."""
    folded, begins = _locate(text)

    def end_of(at: int) -> int:
        match = _escape.match(text, begins[at])
        return match.end() if match and _unescape(match) == folded[at] else begins[at] + 1

    places: list[tuple[int, int]] = []
    for form, part in found.items():
        for first in _find_all(folded, form):
            last = first + len(form) - 1
            if len(form) < SURE and _blank.search(text, begins[first], begins[last]):
                continue  # the halves of a shorter key may be words
            while part and first and folded[first - 1] in _ALPHABET and end_of(first - 1) == begins[first]:
                first -= 1
            while part and last + 1 < len(folded) and folded[last + 1] in _ALPHABET:
                if end_of(last) != begins[last + 1]:
                    break
                last += 1
            places.append((_before_escape(text, begins[first]), end_of(last)))
        if not part:
            # `\nvapi-…` reads as a line break before `vapi-…`, and may be a backslash before `nvapi-…`.
            places += [(_before_escape(text, at), at + len(form)) for at in _find_all(text, form)]
    pieces: list[str] = []
    at = 0
    for begin, end in sorted(places):
        if begin > at or not pieces:
            pieces += [text[at:begin], MARK]
        at = max(at, end)
    return "".join((*pieces, text[at:]))


def _find_all(text: str, form: str) -> Iterator[int]:
    at = text.find(form)
    while at >= 0:
        yield at
        at = text.find(form, at + 1)


def _before_escape(text: str, begin: int) -> int:
    """The place, or the begin of the escape that it would cut in two."""
    if match := _half_escape.search(text, max(0, begin - 5), begin):
        begin = match.start()
    while begin and text[begin - 1] == "\\":
        begin -= 1
    return begin


def _locate(text: str) -> tuple[str, array[int]]:
    """The folded text, and where in the text each of its characters begins."""
    pieces: list[str] = []
    begins = array("I")
    at = 0
    for token in _token.finditer(text):
        begin, end = token.span()
        sign = _unescape(token)
        pieces += (text[at:begin], sign)
        begins.extend(range(at, begin))
        begins.extend(range(begin, begin + len(sign)))
        at = end
    begins.extend(range(at, len(text)))
    return "".join((*pieces, text[at:])), begins


@cache
def _bearer() -> re.Pattern[str]:
    keys = "|".join(map(re.escape, sorted(_weak, key=len, reverse=True)))
    return re.compile(rf"(\bbearer(?:\s|%20|\+){{1,4}})(?:{keys})(?![\w-])", re.IGNORECASE)
