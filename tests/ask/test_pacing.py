"""Pacing, told the time by the test: what the docstring works by hand is what happens."""

import heapq
import random
from collections.abc import Callable, Iterator

import pytest

from probatio.ask.pacing import START, Pace, Sent


def a_round(pace: Pace, now: float) -> list[Sent]:
    """Fill the route."""
    sent = []
    while pace.may_send(now):
        sent.append(pace.send(now))
    return sent


def test_slow_start_doubles_with_every_full_round_of_answers() -> None:
    pace, seen = Pace(ceiling=64), []
    for now in range(6):
        requests = a_round(pace, now)
        seen.append(len(requests))
        for request in requests:
            pace.note_answer(request, now)
    # Only the request that filled the route, and those sent while it was full, count as proof.
    assert seen[0] == START
    assert seen == sorted(seen)


def served(pace: Pace, room: int, seconds: Callable[[], float], answers: int) -> Iterator[int]:
    """A server with room for so many at a time and a queue before it; yields the limit after each answer."""
    now, flying, queue, busy = 0.0, 0, [], []  # type: float, int, list[Sent], list[tuple[float, int, Sent]]
    for _ in range(answers):
        queue += a_round(pace, now)
        while queue and len(busy) < room:
            flying += 1
            heapq.heappush(busy, (now + seconds(), flying, queue.pop(0)))
        now, _, request = heapq.heappop(busy)
        pace.note_answer(request, now)
        yield int(pace.limit)


def test_a_route_kept_full_grows_to_its_ceiling_and_no_further() -> None:
    pace = Pace(ceiling=64)
    limits = list(served(pace, room=1000, seconds=lambda: 2.0, answers=1000))
    assert max(limits) == limits[-1] == 64
    assert limits.index(64) < 200  # and soon


@pytest.mark.parametrize(("room", "settles"), [(1, 1), (4, 4), (16, 16)])
def test_a_route_settles_at_as_many_as_its_server_answers_at_a_time(room: int, settles: int) -> None:
    limits = list(served(Pace(ceiling=64), room, lambda: 0.3, answers=1000))
    assert max(limits[:100]) <= 4 * max(room, 4)
    late = limits[500:]
    assert sum(limit == settles for limit in late) > 0.8 * len(late)  # now and then twice as many are tried


@pytest.mark.parametrize("seed", range(5))
def test_answers_of_very_different_length_do_not_pass_for_a_crowd(seed: int) -> None:
    chance = random.Random(seed)
    limits = list(served(Pace(ceiling=64), 1000, lambda: 0.5 + chance.expovariate(0.5), answers=2000))
    assert sum(limit == 64 for limit in limits[1000:]) > 0.8 * 1000


def test_where_replies_are_fast_nobody_waits_for_another_and_nothing_is_cut() -> None:
    assert list(served(Pace(ceiling=64), 1, lambda: 0.001, answers=1000))[-1] == 64


def test_time_outs_take_the_limit_to_a_quarter_once_per_burst() -> None:
    pace = Pace(ceiling=64, limit=64)
    burst = [pace.send(1.0) for _ in range(64)]
    for request in burst:
        pace.note_time_out(request, 21.0)
    assert (pace.limit, pace.silent) == (16, 1)
    pace.note_time_out(pace.send(22.0), 42.0)
    pace.note_time_out(pace.send(43.0), 63.0)
    assert (pace.limit, pace.silent) == (1, 3)
    pace.note_answer(pace.send(64.0), 65.0)
    assert pace.silent == 0


def test_a_429_halves_the_limit_and_ends_slow_start() -> None:
    pace = Pace(ceiling=64, limit=32)
    request = pace.send(1.0)
    pace.note_throttling(request, 2.0, wait=None)
    assert pace.limit == 16
    assert not pace.slow_start


def test_a_burst_of_429s_cuts_once() -> None:
    pace = Pace(ceiling=64, limit=32)
    burst = [pace.send(1.0) for _ in range(20)]
    for request in burst:
        pace.note_throttling(request, 2.0, wait=None)
    assert pace.limit == 16
    later = pace.send(3.0)
    pace.note_throttling(later, 4.0, wait=None)
    assert pace.limit == 8


def test_after_a_cut_the_limit_grows_by_about_one_per_round() -> None:
    pace = Pace(ceiling=64, limit=8)
    pace.note_throttling(pace.send(0.0), 0.5, None)
    assert pace.limit == 4
    flying = a_round(pace, 1.0)
    for step in range(4):
        pace.note_answer(flying.pop(0), 1.0 + step)
        flying += a_round(pace, 1.0 + step)
    assert 4 < pace.limit <= 5.01


def test_answers_prove_nothing_about_a_limit_that_was_not_reached() -> None:
    pace = Pace(ceiling=64, limit=32)
    for now in range(200):
        pace.note_answer(pace.send(now), now)
    assert pace.limit == 32


def test_answers_to_requests_from_before_a_cut_do_not_raise_the_limit_again() -> None:
    pace = Pace(ceiling=64, limit=4)
    old = a_round(pace, 1.0)
    pace.note_throttling(old.pop(), 2.0, None)
    for request in old:
        pace.note_answer(request, 2.5)
    assert pace.limit == 2


def test_a_wait_that_was_asked_for_closes_the_route_until_it_is_over() -> None:
    pace = Pace(ceiling=64)
    pace.note_throttling(pace.send(0.0), 1.0, wait=7.0)
    assert not pace.may_send(7.9)
    assert pace.may_send(8.0)


def test_the_limit_never_falls_below_one() -> None:
    pace = Pace(ceiling=64)
    for now in range(1, 20):
        pace.note_throttling(pace.send(float(now)), now + 0.5, None)
    assert pace.limit == 1
    assert pace.may_send(100.0)


def test_a_small_ceiling_holds_from_the_start() -> None:
    assert len(a_round(Pace(ceiling=1), 0.0)) == 1
