"""Can the rule of a suite ever say COOKED? A watch that can't ring is refused when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.core.records import Grading, RuleConstants

BEST = 100.0
"""A score lies between 0 and this, so a drop is at most the whole, and a z at most this many floors."""


def unreachable(rule: RuleConstants, gradings: Sequence[Grading]) -> str | None:
    """Why no model could ever be COOKED in a suite with these gradings; None if one could."""
    if not gradings:
        return "it has no use case"
    if rule.baseline_min > rule.baseline_days:
        few = f"only {rule.baseline_days} days count (baseline_days)"
        return f"a baseline needs {rule.baseline_min} days (baseline_min), and {few}"
    dead = {
        grading: why
        for grading in dict.fromkeys(gradings)
        if (why := " and ".join(_out_of_reach(rule, grading)))
    }
    can = [grading for grading in gradings if grading not in dead]
    if len(can) < min(rule.cooked_use_cases, len(gradings)) and not _beside(rule, gradings, can):
        reasons = "; ".join(f"{grading} use cases: {why}" for grading, why in dead.items())
        return f"{len(can)} of its {len(gradings)} use cases can be cooked ({reasons})"
    return None


def _beside(rule: RuleConstants, gradings: Sequence[Grading], can: Sequence[Grading]) -> bool:
    """Whether one cooked use case, with the others suspicious, could be enough."""
    others = [grading for grading in gradings if _can_be_suspicious(rule, grading)]
    return bool(can) and len(others) - 1 >= min(rule.suspicious_beside, len(gradings) - 1)


def _can_be_suspicious(rule: RuleConstants, grading: Grading) -> bool:
    limits = rule.thresholds(grading)
    return limits.suspicious.drop <= 1 or -limits.suspicious.z * limits.sd_floor <= BEST


def _out_of_reach(rule: RuleConstants, grading: Grading) -> Iterator[str]:
    """Why a use case can be cooked neither on two days nor on one; nothing if it can."""
    limits = rule.thresholds(grading)
    level = limits.cooked.drop <= 1 or -limits.cooked.z * limits.sd_floor <= BEST
    if limits.collapse <= 1 or (level and rule.consecutive_within >= 1):
        return
    yield f"no score is so low that collapse {limits.collapse:g} is met"
    if level:
        yield f"two days are never consecutive (consecutive_within: {rule.consecutive_within})"
    else:
        yield f"none meets cooked z {limits.cooked.z:g} or drop {limits.cooked.drop:g}"
