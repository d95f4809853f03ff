"""The built-in suite as a whole: gold answers through a real day, and the fingerprint that pins it to its
version."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from builtin.daily.gold import script
from commandline import Done, probatio
from double import Double
from probatio.builtin.daily import graders
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import CannotCheck
from probatio.jail.browser import chromium
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_suite import load_daily
from probatio.suites.language_suite import digest
from watch.day.days import DAY, MODEL, environment, grades, record, scores

SUITE = load_daily()
DETERMINISTIC = [use_case.id for use_case in SUITE.use_cases.values() if use_case.grading == "deterministic"]


def day(root: Path, double: Double, *flags: str) -> Done:
    given = ("--results", root / "results", "--date", DAY, "--model", MODEL, *flags)
    return probatio("daily", *given, env=environment(double), cwd=root)


def has_browser() -> bool:
    try:
        chromium.executable()
    except CannotCheck:
        return False
    return True


@pytest.mark.slow
def test_gold_answers_and_full_marks_give_100_in_the_whole_suite(tmp_path: Path) -> None:
    """Without a browser: in all use cases but the one that needs it."""
    asked = [each for each in SUITE.use_cases if each != "web_design" or has_browser()]
    with Double(reply=script()) as double:
        done = day(tmp_path, double, "--use-case", ",".join(asked))
    assert done.returncode == 0, done.stderr
    assert {use_case: score.score for use_case, score in scores(tmp_path).items()} == dict.fromkeys(
        asked, 100.0
    )
    assert not [grade for grade in grades(tmp_path) if grade.use_case in DETERMINISTIC and grade.error_type]
    standing = record(tmp_path).calibration
    assert standing is not None
    assert (standing.shift, standing.barred, len(standing.items)) == (
        0.0,
        False,
        len(load_calibration(SUITE)),
    )
    assert [score for score in scores(tmp_path).values() if score.errored] == []


def test_there_are_about_fifty_cases_of_graded_difficulty() -> None:
    assert 45 <= len(SUITE.cases) <= 60
    for use_case in SUITE.use_cases.values():
        assert {case.difficulty for case in use_case.cases} == {1, 2, 3}, use_case.id


def test_a_changed_suite_has_a_new_version() -> None:
    now, pinned = daily_fingerprint(SUITE), SUITE.manifest.fingerprint
    assert now == pinned, (
        "Cases, rubrics, calibration, constants or versions of graders of the daily suite have changed "
        "since version "
        f"{SUITE.version} was pinned: raise `version` in builtin/daily/suite.yml, which starts all "
        "baselines anew, and set "
        f"`fingerprint: {now}`. The parts by their digests: {_parts()}"
    )


def _parts() -> dict[str, str]:
    """What the fingerprint is made of, part by part, so that a difference between two machines can be
    found."""
    return {
        "manifest": digest(msgspec.to_builtins(SUITE.manifest, str_keys=True)),
        **{
            each.id: digest(msgspec.to_builtins([each.cases, each.rubric], str_keys=True))
            for each in SUITE.use_cases.values()
        },
        "versions": str({name: each.version for name, each in graders.GRADERS.items()}),
    }


@pytest.mark.parametrize("grader", graders.GRADERS)
def test_the_fingerprint_moves_with_the_version_of_every_grader(
    grader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised = graders.GRADERS[grader]._replace(version=graders.GRADERS[grader].version + 1)
    monkeypatch.setattr(graders, "GRADERS", {**graders.GRADERS, grader: raised})
    assert daily_fingerprint(SUITE) != SUITE.manifest.fingerprint


def test_the_fingerprint_moves_with_a_case_a_rubric_a_constant_and_not_with_the_version(
    tmp_path: Path,
) -> None:
    import shutil

    from probatio.suites.daily_suite import DAILY

    shutil.copytree(DAILY, tmp_path / "daily", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    before = daily_fingerprint(load_daily(tmp_path / "daily"))
    assert before == daily_fingerprint(SUITE)
    seen = {before}
    changes = [
        ("suite.yml", "bar: 0.3", "bar: 0.4"),
        ("calibration.yml", "selection: 5", "selection: 4"),
        ("summarization/rubric.yml", "weight:", "weight: 2 #"),
        ("creative_writing/cases.yml", "prompt: |", "prompt: |\n      Now."),
    ]
    for name, old, new in changes:
        path = tmp_path / "daily" / name
        text = path.read_text(encoding="utf-8")
        assert old in text, name
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        seen.add(daily_fingerprint(load_daily(tmp_path / "daily")))
    assert len(seen) == 1 + len(changes)
    manifest = tmp_path / "daily" / "suite.yml"
    manifest.write_text(
        manifest.read_text().replace(f'version: "{SUITE.version}"', 'version: "9.9.9"'), encoding="utf-8"
    )
    assert daily_fingerprint(load_daily(tmp_path / "daily")) in seen
