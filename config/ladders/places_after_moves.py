"""Two extraction ladders about who or what is where after many moves: the seats of a dinner, the stacks of a container yard.

Each rung has a table, or a block of the yard, of its own; the tables of steps say how many moves it sees. Moves go by place
("seats 2 and 7"), so none can be skipped.
"""

from __future__ import annotations

from random import Random

from writing import Asked, interleaved, quoted

FIRST = 5
SEATING_STEPS = (1, 2, 3, 5, 7, 10, 14, 20)  # moves at the tables of rungs 5 to 12
YARD_STEPS = (1, 2, 4, 6, 9, 13, 18, 25)
SEATS = 6
BOXES = 5

GUESTS = (
    "Ada Ben Cleo Dov Edna Finn", "Gus Hope Ivo June Kofi Lena", "Mira Nils Olga Paco Quinn Rosa",
    "Saul Tess Ugo Vera Wim Xenia", "Yara Zeno Amir Bela Cora Dario", "Elif Fritz Greta Hugo Inga Joel",
    "Kira Liam Maud Noor Otto Pia", "Rolf Suri Theo Ulla Vito Wanda",
)  # fmt: skip
TABLES = ("Oak", "Ash", "Elm", "Fir", "Yew", "Pine", "Beech", "Maple")
BLOCKS = "ABCDEFGH"


def _seat_move(rng: Random, seats: list[str]) -> str:
    """One move at a table, made, and told in words."""
    one, two = sorted(rng.sample(range(SEATS), 2))
    kind = rng.choice(("swap", "swap", "named", "up", "down", "jump"))
    match "swap" if kind == "jump" and two - one < 2 else kind:
        case "swap":
            seats[one], seats[two] = seats[two], seats[one]
            return rng.choice(("seats {} and {} change places", "whoever is in {} swaps with whoever is in {}")).format(
                one + 1, two + 1
            )
        case "named":
            name = seats[one]
            seats[one], seats[two] = seats[two], seats[one]
            return f"{name} swaps with whoever is in {two + 1}"
        case "up":
            seats.insert(0, seats.pop())
            return f"everybody moves up one seat, the one in {SEATS} goes to 1"
        case "down":
            seats.append(seats.pop(0))
            return f"everybody moves down one seat, the one in 1 goes to {SEATS}"
        case _:
            seats.insert(one, seats.pop(two))
            return f"the guest in {two + 1} takes seat {one + 1}, and those from {one + 1} to {two} each move up one"


def _seating_of(rng: Random, table: int, steps: int) -> tuple[list[str], list[str], list[str]]:
    while True:
        start = GUESTS[table].split()
        rng.shuffle(start)
        seats = list(start)
        moves = [_seat_move(rng, seats) for _ in range(steps)]
        if steps < 3 or not any(a == b for a, b in zip(start, seats, strict=True)):
            return start, moves, seats


REMARKS = (
    "",
    "",
    "",
    "",
    " (the aunt wanted it)",
    " (music too loud)",
    " (he asked for seat {x}, no)",
    " (draft from the door)",
)


def seating(rng: Random) -> tuple[str, list[Asked]]:
    made = [_seating_of(rng, table, steps) for table, steps in enumerate(SEATING_STEPS)]
    told = interleaved(
        rng, [[f"{TABLES[table]}: {move}" for move in moves] for table, (_, moves, _) in enumerate(made)]
    )
    lines = [
        f"{number}. {one}{rng.choice(REMARKS).format(x=rng.randint(1, SEATS))}"
        for number, one in enumerate(told, start=1)
    ]
    asked = [
        *_seating_head({TABLES[table]: start for table, (start, _, _) in enumerate(made)}),
        *(
            Asked(FIRST + table, f"{TABLES[table].lower()}_{seat}", "text", guest)
            for table, (_, _, seats) in enumerate(made)
            for seat, guest in enumerate(seats, start=1)
        ),
    ]
    prompt = SEATING_PROMPT.format(
        fields="\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form),
        keys=quoted(one.key for one in asked if one.rung >= FIRST),
        plan="\n".join(f"  {TABLES[table]}: {', '.join(start)}" for table, (start, _, _) in enumerate(made)),
        moves="\n".join(lines),
    )
    return prompt, asked


