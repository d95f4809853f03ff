"""A story: an embedded model is watched for 28 days, then a worse copy takes its place under its name.

    python tools/story.py dose FOLDER       how much noise: one day of each copy, before the story
    python tools/story.py run FOLDER        record the days in FOLDER/daily, or go on; about an hour
    python tools/story.py declare FOLDER    say in the ledger of FOLDER that its dates were set
    python tools/story.py again FOLDER      correct every day by the code of today
    python tools/story.py tell FOLDER PAGE  write the table of days and the chart from the ledger of FOLDER

Everything is real but the calendar: days are run back to back under set dates. At temperature 0 an embedded
model would give the same answers every day, so it is asked at temperature 0.4, each day with seeds of its
own: that is the day-to-day noise.

The dose is set by a rule and not by the story's end: of `DOSES` the smallest that costs the suite's mean
score at least `WORTH_TELLING`, measured by `dose` on a day that is not part of the story.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec
import yaml

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

MODEL = "qwen2.5-coder-0.5b"
DOSES = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3)
WORTH_TELLING = 0.2
SIGMA = 0.25
DOSE_DAY, FIRST = date(2026, 9, 1), date(2026, 10, 1)
HEALTHY, WORSE = 28, 10
TEMPERATURE = 0.4
STORED_AS = "Q8_0"
MAX_TOKENS = 200
SUITE = Path(__file__).parent / "story-suite"
"""Easy cases, so that so small a model has something to lose; graders and constants are the daily suite's
own."""
BEGIN, END = "<!-- days -->", "<!-- end of days -->"


def story_suite(target: Path) -> None:
    """The daily suite's manifest over the story's own cases."""
    from probatio.suites.daily_suite import DAILY

    shutil.copytree(SUITE, target)
    manifest = yaml.safe_load((DAILY / "suite.yml").read_text())
    manifest["name"], manifest["version"] = "story", f"{manifest['version']}-story"
    del manifest["fingerprint"], manifest["forms"]
    wanted = {folder.name for folder in SUITE.iterdir()}
    manifest["use_cases"] = [
        {**u, "max_tokens": MAX_TOKENS, "cases": _list_rungs(SUITE / u["id"] / "cases.yml")}
        for u in manifest["use_cases"]
        if u["id"] in wanted
    ]
    (target / "suite.yml").write_text(yaml.safe_dump(manifest, sort_keys=False))


class Copy(msgspec.Struct, frozen=True):
    """How a copy of the model is made. All are stored in one format, so that neither size nor speed tells
    them apart."""

    sigma: float
    seed: int = 0
    rounded_to: str = STORED_AS


def _list_rungs(cases: Path) -> dict[str, int]:
    """Case → the parts of its score: its fields or rules. A program that is right or wrong has none."""
    return {case["id"]: case.get("rungs", 0) for case in yaml.safe_load(cases.read_text())["cases"]}


def prepare(folder: Path, copies: dict[str, Copy], temperature: float = TEMPERATURE) -> None:
    """The suite, a models.yml that asks `model.gguf`, and the copies that take turns under that name."""
    from worse_copy import worse_copy

    from probatio.ask.embedded import catalogue

    folder.mkdir(parents=True, exist_ok=True)
    source = catalogue.resolve(MODEL).path
    for name, copy in copies.items():
        if not (folder / f"{name}.gguf").exists():
            worse_copy(source, folder / f"{name}.part", copy.sigma, copy.seed, copy.rounded_to)
            if copy.rounded_to != STORED_AS:
                (folder / f"{name}.part").rename(folder / f"{name}.rounded")
                worse_copy(folder / f"{name}.rounded", folder / f"{name}.part", 0.0)
                (folder / f"{name}.rounded").unlink()
            (folder / f"{name}.part").rename(folder / f"{name}.gguf")
    if not (folder / "suite").exists():
        story_suite(folder / "suite")
    config = {
        "models": [{"id": MODEL, "provider": "embedded", "name": "gguf:model.gguf"}],
        "daily": {"temperature": temperature},
    }
    (folder / "models.yml").write_text(yaml.safe_dump(config))


def ask(folder: Path, copy: str, day: date, results: str = ".") -> Path:
    """One day of one copy under the model's name; its scores."""
    scores = folder / results / "daily" / day.isoformat() / "scores.jsonl"
    if not scores.exists():
        link = folder / "model.gguf"
        link.unlink(missing_ok=True)
        link.symlink_to(folder / f"{copy}.gguf")
        asked = [
            "daily",
            "--date",
            day.isoformat(),
            "--replay",
            "--config",
            "models.yml",
            "--suite",
            "suite",
            "--model",
            MODEL,
        ]
        subprocess.run(
            [sys.executable, "-m", "probatio", *asked, "--results", results], cwd=folder, check=True
        )
    return scores


def dose(folder: Path) -> None:
    """A table of doses and scores, and the dose the rule picks."""
    prepare(folder, {f"sigma-{sigma}": Copy(sigma) for sigma in DOSES})
    means: dict[float, float] = {}
    for sigma in DOSES:
        scores = ask(folder, f"sigma-{sigma}", DOSE_DAY, f"dose-{sigma}")
        found = {line["use_case"]: line["score"] for line in map(json.loads, scores.read_text().splitlines())}
        means[sigma] = sum(found.values()) / len(found)
        print(
            f"sigma {sigma}: {means[sigma]:.1f}",
            {name: round(score, 1) for name, score in found.items()},
            flush=True,
        )
    worse = [sigma for sigma in DOSES if means[sigma] <= (1 - WORTH_TELLING) * means[0.0]]
    print(f"the dose: {worse[0]}" if worse else "no dose costs enough")


