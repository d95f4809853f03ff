"""Which workers check: processes of this machine, one per core or as `--workers` says, or a Ray cluster."""

from __future__ import annotations

import os
import sys

from probatio.core.errors import Say, UsageError
from probatio.jail.workers.contract import Checks
from probatio.jail.workers.pool import Pool

RAY = "ray"
MOST = 1024
"""More local processes than this are a slip of the finger."""

_shared: list[Checks] = []
_chosen: list[str | None] = [None]


def get_pool() -> Checks:
    """The workers of this process. Local ones are replaced when the environment has changed."""
    if _shared and isinstance(_shared[0], Pool) and _shared[0].env != dict(os.environ):
        _shared.pop().close()
    if not _shared:
        workers = int(_chosen[0]) if _chosen[0] else None
        if sys.platform == "linux":
            _shared.append(Pool(workers))
        else:
            from probatio.jail.workers.plain import PlainPool

            _shared.append(PlainPool(workers))
    return _shared[0]


def use(workers: str | None, say: Say) -> None:
    """Check with these workers from now on: a number, `ray`, `ray://HOST:PORT`, or None for one worker per
    core. Raises where a cluster can't be reached, before anything is asked or written."""
    if _chosen == [workers]:
        return
    while _shared:
        _shared.pop().close()
    _chosen[0] = None
    if workers and on_ray(workers):
        from probatio.jail.workers.ray_pool import RayPool

        _shared.append(RayPool(workers, say))
    _chosen[0] = workers


def on_ray(workers: str | None) -> bool:
    return workers is not None and (workers == RAY or workers.startswith(f"{RAY}://"))


def parse_workers(workers: str) -> str:
    """The user's word, if it can be understood."""
    if on_ray(workers) or (workers.isascii() and workers.isdigit() and 0 < int(workers) <= MOST):
        return workers
    raise UsageError(
        f"--workers {workers}: give a number of processes from 1 to {MOST}, `ray`, or the address of a Ray "
        "cluster (`ray://HOST:10001`)."
    )
