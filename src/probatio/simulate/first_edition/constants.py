"""The constants of the first edition, as suite 2.2.0 had them."""

from __future__ import annotations

import msgspec


class FirstEdition(msgspec.Struct, frozen=True):
    reference_days: int = 28
    deltas: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4)
    low: float = 0.25
    caution: float = 2.33
    hac_lag: int = 3
    recovery_prior: float = 0.15
    recovery_weight: float = 6.0
    recovery_se: float = 1.3
    dead_share: float = 0.1
    judged_sd_factor: float = 1.5
    judged_sd_floor: float = 2.0
    day_cap: float = 100.0
    confirmed: float = 36500.0
