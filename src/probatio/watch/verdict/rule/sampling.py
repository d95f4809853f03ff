"""Adaptive sampling: what is asked at full count from the start, and what is asked again after its base
samples.

Arrays are [models, use_cases]. The day and the simulator both use these functions.
"""

from __future__ import annotations

import numpy as np

from probatio.watch.verdict.rule.baseline import Baseline, Bools, Floats, Rule, suspicious
from probatio.watch.verdict.rule.model_status import Codes, is_flagged
from probatio.watch.verdict.rule.rule import RuleState

CALIBRATING, FLAGGED, EVIDENCE = "calibrating", "flagged yesterday", "evidence building up"
TRIGGERS = (None, CALIBRATING, FLAGGED, EVIDENCE)
"""Why a use case is asked at full count from the start, by the code of `start_triggers`. None: base samples
first."""


def start_triggers(
    rule: Rule, state: RuleState, expected: Baseline, day: int, evidence_asks: Bools | None = None
) -> Codes:
    """Which use cases are asked at full count from the start on `day`, as codes.

    Those without a baseline; those flagged on their last scored day, if the two days are consecutive; and all
    use cases of models for which the evidence wants more samples [models]. The last reason has priority: the
    evidence then reads all samples.
    """
    calibrating = expected.days < rule.constants.baseline_min
    recent = day - state.seen <= rule.constants.consecutive_within
    codes = np.where(calibrating, 1, np.where(recent & is_flagged(state.status), 2, 0))
    if evidence_asks is not None:
        codes = np.where(evidence_asks[:, None], 3, codes)
    return codes.astype(np.int8)


def full_round_follows(rule: Rule, base_score: Floats, expected: Baseline, *, barred: bool) -> Bools:
    """Which base scores are followed by a fresh round at full count: the suspicious ones. No judged one while
    the judge is barred: its verdict is held anyway."""
    follows = suspicious(rule, base_score, expected)
    return follows & ~rule.judged if barred else follows
