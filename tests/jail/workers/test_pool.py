"""The pool of workers: whatever a check does, it ends, the engine goes on, and the next check is done."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probatio.core.errors import CannotCheck, Incomplete
from probatio.jail.workers import Lane, Pool, Unchecked

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

TESTS = Path(__file__).parents[2]
QUICK = Lane("quick", cpu_seconds=0.5, seconds=5, memory_mb=256, workers=1)
BRIEF = Lane("brief", cpu_seconds=5, seconds=0.5, workers=1)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    made = Pool()
    yield made
    made.close()


async def check(pool: Pool, name: str, payload: bytes = b"", lane: Lane = QUICK) -> bytes:
    return await pool.run(lane, f"jail.workers.hostile:{name}", payload)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(holds: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize("size", [0, 1, 70_000, 5_000_000])
async def test_a_check_takes_bytes_and_gives_bytes(pool: Pool, size: int) -> None:
    payload = os.urandom(size)
    assert await check(pool, "echo", payload) == payload


@pytest.mark.parametrize(
    "name",
    [
        "loop",
        "loop_with_the_lock_held",
        "swallow",
        "eat",
        "leave",
        "crash",
        "dive",
        "fail",
        "fail_to_say_so",
        "flood",
    ],
)
async def test_a_check_that_can_not_be_done_is_unchecked_and_the_next_one_is_done(
    pool: Pool, name: str
) -> None:
    began = time.monotonic()
    with pytest.raises(Unchecked):
        await check(pool, name)
    assert time.monotonic() - began < QUICK.seconds + 60
    assert await check(pool, "echo", b"next") == b"next"


async def test_the_clock_ends_a_check_that_waits(pool: Pool) -> None:
    await check(pool, "echo", lane=BRIEF)
    began = time.monotonic()
    with pytest.raises(Unchecked, match="limits"):
        await check(pool, "wait", lane=BRIEF)
    assert time.monotonic() - began < 60  # it would wait for ten minutes


async def test_what_was_raised_is_told_as_text_that_can_be_written(pool: Pool) -> None:
    with pytest.raises(Unchecked, match="KeyError") as failed:
        await check(pool, "fail")
    str(failed.value).encode()


async def test_a_missing_tool_and_a_broken_jail_are_no_faults_of_the_answer(pool: Pool) -> None:
    with pytest.raises(CannotCheck, match="No browser today"):
        await check(pool, "no_tool")
    with pytest.raises(Incomplete, match="jail"):
        await check(pool, "no_jail")


async def test_a_worker_is_used_again_and_recycled_in_the_end(pool: Pool) -> None:
    lane = Lane("few", cpu_seconds=2, seconds=10, workers=1, checks=5)
    workers = [await check(pool, "process", lane=lane) for _ in range(12)]
    assert [workers.count(each) for each in dict.fromkeys(workers)] == [5, 5, 2]


async def test_a_worker_that_has_grown_is_replaced(pool: Pool) -> None:
    lane = Lane("leaks", cpu_seconds=10, seconds=60, memory_mb=256, workers=1)
    workers = {await check(pool, "leak", lane=lane) for _ in range(80)}
    assert len(workers) > 1


async def test_no_more_checks_at_once_than_the_lane_allows_and_all_get_their_turn(pool: Pool) -> None:
    lane = Lane("two", cpu_seconds=2, seconds=10, workers=2)
    found = await asyncio.gather(*(check(pool, "process", lane=lane) for _ in range(50)))
    assert len(set(found)) <= 2


async def test_a_hanging_check_holds_up_no_other_lane(pool: Pool) -> None:
    other = Lane("other", cpu_seconds=2, seconds=10)
    hanging = asyncio.ensure_future(check(pool, "wait", lane=Lane("waits", cpu_seconds=2, seconds=30)))
    assert await asyncio.wait_for(check(pool, "echo", b"x", other), 25) == b"x"
    hanging.cancel()


async def test_a_check_nobody_waits_for_is_ended(pool: Pool, tmp_path: Path) -> None:
    told = tmp_path / "told"
    lane = Lane("long", cpu_seconds=600, seconds=600, workers=1)
    hanging = asyncio.ensure_future(check(pool, "start_another", str(told).encode(), lane))
    while not told.exists() or not told.read_text():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.05)
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert until(lambda: not any(alive(int(pid)) for pid in told.read_text().split()))
    assert await check(pool, "echo", b"next", lane) == b"next"


async def test_a_check_whose_worker_dies_is_tried_once_more(pool: Pool, tmp_path: Path) -> None:
    assert await check(pool, "crash_at_first", str(tmp_path / "crashed").encode()) == b"at last"
    with pytest.raises(Unchecked, match="it ended 2 workers"):
        await check(pool, "crash")


@pytest.mark.parametrize(
    ("lane", "on_one", "on_eight"),
    [({}, 1, 8), ({"beside": 2}, 3, 10), ({"cores_each": 4}, 1, 2), ({"workers": 3}, 3, 3)],
)
def test_a_lane_has_the_workers_that_the_cores_can_serve(
    lane: dict[str, int], on_one: int, on_eight: int
) -> None:
    made = Lane("any", cpu_seconds=1, seconds=1, **lane)  # type: ignore[arg-type]
    assert (made.places(1), made.places(8)) == (on_one, on_eight)


async def test_an_idle_worker_that_was_killed_costs_no_answer(pool: Pool) -> None:
    worker = int(await check(pool, "process"))
    os.kill(worker, signal.SIGKILL)
    assert until(lambda: not alive(worker))
    assert await check(pool, "echo", b"next") == b"next"


async def test_a_nursery_that_was_killed_costs_no_answer(pool: Pool) -> None:
    worker, nursery = map(int, (await check(pool, "group")).split())
    os.kill(nursery, signal.SIGKILL)
    assert until(lambda: not alive(worker))  # its workers go with it
    assert await check(pool, "echo", b"next") == b"next"


def test_a_pool_serves_one_event_loop_after_another(pool: Pool) -> None:
    async def one() -> bytes:
        return await check(pool, "process")

    assert asyncio.run(one()) == asyncio.run(one())


def test_nothing_is_started_before_there_is_something_to_check(pool: Pool) -> None:
    assert pool._nursery is None


def test_the_working_folder_is_not_imported_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool
) -> None:
    (tmp_path / "probatio").mkdir()
    (tmp_path / "msgspec.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)

    async def one() -> bytes:
        return await check(pool, "echo", b"x")

    assert asyncio.run(one()) == b"x"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_engine_that_is_killed_leaves_no_worker_behind(tmp_path: Path, number: signal.Signals) -> None:
    told = tmp_path / "told"
    program = (
        "import asyncio\n"
        "from probatio.jail.workers import Lane, Pool\n"
        "lane = Lane('long', cpu_seconds=600, seconds=600)\n"
        f"asyncio.run(Pool().run(lane, 'jail.workers.hostile:start_another', {str(told).encode()!r}))\n"
    )
    engine = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(TESTS)})
    try:
        assert until(lambda: told.exists() and bool(told.read_text()), 60)
        child, worker = map(int, told.read_text().split())
        assert alive(child)
        assert alive(worker)
        nursery = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
    finally:
        engine.send_signal(number)
        engine.wait(300)
    assert until(lambda: not any(map(alive, (nursery, worker, child))))
