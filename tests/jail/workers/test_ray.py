"""Many machines as workers: what dies is checked elsewhere, what kills is given up, and only machines that
check alike are used.

The rules are shown with machines that are played here, each with a real pool; the last test has a real Ray
cluster.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probatio.core.errors import Incomplete, UsageError
from probatio.jail.workers import GraderFingerprint, Lane, Pool, Unchecked
from probatio.jail.workers.choosing import parse_workers
from probatio.jail.workers.ray_batch import (
    MOST_CHECKS,
    BatchPace,
    BatchResults,
    Outcome,
    check_batch,
    decode_batch,
    encode,
)
from probatio.jail.workers.ray_cluster import Lost, Machine
from probatio.jail.workers.ray_pool import RayPool

LANE = Lane("echoes", cpu_seconds=5, seconds=60)
ECHO = "builtins:bytes"
SAME = GraderFingerprint(ECHO, b"same", b"same")
KILLER = b"kills whoever checks it"


class Actor:
    def __init__(self, machine: Machine) -> None:
        self.machine, self.alive, self.batches = machine, True, 0


class Played:
    """Machines that are played here."""

    def __init__(self, pool: Pool, *cores: int) -> None:
        self.pool = pool
        self.there = [Machine(f"id{number}", f"machine{number}", each) for number, each in enumerate(cores)]
        self.actors: list[Actor] = []
        self.dies_after: dict[str, int] = {}  # machine → batches
        self.other_code: set[str] = set()
        self.no_jail: set[str] = set()
        self.killed = 0

    def machines(self) -> list[Machine]:
        return self.there

    def start(self, machine: Machine) -> Actor:
        self.actors.append(Actor(machine))
        return self.actors[-1]

    async def check(self, actor: Actor, data: bytes) -> bytes:
        batch = decode_batch(data)
        actor.batches += 1
        if any(payload == KILLER for _, payload in batch.checks):
            actor.alive = False
            self.killed += 1
        if self.dies_after.get(actor.machine.id, MOST_CHECKS) < actor.batches:
            actor.alive = False
            self.there = [each for each in self.there if each.id != actor.machine.id]
        results = await check_batch(self.pool, batch)
        if not actor.alive:
            raise Lost("the node died")
        if actor.machine.id in self.other_code and batch.checks[0][1] == SAME.payload:
            return encode(BatchResults([Outcome(1, b"other")], 0.1))
        if actor.machine.id in self.no_jail and batch.checks[0][1] != SAME.payload:
            return encode(BatchResults([Outcome(3, b"no jail here") for _ in batch.checks], 0.1))
        return encode(results)

    def stop(self, actor: Actor) -> None:
        actor.alive = False

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def local() -> Iterator[Pool]:
    pool = Pool(2)
    yield pool
    pool.close()


def far(
    played: Played, said: list[str] | None = None, monkeypatch: pytest.MonkeyPatch | None = None
) -> RayPool:
    if monkeypatch is not None:  # how often it looks for machines
        monkeypatch.setattr("probatio.jail.workers.ray_pool.LOOK_SECONDS", 0.0)
        monkeypatch.setattr("probatio.jail.workers.ray_pool.WATCH_SECONDS", 0.05)
    stand_in: Any = played
    return RayPool("ray", (said if said is not None else []).append, stand_in)


async def all_of(pool: RayPool, payloads: list[bytes]) -> list[bytes | BaseException]:
    return await asyncio.gather(
        *(pool.run(LANE, ECHO, each, grader=SAME) for each in payloads), return_exceptions=True
    )


def numbered(count: int) -> list[bytes]:
    return [b"%d" % number for number in range(count)]


async def test_checks_travel_in_batches_and_each_comes_back_to_who_asked(local: Pool) -> None:
    played = Played(local, 1, 1)
    pool = far(played)
    rounds = 0
    while rounds < 20:  # on a busy machine one of the two may begin late
        rounds += 1
        replies = await all_of(pool, numbered(400))
        assert [each for each in replies if isinstance(each, bytes)] == numbered(400)
        if all(actor.batches > 1 for actor in played.actors):
            break
    assert all(actor.batches > 1 for actor in played.actors), "both machines had some"
    assert sum(actor.batches for actor in played.actors) < 60 * rounds


async def test_a_machine_that_dies_loses_no_check_and_nobody_is_blamed(
    local: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played, said = Played(local, 1, 1), list[str]()
    played.dies_after = {"id0": 3}
    replies = await all_of(far(played, said, monkeypatch), numbered(300))
    assert [each for each in replies if isinstance(each, bytes)] == numbered(300)
    assert [sentence for sentence in said if sentence.startswith("machine0 was lost")]


async def test_a_check_that_kills_is_given_up_after_two_tries_and_the_others_are_made(
    local: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Played(local, 1, 1)
    payloads = numbered(100)
    payloads[37] = KILLER
    replies = await all_of(far(played, [], monkeypatch), payloads)
    assert isinstance(replies[37], Unchecked)
    assert "it ended 2 workers of the cluster" in str(replies[37])
    assert played.killed == 2
    others = [each for number, each in enumerate(replies) if number != 37 and isinstance(each, bytes)]
    assert others == [each for each in payloads if each != KILLER]


async def test_a_machine_whose_grader_is_another_one_checks_nothing(local: Pool) -> None:
    played, said = Played(local, 1, 1), list[str]()
    played.other_code = {"id0"}
    replies = await all_of(far(played, said), numbered(50))
    assert [each for each in replies if isinstance(each, bytes)] == numbered(50)
    assert played.actors[0].batches == 1  # it was only asked for its fingerprint
    assert any("machine0 makes no checks of echoes: its code, its tools" in sentence for sentence in said)


async def test_a_machine_without_a_jail_leaves_the_checks_to_the_others(local: Pool) -> None:
    played, said = Played(local, 1, 1), list[str]()
    played.no_jail = {"id1"}
    replies = await all_of(far(played, said), numbered(50))
    assert [each for each in replies if isinstance(each, bytes)] == numbered(50)
    assert any("machine1 makes no checks of echoes: no jail here" in sentence for sentence in said)


async def test_where_no_machine_checks_alike_the_run_ends_with_what_to_do(
    local: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Played(local, 1)
    played.other_code = {"id0"}
    (reply,) = await all_of(far(played, [], monkeypatch), [b"x"])
    assert isinstance(reply, Incomplete)
    assert "Install the same versions" in str(reply)


async def test_a_machine_that_joins_later_is_used(local: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(local, 1)
    pool = far(played, [], monkeypatch)
    await all_of(pool, numbered(10))
    played.there.append(Machine("new", "new", 1))
    for _ in range(40):
        await all_of(pool, numbered(100))
        if len(played.actors) == 2 and played.actors[1].batches > 1:
            return
        await asyncio.sleep(0.05)
    pytest.fail("nobody used the new machine")


async def test_what_nobody_can_compare_or_is_sooner_done_stays_here(local: Pool) -> None:
    played = Played(local, 1)
    pool = far(played)
    try:
        here = Lane("here", cpu_seconds=5, seconds=60, travels=False, workers=1)
        assert await pool.run(here, ECHO, b"x", grader=SAME) == b"x"
        assert await pool.run(LANE, ECHO, b"y") == b"y"
        assert played.actors[0].batches == 0
    finally:
        pool.close()


async def test_a_check_that_is_not_wanted_any_more_does_not_travel(local: Pool) -> None:
    def no() -> None:
        raise KeyError("stopping")

    played = Played(local, 1)
    with pytest.raises(KeyError):
        await far(played).run(LANE, ECHO, b"x", no, SAME)


def test_a_batch_is_what_takes_about_a_second() -> None:
    pace = BatchPace()
    assert pace.size(3) == 3
    pace.learn(BatchResults([Outcome(1, b"")] * 10, 0.25))  # 25 ms each
    assert pace.size(3) == 120
    pace.learn(BatchResults([Outcome(1, b"")] * 2, 8.0))
    assert pace.size(1) == 1


@pytest.mark.parametrize("word", ["0", "-1", "many", "ray:/x", "²", "99999", ""])
def test_a_word_for_workers_that_says_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="a number of processes"):
        parse_workers(word)


@pytest.mark.parametrize("word", ["1", "64", "ray", "ray://head:10001"])
def test_a_word_for_workers(word: str) -> None:
    assert parse_workers(word) == word


@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install 'probatio[ray]'"
)
@pytest.mark.soak
def test_two_raylets_and_one_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv(
        "RAY_worker_niceness", "0"
    )  # 15 by default, which beside other tests is near to nothing
    utils: Any = importlib.import_module("ray.cluster_utils")
    few = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
    cluster = utils.Cluster(initialize_head=True, head_node_args=few)
    said: list[str] = []
    try:
        other = cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        pool = RayPool("ray", said.append)
        assert said == ["Ray: 2 machines, 2 cores."]

        async def work() -> list[bytes | BaseException]:
            assert len(await all_of(pool, numbered(100))) == 100
            going = asyncio.ensure_future(all_of(pool, numbered(400)))
            while sum(node.going.total() for node in pool._nodes.values()) < 2:  # noqa: ASYNC110 - both are at work
                await asyncio.sleep(0.001)
            os.kill(other.all_processes["raylet"][0].process.pid, 9)
            return await going

        replies = asyncio.run(work())
        while len(pool._cluster.machines()) > 1:  # Ray knows it, too
            time.sleep(0.1)
        time.sleep(1)
        pool.close()
    finally:
        cluster.shutdown()
    assert [each for each in replies if isinstance(each, bytes)] == numbered(400)
    assert "aylet" not in capsys.readouterr().out, "standard output is ours"


@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None or not Path("/proc/net/tcp").exists(),
    reason="Ray is not installed (pip install 'probatio[ray]'), or there is no /proc",
)
@pytest.mark.soak
def test_a_cluster_that_we_begin_listens_on_this_machine_alone() -> None:
    """In a process of its own: what Ray was told stays with the process."""
    env = {**os.environ, "RAY_raylet_start_wait_time_s": "300"}
    env.pop("RAY_ADDRESS", None)
    done = subprocess.run([sys.executable, "-c", _LISTENING], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    places = done.stdout.split()
    assert len(places) >= 3
    assert set(places) <= {"0100007F", "0000000000000000FFFF00000100007F", "0" * 24 + "01000000"}, places


@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install 'probatio[ray]'"
)
@pytest.mark.soak
def test_its_workers_import_nothing_from_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "probatio.py").write_text("open('imported', 'w').close()\n")
    env = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", _BEGINNING], capture_output=True, cwd=tmp_path, env=env
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "imported").exists()


_BEGINNING = """
import ray
from probatio.jail.workers.ray_cluster import Cluster

cluster = Cluster("ray")
(machine,) = cluster.machines()
assert ray.get(cluster.start(machine).__ray_ready__.remote(), timeout=120)
cluster.close()
"""

_LISTENING = """
import os, re
from pathlib import Path
from probatio.jail.workers.ray_cluster import Cluster

cluster = Cluster("ray")
assert len(cluster.machines()) == 1
ours = {os.getpid()}
for _ in range(4):
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found = re.match(r"(\\d+) \\(.*\\) \\S (\\d+)", stat.read_text(), re.DOTALL)
        except OSError:
            continue
        if found and int(found[2]) in ours:
            ours.add(int(found[1]))
sockets = set()
for pid in ours:
    for handle in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            sockets.add(os.readlink(handle))
        except OSError:
            continue
for table in ("tcp", "tcp6"):
    for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
            print(words[1].partition(":")[0])
cluster.close()
"""
