"""Two extraction ladders about who or what is where after many moves: the seats of a dinner, the stacks of a container yard.

Each upper rung has a table, or a block of the yard, of its own; the tables of steps say how many moves it sees. Moves go by place
("seats 2 and 7"), so none can be skipped.
"""

from __future__ import annotations

from random import Random

from registers import IN_HEAD, LOOKED_UP, OTHER_COLUMN, TWO_STEPS, cells, column, listed, whole
from writing import Asked, interleaved, quoted, walked

FIRST = 7
SEATING_STEPS = (1, 3, 7, 9, 12, 15)  # moves at the tables of rungs 7 to 12
YARD_STEPS = (1, 3, 10, 11, 13, 16)
SEATS = 6
BOXES = 5

GUESTS = (
    "Ada Ben Cleo Dov Edna Finn", "Gus Hope Ivo June Kofi Lena", "Mira Nils Olga Paco Quinn Rosa",
    "Saul Tess Ugo Vera Wim Xenia", "Yara Zeno Amir Bela Cora Dario", "Kira Liam Maud Noor Otto Pia",
)  # fmt: skip
TABLES = ("Oak", "Ash", "Elm", "Fir", "Yew", "Pine")
MEALS = {"trout": "Benoit", "duck": "Bennet", "lamb": "Bruno", "tofu": "Brunel"}  # and who cooks them
BLOCKS = "ABCDEF"
PORTS = {
    "Bari": "Russo",
    "Ancona": "Rossi",
    "Patras": "Rosso",
    "Izmir": "Demir",
    "Piran": "Demic",
}  # and the agents there


def _seat_move(rng: Random, seats: list[str]) -> str:
    """One move at a table, made, and told in words."""
    one, two = sorted(rng.sample(range(SEATS), 2))
    kind = rng.choice(("swap", "swap", "named", "up", "down", "jump"))
    match "swap" if kind == "jump" and two - one < 2 else kind:
        case "swap":
            seats[one], seats[two] = seats[two], seats[one]
            return f"seats {one + 1} and {two + 1} change places"
        case "named":
            name = seats[one]
            seats[one], seats[two] = seats[two], seats[one]
            return f"{name} swaps with seat {two + 1}"
        case "up":
            seats.insert(0, seats.pop())
            return f"all move up one, {SEATS} goes to 1"
        case "down":
            seats.append(seats.pop(0))
            return f"all move down one, 1 goes to {SEATS}"
        case _:
            seats.insert(one, seats.pop(two))
            return f"the guest in {two + 1} takes seat {one + 1}, those from {one + 1} to {two} move up one"


def _seating_of(rng: Random, table: int, steps: int) -> tuple[list[str], list[str], list[str]]:
    while True:
        start = GUESTS[table].split()
        rng.shuffle(start)
        moves, seats = walked(start, steps, lambda table: _seat_move(rng, table))
        if steps < 3 or not any(a == b for a, b in zip(start, seats, strict=True)):
            return start, moves, seats


REMARKS = (*[""] * 7, " (music too loud)", " (he asked for seat {x}, no)", " (draft)")


