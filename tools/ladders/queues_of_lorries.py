"""The extraction ladder about six queues of lorries before the weighbridge of a depot.

Each upper rung has a lane of its own; `STEPS` says how often its queue changes. Changes go by place, or by what is true of the
queue at that moment, so none can be skipped.
"""

from __future__ import annotations

from random import Random

from registers import IN_HEAD, LOOKED_UP, OTHER_COLUMN, TWO_STEPS, cells, column, listed, whole
from writing import Asked, interleaved, walked

FIRST = 7
STEPS = (1, 3, 8, 9, 11, 13)  # changes in the lanes of rungs 7 to 12
LANES = "ABCDEF"
PLACES = ("first", "second", "third", "fourth", "last")
DRIVERS = (
    "Keller Kohl Haller Binder Lang", "Koller Held Hahn Bender Lenz", "Kahl Heller Beck Linde Renner",
    "Kolb Hanke Becker Linder Reiner", "Kuhn Hauck Bauer Lander Rohde", "Kuntz Haupt Brauer Lender Rode",
)  # fmt: skip
GOODS = {"sand": 14, "clay": 41, "bark": 24, "glass": 42, "scrap": 19}  # and the price of a ton


def _change(rng: Random, lane: list[str], plate: dict[str, int]) -> str:
    """One change of a queue, made, and told in words."""
    one, two = sorted(rng.sample(range(len(lane)), 2))
    match rng.choice(("swap", "swap", "back", "front", "pulled", "passed", "high", "low", "reversed")):
        case "swap":
            lane[one], lane[two] = lane[two], lane[one]
            return f"{PLACES[one]} and {PLACES[two]} change places"
        case "back":
            lane.append(lane.pop(0))
            return "the first goes to the back"
        case "front":
            lane.insert(0, lane.pop())
            return "the last comes to the front"
        case "pulled":
            lane.insert(0, lane.pop(two))
            return f"the {PLACES[two]} comes to the front"
        case "passed":
            lane.insert(two, lane.pop(one))
            return f"the {PLACES[one]} lets {two - one} pass"
        case "high":
            lane.append(lane.pop(lane.index(max(lane, key=lambda name: plate[name]))))
            return "the highest plate goes to the back"
        case "low":
            lane.insert(0, lane.pop(lane.index(min(lane, key=lambda name: plate[name]))))
            return "the lowest plate comes to the front"
        case _:
            lane.reverse()
            return "the queue turns round"


def _queue(
    rng: Random, names: list[str], plate: dict[str, int], steps: int
) -> tuple[list[str], list[str], list[str]]:
    while True:
        start = rng.sample(names, len(names))
        changes, lane = walked(start, steps, lambda queue: _change(rng, queue, plate))
        if steps < 3 or not any(a == b for a, b in zip(start, lane, strict=True)):
            return start, changes, lane


def depot(rng: Random) -> tuple[str, list[Asked]]:
    names = [name for group in DRIVERS for name in group.split()]
    plate = dict(zip(names, rng.sample([n for n in range(213, 988) if n % 10], len(names)), strict=True))
    goods = {name: rng.choice(list(GOODS)) for name in names}
    made = [_queue(rng, group.split(), plate, steps) for group, steps in zip(DRIVERS, STEPS, strict=True)]
    drawn = rng.sample(names, 28)
    late, plain, seen, priced, found = drawn[:6], drawn[6:12], drawn[12:20], drawn[20:24], drawn[24:]
    now = goods | {name: rng.choice([one for one in GOODS if one != goods[name]]) for name in late}
    corrections = [f"{name} carries {now[name]}, not {goods[name]}" for name in late]
    changes = [[f"lane {LANES[at]}: {one}" for one in changes] for at, (_, changes, _) in enumerate(made)]
    lines = [
        f"{number}. {one}" for number, one in enumerate(interleaved(rng, [*changes, corrections]), start=1)
    ]
    head, put_right = _depot_head()
    asked = [
        *head,
        *cells(LOOKED_UP, "plate", "number", {name: plate[name] for name in seen}),
        *column(rng, OTHER_COLUMN, "goods", "text", {name: now[name] for name in (*plain, *late)}, late),
        *cells(TWO_STEPS, "price", "number", {name: GOODS[goods[name]] for name in priced}),
        *cells(TWO_STEPS, "driver", "text", {plate[name]: name for name in found}),
        *put_right,
        *(
            Asked(FIRST + at, f"{LANES[at].lower()}{place}", "text", name)
            for at, (_, _, lane) in enumerate(made)
            for place, name in enumerate(lane, start=1)
        ),
    ]
    prompt = DEPOT_PROMPT.format(
        fields=listed(asked),
        whole=whole(asked),
        keys=", ".join(f'"{lane.lower()}1" to "{lane.lower()}{len(PLACES)}"' for lane in LANES),
        prices=", ".join(f"{name} {price}" for name, price in GOODS.items()),
        lanes="\n".join(
            f"  lane {LANES[at]}: " + ", ".join(f"{name} {plate[name]} {goods[name]}" for name in start)
            for at, (start, _, _) in enumerate(made)
        ),
        log="\n".join(lines),
    )
    return prompt, asked


def _depot_head() -> tuple[list[Asked], list[Asked]]:
    text, number = "string", "number"
    return [
        Asked(1, "depot", "text", "Steinfurt West", text),
        Asked(1, "log_number", "exact", "WB-3096", text),
        Asked(1, "date", "date", "2025-04-24", "YYYY-MM-DD"),
        Asked(1, "operator", "text", "Jutta Klein", text),
        Asked(1, "deputy", "text", "Samir Haddad", text),
        Asked(1, "phone", "digits", "02551 555 08", "string, of the weighbridge"),
        Asked(1, "closed_gates", "set", [5, 6], "list of numbers", {"of": "number"}),
        Asked(1, "night_shift", "bool", False, "true or false"),
    ], [
        Asked(IN_HEAD, "opens", "time", "05:00", "HH:MM"),
        Asked(IN_HEAD, "closes", "time", "16:30", "HH:MM"),
        Asked(IN_HEAD, "fee", "number", 11.5, number),
        Asked(IN_HEAD, "next_calibration", "date", "2025-10-24", "YYYY-MM-DD"),
        Asked(IN_HEAD, "limit_tons", "number", 42, number),
        Asked(IN_HEAD, "lost_items", "text", None, text),
    ]  # fmt: skip


DEPOT_PROMPT = """\
The log of a weighbridge.

--- log ---
Log WB-3096, depot Steinfurt West, 24 April 2025. Operator: Jutta Klein, deputy Samir Haddad. Weighbridge 02551 555 08 (the
office, 02551 555 80, is not manned). Gates 1 to 4 are in use, 5 and 6 are closed. There is no night shift. Opens at six, in
the season an hour earlier: it is the season. Closes at 17:00, today half an hour before that. A weighing costs 10.00 euros,
since this month 1.50 more. Limit 40 t on the sign; the sign is old, the bridge bears 42. Calibrated today, the next time is
in six months. Prices of a ton: {prices}
{lanes}
{log}
--- end ---

Each line changes the queues as they are at that moment; a queue is listed from its front, with plate and goods. "The second
lets 2 pass" makes it the fourth. A queue that turns round has its order reversed.

Extract the data as it stands after the last line. Reply with one JSON object and nothing else, no working; null for anything
the log does not say. "plate_X" is the plate of X, "goods_X" what X carries, "price_X" the price of that, "driver_N" who has
plate N. The fields, in this order:
{fields}
- then one driver for each place after the last line ("b2" is the second of lane B): {keys}
{whole}
"""
