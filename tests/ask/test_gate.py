"""The gate: nobody passes over the limit, everybody passes in the end."""

import asyncio

import pytest

from probatio.ask.gate import Gate, GateClosed


async def test_never_more_in_flight_than_the_ceiling_and_all_get_through() -> None:
    gate = Gate(ceiling=3)
    gate.pace("a")
    gate.pace("b")
    most = done = 0

    async def one(route: str) -> None:
        nonlocal most, done
        request = await gate.enter(route)
        most = max(most, gate.in_flight)
        await asyncio.sleep(0.001)
        gate.answered(route, request)
        done += 1

    await asyncio.wait_for(asyncio.gather(*(one(route) for route in "ab" * 40)), 10)
    assert (most, done, gate.in_flight) == (3, 80, 0)


async def test_a_route_may_have_a_lower_ceiling_of_its_own() -> None:
    gate = Gate(ceiling=50)
    gate.pace("embedded", max_in_flight=1)
    first = await gate.enter("embedded")
    second = asyncio.create_task(gate.enter("embedded"))
    await asyncio.sleep(0.01)
    assert not second.done()
    gate.answered("embedded", first)
    await asyncio.wait_for(second, 1)


async def test_a_throttled_route_waits_while_another_goes_on() -> None:
    gate = Gate(ceiling=10)
    gate.pace("slow")
    gate.pace("fast")
    gate.throttled("slow", await gate.enter("slow"), wait=0.2)
    began = asyncio.get_running_loop().time()
    await asyncio.wait_for(gate.enter("fast"), 0.1)
    await asyncio.wait_for(gate.enter("slow"), 2)
    assert asyncio.get_running_loop().time() - began >= 0.19


async def test_closing_turns_away_who_waits_and_who_comes_later() -> None:
    gate = Gate(ceiling=1)
    gate.pace("a")
    await gate.enter("a")
    waiting = asyncio.create_task(gate.enter("a"))
    await asyncio.sleep(0)
    gate.close()
    with pytest.raises(GateClosed):
        await waiting
    with pytest.raises(GateClosed):
        await gate.enter("a")


async def test_one_who_gives_up_waiting_does_not_block_the_next() -> None:
    gate = Gate(ceiling=1)
    gate.pace("a")
    held = await gate.enter("a")
    impatient = asyncio.create_task(gate.enter("a"))
    patient = asyncio.create_task(gate.enter("a"))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.sleep(0)
    gate.answered("a", held)
    await asyncio.wait_for(patient, 1)
