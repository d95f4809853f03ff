"""The questions about a report, rung by rung: two for each rung of the lower two thirds, one hard one for each above."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from report_tables import Report, Row

RUNGS = 15
EASY = 10  # of them have two questions each


class Spread(NamedTuple):
    """How far the hard questions reach: over how many kinds or regions each goes."""

    conditioned: int
    priced: bool  # a short report asks for the takings of what a long one only adds up
    takings: int
    headed: int
    every_kind: bool = (
        False  # the kinds that were drawn are not asked for: a short report goes over all of them
    )


class Question(NamedTuple):
    text: str
    gold: dict[str, Any]


def questions(report: Report, spread: Spread, chance: random.Random) -> list[Question]:
    """All questions in the order of their rungs."""
    asked: list[Question] = []
    for rung, pair in enumerate(_easy(report, chance), start=1):
        asked += [Question(text, {"rung": rung, **gold, "weight": 1 / len(pair)}) for text, gold in pair]
    for rung, (text, gold) in enumerate(_hard(report, spread, chance), start=EASY + 1):
        asked.append(Question(text, {"rung": rung, **gold}))
    assert asked[-1].gold["rung"] == RUNGS
    return asked


_Asked = tuple[str, dict[str, Any]]


def _number(value: int) -> dict[str, Any]:
    return {"kind": "number", "value": value}


def _name(value: str) -> dict[str, Any]:
    return {"kind": "name", "value": value}


def _amount(value: int) -> dict[str, Any]:
    return {"kind": "amount", "value": value}


_ABSENT = {"kind": "absent"}


def _easy(report: Report, chance: random.Random) -> list[list[_Asked]]:
    """Look-ups, then notes, joins and small sums."""
    t = report.topic
    clean = report.clean()
    early, late = clean[: len(clean) // 2], clean[len(clean) // 2 :]
    first, second = chance.sample(early, 2)
    third, fourth = chance.sample(late, 2)
    kind = chance.choice([kind for kind in report.prices if report.prices[kind] == report.shown_prices[kind]])
    one, two, three = chance.sample(list(report.heads), 3)
    four = chance.choice(list(report.heads))
    big, small = sorted(chance.sample(clean, 2), key=lambda row: -row.units)
    fixed, final = report.now(report.touched["set"][0]), report.now(report.touched["superseded"][0])
    dozen, moved = report.now(report.touched["dozens"][0]), report.now(report.touched["moved"][0])
    beside = chance.choice([row for row in clean if row not in (first, fourth)])
    return [
        [(f"How many {t.units} does {first.name} have?", _number(first.units)),
         (f"Which {t.region} is {second.name} in?", _name(second.region))],
        [(f"How many {t.second} does {second.name} have?", _number(second.second)),
         (f"Which {t.kind} does {third.name} have?", _name(third.kind))],
        [(f"What is the price of {kind}?", _number(report.prices[kind])),
         (f"In which town is the office of {one}?", _name(report.towns[one]))],
        [(f"Who heads {two}?", _name(report.heads[two])),
         (f"What is the fee of {three}?", _number(report.fees[three]))],
        [(f"How many {t.units} does {fourth.name} have?", _number(fourth.units)),
         (f"How many people live in {report.towns[four]}?", _ABSENT)],
        [(f"How many {t.units} does {fixed.name} have?", _number(fixed.units)),
         (f"How many more {t.units} does {big.name} have than {small.name}?", _number(big.units - small.units))],
        [(f"Who heads the {t.region} that {moved.name} is in?", _name(report.heads[moved.region])),
         (f"How many {t.units} does {final.name} have?", _number(final.units))],
        [(f"How many {t.units} did {fourth.name} have in the year before?", _ABSENT),
         (f"How many {t.units} do {dozen.name} and {beside.name} have together?", _number(dozen.units + beside.units))],
        [_best(report, chance), _count(report, chance)],
        [_some(report, chance), _small_sum(report, chance)],
    ]  # fmt: skip


def _best(report: Report, chance: random.Random) -> _Asked:
    t = report.topic
    region = chance.choice(list(report.heads))
    inside = sorted((row for row in report.rows if row.region == region), key=lambda row: -row.units)
    assert inside[0].units > inside[1].units
    return f"Which {t.place} in {region} has the most {t.units}?", _name(inside[0].name)


def _count(report: Report, chance: random.Random) -> _Asked:
    t = report.topic
    found = [
        (region, kind, count)
        for region in report.heads
        for kind in report.prices
        if (count := sum(row.region == region and row.kind == kind for row in report.rows)) > 1
    ]
    region, kind, count = chance.choice(found)
    return f"How many {t.places} in {region} have {kind}?", _number(count)


def _small_sum(report: Report, chance: random.Random) -> _Asked:
    t = report.topic
    groups = {
        (region, kind): [row.units for row in report.rows if (row.region, row.kind) == (region, kind)]
        for region in report.heads
        for kind in report.prices
    }
    region, kind = chance.choice([group for group, units in groups.items() if 3 <= len(units) <= 5])
    text = f"How many {t.units} do all {t.places} in {region} with {kind} have together?"
    return text, _number(sum(groups[region, kind]))


def _some(report: Report, chance: random.Random) -> _Asked:
    """The names of two to five places below a limit."""
    t = report.topic
    region = chance.choice(list(report.heads))
    inside = sorted((row for row in report.rows if row.region == region), key=lambda row: row.second)
    limits = [at for at in range(2, min(6, len(inside))) if inside[at - 1].second < inside[at].second]
    at = chance.choice(limits)
    text = f"Which {t.places} in {region} have fewer than {inside[at].second} {t.second}? Names separated by commas."
    return text, {"kind": "set", "value": [row.name for row in inside[:at]]}


def _hard(report: Report, spread: Spread, chance: random.Random) -> list[_Asked]:
    """Sums over many rows, with conditions, joins and all the notes; in the last two every row needs a product of its own."""
    t, regions = report.topic, list(report.heads)
    outside = chance.choice(regions)
    kinds = _some_of(list(report.prices), spread.conditioned, chance)
    low = _middle(report.rows, chance)
    if spread.every_kind:
        kinds = list(report.prices)
    taking = _some_of(regions, spread.takings, chance)
    headed = _some_of(regions, spread.headed, chance)
    least = _middle(report.rows, chance)
    of_kinds = "" if spread.every_kind else f" and with {' or '.join(kinds)}"
    some = f"{t.places} with more than {low} {t.second}{of_kinds}"
    heads = " and ".join(report.heads[region] for region in headed)
    return [
        (f"What are the takings of all {some} together?" if spread.priced else f"How many {t.units} do all {some} have together?",
         _total(report, lambda row: row.kind in kinds and row.second > low,
                report.takings if spread.priced else lambda row: row.units)),
        (f"What are the takings of all {t.places} in {' and '.join(taking)} together?",
         _total(report, lambda row: row.region in taking, report.takings)),
        (f"What are the profits of all {t.places} with at least {least} {t.second} in the {t.regions_word} of {heads} together?",
         _total(report, lambda row: row.region in headed and row.second >= least, report.profit)),
        (f"What are the scores of all {t.places} outside {outside} together?",
         _total(report, lambda row: row.region != outside, report.score)),
        (f"What are the scores of all {t.places} together?", _total(report, lambda _: True, report.score)),
    ]  # fmt: skip


def _some_of(names: Sequence[str], count: int, chance: random.Random) -> list[str]:
    return sorted(chance.sample(names, count), key=names.index)


def _middle(rows: list[Row], chance: random.Random) -> int:
    """A limit that leaves about two thirds of the rows above it."""
    figures = sorted(row.second for row in rows)
    return figures[len(figures) // 3] + chance.randint(0, 1)


def _total(report: Report, which: Callable[[Row], bool], figure: Callable[[Row], int]) -> dict[str, Any]:
    return _amount(sum(figure(row) for row in report.rows if which(row)))
