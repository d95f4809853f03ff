"""Mutations of bytes, texts and values. Pure: the same `Random` and the same material make the same input.

Each table lists small changes. A mutation draws a few of them, most often one: an input that is wrong in one
place gets further into a reader than one that is wrong everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

MOST_CHARACTERS = 60_000
"""Of a mutated text: a little more than what is graded of an answer, so that the cut is tried, too."""

REPEATS = (2, 3, 10, 100, 1_500, 5_000, 40_000)
DEPTHS = (10, 65, 200, 1_100, 5_000, 30_000)

NUMBERS = (
    "0", "-0", "-1", "1e309", "-1e309", "1e-400", "NaN", "Infinity", "-Infinity", "9" * 400, "9" * 5_000,
    "0x10", "1_000", "1,5", "1.000.000", "٣", "²", "½", "Ⅷ", "1e", "1/0", "0/0", "2**63", str(2**63),
    str(-(2**63) - 1), str(2**64), "1" + "0" * 309, "0." + "0" * 330 + "1", "10**10**10", "9^9^9^9",
    "1e999999999",
)  # fmt: skip

MARKS = (
    "\0", "\x07", "\x08", "\x0b", "\x1b[2J", "\x1b]0;x\x07", "\x7f", "\x85", "\xa0", "\xad", "\u034f",
    "\u061c",
    "\u180e", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2060", "\u2066", "\ufeff",
    "\ufffd",
    "\ufffe", "\ufdd0", "\U000e0041", "\U0010ffff", "\ud800", "\udfff", "\ud83d", "e\u0301" * 3,
    "a" + "\u0300" * 60,
    "℮", "ꬲ", "ꓰ", "ɛ", "ⲉ", "ﬁ", "ẞ", "ı", "İ", "K", "Å", "😀", "👩\u200d👩\u200d👧", "\r", "\r\n",
    "\n\n\n", "\t",
)  # fmt: skip
"""Characters that readers stumble over: control, direction, joiners, halves of pairs, look-alikes."""

PIECES = (
    "```", "```json\n", "```python\n", "~~~", "<think>", "</think>", "<!--", "-->", "<![CDATA[", "{{",
    "}}", "{0}",
    "{goal:>3000000000}", "%s%n", "${HOME}", "$(id)", "`id`", "\\", "\\\\", "'", '"', '"""', "'''", "|",
    "| a | b |\n",
    "---\n", "...\n", "- ", "1. ", "# ", "> ", "a: b\n", "&a [*a]",
    "!!python/object/apply:os.system [id]", "<<: *a",
    "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "\\frac{1}{2}", "\\sqrt{", "^", "km/h", "%", "€",
    "@everyone",
    "[x](javascript:alert(1))", "=HYPERLINK(1)", "null", "true", "None", "undefined", "__proto__",
    "error:", "I can't",
    "error while loading shared libraries", "not stated", "As an AI", "../", "/etc/passwd", "\u0000",
)  # fmt: skip
"""Texts that mean something to one reader or another."""

OPENING = (
    "(",
    "[",
    "{",
    '{"a":',
    "[[",
    "<div>",
    "((",
    "-",
    "!",
    "~",
    "not ",
    "f(",
    "\\frac{",
    "{x:",
    "> ",
    "  - ",
)

TextChange = Callable[[str, str, Random], str]


