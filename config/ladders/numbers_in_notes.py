"""Two extraction ladders about amounts that later notes change: an order in a mail thread, the cupboards of a clinic.

Each rung has a group of amounts of its own. A change touches amounts of one group only, so the tables of steps say how many
changes one has to follow, in their order, to know an amount of that rung.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from writing import Asked, interleaved, quoted

FIRST = 5  # the first rung whose fields follow from changes; below it they stand in the text
LEAST, MOST = 2, 400  # an amount stays within

ORDER_STEPS = (1, 3, 5, 8, 12, 17, 23, 30)  # changes in the groups of rungs 5 to 12
STOCK_STEPS = (2, 4, 6, 9, 13, 18, 25, 33)
WITHDRAWN = 7  # one change in so many of a group takes back an earlier one; groups shorter than this have none

ARTICLES = (
    ("hinges", "washers", "rivets"), ("clamps", "gaskets", "bushings"), ("springs", "pulleys", "cleats"),
    ("dowels", "grommets", "shackles"), ("anchors", "couplings", "nozzles"), ("brackets", "spindles", "toggles"),
    ("latches", "flanges", "sprockets"), ("ferrules", "bearings", "turnbuckles"),
)  # fmt: skip
CUPBOARDS = (
    ("A1", "A2", "A3"), ("B1", "B2", "B3"), ("C1", "C2", "C3"), ("D1", "D2", "D3"),
    ("E1", "E2", "E3", "E4"), ("F1", "F2", "F3", "F4"), ("G1", "G2", "G3", "G4"), ("H1", "H2", "H3", "H4"),
)  # fmt: skip


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
        case "double":
            state[on] *= 2
        case "half":
            state[on] //= 2
        case "as_many_more":
            state[on] += state[other]
        case "like":
            state[on] = state[other] + amount
        case "swap":
            state[on], state[other] = state[other], state[on]
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


ORDER_KINDS = ("more", "more", "fewer", "fewer", "double", "half", "as_many_more", "like", "swap")
ORDER_WORDS = {
    "more": ("{on}: {n} more please", "we need {n} more {on}", "{on}, add {n}"),
    "fewer": ("{on}: {n} fewer", "take {n} {on} off", "{on} can lose {n}"),
    "double": ("double the {on}", "twice as many {on} as it stands"),
    "half": ("half of the {on} will do", "cut the {on} by half"),
    "as_many_more": ("{on}: add as many as we now have {other}",),
    "like": ("{on}: make it as many as {other} now, plus {n}",),
    "swap": ("I mixed up {on} and {other}, exchange their quantities",),
}
ASIDES = (
    *[""] * 9, " (Piet says {x}, he has no say)", " (the old list had {x})", " (not {x}, as somebody wrote)",
    " (they come in boxes of {x})", " (pallet {x}, by the way)",
)  # fmt: skip
WRITERS = ("Ines", "Karl", "Ines", "Tove", "Karl", "Ines")


def order(rng: Random) -> tuple[str, list[Asked]]:
    start, notes, finals = thread(rng, ARTICLES, ORDER_STEPS, ORDER_KINDS)
    lines = []
    for number, (note, back) in enumerate(notes, start=1):
        if note.change:
            text = rng.choice(ORDER_WORDS[note.change.kind]).format(
                on=note.change.on, other=note.change.other, n=note.change.amount
            )
        else:
            text = f"mail {back} counts again after all" if note.restores else f"please forget mail {back}"
        lines.append(
            f"[{number}] {WRITERS[number % len(WRITERS)]}: {text}{rng.choice(ASIDES).format(x=rng.randint(5, 95))}"
        )
    listed = list(start.items())
    rng.shuffle(listed)
    asked = [*_order_head(dict(listed)), *_finals(FIRST, finals, "qty_{}")]
    keys = [one.key for one in asked if one.rung >= FIRST]
    prompt = ORDER_PROMPT.format(
        fields="\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form),
        keys=quoted(keys),
        listed="\n".join(f"  {name:<12} {value}" for name, value in listed),
        mails="\n".join(lines),
    )
    return prompt, asked


def _finals(first: int, finals: list[dict[str, int]], key: str) -> list[Asked]:
    return [
        Asked(first + number, key.format(name), "number", value)
        for number, final in enumerate(finals)
        for name, value in final.items()
    ]


def _order_head(listed: dict[str, int]) -> list[Asked]:
    """What stands in the text as it is (rungs 1 and 2), is to be found in a list (3), or was put right once (4)."""
    text, number = "string", "number"
    names = list(listed)
    return [
        Asked(1, "order_number", "exact", "TM-40871", text),
        Asked(1, "buyer", "text", "Tidemark Boatyard", text),
        Asked(1, "seller", "text", "Halvorsen Fittings", text),
        Asked(1, "currency", "exact", "NOK", text),
        Asked(1, "order_date", "date", "2025-02-11", "string, YYYY-MM-DD"),
        Asked(1, "city", "text", "Bodø", "string, where to deliver", {"also": ["Bodo"]}),
        Asked(2, "contact_name", "text", "Ines Marchetti", "string, who answers questions"),
        Asked(2, "contact_phone", "digits", "+47 555 20 143", "string"),
        Asked(2, "postcode", "exact", "8006", "string"),
        Asked(2, "copy_to", "set", ["Karl", "Tove"], "list of strings, the first names of who gets a copy"),
        Asked(2, "express", "bool", False, "true or false"),
        Asked(2, "dock", "exact", "C4", text, {"also": ["dock C4"]}),
        Asked(3, f"first_{names[0]}", "number", listed[names[0]], f"number, the {names[0]} of the first list"),
        Asked(3, f"first_{names[9]}", "number", listed[names[9]], f"number, the {names[9]} of the first list"),
        Asked(3, f"first_{names[17]}", "number", listed[names[17]], f"number, the {names[17]} of the first list"),
        Asked(3, f"first_{names[23]}", "number", listed[names[23]], f"number, the {names[23]} of the first list"),
        Asked(3, "freight", "number", 640, number),
        Asked(3, "driver", "text", "Osei", "string, family name of who drives"),
        Asked(4, "delivery_date", "date", "2025-03-06", "string, YYYY-MM-DD, as it stands at the end of the head"),
        Asked(4, "delivery_time", "time", "14:30", "string, HH:MM in 24-hour form"),
        Asked(4, "discount_percent", "number", 6, number),
        Asked(4, "payment_days", "number", 21, number),
        Asked(4, "insured_value", "number", 28500, number),
        Asked(4, "customs_code", "exact", None, "string"),
    ]


ORDER_PROMPT = """\
Below is an order with the mails that changed it. Extract the data.

