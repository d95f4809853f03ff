"""Noise profiles: how healthy models scatter, as tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """How deterministic cases scatter, and what the days of a model have in common."""

    title: str
    rate: float = 1.0  # a sample passes with this chance, or with partial credit scores this
    between: tuple[float, float] | None = None  # … or the chance of each case is drawn evenly between these
    beta: tuple[float, float] | None = None  # … or from this beta distribution
    hardest: float | None = None  # the chance of the last case of each use case, where it differs
    enter: float = 0.0  # daily chance that a case begins to fail, all day and every sample …
    leave: float = 1.0  # … and daily chance that this ends
    spread: float = 0.0  # partial credit: sd of one sample's score around `rate`, cases between ± 0.07 of it
    rungs: int = 0  # … given in so many steps
    judged: str = "gaussian"  # how the judged use cases scatter beside it, a key of JUDGED
    day_sd: float = 0.0  # of the logit, shared by all cases of a day …
    day_carry: float = 0.0  # … and how much of it is carried over to the next
    weekend_loss: float = 0.0  # share lost on two days of seven …
    weekend_points: float = 0.0  # … and points of judged scores
    second: str = ""  # a second provider, unnoticed: by "day", by "sample", or for a "spell"
    second_loss: float = 0.06
    second_points: float = 3.0
    second_change: float = 0.1  # daily chance that the provider changes, with "spell"
    incidents: float = 0.0  # share of days on which …
    incident_loss: float = 0.4  # … so much of everything is lost
    redraw: float = 0.0  # every case is fixed at 0 or 1; daily chance that all are redrawn
    wander: float = 0.0  # points, sd of a slow wander of everything …
    wander_days: float = 30.0  # … that forgets within so many days
    missing: float = 0.0  # share of days a model is not asked
    keeps: float = 0.0  # at temperature 0: a sample is the answer of the day before with this chance …
    again: float = 0.0  # … each case's kept answer is redrawn with this daily chance …
    again_together: float = 0.0  # … or those of all cases at once
    same_text: bool = False  # yes/no answers: all right ones have one text, and all wrong ones of a case


BETA = (0.6, 0.15)

PROFILES: dict[str, Profile] = {
    "flips": Profile("near-deterministic, 1 % flips", rate=0.99),
    "sticky": Profile("sticky flips, 3 days at a time", rate=0.997, enter=0.015, leave=1 / 3),
    "weekly": Profile("failures that last a week", rate=0.997, enter=0.015, leave=1 / 7),
    "mixed": Profile("1 % flips, and failures that last a week", rate=0.99, enter=0.003, leave=1 / 7),
    "borderline": Profile("one borderline case per use case", rate=0.99, hardest=0.5),
    "binomial-0.9": Profile("independent 90 % cases", rate=0.9),
    "binomial-0.8": Profile("independent 80 % cases", rate=0.8),
    "partial": Profile("partial credit", rate=0.9, spread=0.05),
}
"""The profiles that both layers are measured on, with faults."""


def _frozen(sd: float, again: float = 0.0, together: float = 0.0, judged: str = "gaussian") -> Profile:
    """Ladders whose answers come back day after day."""
    how = f"each redrawn with {again:g} a day" if again else f"all redrawn every {1 / together:.0f} days"
    return Profile(
        f"frozen ladders, sd {sd:.3f}, {how}{', judged ones too' * (judged == 'frozen')}",
        between=(0.2, 0.9),
        spread=sd,
        rungs=14,
        judged=judged,
        keeps=0.9,
        again=again,
        again_together=together,
    )


FROZEN_PROFILES: dict[str, Profile] = {
    "frozen-.041": _frozen(0.041, again=0.03),
    "frozen-.069": _frozen(0.069, again=0.03),
    "frozen-.10": _frozen(0.10, again=0.03),
    "frozen-.10-often": _frozen(0.10, again=0.1),
    "frozen-together-.041": _frozen(0.041, together=1 / 30),
    "frozen-together-.069": _frozen(0.069, together=1 / 30),
    "frozen-judged": _frozen(0.069, together=1 / 30, judged="frozen"),
    "fresh-.041": Profile("fresh ladders, sd 0.041", between=(0.2, 0.9), spread=0.041, rungs=14),
    "fresh-.069": Profile("fresh ladders, sd 0.069", between=(0.2, 0.9), spread=0.069, rungs=14),
    "fresh-.10": Profile("fresh ladders, sd 0.100", between=(0.2, 0.9), spread=0.10, rungs=14),
    "flips-texts": Profile("1 % flips, the right text always the same", rate=0.99, same_text=True),
    "redrawn-texts": Profile(
        "yes/no answers redrawn every 30 days, with their texts",
        beta=(0.6, 0.15),
        redraw=1 / 30,
        same_text=True,
    ),
}
"""Answers at temperature 0, and fresh ones to compare: on these the proof by draws decides."""

HARD_PROFILES: dict[str, Profile] = {
    "ladders": Profile("ladders of 14 rungs", between=(0.2, 0.9), spread=0.04, rungs=14),
    "ceiling": Profile("at the ceiling", between=(0.98, 1.0), judged="ceiling"),
    "floor": Profile("at the floor", rate=0.05, judged="floor"),
    "missing": Profile("a tenth of the days missing", rate=0.9, missing=0.1),
    "weekends": Profile("weaker weekends", rate=0.95, weekend_loss=0.04, weekend_points=2.0),
    "heavy-tailed": Profile("heavy-tailed difficulty", beta=BETA, judged="heavy-tailed"),
    "ar-0.6": Profile("judged AR(0.6)", rate=0.95, judged="autocorrelated"),
    "ar-0.6-shared": Profile("judged AR(0.6), shared by use cases", rate=0.95, judged="shared"),
    "ar-0.9": Profile("judged AR(0.9)", rate=0.95, judged="slow"),
    "day-effect": Profile("day effect", rate=0.9, day_sd=0.5),
    "day-effect-carried": Profile("day effect carried over by 0.6", rate=0.9, day_sd=0.5, day_carry=0.6),
    "providers-day": Profile("two providers, by day", rate=0.95, second="day"),
    "providers-sample": Profile("two providers, by sample", rate=0.95, second="sample"),
    "providers-spell": Profile("two providers, 10 days at a time", rate=0.95, second="spell"),
    "redrawn": Profile("borderline cases redrawn every 30 days", beta=BETA, redraw=1 / 30),
    "wander": Profile("slow wander of 1.5 points", rate=0.9, wander=1.5),
    "incidents": Profile("1 % incident days at −40 %", rate=0.9, incidents=0.01),
}
"""More profiles, on which the evidence alone is measured."""


@dataclass(frozen=True, slots=True)
class JudgedNoise:
    """How judged use cases scatter, in points of 0–100, and the judge's calibration set, in marks of 1–5."""

    title: str
    mean: float = 85.0
    sample_sd: float = 5.0  # of one sample, over its cases
    day_sd: float = 0.0  # of the day's quality, which no re-run removes
    carry: float = 0.0  # correlation of that with the day before
    shared: bool = False  # by all judged use cases
    tails: float = 0.0  # degrees of freedom of Student's t; 0 is Gaussian
    calibration_sd: float = 0.05  # of the calibration set's daily mean shift
    cases: int = 0  # of a use case, whose texts come back as the profile says …
    text_sd: float = 0.0  # … points of one text …
    mark_sd: float = 0.0  # … and of one mark of it


JUDGED: dict[str, JudgedNoise] = {
    "gaussian": JudgedNoise("Gaussian"),
    "autocorrelated": JudgedNoise("autocorrelated", sample_sd=4.0, day_sd=2.0, carry=0.6),
    "shared": JudgedNoise("autocorrelated, shared", sample_sd=4.0, day_sd=2.0, carry=0.6, shared=True),
    "slow": JudgedNoise("strongly autocorrelated", sample_sd=4.0, day_sd=2.0, carry=0.9),
    "heavy-tailed": JudgedNoise("heavy-tailed days", day_sd=2.5, tails=3.0),
    "ceiling": JudgedNoise("at the ceiling", mean=99.0, sample_sd=3.0),
    "floor": JudgedNoise("at the floor", mean=5.0),
    "frozen": JudgedNoise("texts that come back", cases=5, text_sd=7.0, mark_sd=2.0),
}
