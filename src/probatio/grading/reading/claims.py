"""Claims: whether a text says something in any of several wordings, denies it, or says it of someone else.

A wording is a list of groups that must meet in one statement (a sentence or a line). A group is phrases
separated by `|`, a phrase is words side by side, and a trailing `*` stands for any ending. The last group
holds the value: the word or figure that the claim is about. Four more things decide:

- Negation. A word like "not" shadows the few words after it in its clause. If no group of the wording stands
  after it, it shadows the words before it ("a refund is not possible"). A value in the shadow makes the claim
  denied, another group there makes it doubtful; both earn nothing. A claim that is itself `negative` is not
  affected. Wordings under `denied` count only in the shadow. What "can't be waived" is not denied.
- Going on. A statement that begins with "they" goes on about what the one before it names. The lines
  "subject: value" of a list go on about the line before the list ("We pay back:"). One group may stand there.
- Choice. A figure next to another one with "or" is left open: who lists all possibilities says none.
- Subject. If a claim has a `subject` and `rivals`, the value belongs to the one named in its clause, else to
  the last topic named before it. If that is a rival, the claim is misplaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from probatio.grading.reading.figures import word_set
from probatio.grading.reading.statements import (
    ARTICLES,
    AUXILIARIES,
    MARKS,
    NEGATORS,
    PREPOSITIONS,
    Place,
    Statement,
    places_of,
)

State = Literal["said", "partly", "denied", "doubtful", "misplaced", "left open", "absent"]

_SHADOW = 7  # words after a negator that it can negate …
_SHORT_SHADOW = 2  # … after "without" and "rather than": of "six rather than eight buses" buses are meant
_REACH = 25  # words between a value and the other groups of its wording
_OR_REACH = 3  # words between a value and its alternative
_CARRY = 2  # statements back in which a subject may be named
_NEGATOR_PHRASES = (("instead", "of"), ("rather", "than"), ("far", "from"))
_HARMLESS_AFTER = word_set("only just merely until before delay doubt problem matter")
_BOUNDS = word_set("later more less fewer longer")  # "no later than 3 May" sets a limit and denies nothing
# What can't be waived or lowered still stands: "the fee of 20 euros can't be waived".
_LEAVES_STANDING = tuple(word_set("waiv reduc lower avoid drop lift remov skip chang extend forgiv"))
_BEFORE_VERB = word_set("be been able to")
_PRONOUNS = word_set("they these those both")
_BREAKS = MARKS | {"but", "however", "although", "though", "while", "whereas", "yet"}
_CLAUSE_STARTS = _BREAKS | {"and", "which", "who", "that", "because", "as", "since", "so", "if", "or", "when"}
_SHADOW_ENDS = _CLAUSE_STARTS - {"or", "that"}


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that an answer has to say, or must not say."""

    id: str
    wordings: tuple[tuple[str, ...], ...] = ()
    denied: tuple[tuple[str, ...], ...] = ()  # that say it where they are negated: "refund" in "no refund"
    partly: tuple[tuple[str, ...], ...] = ()  # wordings that say half of it
    subject: str = ""
    rivals: str = ""
    unless: str = ""  # phrases that make a statement speak of something else
    negative: bool = False  # the claim is itself a denial
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case; 0 if it has none


class Sighting(NamedTuple):
    """Where a claim was found, as the number of the statement and of the word in it."""

    state: State
    at: tuple[int, int] | None = None

    @property
    def credit(self) -> float:
        return {"said": 1.0, "partly": 0.5}.get(self.state, 0.0)


def find_claim(claim: Claim, passage: Sequence[Statement]) -> Sighting:
    """Whether and where the text says the claim. Said in one place and denied in another counts as denied."""
    full = _sightings(claim, claim.wordings, passage) + _denials(claim, passage)
    for state in ("denied", "said"):
        for sighting in full:
            if sighting.state == state:
                return sighting
    for sighting in _sightings(claim, claim.partly, passage):
        if sighting.state == "said":
            return Sighting("partly", sighting.at)
    return full[0] if full else Sighting("absent")


def is_said(claim: Claim, passage: Sequence[Statement]) -> bool:
    """Whether the text says it anywhere, even if another sentence denies it."""
    sightings = _sightings(claim, claim.wordings, passage) + _denials(claim, passage)
    return any(sighting.state == "said" for sighting in sightings)


