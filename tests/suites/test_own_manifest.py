"""A manifest of one's own: ten lines are enough, every constant it leaves out is the built-in one, and
nothing is read past."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from probatio.authoring.new import STARTERS
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import UsageError
from probatio.suites.daily_suite import constants_of_its_own, load_daily, read_manifest
from probatio.suites.grader_entry import OwnGrader


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    shutil.copytree(STARTERS / "daily", folder)
    return folder


def changed(folder: Path, **keys: Any) -> Path:
    manifest = yaml.safe_load((folder / "suite.yml").read_text())
    manifest |= keys
    (folder / "suite.yml").write_text(yaml.safe_dump(manifest))
    return folder


def test_ten_lines_are_enough_and_every_constant_is_the_built_in_one(suite: Path) -> None:
    lines = [line for line in (suite / "suite.yml").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) <= 10
    own, built_in = (msgspec.to_builtins(read_manifest(each)) for each in (suite, None))
    for key in ("sampling", "judge", "gap_errors", "samples", "rule", "evidence", "attribution"):
        assert own[key] == built_in[key]
    assert constants_of_its_own(suite) == ()


def test_a_use_case_may_be_its_name_alone(suite: Path) -> None:
    changed(suite, use_cases=["triage"])
    (entry,) = read_manifest(suite).use_cases
    assert (entry.title, entry.grading, entry.max_tokens) == ("Triage", "deterministic", 1500)


def test_only_what_differs_is_a_constant_of_its_own(suite: Path) -> None:
    built_in = read_manifest()
    same = {"baseline_days": built_in.rule.baseline_days, "deterministic": {"collapse": 0.5}}
    changed(suite, rule=same, samples={"deterministic": [2, 4]})
    own = constants_of_its_own(suite)
    assert [(each.key, each.value, each.built_in) for each in own] == [
        ("rule.deterministic.collapse", 0.5, built_in.rule.deterministic.collapse),
        ("samples.deterministic", [2, 4], [1, 3]),
    ]
    manifest = read_manifest(suite)
    assert manifest.rule.deterministic.collapse == 0.5
    assert manifest.rule.deterministic.sd_floor == built_in.rule.deterministic.sd_floor


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"colour": "red"}, "line 1: unknown key `colour`; the keys are name, version"),
        ({"rule": {"volume": 3}}, "unknown key `volume` in `rule`; the keys are baseline_days, "),
        ({"evidence": {"memory": {"years": 3}}}, "unknown key `years` in `evidence.memory`"),
        ({"use_cases": [{"id": "triage", "prize": 1}]}, r"unknown key `prize` in `use_cases\[0\]`"),
        (
            {"use_cases": [{"id": "triage", "grader": {"command": ["x"], "limits": {"moons": 1}}}]},
            r"unknown key `moons` in `use_cases\[0\].grader.limits`",
        ),
        ({"version": 1.0}, "Put quotes round it"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_refused_wherever_it_stands(suite: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_daily(changed(suite, **keys))


def test_a_judge_of_ones_own_does_not_take_over_the_way_to_another(suite: Path) -> None:
    changed(suite, judge={"name": "house/judge-2026-01-01", "base_url": "http://127.0.0.1:9/v1"})
    judge, built_in = read_manifest(suite).judge, read_manifest().judge
    assert (judge.route, judge.base_url) == ((), "http://127.0.0.1:9/v1")
    assert (judge.bar, judge.max_tokens) == (built_in.bar, built_in.max_tokens)
    changed(suite, judge={"bar": 0.2})
    assert read_manifest(suite).judge == msgspec.structs.replace(built_in, bar=0.2)


def test_a_rubric_makes_a_use_case_judged_and_code_beside_it_hybrid(suite: Path) -> None:
    rubric = {"criteria": [{"id": "tone", "question": "How?", "anchors": {n: str(n) for n in range(1, 6)}}]}
    (suite / "triage" / "rubric.yml").write_text(yaml.safe_dump(rubric))
    loaded = load_daily(suite).use_cases["triage"]
    assert (loaded.grading, loaded.checked_weight) == ("hybrid", 0.6)
    (suite / "triage" / "grader.py").unlink()
    loaded = load_daily(suite).use_cases["triage"]
    assert (loaded.grading, loaded.grader) == ("judge", None)


def test_a_grader_is_a_built_in_one_by_name_a_file_of_the_folder_or_a_command(suite: Path) -> None:
    loaded = load_daily(suite).use_cases
    assert loaded["orders"].grader == "structured_extraction"
    own = loaded["triage"].grader
    assert isinstance(own, OwnGrader)
    assert own.says.isolation == "jail"
    both = [{"id": name, "grader": "structured_extraction"} for name in ("orders", "triage")]
    shared = load_daily(changed(suite, use_cases=both)).use_cases
    assert {use_case.grader for use_case in shared.values()} == {"structured_extraction"}


def test_a_use_case_without_a_grader_or_with_an_unknown_one_is_refused(suite: Path) -> None:
    with pytest.raises(UsageError, match=r"no grader.*structured_extration.*structured_extraction"):
        load_daily(changed(suite, use_cases=[{"id": "orders", "grader": "structured_extration"}]))
    with pytest.raises(UsageError, match=r"`orders` has no grader: put a grader.py"):
        load_daily(changed(suite, use_cases=["orders"]))
    with pytest.raises(UsageError, match=r"names the grader marks.py, which is not in"):
        load_daily(changed(suite, use_cases=[{"id": "orders", "grader": "marks.py"}]))
    with pytest.raises(UsageError, match=r"limits.seconds` is 900; at most 60"):
        grader = {"command": ["x"], "limits": {"seconds": 900}}
        load_daily(changed(suite, use_cases=[{"id": "orders", "grader": grader}]))


def test_a_grader_of_ones_own_under_a_built_in_name_has_to_be_named(suite: Path) -> None:
    (suite / "triage").rename(suite / "summarization")
    with pytest.raises(
        UsageError, match=r"Say which is meant: `grader: grader.py` or `grader: summarization`"
    ):
        load_daily(changed(suite, use_cases=["summarization"]))
    loaded = load_daily(changed(suite, use_cases=[{"id": "summarization", "grader": "grader.py"}]))
    assert isinstance(loaded.use_cases["summarization"].grader, OwnGrader)


def test_the_fingerprint_holds_constants_and_the_files_of_own_graders(suite: Path) -> None:
    seen = {daily_fingerprint(load_daily(suite))}
    grader = suite / "triage" / "grader.py"
    grader.write_text(grader.read_text() + "\n# marks\n")
    seen.add(daily_fingerprint(load_daily(suite)))
    (suite / "triage" / "words.py").write_text("WORDS = 1\n")
    seen.add(daily_fingerprint(load_daily(suite)))
    changed(suite, gap_errors=0.3)
    seen.add(daily_fingerprint(load_daily(suite)))
    command = {"command": ["{python}", "{folder}/grader.py"]}
    changed(suite, use_cases=[{"id": "triage", "grader": command}])
    seen.add(daily_fingerprint(load_daily(suite)))
    assert len(seen) == 5
    moved = shutil.copytree(suite, suite.parent / "elsewhere")
    assert daily_fingerprint(load_daily(moved)) in seen  # of content, not of its place


def test_ids_twice_and_a_watch_that_cannot_ring_are_refused(suite: Path) -> None:
    with pytest.raises(UsageError, match="`triage` is listed twice"):
        load_daily(changed(suite, use_cases=["triage", "triage"]))
    impossible = {"cooked": {"z": -90.0, "drop": 2.0}, "collapse": 2.0}
    with pytest.raises(UsageError, match="no model could ever be COOKED"):
        load_daily(changed(suite, use_cases=["triage"], rule={"deterministic": impossible}))
