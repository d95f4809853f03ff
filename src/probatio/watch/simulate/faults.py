"""Faults: what can go wrong with a synthetic model, from one day on, as a table."""

from __future__ import annotations

from dataclasses import dataclass

POINTS_PER_MARK = 25.0  # marks of 1–5 become scores of 0–100


@dataclass(frozen=True, slots=True)
class SimulatedFault:
    """What goes wrong, from one day on."""

    title: str
    reach: int | None = 0  # of how many use cases, the first ones; None is all
    drop: float = 0.0  # share of the score lost at once
    points: float = 0.0  # points of 0–100 lost at once
    uneven: bool = False  # the points fall on the cases with shares drawn from Gamma(0.5), of mean 1
    decline: float = 0.0  # points of 0–100 lost each day …
    most: float = 100.0  # … up to so many
    dead_cases: int = 0  # first cases of the first use case, at zero from now on
    dead_share: float = 0.0  # this share of all cases at zero from now on
    judge: float = 0.0  # how much lower the judge marks, of 1–5; its calibration set shows the same
    rerouted: bool = False
    outage: int = 0  # days without any answer
    lasts: int | None = None  # days until the model is well again; None is for good
    harmless: bool = False  # not caused by the model: an alarm would be false
    watched: int = 90  # days it is followed in the simulator


FAULTS: dict[str, SimulatedFault] = {
    "drop-20-all": SimulatedFault("20 % lost in all use cases", reach=None, drop=0.2),
    "drop-10-all": SimulatedFault("10 % lost in all use cases", reach=None, drop=0.1),
    "drop-20-three": SimulatedFault("20 % lost in three use cases", reach=3, drop=0.2),
    "drop-10-three": SimulatedFault("10 % lost in three use cases", reach=3, drop=0.1),
    "drop-20-one": SimulatedFault("20 % lost in one use case", reach=1, drop=0.2),
    "drop-10-one": SimulatedFault("10 % lost in one use case", reach=1, drop=0.1),
    "drop-5-one": SimulatedFault("5 % lost in one use case", reach=1, drop=0.05),
    "decline": SimulatedFault("decline of 0.3 points a day in all", reach=None, decline=0.3),
    "dead-case": SimulatedFault("one dead case", dead_cases=1, watched=300),
    "judge-shift": SimulatedFault("judge marks 0.5 lower, beyond its gate", judge=0.5, harmless=True),
    "judge-drift": SimulatedFault("judge marks 0.2 lower, under its gate", judge=0.2, harmless=True),
    "route-change": SimulatedFault(
        "another route, 10 % lower", reach=None, drop=0.1, rerouted=True, harmless=True
    ),
    "outage": SimulatedFault("outage of 5 days", outage=5, harmless=True),
}
"""Those that both layers are measured on."""
