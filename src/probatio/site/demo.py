"""The demo: a results folder of simulated models, so that a newcomer sees verdicts and learning curves.

Everything in it is marked SIMULATED. The scores of its days come from `watch/simulate/days.py`, what its
models say from `demo_answers.py`. Its runs are two simulated models that learn the built-in languages, asked
with the prompts of the suites.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import numpy as np

from probatio import __version__
from probatio.core.errors import UsageError
from probatio.core.jsonfile import read_json
from probatio.core.records import (
    Calibration,
    DailyScore,
    DayRecord,
    ErrorType,
    Grade,
    Model,
    Response,
    Sampling,
)
from probatio.runs.plan import Plan
from probatio.runs.record import RunRecord, write_run
from probatio.runs.store.layout import ANSWERS, DAILY, DAY_FILE, GRADES
from probatio.site.demo_answers import give_answer
from probatio.site.pages.bench import BENCH_FILE, Bench, BenchModel, PublishedResult, read_bench
from probatio.site.shipped import BENCH
from probatio.suites.daily_suite import DailySuite, UseCase, load_daily
from probatio.suites.language_suite import BUILT_IN, Suite, list_built_in_suites, load_suite
from probatio.suites.prompt import fingerprint_as_asked, render
from probatio.watch.day.folder import day_folder, write_record, write_scores
from probatio.watch.simulate.days import draw_samples, name_cases, simulate_days
from probatio.watch.simulate.faults import SimulatedFault
from probatio.watch.verdict.cause.symptoms import count_answers

SEED = 7
SAMPLED_DAYS = 14
"""Days at the end that get raw samples of every model; all days would be hundreds of megabytes."""
SAMPLED_BEFORE = 7
"""Days before a model's fault from which on it has samples: a fall is shown with the answers before
it."""


class Role(NamedTuple):
    """What one simulated model shows."""

    vendor: str
    fault: str | SimulatedFault | None = None
    before_end: int = 0  # days before the last on which the fault begins


CAST: dict[str, Role] = {
    "demo-steady": Role("Aster"),
    "demo-cooked": Role("Borealis", "drop-20-all", 1),
    "demo-forgotten": Role("Halcyon", "drop-20-all", 13),
    "demo-slowly-worse": Role("Cirrus", "decline", 30),
    "demo-rerouted": Role("Delphi", "route-change", 9),
    "demo-outage": Role("Ember", "outage", 20),
    "demo-one-use-case": Role("Fathom", "drop-20-one", 1),
    "demo-new": Role("Gale"),
    "demo-recovered": Role(
        "Isthmus", SimulatedFault("a fifth lost for some days", reach=None, drop=0.2, lasts=12), 19
    ),
}
NEW = "demo-new"
NEW_DAYS = 4
"""Days the newest model has been asked; it is still calibrating."""

BARRED_SHARE = 0.25
"""How far into the days the judge had shifted for a day: long before anything else happens."""

DRIFT_DAYS = 5
"""Days before it on which the judge's marks moved, each day a little further, and were still believed."""

_PAGE = """<!doctype html>
<html lang="en"><head><title>Bakery</title>
<style>body {{ font-family: Georgia, serif; background: #fdf6ec; color: #3b2a1a; padding: 2em }}
h1 {{ color: #8c4a16 }}</style></head><body><h1>Simulated bakery no. {number}</h1>
<p>Fresh bread from six in the morning. Worth {points:.0f} of 100 points.</p>
<script>document.title = "SCRIPT RAN"; document.body.textContent = "SCRIPT RAN"; \
top.scriptRan = true;</script>
<img src="x" onerror="top.scriptRan = true"></body></html>"""


RUN_SEED = 11
GRADER = "simulated"
RUN_TASKS = 12
"""Of each suite, evenly spread. Prompts with a whole grammar are long: all tasks would be tens of
megabytes."""
N_SHOTS = (0, 3)
CHARACTERS_PER_TOKEN = 3.6
DOLLARS_PER_TOKEN_OUT = 4.0  # times the price of one that is read


class Learner(NamedTuple):
    """A simulated model: its log odds with 300 tokens of teaching, the gain from each e-fold more, and its
    price."""

    start: float  # log odds
    gain: float
    dollars_per_million: float


LEARNERS = {
    "demo-quick-study": Learner(0.6, 1.2, 3.0),
    "demo-slow-study": Learner(-1.2, 0.7, 0.25),
}
LANGUAGES = dict(zip(list_built_in_suites(), (0.0, 0.5, -0.4), strict=False))
"""Built-in suite → how much easier its language is, in log odds."""
DIALECT_COST = 0.8
"""What a dialect other than the first costs, in log odds."""
STEP_COST = 0.9
"""What a step of difficulty costs, in log odds."""
ERRORS: tuple[ErrorType, ...] = ("syntax_error", "type_error", "runtime_error", "wrong_output")


