"""Two extraction ladders about a book of amounts that later notes change: an order in a mail thread, the cupboards of a clinic.

Both are drawn alike, from a table each. Every upper rung has a group of three amounts of its own; `steps` says how many changes
one has to follow, in their order, to know an amount of that rung.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

from changing_amounts import Words, thread, told
from registers import IN_HEAD, LOOKED_UP, OTHER_COLUMN, TWO_STEPS, cells, column, listed, whole
from writing import Asked, quoted

FIRST = 7  # the first rung whose fields follow from changes
ASKED = 8  # fields of the first column
KEPT, LATE = 4, 3  # cells of every other column that stay as they are, and that are put right in the log


class Column(NamedTuple):
    """A column of the register: the key of its fields, its values, the line that puts a cell right; and the fields that take a
    second step from it, with the kind of their values."""

    key: str
    values: Sequence[Any]
    put_right: str
    further: str
    kind: str


class Book(NamedTuple):
    groups: Sequence[Sequence[str]]
    steps: Sequence[int]  # changes in the groups of rungs 7 to 12
    words: Words
    kinds: Sequence[str]
    first: str  # key of the first column's fields
    numbers: Column  # every row has one of its own; further: the row that has it
    people: Column  # further: what the table of people says of them
    table: dict[str, Any]
    shuffled: bool  # whether the rows are
    row: str
    entry: str  # of the table of people
    final: str
    head: list[Asked]
    put_right: list[Asked]
    prompt: str


def amounts(rng: Random, book: Book) -> tuple[str, list[Asked]]:
    drawn = thread(rng, book.groups, book.steps, book.kinds)
    rows = list(drawn.start.items())
    if book.shuffled:
        rng.shuffle(rows)
    names = [name for name, _ in rows]
    number = dict(zip(names, rng.sample(book.numbers.values, len(names)), strict=True))
    person = {name: rng.choice(book.people.values) for name in names}
    parts = rng.sample(names, 4 * LATE)
    new_number, new_person, reverse, led = (parts[at : at + LATE] for at in range(0, len(parts), LATE))
    number_now, person_now, corrections = dict(number), dict(person), []
    for name in new_number:
        number_now[name] = _turned(number[name], number_now.values())
        corrections.append(book.numbers.put_right.format(name=name, new=number_now[name], old=number[name]))
    for name in new_person:
        person_now[name] = rng.choice([one for one in book.people.values if one != person[name]])
        corrections.append(book.people.put_right.format(name=name, new=person_now[name], old=person[name]))
    rng.shuffle(corrections)
    lines = told(rng, drawn.notes, book.words, corrections)
    numbers = {
        name: number_now[name] for name in (*rng.sample(reverse + led + new_person, KEPT), *new_number)
    }
    people = {name: person_now[name] for name in (*rng.sample(reverse + led + new_number, KEPT), *new_person)}
    asked = [
        *book.head,
        *cells(LOOKED_UP, book.first, "number", dict(rng.sample(rows, ASKED))),
        *column(rng, OTHER_COLUMN, book.numbers.key, "number", numbers, new_number),
        *column(rng, OTHER_COLUMN, book.people.key, "text", people, new_person),
        *cells(
            TWO_STEPS, book.people.further, book.people.kind, {name: book.table[person[name]] for name in led}
        ),
        *cells(TWO_STEPS, book.numbers.further, book.numbers.kind, {number[name]: name for name in reverse}),
        *book.put_right,
        *(
            Asked(FIRST + at, book.final.format(name), "number", value)
            for at, final in enumerate(drawn.finals)
            for name, value in final.items()
        ),
    ]
    prompt = book.prompt.format(
        fields=listed(asked),
        whole=whole(asked),
        keys=quoted(one.key for one in asked if not one.form),
        table=", ".join(book.entry.format(name, value) for name, value in book.table.items()),
        rows="\n".join(
            book.row.format(name=name, first=first, number=number[name], person=person[name])
            for name, first in rows
        ),
        lines="\n".join(lines),
    )
    return prompt, asked


def _turned(number: int, taken: Iterable[int]) -> int:
    """The same digits the other way round, or the next free number."""
    value = int(str(number)[::-1])
    while value in set(taken) or value < 10:
        value += 1
    return value


ORDER_TEXT = """\
An order and the mails that changed it.