def _seating_head(plan: dict[str, list[str]]) -> list[Asked]:
    text, number = "string", "number"
    return [
        Asked(1, "event", "text", "Harvest Dinner", text),
        Asked(1, "house", "text", "Villa Romero", text),
        Asked(1, "host", "text", "Clara Romero", text),
        Asked(1, "date", "date", "2025-09-27", "string, YYYY-MM-DD"),
        Asked(1, "tables", "number", 8, number),
        Asked(1, "menu", "text", "pumpkin soup", "string, the first course"),
        Asked(2, "cook", "text", "Benoit", text),
        Asked(2, "band", "text", "The Low Tides", text, {"also": ["Low Tides"]}),
        Asked(2, "phone", "digits", "0555 310 77", "string, of the house"),
        Asked(2, "courses", "list", ["pumpkin soup", "trout", "plum tart"], "list of strings, in their order"),
        Asked(2, "photographer", "text", None, text),
        Asked(2, "dogs_allowed", "bool", False, "true or false"),
        Asked(3, "oak_1_first", "text", plan["Oak"][0], "string, who is in seat 1 of Oak in the first plan"),
        Asked(3, "elm_3_first", "text", plan["Elm"][2], "string, who is in seat 3 of Elm in the first plan"),
        Asked(3, "pine_5_first", "text", plan["Pine"][4], "string, who is in seat 5 of Pine in the first plan"),
        Asked(3, "maple_6_first", "text", plan["Maple"][5], "string, who is in seat 6 of Maple in the first plan"),
        Asked(3, "beech_2_first", "text", plan["Beech"][1], "string, who is in seat 2 of Beech in the first plan"),
        Asked(3, "parking", "text", "the mill", "string, where to park", {"also": ["mill", "at the mill"]}),
        Asked(4, "doors_open", "time", "18:15", "string, HH:MM in 24-hour form, as it stands"),
        Asked(4, "wine", "text", "Riesling", "string, as it stands"),
        Asked(4, "speaker", "text", "Noor", "string, who speaks, as it stands"),
        Asked(4, "price", "number", 54, "number, euros each, as it stands"),
        Asked(4, "answer_by", "date", "2025-09-10", "string, YYYY-MM-DD, as it stands"),
        Asked(4, "bus_leaves", "time", "23:50", "string, HH:MM in 24-hour form"),
    ]


SEATING_PROMPT = """\
Below are the papers of a dinner. Extract the data.

Reply with one JSON object and nothing else: no working, no explanation. It has exactly these fields, in this order:
{fields}
- and these strings, the first name of who sits in each seat after the last change (the key "oak_2" is seat 2 of table
  Oak): {keys}
Use null for anything the papers do not say.

How to read the changes: they were made in this order, and seat numbers are those of the moment. Each table has seats 1
to 6; the first plan names the guests from seat 1 on. To move up is to go to the next higher number. What stands there in round
brackets changes nothing.

--- papers ---
Harvest Dinner, 27 September 2025, at Villa Romero. Your host: Clara Romero. 8 tables of six.
Pumpkin soup first, then trout, and plum tart at the end. Benoit cooks, The Low Tides play (the Red Herons could not come).
Phone of the house 0555 310 77, not in the morning. Please leave your dogs at home. Park at the mill, never at the church.
Doors open at six in the evening; on the last card it says a quarter past six. 62 euros each, no, 54 since the Lindholms
lend us the chairs.
White wine: Silvaner was sold out, so it will be Riesling. Speech by Uncle Ugo. He has lost his voice, Noor takes it over.
Answers by 5 September, Clara then gave everybody five more days. The bus back leaves ten minutes before midnight.
First plan:
{plan}
--- changes ---
{moves}
--- end ---
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
        return f"the top two of {name[source]} in one lift onto {name[target]}"
    if kind == "even" and len(stacks[_largest(stacks)]) - len(stacks[_smallest(stacks)]) >= 2:
        stacks[_smallest(stacks)].append(stacks[_largest(stacks)].pop())
        return f"top of the highest stack of block {block} onto the lowest"
    if kind == "bottom" and len(stacks[source]) >= 2:
        stacks[source].reverse()
        return f"{name[source]} is turned over, top to ground"
    if kind == "swap" and stacks[target]:
        stacks[source][-1], stacks[target][-1] = stacks[target][-1], stacks[source][-1]
        return f"the tops of {name[source]} and {name[target]} are exchanged"
    stacks[target].append(stacks[source].pop())
    return f"top of {name[source]} onto {name[target]}"


def _block_of(
    rng: Random, block: str, boxes: list[str], steps: int
) -> tuple[list[list[str]], list[str], dict[str, str]]:
    while True:
        stacks = [boxes[:2], boxes[2:3], boxes[3:]]
        start = [list(stack) for stack in stacks]
        before = _where(block, start)
        moves = [_lift(rng, block, stacks) for _ in range(steps)]
        after = _where(block, stacks)
        if steps < 4 or sum(before[box] == after[box] for box in boxes) <= (steps < 8):
            return start, moves, after


def _where(block: str, stacks: list[list[str]]) -> dict[str, str]:
    return {
        box: f"{block}{stack}-{level}"
        for stack, boxes in enumerate(stacks, start=1)
        for level, box in enumerate(boxes, start=1)
    }


CRANES = ("crane 1", "crane 2", "Ortiz", "night shift", "crane 2")
HINDRANCES = ("", "", "", "", " (rain)", " (was planned for {b}2)", " (second try)", " (seal checked)")


def yard(rng: Random) -> tuple[str, list[Asked]]:
    marks = rng.sample([f"{a}{n}" for a in "KMTX" for n in range(11, 99)], BOXES * len(BLOCKS))
    tons = dict(zip(marks, (rng.randint(6, 31) for _ in marks), strict=True))
    made = [
        _block_of(rng, block, marks[at * BOXES : (at + 1) * BOXES], steps)
        for at, (block, steps) in enumerate(zip(BLOCKS, YARD_STEPS, strict=True))
    ]
    told = interleaved(rng, [moves for _, moves, _ in made])
    lines = [
        f"{number}. {rng.choice(CRANES)}: {one}{rng.choice(HINDRANCES).format(b=rng.choice(BLOCKS))}"
        for number, one in enumerate(told, start=1)
    ]
    asked = [
        *_yard_head(marks, tons),
        *(
            Asked(FIRST + at, box, "exact", after[box])
            for at, (_, _, after) in enumerate(made)
            for box in sorted(after)
        ),
    ]
    weighed = rng.sample(marks, len(marks))
    prompt = YARD_PROMPT.format(
        fields="\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form),
        keys=quoted(one.key for one in asked if one.rung >= FIRST),
        tons="\n".join(
            "  " + ", ".join(f"{box} {tons[box]} t" for box in weighed[at : at + 8]) for at in range(0, len(weighed), 8)
        ),
        stacks="\n".join(
            "  " + "; ".join(f"{BLOCKS[at]}{n}: {', '.join(boxes)}" for n, boxes in enumerate(start, start=1))
            for at, (start, _, _) in enumerate(made)
        ),
        moves="\n".join(lines),
    )
    return prompt, asked


def _yard_head(marks: list[str], tons: dict[str, int]) -> list[Asked]:
    text, number = "string", "number"
    rows = {"fields": {"name": {"as": "text"}, "role": {"as": "text"}}}
    crew = [
        {"name": "Ortiz", "role": "crane"},
        {"name": "Demir", "role": "lashing"},
        {"name": "Aalto", "role": "papers"},
    ]
    return [
        Asked(1, "ship", "text", "MV Callisto", text, {"also": ["Callisto"]}),
        Asked(1, "port", "text", "Koper", text),
        Asked(1, "berth", "exact", "7B", text, {"also": ["berth 7B"]}),
        Asked(1, "voyage", "exact", "CA-119W", text),
        Asked(1, "arrival", "date", "2025-05-19", "string, YYYY-MM-DD"),
        Asked(1, "agent", "text", "Luka Zorn", text),
        Asked(2, "agent_phone", "digits", "+386 5 555 071", "string"),
        Asked(2, "captain", "text", "Moira Keane", text, {"also": ["Captain Moira Keane"]}),
        Asked(2, "flag", "text", "Malta", text),
        Asked(2, "next_port", "text", "Bari", text),
        Asked(2, "dangerous_goods", "bool", True, "true or false"),
        Asked(2, "crew", "rows", crew, 'list of objects {"name": string, "role": one of "crane", "lashing", "papers"}', rows),
        *(Asked(3, f"tons_{marks[at]}", "number", tons[marks[at]], f"number, what {marks[at]} weighs")
          for at in (1, 12, 20, 33, 39)),
        Asked(3, "tug", "text", "Pelikan", "string, the name of the tug"),
        Asked(4, "departure", "object", None, 'object {"date": string YYYY-MM-DD, "time": string HH:MM}, as it stands',
              {"fields": {"date": {"as": "date", "value": "2025-05-22"}, "time": {"as": "time", "value": "04:40"}}}),
        Asked(4, "pilot", "text", "Horvat", "string, as it stands"),
        Asked(4, "dues", "number", 8150, "number, euros, as it stands"),
        Asked(4, "customs_seal", "exact", "SI-60418", "string, as it stands"),
        Asked(4, "draught", "number", 9.4, "number, metres, as it stands"),
        Asked(4, "stowaways", "number", None, number),
    ]  # fmt: skip


YARD_PROMPT = """\
Below are the papers of a ship and the crane book of the yard. Extract the data.

