"""A suite from someone else: nothing outside its folder becomes a question to a model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_suite import DAILY, load_daily
from probatio.suites.language_suite import BUILT_IN, DEFAULT_SUITE, load_suite

SECRET = "the secret of the house\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    shutil.copytree(BUILT_IN / DEFAULT_SUITE, tmp_path / "suite")
    (tmp_path / "secret.md").write_text(SECRET)
    return tmp_path / "suite"


@pytest.fixture
def daily(tmp_path: Path) -> Path:
    shutil.copytree(DAILY, tmp_path / "daily", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return tmp_path / "daily"


def _move_out(file: Path, tmp_path: Path) -> None:
    file.rename(tmp_path / "out.yml")
    file.symlink_to(tmp_path / "out.yml")


@pytest.mark.parametrize("name", ["language.yml", "examples/base.yml", "tasks"])
def test_a_suite_is_not_read_through_a_link_out_of_it(suite: Path, tmp_path: Path, name: str) -> None:
    _move_out(suite / name, tmp_path)
    with pytest.raises(UsageError, match="leads out of"):
        load_suite(suite)


def test_a_context_is_not_read_through_a_link_out_of_the_suite(suite: Path, tmp_path: Path) -> None:
    (suite / "contexts" / "minimal.md").unlink()
    (suite / "contexts" / "minimal.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(UsageError, match=r"minimal\.md leads out of"):
        load_suite(suite)


def test_a_context_is_not_read_from_beside_the_suite_by_its_name(suite: Path) -> None:
    language = suite / "language.yml"
    language.write_text(language.read_text().replace("contexts: [", "contexts: [../../secret, "))
    with pytest.raises(UsageError, match="lists the context"):
        load_suite(suite)


@pytest.mark.parametrize(
    "name", ["suite.yml", "creative_writing/rubric.yml", "creative_writing/cases.yml", "calibration.yml"]
)
def test_a_daily_suite_is_not_read_through_a_link_out_of_it(daily: Path, tmp_path: Path, name: str) -> None:
    _move_out(daily / name, tmp_path)
    with pytest.raises(UsageError, match="leads out of"):
        load_calibration(load_daily(daily))


def test_a_use_case_outside_the_suite_is_refused(daily: Path, tmp_path: Path) -> None:
    one = next(path.parent for path in daily.glob("*/cases.yml"))
    one.rename(tmp_path / one.name)
    text = (daily / "suite.yml").read_text()
    (daily / "suite.yml").write_text(text.replace(f"id: {one.name},", f"id: ../{one.name},"))
    with pytest.raises(UsageError, match="leads out of"):
        load_daily(daily)


def test_a_suite_that_is_a_link_the_user_named_is_read(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "named").symlink_to(suite)
    assert load_suite(tmp_path / "named").tasks


@pytest.mark.parametrize("part", ["tasks", "contexts", "examples", "twists"])
def test_a_folder_of_a_suite_that_leads_out_is_not_listed(tmp_path: Path, part: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret_name.md").write_text("x")
    (outside / "secret_name.yml").write_text("tasks: []")
    suite = shutil.copytree(load_suite("strues").folder, tmp_path / "suite")
    shutil.rmtree(suite / part, ignore_errors=True)
    (suite / part).symlink_to(outside)
    with pytest.raises(UsageError, match="leads out of") as refused:
        load_suite(suite)
    assert "secret_name" not in str(refused.value)
