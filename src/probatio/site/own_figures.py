"""The simulator's figures for a suite of one's own, with its own use cases and its own number of cases in each.

A short simulation, some seconds of CPU, made when the site is built and kept in the user's cache folder. Its intervals say how
short it is. `probatio simulate --suite FOLDER --out FOLDER` makes the long one, which is then shown in its place.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from probatio.alerts.telling import FIGURES
from probatio.code_digest import package_digest
from probatio.errors import ProbatioError
from probatio.simulate.characteristics import Characteristics, constants_digest, read
from probatio.suite.daily_suite import DailyManifest, load_daily

MODELS, DAYS, SEED = 100, 365, 0
PROFILES = ("partial", "binomial-0.9")
"""Cases that give credit in part, and yes/no cases: what an own suite is likely to have."""
FAULTS = ("drop-20-all", "drop-10-all")
ASSUMED_CASES = 5
"""Cases of every use case in the long simulation. Its figures are of a suite only where that is true of it."""


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


def own_figures(folder: Path, manifest: DailyManifest, *, compute: bool) -> OwnFigures | None:
    """The figures of the suite in `folder`; None where none are kept and none are to be computed, or its cases can't be read."""
    try:
        cases = {use_case: len(each.cases) for use_case, each in load_daily(folder).use_cases.items()}
    except (ProbatioError, OSError):
        return None
    long = folder / FIGURES
    if long.exists() and set(cases.values()) <= {ASSUMED_CASES}:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return OwnFigures(read(long), cases, short=False)
    kept = _cache_folder() / f"{_key(manifest, cases)}.json"
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return OwnFigures(read(kept), cases, short=True)
    if not compute:
        return None
    figures = simulated(manifest, cases)
    with contextlib.suppress(OSError):  # a cache that can't be written costs time, nothing else
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(msgspec.json.encode(figures))
    return OwnFigures(figures, cases, short=True)


def simulated(manifest: DailyManifest, cases: Mapping[str, int]) -> Characteristics:
    """The short simulation."""
    from probatio.simulate.simulator import after_fault, quiet_years

    return Characteristics(
        suite_version=manifest.version,
        seed=SEED,
        models=MODELS,
        days=DAYS,
        quiet=tuple(
            quiet_years(manifest, profile, "gaussian", MODELS, DAYS, SEED, cases=cases) for profile in PROFILES
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
    code = [package_digest(f"probatio.{package}") for package in ("verdict", "simulate")]
    made_of = (constants_digest(manifest), manifest.version, shape, MODELS, DAYS, SEED, PROFILES, FAULTS, code)
    return hashlib.sha256(msgspec.json.encode(made_of)).hexdigest()[:16]


def _cache_folder() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("probatio", appauthor=False) / "figures"
