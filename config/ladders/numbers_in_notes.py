"""Two extraction ladders about amounts that later notes change: an order in a mail thread, the cupboards of a clinic.

Each upper rung has a group of amounts of its own. A change touches amounts of one group only, so the tables of steps say how
many changes one has to follow, in their order, to know an amount of that rung.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

from registers import IN_HEAD, LOOKED_UP, OTHER_COLUMN, TWO_STEPS, cells, column, listed
from writing import Asked, interleaved, quoted

FIRST = 7  # the first rung whose fields follow from changes
LEAST, MOST = 2, 400  # an amount stays within

ORDER_STEPS = (1, 3, 12, 14, 16, 18)  # changes in the groups of rungs 7 to 12
STOCK_STEPS = (1, 3, 11, 13, 15, 18)
WITHDRAWN = 7  # one change in so many of a group takes back an earlier one; groups shorter than this have none

ARTICLES = (
    ("hinges", "washers", "rivets"), ("clamps", "gaskets", "bolts"), ("springs", "pulleys", "cleats"),
    ("hooks", "dowels", "shackles"), ("anchors", "nozzles", "brackets"), ("latches", "bearings", "pins"),
)  # fmt: skip
TOWNS = {"Halden": "Osei", "Mandal": "Lunde", "Molde": "Olsen", "Mosvik": "Lund", "Harstad": "Moen"}  # and who brings
CUPBOARDS = tuple(tuple(f"{block}{number}" for number in (1, 2, 3)) for block in "ABCDEF")
NURSES = {"Lindh": 214, "Moreau": 241, "Linden": 124, "Moore": 142, "Weiss": 412}  # and their rooms


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


def drawn(rng: Random, state: dict[str, int], kinds: tuple[str, ...]) -> Change:
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
    rng: Random, number: int, start: dict[str, int], steps: int, kinds: tuple[str, ...]
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


def thread(
    rng: Random, names: tuple[tuple[str, ...], ...], steps: tuple[int, ...], kinds: tuple[str, ...]
) -> tuple[dict[str, int], list[tuple[Note, int]], list[dict[str, int]]]:
    """First amounts, the notes in order with the number of the one they take back, and the final amounts by group."""
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
    return {name: value for start in starts for name, value in start.items()}, numbered, [final for _, final in made]


class Notes(NamedTuple):
    """A thread as it is told: first amounts, one text per line (corrections of the register among them), final amounts."""

    start: dict[str, int]
    lines: list[str]
    finals: list[dict[str, int]]


def told(
    rng: Random,
    thread: tuple[dict[str, int], list[tuple[Note, int]], list[dict[str, int]]],
    words: Words,
    corrections: list[str],
) -> Notes:
    """Every note in words. Corrections come in between; they have numbers too, so what is taken back is counted with them."""
    start, notes, finals = thread
    order = interleaved(rng, [list(range(1, len(notes) + 1)), [0] * len(corrections)])
    number_of = {place: number for number, place in enumerate(order, start=1) if place}
    lines, put_right = [], iter(corrections)
    for number, place in enumerate(order, start=1):
        if not place:
            text = next(put_right)
        else:
            note, back = notes[place - 1]
            if note.change:
                kind, on, other, amount = note.change
                text = rng.choice(words.of[kind]).format(on=on, other=other, n=amount)
            else:
                text = (words.restored if note.restores else words.withdrawn).format(number_of[back])
        lines.append(f"{number}. {text}{rng.choice(words.asides).format(x=rng.randint(5, 95))}")
    return Notes(start, lines, finals)


class Words(NamedTuple):
    of: dict[str, tuple[str, ...]]
    withdrawn: str
    restored: str
    asides: tuple[str, ...]


def _finals(finals: list[dict[str, int]], key: str) -> list[Asked]:
    return [
        Asked(FIRST + number, key.format(name), "number", value)
        for number, final in enumerate(finals)
        for name, value in final.items()
    ]


ORDER_KINDS = (
    "more",
    "fewer",
    "half",
    "as_many_more",
    "like",
    "swap",
    "larger_fewer",
    "larger_fewer",
    "smaller_double",
)
ORDER_WORDS = Words(
    {
        "more": ("{n} more {on}", "{on}: add {n}"),
        "fewer": ("{n} {on} fewer", "{on}: take {n} off"),
        "half": ("halve the {on}",),
        "as_many_more": ("{on}: add as many as we now have {other}",),
        "like": ("{on}: as many as {other} now, plus {n}",),
        "swap": ("exchange the quantities of {on} and {other}",),
        "larger_fewer": ("{on} or {other}, whichever is more: take {n} off",),
        "smaller_double": ("{on} or {other}, whichever is less: double it",),
    },
    "forget mail {}",
    "mail {} counts again",
    (*[""] * 9, " (Piet says {x})", " (not {x})", " (boxes of {x})"),
)


def order(rng: Random) -> tuple[str, list[Asked]]:
    thread_ = thread(rng, ARTICLES, ORDER_STEPS, ORDER_KINDS)
    start = list(thread_[0].items())
    rng.shuffle(start)
    names = [name for name, _ in start]
    bay = dict(zip(names, rng.sample([n for n in range(12, 99) if n % 11], len(names)), strict=True))
    town = {name: rng.choice(list(TOWNS)) for name in names}
    drawn_ = rng.sample(names, 12)
    moved, other_town, reverse, brought = drawn_[:3], drawn_[3:6], drawn_[6:9], drawn_[9:]
    corrections, bay_now, town_now = [], dict(bay), dict(town)
    for name in moved:
        bay_now[name] = _reversed(bay[name], bay_now.values())
        corrections.append(f"{name} are in bay {bay_now[name]}, not {bay[name]}")
    for name in other_town:
        town_now[name] = rng.choice([one for one in TOWNS if one != town[name]])
        corrections.append(f"{name} come from {town_now[name]}, not {town[name]}")
    rng.shuffle(corrections)
    notes = told(rng, thread_, ORDER_WORDS, corrections)
    bays = {name: bay_now[name] for name in (*rng.sample(reverse + brought + other_town, 4), *moved)}
    towns = {name: town_now[name] for name in (*rng.sample(reverse + brought + moved, 4), *other_town)}
    head, put_right = _order_head()
    asked = [
        *head,
        *cells(LOOKED_UP, "listed", "number", dict(rng.sample(start, 8))),
        *column(rng, OTHER_COLUMN, "bay", "number", bays, moved),
        *column(rng, OTHER_COLUMN, "town", "text", towns, other_town),
        *cells(TWO_STEPS, "brings", "text", {name: TOWNS[town[name]] for name in brought}),
        *cells(TWO_STEPS, "article", "text", {bay[name]: name for name in reverse}),
        *put_right,
        *_finals(notes.finals, "qty_{}"),
    ]
    prompt = ORDER_PROMPT.format(
        fields=listed(asked),
        keys=quoted(one.key for one in asked if not one.form),
        served=", ".join(f"{driver} from {town}" for town, driver in TOWNS.items()),
        listed="\n".join(f"  {name}: {value}, bay {bay[name]}, {town[name]}" for name, value in start),
        mails="\n".join(notes.lines),
    )
    return prompt, asked


def _reversed(number: int, taken: Iterable[int]) -> int:
    """The same digits the other way round, or the next free number."""
    value = int(str(number)[::-1])
    while value in set(taken) or value < 10:
        value += 1
    return value


def _order_head() -> tuple[list[Asked], list[Asked]]:
    """What stands in the text as it is, some of it beside a wrong one; and what was put right once."""
    text, number = "string", "number"
    return [
        Asked(1, "order_number", "exact", "TM-40871", text),
        Asked(1, "buyer", "text", "Tidemark Boatyard", text),
        Asked(1, "seller", "text", "Halvorsen Fittings", text),
        Asked(1, "order_date", "date", "2025-02-11", "YYYY-MM-DD"),
        Asked(1, "contact_phone", "digits", "+47 555 20 143", text),
        Asked(1, "copy_to", "set", ["Karl", "Tove"], "list of first names"),
        Asked(1, "express", "bool", False, "true or false"),
        Asked(1, "freight", "number", 640, number),
    ], [
        Asked(IN_HEAD, "delivery_date", "date", "2025-03-06", "YYYY-MM-DD"),
        Asked(IN_HEAD, "delivery_time", "time", "14:30", "HH:MM, 24 hours"),
        Asked(IN_HEAD, "discount_percent", "number", 6, number),
        Asked(IN_HEAD, "payment_days", "number", 21, number),
        Asked(IN_HEAD, "insured_value", "number", 28500, number),
        Asked(IN_HEAD, "customs_code", "exact", None, text),
    ]  # fmt: skip


ORDER_PROMPT = """\
An order and the mails that changed it.