def seating(rng: Random) -> tuple[str, list[Asked]]:
    made = [_seating_of(rng, table, steps) for table, steps in enumerate(SEATING_STEPS)]
    guests = [guest for start, _, _ in made for guest in start]
    meal = {guest: rng.choice(list(MEALS)) for guest in guests}
    drawn = rng.sample(guests, 20)
    late, plain, cooked = drawn[:6], drawn[6:14], drawn[14:]
    now = meal | {guest: rng.choice([one for one in MEALS if one != meal[guest]]) for guest in late}
    corrections = [f"{guest} will have {now[guest]}, not {meal[guest]}" for guest in late]
    moves = [[f"{TABLES[table]}: {move}" for move in moves] for table, (_, moves, _) in enumerate(made)]
    lines = [
        f"{number}. {one}{rng.choice(REMARKS).format(x=rng.randint(1, SEATS))}"
        for number, one in enumerate(interleaved(rng, [*moves, corrections]), start=1)
    ]
    first = {
        f"{TABLES[table].lower()}_{seat}": guest
        for table, (start, _, _) in enumerate(made)
        for seat, guest in enumerate(start, start=1)
    }
    head, put_right = _seating_head()
    asked = [
        *head,
        *column(rng, LOOKED_UP, "meal", "text", {guest: now[guest] for guest in (*plain, *late)}, late),
        *cells(OTHER_COLUMN, "first", "text", dict(rng.sample(list(first.items()), 8))),
        *cells(TWO_STEPS, "cook", "text", {guest: MEALS[meal[guest]] for guest in cooked}),
        *put_right,
        *(
            Asked(FIRST + table, f"{TABLES[table].lower()}_{seat}", "text", guest)
            for table, (_, _, seats) in enumerate(made)
            for seat, guest in enumerate(seats, start=1)
        ),
    ]
    prompt = SEATING_PROMPT.format(
        fields=listed(asked),
        whole=whole(asked),
        keys=", ".join(f'"{table.lower()}_1" to "{table.lower()}_{SEATS}"' for table in TABLES),
        cooks=", ".join(f"{cook} cooks the {meal}" for meal, cook in MEALS.items()),
        plan="\n".join(
            f"  {TABLES[table]}: "
            + ", ".join(f"{seat} {guest} {meal[guest]}" for seat, guest in enumerate(start, start=1))
            for table, (start, _, _) in enumerate(made)
        ),
        moves="\n".join(lines),
    )
    return prompt, asked


def _seating_head() -> tuple[list[Asked], list[Asked]]:
    text, number = "string", "number"
    return [
        Asked(1, "event", "text", "Harvest Dinner", text),
        Asked(1, "house", "text", "Villa Romero", text),
        Asked(1, "host", "text", "Clara Romero", text),
        Asked(1, "date", "date", "2025-09-27", "YYYY-MM-DD"),
        Asked(1, "band", "text", "The Low Tides", text, {"also": ["Low Tides"]}),
        Asked(1, "phone", "digits", "0555 310 77", text),
        Asked(1, "dogs_allowed", "bool", False, "true or false"),
        Asked(1, "parking", "text", "the mill", "string, where", {"also": ["mill", "at the mill"]}),
    ], [
        Asked(IN_HEAD, "doors_open", "time", "18:15", "HH:MM, 24 hours"),
        Asked(IN_HEAD, "wine", "text", "Riesling", text),
        Asked(IN_HEAD, "speaker", "text", "Noor", text),
        Asked(IN_HEAD, "price", "number", 54, number),
        Asked(IN_HEAD, "answer_by", "date", "2025-09-10", "YYYY-MM-DD"),
        Asked(IN_HEAD, "photographer", "text", None, text),
    ]  # fmt: skip


SEATING_PROMPT = """\
The papers of a dinner.

--- papers ---
Harvest Dinner, 27 September 2025, at Villa Romero. Your host: Clara Romero. The Low Tides play (the Red Herons could not
come). Phone 0555 310 77. Please leave your dogs at home. Park at the mill, never at the church. Doors open at six in the
evening; on the last card it says a quarter past six. 62 euros each, no, 54 since we have the chairs. Silvaner was sold out,
so it will be Riesling. Speech by Ugo. He has lost his voice, Noor takes it over. Answers by 5 September, Clara then gave
everybody five more days. {cooks}.
{plan}
--- changes ---
{moves}
--- end ---

The changes were made in this order; seat numbers are those of the moment. Each table has seats 1 to 6. To move up is to go
to the next higher number. What stands in round brackets changes nothing.

Extract the data as it stands after the last change. Reply with one JSON object and nothing else, no working; null for
anything the papers do not say. "meal_X" is what X will eat, "cook_X" who cooks that, "first_oak_2" who was in seat 2 of Oak
in the plan. The fields, in this order:
{fields}
- then one first name for each seat, who is in it after the last change ("oak_2" is seat 2 of Oak): {keys}
{whole}
"""


def _largest(stacks: list[list[str]]) -> int:
    return max(range(len(stacks)), key=lambda at: (len(stacks[at]), -at))


def _smallest(stacks: list[list[str]]) -> int:
    return min(range(len(stacks)), key=lambda at: (len(stacks[at]), at))


