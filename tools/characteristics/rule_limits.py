"""What the rule can't do, and what two of its decisions save."""

from __future__ import annotations

import numpy as np

from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.figures import QuietYears, RuleFacts
from probatio.watch.simulate.simulator import quiet_years
from probatio.watch.simulate.synthetic import plan_of
from probatio.watch.verdict.rule import rule


def rule_facts(manifest: DailyManifest, models: int, seed: int) -> RuleFacts:
    """The rule's limits, and two of its decisions taken the other way, on a year each."""

    def year(profile: str, what_if: str) -> QuietYears:
        return quiet_years(manifest, profile, "gaussian", models, 365, seed, what_if)

    return RuleFacts(
        decline_z=decline_z(manifest),
        fresh=year("flips", "").suspicious,
        pooled=year("flips", "pooled").suspicious,
        flagged_in=year("binomial-0.9", "").cooked_episodes,
        flagged_out=year("binomial-0.9", "flagged out").cooked_episodes,
    )


def decline_z(manifest: DailyManifest, points_a_day: float = 1.0, days: int = 60) -> float:
    """Where z of a smooth decline without noise ends, by the rule itself."""
    plan = plan_of(manifest)
    state = rule.start(plan.rule, 1)
    z = 0.0
    for day in range(days):
        scores = np.full((1, len(plan.gradings)), 100 - points_a_day * day)
        state, outcome = rule.step(plan.rule, state, rule.rule_day(day + 1, scores))
        z = float(outcome.z[0, 0])
    return z