def run(folder: Path) -> None:
    prepare(folder, {"healthy": Copy(0.0), "worse": Copy(SIGMA)})
    for number in range(HEALTHY + WORSE):
        ask(folder, "healthy" if number < HEALTHY else "worse", FIRST + timedelta(days=number))


def declare(folder: Path) -> None:
    """Days that were recorded before `--replay` was there: a correction for each, and no file of a day is
    touched."""
    from probatio.core.clock import now_text
    from probatio.watch.ledger.later import declare_replayed

    why = "declared as replayed: its date was set, and the days were run one after the other"
    print(f"{len(declare_replayed(folder, now_text(), why))} days declared")


def again(folder: Path) -> None:
    """The verdicts made again by the code of today; the records of before stay in the chain."""
    from probatio.core.clock import now_text
    from probatio.watch.ledger.later import judge_again

    print(f"{len(judge_again(folder, now_text(), 'judged again by newer rules'))} verdicts corrected")


def daily_rows(folder: Path) -> list[dict[str, object]]:
    """A row per day and use case, from the ledger."""
    from probatio.watch.ledger.ledger import read_ledger, standing_records

    rows: list[dict[str, object]] = []
    for day, record in sorted(standing_records(read_ledger(folder)).items()):
        (verdict,) = record.verdicts
        rows += [
            {
                "date": day,
                "day": (date.fromisoformat(day) - FIRST).days + 1,
                "use case": use_case.use_case.replace("_", " "),
                "status": use_case.status,
                "score": use_case.score,
                "mean": use_case.mean,
                "low": None if use_case.mean is None else use_case.mean - 2 * (use_case.sd or 0),
                "high": None if use_case.mean is None else use_case.mean + 2 * (use_case.sd or 0),
                "model": verdict.status,
                "evidence": verdict.evidence,
                "M": verdict.evidence_value,
            }
            for use_case in verdict.use_cases
        ]
    return rows


def chart(rows: list[dict[str, object]], target: Path) -> None:
    """A panel for each use case with the band of two standard deviations, and one for the evidence."""
    from probatio.charts.days import SCORES, DayPoint, day_panel, draw_legend, evidence_axis
    from probatio.charts.figure import write_png
    from probatio.charts.palette import FIXED
    from probatio.charts.svg import compose
    from probatio.suites.daily_suite import read_manifest

    def border(row: dict[str, object]) -> str:
        return "the worse copy" if row["day"] == HEALTHY + 1 else ""

    panels = [draw_legend(["CALIBRATING", "OK", "SUSPICIOUS", "COOKED"])]
    for name in dict.fromkeys(str(row["use case"]) for row in rows):
        own = [row for row in rows if row["use case"] == name]
        days = [
            msgspec.convert(
                {**row, "value": row["score"], "usual": row["mean"], "border": border(row)}, DayPoint
            )
            for row in own
        ]
        panels.append(day_panel(days, [str(row["day"]) for row in own], SCORES, name, 150))
    first = [row for row in rows if row["use case"] == rows[0]["use case"]]
    evidence = [msgspec.convert({"value": row["M"], "border": border(row)}, DayPoint) for row in first]
    constants = read_manifest(None).evidence
    axis = evidence_axis(evidence, [(constants.suspected, "SUSPECTED"), (constants.confirmed, "CONFIRMED")])
    labels = [str(row["day"]) for row in first]
    panels.append(day_panel(evidence, labels, axis, "evidence: the model's statistic M, by day", 190))
    write_png(compose(panels, "The story", "Scores and evidence, day by day.", FIXED), target)


def table(rows: list[dict[str, object]]) -> str:
    """A line per day: scores, what the rule said, and what the evidence did."""
    names = list(dict.fromkeys(str(row["use case"]) for row in rows))
    lines = ["| day | " + " | ".join(names) + " | rule | evidence | M |", "|---" * (len(names) + 4) + "|"]
    for _, group in groupby(rows, key=itemgetter("date")):
        found = {str(row["use case"]): row for row in group}
        head = next(iter(found.values()))
        m = "" if head["M"] is None else f"{float(str(head['M'])):,.0f}"
        cells = [f"{head['day']} ({head['date']})", *(_cell(found.get(name)) for name in names)]
        lines.append("| " + " | ".join([*cells, str(head["model"]), str(head["evidence"]), m]) + " |")
    return "\n".join(lines)


def tell(folder: Path, page: Path) -> None:
    """The chart beside the page, and the table of days between the page's marks."""
    rows = daily_rows(folder)
    chart(rows, page.parent / "images" / "story.png")
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def _cell(row: dict[str, object] | None) -> str:
    if row is None or row["score"] is None:
        return "–"
    mark = "" if row["status"] in ("OK", "CALIBRATING") else f" {row['status']}"
    return f"{float(str(row['score'])):.0f}{mark}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["dose", folder]:
            dose(Path(folder).resolve())
        case ["run", folder]:
            run(Path(folder).resolve())
        case ["declare", folder]:
            declare(Path(folder).resolve())
        case ["again", folder]:
            again(Path(folder).resolve())
        case ["tell", folder, page]:
            tell(Path(folder).resolve(), Path(page))
        case _:
            sys.exit(__doc__)
