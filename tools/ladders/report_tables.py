"""Reports as data: topics in plain words, tables and notes drawn by chance, and the rows once the notes are heeded."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Topic(NamedTuple):
    """The words of a report. Every place has one region and one kind of ware, units of it, and a second figure."""

    title: str
    about: str
    place: str
    places: str
    region: str
    regions_word: str
    regions: tuple[str, ...]
    kind: str
    kinds: tuple[str, ...]
    units: str
    second: str
    towns: tuple[str, ...]
    heads: tuple[str, ...]


class Size(NamedTuple):
    """How much there is of everything, and how many notes of each sort."""

    rows: int
    regions: int
    kinds: int
    units: tuple[int, int]
    second: tuple[int, int]
    prices: tuple[int, int]
    fees: tuple[int, int]
    sets: int
    moves: int
    dozens: int
    drops: int
    adds: int
    prices_changed: int


class Row(NamedTuple):
    name: str
    region: str
    kind: str
    units: int
    second: int


class Report(NamedTuple):
    topic: Topic
    shown: list[Row]  # as the table has them
    rows: list[Row]  # as they are, without what is left out
    shown_prices: dict[str, int]
    prices: dict[str, int]
    towns: dict[str, str]
    heads: dict[str, str]
    fees: dict[str, int]
    notes: list[str]
    touched: dict[str, list[str]]  # sort of note → the places it is about

    def clean(self) -> list[Row]:
        """Rows that no note is about, by name or by region."""
        about = {name for names in self.touched.values() for name in names}
        return [row for row in self.rows if row.name not in about and row.region not in about]

    def now(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def takings(self, row: Row) -> int:
        return row.units * self.prices[row.kind]

    def profit(self, row: Row) -> int:
        return self.takings(row) - self.fees[row.region]

    def score(self, row: Row) -> int:
        return self.profit(row) * row.second


_ONSETS = ("B", "D", "F", "G", "H", "K", "L", "M", "N", "P", "R", "S", "T", "V")
_VOWELS = ("a", "e", "i", "o", "u")
_MIDDLES = ("lm", "rk", "nd", "sk", "rn", "lt", "mb", "rt", "ld", "nk")
_ENDS = ("ik", "ov", "un")  # so that none is a word


def names(count: int, chance: random.Random, taken: set[str]) -> list[str]:
    """Short invented names, none the beginning of another."""
    found: list[str] = []
    while len(found) < count:
        name = (
            chance.choice(_ONSETS) + chance.choice(_VOWELS) + chance.choice(_MIDDLES) + chance.choice(_ENDS)
        )
        if name not in found and name not in taken:
            found.append(name)
    return found


def draw(topic: Topic, size: Size, chance: random.Random) -> Report:
    """A report by chance: what is true first, then a table that the notes put right."""
    regions, kinds = topic.regions[: size.regions], topic.kinds[: size.kinds]
    taken = {*topic.towns, *topic.heads, *topic.regions, *topic.kinds}
    units = chance.sample(range(*size.units), size.rows)
    truth = [
        Row(name, regions[at % len(regions)], chance.choice(kinds), units[at], chance.randint(*size.second))
        for at, name in enumerate(names(size.rows, chance, taken))
    ]
    chance.shuffle(truth)
    prices = dict(zip(kinds, chance.sample(range(*size.prices), len(kinds)), strict=True))
    report = Report(
        topic, list(truth), list(truth), dict(prices), prices,
        dict(zip(regions, topic.towns, strict=False)), dict(zip(regions, topic.heads, strict=False)),
        dict(zip(regions, chance.sample(range(*size.fees), len(regions)), strict=True)), [], {},
    )  # fmt: skip
    _annotate(report, size, chance)
    chance.shuffle(report.notes)
    return report


def _annotate(report: Report, size: Size, chance: random.Random) -> None:
    """Notes, each about places of its own, with the table changed to what it must put right."""
    topic = report.topic
    adding = chance.sample(list(report.heads), size.adds)
    free = iter(chance.sample([row for row in report.shown if row.region not in adding], _needed(size)))
    for _ in range(size.sets):
        row = next(free)
        wrong = _other(row.units, size.units, chance)
        _show(report, row._replace(units=wrong), "set")
        report.notes.append(f"The {topic.units} of {row.name} are {row.units}, not {wrong}.")
    row = next(free)
    wrong, first = _other(row.units, size.units, chance), _other(row.units, size.units, chance)
    _show(report, row._replace(units=wrong), "superseded")
    report.notes.append(
        f"The {topic.units} of {row.name} were first corrected from {wrong} to {first}, and then, for good, to {row.units}."
    )
    for _ in range(size.moves):
        row = next(free)
        region = chance.choice([each for each in report.heads if each != row.region and each not in adding])
        _show(report, row._replace(region=region), "moved")
        report.notes.append(f"{row.name} is in {row.region}, not in {region}.")
    dozens = []
    for _ in range(size.dozens):
        row = next(free)
        row = row._replace(units=12 * max(2, round(row.units / 12)))
        report.rows[[each.name for each in report.rows].index(row.name)] = row
        _show(report, row._replace(units=row.units // 12), "dozens")
        dozens.append(row.name)
    report.notes.append(
        f"The {topic.units} of {' and '.join(dozens)} are given in dozens; multiply them by 12."
    )
    for _ in range(size.drops):
        row = next(free)
        report.rows.remove(row)
        report.touched.setdefault("dropped", []).append(row.name)
        report.notes.append(
            f"{row.name} was closed all year; leave it out of every count, sum and comparison."
        )
    for region in adding:
        more = chance.randint(2, 9)
        for at, row in enumerate(report.shown):
            if row.region == region:
                report.shown[at] = row._replace(second=row.second - more)
        report.touched.setdefault("added", []).append(region)
        report.notes.append(f"Add {more} to the {topic.second} of every {topic.place} in {region}.")
    for kind in chance.sample(list(report.prices), size.prices_changed):
        report.shown_prices[kind] = _other(report.prices[kind], size.prices, chance)
        report.touched.setdefault("price", []).append(kind)
        report.notes.append(f"The price of {kind} is {report.prices[kind]}, not {report.shown_prices[kind]}.")


def _needed(size: Size) -> int:
    return size.sets + 1 + size.moves + size.dozens + size.drops


def _other(value: int, span: tuple[int, int], chance: random.Random) -> int:
    return next(each for each in _draws(span, chance) if each != value)


def _draws(span: tuple[int, int], chance: random.Random) -> Iterator[int]:
    while True:
        yield chance.randrange(*span)


def _show(report: Report, row: Row, why: str) -> None:
    at = [each.name for each in report.shown].index(row.name)
    report.shown[at] = row
    report.touched.setdefault(why, []).append(row.name)


def text(report: Report) -> str:
    """The report as it is shown."""
    t = report.topic
    heads = [word.capitalize() for word in (t.place, t.region, t.kind, t.units, t.second)]
    offices = [[name, report.towns[name], head, report.fees[name]] for name, head in report.heads.items()]
    notes = "\n".join(f"[{number}] {note}" for number, note in enumerate(report.notes, start=1))
    return (
        f"{t.title}\n{t.about}\n\n{_table(heads, report.shown)}\n\n"
        f"{_table([heads[2], 'Price'], report.shown_prices.items())}\n\n"
        f"{_table([heads[1], 'Office', 'Head', 'Fee'], offices)}\n\n"
        f"Notes, made after the tables:\n{notes}\n\n"
        f"The takings of each {t.place} are its {t.units} times the price of its {t.kind}. Its profit is its takings less\n"
        f"the whole fee of its {t.region}. Its score is its profit times its {t.second}."
    )


def _table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])
