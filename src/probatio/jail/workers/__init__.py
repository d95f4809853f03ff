"""Worker processes: all that a model wrote is read and compared here, under limits that really end it.

    contract  what a pool promises; a lane: what a kind of check may use
    choosing  which workers check: this machine's, or a Ray cluster's
    pool      the engine's side: gives a check to a free worker, ends the worker at its deadline
    nursery   one process that never sees an answer; workers are forked from it in milliseconds
    serving   a worker: one check after another, until it has done enough or grown too much
    together  small checks in one frame

A check is named by its function (`module:name`), takes bytes and gives bytes. So this package knows no
grader, and nothing but plain data crosses the border.
"""

from __future__ import annotations

from probatio.jail.workers.choosing import get_pool
from probatio.jail.workers.contract import Before, Checks, GraderFingerprint, Lane, Unchecked
from probatio.jail.workers.pool import Pool
from probatio.jail.workers.together import Together

__all__ = ["Before", "Checks", "GraderFingerprint", "Lane", "Pool", "Together", "Unchecked", "get_pool"]
