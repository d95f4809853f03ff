"""A day with graders and a judge of one's own: a grader that fails costs its own use case and no more, and is
tried again."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from probatio.authoring.new import STARTERS
from probatio.core.records import UNCHECKED, DailyScore, SampleGrade
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import load_daily

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

DAY = "2026-03-10"


class Watch:
    """The suite that `suite new --daily` writes, asked of one model that knows every gold answer."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, folder / "results"
        self.suite = shutil.copytree(STARTERS / "daily", folder / "suite")
        self.config = folder / "models.yml"
        loaded = load_daily(self.suite)
        proofs = [proof for use_case in loaded.use_cases.values() for proof in read_proofs(loaded, use_case)]
        gold = {proof.case: proof.answer for proof in proofs if proof.kind == "gold"}
        self.answers = {case.prompt: gold[case.id] for case in loaded.cases.values()}

    def manifest(self, **keys: Any) -> None:
        before = yaml.safe_load((self.suite / "suite.yml").read_text())
        (self.suite / "suite.yml").write_text(yaml.safe_dump({**before, **keys}))

    def grader(self, grader: Any) -> None:
        entries = yaml.safe_load((self.suite / "suite.yml").read_text())["use_cases"]
        self.manifest(use_cases=[entries[0], {"id": "triage", "grader": grader}])

    def reply(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        if body["model"] == "house-judge":
            return json.dumps({"tone": {"mark": 2 if "Dear 2" in prompt else 4, "reason": "as it is"}})
        return self.answers[prompt]

    def day(self, double: Double, *flags: str) -> Done:
        models = [{"id": "one", "name": "one", "base_url": double.base_url}]
        self.config.write_text(yaml.safe_dump({"models": models}))
        return self.probatio(
            "daily",
            "--date",
            DAY,
            "--replay",
            "--config",
            str(self.config),
            "--results",
            str(self.results),
            *flags,
        )

    def probatio(self, *words: str) -> Done:
        return probatio(*words, *(("--suite", str(self.suite)) if words[0] in ("daily", "judge") else ()))

    @property
    def scores(self) -> dict[str, DailyScore]:
        lines = read_lines(self.results / "daily" / DAY / "scores.jsonl", DailyScore)
        return {line.use_case: line for line in lines}

    @property
    def grades(self) -> list[SampleGrade]:
        return list(read_lines(self.results / "daily" / DAY / "graded_results.jsonl", SampleGrade))


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import time; time.sleep(99)", "did not end within 0.5 s"),
        ("while True: print('x' * 100_000)", "printed more than 1,000,000 bytes"),
        ("import os\nwhile True: os.fork()", "ended with exit 1"),
        ('print(\'{"score": 7, "parts": []}\')', "does not print what it should"),
        ("print(1.5)", "printed 1.5; a score lies between 0 and 1"),
        ("print('yes')", "does not print a number from 0 to 1, true or false, or one JSON object"),
    ],
)
def test_a_grader_that_fails_leaves_its_answers_unchecked_and_the_day_goes_on(
    watch: Watch, text: str, said: str
) -> None:
    (watch.suite / "triage" / "grader.py").write_text(text)
    watch.grader(
        {"command": ["{python}", "{folder}/grader.py"], "limits": {"seconds": 0.5 if "sleep" in text else 20}}
    )
    with Double(reply=watch.reply) as double:
        done = watch.day(double)
    assert done.returncode == 0, done.output
    assert watch.scores["orders"].score == 100.0
    triage = watch.scores["triage"]
    assert triage.score is None
    assert triage.gap is not None and "answers could not be graded" in triage.gap
    assert said in triage.gap
    assert triage.unchecked == triage.errored > 0


def test_a_grader_that_was_not_there_grades_the_kept_answers_later(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = watch.folder / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    watch.grader({"command": ["my-grader"]})
    with Double(reply=watch.reply) as double:
        done = watch.day(double)
        assert "command names `my-grader`, which is not on PATH" in done.output
        assert "The answers of `triage` are kept and graded when the day is run again." in done.output
        assert watch.scores["triage"].score is None
        assert {grade.error_type for grade in watch.grades if grade.case.startswith("triage")} == {UNCHECKED}
        asked = len(double.bodies)
        says = '{\\"score\\": 1, \\"parts\\": [{\\"name\\": \\"read\\", \\"score\\": 1}]}'
        (tools / "my-grader").write_text(f'#!/usr/bin/awk -f\nEND {{ print "{says}" }}\n')
        (tools / "my-grader").chmod(0o755)
        assert watch.day(double).returncode == 0
        assert len(double.bodies) == asked
    assert watch.scores["triage"].score == 100.0
    assert watch.probatio("verify", "--results", str(watch.results)).returncode == 0


def test_a_hybrid_use_case_with_an_own_rubric_grader_and_judge(watch: Watch) -> None:
    anchors = {n: f"anchor {n}" for n in range(1, 6)}
    rubric = {"criteria": [{"id": "tone", "question": "How is its tone?", "anchors": anchors}]}
    (watch.suite / "triage" / "rubric.yml").write_text(yaml.safe_dump(rubric))
    items = [
        {
            "id": f"i{n}",
            "use_case": "triage",
            "case": "triage_offer",
            "answer": f"Dear {n % 2 * 2}.",
            "marks": {"tone": 4},
        }
        for n in range(12)
    ]
    (watch.suite / "calibration.yml").write_text("# frozen\n" + yaml.safe_dump({"items": items}))
    assert watch.probatio("suite", "check", str(watch.suite)).returncode == 0
    assert watch.probatio("suite", "trust", str(watch.suite), "--mine", "--yes").returncode == 0
    with Double(reply=watch.reply) as double:
        watch.manifest(judge={"name": "house-judge", "base_url": double.base_url})
        shifted = watch.probatio("daily", "calibrate")
        assert (shifted.returncode, "mean shift -1.000" in shifted.output) == (1, True), shifted.output
        pinned = watch.probatio("daily", "calibrate", "--pin")
        assert pinned.returncode == 0, pinned.output
        assert "Pinned as my-watch 0.1.1" in pinned.output
        done = watch.day(double)
        assert done.returncode == 0, done.output
    triage = watch.scores["triage"]
    assert (triage.grading, triage.checked, triage.judged, triage.score) == ("hybrid", 100.0, 75.0, 90.0)
    assert watch.probatio("verify", "--results", str(watch.results)).returncode == 0
