"""Made-up runs, written to disk through the real records and the real journal, so that a study reads what a
trial leaves."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from probatio.core.records import ErrorType, Grade, Model, Response, Sampling, TrialKey
from probatio.core.trust import note_named
from probatio.runs.plan import Plan
from probatio.runs.record import RunRecord, write_run
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.language_suite import BUILT_IN, DEFAULT_SUITE, load_suite
from probatio.suites.prompt import fingerprint_as_asked

GRADER = "1"
MOMENT = "2026-01-05T20:27:27.000Z"
TYPES = ("translate_ts_to_faber", "translate_faber_to_ts", "predict_output", "write_faber")
CONTEXT_WORDS = {"examples-only": 0, "minimal": 200, "basic": 600, "grammar-only": 900, "complete": 3000}

Outcome = Callable[[TrialKey], bool | ErrorType]
"""Whether a trial passes, or the error type it ends in."""


def write_suite(folder: Path, tasks: int = 20, controls: int = 0, version: str = "1.0.0") -> Path:
    entries = [
        {
            "id": f"task_{number:02}", "type": TYPES[number % 4], "category": ("loops",
            "strings")[number % 2],
            "goal": "Print a number.", "input": f"console.log({number})", "input_faber": f"scribe {number}",
            "expected_output": str(number), "difficulty": ("easy", "hard")[number % 2],
        }
        for number in range(tasks)
    ]  # fmt: skip
    entries += [
        {
            "id": f"control_{number}",
            "type": "write_typescript",
            "category": "loops",
            "goal": "Print.",
            "expected_output": "1",
        }
        for number in range(controls)
    ]
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": entries}), encoding="utf-8")
    (folder / "contexts").mkdir(exist_ok=True)
    for context in CONTEXT_WORDS:
        (folder / "contexts" / f"{context}.md").write_text("word " * CONTEXT_WORDS[context], encoding="utf-8")
    built_in = yaml.safe_load((BUILT_IN / DEFAULT_SUITE / "language.yml").read_text(encoding="utf-8"))
    made_up = {**built_in, "version": version, "fingerprint": None, "contexts": [*CONTEXT_WORDS]}
    (folder / "language.yml").write_text(json.dumps(made_up), encoding="utf-8")
    note_named(folder)  # as `--suite` does for a run that was begun here
    return folder


def make_run(root: Path, tasks: int, outcome: Outcome, name: str = "r", **axes: Any) -> Path:
    """A made-up run `name` in this folder, on a made-up suite beside it."""
    return write_made_up_run(root / name, write_suite(root / "suite", tasks), outcome, **axes)


def write_made_up_run(
    folder: Path,
    suite: Path,
    outcome: Outcome,
    *,
    models: tuple[str, ...] = ("m",),
    contexts: tuple[str, ...] = ("minimal",),
    n_shots: tuple[int, ...] = (0,),
    dialects: tuple[str, ...] = ("latin",),
    samples: int = 1,
    tokens: bool = True,
    prompt_words: int = 1,
) -> Path:
    """A finished run in `folder`; each word of its prompts counts as one token."""
    asked = load_suite(suite)
    plan = Plan(models, dialects, contexts, n_shots, tuple(asked.tasks), samples)
    record = RunRecord(
        run_id=folder.name,
        created=MOMENT,
        framework_version="1.1",
        git_sha=None,
        suite=str(suite.resolve()),
        suite_name=asked.name,
        suite_version=asked.version,
        suite_fingerprint=fingerprint_as_asked(asked, GRADER),
        grader_version=GRADER,
        plan=plan,
        models=tuple(Model(name, name) for name in models),
        sampling=Sampling(),
        max_connections=1,
    )
    write_run(folder, record)
    encode = msgspec.json.Encoder().encode
    with (folder / ANSWERS).open("wb") as raw, (folder / GRADES).open("wb") as graded:
        for key in plan:
            response = _response(record, key, tokens, prompt_words, outcome(key))
            raw.write(encode(response) + b"\n")
            graded.write(encode(_grade(response, outcome(key))) + b"\n")
    return folder


def _response(
    record: RunRecord, key: TrialKey, tokens: bool, prompt_words: int, outcome: bool | ErrorType
) -> Response:
    shared = "word " * (prompt_words * (CONTEXT_WORDS.get(key.context, 50) + 40 * key.n_shot))
    prompt = f"{shared}{key.task_id} what does it print?"
    unasked = outcome == "api_error"
    return Response(
        timestamp=MOMENT,
        run_id=record.run_id,
        framework_version=record.framework_version,
        prompt=prompt,
        response=None if unasked else f"answer to {key.task_id}",
        error="503" if unasked else None,
        tokens_in=0 if unasked or not tokens else len(prompt) // 5,
        **key._asdict(),
    )


def _grade(response: Response, outcome: bool | ErrorType) -> Grade:
    right = outcome is True
    error: ErrorType | None = None if right else outcome if isinstance(outcome, str) else "wrong_output"
    level_a = error not in ("syntax_error", "type_error", "api_error", "no_response")
    level_b = level_a and error not in ("runtime_error", "timeout")
    return Grade(
        timestamp=MOMENT,
        run_id=response.run_id,
        framework_version=response.framework_version,
        level_a=level_a,
        level_b=level_b,
        level_c=right,
        correct=right,
        error_type=error,
        error_detail=None if right else (f"why {response.task_id} failed"),
        grader_version=GRADER,
        score=float(right),
        **response.key._asdict(),
    )


def by_chance(chance: Callable[[TrialKey], float], seed: int = 1) -> Outcome:
    """Passes with the chance that its condition gives, the same way each time it is asked."""

    def outcome(key: TrialKey) -> bool:
        return random.Random(f"{seed} {key}").random() < chance(key)

    return outcome
