"""Makes the five ladders of Report Analysis and their proofs.

python tools/ladders/report_analysis.py            writes cases.yml and proofs.yml into the daily suite
python tools/ladders/report_analysis.py --check    exits with 1 where they are not what this script makes

The table REPORTS holds all that makes a rung hard: rows, notes, how many rows a sum goes over. Questions: report_questions.py.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from case_files import Ladder, cases_text, flow, proofs_text, write
from report_proofs import proofs
from report_questions import RUNGS, Spread, questions
from report_tables import Size, Topic, draw, text

SEED = 5


class Made(NamedTuple):
    id: str
    difficulty: int
    form: str
    size: Size
    spread: Spread
    topic: Topic


REPORTS = (
    Made(
        "report_depots", 1, "lines",
        Size(rows=16, regions=3, kinds=3, units=(1100, 9800), second=(21, 79), prices=(13, 98), fees=(1100, 9900),
             sets=1, moves=1, dozens=1, drops=1, adds=0, prices_changed=0),
        Spread(conditioned=2, priced=True, takings=2, headed=2, every_kind=True),
        Topic("THE DEPOTS OF HARLAN FREIGHT", "Stock and working hours at the end of the year; prices and fees in euros.",
              "depot", "depots", "district", "districts", ("North", "South", "East"), "goods", ("rice", "tea", "salt"),
              "crates", "hours", ("Ambly", "Corven", "Estrin"), ("Iversen", "Okafor", "Quist")),
    ),
    Made(
        "report_orchards", 1, "json",
        Size(rows=26, regions=3, kinds=3, units=(210, 990), second=(15, 89), prices=(11, 78), fees=(310, 990),
             sets=1, moves=1, dozens=1, drops=1, adds=0, prices_changed=0),
        Spread(conditioned=2, priced=True, takings=2, headed=2),
        Topic("ORCHARDS OF THE THREE VALLEYS", "The harvest of one year, in baskets; prices and fees in crowns.",
              "orchard", "orchards", "valley", "valleys", ("Arnen", "Bellis", "Corry"), "fruit", ("apple", "pear", "plum"),
              "baskets", "trees", ("Wexby", "Yarrow", "Zenna"), ("Abara", "Eklund", "Ivanov")),
    ),
    Made(
        "report_boats", 2, "lines",
        Size(rows=40, regions=4, kinds=4, units=(110, 980), second=(40, 290), prices=(11, 89), fees=(210, 990),
             sets=2, moves=2, dozens=1, drops=1, adds=1, prices_changed=1),
        Spread(conditioned=3, priced=False, takings=2, headed=3),
        Topic("THE FISHING FLEET OF FOUR HARBOURS", "Boxes landed and days at sea in one season; prices and fees in marks.",
              "boat", "boats", "harbour", "harbours", ("Amrum", "Bosham", "Cullen", "Dunwich"), "catch",
              ("cod", "crab", "eel", "sole"), "boxes", "days", ("Ashbrin", "Olnith", "Uptarn", "Yeovax"),
              ("Adeyemi", "Ellery", "Ingram", "Osman")),
    ),
    Made(
        "report_workshops", 2, "json",
        Size(rows=56, regions=5, kinds=4, units=(110, 980), second=(12, 96), prices=(11, 97), fees=(210, 990),
             sets=2, moves=2, dozens=2, drops=1, adds=1, prices_changed=1),
        Spread(conditioned=3, priced=False, takings=2, headed=4),
        Topic("WORKSHOPS OF THE OLD CITY", "Pieces sold and hours open in one month; prices and fees in florins.",
              "workshop", "workshops", "quarter", "quarters", ("Castle", "Market", "River", "Temple", "Wall"), "ware",
              ("bowls", "chairs", "lamps", "rugs"), "pieces", "hours", ("Aldwen", "Estway", "Ironvale", "Okrath", "Upgrave"),
              ("Achterberg", "Eze", "Ishii", "Orlov", "Umarov")),
    ),
    Made(
        "report_stations", 3, "lines",
        Size(rows=80, regions=6, kinds=5, units=(110, 980), second=(20, 98), prices=(11, 97), fees=(210, 990),
             sets=3, moves=3, dozens=2, drops=2, adds=1, prices_changed=1),
        Spread(conditioned=3, priced=False, takings=3, headed=4),
        Topic("WEATHER STATIONS AND THEIR REPORTS", "Reports sold and days in service in one year; prices and fees in dollars.",
              "station", "stations", "zone", "zones", ("Alpha", "Beta", "Gamma", "Delta", "Kappa", "Omega"), "subject",
              ("dust", "frost", "rain", "snow", "wind"), "reports", "days",
              ("Alcorn", "Emlith", "Irvax", "Orfell", "Urwick", "Yellan"),
              ("Adler", "Erikson", "Idowu", "Oyelaran", "Ulrich", "Yamada")),
    ),
)  # fmt: skip

LINES = """\
Answer in numbered lines, one per question: its number, a full stop, and the answer alone, at once, without working and
without a sentence round it. Answer every question; if you are not sure, guess. Only where the report does not give the
answer at all, write: not stated"""
JSON = """\
Answer with one JSON object and nothing else, with the keys "q1" to "q25" and the answers alone as values, at once,
without working; several names are a list. Answer every question; if you are not sure, guess. Only where the report does
not give the answer at all, the value is "not stated"."""
FORMS = {"lines": LINES, "json": JSON}


def made() -> tuple[str, str]:
    """The text of cases.yml and of proofs.yml."""
    ladders, worked = [], []
    for each in REPORTS:
        report = draw(each.topic, each.size, random.Random(f"{each.id}/{SEED}"))
        asked = questions(report, each.spread, random.Random(f"{each.id} questions/{SEED}"))
        listed = "\n".join(f"{number}. {question.text}" for number, question in enumerate(asked, start=1))
        prompt = (
            f"Read the report and answer the questions below it.\n\n{text(report)}\n\n"
            f"Questions (heed the notes everywhere):\n{listed}\n\n{FORMS[each.form]}"
        )
        known: list[Any] = [row.name for row in report.shown]
        known += [*report.heads, *report.prices, *report.towns.values(), *report.heads.values()]
        gold = [f"form: {each.form}", "invented: 0.01", f"names: {flow({'': known})[3:-1]}", "questions:"]
        gold += [f"  - {flow(question.gold)}" for question in asked]
        ladders.append(Ladder(each.id, each.difficulty, RUNGS, prompt, "\n".join(gold)))
        worked += proofs(each.id, each.form, prompt, [question.gold for question in asked])
    head = f"Report Analysis: five ladders of {RUNGS} rungs, made by tools/ladders/report_analysis.py. Change the script."
    return cases_text(head, ladders), proofs_text("tools/ladders/report_analysis.py", worked)


if __name__ == "__main__":
    write("report_analysis", *made())
