"""A small daily suite on disk, `probatio daily` as a real process against a double that answers by script, and what it left."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import yaml

from double import Double
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.day.folder import day_folder, write_record, write_scores
from probatio.judge.asking import JudgeReply
from probatio.records import DailyScore, DayRecord, Grade, Model, Response, Sampling, TrialKey
from probatio.store.layout import ANSWERS, GRADES, JUDGE_REPLIES, SCORES
from probatio.store.lines import read_lines
from probatio.suite.daily_suite import DAILY, load_daily

COMMAND = [sys.executable, "-c", "from probatio.cli import main; main()"]
DAY = "2026-03-10"
VERSION = "0.1.0"
JUDGE = "double/judge-2026-01-01"
MODEL = "gpt-4o-mini"
EXTRACTION, SUMMARY, STORY = "structured_extraction", "summarization", "creative_writing"
CRITERIA = ("clarity", "fit")
RUBRIC = {
    "criteria": [
        {"id": name, "question": f"How is its {name}?", "anchors": {n: f"anchor {n}" for n in range(1, 6)}, "weight": 1}
        for name in CRITERIA
    ]
}
FROZEN = 12  # calibration answers per judged use case of the small suite
STORIES: list[dict[str, Any]] = [
    {"id": f"story_{n}", "prompt": f"Tell me story number {n}.", "difficulty": 1} for n in (1, 2)
]

Script = Callable[[dict[str, Any]], str]


def small_suite(folder: Path, *use_cases: str, cases: int = 2) -> Path:
    """The first cases of a few built-in use cases under a manifest of their own, with a judge and frozen answers of ours."""
    manifest = yaml.safe_load((DAILY / "suite.yml").read_text(encoding="utf-8"))
    chosen = use_cases or (EXTRACTION, SUMMARY, STORY)
    manifest |= {"name": "small", "version": VERSION, "fingerprint": "unpinned"}
    manifest["use_cases"] = [entry for entry in manifest["use_cases"] if entry["id"] in chosen]
    manifest["judge"] |= {"name": JUDGE, "route": [], "api_key_env": "JUDGE_KEY"}
    frozen = []
    for entry in manifest["use_cases"]:
        entry.pop("cases", None)  # they are not all here
        there = folder / entry["id"]
        there.mkdir(parents=True)
        kept = STORIES if entry["id"] == STORY else built_in(entry["id"], "cases")[:cases]
        (there / "cases.yml").write_text(json.dumps({"cases": kept}), encoding="utf-8")
        if entry["grading"] != "deterministic":
            (there / "rubric.yml").write_text(yaml.safe_dump(RUBRIC), encoding="utf-8")
            frozen += [
                {
                    "id": f"{entry['id']}_{n}", "use_case": entry["id"], "case": kept[0]["id"],
                    "answer": f"worth [mark {mark}]", "marks": dict.fromkeys(CRITERIA, mark),
                }
                for n, mark in enumerate((2, 3, 4) * 4)
            ]  # fmt: skip
    if frozen:
        (folder / "calibration.yml").write_text("# frozen\n" + yaml.safe_dump({"items": frozen}), encoding="utf-8")
    (folder / "suite.yml").write_text("# the manifest\n" + yaml.safe_dump(manifest), encoding="utf-8")
    return folder


def built_in(use_case: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((DAILY / use_case / f"{kind}.yml").read_text(encoding="utf-8"))[kind]
    return found


def gold_script(*use_cases: str, judge: Callable[[str], str] | None = None) -> Script:
    """Answers every case of these use cases with the gold of its proofs, and as the judge gives what the answer is worth."""
    answers: dict[str, str] = {}
    for use_case in use_cases or (EXTRACTION, SUMMARY):
        golds = {proof["case"]: proof["answer"] for proof in built_in(use_case, "proofs") if proof["kind"] == "gold"}
        answers |= {case["prompt"]: golds[case["id"]] for case in built_in(use_case, "cases")}
    answers |= {story["prompt"]: "Once upon a time, [mark 5]." for story in STORIES}

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        return (judge or marks_as_worth)(prompt) if body["model"] == JUDGE else answers[prompt]

    return reply


def marks_as_worth(prompt: str, change: dict[str, int] | None = None) -> str:
    """What the answer says it is worth; 4 where it says nothing."""
    worth = re.search(r"\[mark (\d)\]", prompt)
    mark = int(worth[1]) if worth else 4
    marks = {name: max(1, mark + (change or {}).get(name, 0)) for name in CRITERIA}
    return json.dumps({name: {"mark": each, "reason": "because"} for name, each in marks.items()})


def is_judge(body: dict[str, Any]) -> bool:
    return bool(body["model"] == JUDGE)


def environment(double: Double, *, judge: bool = True) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OPENROUTER", "OPENAI"))}
    keys = {"OPENROUTER_API_KEY": "key", "OPENROUTER_BASE_URL": double.base_url}
    return {**clean, **keys, **({"JUDGE_KEY": "judge's key"} if judge else {})}


def argv(root: Path, *flags: str, day: str | None = DAY, model: str | None = MODEL, replay: bool = True) -> list[str]:
    suite = root / "suite" if (root / "suite").exists() else small_suite(root / "suite")
    given = ["--suite", str(suite), "--results", str(root / "results"), *(["--date", day] if day else [])]
    given += ["--replay"] if replay else []
    return [*COMMAND, "daily", *given, *(["--model", model] if model else []), *flags]


def run(
    root: Path,
    double: Double,
    *flags: str,
    judge: bool = True,
    day: str | None = DAY,
    model: str | None = MODEL,
    replay: bool = True,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv(root, *flags, day=day, model=model, replay=replay), env=environment(double, judge=judge), cwd=root,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def scores(root: Path, day: str = DAY) -> dict[str, DailyScore]:
    """Use case → its score, of the only model."""
    return {score.use_case: score for score in read_lines(root / "results" / "daily" / day / SCORES, DailyScore)}


def record(root: Path, day: str = DAY) -> DayRecord:
    return msgspec.json.decode((root / "results" / "daily" / day / "day.json").read_bytes(), type=DayRecord)


def asked(root: Path, day: str = DAY) -> Counter[TrialKey]:
    return Counter(line.key for line in read_lines(root / "results" / "daily" / day / ANSWERS, Response))


def grades(root: Path, day: str = DAY) -> list[Grade]:
    return list(read_lines(root / "results" / "daily" / day / GRADES, Grade))


def judged(root: Path, day: str = DAY) -> list[JudgeReply]:
    return list(read_lines(root / "results" / "daily" / day / JUDGE_REPLIES, JudgeReply))


def files(root: Path, day: str = DAY) -> dict[str, bytes]:
    folder = root / "results" / "daily"
    found = [*(folder / day).glob("*.json*"), folder / "ledger.jsonl"]
    return {path.name: path.read_bytes() for path in found}


def history(root: Path, values: dict[str, list[float]], *, until: str = DAY, route: str | None = "DoubleCo") -> None:
    """Closed days before `until`, one for each value: use case → its scores, the last one yesterday's."""
    length = len(next(iter(values.values())))
    gradings = {EXTRACTION: "deterministic", SUMMARY: "hybrid", STORY: "judge"}
    content = daily_fingerprint(load_daily(root / "suite")) if (root / "suite").is_dir() else ""
    for number in range(length):
        day = (date.fromisoformat(until) - timedelta(days=length - number)).isoformat()
        folder = day_folder(root / "results", day)
        folder.mkdir(parents=True)
        model = Model(id=MODEL, name=f"openai/{MODEL}")
        write_record(
            folder,
            DayRecord(
                date=day, created=day, suite_version=VERSION, suite_fingerprint=content, grader_version="", models=(model,),
                sampling=Sampling(), suite=str(root / "suite"),
            ),
        )  # fmt: skip
        write_scores(
            folder,
            [
                DailyScore(
                    date=day, model=MODEL, use_case=use_case, grading=gradings[use_case], suite_version=VERSION,  # type: ignore[arg-type]
                    score=each[number], base_score=each[number], n=6, base_n=2, full_power=True, route=route,
                    providers={route: 6} if route else {},
                )
                for use_case, each in values.items()
            ],
        )  # fmt: skip