--- order ---
Order TM-40871 of 11 February 2025. Buyer: Tidemark Boatyard, Halvorsen Fittings is the seller. Questions: +47 555 20 143
(+47 555 20 134 is a fax). Copies go to Karl and Tove. No express. Freight is 640, the 820 on the web page is for express.
We agreed on 4 percent off, since January on 6. Payment within 30 days; no, the new terms say 21. Delivery on 4 March 2025
at half past nine; Tove: two days later, at half past two in the afternoon. Insured for 25,000; Karl had that raised by 3,500.
Brought by {table}.
{rows}
--- mails ---
{lines}
--- end ---

Each mail changes what stands at that moment. Halves are rounded down. A forgotten mail counts as never written, also for
all mails after it, unless it counts again. What stands in round brackets changes nothing.

Extract the data as it stands after the last mail. Reply with one JSON object and nothing else, no working; null for anything
the text does not say. "listed_X" is how many X are in the list, "bay_X" their bay, "town_X" where they come from, "brings_X"
who brings them, "article_N" what is in bay N in the list. The fields, in this order:
{fields}
- then one number for each article, how many there are after the last mail: {keys}
{whole}
"""
ORDER_HEAD = [
    Asked(1, "order_number", "exact", "TM-40871", "string"),
    Asked(1, "buyer", "text", "Tidemark Boatyard", "string"),
    Asked(1, "seller", "text", "Halvorsen Fittings", "string"),
    Asked(1, "order_date", "date", "2025-02-11", "YYYY-MM-DD"),
    Asked(1, "contact_phone", "digits", "+47 555 20 143", "string"),
    Asked(1, "copy_to", "set", ["Karl", "Tove"], "list of first names"),
    Asked(1, "express", "bool", False, "true or false"),
    Asked(1, "freight", "number", 640, "number"),
]  # fmt: skip
ORDER_PUT_RIGHT = [
    Asked(IN_HEAD, "delivery_date", "date", "2025-03-06", "YYYY-MM-DD"),
    Asked(IN_HEAD, "delivery_time", "time", "14:30", "HH:MM, 24 hours"),
    Asked(IN_HEAD, "discount_percent", "number", 6, "number"),
    Asked(IN_HEAD, "payment_days", "number", 21, "number"),
    Asked(IN_HEAD, "insured_value", "number", 28500, "number"),
    Asked(IN_HEAD, "customs_code", "exact", None, "string"),
]
TOWNS = {
    "Halden": "Osei",
    "Mandal": "Lunde",
    "Molde": "Olsen",
    "Mosvik": "Lund",
    "Harstad": "Moen",
}  # and who brings
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
ORDER = Book(
    groups=(
        ("hinges", "washers", "rivets"), ("clamps", "gaskets", "bolts"), ("springs", "pulleys", "cleats"),
        ("hooks", "dowels", "shackles"), ("anchors", "nozzles", "brackets"), ("latches", "bearings", "pins"),
    ),
    steps=(1, 3, 12, 14, 16, 18),
    words=ORDER_WORDS,
    kinds=("more", "fewer", "half", "as_many_more", "like", "swap", "larger_fewer", "larger_fewer", "smaller_double"),
    first="listed",
    numbers=Column("bay", [n for n in range(12, 99) if n % 11], "{name} are in bay {new}, not {old}", "article", "text"),
    people=Column("town", list(TOWNS), "{name} come from {new}, not {old}", "brings", "text"),
    table=TOWNS,
    shuffled=True,
    row="  {name}: {first}, bay {number}, {person}",
    entry="{1} from {0}",
    final="qty_{}",
    head=ORDER_HEAD,
    put_right=ORDER_PUT_RIGHT,
    prompt=ORDER_TEXT,
)  # fmt: skip

STOCK_TEXT = """\
The stock book of a clinic.

