"""The machines of a Ray cluster as workers: checks travel in batches, results come back in the order they are
there.

Each machine holds a pool of ours, so an answer is checked there within the same limits and the same jail as
here. A machine is used for a check only if it makes the same fingerprint of the grader as this one: the same
code, tools and files.

A machine that dies takes its batches with it; their checks are suspects then. Each of them is tried again
alone on a machine, and the one that ends that, too, can't be checked. So no answer is blamed for another.
"""

from __future__ import annotations

import asyncio
import atexit
from collections import Counter, deque
from time import monotonic
from typing import Any

from probatio.core.errors import Incomplete, Say
from probatio.jail.workers.contract import Before, GraderFingerprint, Lane, Unchecked
from probatio.jail.workers.pool import TRIES, Pool
from probatio.jail.workers.ray_batch import MOST_BYTES, Batch, BatchPace, decode_results, encode, read_error
from probatio.jail.workers.ray_cluster import Cluster, Lost, Machine
from probatio.jail.workers.wire import NO_JAIL

BATCHES = 2
"""Of a lane on a machine: one is worked on, the next is there already."""
AHEAD_PER_CORE = 128
"""Checks that a caller with many should give at once: two batches of the quickest jails."""
LOOK_SECONDS = 5.0
"""Between two looks at which machines there are."""
WATCH_SECONDS = 0.5
START_SECONDS = 180.0
"""Until a machine must be there that can make a check."""
STARTS = 3
"""Actors that may end on one machine in a row, before it has made a check, until we go without it."""

Lot = tuple[Lane, GraderFingerprint]
"""Checks that can go in one batch."""


class _Check:
    def __init__(self, lot: Lot, function: str, payload: bytes, before: Before) -> None:
        self.lot, self.function, self.payload, self.before = lot, function, payload, before
        self.reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.deaths = 0

    def begins(self) -> bool:
        """Whether it is still wanted."""
        if self.reply.done():
            return False
        try:
            if self.before is not None:
                self.before()
        except Exception as error:
            self.reply.set_exception(error)
            return False
        return True

    def fails(self, error: Exception) -> None:
        if not self.reply.done():
            self.reply.set_exception(error)


class _Node:
    """A machine with our actor on it."""

    def __init__(self, machine: Machine, actor: Any) -> None:
        self.machine, self.actor = machine, actor
        self.going: Counter[Lot] = Counter()  # batches there
        self.fits: dict[GraderFingerprint, bool | None] = {}  # None: it is being asked
        self.unfit: set[Lot] = set()
        self.proven = False  # it has made a check

    @property
    def idle(self) -> bool:
        return not self.going.total()

    def can(self, lot: Lot) -> bool:
        return lot not in self.unfit and self.fits.get(lot[1]) is True

    def could(self, lot: Lot) -> bool:
        """It can, or it is not known yet."""
        return lot not in self.unfit and self.fits.get(lot[1]) is not False


