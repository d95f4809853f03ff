"""Claims: whether a text says something, in any of several wordings, says the opposite, or says it of somebody else.

A wording is a list of groups that must meet in one statement (a sentence or a line); a group is phrases parted by `|`, a
phrase is words side by side, a trailing `*` stands for any ending. Three things are watched beside the words:

- Negation. A negator shadows the few words after it in its clause, and what stands before it where nothing that was looked for
  follows ("a refund is not possible"). A wording with its value (the last group) in the shadow is denied, with another group
  there it is doubtful, and neither is said, unless the claim is itself `negative`; the wordings under `denied` count only in
  the shadow.
- Choice. A figure offered beside another with "or" is left open: an answer that lists every possibility says none.
- Whose it is. Where a claim has a `subject` and `rivals`, the value belongs to whom its own
  clause names, else to whoever is named as a topic before it; a rival alone there means the claim is misplaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from probatio.grade.figures import Word, pattern_words, word_set, words

State = Literal["said", "partly", "denied", "doubtful", "misplaced", "left open", "absent"]

_SHADOW = 7  # words after a negator that it can undo …
_SHORT_SHADOW = 2  # … after "without" and "rather than": in "six rather than eight electric buses" the buses are meant
_LISTED = 9  # a statement of this many words …
_SENTENCE = 0.1  # … with fewer function words than this share is a heap of keywords, which says nothing
_REACH = 25  # words between a value and the other groups of its wording: further apart, they belong to different things
_OR_REACH = 3  # words between a value and its alternative
_LONGEST = (
    120  # words and marks of a statement; a text without any end is cut into such pieces, so that time stays linear
)
_CARRY = 2  # statements back in which a subject may be named
_NEGATORS = word_set("not no never none nobody neither nor nothing without unable unlike")
_NEGATOR_PHRASES = (("instead", "of"), ("rather", "than"), ("far", "from"))
_HARMLESS_AFTER = word_set("only just merely until before delay doubt problem matter")
_BOUNDS = word_set("later more less fewer longer")  # "no later than 3 May" sets a limit and denies nothing
_AUXILIARIES = word_set("is are was were be been will would can could does do did has have had may might")
_MARKS = frozenset(",;:()!?.\n")
_BREAKS = _MARKS | {"but", "however", "although", "though", "while", "whereas", "yet"}
_CLAUSE_STARTS = _BREAKS | {"and", "which", "who", "that", "because", "as", "since", "so", "if", "or", "when"}
_SHADOW_ENDS = _CLAUSE_STARTS - {"or", "that"}
_PREPOSITIONS = word_set("for than of with in on to against versus vs by from at over above below between under")
_ARTICLES = word_set("the a an its their old new other both")

_FUNCTION_WORDS = (
    _AUXILIARIES
    | _PREPOSITIONS
    | _ARTICLES
    | _NEGATORS
    | word_set(
        "and or but that which who it they this these you your we as because only all when before after until also"
    )
)

Statement = tuple[Word, ...]


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that an answer has to say, or must not say."""

    id: str
    wordings: tuple[tuple[str, ...], ...] = ()
    denied: tuple[tuple[str, ...], ...] = ()  # wordings that say it where they are negated: "refund" in "no refund"
    partly: tuple[tuple[str, ...], ...] = ()  # wordings that say half of it
    subject: str = ""
    rivals: str = ""
    unless: str = ""  # phrases that make a statement speak of something else
    negative: bool = False  # the claim is itself a denial
    weight: float = 1.0


class Sighting(NamedTuple):
    """Where a claim was found, as the number of the statement and of the word in it."""

    state: State
    at: tuple[int, int] | None = None

    @property
    def credit(self) -> float:
        return {"said": 1.0, "partly": 0.5}.get(self.state, 0.0)


def statements(text: str, limit: int | None = None) -> list[Statement]:
    """Sentences and lines; only the first `limit` words are read where one is given."""
    read: list[Statement] = []
    current: list[Word] = []
    counted = 0
    for word in words(text):
        if word.text in (".", "!", "?", ";", "\n"):
            if current:
                read.append((*current, word) if word.text == "?" else tuple(current))
            current = []
            continue
        if word.text not in _MARKS:
            counted += 1
            if limit is not None and counted > limit:
                break
        current.append(word)
        if len(current) == _LONGEST:
            read.append(tuple(current))
            current = []
    if current:
        read.append(tuple(current))
    return read