--- stock book ---
Book SB-2207 of ward 6 North, opened on 16 September 2024, for saline 0.9 %. The store is always locked. Pharmacist: Emil
Tanaka, pager 4417 (4471 is the porter's). Batch in use LQ-88213-K; LQ-88123-K went back. Keep below 30 degrees, crossed
out, above it: 25. Refill below 12 bags, from this book on below 15. Evening round at 21:15, half an hour later since June.
Next audit three weeks after the opening. Supplied by Corvanta until June, by Medira since.
Rooms: {table}
{rows}
--- entries ---
{lines}
--- end ---

Each entry changes what stands at that moment. A third and a half are rounded down, so a third of 20 is 6. "Filled up to"
moves as many bags as are missing, none if there are enough. A void entry counts as never written, also for all entries
after it, unless it is valid again. What stands in round brackets changes nothing.

Extract the data as it stands after the last entry. Reply with one JSON object and nothing else, no working; null for anything
the book does not say. "opened_X" is what cupboard X held at the opening, "key_X" its key, "nurse_X" who checks it, "room_X"
the room of that nurse, "cupboard_N" what key N opens in the list. The fields, in this order:
{fields}
- then one number for each cupboard, the bags in it after the last entry: {keys}
{whole}
"""
STOCK_HEAD = [
    Asked(1, "ward", "text", "6 North", "string", {"also": ["Ward 6 North"]}),
    Asked(1, "product", "text", "saline 0.9 %", "string", {"also": ["saline 0.9%", "saline"]}),
    Asked(1, "book_number", "exact", "SB-2207", "string"),
    Asked(1, "opened_on", "date", "2024-09-16", "YYYY-MM-DD"),
    Asked(1, "pharmacist", "text", "Emil Tanaka", "string"),
    Asked(1, "pager", "digits", "4417", "string, the pharmacist's"),
    Asked(1, "batch", "exact", "LQ-88213-K", "string, in use"),
    Asked(1, "locked", "bool", True, "true or false"),
]  # fmt: skip
STOCK_PUT_RIGHT = [
    Asked(IN_HEAD, "temperature_limit", "number", 25, "number"),
    Asked(IN_HEAD, "round_time", "time", "21:45", "HH:MM"),
    Asked(IN_HEAD, "next_audit", "date", "2024-10-07", "YYYY-MM-DD"),
    Asked(IN_HEAD, "minimum", "number", 15, "number"),
    Asked(IN_HEAD, "supplier", "text", "Medira", "string"),
    Asked(IN_HEAD, "auditor", "text", None, "string"),
]
NURSES = {"Lindh": 214, "Moreau": 241, "Linden": 124, "Moore": 142, "Weiss": 412}  # and their rooms
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
STOCK = Book(
    groups=[[f"{block}{number}" for number in (1, 2, 3)] for block in "ABCDEF"],
    steps=(1, 3, 11, 13, 15, 18),
    words=STOCK_WORDS,
    kinds=("more", "move", "fewer", "third", "share", "fill", "fuller_gives", "fuller_gives", "level"),
    first="opened",
    numbers=Column(
        "key",
        [n for n in range(112, 990) if n % 10],
        "{name} has key {new} now, not {old}",
        "cupboard",
        "exact",
    ),
    people=Column("nurse", list(NURSES), "{new} checks {name} now, not {old}", "room", "number"),
    table=NURSES,
    shuffled=False,
    row="  {name}: {first}, key {number}, {person}",
    entry="{0} {1}",
    final="{}",
    head=STOCK_HEAD,
    put_right=STOCK_PUT_RIGHT,
    prompt=STOCK_TEXT,
)

order, stock = partial(amounts, book=ORDER), partial(amounts, book=STOCK)
