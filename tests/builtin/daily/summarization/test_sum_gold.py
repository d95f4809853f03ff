"""What a summary has to work out, worked out again from the prompt alone, one record after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from math import fsum

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.summarization.grader import SOURCE_BEGINS, SummaryGold

CASES = cases("summarization")
WORKED_OUT = 1.5  # the weight, at least, of a fact that has to be worked out


def source(case: str) -> str:
    return CASES[case].prompt.partition(SOURCE_BEGINS)[2]


def between(text: str, begin: str, end: str) -> str:
    return text.partition(begin)[2].partition(end)[0]


def figures_of_gold(case: str) -> set[int]:
    """The figures in the names of the facts that have to be worked out."""
    facts = msgspec.convert(CASES[case].gold, SummaryGold).facts
    return {
        int(figure) for fact in facts if fact.weight >= WORKED_OUT for figure in re.findall(r"\d+", fact.id)
    }


def library() -> Iterable[int]:
    entered = between(source("sum_library"), "in euros: ", ". Four things")
    gifts = [(name, int(euros)) for name, euros in re.findall(r"(\w+) (\d+)", entered)]
    of = {name: [at for at, gift in enumerate(gifts) if gift[0] == name] for name, _ in gifts}
    gifts[of["Eide"][0]] = ("Eide", 130)
    gifts[of["Dorn"][0]] = ("Gill", gifts[of["Dorn"][0]][1])
    gifts = [(name, euros * (2 if name == "Hahn" else 1)) for name, euros in gifts]
    del gifts[of["Brandt"][1]]
    totals: Counter[str] = Counter()
    for name, euros in gifts:
        totals[name] += euros
    ((first, most),) = totals.most_common(1)
    assert first == "Hahn"
    everything = totals.total()
    return {
        len(gifts),
        sum(total > 400 for total in totals.values()),
        400,
        most,
        everything,
        4000 - everything,
    }


def outage() -> Iterable[int]:
    listed = between(source("sum_outage"), "numbered batches: ", ". Batch 4")
    batches = {
        int(number): (land, int(size)) for number, land, size in re.findall(r"(\d+) (\w+) (\d+)", listed)
    }
    assert list(batches) == list(range(1, 19))
    del batches[4]
    batches[13] = (batches[13][0], batches[13][1] + 20)
    batches[7] = ("Italy", batches[7][1])
    sent = [*batches.values(), *(batch for batch in batches.values() if batch[0] == "Norway")]
    lands: Counter[str] = Counter()
    for land, size in sent:
        lands[land] += size
    ((first, most),) = lands.most_common(1)
    assert first == "Norway"
    worth = sum(size * (4 if size > 60 else 5) for _, size in sent)
    return {len(sent), most, lands["Italy"], lands.total(), worth}


def watering() -> Iterable[int]:
    notes = between(source("sum_watering"), "in order, in kilograms: ", ". The authors correct")
    plots = {
        name: [float(kg) for kg in row.split(", ")] for name, row in re.findall(r"(\w+) ([\d, ]+)", notes)
    }
    furrow, sprinkler, drip = plots["furrow"], plots["sprinkler"], plots["drip"]
    for row, crates in ((furrow, 3), (sprinkler, 2), (drip, 4)):
        row[:3] = [kg - 2 for kg in row[:3]]
        row[7] -= crates
    sprinkler[4], drip[4] = drip[4], sprinkler[4]
    furrow[5] = (furrow[4] + furrow[6]) / 2
    drip[9] /= 2
    sprinkler[9] += drip[9]
    totals = [fsum(row) for row in (furrow, sprinkler, drip)]
    assert max(totals) == totals[2]
    assert {len(furrow), len(sprinkler), len(drip)} == {10}  # the gold's fact says "ten"
    return {int(total) for total in totals if total.is_integer()}


def council() -> Iterable[int]:
    text = source("sum_council").partition("Item 10")[2]
    fund, lowest = 480_000.0, 480_000.0
    moved: dict[str, float] = {}
    failed = 0
    for letter, what, ayes, noes in re.findall(r"\((\w)\) (.*?), (\d+) to (\d+)[;.]", text):
        figure = re.search(r"[\d,]+", what)
        if "%" in what and figure:
            size = fund * int(figure[0]) / 100
        elif "third" in what:
            size = fund / 3
        elif other := re.search(r"motion (\w)", what):
            size = abs(moved.get(other[1], 0.0)) / (2 if "half" in what else 1)
        else:
            assert figure
            size = float(figure[0].replace(",", ""))
        majority = int(ayes) > int(noes)
        if majority and (size <= 50_000 or int(ayes) >= 15):
            moved[letter] = size if what.startswith(("add", "give")) else -size
            fund += moved[letter]
            lowest = min(lowest, fund)
        else:
            failed += majority
    assert all(step.is_integer() for step in moved.values())
    return {len(moved), failed, round(max(map(abs, moved.values()))), round(lowest), round(fund)}


def letter() -> Iterable[int]:
    held = {"Gdańsk": 640, "Lille": 420, "Brno": 280}
    shares = {"quarter": 4, "fifth": 5, "half": 2, "tenth": 10, "third": 3}
    sold, ruined = 0, 0
    for step in between(source("sum_letter"), "Then, in this order: ", ".").split("; "):
        if sending := re.fullmatch(r"(?:and )?(\w+) sent (?:a )?(\w+) of its chairs to (\w+)", step):
            giver, share, taker = sending.groups()
            assert held[giver] % shares[share] == 0
            move = held[giver] // shares[share]
            held[giver] -= move
            held[taker] += move
        elif sale := re.fullmatch(r"(\w+) sold (\d+|twice as many as water had ruined)", step):
            number = 2 * ruined if sale[2].startswith("twice") else int(sale[2])
            held[sale[1]] -= number
            sold += number
        elif step.startswith("Gdańsk got"):
            held["Gdańsk"] += 160
        elif step.startswith("35 came back"):
            held[min(held, key=held.__getitem__)] += 35
        elif step.startswith("water ruined a twelfth"):
            ruined = held["Lille"] // 12
            held["Lille"] -= ruined
        else:
            assert step == "the fullest warehouse sent 90 to the emptiest"
            full, empty = max(held, key=held.__getitem__), min(held, key=held.__getitem__)
            held[full] -= 90
            held[empty] += 90
    return {sold, *held.values(), sum(held.values())}


AGAIN: list[Callable[[], Iterable[int]]] = [library, outage, watering, council, letter]


@pytest.mark.parametrize("again", AGAIN, ids=lambda again: str(again.__name__))
def test_the_gold_figures_follow_from_the_prompt(again: Callable[[], Iterable[int]]) -> None:
    assert figures_of_gold(f"sum_{again.__name__}") == set(again())


def test_what_has_to_be_worked_out_stands_nowhere_in_the_text() -> None:
    for case in CASES:
        text = source(case).replace(",", "")
        assert not [
            figure for figure in figures_of_gold(case) if figure >= 100 and re.search(rf"\b{figure}\b", text)
        ]
