"""One machine of a Ray cluster, as it checks for another: an actor that holds a pool of ours, with the same limits and jails."""

from __future__ import annotations

from probatio.workers.batch import batch_of, encode, make
from probatio.workers.pool import Pool


class Node:
    """Made an actor by whoever starts it. It sees answers as bytes only; a worker of its pool reads them."""

    def __init__(self, cores: int) -> None:
        self._pool = Pool(cores)

    async def check(self, batch: bytes) -> bytes:
        return encode(await make(self._pool, batch_of(batch)))
