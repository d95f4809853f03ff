"""The demo: a results folder of simulated models, so that a newcomer sees what verdicts look like. Marked SIMULATED throughout.

Scores come from the simulator's own generator; the samples below them are made to fit, and scores are taken from the samples.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from probatio.day.folder import day_folder, write_record, write_scores
from probatio.errors import UsageError
from probatio.records import NO_DIALECT, Calibration, DailyScore, DayRecord, Grade, Model, Response, Sampling
from probatio.shipped import shipped
from probatio.simulate.synthetic import days_of
from probatio.site.bench import BENCH_FILE, Bench, BenchModel, PublishedResult, read_bench
from probatio.store.layout import ANSWERS, DAILY, DAY_FILE, GRADES
from probatio.suite.daily_suite import DailySuite, UseCase, load_daily

SEED = 7
SAMPLED_DAYS = 14
"""Days at the end that get raw samples; all of them would be hundreds of megabytes."""


class Role(NamedTuple):
    """What one simulated model shows."""

    vendor: str
    fault: str | None = None
    before_end: int = 0  # days before the last on which the fault begins
    lapse: tuple[int, int] | None = None  # days before the last between which it is a fifth worse, and then well again


CAST: dict[str, Role] = {
    "demo-steady": Role("Aster"),
    "demo-cooked": Role("Borealis", "drop-20-all", 1),
    "demo-forgotten": Role("Halcyon", "drop-20-all", 13),
    "demo-slowly-worse": Role("Cirrus", "decline", 30),
    "demo-rerouted": Role("Delphi", "route-change", 9),
    "demo-outage": Role("Ember", "outage", 20),
    "demo-one-use-case": Role("Fathom", "drop-20-one", 2),
    "demo-new": Role("Gale"),
    "demo-recovered": Role("Isthmus", lapse=(19, 7)),
}
NEW = "demo-new"
NEW_DAYS = 4
"""Days the newest model has been asked; it is still calibrating."""

BARRED_SHARE = 0.25
"""How far into the days the judge had shifted for a day: long before anything else happens."""

DRIFT_DAYS = 5
"""Days before it on which the judge's marks moved, each day a little further, and were still believed."""
LAPSE = 0.8
"""What is left of a score in a lapse."""

_PAGE = """<!doctype html>
<html lang="en"><head><title>Bakery</title>
<style>body {{ font-family: Georgia, serif; background: #fdf6ec; color: #3b2a1a; padding: 2em }}
h1 {{ color: #8c4a16 }}</style></head><body><h1>Simulated bakery no. {number}</h1><p>Fresh bread from six in the morning.</p>
<script>document.title = "SCRIPT RAN"; document.body.textContent = "SCRIPT RAN"; top.scriptRan = true;</script>
<img src="x" onerror="top.scriptRan = true"></body></html>"""


def fill(results: Path, days: int, last: dt.date) -> int:
    """Write `days` simulated days, the last being `last`; gives the number of samples written."""
    if (results / DAILY).exists() and any((results / DAILY).iterdir()):
        _require_simulated(results)
    if days < 1:
        raise UsageError("--days has to be at least 1.")
    suite = load_daily()
    first = last - dt.timedelta(days=days - 1)
    faults = {
        name: (role.fault, max(0, days - 1 - role.before_end)) for name, role in CAST.items() if role.fault is not None
    }
    rng, drawn = (np.random.default_rng(SEED + number) for number in range(2))
    drifted = int(BARRED_SHARE * days)
    count = 0
    for number, (date, scores) in enumerate(days_of(suite.manifest, list(CAST), first, days, faults=faults, seed=SEED)):
        left = days - 1 - number
        asked = [name for name in CAST if name != NEW or left < NEW_DAYS]
        barred = number == drifted
        lapsed = {name for name in asked if (lapse := CAST[name].lapse) and lapse[0] >= left > lapse[1]}
        lines = [
            _named(_lapsed(line) if line.model in lapsed else line, suite, barred, drawn)
            for line in scores
            if line.model in asked
        ]
        folder = day_folder(results, date.isoformat())
        folder.mkdir(parents=True, exist_ok=True)
        if left < SAMPLED_DAYS:
            lines, written = _with_samples(folder, lines, suite, rng)
            count += written
        write_record(folder, _record(suite, date, asked, drifted - number, rng))
        write_scores(folder, lines)
    _write_bench(results)
    return count