class RayPool:
    """Used from one event loop at a time, as a local pool is."""

    def __init__(self, address: str, say: Say, cluster: Cluster | None = None) -> None:
        self._address, self._say = address, say
        self._cluster = cluster or Cluster(address)
        self._here = Pool()
        self._nodes: dict[str, _Node] = {}
        self._ended: Counter[str] = Counter()  # machine → actors that ended before they had made a check
        self._lots: dict[Lot, deque[_Check]] = {}
        self._suspects: deque[_Check] = deque()
        self._paces: dict[Lane, BatchPace] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._soon = False
        self._looked = -LOOK_SECONDS
        self._look()
        if not self._nodes:
            raise Incomplete(f"The Ray cluster of --workers {address} has no machine with a core to give.")
        atexit.register(self.close)
        many, cores = len(self._nodes), sum(node.machine.cores for node in self._nodes.values())
        say(f"Ray: {many} machine{'s' * (many != 1)}, {cores} core{'s' * (cores != 1)}.")

    @property
    def ahead(self) -> int:
        return max(256, AHEAD_PER_CORE * sum(node.machine.cores for node in self._nodes.values()))

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Before = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        """As the contract says, on a machine that has room; here, if no other is known to check the same."""
        if not lane.travels or grader is None:
            return await self._here.run(lane, function, payload, before, grader)
        check = _Check((lane, grader), function, payload, before)
        self._lots.setdefault(check.lot, deque()).append(check)
        loop = asyncio.get_running_loop()
        if self._watching is None or self._watching.done() or self._watching.get_loop() is not loop:
            self._watching = loop.create_task(self._watch())
        if not self._soon:  # when everyone who is ready has come, and not for the first of them
            self._soon = True
            loop.call_soon(self._hand_out)
        return await check.reply

    def close(self) -> None:
        self._here.close()
        for node in self._nodes.values():
            self._cluster.stop(node.actor)
        self._nodes.clear()
        self._cluster.close()
        atexit.unregister(self.close)

    def _hand_out(self) -> None:
        """Give away what there is room for."""
        self._soon = False
        suspects_on = self._give_suspects()
        for lot, queue in self._lots.items():
            while queue:
                node = self._with_room(lot, suspects_on)
                if node is None:
                    break
                if batch := self._next_batch(node, lot, queue):
                    node.going[lot] += 1
                    self._go(self._carry(node, lot, batch))

    def _give_suspects(self) -> _Node | None:
        """Each on a machine that has nothing else to do. While there are any, one machine is theirs."""
        kept: _Node | None = None
        while self._suspects:
            if not self._suspects[0].begins():
                self._suspects.popleft()
                continue
            lot = self._suspects[0].lot
            self._ask_around(lot)
            fit = [node for node in self._nodes.values() if node.can(lot)]
            kept = min(fit, key=lambda each: each.going.total(), default=None)
            if kept is None or not kept.idle:
                break
            kept.going[lot] += 1
            self._go(self._carry(kept, lot, [self._suspects.popleft()]))
            if any(self._lots.values()):
                break
        return kept

    def _with_room(self, lot: Lot, but: _Node | None) -> _Node | None:
        self._ask_around(lot)
        free = [
            node
            for node in self._nodes.values()
            if node is not but and node.can(lot) and node.going[lot] < BATCHES
        ]
        return min(free, key=lambda node: node.going.total() / node.machine.cores, default=None)

    def _ask_around(self, lot: Lot) -> None:
        """Have every machine make the fingerprint that is not known of it yet."""
        lane, grader = lot
        for node in self._nodes.values():
            if grader not in node.fits:
                node.fits[grader] = None
                self._go(self._compare(node, lane, grader))

    def _next_batch(self, node: _Node, lot: Lot, queue: deque[_Check]) -> list[_Check]:
        lane = lot[0]
        size = self._paces.setdefault(lane, BatchPace()).size(lane.places(node.machine.cores))
        fair = -(-len(queue) // (BATCHES * len(self._nodes)))  # the last ones are for all machines
        batch: list[_Check] = []
        weight = 0
        while queue and len(batch) < max(1, min(size, fair)) and weight < MOST_BYTES:
            check = queue.popleft()
            if check.begins():
                batch.append(check)
                weight += len(check.payload)
        return batch

    async def _carry(self, node: _Node, lot: Lot, checks: list[_Check]) -> None:
        try:
            batch = Batch(lot[0], [(check.function, check.payload) for check in checks])
            results = decode_results(await self._cluster.check(node.actor, encode(batch)))
            node.proven = True
            self._paces.setdefault(lot[0], BatchPace()).learn(results)
            for check, outcome in zip(checks, results.outcomes, strict=True):
                if outcome.kind == NO_JAIL:
                    self._no_jail(node, lot, check, outcome.payload.decode("utf-8", "replace"))
                elif error := read_error(outcome):
                    check.fails(error)
                elif not check.reply.done():
                    check.reply.set_result(outcome.payload)
        except Lost as error:
            self._lose(node, str(error))
            self._blame(checks)
        finally:
            node.going[lot] -= 1
        self._hand_out()

    def _blame(self, checks: list[_Check]) -> None:
        for check in checks:
            check.deaths += 1
            if check.deaths >= TRIES:
                check.fails(Unchecked(f"it ended {check.deaths} workers of the cluster"))
            else:
                self._suspects.append(check)

    def _no_jail(self, node: _Node, lot: Lot, check: _Check, why: str) -> None:
        """A machine without a jail makes no such check; another one does."""
        if lot not in node.unfit:
            node.unfit.add(lot)
            self._say(f"{node.machine.name} makes no checks of {lot[0].name}: {why}")
        self._lots.setdefault(lot, deque()).appendleft(check)

    async def _compare(self, node: _Node, lane: Lane, grader: GraderFingerprint) -> None:
        """Whether the machine makes the same fingerprint as this one."""
        try:
            batch = Batch(lane, [(grader.function, grader.payload)])
            (outcome,) = decode_results(await self._cluster.check(node.actor, encode(batch))).outcomes
        except Lost as error:
            node.fits.pop(grader, None)
            self._lose(node, str(error))
        else:
            fault, node.proven = read_error(outcome), True
            node.fits[grader] = fault is None and outcome.payload == grader.value
            if not node.fits[grader]:
                other = "its code, its tools or the grader's files are not those of this machine"
                self._say(f"{node.machine.name} makes no checks of {lane.name}: {fault or other}.")
        finally:
            if node.fits.get(grader, True) is None:  # broken off with its event loop
                del node.fits[grader]
        self._hand_out()

    def _lose(self, node: _Node, why: str) -> None:
        if self._nodes.get(node.machine.id) is not node:
            return
        del self._nodes[node.machine.id]
        self._cluster.stop(node.actor)
        self._ended[node.machine.id] = 0 if node.proven else self._ended[node.machine.id] + 1
        if node.proven:
            self._say(f"{node.machine.name} was lost ({why}); what it was checking is checked elsewhere.")
        elif self._ended[node.machine.id] == STARTS:  # before, Ray may only not know yet that it is gone
            self._say(f"{node.machine.name} is not used: {why}")

    def _look(self) -> None:
        """Start an actor on every machine that is new, or that is there again."""
        if monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = monotonic()
        for machine in self._cluster.machines():
            if machine.id not in self._nodes and self._ended[machine.id] < STARTS:
                self._nodes[machine.id] = _Node(machine, self._cluster.start(machine))

    async def _watch(self) -> None:
        """While there is something to check: look for machines, and say so where none can do it."""
        moved = monotonic()
        while (first := self._first_waiting()) or self._tasks:
            if first is None or any(node.proven and not node.idle for node in self._nodes.values()):
                moved = monotonic()
            try:
                self._look()
                why = self._why_none(first.lot, monotonic() - moved) if first else None
            except Lost as error:
                why = f"it can't be reached any more ({error})"
            if why:
                gone = f"The Ray cluster of --workers {self._address} makes no more checks: {why}."
                for queue in (*self._lots.values(), self._suspects):
                    while queue:
                        queue.popleft().fails(Incomplete(gone))
                return
            self._hand_out()
            await asyncio.sleep(WATCH_SECONDS)

    def _first_waiting(self) -> _Check | None:
        return next((queue[0] for queue in (*self._lots.values(), self._suspects) if queue), None)

    def _why_none(self, lot: Lot, seconds: float) -> str | None:
        """Why no machine will make these checks; None while one may."""
        if self._nodes and not any(node.could(lot) for node in self._nodes.values()):
            return (
                f"no machine of it can make those of {lot[0].name}. Install the same versions on each, and "
                "give a suite of your own the same path there"
            )
        return f"no machine of it was free for {START_SECONDS:g} s" if seconds > START_SECONDS else None

    def _go(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
