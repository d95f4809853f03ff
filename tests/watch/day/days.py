"""A small daily suite on disk, `probatio daily` against a double that answers by script, and what it left."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from commandline import PROCESS, Done, probatio
from double import Double
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.records import DailyScore, DayRecord, Model, SampleAnswer, SampleGrade, SampleKey, Sampling
from probatio.core.trust import trust_folder
from probatio.grading.judge.asking import JudgeReply
from probatio.runs.store.layout import ANSWERS, GRADES, JUDGE_REPLIES, SCORES
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import DAILY, load_daily
from probatio.watch.day.folder import day_folder, write_record, write_scores

DAY = "2026-03-10"
VERSION = "0.1.0"
JUDGE = "double/judge-2026-01-01"
MODEL = "gpt-4o-mini"
EXTRACTION, SUMMARY, STORY = "structured_extraction", "summarization", "creative_writing"
CRITERIA = ("clarity", "fit")
RUBRIC = {
    "criteria": [
        {
            "id": name,
            "question": f"How is its {name}?",
            "anchors": {n: f"anchor {n}" for n in range(1, 6)},
            "weight": 1,
        }
        for name in CRITERIA
    ]
}
FROZEN = 12  # calibration answers per judged use case of the small suite
STORIES: list[dict[str, Any]] = [
    {"id": f"story_{n}", "prompt": f"Tell me story number {n}.", "difficulty": 1} for n in (1, 2)
]

Script = Callable[[dict[str, Any]], str]


def small_suite(folder: Path, *use_cases: str, cases: int = 2) -> Path:
    """The first cases of a few built-in use cases under a manifest of their own, with a judge and frozen
    answers of ours."""
    manifest = yaml.load((DAILY / "suite.yml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    chosen = use_cases or (EXTRACTION, SUMMARY, STORY)
    manifest |= {"name": "small", "version": VERSION, "fingerprint": "unpinned"}
    manifest.pop("forms")
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
            (there / "rubric.yml").write_text(dump(RUBRIC), encoding="utf-8")
            frozen += [
                {
                    "id": f"{entry['id']}_{n}",
                    "use_case": entry["id"],
                    "case": kept[0]["id"],
                    "answer": f"worth [mark {mark}]",
                    "marks": dict.fromkeys(CRITERIA, mark),
                }
                for n, mark in enumerate((2, 3, 4) * 4)
            ]
    if frozen:
        (folder / "calibration.yml").write_text("# frozen\n" + dump({"items": frozen}), encoding="utf-8")
    (folder / "suite.yml").write_text("# the manifest\n" + dump(manifest), encoding="utf-8")
    trust_folder(folder, mine=True)  # its judge has a key of its own
    return folder


def dump(data: object) -> str:
    text: str = yaml.dump(data, Dumper=yaml.CSafeDumper)
    return text


@cache
def built_in(use_case: str, kind: str) -> list[dict[str, Any]]:
    """The entries of a built-in file, read once: nobody changes them."""
    text = (DAILY / use_case / f"{kind}.yml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.load(text, Loader=yaml.CSafeLoader)[kind]
    return found


def gold_script(*use_cases: str, judge: Callable[[str], str] | None = None) -> Script:
    """Answers every case of these use cases with the gold of its proofs, and as the judge gives what the
    answer is worth."""
    answers: dict[str, str] = {}
    for use_case in use_cases or (EXTRACTION, SUMMARY):
        golds = {
            proof["case"]: proof["answer"]
            for proof in built_in(use_case, "proofs")
            if proof["kind"] == "gold"
        }
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
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENROUTER", "OPENAI"))
    }
    keys = {"OPENROUTER_API_KEY": "key", "OPENROUTER_BASE_URL": double.base_url}
    return {**clean, **keys, **({"JUDGE_KEY": "judge's key"} if judge else {})}


def argv(
    root: Path, *flags: str, day: str | None = DAY, model: str | None = MODEL, replay: bool = True
) -> list[str]:
    suite = root / "suite" if (root / "suite").exists() else small_suite(root / "suite")
    given = ["--suite", str(suite), "--results", str(root / "results"), *(["--date", day] if day else [])]
    given += ["--replay"] if replay else []
    return [*PROCESS, "daily", *given, *(["--model", model] if model else []), *flags]


def run(
    root: Path,
    double: Double,
    *flags: str,
    judge: bool = True,
    day: str | None = DAY,
    model: str | None = MODEL,
    replay: bool = True,
) -> Done:
    """The day, in this process."""
    words = argv(root, *flags, day=day, model=model, replay=replay)
    return probatio(*words, env=environment(double, judge=judge), cwd=root)


def scores(root: Path, day: str = DAY) -> dict[str, DailyScore]:
    """Use case → its score, of the only model."""
    return {
        score.use_case: score for score in read_lines(root / "results" / "daily" / day / SCORES, DailyScore)
    }


def record(root: Path, day: str = DAY) -> DayRecord:
    return msgspec.json.decode((root / "results" / "daily" / day / "day.json").read_bytes(), type=DayRecord)


def asked(root: Path, day: str = DAY) -> Counter[SampleKey]:
    return Counter(line.key for line in read_lines(root / "results" / "daily" / day / ANSWERS, SampleAnswer))


def grades(root: Path, day: str = DAY) -> list[SampleGrade]:
    return list(read_lines(root / "results" / "daily" / day / GRADES, SampleGrade))


def judged(root: Path, day: str = DAY) -> list[JudgeReply]:
    return list(read_lines(root / "results" / "daily" / day / JUDGE_REPLIES, JudgeReply))


def files(root: Path, day: str = DAY) -> dict[str, bytes]:
    folder = root / "results" / "daily"
    found = [*(folder / day).glob("*.json*"), folder / "ledger.jsonl"]
    return {path.name: path.read_bytes() for path in found}


def history(
    root: Path, values: dict[str, list[float]], *, until: str = DAY, route: str | None = "DoubleCo"
) -> None:
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
                date=day,
                created=day,
                suite_version=VERSION,
                suite_fingerprint=content,
                grader_version=(""),
                models=(model,),
                sampling=Sampling(),
                suite=str(root / "suite"),
            ),
        )
        write_scores(
            folder,
            [
                DailyScore(
                    date=day,
                    model=MODEL,
                    use_case=use_case,
                    grading=gradings[use_case],  # type: ignore[arg-type]
                    suite_version=VERSION,
                    score=each[number],
                    base_score=each[number],
                    n=6,
                    base_n=2,
                    full_power=True,
                    route=route,
                    providers={route: 6} if route else {},
                )
                for use_case, each in values.items()
            ],
        )
