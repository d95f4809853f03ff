"""Worker processes: whatever a model wrote is read, computed with and compared here, under limits that really end it.

    contract  what a pool is to whoever has something to check
    choosing  which workers check: this machine's, or a Ray cluster's
    pool      the engine's side: gives a check to a free worker, ends the worker at its deadline
    nursery   one process that never sees an answer; workers are forked from it in milliseconds
    serving   a worker: one check after another, until it has done enough or grown too much
    together  small checks in one frame
    lane      what a kind of check may use

A check is named by its function (`module:name`), takes bytes and gives bytes. So this package knows no grader, and nothing but
plain data crosses the border.
"""

from __future__ import annotations

from probatio.workers.choosing import shared
from probatio.workers.contract import Checks, Reply, Same, Unchecked
from probatio.workers.lane import Lane
from probatio.workers.pool import Pool
from probatio.workers.together import Together

__all__ = ["Checks", "Lane", "Pool", "Reply", "Same", "Together", "Unchecked", "shared"]
