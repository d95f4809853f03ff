"""The simulator's figures for a user's own suite, with its use cases and its number of cases in each.

A short simulation of some seconds, made when the site is built and kept in the user's cache folder. Its
intervals say how short it is. `probatio suite simulate --suite FOLDER --out FOLDER` makes the long one, which
is then shown instead.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from probatio.core.code_digest import code_digest
from probatio.core.errors import ProbatioError, UsageError
from probatio.core.machine import cache_folder
from probatio.suites.daily_suite import DailyManifest, load_daily
from probatio.watch.alerts.describing import FIGURES
from probatio.watch.simulate.characteristics import constants_digest, read
from probatio.watch.simulate.parts import Characteristics

MODELS, DAYS, SEED = 100, 365, 0
PROFILES = ("partial", "binomial-0.9")
"""Cases that give credit in part, and yes/no cases: what an own suite is likely to have."""
FAULTS = ("drop-20-all", "drop-10-all")
ASSUMED_CASES = 5
"""Cases of every use case in the long simulation. Its figures are of a suite only where that is true of
it."""


class OwnFigures(msgspec.Struct, frozen=True):
    """The figures, and what they are of."""

    figures: Characteristics
    cases: dict[str, int]  # use case → its cases
    short: bool

    @property
    def words(self) -> str:
        counts = sorted(set(self.cases.values()))
        each = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
        return f"{len(self.cases)} use case{'s' if len(self.cases) > 1 else ''} with {each} cases each"


def find_own_figures(folder: Path, manifest: DailyManifest, *, compute: bool) -> OwnFigures | None:
    """The figures of the suite in `folder`. None if none are kept and `compute` is off, or if its cases can't
    be read."""
    try:
        cases = {use_case: len(each.cases) for use_case, each in load_daily(folder).use_cases.items()}
    except (ProbatioError, OSError):
        return None
    long = folder / FIGURES
    if long.exists() and set(cases.values()) <= {ASSUMED_CASES}:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return OwnFigures(read(long), cases, short=False)
    kept = cache_folder() / "figures" / f"{_key(manifest, cases)}.json"
    with contextlib.suppress(OSError, UsageError):
        return OwnFigures(read(kept), cases, short=True)
    if not compute:
        return None
    figures = simulate(manifest, cases)
    with contextlib.suppress(OSError):  # a cache that can't be written costs time, nothing else
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(msgspec.json.encode(figures))
    return OwnFigures(figures, cases, short=True)


def simulate(manifest: DailyManifest, cases: Mapping[str, int]) -> Characteristics:
    """The short simulation."""
    from probatio.watch.simulate.simulator import after_fault, quiet_years

    return Characteristics(
        suite_version=manifest.version,
        seed=SEED,
        models=MODELS,
        days=DAYS,
        quiet=tuple(
            quiet_years(manifest, profile, "gaussian", MODELS, DAYS, SEED, cases=cases)
            for profile in PROFILES
        ),
        faults=tuple(
            after_fault(manifest, fault, profile, "gaussian", MODELS, SEED, cases=cases)
            for fault in FAULTS
            for profile in PROFILES
        ),
        facts=None,
        constants=constants_digest(manifest),
    )


def _key(manifest: DailyManifest, cases: Mapping[str, int]) -> str:
    shape = [(entry.id, entry.grading, cases.get(entry.id)) for entry in manifest.use_cases]
    code = code_digest("probatio.watch.verdict", "probatio.watch.simulate")
    made_of = (
        constants_digest(manifest),
        manifest.version,
        shape,
        MODELS,
        DAYS,
        SEED,
        PROFILES,
        FAULTS,
        code,
    )
    return hashlib.sha256(msgspec.json.encode(made_of)).hexdigest()[:16]
