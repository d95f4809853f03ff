"""The simulator's figures of a suite: the saved file that verdicts and the methodology page read."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from probatio.core.jsonfile import read_json

if TYPE_CHECKING:
    from probatio.suites.daily_suite import DailyManifest, DailySuite

FIGURES = "operating_characteristics.json"
"""Beside the manifest of a suite: `probatio suite simulate SUITE` writes it."""
PACKAGED = Path(__file__).parent / FIGURES
"""The figures of the built-in suite: tools/characteristics makes them."""


class Measured(msgspec.Struct, frozen=True):
    """A share or a mean with its 95 % interval over models, which are independent of each other."""

    value: float
    low: float
    high: float
    models: int


class QuietYears(msgspec.Struct, frozen=True):
    """False alarms of both layers on models that never change."""

    profile: str
    noise: str
    models: int
    days: int
    suspicious: Measured  # share of use-case-days flagged, deterministic use cases
    suspicious_judged: Measured
    cooked: Measured  # share of models that were ever COOKED
    cooked_episodes: Measured  # per model-year
    suspected: Measured  # share of models that were ever SUSPECTED …
    confirmed: Measured  # … and CONFIRMED
    confirmed_episodes: Measured  # per model-year
    rerun: Measured  # share of use-case-days asked at full count
    spell_mean: float | None  # mean length of low spells in the references, scored days


class Detection(msgspec.Struct, frozen=True):
    """How many models reached a status in the days watched, and how soon: the fault's first day is day 1."""

    share: Measured
    median: float | None  # None where less than half ever reach it
    late: float | None  # 90 % of all have reached it by then


class AfterFault(msgspec.Struct, frozen=True):
    """What both layers say of a fault. Models that were at the alarm before it are left out."""

    fault: str
    profile: str
    noise: str
    models: int
    days: int
    harmless: bool
    suspicious: Detection
    cooked: Detection
    suspected: Detection
    confirmed: Detection
    cooked_by_day_2: Measured
    # Of those COOKED by day 2, no longer COOKED on day 10; None with fewer than 30.
    forgotten_by_day_10: Measured | None
    # Of those CONFIRMED with some use case named, all of these lost something; None alike.
    named_right: Measured | None


class RuleFacts(msgspec.Struct, frozen=True):
    """What the rule can't do, and what its decisions save."""

    decline_z: float  # where z of a smooth decline tends
    fresh: Measured  # false SUSPICIOUS use-case-days with 1 % flips, deterministic: the re-run alone counts …
    pooled: Measured  # … and with the triggering sample pooled in
    flagged_in: (
        Measured  # COOKED episodes per model-year at independent 90 % cases: flagged days in the baseline …
    )
    flagged_out: Measured  # … and left out of it


class FalseConfirmed(msgspec.Struct, frozen=True):
    """The evidence alone: models that never change and were CONFIRMED all the same."""

    profile: str
    whole_suite: bool  # else 25 deterministic cases
    models: int
    days: int
    confirmed: Measured
    full_days: float  # days on which a model was asked at full count


class Characteristics(msgspec.Struct, frozen=True):
    """The saved file, as far as it is read here; that of the built-in suite has more for its page.

    Every share or mean is {value, low, high, models}: 95 % interval, over so many independent models. Shares
    are 0–1. Delays are days, the fault's first day being 1; null where fewer than half (`median`) or nine
    tenths (`late`) ever got there. Names are keys of `simulate.profiles.PROFILES`, `JUDGED` and
    `simulate.faults.FAULTS`, whose `title` says what they are.
    """

    suite_version: str
    seed: int
    models: int
    days: int
    quiet: tuple[QuietYears, ...]  # one for each noise profile
    faults: tuple[AfterFault, ...]  # one for each fault and profile
    facts: RuleFacts | None = None
    constants: str = ""  # digest of the manifest's numbers they were taken with
    false_confirmed: tuple[FalseConfirmed, ...] = ()  # the evidence alone, on healthy days
    cases: dict[str, int] = {}  # of a suite of one's own: use case → its cases


def read(path: Path = PACKAGED) -> Characteristics:
    """The saved figures: those of the built-in suite, unless another file is named."""
    return read_json(path, Characteristics, "a file of simulated figures")


def constants_digest(manifest: DailyManifest) -> str:
    """Changes when a number does that the figures depend on, and not when the suite's cases do."""
    numbers = (manifest.rule, manifest.evidence, manifest.attribution, manifest.samples, manifest.judge.bar)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def count_cases(suite: DailySuite) -> dict[str, int]:
    """Use case → how many cases it has."""
    return {name: len(use_case.cases) for name, use_case in suite.use_cases.items()}


def describe_cases(cases: dict[str, int]) -> str:
    """How many use cases, with how many cases."""
    counts = sorted(set(cases.values()))
    each = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"{len(cases)} use case{'s' if len(cases) > 1 else ''} with {each} cases each"