Reply with one JSON object and nothing else: no working, no explanation. It has exactly these fields, in this order:
{fields}
- and these numbers, the quantity of each article after the last mail: {keys}
Use null for anything the text does not say.

How to read the mails: they come in the order in which they were written, and each changes the quantities as they stand
at that moment. "Half" is rounded down. A mail to be forgotten counts as never written, also for all mails after it; if
it counts again later, it counts as if nobody had said to forget it. What stands there in round brackets changes nothing.

--- order ---
Order TM-40871, 11 February 2025, all amounts in NOK
Buyer: Tidemark Boatyard, Halvorsen Fittings is the seller
Deliver to: Tidemark, Sjøgata 21, 8006 Bodø, dock C4 (the yard office is at dock B2)
Questions to Ines Marchetti, +47 555 20 143 (the +47 555 20 100 of last year is a fax). Copies go to Karl and Tove.
No express this time, the normal boat will do. Freight is 640 flat, the 820 on the web page is for express. Osei drives,
Lunde loads.
We agreed on 4 percent off, and since the January price list on 6. Payment within 30 days; no, the new terms say 21.
Delivery on 4 March 2025 at half past nine. Correction by Tove: two days later, and at half past two in the afternoon instead.
Insured for 25,000; Karl had that raised by 3,500.
First list:
{listed}
--- mails ---
{mails}
--- end ---
"""

STOCK_KINDS = ("more", "move", "move", "fewer", "third", "share", "fill")
STOCK_WORDS = {
    "more": ("{on} receives {n}", "delivery, {n} into {on}"),
    "fewer": ("{n} used from {on}", "{on}: {n} given out"),
    "move": ("{n} from {on} to {other}", "{on} lends {n} to {other}"),
    "third": ("a third of {on} is past its date and thrown away",),
    "share": ("{on} gives half of what it has to {other}",),
    "fill": ("{other} is filled up to {n} from {on}",),
}
STOCK_ASIDES = ("", "", "", "", "", " (bed {x})", " (signed late)", " (asked for {x})", " (shelf {x})")
NURSES = ("Abara", "Lindh", "Moreau", "Tanaka", "Weiss")


def stock(rng: Random) -> tuple[str, list[Asked]]:
    start, notes, finals = thread(rng, CUPBOARDS, STOCK_STEPS, STOCK_KINDS)
    lines, hour = [], 6 * 60
    for number, (note, back) in enumerate(notes, start=1):
        hour += rng.randint(2, 9)
        if note.change:
            text = rng.choice(STOCK_WORDS[note.change.kind]).format(
                on=note.change.on, other=note.change.other, n=note.change.amount
            )
        else:
            text = f"entry {back} is valid after all" if note.restores else f"entry {back} is void"
        aside = rng.choice(STOCK_ASIDES).format(x=rng.randint(2, 40))
        lines.append(f"{number:03} {hour // 60:02}:{hour % 60:02} {rng.choice(NURSES)}: {text}{aside}")
    shelf = list(start.items())
    asked = [*_stock_head(start, lines[0].split()[2].rstrip(":")), *_finals(FIRST, finals, "{}")]
    keys = [one.key for one in asked if one.rung >= FIRST]
    prompt = STOCK_PROMPT.format(
        fields="\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form),
        keys=quoted(keys),
        listed="\n".join(
            "  " + ", ".join(f"{name} {value}" for name, value in shelf[at : at + 7]) for at in range(0, len(shelf), 7)
        ),
        entries="\n".join(lines),
    )
    return prompt, asked


def _stock_head(start: dict[str, int], first_writer: str) -> list[Asked]:
    text = "string"
    return [
        Asked(1, "ward", "text", "Ward 6 North", text),
        Asked(1, "product", "text", "saline 0.9 %", text, {"also": ["saline 0.9%", "saline"]}),
        Asked(1, "unit", "text", "bags of 500 ml", "string, what is counted, with its size",
              {"also": ["500 ml bags", "bag of 500 ml"]}),
        Asked(1, "book_number", "exact", "SB-2207", text),
        Asked(1, "opened_on", "date", "2024-09-16", "string, YYYY-MM-DD"),
        Asked(1, "head_nurse", "text", "Ruth Abara", text),
        Asked(2, "pharmacist", "text", "Emil Tanaka", text),
        Asked(2, "pager", "digits", "4417", "string, the pharmacist's"),
        Asked(2, "batch", "exact", "LQ-88213-K", "string, the batch in use"),
        Asked(2, "expires_on", "date", "2026-04-30", "string, YYYY-MM-DD, of the batch in use"),
        Asked(2, "keys_with", "set", ["Lindh", "Moreau"], "list of strings, who has a key"),
        Asked(2, "locked", "bool", True, "true or false, whether the store is kept locked"),
        Asked(3, "start_A1", "number", start["A1"], "number, A1 when the book was opened"),
        Asked(3, "start_D2", "number", start["D2"], "number, D2 when the book was opened"),
        Asked(3, "start_F4", "number", start["F4"], "number, F4 when the book was opened"),
        Asked(3, "start_H4", "number", start["H4"], "number, H4 when the book was opened"),
        Asked(3, "price", "number", 2.35, "number, euros for one bag"),
        Asked(3, "first_writer", "text", first_writer, "string, who wrote the first entry"),
        Asked(4, "temperature_limit", "number", 25, "number, degrees, as it stands"),
        Asked(4, "round_time", "time", "21:45", "string, HH:MM, of the evening round"),
        Asked(4, "next_audit", "date", "2024-10-07", "string, YYYY-MM-DD"),
        Asked(4, "minimum", "number", 15, "number of bags below which a cupboard is refilled"),
        Asked(4, "supplier", "text", "Medira", "string, who supplies now"),
        Asked(4, "auditor", "text", None, "string"),
    ]  # fmt: skip


STOCK_PROMPT = """\
Below is the stock book of a clinic. Extract the data.