def mutate_text(text: str, other: str, chance: Random) -> str:
    """`text` with one to four changes; some take a part of `other`."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        text = chance.choice(TEXT_CHANGES)(text, other, chance)[:MOST_CHARACTERS]
    return text


def _span(text: str, chance: Random, most: int = 200) -> tuple[int, int]:
    begin = chance.randrange(len(text) + 1)
    return begin, min(len(text), begin + chance.randrange(most + 1))


def _delete(text: str, other: str, chance: Random) -> str:
    begin, end = _span(text, chance)
    return text[:begin] + text[end:]


def _cut(text: str, other: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _repeat(text: str, other: str, chance: Random) -> str:
    begin, end = _span(text, chance, 40)
    part, times = text[begin:end], chance.choice(REPEATS)
    return text[:begin] + part * min(times, MOST_CHARACTERS // max(1, len(part))) + text[end:]


def _repeat_piece(text: str, other: str, chance: Random) -> str:
    """A short part over and over, with a line's end or a space: what is quadratic shows."""
    part = chance.choice(PIECES + NUMBERS[:12]) + chance.choice(("", " ", "\n", ", ", "."))
    times = min(chance.choice(REPEATS), MOST_CHARACTERS // len(part))
    return _insert_at(text, part * times, chance)


def _repeat_line(text: str, other: str, chance: Random) -> str:
    lines = text.split("\n")
    line = chance.choice(lines) + "\n"
    place = chance.randrange(len(lines) + 1)
    times = min(chance.choice(REPEATS), MOST_CHARACTERS // len(line))
    return "\n".join(lines[:place]) + line * times + "\n".join(lines[place:])


def _swap_lines(text: str, other: str, chance: Random) -> str:
    lines = text.split("\n")
    chance.shuffle(lines)
    return "\n".join(lines)


def _nest(text: str, other: str, chance: Random) -> str:
    opening, depth = chance.choice(OPENING), chance.choice(DEPTHS)
    closing = {"(": ")", "[": "]", "{": "}", "<": "</div>"}.get(opening[0], "")
    inner = text if chance.random() < 0.5 else ""
    ends = closing * depth if chance.random() < 0.5 else ""
    return opening * depth + inner + ends


def _splice(text: str, other: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other) + 1) :]


def _insert_other(text: str, other: str, chance: Random) -> str:
    begin, end = _span(other, chance, 2_000)
    return _insert_at(text, other[begin:end], chance)


def _insert_at(text: str, part: str, chance: Random) -> str:
    place = chance.choice((0, len(text), chance.randrange(len(text) + 1)))
    return text[:place] + part + text[place:]


def _insert_mark(text: str, other: str, chance: Random) -> str:
    return _insert_at(text, chance.choice(MARKS) * chance.choice((1, 1, 2, 1_000)), chance)


def _insert_piece(text: str, other: str, chance: Random) -> str:
    return _insert_at(text, chance.choice(PIECES), chance)


def _change_number(text: str, other: str, chance: Random) -> str:
    found = list(re.finditer(r"\d+(?:\.\d+)?", text))
    if not found:
        return _insert_at(text, chance.choice(NUMBERS), chance)
    number = chance.choice(found)
    return text[: number.start()] + chance.choice(NUMBERS) + text[number.end() :]


def _change_character(text: str, other: str, chance: Random) -> str:
    if not text:
        return chance.choice(MARKS)
    place = chance.randrange(len(text))
    new = chance.choice(("", chr(chance.randrange(0x110000)), text[place].swapcase(), chance.choice(MARKS)))
    return text[:place] + new + text[place + 1 :]


def _change_word(text: str, other: str, chance: Random) -> str:
    """Every place of a word changed to another word of the material."""
    ours, theirs = re.findall(r"\w+", text[:5_000]), re.findall(r"\w+", other[:5_000])
    if not ours or not theirs:
        return text
    return text.replace(chance.choice(ours), chance.choice(theirs))


def _wide(text: str, other: str, chance: Random) -> str:
    """ASCII as its full-width twins."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _other_newlines(text: str, other: str, chance: Random) -> str:
    return text.replace("\n", chance.choice(("\r\n", "\r", "\u2028", "\x0b", "\0", "")))


def _spaced(text: str, other: str, chance: Random) -> str:
    return " ".join(text[:20_000])


def _wrong_encoding(text: str, other: str, chance: Random) -> str:
    data = mutate_bytes(text.encode("utf-8", "surrogatepass"), chance)
    return data.decode(chance.choice(("latin-1", "utf-8", "utf-16-le")), "replace")


def _change_json(text: str, other: str, chance: Random) -> str:
    """The first JSON value in the text with one part changed."""
    begin = min((place for mark in "{[" if (place := text.find(mark)) >= 0), default=-1)
    if begin < 0:
        return _insert_piece(text, other, chance)
    try:
        value, length = json.JSONDecoder().raw_decode(text[begin:])
    except (ValueError, RecursionError):
        return _delete(text, other, chance)
    return text[:begin] + to_json(mutate_value(value, chance)) + text[begin + length :]


TEXT_CHANGES: tuple[TextChange, ...] = (
    _delete, _cut, _repeat, _repeat_piece, _repeat_line, _swap_lines, _nest, _splice, _insert_other,
    _insert_mark,
    _insert_piece, _change_number, _change_character, _change_word, _wide, _other_newlines, _spaced,
    _wrong_encoding, _change_json,
)  # fmt: skip


def mutate_page(text: str, other: str, chance: Random) -> str:
    """A page with a changed tag, attribute, style or script; at times as a plain text."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        text = chance.choice(PAGE_CHANGES)(text, other, chance)[:MOST_CHARACTERS]
    return text


