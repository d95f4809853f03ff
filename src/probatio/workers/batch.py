"""What goes to a machine of a cluster and comes back: checks of one lane, as many as take about a second."""

from __future__ import annotations

import asyncio
from time import monotonic

import msgspec

from probatio.workers.contract import RAISED, Checks, Unchecked
from probatio.workers.lane import Lane
from probatio.workers.wire import DONE

BATCH_SECONDS = 1.0
"""Long enough that the way there costs nothing beside it, short enough that the end of a run finds every machine at work."""
MOST_BYTES = 8 << 20
MOST_CHECKS = 512
"""Where they are quicker than that, the way costs nothing already; and all of a batch are suspects when its machine dies."""


class Batch(msgspec.Struct, frozen=True, array_like=True):
    lane: Lane
    checks: list[tuple[str, bytes]]  # function, payload


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    kind: int
    payload: bytes  # the reply, or the sentence of what was raised
    settled: bool = True


class Results(msgspec.Struct, frozen=True, array_like=True):
    outcomes: list[Outcome]
    seconds: float  # that the checks took, without their waiting for a worker, all together


encode = msgspec.msgpack.Encoder().encode
batch_of = msgspec.msgpack.Decoder(Batch).decode
results_of = msgspec.msgpack.Decoder(Results).decode


async def make(pool: Checks, batch: Batch) -> Results:
    """All checks of a batch, side by side as far as the lane allows."""
    spent = 0.0

    async def one(function: str, payload: bytes) -> Outcome:
        nonlocal spent
        began = monotonic()

        def begins() -> None:
            nonlocal began
            began = monotonic()

        try:
            reply = await pool.run(batch.lane, function, payload, begins)
            return Outcome(DONE, reply.payload, reply.settled)
        except tuple(RAISED.values()) as error:
            kind = next(kind for kind, raised in RAISED.items() if isinstance(error, raised))
            return Outcome(kind, str(error).encode("utf-8", "replace"))
        finally:
            spent += monotonic() - began

    outcomes = await asyncio.gather(*(one(function, payload) for function, payload in batch.checks))
    return Results(outcomes, spent)


def raised(outcome: Outcome) -> Exception | None:
    """What a check raised there, to be raised here."""
    if outcome.kind == DONE:
        return None
    return RAISED.get(outcome.kind, Unchecked)(outcome.payload.decode("utf-8", "replace"))


class Pace:
    """How long the checks of a lane take, and so how many of them make a batch."""

    def __init__(self) -> None:
        self._each: float | None = None

    def learn(self, results: Results) -> None:
        if not results.outcomes:
            return
        each = results.seconds / len(results.outcomes)
        self._each = each if self._each is None else 0.7 * self._each + 0.3 * each

    def size(self, places: int) -> int:
        """Checks that so many workers make in about a second; as many as there are workers, before the first are known."""
        if self._each is None:
            return places
        return max(1, min(MOST_CHECKS, round(places * BATCH_SECONDS / max(self._each, 1e-5))))
