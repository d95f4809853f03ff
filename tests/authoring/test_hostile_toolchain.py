"""A checker that hangs, floods, is missing or crashes: a clear sentence from `suite check` and `trial`, and
no wrong grade."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from authoring.asking import trial
from authoring.folders import checked, made
from double import Double
from probatio.authoring.check.report import format_report
from probatio.core.errors import UsageError

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

CHECK = 'check: [awk, -f, "{folder}/check.awk", -f, "{file}"]'
SCRIPT = 'check: ["{folder}/checker", "{file}"]'
LIMIT = ("language.yml", "limits: {seconds: 5, cpu_seconds: 5,", "limits: {seconds: 1, cpu_seconds: 5,")

HANGS = "#!/bin/sh\nwhile :; do :; done\n"
FLOODS = '#!/usr/bin/awk -f\nBEGIN { for (i = 0; i < 1024 * 1024; i++) printf "%1024s", "x" }\n'
CRASHES = "import ctypes; ctypes.string_at(0)"

FAULTS = {
    "hangs": (SCRIPT, HANGS, "the checker of AWK did not end within 1 s"),
    "prints 1 GB": (SCRIPT, FLOODS, "the checker of AWK printed more than 1,000,000 bytes"),
    "crashes": (
        'check: ["{python}", "{folder}/checker", "{file}"]', CRASHES,
        "the checker of AWK was ended by signal 11 (SIGSEGV)",
    ),
}  # fmt: skip
MISSING = 'check: [not-installed-anywhere, "{file}"]'
NOT_THERE = (
    "commands.check names `not-installed-anywhere`, which is not on PATH; install it, or correct the name."
)


def with_checker(folder: Path, check: str, script: str) -> Path:
    made(folder, ("language.yml", CHECK, check), LIMIT)
    (folder / "checker").write_text(script, encoding="utf-8")
    (folder / "checker").chmod(0o755)
    return folder


@pytest.mark.parametrize("fault", FAULTS)
def test_a_check_gives_up_with_the_reason(tmp_path: Path, fault: str) -> None:
    check, script, sentence = FAULTS[fault]
    report = checked(with_checker(tmp_path / "l", check, script))
    failed = [proof for proof in report.proofs if proof.state == "failed"]
    assert [proof.subject for proof in failed] == ["the folder"]
    assert failed[0].detail.startswith(sentence)
    assert list(format_report(report))[1].startswith(f"  the folder: the toolchain can't be used: {sentence}")
    assert report.seconds < 30


@pytest.mark.parametrize("fault", FAULTS)
def test_a_trial_grades_nothing_and_says_why(tmp_path: Path, fault: str) -> None:
    check, script, sentence = FAULTS[fault]
    with_checker(tmp_path / "l", check, script)
    with Double(reply=lambda body: "```awk\nBEGIN { print 1 }\n```") as double:
        done = trial(tmp_path, double, "l", "--task", "write_evens", "--context", "full")
    assert done.returncode == 0, done.stderr
    assert f"The first of them: write_evens could not be checked: {sentence}" in done.stdout
    assert "1 of 1 answers (100%) could not be checked" in done.stdout
    graded = json.loads((tmp_path / "results" / "r" / "graded_results.jsonl").read_text(encoding="utf-8"))
    assert graded["error_type"] == "unchecked"
    assert sentence in graded["error_detail"]


def test_a_checker_that_is_missing_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    folder = made(tmp_path / "l", ("language.yml", CHECK, MISSING))
    with pytest.raises(UsageError) as refused:
        checked(folder)
    assert str(refused.value) == f"language.yml of AWK: {NOT_THERE}"
    with Double() as double:
        done = trial(tmp_path, double, "l")
        assert not double.bodies
    assert done.returncode == 2
    assert done.stderr == f"probatio: language.yml of AWK: {NOT_THERE}\n"


def test_a_runner_that_hangs_is_given_up_too(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "l",
        ("language.yml", 'run: [awk, -f, "{file}"]', 'run: ["{folder}/runner", "{file}"]'),
        LIMIT,
    )
    (folder / "runner").write_text(HANGS, encoding="utf-8")
    (folder / "runner").chmod(0o755)
    report = checked(folder)
    assert "programs that should be right did not end within their time" in "\n".join(format_report(report))
    assert sum(proof.state == "open" for proof in report.proofs) > 20
    assert report.seconds < 30
