"""What a pool of workers is to whoever has something to check: on this machine, or on many."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from probatio.errors import CannotCheck, Incomplete
from probatio.workers.lane import Lane
from probatio.workers.wire import FAILED, NO_JAIL, NO_TOOL


class Unchecked(Exception):
    """The check did not end within its limits, or raised: nothing is known about the answer. The message says which."""


class Reply(NamedTuple):
    """What a check gave back."""

    payload: bytes
    settled: bool = True  # False: a limit of time had a part in it


RAISED: dict[int, type[Exception]] = {NO_TOOL: CannotCheck, NO_JAIL: Incomplete, FAILED: Unchecked}
"""Kind of a worker's frame → what it is to whoever asked."""


def reply_of(kind: int, payload: bytes, settled: bool = True) -> Reply:
    """What a worker's frame says: a reply, or something to raise."""
    if raised := RAISED.get(kind):
        told = payload.decode("utf-8", "replace")
        raise raised(f"the check failed: {told}" if kind == FAILED else told)
    return Reply(payload, settled)


class Same(msgspec.Struct, frozen=True):
    """What must be the same wherever a check is made, or it could come out otherwise: the code, the tools, a grader's files.
    `function` makes it from `payload`, here and on every other machine."""

    function: str
    payload: bytes
    value: bytes


class Checks(Protocol):
    """Whoever makes checks: the pool of this process, or a cluster."""

    @property
    def ahead(self) -> int:
        """How many checks it should be given at once, by whoever has many."""
        ...

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Callable[[], None] | None = None,
        same: Same | None = None,
    ) -> Reply:
        """What `function` (`module:name`, bytes to bytes) makes of the payload, in a worker with the limits of the lane.

        Raises `Unchecked` where it can't be known, `CannotCheck` where a tool is missing, `Incomplete` where no jail or no worker
        can be had. `before` is called when it is this check's turn; what it raises ends the check.
        """
        ...

    def close(self) -> None:
        """End all workers; the next check starts new ones."""
        ...
