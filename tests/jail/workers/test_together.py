"""Small checks in one frame: each gets its own result, and one that breaks costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from probatio.jail.workers import Checks, Lane, Pool, Together, Unchecked
from probatio.jail.workers.together import MOST_CHECKS

TESTS = Path(__file__).parents[2]
LANE = Lane("together", cpu_seconds=0.5, seconds=10, memory_mb=256, workers=1)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    made = Pool()
    yield made
    made.close()


class Counting:
    """A pool that counts what goes through it."""

    def __init__(self, pool: Checks) -> None:
        self.pool = pool
        self.functions: list[str] = []
        self.ahead = pool.ahead

    async def run(self, lane: Lane, function: str, payload: bytes, *rest: object) -> bytes:
        self.functions.append(function)
        return await self.pool.run(lane, function, payload)

    def close(self) -> None:
        self.pool.close()


async def test_checks_that_come_together_travel_in_one_frame_and_each_gets_its_own_result(pool: Pool) -> None:
    counting = Counting(pool)
    together = Together(counting, LANE, "jail.workers.hostile:sometimes")
    payloads = [str(number).encode() for number in range(MOST_CHECKS + 6)]
    assert await asyncio.gather(*map(together.run, payloads)) == [payload[::-1] for payload in payloads]
    assert len(counting.functions) == 2


@pytest.mark.slow
@pytest.mark.parametrize("bad", [b"raise", b"spin", b"exit"])
async def test_one_that_breaks_costs_the_others_nothing(pool: Pool, bad: bytes) -> None:
    together = Together(pool, LANE, "jail.workers.hostile:sometimes")
    payloads = [b"one", bad, b"two", b"three"]
    results = await asyncio.gather(*map(together.run, payloads), return_exceptions=True)
    assert isinstance(results[1], Unchecked)
    assert [results[0], *results[2:]] == [b"eno", b"owt", b"eerht"]


async def test_a_check_that_nobody_waits_for_is_not_made(pool: Pool) -> None:
    counting = Counting(pool)
    together = Together(counting, LANE, "jail.workers.hostile:sometimes")
    dropped = asyncio.ensure_future(together.run(b"dropped"))
    await asyncio.sleep(0)
    dropped.cancel()
    assert await together.run(b"kept") == b"tpek"
    assert counting.functions == ["jail.workers.hostile:sometimes"]
