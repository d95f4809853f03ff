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

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from probatio.builtin.daily.reading.passage import Passage, has_place
from probatio.builtin.daily.reading.statements import ARTICLES, PREPOSITIONS, Place, Statement

State = Literal["said", "partly", "denied", "doubtful", "misplaced", "left open", "absent"]

_REACH = 25  # words between a value and the other groups of its wording
_OR_REACH = 3  # words between a value and its alternative
_CARRY = 2  # statements back in which a subject may be named

Wording = tuple[str, ...]


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


def find_claim(claim: Claim, passage: Passage) -> Sighting:
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


def is_said(claim: Claim, passage: Passage) -> bool:
    """Whether the text says it anywhere, even if another sentence denies it."""
    sightings = _sightings(claim, claim.wordings, passage) + _denials(claim, passage)
    return any(sighting.state == "said" for sighting in sightings)


def in_order(sightings: Iterable[Sighting]) -> float:
    """The share of neighbouring pairs that come in this order; a missing one is in no order."""
    pairs = list(pairwise(sighting.at for sighting in sightings))
    if not pairs:
        return 1.0
    return sum(first is not None and then is not None and first < then for first, then in pairs) / len(pairs)


def _sightings(claim: Claim, wordings: Iterable[Wording], passage: Passage) -> list[Sighting]:
    """Where the wordings are met, in the order of the text. A wording is met where its value stands."""
    wordings = tuple(wordings)
    other = passage.find(claim.unless) if claim.unless else {}
    rests: dict[tuple[Wording, int], Wording] = {}  # many lines of a list go on from the same one
    sightings: list[Sighting] = []
    for number in sorted({number for wording in wordings for number in passage.find(wording[-1])}):
        if number in other:
            continue
        before = passage.goes_on_from[number]
        for wording in wordings:
            places = _meet(wording, passage, number)
            if not places and before is not None:
                if (rest := rests.get((wording, before))) is None:
                    rest = rests[wording, before] = _rest(wording, passage, before)
                places = _meet(rest, passage, number)
            if places:
                state = _state(claim, passage, number, places)
                sightings.append(Sighting(state, (number, places[0][0][0])))
    return sightings


def _rest(wording: Wording, passage: Passage, before: int) -> Wording:
    """The groups that must still be said: one may stand in the statement that this one goes on from."""
    named = [passage.find(group).get(before, []) for group in wording[:-1]]
    shadowed = passage.shadow(before, named)
    said = [at for at, places in enumerate(named) if not all(shadowed[place] for place, _ in places)]
    return tuple(group for at, group in enumerate(wording) if at not in said[:1])


def _meet(wording: Wording, passage: Passage, number: int) -> list[list[Place]]:
    """Where each group of the wording stands within reach of its value; nothing if one does not."""
    places = [passage.find(group).get(number, []) for group in wording]
    if not all(places):
        return []
    statement = passage[number]
    # The 20 of "20 May" is a day, and not the amount that the day costs.
    taken = {
        at + step for group in places[:-1] for at, length in group if length > 1 for step in range(length)
    }
    values = [
        value
        for value in places[-1]
        if (statement[value[0]].value is None or value[0] not in taken)
        and all(has_place(group, value[0] - _REACH, value[0] + _REACH) for group in places)
    ]
    near = [
        [place for place in group if has_place(values, place[0] - _REACH, place[0] + _REACH)]
        for group in places[:-1]
    ]
    met = [*near, values]
    return met if all(met) else []


def _denials(claim: Claim, passage: Passage) -> list[Sighting]:
    sightings: list[Sighting] = []
    for number in sorted({number for wording in claim.denied for number in passage.find(wording[-1])}):
        for wording in claim.denied:
            if places := _meet(wording, passage, number):
                shadowed = passage.shadow(number, places)
                sightings += [
                    Sighting("said", (number, at)) for group in places for at, _ in group if shadowed[at]
                ]
    return sightings


def _state(claim: Claim, passage: Passage, number: int, places: list[list[Place]]) -> State:
    statement = passage[number]
    if not claim.negative:
        shadowed = passage.shadow(number, places)
        # "We can" in "we can not" is no offer.
        refused = {at for at, _ in passage.outline(number).negators}
        clear = [
            [
                (at, words)
                for at, words in group
                if not shadowed[at] and (words == 1 or at + words not in refused)
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


def _belongs(claim: Claim, passage: Passage, number: int, anchor: int) -> bool:
    """Whether the value at `anchor` belongs to the claim's subject and not to a rival."""
    statement = passage[number]
    named = _find_names(claim, passage, number)
    if "respectively" in passage.outline(number).texts:
        # Only the order says which value is whose, and we do not read it.
        return any(ours for _, ours in named)
    start, end = passage.clause(number, anchor)
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
        earlier = _find_names(claim, passage, back)
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


def _find_names(claim: Claim, passage: Passage, number: int) -> list[tuple[int, bool]]:
    """Each mention of the subject (True) and of its rivals (False), in order."""
    ours = [(at, True) for at, _ in passage.find(claim.subject).get(number, [])]
    theirs = [(at, False) for at, _ in passage.find(claim.rivals).get(number, [])] if claim.rivals else []
    return sorted(ours + theirs)


def _is_topic(statement: Statement, at: int) -> bool:
    """Whether the name here is the topic: it opens the statement, or no preposition stands before it."""
    before = at - 1
    while before >= 0 and statement[before].text in ARTICLES:
        before -= 1
    return before <= 0 or statement[before].text not in PREPOSITIONS