def _lift(rng: Random, block: str, stacks: list[list[str]]) -> str:
    """One move of the crane in a block, made, and told in words."""
    full = [at for at, stack in enumerate(stacks) if stack]
    source = rng.choice(full)
    target = rng.choice([at for at in range(len(stacks)) if at != source])
    kind = rng.choice(("top", "top", "two", "even", "bottom", "swap"))
    name = [f"{block}{at + 1}" for at in range(len(stacks))]
    if kind == "two" and len(stacks[source]) >= 2:
        stacks[target] += stacks[source][-2:]
        del stacks[source][-2:]
        return f"the top two of {name[source]} onto {name[target]}"
    if kind == "even" and len(stacks[_largest(stacks)]) - len(stacks[_smallest(stacks)]) >= 2:
        stacks[_smallest(stacks)].append(stacks[_largest(stacks)].pop())
        return f"top of the highest of block {block} onto the lowest"
    if kind == "bottom" and len(stacks[source]) >= 2:
        stacks[source].reverse()
        return f"{name[source]} is turned over"
    if kind == "swap" and stacks[target]:
        stacks[source][-1], stacks[target][-1] = stacks[target][-1], stacks[source][-1]
        return f"tops of {name[source]} and {name[target]} exchanged"
    stacks[target].append(stacks[source].pop())
    return f"top of {name[source]} onto {name[target]}"


def _block_of(
    rng: Random, block: str, boxes: list[str], steps: int
) -> tuple[list[list[str]], list[str], dict[str, str]]:
    while True:
        start = [boxes[:2], boxes[2:3], boxes[3:]]
        before = _where(block, start)
        moves, stacks = walked(start, steps, lambda yard: _lift(rng, block, yard))
        after = _where(block, stacks)
        if steps < 4 or sum(before[box] == after[box] for box in boxes) <= (steps < 8):
            return start, moves, after


def _where(block: str, stacks: list[list[str]]) -> dict[str, str]:
    return {
        box: f"{block}{stack}-{level}"
        for stack, boxes in enumerate(stacks, start=1)
        for level, box in enumerate(boxes, start=1)
    }


HINDRANCES = (*[""] * 7, " (rain)", " (planned for {b}2)", " (second try)")


def yard(rng: Random) -> tuple[str, list[Asked]]:
    marks = rng.sample(
        [f"{a}{n}" for a in "KMTX" for n in range(12, 99) if n % 11 and n % 10], BOXES * len(BLOCKS)
    )
    tons = {mark: rng.choice([n for n in range(12, 32) if n not in (20, 22, 30)]) for mark in marks}
    port = {mark: rng.choice(list(PORTS)) for mark in marks}
    made = [
        _block_of(rng, block, marks[at * BOXES : (at + 1) * BOXES], steps)
        for at, (block, steps) in enumerate(zip(BLOCKS, YARD_STEPS, strict=True))
    ]
    drawn = rng.sample(marks, 26)
    heavier, other_port, weighed, bound, handled, placed = (
        drawn[:3], drawn[3:6], drawn[6:14], drawn[14:20], drawn[20:23], drawn[23:]
    )  # fmt: skip
    tons_now = tons | {mark: int(str(tons[mark])[::-1]) for mark in heavier}
    port_now = port | {mark: rng.choice([one for one in PORTS if one != port[mark]]) for mark in other_port}
    corrections = [f"{mark} weighs {tons_now[mark]} t, not {tons[mark]}" for mark in heavier]
    corrections += [f"{mark} goes to {port_now[mark]}, not {port[mark]}" for mark in other_port]
    rng.shuffle(corrections)
    lines = [
        f"{number}. {one}{rng.choice(HINDRANCES).format(b=rng.choice(BLOCKS))}"
        for number, one in enumerate(
            interleaved(rng, [*(moves for _, moves, _ in made), corrections]), start=1
        )
    ]
    before = {
        mark: place
        for at, (start, _, _) in enumerate(made)
        for mark, place in _where(BLOCKS[at], start).items()
    }
    head, put_right = _yard_head()
    asked = [
        *head,
        *column(
            rng, LOOKED_UP, "tons", "number", {mark: tons_now[mark] for mark in (*weighed, *heavier)}, heavier
        ),
        *column(
            rng,
            OTHER_COLUMN,
            "goes",
            "text",
            {mark: port_now[mark] for mark in (*bound, *other_port)},
            other_port,
        ),
        *cells(TWO_STEPS, "agent", "text", {mark: PORTS[port[mark]] for mark in handled}),
        *cells(TWO_STEPS, "first", "exact", {mark: before[mark] for mark in placed}),
        *put_right,
        *(
            Asked(FIRST + at, box, "exact", after[box])
            for at, (_, _, after) in enumerate(made)
            for box in sorted(after)
        ),
    ]
    prompt = YARD_PROMPT.format(
        fields=listed(asked),
        whole=whole(asked),
        keys=quoted(one.key for one in asked if not one.form),
        agents=", ".join(f"{agent} in {port}" for port, agent in PORTS.items()),
        stacks="\n".join(
            f"  {BLOCKS[at]}{n}: " + ", ".join(f"{box} {tons[box]} t {port[box]}" for box in boxes)
            for at, (start, _, _) in enumerate(made)
            for n, boxes in enumerate(start, start=1)
        ),
        moves="\n".join(lines),
    )
    return prompt, asked


