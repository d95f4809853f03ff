"""Redaction: no key that this process knows gets into a file, a log, a terminal or a message.

Code that reads a key passes it to `know`. All that comes from a server goes through `redact` first. A key is
found as it is, in hexadecimal, within base64 (so within basic authentication, at any of its three
alignments), and cut at either end; each of its characters may be escaped as in JSON, in a URL or in HTML,
several times over.

Worked by hand: of the key `sk-1234567890ab`, `sk\\u002d1234567890ab` and `sk%252D1234567890ab` are found, and
`Basic dTpzay0xMjM0NTY3ODkwYWI=` (`u:` before it) becomes `Basic [key]`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import unquote, urlsplit

MARK = "[key]"
"""Stands in place of a key. It needs no escape within JSON."""

SHORTEST, SURE = 8, 16
"""A key under 8 characters, or under 16 of letters alone ("changeme", "ollama"), may be a word that an answer
uses. It is taken out only where it stands as a credential: after `Bearer`."""

CUT, LONG = 16, 24
"""Of a key of at least 24 characters, the first and last 16 are looked for as well: an echo may be cut."""

_ESCAPE = re.compile(
    r"\\{1,8}+(?:(?:u00|U000000|x)([0-9a-fA-F]{2})|([/+=_.-]))"
    r"|%(?:25){0,4}([0-9a-fA-F]{2})"
    r"|&#(?:[xX]0{0,4}([0-9a-fA-F]{2})|0{0,4}([0-9]{2,3}));"
)
"""An escaped ASCII character; repetitions are bounded, so that reading stays linear."""

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
    if any(sign in text for sign in "\\%&"):
        folded = _ESCAPE.sub(_unescape, text)
    else:
        folded = text
    found = [(form, part) for form, part in list(_forms.items()) if form in folded]
    if found:
        text = _without(text, found)
    return _bearer().sub(rf"\1{MARK}", text) if _weak and "earer" in folded else text


def redact_bytes(data: bytes) -> bytes:
    """The same for a body as it came over the wire."""
    text = data.decode("utf-8", "surrogateescape")
    clean = redact(text)
    return data if clean is text else clean.encode("utf-8", "surrogateescape")


def forget_all() -> None:
    """Forget every key; for tests."""
    _forms.clear()
    _weak.clear()
    _bearer.cache_clear()


def _learn(key: str) -> None:
    if len(key) < SHORTEST or (len(key) < SURE and not _looks_random(key)):
        _weak.add(key)
        _bearer.cache_clear()
        return
    _forms[key] = False
    if len(key) >= LONG:
        _forms.setdefault(key[:CUT], True)
        _forms.setdefault(key[-CUT:], True)
    _forms["\0".join(key)] = False  # a page in UTF-16, read as if it were not
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


def _unescape(match: re.Match[str]) -> str:
    coded, plain, percent, hexadecimal, decimal = match.groups()
    if plain:
        return str(plain)
    code = int(decimal) if decimal else int(coded or percent or hexadecimal, 16)
    return chr(code) if code < 128 else match[0]


def _without(text: str, found: list[tuple[str, bool]]) -> str:
    """The text with every place that is a key, or a part of one, replaced."""
    places: list[tuple[int, int]] = []
    for form, part in found:
        for match in _tolerant(form).finditer(text):
            begin, end = match.span()
            while part and begin and text[begin - 1] in _ALPHABET:
                begin -= 1
            while part and end < len(text) and text[end] in _ALPHABET:
                end += 1
            places.append((begin, end))
    pieces: list[str] = []
    at = 0
    for begin, end in sorted(places):
        if begin > at or not pieces:
            pieces += [text[at:begin], MARK]
        at = max(at, end)
    return "".join((*pieces, text[at:]))


@cache
def _tolerant(form: str) -> re.Pattern[str]:
    """The form with each of its characters escaped or not."""
    return re.compile("".join(map(_either, form)))


def _either(sign: str) -> str:
    code = ord(sign)
    if code >= 128:
        return re.escape(sign)
    coded = f"(?i:{code:02x})"
    same = "" if sign.isalnum() else f"|{re.escape(sign)}"
    return (
        rf"(?:{re.escape(sign)}|\\{{1,8}}+(?:(?:u00|U000000|x){coded}{same})|%(?:25){{0,4}}{coded}"
        rf"|&#(?:[xX]0{{0,4}}{coded}|0{{0,4}}{code});)"
    )


@cache
def _bearer() -> re.Pattern[str]:
    keys = "|".join(map(re.escape, sorted(_weak, key=len, reverse=True)))
    return re.compile(rf"(\bbearer(?:\s|%20|\+){{1,4}})(?:{keys})(?![\w-])", re.IGNORECASE)
