"""`suite new --daily` and `suite check` of a daily suite: what is written works, and what is wrong is refused
with a sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import probatio
from double import Double
from probatio.authoring.new import STARTERS

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return shutil.copytree(STARTERS / "daily", tmp_path / "watch")


def test_what_suite_new_writes_proves_itself(tmp_path: Path) -> None:
    done = probatio("suite", "new", "--daily", str(tmp_path / "mine"))
    assert done.returncode == 0, done.output
    assert "2 use cases and 8 cases" in done.output
    checked = probatio("suite", "check", str(tmp_path / "mine"), "--json")
    assert checked.returncode == 0, checked.output
    report = json.loads(checked.stdout)
    assert {proof["state"] for proof in report["proofs"]} == {"proven"}
    assert report["own_constants"] == []
    assert [row["grader"] for row in report["use_cases"]] == ["structured_extraction", "grader.py (own)"]
    again = probatio("suite", "new", "--daily", str(tmp_path / "mine"))
    assert "is not empty" in again.stderr


@pytest.mark.parametrize(
    ("kind", "graded", "by"),
    [
        ("python", "deterministic", "grader.py (own)"),
        ("command", "deterministic", "sh grade.sh (own)"),
        ("rubric", "judge", "the judge"),
    ],
)
def test_a_new_suite_with_a_grader_of_each_kind_proves_itself(
    tmp_path: Path, kind: str, graded: str, by: str
) -> None:
    done = probatio("suite", "new", "--daily", "mine", "--with", kind, cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert "Written: mine, with 1 use case and 3 cases." in done.output
    checked = probatio("suite", "check", "mine", "--json", cwd=tmp_path)
    assert checked.returncode == 0, checked.output
    report = json.loads(checked.stdout)
    open_claims = {proof["claim"] for proof in report["proofs"] if proof["state"] != "proven"}
    assert open_claims == (
        {"the judge marks as strictly as its calibration set says"} if by == "the judge" else set()
    )
    assert (report["own_constants"], report["missing"]) == ([], [])
    assert [(row["grading"], row["grader"]) for row in report["use_cases"]] == [(graded, by)]


def test_a_check_says_how_far_it_goes_without_a_judge(tmp_path: Path) -> None:
    probatio("suite", "new", "--daily", "mine", "--with", "rubric", cwd=tmp_path)
    checked = probatio("suite", "check", "mine", cwd=tmp_path)
    told = (
        "the judge: it was not asked, so nothing is known of its marks: probatio daily calibrate --suite mine"
    )
    assert f"Not proven:\n  {told}\n" in checked.stdout
    assert "3 proofs hold; 1 not proven" in checked.stdout


def test_the_calibration_answers_of_a_new_rubric_are_marked_by_a_judge(tmp_path: Path) -> None:
    suite = tmp_path / "mine"
    probatio("suite", "new", "--daily", "mine", "--with", "rubric", cwd=tmp_path)
    items = yaml.safe_load((suite / "calibration.yml").read_text())["items"]

    def mark(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        marks = next(item["marks"] for item in items if item["answer"].strip() in prompt)
        return json.dumps({name: {"mark": each, "reason": "as frozen"} for name, each in marks.items()})

    with Double(reply=mark) as double:
        _manifest(suite, judge={"name": "house-judge", "base_url": double.base_url})
        done = probatio("daily", "calibrate", "--suite", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert "mean shift +0.000, within the bar" in done.output


def test_a_grader_can_be_chosen_only_for_a_daily_suite(tmp_path: Path) -> None:
    done = probatio("suite", "new", "mine", "--with", "rubric", cwd=tmp_path)
    told = "probatio: --with is for daily suites: probatio suite new --daily DIR --with rubric\n"
    assert (done.returncode, done.stderr) == (2, told)
    assert not (tmp_path / "mine").exists()


def generous(suite: Path) -> None:
    says = '{"score": 1, "parts": [{"name": "all", "score": 1}]}'
    (suite / "triage" / "grader.py").write_text(f"print('{says}')\n")


def hanging(suite: Path) -> None:
    (suite / "triage" / "grader.py").write_text("import time; time.sleep(99)\n")
    grader = {"command": ["{python}", "{folder}/grader.py"], "limits": {"seconds": 0.5}}
    _manifest(suite, use_cases=[{"id": "triage", "grader": grader}])


def missing(suite: Path) -> None:
    _manifest(suite, use_cases=[{"id": "triage", "grader": {"command": ["no-such-grader"]}}])


def id_twice(suite: Path) -> None:
    cases = _cases(suite)
    cases.append(cases[0])
    (suite / "triage" / "cases.yml").write_text(yaml.safe_dump({"cases": cases}))


def without_gold(suite: Path) -> None:
    cases = [
        *_cases(suite),
        {"id": "triage_new", "prompt": "Sort this.", "gold": {"team": "sales", "urgent": "no"}},
    ]
    (suite / "triage" / "cases.yml").write_text(yaml.safe_dump({"cases": cases}))


def never_cooked(suite: Path) -> None:
    impossible = {"cooked": {"z": -90.0, "drop": 2.0}, "collapse": 2.0}
    _manifest(suite, rule={"deterministic": impossible})


def other_content(suite: Path) -> None:
    _manifest(suite, fingerprint="0123456789abcdef")


def without_calibration(suite: Path) -> None:
    criterion = {"id": "tone", "question": "How is its tone?", "anchors": {n: str(n) for n in range(1, 6)}}
    (suite / "triage" / "rubric.yml").write_text(yaml.safe_dump({"criteria": [criterion]}))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            generous,
            "a wrong answer does not get what its proof says: “the wrong team” gets 1, its proof says "
            "0.333333.",
        ),
        (generous, "case triage_offer: an answer that copies the question gets full marks."),
        (
            hanging,
            "the grader can't be used: could not be checked: the grader of `triage` did not end within 0.5 "
            "s.",
        ),
        (missing, "command names `no-such-grader`, which is not on PATH"),
        (id_twice, "ids are not unique"),
        (without_gold, "case triage_new: the gold answer does not get full marks: there is none; write one"),
        (never_cooked, "no model could ever be COOKED"),
        (other_content, "the fingerprint is not the pinned one: suite.yml says 0123456789abcdef, it is"),
        (without_calibration, "the judge can't be calibrated"),
    ],
)
def test_a_suite_that_does_not_hold_what_it_says_is_refused(
    suite: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(suite)
    done = probatio("suite", "check", str(suite))
    assert said in done.output
    assert "FAILED" in done.output.splitlines()[-1]
    assert done.returncode == 1


def test_a_proof_with_a_score_and_bounds_is_refused(suite: Path) -> None:
    proof = {"case": _cases(suite)[0]["id"], "kind": "wrong", "answer": "?", "score": 0.5, "at_most": 0.9}
    (suite / "triage" / "proofs.yml").write_text(yaml.safe_dump({"proofs": [proof]}))
    done = probatio("suite", "check", str(suite))
    assert "proof 1: give a `score`, or `at_least` and `at_most`, not both." in done.stderr


def test_constants_of_its_own_are_shown_beside_the_built_in_ones(suite: Path) -> None:
    _manifest(suite, rule={"baseline_min": 7})
    done = probatio("suite", "check", str(suite))
    assert done.returncode == 0, done.output
    assert "rule.baseline_min: 7 (built-in: 5)" in done.output


def test_a_grader_outside_the_jail_is_a_warning(suite: Path) -> None:
    grader = {"command": ["{python}", "{folder}/grader.py"], "isolation": "none"}
    _manifest(suite, use_cases=[{"id": "triage", "grader": grader}])
    assert probatio("suite", "trust", str(suite), "--yes").returncode == 0
    done = probatio("suite", "check", str(suite))
    assert done.returncode == 0, done.output
    assert "use case triage: the grader runs outside the jail: isolation: none." in done.output


def _cases(suite: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = yaml.safe_load((suite / "triage" / "cases.yml").read_text())["cases"]
    return cases


def _manifest(suite: Path, **keys: Any) -> None:
    manifest = yaml.safe_load((suite / "suite.yml").read_text())
    (suite / "suite.yml").write_text(yaml.safe_dump({**manifest, **keys}))