STYLES = (
    "opacity: 0", "filter: invert(1) brightness(0)", "mask-size: 0", "mix-blend-mode: difference",
    "color: transparent",
    "clip-path: inset(50%)", "transform: scale(0)", "position: fixed; inset: 0; background: #fff; z-index: 9",
    "animation: a 1ms infinite", "content-visibility: hidden", "font-size: 0", "width: 99999999px",
    "height: 1e9px", "zoom: 1e9", "backdrop-filter: blur(9999px)", "display: contents",
    "writing-mode: vertical-rl",
)  # fmt: skip
SCRIPTS = (
    "for(;;);", "while(true) document.body.append('x'.repeat(1e5))", "alert(1)", "window.close()",
    "location='about:blank'",
    "location='file:///etc/passwd'", "document.write('<script>'.repeat(9))",
    "setInterval(()=>location.reload(),1)",
    "new Worker(URL.createObjectURL(new Blob(['for(;;);'])))", "document.documentElement.remove()",
    "debugger",
    "Object.prototype.toString=()=>{throw 1}", "Array.prototype.map=()=>{throw 1}", "JSON.stringify=()=>'x'",
    "a=[];for(i=0;i<1e7;i++)a.push({})", "fetch('http://127.0.0.1:9')", "open('about:blank')", "print()",
    "history.pushState(0,0,'/x')", "document.title='\\u0000'.repeat(1e6)", "throw new Error('\\ud800')",
    "requestAnimationFrame(function f(){requestAnimationFrame(f)})", "navigator.serviceWorker.register('x')",
    "Element.prototype.getBoundingClientRect=()=>({})", "window.getComputedStyle=null", "prompt('x')",
    "onbeforeunload=()=>'stay'", "document.querySelectorAll=()=>{for(;;);}", "Date.now=()=>NaN",
)  # fmt: skip
TAGS = (
    "div",
    "button",
    "input",
    "form",
    "script",
    "style",
    "svg",
    "iframe",
    "template",
    "table",
    "canvas",
    "dialog",
)


def _style_element(text: str, other: str, chance: Random) -> str:
    return _into_tag(text, f' style="{chance.choice(STYLES)}"', chance)


def _into_tag(text: str, attribute: str, chance: Random) -> str:
    tags = list(re.finditer(r"<[a-zA-Z]\w*", text))
    if not tags:
        return f"<p{attribute}>{text}"
    place = chance.choice(tags).end()
    return text[:place] + attribute + text[place:]


def _add_rule(text: str, other: str, chance: Random) -> str:
    target = chance.choice(("*", "body", "html", "button", "p", "::first-line", "*:hover"))
    return _insert_at(text, f"<style>{target} {{{chance.choice(STYLES)}}}</style>", chance)


def _add_script(text: str, other: str, chance: Random) -> str:
    return _insert_at(text, f"<script>{chance.choice(SCRIPTS)}</script>", chance)


def _add_elements(text: str, other: str, chance: Random) -> str:
    times = chance.choice((1, 10, 1_000, 20_000))
    return _insert_at(text, f"<{chance.choice(TAGS)}>" * times, chance)


def _remove_tag(text: str, other: str, chance: Random) -> str:
    tags = list(re.finditer(r"<[^>]*>", text))
    if not tags:
        return text
    tag = chance.choice(tags)
    return text[: tag.start()] + text[tag.end() :]


def _rename_id(text: str, other: str, chance: Random) -> str:
    return re.sub(
        r'id="[^"]*"', f'id="{chance.choice(("", "a b", "constructor", "x" * 9_000))}"', text, count=3
    )