def fill_days(results: Path, days: int, last: dt.date) -> int:
    """Write `days` simulated days that end with `last`. Returns the number of samples."""
    if (results / DAILY).exists() and any((results / DAILY).iterdir()):
        _require_simulated(results)
    if days < 1:
        raise UsageError("--days has to be at least 1.")
    suite = load_daily()
    first = last - dt.timedelta(days=days - 1)
    faults = {
        name: (role.fault, max(0, days - 1 - role.before_end))
        for name, role in CAST.items()
        if role.fault is not None
    }
    rng, drawn, early, judge = (np.random.default_rng(SEED + number) for number in (0, 1, 2, 4))
    drifted = int(BARRED_SHARE * days)
    count = 0
    simulated = simulate_days(suite.manifest, list(CAST), first, days, faults=faults, seed=SEED)
    for number, (date, scores) in enumerate(simulated):
        left = days - 1 - number
        asked = [name for name in CAST if name != NEW or left < NEW_DAYS]
        barred = number == drifted
        lines = [_dress(line, suite, barred, drawn) for line in scores if line.model in asked]
        folder = day_folder(results, date.isoformat())
        folder.mkdir(parents=True, exist_ok=True)
        if left < SAMPLED_DAYS:
            lines, written = _write_samples(folder, lines, suite, rng)
            count += written
        elif faulty := {
            name for name in asked if CAST[name].fault and left <= CAST[name].before_end + SAMPLED_BEFORE
        }:
            sampled, written = _write_samples(
                folder, [each for each in lines if each.model in faulty], suite, early
            )
            lines = [*(each for each in lines if each.model not in faulty), *sampled]
            count += written
        write_record(folder, _record(suite, date, asked, drifted - number, judge))
        write_scores(folder, lines)
    _write_bench(results)
    return count


def fill_runs(results: Path, last: dt.date) -> list[str]:
    """Write one run per language, begun on `last`. Returns their names."""
    return [_fill_run(results, name, ease, last) for name, ease in LANGUAGES.items()]


def _write_bench(results: Path) -> None:
    """Write public results of the simulated models next to their days."""
    shipped_bench = read_bench(BENCH)
    shares = (0.62, 0.71, 0.58, 0.49, 0.66)
    models = []
    for number, name in enumerate(CAST):
        figures = {
            part: PublishedResult(
                round(each.low + (share + 0.03 * (number % 5 - 2)) * (each.high - each.low), 1),
                "https://example.org/simulated",
                "2026-01",
            )
            for (part, each), share in zip(shipped_bench.parts.items(), shares, strict=False)
        }
        if name != NEW:
            models.append(BenchModel((name,), figures if number % 2 else dict(list(figures.items())[1:])))
    written = msgspec.json.format(
        msgspec.json.encode(Bench(shipped_bench.parts, tuple(models))), indent=2
    )  # JSON is YAML
    (results / BENCH_FILE).write_bytes(written + b"\n")


def _require_simulated(results: Path) -> None:
    records = sorted((results / DAILY).glob(f"*/{DAY_FILE}"))
    real = [path for path in records if not read_json(path, DayRecord, "a day's record").simulated]
    if real:
        raise UsageError(
            f"{results} holds real days; the demo goes into a folder of its own, named with --results."
        )
    raise UsageError(
        f"{results} holds a demo already; remove the folder to make it again, or name another with --results."
    )


def _record(
    suite: DailySuite, date: dt.date, asked: list[str], ahead: int, rng: np.random.Generator
) -> DayRecord:
    """`ahead`: in how many days the judge is barred. Its marks drift to the bar before that day and are
    normal again after it."""
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
        calibration=Calibration(
            judge=f"{judge.name} (simulated)", shift=shift, barred=abs(shift) > judge.bar
        ),
        simulated=True,
    )


def _dress(line: DailyScore, suite: DailySuite, barred: bool, rng: np.random.Generator) -> DailyScore:
    """Give a generated line the cases of the suite, named providers, and the barred day."""
    named = name_cases(line, suite.use_cases[line.use_case], rng)
    names = {"usual": CAST[line.model].vendor, "elsewhere": "Faraway Cloud"}
    # Made of the names, not drawn: the scores of the demo stay what they were.
    wobble = crc32(f"{line.date} {line.model} {line.use_case}".encode()) / 2**32 - 0.5
    answers = count_answers(line)
    return msgspec.structs.replace(
        named,
        barred=line.barred or (barred and line.grading != "deterministic"),
        route=names.get(line.route or "", line.route),
        providers={names.get(name, name): count for name, count in line.providers.items()},
        latency_ms=None if line.gap else round(900 * (1 + 0.3 * wobble), 1),
        tokens_in=400 * answers,
        tokens_out=round(250 * (1 + 0.2 * wobble)) * answers,
        cost=None if line.gap else round(0.0002 * (1 + 0.1 * wobble) * answers, 8),
    )


