"""A story: an embedded model is watched for 28 days, then a worse copy takes its place under its name.

    python config/story.py run FOLDER        record the days in FOLDER/results, or go on where it stopped; about an hour
    python config/story.py tell FOLDER OUT   write the page and its chart from the ledger of FOLDER

Everything is real but the calendar: days are run back to back under set dates. At temperature 0 an embedded model would give the
same answers every day, so it is asked at temperature 0.4, each day with seeds of its own: that is the day-to-day noise.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

MODEL = "qwen2.5-coder-0.5b"
SIGMA = 0.25
FIRST = date(2026, 10, 1)
HEALTHY, WORSE = 28, 8
TEMPERATURE = 0.4
MAX_TOKENS = 120
SUITE = Path(__file__).parent / "story-suite"
"""Easy cases, so that so small a model has something to lose; graders and constants are the daily suite's own."""


def story_suite(target: Path) -> None:
    """The daily suite's manifest over the story's own cases."""
    from probatio.suite.daily import DAILY

    shutil.copytree(SUITE, target)
    manifest = yaml.safe_load((DAILY / "suite.yml").read_text())
    manifest["name"], manifest["version"] = "story", f"{manifest['version']}-story"
    manifest.pop("fingerprint")
    wanted = {folder.name for folder in SUITE.iterdir()}
    manifest["use_cases"] = [{**u, "max_tokens": MAX_TOKENS} for u in manifest["use_cases"] if u["id"] in wanted]
    (target / "suite.yml").write_text(yaml.safe_dump(manifest, sort_keys=False))


def prepare(folder: Path) -> None:
    from worse_copy import worse_copy

    from probatio.ask import weights

    source = weights.resolve(MODEL).path
    for name, sigma in (("healthy", 0.0), ("worse", SIGMA)):
        if not (folder / f"{name}.gguf").exists():
            worse_copy(source, folder / f"{name}.part", sigma)
            (folder / f"{name}.part").rename(folder / f"{name}.gguf")
    if not (folder / "suite").exists():
        story_suite(folder / "suite")
    config = {
        "models": [{"id": MODEL, "provider": "embedded", "name": f"gguf:{folder / 'model.gguf'}"}],
        "daily": {"temperature": TEMPERATURE},
    }
    (folder / "models.yml").write_text(yaml.safe_dump(config))


def run(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder)
    for number in range(HEALTHY + WORSE):
        day = FIRST + timedelta(days=number)
        if (folder / "results" / "daily" / day.isoformat() / "scores.jsonl").exists():
            continue
        link = folder / "model.gguf"
        link.unlink(missing_ok=True)
        link.symlink_to(folder / ("healthy.gguf" if number < HEALTHY else "worse.gguf"))
        asked = ["daily", "--date", day.isoformat(), "--config", "models.yml", "--suite", "suite", "--model", MODEL]
        subprocess.run([shutil.which("probatio") or "probatio", *asked], cwd=folder, check=True)


def told(folder: Path) -> list[dict[str, object]]:
    """A row per day and use case, from the ledger."""
    from probatio.watch.ledger import read_ledger, standing_records

    rows: list[dict[str, object]] = []
    for day, record in sorted(standing_records(read_ledger(folder / "results")).items()):
        (verdict,) = record.verdicts
        rows += [
            {
                "date": day,
                "day": (date.fromisoformat(day) - FIRST).days + 1,
                "use case": use_case.use_case.replace("_", " "),
                "status": use_case.status,
                "score": use_case.score,
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
    import altair as alt

    from probatio.study.charts import write_png

    source = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("day:Q", title=None, scale=alt.Scale(domain=[1, HEALTHY + WORSE]), axis=alt.Axis(tickMinStep=1))
    statuses = ["CALIBRATING", "OK", "SUSPICIOUS", "COOKED"]
    colour = alt.Color(
        "status:N", sort=statuses, scale=alt.Scale(domain=statuses, range=["#888", "#2a7", "#d90", "#c22"])
    )
    shape = alt.Shape("status:N", scale=alt.Scale(domain=statuses, range=["circle", "circle", "triangle", "cross"]))
    swap = alt.Chart(alt.InlineData(values=[{"day": HEALTHY + 0.5}])).mark_rule(strokeDash=[4, 3]).encode(x="day:Q")
    panels = []
    for name in dict.fromkeys(row["use case"] for row in rows):
        mine = source.transform_filter(f"datum['use case'] == '{name}'")
        band = mine.mark_area(opacity=0.15).encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q")
        points = mine.mark_point(filled=True, size=40).encode(
            x=x, y=alt.Y("score:Q", title="score", scale=alt.Scale(domain=[0, 100])), color=colour, shape=shape
        )
        panels.append((band + points + swap).properties(width=620, height=95, title=str(name)))
    days = {row["day"]: row for row in rows if row["M"]}
    values = [{"day": day, "M": max(1.0, float(str(row["M"])))} for day, row in days.items()]
    lines = alt.InlineData(values=[{"M": 3650, "line": "SUSPECTED"}, {"M": 36500, "line": "CONFIRMED"}])
    scale = alt.Scale(type="log", domainMin=1)
    evidence = (
        alt.Chart(alt.InlineData(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("day:Q", title="day", scale=alt.Scale(domain=[1, HEALTHY + WORSE])), y=alt.Y("M:Q", scale=scale)
        )
    )
    levels = alt.Chart(lines).mark_rule(strokeDash=[2, 2]).encode(y=alt.Y("M:Q", scale=scale), color=alt.value("#c22"))
    panels.append((evidence + levels + swap).properties(width=620, height=110, title="evidence, model statistic M"))
    write_png(alt.vconcat(*panels), target)


def tell(folder: Path, out: Path) -> None:
    """The table of days and the chart; the words of a page stand around them."""
    rows = told(folder)
    chart(rows, out.with_suffix(".png"))
    by_day: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        by_day.setdefault(str(row["date"]), []).append(row)
    names = list(dict.fromkeys(str(row["use case"]) for row in rows))
    lines = ["| day | " + " | ".join(names) + " | rule | evidence | M |", "|---" * (len(names) + 4) + "|"]
    for day, found in by_day.items():
        scores = {str(row["use case"]): row for row in found}
        cells = [_cell(scores.get(name)) for name in names]
        head = found[0]
        m = "–" if head["M"] is None else f"{float(str(head['M'])):,.0f}"
        lines.append(
            f"| {head['day']} ({day}) | " + " | ".join(cells) + f" | {head['model']} | {head['evidence']} | {m} |"
        )
    out.with_suffix(".md").write_text("\n".join(lines) + "\n")


def _cell(row: dict[str, object] | None) -> str:
    if row is None or row["score"] is None:
        return "–"
    mark = "" if row["status"] in ("OK", "CALIBRATING") else f" {row['status']}"
    return f"{float(str(row['score'])):.0f}{mark}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", folder]:
            run(Path(folder).resolve())
        case ["tell", folder, out]:
            tell(Path(folder).resolve(), Path(out))
        case _:
            sys.exit(__doc__)