PAGE_CHANGES: tuple[TextChange, ...] = (
    _style_element, _style_element, _add_rule, _add_rule, _add_script, _add_script, _add_script,
    _add_elements,
    _remove_tag, _rename_id, mutate_text,
)  # fmt: skip


def mutate_bytes(data: bytes, chance: Random) -> bytes:
    """Bytes with one to four changes of bits, bytes and blocks."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.choice((1, 1, 4, 64, 4_096)))
        block = chance.choice(
            (b"", bytes([chance.randrange(256)]), data[begin:end] * 2, b"\0" * (end - begin), b"\xff" * 3,
             chance.randbytes(end - begin), data[begin:end][::-1])
        )  # fmt: skip
        data = data[:begin] + block + data[end:]
    return data


ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, -0.5, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**400, 1e-320,
    float("nan"),
    float("inf"), "", " ", "\0", "0", "nan", "x" * 100_000, "\ud800", "../x", "/etc/passwd", "..", ".",
    "-rf", "a/b",
    "CON", "\u202e", "{goal:>3000000000}", "{0}", "{a.__class__}", "';--", "<script>", [], {}, [[]], {"": {}},
    [None] * 1_000, "2026-02-30", "9999-12-31", "0000-00-00", "1e9", "-", "~", "*",
)  # fmt: skip
"""Values of another type or size than any field expects."""


def mutate_value(value: Any, chance: Random, known: Sequence[tuple[str, Any]] = ()) -> Any:
    """Plain data with one part changed: another value, a lost, doubled or strange key, a deep or long list.

    `known` are keys with values that a hostile author would set; some are put into a mapping of the data.
    """
    change = chance.choice(VALUE_CHANGES)
    if known and chance.random() < 0.5:
        change = _set_known(known)
    return _change_inside(value, change, chance)


ValueChange = Callable[[Any, Random], Any]


def _change_inside(value: Any, change: ValueChange, chance: Random) -> Any:
    """Go down to some part of the data and change it there."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: _change_inside(value[key], change, chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        return [*value[:place], _change_inside(value[place], change, chance), *value[place + 1 :]]
    return change(value, chance)


def _replace(value: Any, chance: Random) -> Any:
    return chance.choice(ODD_VALUES)


def _drop(value: Any, chance: Random) -> Any:
    if isinstance(value, dict) and value:
        lost = chance.choice(list(value))
        return {key: each for key, each in value.items() if key != lost}
    return value[: len(value) // 2] if isinstance(value, list | str) else None


def _double(value: Any, chance: Random) -> Any:
    if isinstance(value, list | str) and 0 < len(value) < 1_000:
        return value * chance.choice((2, 50))
    return [value, value]


def _deepen(value: Any, chance: Random) -> Any:
    # Deeper than our own encoder goes is written as a text by the caller: see `to_json`.
    wrapped: Any = value
    for _ in range(chance.choice((5, 50, 150))):
        wrapped = [wrapped] if chance.random() < 0.5 else {"a": wrapped}
    return wrapped


def _change_scalar(value: Any, chance: Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return chance.choice((value + 1, -value, value * 1e9, str(value), [value], value / 3))
    if isinstance(value, str):
        return mutate_text(value[:10_000], "material", chance)
    return _strange_key(value, chance)


def _strange_key(value: Any, chance: Random) -> Any:
    if not isinstance(value, dict):
        return _replace(value, chance)
    return {
        **value,
        chance.choice(("", "\0", "=1+1", "__proto__", "x" * 5_000, "a.b", "<b>", "id", "\ud800")): 1,
    }


def _set_known(known: Sequence[tuple[str, Any]]) -> ValueChange:
    def change(value: Any, chance: Random) -> Any:
        key, given = chance.choice(known)
        return {**value, key: given} if isinstance(value, dict) else given

    return change


VALUE_CHANGES: tuple[ValueChange, ...] = (
    _replace, _replace, _drop, _double, _deepen, _change_scalar, _change_scalar, _strange_key,
)  # fmt: skip


def to_json(value: Any) -> str:
    """JSON as a careless writer writes it: NaN and halves of surrogate pairs are kept."""
    return json.dumps(value, ensure_ascii=False, default=str)
