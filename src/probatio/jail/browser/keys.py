"""Keys of a keyboard as the browser wants to hear of them: one press is a line of events, down and up
again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class KeyboardKey(NamedTuple):
    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0


_MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
KEYS = {
    key.key: key
    for key in (
        KeyboardKey("Backspace", "Backspace", 8),
        KeyboardKey("Tab", "Tab", 9),
        KeyboardKey("Enter", "Enter", 13, "\r"),
        KeyboardKey("Shift", "ShiftLeft", 16, location=1),
        KeyboardKey("Control", "ControlLeft", 17, location=1),
        KeyboardKey("Alt", "AltLeft", 18, location=1),
        KeyboardKey("Escape", "Escape", 27),
        KeyboardKey(" ", "Space", 32, " "),
        KeyboardKey("PageUp", "PageUp", 33),
        KeyboardKey("PageDown", "PageDown", 34),
        KeyboardKey("End", "End", 35),
        KeyboardKey("Home", "Home", 36),
        KeyboardKey("ArrowLeft", "ArrowLeft", 37),
        KeyboardKey("ArrowUp", "ArrowUp", 38),
        KeyboardKey("ArrowRight", "ArrowRight", 39),
        KeyboardKey("ArrowDown", "ArrowDown", 40),
        KeyboardKey("Delete", "Delete", 46),
        *(KeyboardKey(digit, f"Digit{digit}", ord(digit), digit) for digit in "0123456789"),
        *(
            KeyboardKey(letter, f"Key{letter.upper()}", ord(letter.upper()), letter)
            for letter in "abcdefghijklmnopqrstuvwxyz"
        ),
        *(
            KeyboardKey(letter, f"Key{letter}", ord(letter), letter)
            for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        ),
    )
}
KEYS["Space"] = KEYS[" "]


def press_events(keys: str) -> Iterator[dict[str, object]]:
    """The events of one press, such as `Enter` or `Control+A`. Raises KeyError for a key that is not in the
    table."""
    *held, last = keys.split("+") if keys != "+" else [keys]
    modifiers = 0
    for name in held:
        modifiers |= _MODIFIERS[name]
        yield _down(KEYS[name], modifiers, "")
    # A key that is pressed with Control writes nothing.
    text = KEYS[last].text if modifiers in (0, _MODIFIERS["Shift"]) else ""
    yield _down(KEYS[last], modifiers, text)
    yield _up(KEYS[last], modifiers)
    for name in reversed(held):
        modifiers &= ~_MODIFIERS[name]
        yield _up(KEYS[name], modifiers)


def _down(key: KeyboardKey, modifiers: int, text: str) -> dict[str, object]:
    written = {"text": text, "unmodifiedText": text} if text else {}
    return {"type": "keyDown" if text else "rawKeyDown", **_of(key, modifiers), **written}


def _up(key: KeyboardKey, modifiers: int) -> dict[str, object]:
    return {"type": "keyUp", **_of(key, modifiers)}


def _of(key: KeyboardKey, modifiers: int) -> dict[str, object]:
    return {
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.number,
        "location": key.location,
        "modifiers": modifiers,
    }
