"""Figures in prose: numbers, percentages, dates and times, however they are written.

`words` is the base of everything here and in `claims`: lower case, no accents, contractions written out,
every number as digits (`1.2 million`, `1,200,000` and `twelve hundred thousand` are one word), dates with the
day first, times as HH:MM.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from probatio.builtin.daily.reading.folding import fold_lookalikes, fold_markdown

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(MONTHS)
_ABBREVIATED = {month[:3]: month for month in MONTHS} | {"sept": "september"}
_ABBREVIATION = "|".join(sorted(_ABBREVIATED, key=len, reverse=True))

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SPELLED = {word: value for value, word in enumerate(_ONES)} | {
    word: 20 + 10 * at for at, word in enumerate(_TENS)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_SHORT_SCALES = {"mn": 1e6, "bn": 1e9, "k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_CURRENCIES = {"$": "dollars", "£": "pounds", "€": "euros"}

_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "—": " , ", "―": " , "} | dict.fromkeys("‐‑‒–−", "-")
)
_STEPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), to)
    for pattern, to in (
        (r"(?<=\S)[ \t]+-\s", " , "),  # a spaced dash is an aside, as a comma is, but for a list's item
        (r"^[ \t]*(?:\d{1,2}[.)]|[-+•·])[ \t]+", ""),  # the number of a list's item is no figure
        (r"\b(e)\.(g)\.|\b(i)\.(e)\.|\b([ap])\.(m)\.?(?=\W|$)|\b(u)\.([sk])\.", r" \1\2\3\4\5\6\7\8 "),
        (r"\b(dr|mr|mrs|ms|st|approx|vs|jan|feb|aug|sept?|oct|nov|dec)\.", r"\1 "),
        (r"[ \t]+", " "),
        (r"\bcan'?t\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"'(?:s|re|ve|d|m)\b", ""),
        (r"'ll\b", " will"),
        (r"(?<=\d),(?=\d{3}(?!\d))", ""),
        (r"\b(\d{4})-(\d{2})-(\d{2})\b", r" \3/\2/\1 "),
        (r"(?<=\d)-(?=\d)", " to "),
        (rf"\b({_ABBREVIATION})(?= \d)|(?<=\d )({_ABBREVIATION})\b", r"\1\2~"),
        (rf"(?<=\dth )({_ABBREVIATION})\b|(?<=\d(?:st|nd|rd) )({_ABBREVIATION})\b", r"\1\2~"),
        (r"(?<=\d)(?:st|nd|rd|th)\b", ""),
        (r"(?<=\d) ?(?:percentage points?|percent|per cent|pct|%)", "%"),
    )
)
_DAY_FIRST = (
    (re.compile(rf"\b({_MONTH}) (?:the )?(\d{{1,2}})(?![\d:%]|\.\d)"), r"\2 \1"),
    (re.compile(rf"\b(\d{{1,2}}) of ({_MONTH})\b"), r"\1 \2"),
)
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))? ?([ap])m\b|\b(\d{1,2}):(\d{2})\b")
_MONEY = re.compile(r"([$£€]) ?(\d+(?:\.\d+)?)(?: ?(m|million|mn|bn|billion|k|thousand)\b)?")
_SCALED = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?:[ -]?(thousand|million|billion|mn|bn)|(k))\b")
_SHORT_MILLIONS = re.compile(r"(?<=\d)m\b")
_MILLIONS = re.compile(r"\d\.\d+m\b")  # "5m" alone is a length; in a text that has "48.2m" it is millions
_WORD = re.compile(r"\d{1,2}:\d{2}|\d+(?:\.\d+)?%?|[^\W\d_]+\d[\w]*|[^\W\d_]+(?:'[^\W\d_]+)?\*?|[.,;:!?()\n]")


def word_set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_HEDGES = word_set("about around nearly almost roughly approximately approx over under than circa some")
_HEDGED_TOLERANCE = 0.05
_KEPT_DIGITS = 2  # a source's 1,187,000 may be given as 1.2 million, not as 1 million
_GRAMMATICAL = 3  # spelled numbers count from above this: "two reasons" is grammar as often as a figure


class Word(NamedTuple):
    """A word, a number or a mark of punctuation; `value` where it is a number."""

    text: str
    value: float | None = None
    spelled: bool = False


class Figure(NamedTuple):
    kind: Literal["number", "percent", "date", "time"]
    value: float  # of a date: month × 100 + day; of a time: minutes
    text: str
    hedged: bool = False


def words(text: str) -> list[Word]:
    """The text as canonical words and marks, in order."""
    return _join_spelled([_word(token) for token in _WORD.findall(_plain(text, markdown=True))])


def pattern_words(pattern: str) -> list[Word]:
    """The same reading for a phrase of ours, where a trailing `*` stands for any ending."""
    return _join_spelled([_word(token) for token in _WORD.findall(_plain(pattern, markdown=False))])


def figures(text: str) -> list[Figure]:
    """Every figure that the text states."""
    read = words(text)
    return [figure for at, word in enumerate(read) if (figure := _figure(read, at, word)) is not None]


@lru_cache(maxsize=1024)
def _known_figures(text: str) -> tuple[Figure, ...]:
    """The figures of a source, which is the same for many answers."""
    return tuple(figures(text))


def find_invented(answer: str, source: str, derived: Iterable[str] = ()) -> list[Figure]:
    """The figures of the answer that are not in the source, not `derived` from it and no rounding of one."""
    allowed = [figure for text in (source, *derived) for figure in _known_figures(text)]
    stated = figures(answer)
    invented = {each for each in set(stated) if not any(_explains(known, each) for known in allowed)}
    return [figure for figure in stated if figure in invented]


def _plain(text: str, markdown: bool) -> str:
    text = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}\b)", "", text)
    text = fold_lookalikes(fold_markdown(text)) if markdown else text
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN)).lower()
    text = "".join(char for char in text if not unicodedata.combining(char)).translate(_PLAIN)
    if markdown:
        text = re.sub(r"^[ \t]*[*][ \t]+", "", text, flags=re.MULTILINE)
        text = re.sub(r"[*_`#>~]+", "", text).replace("|", " , ")
    for pattern, to in _STEPS:
        text = pattern.sub(to, text)
    text = re.sub(rf"\b({_ABBREVIATION})~", lambda match: _ABBREVIATED[match[1]], text)
    text = _SLASHED.sub(_read_slashes, text)
    for order, to in _DAY_FIRST:
        text = order.sub(to, text)
    text = _CLOCK.sub(_clock, text)
    text = _MONEY.sub(_money, text)
    if _MILLIONS.search(text):
        text = _SHORT_MILLIONS.sub(" million", text)
    return _SCALED.sub(lambda match: _digits(float(match[1]) * _SHORT_SCALES[match[2] or match[3]]), text)


def _read_slashes(match: re.Match[str]) -> str:
    day, month = int(match[1]), int(match[2])
    if month > 12:
        day, month = month, day
    return f"{day} {MONTHS[month - 1]} {match[3]}" if 1 <= month <= 12 else match[0]


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
    if match[3]:
        hour = hour % 12 + (12 if match[3] == "p" else 0)
    return f" {hour:02d}:{minute:02d} "


def _money(match: re.Match[str]) -> str:
    scale = {"m": 1e6, **_SHORT_SCALES}.get(match[3] or "", 1.0)
    return f" {_digits(float(match[2]) * scale)} {_CURRENCIES[match[1]]} "


def _digits(value: float) -> str:
    """Plain digits, never an exponent, no zeros after the point."""
    if value >= 1e15:  # longer than any figure of a text: past this a float's digits are noise
        return "999999999999999"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _word(text: str) -> Word:
    bare = text.rstrip("%")
    if bare[0].isdecimal() and ":" not in bare:
        value = float(bare)
        return Word(_digits(value) + text[len(bare) :], value)
    return Word(text)


def _join_spelled(read: list[Word]) -> list[Word]:
    """Runs of number words as one number; a lone "one" stays the word that it mostly is."""
    joined: list[Word] = []
    at = 0
    while at < len(read):
        end, value = _read_number_words(read, at)
        if end == at or (end == at + 1 and read[at].text == "one"):
            joined.append(read[at])
            at += 1
            continue
        percent = end < len(read) and read[end].text in ("percent", "pct")
        per_cent = [word.text for word in read[end : end + 2]] == ["per", "cent"]
        joined.append(Word(_digits(value) + ("%" if percent or per_cent else ""), value, spelled=True))
        at = end + percent + 2 * per_cent
    return joined


def _read_number_words(read: list[Word], at: int) -> tuple[int, float]:
    """Where a run of number words ends that begins here, and its value. `(at, 0)` if no number word is here.

    one hundred and twenty-five thousand: 1 → ×100 → +20 → +5 = 125, × 1000 closes the group.
    """
    total, group, end = 0.0, 0.0, at
    # The value of the last word: a smaller one may follow ("twenty five"), another starts a new number.
    last = 0.0
    while end < len(read):
        text = read[end].text
        if text in _SPELLED:
            value = _SPELLED[text]
            if end > at and (0 < last < 20 or (last < 100 and value >= 10)):
                break
            group += value
            last = value or 1
            end += 1
        elif text in _SCALES and end > at:
            if text == "hundred":
                group *= 100
            else:
                total, group = total + group * _SCALES[text], 0.0
            last = _SCALES[text]
            end += 1
        elif text == "and" and last >= 100 and end + 1 < len(read) and read[end + 1].text in _SPELLED:
            end += 1
        elif text == "dozen" and end > at:
            return end + 1, (total + group) * 12
        else:
            break
    return end, total + group


def _figure(read: list[Word], at: int, word: Word) -> Figure | None:
    before = read[at - 1].text if at else ""
    after = read[at + 1].text if at + 1 < len(read) else ""
    if re.fullmatch(r"\d\d:\d\d", word.text):
        return Figure("time", int(word.text[:2]) * 60 + int(word.text[3:]), word.text)
    if word.value is None or (word.spelled and word.value <= _GRAMMATICAL and not word.text.endswith("%")):
        return None
    if after in MONTHS and word.value.is_integer() and 1 <= word.value <= 31 and not word.text.endswith("%"):
        return Figure("date", (MONTHS.index(after) + 1) * 100 + word.value, f"{word.text} {after}")
    kind: Literal["number", "percent"] = "percent" if word.text.endswith("%") else "number"
    return Figure(kind, word.value, word.text, hedged=before in _HEDGES)


def _explains(known: Figure, figure: Figure) -> bool:
    if figure.kind in ("date", "time"):
        return (known.kind, known.value) == (figure.kind, figure.value)
    if known.kind not in ("number", "percent") or (figure.kind == "percent" and known.kind != "percent"):
        # A plain number may repeat a percentage ("rose by 6, not 4, per cent") or a date's day ("the 14th").
        return known.kind == "date" and figure.kind == "number" and known.value % 100 == figure.value
    if abs(known.value - figure.value) < 1e-6:
        return True
    if _is_year(known.value) or _is_year(figure.value):
        return False
    if figure.hedged and abs(known.value - figure.value) <= _HEDGED_TOLERANCE * known.value:
        return True
    return known.value >= 10 and figure.value in _roundings(known.value)


@lru_cache(maxsize=4096)
def _roundings(value: float) -> frozenset[float]:
    """A source's figure with fewer digits; kept, because an answer may state thousands of figures."""
    return frozenset(float(f"{value:.{kept}g}") for kept in range(_KEPT_DIGITS, 7))


def _is_year(value: float) -> bool:
    return value.is_integer() and 1900 <= value <= 2099
