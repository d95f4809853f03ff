"""Rules an answer can be held to: a table from the kind of a rule to the small function that scores it, 0–1.

A near miss earns part of the credit: a count that is off by a little, a list with one line out of place, one
forbidden letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from probatio.builtin.daily.instruction_following.reading import (
    Reading,
    letters_of,
    measure,
    sentences,
    words,
)
from probatio.builtin.daily.reading.folding import fold_lookalikes, readings_of

NEAR = 0.8  # what a count that is off by almost nothing earns
SLIP = 0.6  # what is left of a prohibition's credit after each breach of it

_EMPHASIS = re.compile(r"[*_~`]+")
_ACCENTED = 3  # letters of a word from which on it is the same word with an accent; "à" is not "a"


class TextRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One checkable instruction. Which of the arguments a kind reads stands in `KINDS`."""

    name: str  # the instruction in a few words, as the breakdown shows it
    kind: str
    of: str = (
        "text"  # text, words, sentences, lines, paragraphs, paragraph_sentences, items, column, beside_table
    )
    at: int = 0  # which unit, from 1 or from -1 backwards; 0 is every one; for a column its number
    low: int = 0
    high: int = 0
    text: str = ""
    words: tuple[str, ...] = ()
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case; 0 if it has none


class RuleKind(NamedTuple):
    score: Callable[[TextRule, Reading], float]
    needs: tuple[str, ...]  # the arguments it can't do without


def near(count: int, low: int, high: int) -> float:
    """1 within the bounds, then falling with the distance, to 0 at a quarter of the bound and one."""
    if low <= count <= high:
        return 1.0
    bound = low if count < low else high
    return max(0.0, NEAR * (1 - abs(count - bound) / (1 + bound / 4))) if count else 0.0


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else 0.0


def _times(word: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


def _of_units(score: Callable[[TextRule, str], float]) -> Callable[[TextRule, Reading], float]:
    """The mean of what each of the units earns."""
    return lambda rule, reading: _mean([score(rule, unit) for unit in reading.units(rule.of, rule.at)])


def _of_rows(score: Callable[[TextRule, list[str]], float]) -> Callable[[TextRule, Reading], float]:
    """The mean of what each row of the table earns that reaches to column `at`."""
    return lambda rule, reading: _mean([score(rule, row) for row in reading.table[1:] if len(row) >= rule.at])


def _count(rule: TextRule, reading: Reading) -> float:
    return near(len(reading.units(rule.of)), rule.low, rule.high)


def _ladder(rule: TextRule, reading: Reading) -> float:
    """Units of as many words as the rule's words say, one after the other."""
    wanted, units = [int(number) for number in rule.words], reading.units(rule.of)
    right = [near(len(words(unit)), number, number) for unit, number in zip(units, wanted, strict=False)]
    return sum(right) / max(len(wanted), len(units))


def _includes(rule: TextRule, reading: Reading) -> float:
    """Each word there at least once, or exactly `low` to `high` times where the rule says how often."""
    text = "\n".join(reading.units(rule.of, rule.at))
    high = rule.high or 10**6
    return _mean([near(_times(word, text), rule.low or 1, high) for word in rule.words])


def _avoids(rule: TextRule, reading: Reading) -> float:
    units = reading.units(rule.of, rule.at)
    return _credit_kept(units, sum(_breaches(word, unit) for unit in units for word in rule.words))


def _breaches(word: str, unit: str) -> int:
    """Emphasis inside a word (pho**ne**) does not hide it from a reader, nor do look-alikes and accents."""
    shown = fold_lookalikes(unit)
    found = max(_times(word, unit), _times(word, shown), _times(word, _EMPHASIS.sub("", shown)))
    if len(word) < _ACCENTED or shown.isascii():
        return found
    return max(found, _times(_without_accents(word), _without_accents(_EMPHASIS.sub("", shown))))


@lru_cache(maxsize=256)
def _without_accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char))


def _without(rule: TextRule, reading: Reading) -> float:
    """None of the characters in `text`, in any case and with any accent, nor a sign like them."""
    units, banned = reading.units(rule.of, rule.at), set(rule.text.casefold())
    return _credit_kept(units, sum(_is_one_of(char, banned) for unit in units for char in unit))


def _is_one_of(char: str, banned: set[str]) -> bool:
    if char.isascii():
        return char.casefold() in banned
    return char != "…" and not banned.isdisjoint(readings_of(char))


def _credit_kept(units: Sequence[str], breaches: int) -> float:
    """A prohibition's credit; where there is nothing it could have been broken in, it was not kept."""
    return float(SLIP**breaches) if units else 0.0


def _case(rule: TextRule, reading: Reading) -> float:
    """The share of words in upper or lower case, stretched so that half of them earns nothing."""
    units = [
        word
        for unit in reading.units(rule.of, rule.at)
        for word in words(unit)
        if word.upper() != word.lower()
    ]
    as_asked = sum(word == (word.upper() if rule.text == "upper" else word.lower()) for word in units)
    return max(0.0, 2 * as_asked / len(units) - 1) if units else 0.0