Reply with one JSON object and nothing else: no working, no explanation. It has exactly these fields, in this order:
{fields}
- and these strings, where each container stands after the last move, as stack and level, "B2-3" for the third from the
ground in   stack B2: {keys}
Use null for anything the papers do not say.

How to read the crane book: moves are made in this order. Each block has three stacks, for block A they are A1, A2 and
A3; stacks are listed from the ground up. Two in one lift keep their order. Of the stacks that are highest, and of those
that are lowest, the one with the smaller number is meant; an empty stack is the lowest. A stack turned over has its
order reversed. What stands there in round brackets changes nothing.

--- papers ---
MV Callisto, voyage CA-119W, arrived at Koper on 19 May 2025, berth 7B. Agent: Luka Zorn
Captain Moira Keane, flag of Malta (formerly Cyprus), bound for Bari; Ancona was cancelled. Call Luka at +386 5 555 071,
not the duty line +386 5 555 017. Ortiz runs the crane, Demir does the lashing, Aalto the papers. Tug: Pelikan. Two boxes
of dangerous goods on board.
Departure on 21 May at 23:10; put off to the day after at 04:40. Pilot Kovač fell ill, Horvat stands in. Dues 7,900
euros, with the night surcharge 8,150. Customs seal SI-60418 replaces the broken SI-60481. Draught 9.1 m on the form,
measured 9.4 m.
Weights:
{tons}
Stacks before the first move:
{stacks}
--- crane book ---
{moves}
--- end ---
"""
