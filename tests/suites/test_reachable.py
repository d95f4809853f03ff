"""A suite whose rule can never say COOKED is refused when it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from probatio.core.errors import UsageError
from probatio.core.records import Grading, RuleConstants, RuleLimits
from probatio.suites.daily_suite import load_daily, read_manifest
from probatio.suites.reachable import unreachable
from watch.day.days import EXTRACTION, small_suite

RULE = read_manifest().rule


def _rule(**changes: Any) -> RuleConstants:
    return msgspec.structs.replace(RULE, **changes)


def _kind(**changes: Any) -> RuleConstants:
    return _rule(deterministic=msgspec.structs.replace(RULE.deterministic, **changes))


BEYOND = RuleLimits(z=-60.0, drop=1.5)


@pytest.mark.parametrize("use_cases", [1, 2, 3, 10])
def test_every_number_of_use_cases_can_be_cooked_by_the_published_rule(use_cases: int) -> None:
    assert unreachable(RULE, ["deterministic"] * use_cases) is None


@pytest.mark.parametrize(
    ("rule", "gradings", "why"),
    [
        (RULE, [], "no use case"),
        (_rule(baseline_min=20), ["deterministic"], "a baseline needs 20 days"),
        (_kind(cooked=BEYOND, collapse=1.2), ["deterministic"], "none meets cooked z -60 or drop 1.5"),
        (
            _rule(
                consecutive_within=0, deterministic=msgspec.structs.replace(RULE.deterministic, collapse=1.2)
            ),
            ["deterministic"],
            "two days are never consecutive",
        ),
    ],
)
def test_what_can_t_be_reached_is_named(rule: RuleConstants, gradings: list[Grading], why: str) -> None:
    assert why in str(unreachable(rule, gradings))


def test_one_way_is_enough() -> None:
    assert unreachable(_kind(cooked=BEYOND), ["deterministic"]) is None  # a collapse
    assert unreachable(_kind(collapse=1.2), ["deterministic"]) is None  # two days in a row
    rule = _kind(cooked=BEYOND, collapse=1.2)
    assert (
        unreachable(rule, ["deterministic", "deterministic", "judge"]) is None
    )  # one cooked, two others suspicious
    assert unreachable(rule, ["deterministic", "deterministic"]) is not None


def test_loading_refuses_it_and_names_the_file(tmp_path: Path) -> None:
    folder = small_suite(tmp_path / "suite", EXTRACTION)
    manifest = yaml.safe_load((folder / "suite.yml").read_text())
    manifest["rule"]["baseline_min"] = 15
    (folder / "suite.yml").write_text(yaml.safe_dump(manifest))
    with pytest.raises(
        UsageError, match=r"suite.yml: by its rule no model could ever be COOKED: a baseline needs 15 days"
    ):
        load_daily(folder)
