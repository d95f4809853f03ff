"""The judge's own detector: a drift below the gate is found, a steady judge is left alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from probatio.watch.verdict.rule.judge_drift import JudgeDrift, judge_drifts
from watch.verdict.made_up import CONSTANTS


def _drifts(shifts: Sequence[float | None]) -> list[JudgeDrift]:
    days = [(shift, shift is not None and abs(shift) > 0.3) for shift in shifts]
    return list(judge_drifts(days, CONSTANTS.evidence, CONSTANTS.attribution))


@pytest.mark.parametrize("shift", [-0.2, 0.2, -0.25, 0.25])
def test_a_lasting_shift_below_the_gate_is_found_within_ten_days_in_either_direction(shift: float) -> None:
    drifts = _drifts([0.0] * 28 + [shift] * 10)
    assert not any(drift.drifted for drift in drifts[:29])
    assert drifts[-1].drifted


def test_the_worked_example_alarms_on_the_sixth_day() -> None:
    drifts = _drifts([0.0] * 28 + [-0.2] * 8)
    assert [drift.drifted for drift in drifts[28:]] == [False] * 5 + [True] * 3


def test_a_judge_that_was_always_off_by_the_same_has_not_drifted() -> None:
    assert not any(drift.drifted for drift in _drifts([0.2] * 60))


def test_a_judge_that_comes_back_is_trusted_again() -> None:
    drifts = _drifts([0.0] * 28 + [-0.2] * 8 + [0.0] * 20)
    assert drifts[35].drifted
    assert not drifts[-1].drifted


def test_days_without_a_calibration_or_beyond_the_gate_make_no_reference() -> None:
    drifts = _drifts([None, 2.0] * 20 + [0.0] * 28 + [0.0])
    assert drifts[-2].usual is None
    assert drifts[-1].usual == 0


def test_noise_alone_is_no_drift() -> None:
    """1 % a year is promised per judge; 300 noisy judge-years may hold ten at most (its 99.9th
    percentile)."""
    rng = np.random.default_rng(7)
    alarmed = sum(
        any(drift.drifted for drift in _drifts(list(rng.normal(0, 0.06, 28 + 365)))) for _ in range(300)
    )
    assert alarmed <= 10