def _write_bench(results: Path) -> None:
    """Public results of the simulated models, beside their days."""
    shipped_bench = read_bench(shipped("config/bench.yml"))
    figures = {
        part: PublishedResult(
            round(each.low + share * (each.high - each.low), 1), "https://example.org/simulated", "2026-01"
        )
        for (part, each), share in zip(shipped_bench.parts.items(), (0.62, 0.71, 0.58, 0.49, 0.66), strict=False)
    }
    partial = dict(list(figures.items())[1:])
    models = tuple(
        BenchModel((name,), figures if number % 2 else partial) for number, name in enumerate(CAST) if name != NEW
    )
    written = msgspec.json.format(msgspec.json.encode(Bench(shipped_bench.parts, models)), indent=2)  # JSON is YAML
    (results / BENCH_FILE).write_bytes(written + b"\n")


def _require_simulated(results: Path) -> None:
    records = sorted((results / DAILY).glob(f"*/{DAY_FILE}"))
    real = [path for path in records if not msgspec.json.decode(path.read_bytes()).get("simulated")]
    if real:
        raise UsageError(f"{results} holds real days; the demo goes into a folder of its own, named with --out.")
    raise UsageError(f"{results} holds a demo already; remove the folder to make it anew, or name another with --out.")


def _record(suite: DailySuite, date: dt.date, asked: list[str], ahead: int, rng: np.random.Generator) -> DayRecord:
    """`ahead`: in how many days the judge is barred; it moves up to its bar before, and is itself again afterwards."""
    judge = suite.manifest.judge
    drift = 0.9 * judge.bar * (1 - ahead / (DRIFT_DAYS + 1)) if 0 < ahead <= DRIFT_DAYS else 0.0
    shift = 0.41 if ahead == 0 else float(np.round(drift + rng.normal(0, 0.03), 4))
    return DayRecord(
        date=date.isoformat(),
        created=f"{date.isoformat()}T06:00:00.000Z",
        suite_version=suite.version,
        suite_fingerprint="simulated",
        grader_version="simulated",
        models=tuple(Model(id=name, name=f"{CAST[name].vendor.lower()}/{name}") for name in asked),
        sampling=Sampling(),
        calibration=Calibration(judge=f"{judge.name} (simulated)", shift=shift, barred=abs(shift) > judge.bar),
        simulated=True,
    )


def _lapsed(line: DailyScore) -> DailyScore:
    if line.score is None or line.base_score is None:
        return line
    return msgspec.structs.replace(
        line,
        score=LAPSE * line.score,
        base_score=LAPSE * line.base_score,
        cases={case: LAPSE * share for case, share in line.cases.items()},
        full_power=True,
        trigger="flagged yesterday",
    )


def _named(line: DailyScore, suite: DailySuite, barred: bool, rng: np.random.Generator) -> DailyScore:
    """The generator's line with the suite's own case ids, providers with names, and the barred day. It has no cases of judged use
    cases; they are drawn around the score."""
    use_case = suite.use_cases[line.use_case]
    shares = list(line.cases.values())
    if line.score is not None and not shares:
        noise = rng.normal(0, 0.04, len(use_case.cases))
        shares = np.clip(line.score / 100 + noise - noise.mean(), 0, 1).round(4).tolist()
    cases = dict(zip((case.id for case in use_case.cases), shares, strict=False))
    vendor = CAST[line.model].vendor
    names = {"usual": vendor, "elsewhere": "Faraway Cloud"}
    return msgspec.structs.replace(
        line,
        cases=cases,
        barred=line.barred or (barred and line.grading != "deterministic"),
        route=names.get(line.route or "", line.route),
        providers={names.get(name, name): count for name, count in line.providers.items()},
        latency_ms=900.0,
        tokens_in=400 * max(1, line.n),
        tokens_out=250 * max(1, line.n),
        cost=0.0002 * max(1, line.n),
    )


def _with_samples(
    folder: Path, lines: list[DailyScore], suite: DailySuite, rng: np.random.Generator
) -> tuple[list[DailyScore], int]:
    encoder = msgspec.json.Encoder()
    rescored, count = [], 0
    with (folder / ANSWERS).open("wb") as raw, (folder / GRADES).open("wb") as graded:
        for line in lines:
            scores: dict[str, list[float]] = {}
            for response, grade in _samples(line, suite, rng):
                raw.write(encoder.encode(response) + b"\n")
                graded.write(encoder.encode(grade) + b"\n")
                scores.setdefault(grade.task_id, []).append(grade.score)
                count += 1
            rescored.append(_rescored(line, scores))
    return rescored, count