Reply with one JSON object and nothing else: no working, no explanation. It has exactly these fields, in this order:
{fields}
- and these numbers, how many bags are in each cupboard after the last entry: {keys}
Use null for anything the book does not say.

How to read the entries: they are in order, and each changes what the cupboards hold at that moment. A third and a half
are rounded down, so of 20 bags a third is 6. "Filled up to" moves just as many bags as are missing, and none if there
are enough. An entry that is void counts as never written, also for all entries after it; if it is valid after all, it
counts as if nobody had made it void. What stands there in round brackets changes nothing.

--- stock book ---
Book SB-2207, opened 16 September 2024, Ward 6 North. Head nurse: Ruth Abara
Product: saline 0.9 %, counted in bags of 500 ml, 2.35 euros a bag (2.10 until last year)
Pharmacist on call is Emil Tanaka, pager 4417; the pager 4471 is the porter's. Batch in use LQ-88213-K, good until 30
April 2026; the older batch LQ-88123-K went back. Lindh and Moreau have keys, Weiss gave hers back. The store is always
locked.
Keep below 30 degrees, crossed out, above it: 25. Refill a cupboard below 12 bags, from this book on below 15.
Evening round at 21:15, half an hour later since the new shift plan. Next audit three weeks after the opening of this book.
Supplied by Corvanta until June, by Medira since.
Cupboards at the opening:
{listed}
--- entries ---
{entries}
--- end ---
"""