def in_order(sightings: Iterable[Sighting]) -> float:
    """The share of neighbouring pairs that come in this order; a missing one is in no order."""
    pairs = list(pairwise(sighting.at for sighting in sightings))
    if not pairs:
        return 1.0
    return sum(first is not None and then is not None and first < then for first, then in pairs) / len(pairs)


def _sightings(
    claim: Claim, wordings: Iterable[tuple[str, ...]], passage: Sequence[Statement]
) -> list[Sighting]:
    sightings: list[Sighting] = []
    for number, statement in enumerate(passage):
        if claim.unless and places_of(claim.unless, statement):
            continue
        for wording in wordings:
            places = _meet(wording, statement)
            if not all(places):
                places = _meet(_rest(wording, passage, number), statement)
            if all(places):
                state = _state(claim, passage, number, places)
                sightings.append(Sighting(state, (number, min(at for at, _ in places[0]))))
    return sightings


def _rest(wording: tuple[str, ...], passage: Sequence[Statement], number: int) -> tuple[str, ...]:
    """The groups that must be said here: one may stand in the statement that this one goes on from."""
    before = _goes_on_from(passage, number)
    if before is None:
        return wording
    named = [places_of(group, before) for group in wording[:-1]]
    shadowed = _find_shadow(before, named)
    said = [at for at, places in enumerate(named) if any(place not in shadowed for place, _ in places)]
    return tuple(group for at, group in enumerate(wording) if at not in said[:1])


def _goes_on_from(passage: Sequence[Statement], number: int) -> Statement | None:
    """The statement before one that begins with "they", or the line that leads in a list: "We pay back:"."""
    if number and passage[number][0].text in _PRONOUNS:
        return passage[number - 1]
    for back in range(number, -1, -1):
        texts = [word.text for word in passage[back]]
        if back < number and texts[-1] == ":":
            return passage[back]
        if ":" not in texts:
            return None
    return None


def _meet(wording: tuple[str, ...], statement: Statement) -> list[list[Place]]:
    """Where each group of the wording stands within reach of its value."""
    places = [places_of(group, statement) for group in wording]
    # The 20 of "20 May" is a day, and not the amount that the day costs.
    taken = {
        at + step for group in places[:-1] for at, length in group if length > 1 for step in range(length)
    }
    values = [
        value
        for value in places[-1]
        if (statement[value[0]].value is None or value[0] not in taken)
        and all(any(abs(at - value[0]) <= _REACH for at, _ in group) for group in places)
    ]
    near = [
        [place for place in group if any(abs(place[0] - at) <= _REACH for at, _ in values)]
        for group in places[:-1]
    ]
    return [*near, values]


def _denials(claim: Claim, passage: Sequence[Statement]) -> list[Sighting]:
    sightings: list[Sighting] = []
    for number, statement in enumerate(passage):
        for wording in claim.denied:
            places = _meet(wording, statement)
            if all(places):
                shadowed = _find_shadow(statement, places)
                sightings += [
                    Sighting("said", (number, at)) for group in places for at, _ in group if at in shadowed
                ]
    return sightings


def _state(claim: Claim, passage: Sequence[Statement], number: int, places: list[list[Place]]) -> State:
    statement = passage[number]
    if not claim.negative:
        shadowed = _find_shadow(statement, places)
        # "We can" in "we can not" is no offer.
        refused = {at for at, _ in _negators([word.text for word in statement])}
        clear = [
            [
                (at, words)
                for at, words in group
                if at not in shadowed and (words == 1 or at + words not in refused)
            ]
            for group in places
        ]
        if not all(clear):
            return "doubtful" if clear[-1] else "denied"
        places = clear
    if all(_is_left_open(statement, at) for at, _ in places[-1]):
        return "left open"
    if claim.subject and not any(_belongs(claim, passage, number, at) for at, _ in places[-1]):
        return "misplaced"
    return "said"


def _find_shadow(statement: Statement, places: list[list[Place]]) -> set[int]:
    """The numbers of the words that a negator negates."""
    texts = [word.text for word in statement]
    shadowed: set[int] = set()
    for at, length in _negators(texts):
        shadow = _SHADOW if length == 1 and texts[at] != "without" else _SHORT_SHADOW
        for reach in range(at + length, min(len(texts), at + length + shadow)):
            if texts[reach] in _SHADOW_ENDS:
                break
            shadowed.add(reach)
        if at and texts[at - 1] in AUXILIARIES and not _has_group_after(texts, places, at):
            for back in range(at - 2, -1, -1):
                if texts[back] in _CLAUSE_STARTS:
                    break
                shadowed.add(back)
        elif at and texts[at - 1] == ":" and not any(place > at for group in places for place, _ in group):
            shadowed.update(range(at))  # "12 November, two nights: not possible": the line's head
    return shadowed


