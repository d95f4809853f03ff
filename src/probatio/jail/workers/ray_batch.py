"""Checks that go to a machine of a Ray cluster and come back, a second's worth at once; our actor there."""

from __future__ import annotations

import asyncio
from time import monotonic

import msgspec

from probatio.jail.workers.contract import RAISED, Checks, Lane, Unchecked
from probatio.jail.workers.pool import Pool
from probatio.jail.workers.wire import DONE

BATCH_SECONDS = 1.0
"""Long enough that the way there costs little, short enough that every machine works at the end of a run."""
MOST_BYTES = 8 << 20
MOST_CHECKS = 512
"""If they are quicker, the way costs nothing already; and all are suspects when their machine dies."""


class Batch(msgspec.Struct, frozen=True, array_like=True):
    lane: Lane
    checks: list[tuple[str, bytes]]  # function, payload


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    kind: int
    payload: bytes  # the reply, or the sentence of what was raised


class BatchResults(msgspec.Struct, frozen=True, array_like=True):
    outcomes: list[Outcome]
    seconds: float  # that the checks took, without their waiting for a worker, all together


encode = msgspec.msgpack.Encoder().encode
decode_batch = msgspec.msgpack.Decoder(Batch).decode
decode_results = msgspec.msgpack.Decoder(BatchResults).decode


async def check_batch(pool: Checks, batch: Batch) -> BatchResults:
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
            return Outcome(DONE, reply)
        except tuple(RAISED.values()) as error:
            kind = next(kind for kind, raised in RAISED.items() if isinstance(error, raised))
            return Outcome(kind, str(error).encode("utf-8", "replace"))
        finally:
            spent += monotonic() - began

    outcomes = await asyncio.gather(*(one(function, payload) for function, payload in batch.checks))
    return BatchResults(outcomes, spent)


def read_error(outcome: Outcome) -> Exception | None:
    """What a check raised there, to be raised here."""
    if outcome.kind == DONE:
        return None
    return RAISED.get(outcome.kind, Unchecked)(outcome.payload.decode("utf-8", "replace"))


class BatchPace:
    """How long the checks of a lane take, and so how many of them make a batch."""

    def __init__(self) -> None:
        self._each: float | None = None

    def learn(self, results: BatchResults) -> None:
        if not results.outcomes:
            return
        each = results.seconds / len(results.outcomes)
        self._each = each if self._each is None else 0.7 * self._each + 0.3 * each

    def size(self, places: int) -> int:
        """Checks that so many workers make in about a second; one for each, before the first are known."""
        if self._each is None:
            return places
        return max(1, min(MOST_CHECKS, round(places * BATCH_SECONDS / max(self._each, 1e-5))))


class NodeActor:
    """Our actor on one machine. It sees answers as bytes only; a worker of its pool reads them."""

    def __init__(self, cores: int) -> None:
        self._pool = Pool(cores)

    async def check(self, batch: bytes) -> bytes:
        return encode(await check_batch(self._pool, decode_batch(batch)))
