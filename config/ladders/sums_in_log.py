"""The extraction ladder about sums and counts over a long log with exceptions: the weighbridge of a depot.

Each rung has a customer of its own; `LINES` says how many lines of the log are about it, corrections not counted. `LATER`
weighings of two of them stand at the end, so that they change nothing above.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from writing import Asked, interleaved, quoted

FIRST = 5
LINES = (2, 4, 5, 7, 10, 14, 19, 26)  # weighings of the customers of rungs 5 to 12
LATER = {4: 8, 5: 7}  # further weighings of the customers of rungs 9 and 10, after all others
RUSH = 15 * 60 + 42  # from then on the lorries come one after the other: the bridge closes at half past four
CORRECTED = 4  # one correction for so many weighings

CUSTOMERS = ("Arbor", "Bruma", "Corvex", "Delphin", "Eskola", "Fontane", "Gravita", "Hexagon")
GOODS = ("gravel", "sand", "bark", "scrap", "glass", "clay")


class Weighing(NamedTuple):
    customer: int
    way: str  # in, out
    kilograms: int
    mark: str  # "", test, twice


def _weighings(rng: Random, customer: int, count: int) -> list[Weighing]:
    ways = ["in", "out", *(rng.choice(("in", "in", "out")) for _ in range(count - 2))]
    rng.shuffle(ways)
    marks = ["", "", "", "", "test", "twice"] if count > 3 else [""]
    return [Weighing(customer, way, rng.randint(13, 98), rng.choice(marks)) for way in ways]


def depot(rng: Random) -> tuple[str, list[Asked]]:
    """Weighings shuffled into one log; corrections name the number of an earlier line and come some lines after it."""
    log: list[str] = []
    weighed: dict[int, Weighing] = {}
    pending = [0] * len(CUSTOMERS)
    gone: set[int] = set()
    clock = 5 * 60
    for one in interleaved(rng, [_weighings(rng, at, count) for at, count in enumerate(LINES)]):
        clock = _weigh(rng, log, weighed, one, clock)
        pending[one.customer] += 1
        if pending[one.customer] % CORRECTED == 0:
            clock = _correct(rng, log, weighed, gone, one.customer, clock)
    head = _depot_head(log)
    for one in interleaved(rng, [_weighings(rng, at, count) for at, count in LATER.items()]):
        clock = _weigh(rng, log, weighed, one, clock)
        pending[one.customer] += 1
        if pending[one.customer] % 2 == 0:
            clock = _correct(rng, log, weighed, gone, one.customer, clock)
    totals = {key: value for at in range(len(CUSTOMERS)) for key, value in _totals(at, weighed, gone).items()}
    sums = [Asked(FIRST + at, key, "number", totals[key]) for at in range(len(CUSTOMERS)) for key in _keys(at)]
    asked = [*head, *sums]
    prompt = DEPOT_PROMPT.format(
        fields="\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form),
        keys=quoted(one.key for one in asked if one.rung >= FIRST),
        log="\n".join(log),
    )
    return prompt, asked


def _stamp(rng: Random, log: list[str], clock: int) -> tuple[str, int]:
    clock += rng.randint(1, 2) if clock > RUSH else rng.randint(2, 11)
    return f"{len(log) + 1:03} {clock // 60:02}:{clock % 60:02}", clock


def _weigh(rng: Random, log: list[str], weighed: dict[int, Weighing], one: Weighing, clock: int) -> int:
    stamp, clock = _stamp(rng, log, clock)
    weighed[len(log) + 1] = one
    mark = {"": "", "test": " TEST", "twice": " x2"}[one.mark]
    gate, goods = rng.randint(1, 4), rng.choice(GOODS)
    log.append(f"{stamp} gate {gate} {CUSTOMERS[one.customer]} {goods} {one.way} {one.kilograms} kg{mark}")
    return clock


def _correct(
    rng: Random, log: list[str], weighed: dict[int, Weighing], gone: set[int], customer: int, clock: int
) -> int:
    stamp, clock = _stamp(rng, log, clock)
    lines = [line for line, one in weighed.items() if one.customer == customer]
    back = [line for line in lines if line in gone]
    line = rng.choice(lines)
    if back and rng.random() < 0.5:
        line = back[0]
        gone.discard(line)
        log.append(f"{stamp} line {line} was right after all, it stands")
    elif rng.random() < 0.5 and line not in gone:
        gone.add(line)
        log.append(f"{stamp} line {line} cancelled")
    else:
        kilograms = rng.randint(13, 98)
        weighed[line] = weighed[line]._replace(kilograms=kilograms)
        log.append(f"{stamp} line {line} weighed again: {kilograms} kg")
    return clock


def _keys(at: int) -> tuple[str, str, str]:
    name = CUSTOMERS[at].lower()
    return f"{name}_loads", f"{name}_in", f"{name}_out"


def _totals(at: int, weighed: dict[int, Weighing], gone: set[int]) -> dict[str, int]:
    loads, into, out = _keys(at)
    sums = {loads: 0, into: 0, out: 0}
    for line, one in weighed.items():
        if one.customer != at or line in gone or one.mark == "test":
            continue
        times = 2 if one.mark == "twice" else 1
        sums[loads] += times
        sums[into if one.way == "in" else out] += times * one.kilograms
    return sums


def _depot_head(log: list[str]) -> list[Asked]:
    text = "string"

    def told(line: int) -> list[str]:
        return log[line - 1].split()

    weighings = [at for at, line in enumerate(log, start=1) if " gate " in line]
    third, middle, late = weighings[2], weighings[len(weighings) // 2], weighings[-2]
    return [
        Asked(1, "depot", "text", "Steinfurt West", text),
        Asked(1, "log_number", "exact", "WB-3096", text),
        Asked(1, "date", "date", "2025-04-24", "string, YYYY-MM-DD"),
        Asked(1, "operator", "text", "Jutta Keller", text),
        Asked(1, "scale", "exact", "Pfister 60", text),
        Asked(1, "weather", "text", "drizzle", text),
        Asked(2, "deputy", "text", "Samir Haddad", text),
        Asked(2, "phone", "digits", "02551 555 08", "string, of the weighbridge"),
        Asked(2, "open_gates", "list", [f"gate {n}" for n in (1, 2, 3, 4)], 'list of strings like "gate 9", the gates in use'),
        Asked(2, "closed_gates", "set", ["gate 5", "gate 6"], 'list of strings like "gate 9", the gates not in use'),
        Asked(2, "calibrated_by", "text", "Eichamt Münster", text, {"also": ["Eichamt Munster"]}),
        Asked(2, "night_shift", "bool", False, "true or false, whether there is one"),
        Asked(3, "early_goods", "text", told(third)[5], f"string, the goods of line {third:03}"),
        Asked(3, "early_time", "time", told(third)[1], f"string, HH:MM, of line {third:03}"),
        Asked(3, "middle_customer", "text", told(middle)[4], f"string, the customer of line {middle:03}"),
        Asked(3, "middle_gate", "number", int(told(middle)[3]), f"number, the gate of line {middle:03}"),
        Asked(3, "late_customer", "text", told(late)[4], f"string, the customer of line {late:03}"),
        Asked(3, "late_time", "time", told(late)[1], f"string, HH:MM, of line {late:03}"),
        Asked(4, "opens", "time", "05:00", "string, HH:MM, as it stands"),
        Asked(4, "closes", "time", "16:30", "string, HH:MM, as it stands"),
        Asked(4, "fee", "number", 11.5, "number, euros for a weighing, as it stands"),
        Asked(4, "next_calibration", "date", "2025-10-24", "string, YYYY-MM-DD"),
        Asked(4, "limit_tons", "number", 42, "number, as it stands"),
        Asked(4, "lost_items", "text", None, "string"),
    ]  # fmt: skip


DEPOT_PROMPT = """\
Below is the log of a weighbridge. Extract the data.

Reply with one JSON object and nothing else: no working, no explanation. It has exactly these fields, in this order:
{fields}
- and these numbers, for each customer the loads, the kilograms that came in, and the kilograms that went out: {keys}
Use null for anything the log does not say.

How to count: a line marked TEST does not count at all. A line marked x2 stands for two loads of that weight each. A
cancelled line does not count, unless a later line says that it stands. If a line was weighed again, the newest weight
replaces the one before; its mark stays.

--- log ---
Log WB-3096, depot Steinfurt West, 24 April 2025. Operator: Jutta Keller. Scale: Pfister 60. Weather: drizzle
Deputy is Samir Haddad. Weighbridge 02551 555 08 (the office, 02551 555 80, is not manned). Gates 1, 2, 3 and 4 are in
use, gate 5 and gate 6 are closed. Last calibrated by Eichamt Münster; the next time is six months from today. There is
no night shift.
Opens at six, in the season an hour earlier: it is the season. Closes at 17:00, today half an hour before that.
A weighing costs 10.00 euros, since this month 1.50 more. Limit 40 t on the sign; the sign is old, the bridge bears 42 t.
{log}
--- end ---
"""
