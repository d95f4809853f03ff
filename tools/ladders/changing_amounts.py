"""Amounts that notes change one after the other, in groups: the chains of two extraction ladders.

A change touches amounts of one group only. Some notes take an earlier one back, or restore it. Many changes depend on what
stands at that moment, so none can be skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from writing import interleaved

LEAST, MOST = 2, 400  # an amount stays within
WITHDRAWN = (
    7  # one change in so many of a group takes back an earlier one; groups shorter than this have none
)


class Change(NamedTuple):
    kind: str
    on: str
    other: str = ""
    amount: int = 0


class Note(NamedTuple):
    """An entry: a change, or what takes back (or restores) the entry at place `back` of its group."""

    change: Change | None
    group: int
    back: int = -1
    restores: bool = False


class Refused(Exception):
    """The draw left the bounds; another one is made."""


def apply(state: dict[str, int], change: Change) -> None:
    kind, on, other, amount = change
    match kind:
        case "more":
            state[on] += amount
        case "fewer":
            state[on] -= amount
        case "half":
            state[on] //= 2
        case "as_many_more":
            state[on] += state[other]
        case "like":
            state[on] = state[other] + amount
        case "swap":
            state[on], state[other] = state[other], state[on]
        case "larger_fewer":
            state[_by(max, state, on, other)] -= amount
        case "smaller_double":
            state[_by(min, state, on, other)] *= 2
        case "fuller_gives":
            fuller, emptier = _by(max, state, on, other), _by(min, state, on, other)
            state[fuller] -= amount
            state[emptier] += amount
        case "level":
            both = state[on] + state[other]
            state[on], state[other] = both - both // 2, both // 2
        case "move":
            state[on] -= amount
            state[other] += amount
        case "third":
            state[on] -= state[on] // 3
        case "share":
            moved = state[on] // 2
            state[on] -= moved
            state[other] += moved
        case "fill":
            moved = max(0, amount - state[other])
            state[on] -= moved
            state[other] += moved
    if not all(LEAST <= value <= MOST for value in state.values()):
        raise Refused


def _by(extreme: Callable[..., str], state: dict[str, int], one: str, two: str) -> str:
    if state[one] == state[two]:
        raise Refused
    return extreme(one, two, key=state.__getitem__)


def drawn(rng: Random, state: dict[str, int], kinds: Sequence[str]) -> Change:
    """A change of one of the kinds that keeps the bounds, already applied."""
    for _ in range(200):
        on, other = rng.sample(list(state), 2)
        change = Change(rng.choice(kinds), on, other, rng.randint(2, 29))
        if change.kind == "fill" and not 4 <= change.amount - state[other] <= 60:
            change = change._replace(amount=state[other] + rng.randint(4, 30))
        after = dict(state)
        try:
            apply(after, change)
        except Refused:
            continue
        state.update(after)
        return change
    raise Refused


def group_notes(
    rng: Random, number: int, start: dict[str, int], steps: int, kinds: Sequence[str]
) -> tuple[list[Note], dict[str, int]]:
    """The notes of one group and its final amounts; drawn again until every amount keeps the bounds and has changed."""
    while True:
        state = dict(start)
        notes: list[Note] = []
        try:
            for step in range(steps):
                held = [at for at, note in enumerate(notes) if note.change and step - at > 2]
                if held and step % WITHDRAWN == WITHDRAWN - 1:
                    at = rng.choice(held)
                    notes.append(Note(None, number, at, at in _gone(notes)))
                    state = replayed(start, notes)
                else:
                    notes.append(Note(drawn(rng, state, kinds), number))
            final = replayed(start, notes)
        except Refused:
            continue
        if steps < 3 or all(final[name] != start[name] for name in start):
            return notes, final


def replayed(start: dict[str, int], notes: list[Note]) -> dict[str, int]:
    """The amounts when all notes are in: one that was taken back, and not restored later, counts as never written."""
    state, gone = dict(start), _gone(notes)
    for at, note in enumerate(notes):
        if note.change and at not in gone:
            apply(state, note.change)
    return state


def _gone(notes: list[Note]) -> set[int]:
    gone: set[int] = set()
    for note in notes:
        if note.change is None:
            (gone.discard if note.restores else gone.add)(note.back)
    return gone


class Thread(NamedTuple):
    start: dict[str, int]
    notes: list[tuple[Note, int]]  # in their order, each with the place of the one it takes back, from 1 on
    finals: list[dict[str, int]]  # by group


def thread(rng: Random, names: Sequence[Sequence[str]], steps: Sequence[int], kinds: Sequence[str]) -> Thread:
    starts = [{name: rng.randint(12, 90) for name in group} for group in names]
    made = [
        group_notes(rng, number, start, count, kinds)
        for number, (start, count) in enumerate(zip(starts, steps, strict=True))
    ]
    every = interleaved(rng, [notes for notes, _ in made])
    places: list[list[int]] = [[] for _ in names]
    numbered: list[tuple[Note, int]] = []
    for place, note in enumerate(every, start=1):
        places[note.group].append(place)
        numbered.append((note, places[note.group][note.back] if note.change is None else 0))
    whole = {name: value for start in starts for name, value in start.items()}
    return Thread(whole, numbered, [final for _, final in made])


class Words(NamedTuple):
    """How notes are told: kind of change → sentences; a note taken back, or restored; what may follow in brackets."""

    of: dict[str, tuple[str, ...]]
    withdrawn: str
    restored: str
    asides: tuple[str, ...]


def told(rng: Random, notes: list[tuple[Note, int]], words: Words, between: list[str]) -> list[str]:
    """Every note as a numbered line. The lines of `between` come in between, and have numbers too."""
    order = interleaved(rng, [list(range(1, len(notes) + 1)), [0] * len(between)])
    number_of = {place: number for number, place in enumerate(order, start=1) if place}
    lines, others = [], iter(between)
    for number, place in enumerate(order, start=1):
        if not place:
            text = next(others)
        else:
            note, back = notes[place - 1]
            if note.change:
                kind, on, other, amount = note.change
                text = rng.choice(words.of[kind]).format(on=on, other=other, n=amount)
            else:
                text = (words.restored if note.restores else words.withdrawn).format(number_of[back])
        lines.append(f"{number}. {text}{rng.choice(words.asides).format(x=rng.randint(5, 95))}")
    return lines