def _write_samples(
    folder: Path, lines: list[DailyScore], suite: DailySuite, rng: np.random.Generator
) -> tuple[list[DailyScore], int]:
    """Write answers and grades of these lines. Returns the lines with the scores of their samples, and the
    number of samples."""
    drawn = [draw_samples(line, suite, rng, _answer) for line in lines]
    count = _write_graded(folder, (give_answer(*sample) for _, samples in drawn for sample in samples))
    return [fitted for fitted, _ in drawn], count


def _write_graded(folder: Path, graded: Iterable[tuple[msgspec.Struct, msgspec.Struct]]) -> int:
    """Write answers with their grades. Returns how many there are."""
    encoder, count = msgspec.json.Encoder(), 0
    with (folder / ANSWERS).open("wb") as answers, (folder / GRADES).open("wb") as grades:
        for response, grade in graded:
            count += 1
            answers.write(encoder.encode(response) + b"\n")
            grades.write(encoder.encode(grade) + b"\n")
    return count


def _answer(use_case: UseCase, line: DailyScore, value: float, sample: int) -> str:
    if use_case.id == "web_design":
        return (
            "Here is the page you asked for:\n\n```html\n"
            + _PAGE.format(number=sample + 1, points=100 * value)
            + "\n```"
        )
    return (
        f"SIMULATED answer of {line.model}, no model was asked. It stands for an answer in {use_case.title} "
        f"that is worth {100 * value:.0f} of 100 points.\n\n"
        "Markup in an answer is text: <b>not bold</b>, <script>top.scriptRan = true</script>."
    )


def _fill_run(results: Path, name: str, ease: float, last: dt.date) -> str:
    suite = load_suite(BUILT_IN / name)
    run, rng = f"demo-{name}", np.random.default_rng([RUN_SEED, *name.encode()])
    tasks = list(suite.tasks)[:: max(1, len(suite.tasks) // RUN_TASKS)][:RUN_TASKS]
    dialects = suite.language.dialects[:2]
    record = RunRecord(
        run_id=run,
        created=f"{last.isoformat()}T06:00:00.000Z",
        framework_version=__version__,
        git_sha=None,
        suite=name,
        suite_name=suite.name,
        suite_version=suite.version,
        suite_fingerprint=fingerprint_as_asked(suite, GRADER, dialects),
        grader_version=GRADER,
        plan=Plan(tuple(LEARNERS), tuple(dialects), tuple(suite.contexts), N_SHOTS, tuple(tasks)),
        models=tuple(
            Model(id=model, name=model, cost_per_1m_input=learner.dollars_per_million)
            for model, learner in LEARNERS.items()
        ),
        sampling=Sampling(),
        max_connections=1,
        config="simulated",
    )
    write_run(results / run, record)
    _write_graded(results / run, _draw_trials(suite, record, ease, rng))
    return run


def _draw_trials(
    suite: Suite, record: RunRecord, ease: float, rng: np.random.Generator
) -> Iterator[tuple[Response, Grade]]:
    plan = record.plan
    for number in range(len(plan)):
        key = plan[number]
        task, learner = suite.task(key.task_id, key.dialect), LEARNERS[key.model]
        prompt = render(suite, task, key.context, key.n_shot, key.dialect)
        tokens, written = round(len(prompt) / CHARACTERS_PER_TOKEN), int(rng.integers(30, 160))
        step = task.difficulty if isinstance(task.difficulty, int) else 2
        odds = learner.start + ease + learner.gain * log(tokens / 300) - STEP_COST * (step - 1)
        odds -= DIALECT_COST * (key.dialect != plan.dialects[0])
        right = bool(rng.random() < 1 / (1 + exp(-odds)))
        error = None if right else ERRORS[int(rng.integers(len(ERRORS)))]
        through = len(ERRORS) if error is None else ERRORS.index(error)
        common: dict[str, Any] = {
            "timestamp": record.created,
            "run_id": record.run_id,
            "framework_version": record.framework_version,
            "task_id": key.task_id,
            "model": key.model,
            "n_shot": key.n_shot,
            "dialect": key.dialect,
            "context": key.context,
            "sample": key.sample,
        }
        price = learner.dollars_per_million / 1e6
        yield (
            Response(
                **common,
                prompt=prompt,
                response=(
                    f"SIMULATED answer of {key.model}, no model was asked. It is "
                    f"{'right' if right else 'wrong'}."
                ),
                tokens_in=tokens,
                tokens_out=written,
                latency_ms=float(rng.integers(400, 1500)),
                finish_reason="stop",
                provider="Simulated",
                cost=round(price * (tokens + DOLLARS_PER_TOKEN_OUT * written), 7),
            ),
            Grade(
                **common,
                level_a=through > 1,
                level_b=through > 2,
                level_c=right,
                correct=right,
                error_type=error,
                error_detail=None if right else "Simulated.",
                score=float(right),
                breakdown={"note": "SIMULATED"},
                grader_version=GRADER,
            ),
        )
