"""This machine: where things are kept between runs, and how many cores there are."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

CACHE = "PROBATIO_CACHE"
"""The variable that names another folder than the system's for caches."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cache_folder() -> Path:
    """The folder of what is kept between runs: PROBATIO_CACHE, else `probatio` in the user's cache folder."""
    if chosen := os.environ.get(CACHE):
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("probatio", appauthor=False)


@functools.cache
def count_cores() -> int:
    """The cores that this process may use: a container or a task set often allows fewer than there are."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, min(allowed, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or `max`: no quota
        return max(1, allowed)