def is_sentence(statement: Statement) -> bool:
    """Whether it is more than a heap of keywords."""
    plain = [word.text for word in statement if word.text not in _MARKS]
    return len(plain) < _LISTED or sum(text in _FUNCTION_WORDS for text in plain) / len(plain) >= _SENTENCE


def look(claim: Claim, read: Sequence[Statement]) -> Sighting:
    """What the text makes of the claim. Said in one place and wholly denied in another is denied: it can't be both."""
    full = _sightings(claim, claim.wordings, read) + _denials(claim, read)
    for state in ("denied", "said"):
        for sighting in full:
            if sighting.state == state:
                return sighting
    for sighting in _sightings(claim, claim.partly, read):
        if sighting.state == "said":
            return Sighting("partly", sighting.at)
    return full[0] if full else Sighting("absent")


def asserted(claim: Claim, read: Sequence[Statement]) -> bool:
    """Whether the text says it anywhere: what must not be said is not unsaid by denying it elsewhere."""
    found = _sightings(claim, claim.wordings, read) + _denials(claim, read)
    return any(sighting.state == "said" for sighting in found)


def mentions(phrases: str, read: Sequence[Statement]) -> list[str]:
    """Each place where one of the phrases stands, as the words that stand there."""
    return [
        " ".join(word.text for word in statement[at : at + length])
        for statement in read
        for at, length in _places(_group(phrases), statement)
    ]


def in_order(sightings: Iterable[Sighting]) -> float:
    """The share of neighbouring pairs that come in this order; a missing one is in no order."""
    places = [sighting.at for sighting in sightings]
    pairs = list(pairwise(places))
    if not pairs:
        return 1.0
    return sum(first is not None and then is not None and first < then for first, then in pairs) / len(pairs)


def _sightings(claim: Claim, wordings: Iterable[tuple[str, ...]], read: Sequence[Statement]) -> list[Sighting]:
    found = []
    for number, statement in enumerate(read):
        if claim.unless and _places(_group(claim.unless), statement):
            continue
        for wording in wordings:
            places = _meet(wording, statement)
            if all(places):
                state = _state(claim, read, number, places)
                found.append(Sighting(state, (number, min(at for at, _ in places[0]))))
    return found


def _meet(wording: tuple[str, ...], statement: Statement) -> list[list[tuple[int, int]]]:
    """Where each group of the wording stands within reach of its value."""
    places = [_places(_group(group), statement) for group in wording]
    values = [
        value for value in places[-1] if all(any(abs(at - value[0]) <= _REACH for at, _ in group) for group in places)
    ]
    near = [
        [place for place in group if any(abs(place[0] - at) <= _REACH for at, _ in values)] for group in places[:-1]
    ]
    return [*near, values]


def _denials(claim: Claim, read: Sequence[Statement]) -> list[Sighting]:
    found = []
    for number, statement in enumerate(read):
        for wording in claim.denied:
            places = _meet(wording, statement)
            if all(places):
                shadowed = _shadowed(statement, places)
                found += [Sighting("said", (number, at)) for group in places for at, _ in group if at in shadowed]
    return found


def _state(claim: Claim, read: Sequence[Statement], number: int, places: list[list[tuple[int, int]]]) -> State:
    statement = read[number]
    if not claim.negative:
        shadowed = _shadowed(statement, places)
        clear = [[place for place in group if place[0] not in shadowed] for group in places]
        if not all(clear):
            return "doubtful" if clear[-1] else "denied"
        places = clear
    if all(_left_open(statement, at) for at, _ in places[-1]):
        return "left open"
    if claim.subject and not any(_belongs(claim, read, number, at) for at, _ in places[-1]):
        return "misplaced"
    return "said"


def _shadowed(statement: Statement, places: list[list[tuple[int, int]]]) -> set[int]:
    texts = [word.text for word in statement]
    shadowed: set[int] = set()
    for at, length in _negators(texts):
        shadow = _SHADOW if length == 1 and texts[at] != "without" else _SHORT_SHADOW
        for reach in range(at + length, min(len(texts), at + length + shadow)):
            if texts[reach] in _SHADOW_ENDS:
                break
            shadowed.add(reach)
        if at and texts[at - 1] in _AUXILIARIES and not _claimed_after(texts, places, at):
            for back in range(at - 2, -1, -1):
                if texts[back] in _CLAUSE_STARTS:
                    break
                shadowed.add(back)
    return shadowed