def _negators(texts: list[str]) -> Iterable[tuple[int, int]]:
    for at, text in enumerate(texts):
        after, then = (*texts[at + 1 : at + 3], "", "")[:2]
        if text in NEGATORS and after not in _HARMLESS_AFTER and not (after in _BOUNDS and then == "than"):
            verb = next((word for word in texts[at + 1 : at + 4] if word not in _BEFORE_VERB), "")
            if not verb.startswith(_LEAVES_STANDING):
                yield at, 1
        elif tuple(texts[at : at + 2]) in _NEGATOR_PHRASES:
            yield at, 2


def _has_group_after(texts: list[str], places: list[list[Place]], negator: int) -> bool:
    """Whether a group of the wording stands after the negator in its clause: then it negates that group."""
    end = next((at for at in range(negator, len(texts)) if texts[at] in _BREAKS), len(texts))
    return any(negator < at < end for group in places for at, _ in group)


def _is_left_open(statement: Statement, at: int) -> bool:
    """Whether the figure here stands next to another one, with an "or" between them."""
    if statement[at].value is None:
        return False
    ahead, behind = statement[at + 1 : at + 1 + _OR_REACH], statement[max(0, at - _OR_REACH) : at][::-1]
    for near, step in ((ahead, 1), (behind, -1)):
        for distance, word in enumerate(near, start=1):
            if word.text == "or":
                other = at + step * distance
                beyond = (
                    statement[other + 1 : other + 3] if step > 0 else statement[max(0, other - 2) : other]
                )
                return any(alternative.value is not None for alternative in beyond)
    return False


def _belongs(claim: Claim, passage: Sequence[Statement], number: int, anchor: int) -> bool:
    """Whether the value at `anchor` belongs to the claim's subject and not to a rival."""
    statement = passage[number]
    named = _find_names(claim, statement)
    if any(word.text == "respectively" for word in statement):
        # Only the order says which value is whose, and we do not read it.
        return any(ours for _, ours in named)
    start, end = _clause(statement, anchor)
    if here := [(abs(at - anchor), at > anchor, ours) for at, ours in named if start <= at < end]:
        return min(here)[2]
    if start and statement[start - 1].text == "(":
        owner = [ours for at, ours in named if start - 4 <= at < start]
        if owner:
            return owner[-1]
    if (follows := _in_brackets_after(statement, end, named)) is not None:
        return follows
    topics = [(number, at, ours) for at, ours in named if at < start and _is_topic(statement, at)]
    if topics:
        return topics[0][2] or topics[-1][2]
    for back in range(number - 1, max(-1, number - 1 - _CARRY), -1):
        earlier = _find_names(claim, passage[back])
        if tops := [ours for at, ours in earlier if _is_topic(passage[back], at)]:
            return tops[0] or tops[-1]
    return any(ours for _, ours in named)


def _in_brackets_after(statement: Statement, end: int, named: list[tuple[int, bool]]) -> bool | None:
    """Whose the value is where nothing but a name follows it in brackets: "114 kg (furrows)"."""
    bracket = [word.text for word in statement[end : end + 5]]
    if bracket[:1] != ["("] or ")" not in bracket:
        return None
    close = end + bracket.index(")")
    if any(word.value is not None for word in statement[end:close]):
        return None
    return next((ours for at, ours in named if end < at < close), None)


def _find_names(claim: Claim, statement: Statement) -> list[tuple[int, bool]]:
    """Each mention of the subject (True) and of its rivals (False), in order."""
    ours = [(at, True) for at, _ in places_of(claim.subject, statement)]
    theirs = [(at, False) for at, _ in places_of(claim.rivals, statement)] if claim.rivals else []
    return sorted(ours + theirs)


def _clause(statement: Statement, at: int) -> tuple[int, int]:
    starts = [place for place, word in enumerate(statement) if word.text in _CLAUSE_STARTS]
    start = max((place + 1 for place in starts if place < at), default=0)
    return start, min((place for place in starts if place >= at), default=len(statement))


def _is_topic(statement: Statement, at: int) -> bool:
    """Whether the name here is the topic: it opens the statement, or no preposition stands before it."""
    before = at - 1
    while before >= 0 and statement[before].text in ARTICLES:
        before -= 1
    return before <= 0 or statement[before].text not in PREPOSITIONS