def _yard_head() -> tuple[list[Asked], list[Asked]]:
    text, number = "string", "number"
    rows = {"fields": {"name": {"as": "text"}, "role": {"as": "text"}}}
    crew = [{"name": "Ortiz", "role": "crane"}, {"name": "Aalto", "role": "papers"}]
    return [
        Asked(1, "ship", "text", "MV Callisto", text, {"also": ["Callisto"]}),
        Asked(1, "port", "text", "Koper", text),
        Asked(1, "berth", "exact", "7B", text, {"also": ["berth 7B"]}),
        Asked(1, "voyage", "exact", "CA-119W", text),
        Asked(1, "arrival", "date", "2025-05-19", "YYYY-MM-DD"),
        Asked(1, "captain", "text", "Moira Keane", text, {"also": ["Captain Moira Keane"]}),
        Asked(1, "phone", "digits", "+386 5 555 071", text),
        Asked(1, "crew", "rows", crew, 'list of {"name": string, "role": "crane" or "papers"}', rows),
    ], [
        Asked(IN_HEAD, "departure", "object", None, '{"date": YYYY-MM-DD, "time": HH:MM}',
              {"fields": {"date": {"as": "date", "value": "2025-05-22"}, "time": {"as": "time", "value": "04:40"}}}),
        Asked(IN_HEAD, "pilot", "text", "Horvat", text),
        Asked(IN_HEAD, "dues", "number", 8150, number),
        Asked(IN_HEAD, "customs_seal", "exact", "SI-60418", text),
        Asked(IN_HEAD, "draught", "number", 9.4, number),
        Asked(IN_HEAD, "stowaways", "number", None, number),
    ]  # fmt: skip


YARD_PROMPT = """\
The papers of a ship and the crane book of a yard.

--- papers ---
MV Callisto, voyage CA-119W, arrived at Koper on 19 May 2025, berth 7B. Captain Moira Keane, phone +386 5 555 071
(+386 5 555 017 is the duty line). Ortiz runs the crane, Aalto does the papers. Departure on 21 May at 23:10; put off to the
day after at 04:40. Pilot Kovac fell ill, Horvat stands in. Dues 7,900 euros, with the night surcharge 8,150. Customs seal
SI-60418 replaces the broken SI-60481. Draught 9.1 m on the form, measured 9.4 m. Agents: {agents}.
{stacks}
--- crane book ---
{moves}
--- end ---

Moves are made in this order. Block A has the stacks A1, A2 and A3, and so on; stacks are listed from the ground up. The top
two keep their order. Of the highest stacks, and of the lowest, the one with the smaller number is meant; an empty stack
is the lowest. A stack turned over has its order reversed. What stands in round brackets changes nothing.

Extract the data as it stands after the last move. Reply with one JSON object and nothing else, no working; null for anything
the papers do not say. "tons_X" is what container X weighs, "goes_X" the port it goes to, "agent_X" the agent in that port,
"first_X" where it stood before the first move. A place is stack and level, "B2-3" the third from the ground in stack B2. The
fields, in this order:
{fields}
- then one place for each container, where it stands after the last move: {keys}
{whole}
"""