--- order ---
Order TM-40871 of 11 February 2025. Buyer: Tidemark Boatyard, Halvorsen Fittings is the seller. Questions: +47 555 20 143
(+47 555 20 134 is a fax). Copies go to Karl and Tove. No express. Freight is 640, the 820 on the web page is for express.
We agreed on 4 percent off, since January on 6. Payment within 30 days; no, the new terms say 21. Delivery on 4 March 2025
at half past nine; Tove: two days later, at half past two in the afternoon. Insured for 25,000; Karl had that raised by 3,500.
Brought by {served}.
{listed}
--- mails ---
{mails}
--- end ---

Each mail changes what stands at that moment. Halves are rounded down. A forgotten mail counts as never written, also for
all mails after it, unless it counts again. What stands in round brackets changes nothing.

Extract the data as it stands after the last mail. Reply with one JSON object and nothing else, no working; null for anything
the text does not say. "listed_X" is how many X are in the list, "bay_X" their bay, "town_X" where they come from, "brings_X"
who brings them, "article_N" what is in bay N in the list. The fields, in this order:
{fields}
- then one number for each article, how many there are after the last mail: {keys}
"""

STOCK_KINDS = ("more", "move", "fewer", "third", "share", "fill", "fuller_gives", "fuller_gives", "level")
STOCK_WORDS = Words(
    {
        "more": ("{on} gets {n}", "{n} into {on}"),
        "fewer": ("{n} used from {on}", "{on}: {n} out"),
        "move": ("{n} from {on} to {other}",),
        "third": ("a third of {on} thrown away",),
        "share": ("half of {on} to {other}",),
        "fill": ("{other} filled up to {n} from {on}",),
        "fuller_gives": ("the fuller of {on} and {other} gives {n} to the other",),
        "level": ("{on} and {other} made equal, an odd bag stays in {on}",),
    },
    "entry {} is void",
    "entry {} is valid again",
    (*[""] * 8, " (bed {x})", " (late)", " (asked for {x})"),
)


def stock(rng: Random) -> tuple[str, list[Asked]]:
    thread_ = thread(rng, CUPBOARDS, STOCK_STEPS, STOCK_KINDS)
    start = list(thread_[0].items())
    names = [name for name, _ in start]
    key = dict(zip(names, rng.sample([n for n in range(112, 990) if n % 10], len(names)), strict=True))
    nurse = {name: rng.choice(list(NURSES)) for name in names}
    drawn_ = rng.sample(names, 12)
    new_key, new_nurse, reverse, roomed = drawn_[:3], drawn_[3:6], drawn_[6:9], drawn_[9:]
    corrections, key_now, nurse_now = [], dict(key), dict(nurse)
    for name in new_key:
        key_now[name] = _reversed(key[name], key_now.values())
        corrections.append(f"{name} has key {key_now[name]} now, not {key[name]}")
    for name in new_nurse:
        nurse_now[name] = rng.choice([one for one in NURSES if one != nurse[name]])
        corrections.append(f"{nurse_now[name]} checks {name} now, not {nurse[name]}")
    rng.shuffle(corrections)
    notes = told(rng, thread_, STOCK_WORDS, corrections)
    keys = {name: key_now[name] for name in (*rng.sample(reverse + roomed + new_nurse, 4), *new_key)}
    nurses = {name: nurse_now[name] for name in (*rng.sample(reverse + roomed + new_key, 4), *new_nurse)}
    head, put_right = _stock_head()
    asked = [
        *head,
        *cells(LOOKED_UP, "opened", "number", dict(rng.sample(start, 8))),
        *column(rng, OTHER_COLUMN, "key", "number", keys, new_key),
        *column(rng, OTHER_COLUMN, "nurse", "text", nurses, new_nurse),
        *cells(TWO_STEPS, "room", "number", {name: NURSES[nurse[name]] for name in roomed}),
        *cells(TWO_STEPS, "cupboard", "exact", {key[name]: name for name in reverse}),
        *put_right,
        *_finals(notes.finals, "{}"),
    ]
    prompt = STOCK_PROMPT.format(
        fields=listed(asked),
        keys=quoted(one.key for one in asked if not one.form),
        rooms=", ".join(f"{name} {room}" for name, room in NURSES.items()),
        listed="\n".join(f"  {name}: {value}, key {key[name]}, {nurse[name]}" for name, value in start),
        entries="\n".join(notes.lines),
    )
    return prompt, asked


def _stock_head() -> tuple[list[Asked], list[Asked]]:
    text, number = "string", "number"
    return [
        Asked(1, "ward", "text", "6 North", text, {"also": ["Ward 6 North"]}),
        Asked(1, "product", "text", "saline 0.9 %", text, {"also": ["saline 0.9%", "saline"]}),
        Asked(1, "book_number", "exact", "SB-2207", text),
        Asked(1, "opened_on", "date", "2024-09-16", "YYYY-MM-DD"),
        Asked(1, "pharmacist", "text", "Emil Tanaka", text),
        Asked(1, "pager", "digits", "4417", "string, the pharmacist's"),
        Asked(1, "batch", "exact", "LQ-88213-K", "string, in use"),
        Asked(1, "locked", "bool", True, "true or false"),
    ], [
        Asked(IN_HEAD, "temperature_limit", "number", 25, number),
        Asked(IN_HEAD, "round_time", "time", "21:45", "HH:MM"),
        Asked(IN_HEAD, "next_audit", "date", "2024-10-07", "YYYY-MM-DD"),
        Asked(IN_HEAD, "minimum", "number", 15, number),
        Asked(IN_HEAD, "supplier", "text", "Medira", text),
        Asked(IN_HEAD, "auditor", "text", None, text),
    ]  # fmt: skip


STOCK_PROMPT = """\
The stock book of a clinic.

--- stock book ---
Book SB-2207 of ward 6 North, opened on 16 September 2024, for saline 0.9 %. The store is always locked. Pharmacist: Emil
Tanaka, pager 4417 (4471 is the porter's). Batch in use LQ-88213-K; LQ-88123-K went back. Keep below 30 degrees, crossed
out, above it: 25. Refill below 12 bags, from this book on below 15. Evening round at 21:15, half an hour later since June.
Next audit three weeks after the opening. Supplied by Corvanta until June, by Medira since.
Rooms: {rooms}
{listed}
--- entries ---
{entries}
--- end ---

Each entry changes what stands at that moment. A third and a half are rounded down, so a third of 20 is 6. "Filled up to"
moves as many bags as are missing, none if there are enough. A void entry counts as never written, also for all entries
after it, unless it is valid again. What stands in round brackets changes nothing.

Extract the data as it stands after the last entry. Reply with one JSON object and nothing else, no working; null for anything
the book does not say. "opened_X" is what cupboard X held at the opening, "key_X" its key, "nurse_X" who checks it, "room_X"
the room of that nurse, "cupboard_N" what key N opens in the list. The fields, in this order:
{fields}
- then one number for each cupboard, the bags in it after the last entry: {keys}
"""