def _rescored(line: DailyScore, scores: dict[str, list[float]]) -> DailyScore:
    """The line with the score of its samples: the mean over cases of each case's mean."""
    if line.score is None or not scores:
        return line
    mean = float(np.mean([np.mean(each) for each in scores.values()]))
    return msgspec.structs.replace(line, score=round(100 * mean, 4), n=sum(map(len, scores.values())))


def _samples(line: DailyScore, suite: DailySuite, rng: np.random.Generator) -> Iterator[tuple[Response, Grade]]:
    use_case = suite.use_cases[line.use_case]
    which = "full" if line.full_power else "base"
    per_case = use_case.full_samples if line.full_power else use_case.base_samples
    level = (line.score if line.score is not None else 0.0) / 100
    common: dict[str, Any] = {
        "timestamp": f"{line.date}T06:0{len(use_case.id) % 10}:00.000Z",
        "run_id": line.date,
        "framework_version": suite.version,
        "model": line.model,
        "n_shot": 0,
        "dialect": NO_DIALECT,
        "context": which,
    }
    cases = [case for case in use_case.cases if case.id in line.cases] or list(use_case.cases)
    for case, row in zip(cases, _values(line, len(cases), per_case, level, rng), strict=True):
        for sample, value in enumerate(row.tolist()):
            yield (
                Response(
                    **common,
                    task_id=case.id,
                    sample=sample,
                    prompt=case.prompt,
                    response=None if line.gap else _answer(use_case, line, value, sample),
                    tokens_in=len(case.prompt) // 4,
                    tokens_out=0 if line.gap else int(rng.integers(80, 400)),
                    latency_ms=float(rng.integers(500, 1600)),
                    provider=None if line.gap else line.route,
                    resolved_model=f"{line.model}-2026-01-01",
                    finish_reason=None if line.gap else "stop",
                    cost=None if line.gap else float(np.round(rng.uniform(1e-5, 4e-4), 7)),
                    error="The provider did not answer (simulated outage)." if line.gap else None,
                ),
                _grade(common, use_case, line, case.id, sample, value),
            )


def _values(
    line: DailyScore, cases: int, per_case: int, level: float, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """[cases, samples], 0–1: the first sample of a case is the one the evidence bets on, the others make up the mean."""
    values = rng.normal(0, 0.05, (cases, per_case))
    values += level - values.mean()
    if line.cases:
        values[:, 0] = list(line.cases.values())
        if per_case > 1:
            values[:, 1:] += level - values.mean() if line.full_power else 0.0
    return np.clip(values, 0, 1).round(4)


def _grade(common: dict[str, Any], use_case: UseCase, line: DailyScore, case: str, sample: int, value: float) -> Grade:
    asked = line.gap is None
    weight = use_case.checked_weight
    marks = {}
    if use_case.rubric is not None and asked:
        mark = round(1 + 4 * value)
        marks = {
            each.id: {"mark": mark, "reason": f"Simulated: reads like a {mark} by its anchor."}
            for each in use_case.rubric.criteria
        }
    parts = [
        {"name": name, "score": value, "weight": 1.0, "detail": "simulated"} for name in ("form", "content") if weight
    ]
    breakdown = {
        "use_case": use_case.id,
        "checked": value if weight and asked else None,
        "judged": value if weight < 1 and asked else None,
        "parts": parts if asked else [],
        "penalty": 0.0,
        "marks": marks,
        "note": "SIMULATED",
    }
    return Grade(
        **common,
        task_id=case,
        sample=sample,
        level_a=asked,
        level_b=asked and value > 0,
        level_c=asked and value >= 1,
        correct=asked and value >= 1,
        error_type=None if asked else "api_error",
        error_detail=None if asked else "The provider did not answer (simulated outage).",
        score=value if asked else 0.0,
        breakdown=breakdown,
        grader_version="simulated",
    )


def _answer(use_case: UseCase, line: DailyScore, value: float, sample: int) -> str:
    if use_case.id == "web_design":
        return "Here is the page you asked for:\n\n```html\n" + _PAGE.format(number=sample + 1) + "\n```"
    return (
        f"SIMULATED answer of {line.model}, no model was asked. It stands for an answer in {use_case.title} that is worth "
        f"{100 * value:.0f} of 100 points.\n\n"
        "Markup in an answer is text: <b>not bold</b>, <script>top.scriptRan = true</script>."
    )
