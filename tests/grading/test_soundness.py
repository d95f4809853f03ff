"""A trivial program tells whether a toolchain works; it is tried seldom, and again and again."""

from __future__ import annotations

import asyncio

import pytest

from probatio.grading.soundness import BELIEVED_SECONDS, Soundness, Toolchains


class Trial:
    """Counts how often the trivial program is tried."""

    def __init__(self, *faults: str | None) -> None:
        self.faults, self.tried = list(faults), 0

    async def __call__(self) -> str | None:
        self.tried += 1
        await asyncio.sleep(0)
        return self.faults.pop(0) if len(self.faults) > 1 else self.faults[0]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_a_trial_told_counts_for_seconds_and_not_for_ever() -> None:
    known = Soundness()
    assert not known.is_known(b"kcl", 0.0)
    known.note(b"kcl", 10.0, None)
    assert known.is_known(b"kcl", 10.0 + BELIEVED_SECONDS - 0.01)
    assert not known.is_known(b"kcl", 10.0 + BELIEVED_SECONDS)
    assert not known.is_known(b"lua", 10.0)
    known.note(b"kcl", 20.0, "gone")
    assert (known.is_known(b"kcl", 20.1), known.fault(b"kcl")) == (True, "gone")


async def test_ten_thousand_answers_that_break_it_in_a_moment_cost_one_trial() -> None:
    trial, toolchains = Trial(None), Toolchains(Clock())
    found = await asyncio.gather(*(toolchains.find_fault(b"kcl", trial) for _ in range(10_000)))
    assert (set(found), trial.tried) == ({None}, 1)


async def test_a_machine_that_breaks_in_between_is_found_out_and_a_mended_one_too() -> None:
    trial, clock = Trial(None, "no library", None), Clock()
    toolchains = Toolchains(clock)
    found = []
    for _ in range(5):
        found.append(await toolchains.find_fault(b"kcl", trial))
        clock.now += BELIEVED_SECONDS / 2
    assert found == [None, None, "no library", "no library", None]
    assert trial.tried == 3


async def test_each_toolchain_is_tried_by_itself() -> None:
    toolchains = Toolchains(Clock())
    assert await toolchains.find_fault(b"kcl", Trial(None)) is None
    assert await toolchains.find_fault(b"lua", Trial("gone")) == "gone"


async def test_a_trial_that_could_not_be_made_tells_nothing_and_the_next_one_makes_it() -> None:
    async def fails() -> str | None:
        await asyncio.sleep(0)
        raise OSError("no worker")

    toolchains, trial = Toolchains(Clock()), Trial(None)
    first = asyncio.create_task(toolchains.find_fault(b"kcl", fails))
    second = asyncio.create_task(toolchains.find_fault(b"kcl", trial))
    with pytest.raises(OSError, match="no worker"):
        await first
    assert await second is None
    assert trial.tried == 1


async def test_one_who_gives_up_leaves_the_trial_to_the_next() -> None:
    toolchains, trial = Toolchains(Clock()), Trial(None)
    first, second = (asyncio.create_task(toolchains.find_fault(b"kcl", trial)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is None
    assert trial.tried == 2
