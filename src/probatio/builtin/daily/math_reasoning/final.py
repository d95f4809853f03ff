"""The final values in an answer: what follows each label (A, or P12), without markup and chatter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

_LONGEST = 20_000  # characters from the end that are looked at: final values stand at the end
_CANDIDATES = 8  # values of one letter that are looked at, from the end
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*$\n?", re.MULTILINE)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_STYLE = re.compile(r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf|tt)|operatorname|mbox)\s*\{([^{}]*)\}")
_BOLD = re.compile(r"(?<![^\s(:|])(\*\*|__)(?=\S)([^*\n]+?)(?<=\S)\1(?![^\s.,;:)|])")
_SPACES = re.compile(r"\\[,;:! ]|\\quad|\\qquad|~|&nbsp;|[\u00a0\u2002-\u200a\u202f]")
_PLAIN = {
    "\\left": "", "\\right": "", "\\displaystyle": "", "\\dfrac": "\\frac", "\\tfrac": "\\frac",
    "\\cfrac": "\\frac", "\\%": "%", "\\$": "$", "\\lbrace": "\\{", "\\rbrace": "\\}", "{,}": ",",
    "\\cdot": "*", "\\times": "*", "\\div": "/", "×": "*", "·": "*", "⋅": "*", "÷": "/", "∙": "*",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "＝": "=",
    "\\approx": "≈", "\\simeq": "≈", "≃": "≈", "≅": "≈", "\\pm": "±", "\\euro": "€", "\\to": "→",
    "\\implies": "→", "²": "^2", "³": "^3", "π": "pi", "\\(": "", "\\)": "", "\\[": "", "\\]": "",
}  # fmt: skip
_PLAIN_PATTERN = re.compile("|".join(re.escape(sign) for sign in sorted(_PLAIN, key=len, reverse=True)))


def final_values(answer: str, labels: Sequence[str]) -> dict[str, list[str]]:
    """For each letter, the values given for it, the last first.

    An answer without any letter may still give its values in boxes: where there are as many as letters, they
    go in order.
    """
    text = _FENCE_LINE.sub("", _INVISIBLE.sub("", answer[-_LONGEST:]))
    names = "|".join(re.escape(name) for name in sorted(labels, key=len, reverse=True))
    label = re.compile(
        rf"(?:^[ \t>#*_|`+-]*(?:\d+[.)]\s*)?(?:\$|\\[(\[])?(?:\\boxed\s*\{{)?|(?<=[\s,;|`({{$]))"
        rf"(?:\\text(?:bf)?\s*\{{|\*\*|__|\()?(?P<letter>{names})(?:\}}|\*\*|__|\))?\s*[:|]\s*(?:\*\*|__|\}})?"
        rf"|^[ \t>#*_-]*(?:\*\*|__)?(?P<first>{names})(?:\*\*|__)?\s*[=.)]\s+",
        re.MULTILINE,
    )
    values: dict[str, list[str]] = {name: [] for name in labels}
    end = len(text)
    for mark in reversed(list(label.finditer(text))):
        candidates = values[mark["letter"] or mark["first"]]
        if len(candidates) < _CANDIDATES:
            # The rest of its line, or the next line that holds something.
            lines = text[mark.end() : end].split("\n")[:6]
            candidates += islice(filter(None, map(plain, lines)), 1)
        end = mark.start()
    if not any(values.values()):
        boxes = [box.end() for box in _BOX.finditer(text)]
        if len(boxes) == len(labels):
            return {
                name: [plain(_read_to_brace(text[at : at + 400]))]
                for name, at in zip(labels, boxes, strict=True)
            }
    return values


def _read_to_brace(text: str) -> str:
    """What stands before the brace that closes one opened just before the text."""
    depth = 1
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return text[:at]
    return text


def plain(text: str) -> str:
    """One value as plain text or bare LaTeX: no markup round it, one sign for each operation."""
    text = _BOX.sub("{", text[:1000])
    for _ in range(3):
        text = _STYLE.sub(r" \1 ", text)
    text = _SPACES.sub(" ", text)
    text = _PLAIN_PATTERN.sub(lambda sign: _PLAIN[sign[0]], text)
    text = _BOLD.sub(r"\2", text)
    if not re.search(r"\$\s*\d", text) or text.count("$") > 1:
        text = text.replace("$", " ")
    text = re.sub(r"\s+", " ", text).strip(" \t`|").strip("*_").strip(" `|")
    while text.endswith("}") and text.count("}") > text.count("{"):
        text = text[:-1].rstrip(" `*")
    while text.startswith("{") and text.endswith("}") and _read_to_brace(text[1:]) == text[1:-1]:
        text = text[1:-1].strip()
    return text.rstrip(" .;,").strip()
