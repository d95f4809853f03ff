"""An answer as its rules read it: cut into words, sentences, lines, items and cells, and measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from probatio.builtin.daily.reading.folding import fold_lookalikes, fold_markdown
from probatio.core.text.fences import find_fences

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|e\.g|i\.e|etc|z\.\s?B|d\.\s?h|bzw|ca|Nr)\.$", re.IGNORECASE)
_LONGEST_ABBREVIATION = 10  # characters of the text's end: a row of them is one long piece
_ITEM = re.compile(r"^[ \t]*(?P<label>[-*•+]|\d{1,3}[.)])[ \t]+(?P<text>.*\S)")
_TABLE_RULE = re.compile(r"[ \t|:-]+")

_OPENING = re.compile(
    r"^(?:sure|certainly|of course|absolutely|okay|ok|great|here(?:'s|’s| is| are| you go)|"
    r"below|the following|as requested|i(?:'d| would) be happy|happy to|"
    r"gerne?|natürlich|selbstverständlich|hier (?:ist|sind)|klar)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^[\s(*_\[>-]*(?:let me know|i hope|hope (?:this|that)|feel free|note\b|notes\b|please note|"
    r"word count|words:|this (?:text|paragraph|poem|answer|response|list|table|mail|e-mail)\b|"
    r"explanation|constraints?\b|checklist|"
    r"if you (?:need|want|would)|ich hoffe|hinweis|anmerkung)",
    re.IGNORECASE,
)
_LONGEST_OPENING = 25  # words; more than that is part of the answer
_LONGEST_ROUND = 40  # words round a fence that may be chatter, however short what is inside


class Reading:
    """One answer as its rules see it. `framed`: something stood before or after what was asked for."""

    def __init__(self, answer: str) -> None:
        text, in_fence = _out_of_fence(fold_markdown(answer.replace("\r\n", "\n")).strip())
        text, chatter = _out_of_chatter(text)
        self.text = _out_of_quotes(text)
        self.framed = in_fence or chatter

    @cached_property
    def words(self) -> list[str]:
        return words(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.text.split("\n") if line.strip()]

    @cached_property
    def paragraphs(self) -> list[str]:
        return [block.strip() for block in re.split(r"\n[ \t]*\n", self.text) if block.strip()]

    @cached_property
    def sentences(self) -> list[str]:
        return sentences(self.text)

    @cached_property
    def labels(self) -> list[str]:
        return [match["label"] for line in self.lines if (match := _ITEM.match(line))]

    @cached_property
    def items(self) -> list[str]:
        return [match["text"] for line in self.lines if (match := _ITEM.match(line))]

    @cached_property
    def table(self) -> list[list[str]]:
        """The cells of the first Markdown table, its head first; empty without a line of dashes."""
        block = self._table_lines
        if len(block) < 2 or "-" not in block[1] or not _TABLE_RULE.fullmatch(block[1]):
            return []
        return [
            [cell.strip(" *_`") for cell in row.strip().strip("|").split("|")]
            for row in (block[0], *block[2:])
        ]

    @cached_property
    def beside_table(self) -> list[str]:
        table = set(self._table_lines)
        return [line for line in self.lines if line not in table]

    @cached_property
    def _table_lines(self) -> list[str]:
        block: list[str] = []
        for line in self.lines:
            if "|" in line:
                block.append(line)
            elif block:
                break
        return block

    def column(self, number: int) -> list[str]:
        """The cells of a column, counted from 1, without its head."""
        return [row[number - 1] for row in self.table[1:] if len(row) >= number]

    def units(self, of: str, at: int = 0) -> list[str]:
        """All units of a kind, or the one at a place counted from 1 (or from -1 at the end)."""
        if of == "column":
            return self.column(at)
        if of == "paragraph_sentences":
            return [
                sentence for paragraph in self.units("paragraphs", at) for sentence in sentences(paragraph)
            ]
        if of == "text":
            return [self.text] if self.text else []
        every: list[str] = getattr(self, of)
        if at == 0:
            return every
        place = at - 1 if at > 0 else at
        return [every[place]] if -len(every) <= place < len(every) else []


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def sentences(text: str) -> list[str]:
    """Split at . ! ? before white space, except after an abbreviation; a piece needs a word."""
    pieces: list[str] = []
    for piece in _SENTENCE_END.split(" ".join(text.split())):
        if pieces and _ABBREVIATION.search(pieces[-1], max(0, len(pieces[-1]) - _LONGEST_ABBREVIATION)):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif words(piece):
            pieces.append(piece)
    return pieces


def _out_of_fence(text: str) -> tuple[str, bool]:
    """The body of the only fence, unless more words stand outside of it; and whether any do."""
    blocks = find_fences(text)
    if len(blocks) != 1:
        return text, False
    inside = len(words(blocks[0].body))
    outside = len(words(text[: blocks[0].start] + text[blocks[0].end :]))
    if not inside or outside > max(inside, _LONGEST_ROUND):
        return text, False
    return blocks[0].body.strip(), outside > 0


def _out_of_chatter(text: str) -> tuple[str, bool]:
    """Remove an opening like "Sure! Here is the list:" and a closing like "Let me know …"."""
    framed = False
    first, _, rest = text.partition("\n")
    polite = _OPENING.match(first) and len(words(first)) <= _LONGEST_OPENING
    if polite and rest.strip() and (first.rstrip(" *_").endswith(":") or rest.startswith("\n")):
        text, framed = rest.strip(), True
    while (cut := text.rfind("\n\n")) > 0 and _CLOSING.match(text[cut:].strip()):
        text, framed = text[:cut].strip(), True
    return text, framed


def _out_of_quotes(text: str) -> str:
    for left, right in (('"', '"'), ("“", "”"), ("„", "“")):
        if len(text) > 2 and text.startswith(left) and text.endswith(right) and left not in text[1:-1]:
            return text[1:-1].strip()
    return text


VOWELS = frozenset("aeiou")


def letters_of(text: str) -> list[str]:
    return [char for char in text.casefold() if char.isalpha()]


def _place(letter: str) -> int:
    """a is 1, z is 26; letters beyond them have no place."""
    return ord(letter) - ord("a") + 1 if "a" <= letter <= "z" else 0


MEASURES: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(words(text)),
    "characters": len,
    "letters": lambda text: sum(char.isalpha() for char in text),
    "vowels": lambda text: sum(letter in VOWELS for letter in letters_of(text)),
    "capitals": lambda text: sum(char.isupper() for char in text),
    "different letters": lambda text: len({letter for letter in letters_of(text) if _place(letter)}),
    "letter values": lambda text: sum(_place(letter) for letter in letters_of(text)),
    "digits": lambda text: sum("0" <= char <= "9" for char in text),
}


def measure(name: str, text: str) -> int:
    """What `name` counts in `text`; KeyError where there is no such measure."""
    if name != "characters":
        text = fold_lookalikes(text)
    if name.startswith("letter:"):
        return text.casefold().count(name.removeprefix("letter:"))
    return MEASURES[name](text)
