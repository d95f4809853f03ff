"""Statements: a text cut into sentences and lines, and where the words of a phrase stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from probatio.builtin.daily.reading.figures import Word, pattern_words, word_set, words

MARKS = frozenset(",;:()!?.\n")
AUXILIARIES = word_set("is are was were be been will would can could does do did has have had may might")
PREPOSITIONS = word_set(
    "for than of with in on to against versus vs by from at over above below between under per"
)
ARTICLES = word_set("the a an its their old new other both")
NEGATORS = word_set("not no never none nobody neither nor nothing without unable unlike")

_LISTED = 9  # a statement of this many words …
_LISTED_LINE = 15  # (or this many, where it is a line "subject: value")
_SENTENCE = 0.1  # … with fewer function words than this share is a heap of keywords, which says nothing
_LONGEST = 120  # words and marks of a statement: a longer one is cut, so that the time stays linear

_FUNCTION_WORDS = word_set(
    "and or but that which who it they this these you your we as because only all when before after until "
    "also"
).union(AUXILIARIES, PREPOSITIONS, ARTICLES, NEGATORS)

Statement = tuple[Word, ...]
Phrase = tuple[str, ...]
Place = tuple[int, int]
"""Where a phrase stands in a statement: the number of its first word, and how many words it has."""


def statements(text: str, limit: int | None = None) -> list[Statement]:
    """Sentences and lines; only the first `limit` words are read where one is given."""
    complete: list[Statement] = []
    current: list[Word] = []
    counted = 0
    for word in words(text):
        if word.text in (".", "!", "?", ";", "\n"):
            if current:
                complete.append((*current, word) if word.text == "?" else tuple(current))
            current = []
            continue
        if word.text not in MARKS:
            counted += 1
            if limit is not None and counted > limit:
                break
        current.append(word)
        if len(current) == _LONGEST:
            complete.append(tuple(current))
            current = []
    if current:
        complete.append(tuple(current))
    return complete


def is_sentence(statement: Statement) -> bool:
    """Whether it is more than a heap of keywords; a short line of the form "subject: value" is."""
    plain = [word.text for word in statement if word.text not in MARKS]
    listed = _LISTED_LINE if any(word.text == ":" for word in statement[:-1]) else _LISTED
    return len(plain) < listed or sum(text in _FUNCTION_WORDS for text in plain) / len(plain) >= _SENTENCE


def mentions(phrases: str, passage: Sequence[Statement]) -> list[str]:
    """Each place where one of the phrases stands, as the words that stand there."""
    return [
        " ".join(word.text for word in statement[at : at + length])
        for statement in passage
        for at, length in places_of(phrases, statement)
    ]


def places_of(phrases: str, statement: Statement) -> list[Place]:
    """Where any of the phrases stands. They are separated by `|`; a trailing `*` stands for any ending."""
    whole, begun = first_words(phrases)
    return [
        place
        for at, word in enumerate(statement)
        if word.text in whole or word.text.startswith(begun)  # most words begin no phrase
        for place in phrases_at(phrases, statement, at)
    ]


def phrases_at(phrases: str, statement: Statement, at: int) -> Iterator[Place]:
    """The phrases that begin with this word."""
    for phrase in _phrases(phrases):
        if _fits(phrase[0], statement[at].text) and (len(phrase) == 1 or _goes_on(phrase, statement, at)):
            yield at, len(phrase)


@lru_cache(maxsize=4096)
def _phrases(listed: str) -> tuple[Phrase, ...]:
    return tuple(
        phrase
        for written in listed.split("|")
        if (phrase := tuple(word.text for word in pattern_words(written) if word.text not in MARKS))
    )


@lru_cache(maxsize=4096)
def first_words(listed: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """What the phrases begin with: words, and beginnings of words."""
    first = [phrase[0] for phrase in _phrases(listed)]
    return frozenset(first), tuple(word[:-1] for word in first if word[-1] == "*")


def _goes_on(phrase: Phrase, statement: Statement, at: int) -> bool:
    return at + len(phrase) <= len(statement) and all(
        _fits(phrase[step], statement[at + step].text) for step in range(1, len(phrase))
    )


def _fits(wanted: str, text: str) -> bool:
    return text == wanted or (wanted[-1] == "*" and text.startswith(wanted[:-1]))