def _negators(texts: list[str]) -> Iterable[tuple[int, int]]:
    for at, text in enumerate(texts):
        after, then = (*texts[at + 1 : at + 3], "", "")[:2]
        if text in _NEGATORS and after not in _HARMLESS_AFTER and not (after in _BOUNDS and then == "than"):
            yield at, 1
        elif tuple(texts[at : at + 2]) in _NEGATOR_PHRASES:
            yield at, 2


def _claimed_after(texts: list[str], places: list[list[tuple[int, int]]], negator: int) -> bool:
    """Whether a group of the wording stands after the negator in its clause: then it is that group which it undoes."""
    end = next((at for at in range(negator, len(texts)) if texts[at] in _BREAKS), len(texts))
    return any(negator < at < end for group in places for at, _ in group)


def _left_open(statement: Statement, at: int) -> bool:
    """Whether the figure here stands beside another one with an "or" between them."""
    if statement[at].value is None:
        return False
    ahead, behind = statement[at + 1 : at + 1 + _OR_REACH], statement[max(0, at - _OR_REACH) : at][::-1]
    for near, step in ((ahead, 1), (behind, -1)):
        for distance, word in enumerate(near, start=1):
            if word.text == "or":
                other = at + step * distance
                beyond = statement[other + 1 : other + 3] if step > 0 else statement[max(0, other - 2) : other]
                return any(alternative.value is not None for alternative in beyond)
    return False


def _belongs(claim: Claim, read: Sequence[Statement], number: int, anchor: int) -> bool:
    statement = read[number]
    named = _named(claim, statement)
    if any(word.text == "respectively" for word in statement):
        return any(ours for _, ours in named)  # which value is whose is then told by order alone, which is not read
    start, end = _clause(statement, anchor)
    if here := [(abs(at - anchor), at > anchor, ours) for at, ours in named if start <= at < end]:
        return min(here)[2]
    if start and statement[start - 1].text == "(":
        owner = [ours for at, ours in named if start - 4 <= at < start]
        if owner:
            return owner[-1]
    topics = [(number, at, ours) for at, ours in named if at < start and _is_topic(statement, at)]
    if topics:
        return topics[0][2] or topics[-1][2]
    for back in range(number - 1, max(-1, number - 1 - _CARRY), -1):
        earlier = _named(claim, read[back])
        if tops := [ours for at, ours in earlier if _is_topic(read[back], at)]:
            return tops[0] or tops[-1]
    return any(ours for _, ours in named)


def _named(claim: Claim, statement: Statement) -> list[tuple[int, bool]]:
    """Each mention of the subject (True) and of its rivals (False), in order."""
    ours = [(at, True) for at, _ in _places(_group(claim.subject), statement)]
    theirs = [(at, False) for at, _ in _places(_group(claim.rivals), statement)] if claim.rivals else []
    return sorted(ours + theirs)


def _clause(statement: Statement, at: int) -> tuple[int, int]:
    start = next((back + 1 for back in range(at - 1, -1, -1) if statement[back].text in _CLAUSE_STARTS), 0)
    end = next(
        (ahead for ahead in range(at, len(statement)) if statement[ahead].text in _CLAUSE_STARTS), len(statement)
    )
    return start, end


def _is_topic(statement: Statement, at: int) -> bool:
    """Named as what is talked about, and not in passing behind a preposition; one that opens the sentence makes a topic."""
    before = at - 1
    while before >= 0 and statement[before].text in _ARTICLES:
        before -= 1
    return before <= 0 or statement[before].text not in _PREPOSITIONS


@lru_cache(maxsize=4096)
def _group(phrases: str) -> tuple[tuple[str, ...], ...]:
    return tuple(
        phrase
        for written in phrases.split("|")
        if (phrase := tuple(word.text for word in pattern_words(written) if word.text not in _MARKS))
    )


def _places(group: tuple[tuple[str, ...], ...], statement: Statement) -> list[tuple[int, int]]:
    """Where the group's phrases stand: (first word, words)."""
    return [
        (at, len(phrase))
        for at, word in enumerate(statement)
        for phrase in group
        if _is(phrase[0], word.text) and (len(phrase) == 1 or _goes_on(phrase, statement, at))
    ]


def _goes_on(phrase: tuple[str, ...], statement: Statement, at: int) -> bool:
    return at + len(phrase) <= len(statement) and all(
        _is(phrase[step], statement[at + step].text) for step in range(1, len(phrase))
    )


def _is(wanted: str, text: str) -> bool:
    return text == wanted or (wanted[-1] == "*" and text.startswith(wanted[:-1]))