def _acrostic(rule: TextRule, reading: Reading) -> float:
    initials = [line.lstrip("*_-\"'“ ")[:1].casefold() for line in reading.lines]
    right = sum(given == wanted for given, wanted in zip(initials, rule.text.casefold(), strict=False))
    return right / max(len(rule.text), len(initials))


def _order(rule: TextRule, reading: Reading) -> float:
    """How many of the words first appear one after the other, less the one that always does."""
    text = reading.text.casefold()
    places = [text.find(word.casefold()) for word in rule.words]
    pairs = [0 <= before < after for before, after in pairwise(places)]
    return _mean([float(pair) for pair in pairs])


def _check_order(rule: TextRule, reading: Reading) -> float:
    """The share of neighbours in order, stretched so that the half any shuffle has is nothing."""
    units = [unit.casefold() for unit in reading.units(rule.of, rule.at)]
    if rule.text == "descending":
        units.reverse()
    pairs = [before <= after for before, after in pairwise(units)]
    return max(0.0, 2 * _mean([float(pair) for pair in pairs]) - 1)


def _unique(rule: TextRule, reading: Reading) -> float:
    units = reading.units(rule.of, rule.at)
    if rule.of == "words":
        units = words(fold_lookalikes(reading.text))  # ℮ would cut a word in two
    counts = Counter(fold_lookalikes(unit).casefold() for unit in units)
    return _credit_kept(list(counts), counts.total() - len(counts))


def _check_labels(rule: TextRule, reading: Reading) -> float:
    """The share of lines that carry the mark in `text`, or their number where it is "1."."""
    if rule.text == "1.":
        right = sum(label == f"{place}." for place, label in enumerate(reading.labels, start=1))
    else:
        right = sum(label == rule.text for label in reading.labels)
    total = len(reading.lines) - rule.high  # lines that are no items
    return min(1.0, right / total) if total > 0 else 0.0


def _same(rule: TextRule, reading: Reading) -> float:
    """F1 of the items with the ones that were asked for, each counted once."""
    given = Counter(unit.casefold().strip(" .*_") for unit in reading.units(rule.of, rule.at))
    shared = sum(min(1, given[word.casefold()]) for word in rule.words)
    return 2 * shared / (given.total() + len(rule.words))


def _table(rule: TextRule, reading: Reading) -> float:
    """The head as named, and `low` to `high` rows of as many cells."""
    if not reading.table:
        return 0.0
    head, *rows = reading.table
    named = _mean([float(given == wanted) for given, wanted in zip(head, rule.words, strict=False)])
    whole = _mean([float(len(row) == len(rule.words)) for row in rows])
    return (named * (len(head) == len(rule.words)) + whole + near(len(rows), rule.low, rule.high)) / 3


def _language(rule: TextRule, reading: Reading) -> float:
    """By small words of one language alone: 1 if three quarters of them are of the right one."""
    all_words = [word.casefold() for word in reading.words]
    hits = {code: sum(word in small for word in all_words) for code, small in SMALL_WORDS.items()}
    right, others = hits[rule.text], max(count for code, count in hits.items() if code != rule.text)
    if right < max(2, len(all_words) / 20):
        return 0.0
    return min(1.0, right / (right + others) / 0.75)


def _total(rule: TextRule, reading: Reading) -> float:
    """All units together have `low` to `high` of what `text` names."""
    units = reading.units(rule.of, rule.at)
    return float(bool(units) and rule.low <= sum(measure(rule.text, unit) for unit in units) <= rule.high)


def _in_steps(rule: TextRule, reading: Reading) -> float:
    """Units one after the other, each with as much of what `text` names as the rule's words say."""
    return _steps(rule, reading.units(rule.of, rule.at))


def _word_steps(rule: TextRule, reading: Reading) -> float:
    """The same for the words of one unit."""
    return _steps(rule, [word for unit in reading.units(rule.of, rule.at) for word in words(unit)])


def _steps(rule: TextRule, units: Sequence[str]) -> float:
    right = [measure(rule.text, unit) == int(wanted) for unit, wanted in zip(units, rule.words, strict=False)]
    return sum(right) / max(len(rule.words), len(units))


def _check_spelling(rule: TextRule, reading: Reading) -> float:
    """The first letters of the units, or their last ones where `words` says so, are those of `text`."""
    place = -1 if "last" in rule.words else 0
    letters = [letters_of(unit) for unit in reading.units(rule.of, rule.at)]
    right = [
        bool(unit) and unit[place] == wanted
        for unit, wanted in zip(letters, rule.text.casefold(), strict=False)
    ]
    return sum(right) / max(len(rule.text), len(letters))


def _check_ends(rule: TextRule, reading: Reading) -> float:
    """All units by their last letter from A to Z, or nothing: half of any shuffle is in order."""
    ends = [letters[-1] for unit in reading.units(rule.of) if (letters := letters_of(unit))]
    return float(len(ends) >= rule.low and ends == sorted(ends))


