"""The headline: the worse of both layers, on every pair of them, and never better than the evidence."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest

from probatio.core.records import Evidence, ModelVerdict, Status
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.headline import BADNESS, add_headline, headline, headlines
from probatio.watch.verdict.rule.model_status import STATUSES
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, made_up_day, steady

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
USE_CASES = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("status", "layer", "shown"),
    [
        ("COOKED", "CONFIRMED", "COOKED"),
        ("COOKED", "QUIET", "COOKED"),
        ("OK", "CONFIRMED", "COOKED"),
        ("SUSPICIOUS", "CONFIRMED", "COOKED"),
        ("OK", "SUSPECTED", "SUSPICIOUS"),
        ("COOKED", "SUSPECTED", "COOKED"),
        ("CALIBRATING", "CALIBRATING", "CALIBRATING"),
        ("CALIBRATING", "SUSPECTED", "SUSPICIOUS"),
        ("OK", "RECOVERED", "OK"),
        ("GAP", "QUIET", "GAP"),
        ("GAP", "CONFIRMED", "COOKED"),  # an outage clears nothing
    ],
)
def test_the_table(status: Status, layer: Evidence, shown: Status) -> None:
    assert headline(status, layer) == shown


def test_it_is_never_better_than_either_layer_and_arrays_say_the_same() -> None:
    pairs = [(status, each) for status in STATUSES for each in EVIDENCE]
    for status, each in pairs:
        assert BADNESS[headline(status, each)] >= BADNESS[status]
        assert each != "CONFIRMED" or headline(status, each) == "COOKED"
    codes = headlines(
        np.array([STATUSES.index(status) for status, _ in pairs], dtype=np.int8),
        np.array([evidence.STATUSES.index(each) for _, each in pairs], dtype=np.int8),
    )
    assert [STATUSES[code] for code in codes] == [headline(*pair) for pair in pairs]


@pytest.fixture(scope="module")
def fallen() -> list[ModelVerdict]:
    """A model that fell from 90 to 70 after 30 days and stayed there."""
    days = steady(30, ["m"], USE_CASES)
    days += [made_up_day(30 + number, {"m": dict.fromkeys(USE_CASES, 70.0)}) for number in range(25)]
    return verdicts(Days(days), CONSTANTS)


def test_a_model_that_fell_and_stayed_is_cooked_long_after_the_rule_has_forgotten(
    fallen: list[ModelVerdict],
) -> None:
    last = fallen[-1]
    assert (last.status, last.evidence) == ("OK", "CONFIRMED")
    assert (last.headline, last.confirmed, last.label) == ("COOKED", True, "COOKED, confirmed")
    assert not any(each.recovered for each in fallen[30:])
    assert not any(use_case.recovered for each in fallen if each.confirmed for use_case in each.use_cases)
    cooked = next(each for each in fallen if each.headline == "COOKED")
    assert last.headline_since == cooked.date == cooked.headline_since


def test_a_verdict_recorded_before_there_was_a_headline_gets_one(fallen: list[ModelVerdict]) -> None:
    old = msgspec.structs.replace(
        fallen[-1], headline=None, headline_since=None, confirmed=False, recovered=True
    )
    read = add_headline(old)
    assert (read.headline, read.confirmed, read.recovered) == ("COOKED", True, False)
    assert read.headline_since == old.changed_on


def test_a_collapse_is_noted_from_the_fourth_day_on_at_full_count_only() -> None:
    for before, full, noted in ((2, True, ()), (3, True, ("a",)), (3, False, ()), (20, True, ("a",))):
        days = steady(before, ["m"], USE_CASES)
        low = {"m": {"a": 50.0, "b": 90.0, "c": 90.0}}
        days.append(made_up_day(before, low, {"full_power": full}))
        last = verdicts(Days(days), CONSTANTS, dates={days[-1].date})[0]
        assert last.collapsed == noted
