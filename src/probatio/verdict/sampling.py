"""Adaptive sampling: what is asked at full count from the start, and what again at full count after its base samples.

Arrays are [models, use_cases]. The day asks by these functions, and so does the simulator.
"""

from __future__ import annotations

import numpy as np

from probatio.verdict.baseline import Baseline, Bools, Floats, Rule, suspicious
from probatio.verdict.model_status import Codes, flagged
from probatio.verdict.rule import RuleState

CALIBRATING, FLAGGED, EVIDENCE = "calibrating", "flagged yesterday", "evidence building up"
TRIGGERS = (None, CALIBRATING, FLAGGED, EVIDENCE)
"""Why a use case is asked at full count from the start, by the code of `start_triggers`; None: base samples come first."""


def start_triggers(
    rule: Rule, state: RuleState, expected: Baseline, day: int, evidence_asks: Bools | None = None
) -> Codes:
    """Which use cases are asked at full count from the start on `day`, as codes: those without a baseline, those that were
    flagged on their last scored day, if that is recent enough for the two days to be consecutive, and all of the models that
    the evidence wants more samples of [models]. The last comes first: the evidence then reads all samples."""
    calibrating = expected.days < rule.constants.baseline_min
    recent = day - state.seen <= rule.constants.consecutive_within
    codes = np.where(calibrating, 1, np.where(recent & flagged(state.status), 2, 0))
    if evidence_asks is not None:
        codes = np.where(evidence_asks[:, None], 3, codes)
    return codes.astype(np.int8)


def full_round_follows(rule: Rule, base_score: Floats, expected: Baseline, *, barred: bool) -> Bools:
    """Which base scores are followed by a fresh round at full count: the suspicious ones. No judged one while the judge is
    barred: its verdict is held, whatever the round would score."""
    follows = suspicious(rule, base_score, expected)
    return follows & ~rule.judged if barred else follows