def _check_count(rule: TextRule, reading: Reading) -> float:
    """A line `label: number`, the label in `words`, whose number is what `text` counts in the units.

    What is shorter than `low` words is no text to count in: nothing is earned by counting four words.
    """
    label = re.compile(
        rf"[*_\- ]*{re.escape(rule.words[0])}[*_]*\s*[:=][*_]*\s*(\d{{1,6}})\.?[*_]*", re.IGNORECASE
    )
    numbers = {int(match[1]) for line in reading.lines if (match := label.fullmatch(line))}
    units = reading.units(rule.of, rule.at)
    enough = sum(len(words(unit)) for unit in units) >= max(1, rule.low)
    return float(enough and numbers == {sum(measure(rule.text, unit) for unit in units)})


def _check_column(rule: TextRule, reading: Reading) -> float:
    """Whether column `at` gives what `text` counts in column `high`."""
    rows = [row for row in reading.table[1:] if len(row) >= max(rule.at, rule.high)]
    return _mean([float(row[rule.at - 1] == str(measure(rule.text, row[rule.high - 1]))) for row in rows])


def _column_sum(rule: TextRule, reading: Reading) -> float:
    """The numbers in column `at` add up to `low` to `high`."""
    cells = reading.column(rule.at)
    if not cells or not all(re.fullmatch(r"\d{1,6}", cell) for cell in cells):
        return 0.0
    return float(rule.low <= sum(int(cell) for cell in cells) <= rule.high)


SMALL_WORDS = {
    code: frozenset(line.split())
    for code, line in {
        "en": "the and of to is are was were with for this that it you your we our have has not from they be "
        "will by",
        "de": "der das und ist sind nicht mit für auf dem den ein eine einen wir sie ihr ihre ihnen wird "
        "werden zu von im am bei",
        "fr": "le la les et est sont dans pour avec une des que qui nous vous votre pas sur au aux du ce "
        "cette",
        "es": "el los las y es son en para con una que por su sus nosotros usted no del al este esta se lo",
        "it": "il gli e è sono per con una che di non del della nel alla questo questa si lo suo",
    }.items()
}

KINDS: dict[str, RuleKind] = {
    "count": RuleKind(_count, ("of", "low", "high")),
    "length": RuleKind(
        _of_units(lambda rule, unit: near(len(words(unit)), rule.low, rule.high)), ("of", "low", "high")
    ),
    "sentences_in": RuleKind(
        _of_units(lambda rule, unit: near(len(sentences(unit)), rule.low, rule.high)), ("of", "low", "high")
    ),
    "ladder": RuleKind(_ladder, ("of", "words")),
    "includes": RuleKind(_includes, ("words",)),
    "avoids": RuleKind(_avoids, ("words",)),
    "without": RuleKind(_without, ("text",)),
    "case": RuleKind(_case, ("text",)),
    "starts": RuleKind(_of_units(lambda rule, unit: unit.lstrip("*_ ").startswith(rule.text)), ("text",)),
    "ends": RuleKind(_of_units(lambda rule, unit: unit.rstrip("*_ ").endswith(rule.text)), ("text",)),
    "acrostic": RuleKind(_acrostic, ("text",)),
    "order": RuleKind(_order, ("words",)),
    "sorted": RuleKind(_check_order, ("of", "text")),
    "unique": RuleKind(_unique, ("of",)),
    "labelled": RuleKind(_check_labels, ("text",)),
    "same": RuleKind(_same, ("of", "words")),
    "table": RuleKind(_table, ("words", "low", "high")),
    # Column `at` gives the number of letters of the first column's word; it uses this word.
    "letters_told": RuleKind(
        _of_rows(lambda rule, row: row[rule.at - 1] == str(measure("letters", row[0]))), ("at",)
    ),
    "names_row": RuleKind(
        _of_rows(lambda rule, row: bool(row[0]) and _times(row[0], row[rule.at - 1]) > 0), ("at",)
    ),
    "language": RuleKind(_language, ("text",)),
    # The share of units with `low` to `high` of what `text` names: no credit for a near miss.
    "measured": RuleKind(
        _of_units(lambda rule, unit: rule.low <= measure(rule.text, unit) <= rule.high),
        ("text", "low", "high"),
    ),
    "total": RuleKind(_total, ("of", "text", "low", "high")),
    "in_steps": RuleKind(_in_steps, ("of", "text", "words")),
    "word_steps": RuleKind(_word_steps, ("of", "at", "text", "words")),
    "spelled": RuleKind(_check_spelling, ("of", "text")),
    "ends_sorted": RuleKind(_check_ends, ("of", "low")),
    "is": RuleKind(_of_units(lambda rule, unit: unit.strip("*_` ") == rule.text), ("of", "at", "text")),
    "told": RuleKind(_check_count, ("text", "words")),
    "column_told": RuleKind(_check_column, ("at", "high", "text")),
    "column_sum": RuleKind(_column_sum, ("at", "low", "high")),
}
