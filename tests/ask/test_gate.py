"""The gate: nobody passes over the limit, everybody passes in the end."""

import asyncio
import itertools

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
        gate.note_answer(route, request)
        done += 1

    await asyncio.wait_for(asyncio.gather(*(one(route) for route in "ab" * 40)), 60)
    assert (most, done, gate.in_flight) == (3, 80, 0)


async def test_a_route_may_have_a_lower_ceiling_of_its_own() -> None:
    gate = Gate(ceiling=50)
    gate.pace("embedded", max_in_flight=1)
    first = await gate.enter("embedded")
    second = asyncio.create_task(gate.enter("embedded"))
    await asyncio.sleep(0.01)
    assert not second.done()
    gate.note_answer("embedded", first)
    await asyncio.wait_for(second, 60)


async def test_a_throttled_route_waits_while_another_goes_on() -> None:
    gate = Gate(ceiling=10)
    gate.pace("slow")
    gate.pace("fast")
    gate.note_throttling("slow", await gate.enter("slow"), wait=0.2)
    began = asyncio.get_running_loop().time()
    fast = asyncio.create_task(gate.enter("fast"))
    await asyncio.sleep(0)
    assert fast.done()
    await asyncio.wait_for(gate.enter("slow"), 60)
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
    gate.note_answer("a", held)
    await asyncio.wait_for(patient, 60)


async def test_each_waiter_is_woken_once_and_only_when_there_is_a_place() -> None:
    gate = Gate(ceiling=8)
    routes = [f"route {number}" for number in range(10)]
    for route in routes:
        gate.pace(route)
    waited = 0

    async def one(route: str) -> None:
        nonlocal waited
        before = gate.in_flight
        request = await gate.enter(route)
        waited += before >= 8
        await asyncio.sleep(0)
        gate.note_answer(route, request)

    await asyncio.wait_for(asyncio.gather(*(one(route) for route in routes * 100)), 60)
    assert (
        gate.woken <= 1000
    )  # a wake for every place given, not one on every route for every place that becomes free
    assert waited <= gate.woken


async def test_places_are_given_in_the_order_of_coming_within_a_route_and_between_routes() -> None:
    gate = Gate(ceiling=1)
    gate.pace("a")
    gate.pace("b")
    held = await gate.enter("a")
    order: list[str] = []

    async def one(route: str, name: str) -> None:
        request = await gate.enter(route)
        order.append(name)
        gate.note_answer(route, request)

    names = [("a", "1"), ("b", "2"), ("b", "3"), ("a", "4"), ("b", "5")]
    waiting = []
    for route, name in names:
        waiting.append(asyncio.create_task(one(route, name)))
        await asyncio.sleep(0)
    gate.note_answer("a", held)
    await asyncio.wait_for(asyncio.gather(*waiting), 60)
    assert order == ["1", "2", "3", "4", "5"]


async def test_a_place_given_to_one_who_was_cancelled_goes_to_the_next() -> None:
    gate = Gate(ceiling=1)
    gate.pace("a")
    held = await gate.enter("a")
    first = asyncio.create_task(gate.enter("a"))
    second = asyncio.create_task(gate.enter("a"))
    await asyncio.sleep(0)
    gate.note_answer("a", held)  # the place is the first one's now
    first.cancel()
    await asyncio.wait_for(second, 60)
    assert gate.in_flight == 1


async def test_one_route_can_be_closed_while_another_goes_on() -> None:
    gate = Gate(ceiling=1)
    gate.pace("a")
    gate.pace("b")
    held = await gate.enter("b")
    waiting = asyncio.create_task(gate.enter("a"))
    pausing = asyncio.create_task(gate.pause("a", 60))
    await asyncio.sleep(0)
    gate.close("a")
    await asyncio.wait_for(pausing, 60)
    with pytest.raises(GateClosed):
        await waiting
    gate.note_answer("b", held)
    await asyncio.wait_for(gate.enter("b"), 60)


@pytest.mark.parametrize("ticks", [0.5 * n for n in range(1, 20)])
async def test_a_route_that_reopens_between_two_looks_at_the_clock_leaves_nobody_waiting(
    ticks: float,
) -> None:
    """The clock moves with every look at it: one look finds the route closed, the next one finds it open."""
    looks = itertools.count()
    gate = Gate(4, lambda: next(looks) * 0.001)
    gate.pace("slow")
    sent = await gate.enter("slow")
    gate.note_throttling("slow", sent, ticks * 0.001)
    await asyncio.wait_for(gate.enter("slow"), 60)
