"""Pacing, told the time by the test: what the docstring works by hand is what happens."""

from probatio.ask.pacing import START, Pace, Sent


def a_round(pace: Pace, now: float) -> list[Sent]:
    """Fill the route."""
    sent = []
    while pace.may_send(now):
        sent.append(pace.sent(now))
    return sent


def test_slow_start_doubles_with_every_full_round_of_answers() -> None:
    pace, seen = Pace(ceiling=64), []
    for now in range(6):
        requests = a_round(pace, now)
        seen.append(len(requests))
        for request in requests:
            pace.answered(request)
    # Only the request that filled the route, and those sent while it was full, count as proof.
    assert seen[0] == START
    assert seen == sorted(seen)


def test_a_route_kept_full_grows_to_its_ceiling_and_no_further() -> None:
    pace = Pace(ceiling=64)
    flying = a_round(pace, 0)
    for step in range(1000):
        pace.answered(flying.pop(0))
        flying += a_round(pace, step)
        assert pace.in_flight <= 64
    assert int(pace.limit) == 64


def test_a_429_halves_the_limit_and_ends_slow_start() -> None:
    pace = Pace(ceiling=64, limit=32)
    request = pace.sent(1.0)
    pace.throttled(request, 2.0, wait=None)
    assert pace.limit == 16
    assert not pace.slow_start


def test_a_burst_of_429s_cuts_once() -> None:
    pace = Pace(ceiling=64, limit=32)
    burst = [pace.sent(1.0) for _ in range(20)]
    for request in burst:
        pace.throttled(request, 2.0, wait=None)
    assert pace.limit == 16
    later = pace.sent(3.0)
    pace.throttled(later, 4.0, wait=None)
    assert pace.limit == 8


def test_after_a_cut_the_limit_grows_by_about_one_per_round() -> None:
    pace = Pace(ceiling=64, limit=8)
    pace.throttled(pace.sent(0.0), 0.5, None)
    assert pace.limit == 4
    flying = a_round(pace, 1.0)
    for step in range(4):
        pace.answered(flying.pop(0))
        flying += a_round(pace, 1.0 + step)
    assert 4 < pace.limit <= 5.01


def test_answers_prove_nothing_about_a_limit_that_was_not_reached() -> None:
    pace = Pace(ceiling=64, limit=32)
    for now in range(200):
        pace.answered(pace.sent(now))
    assert pace.limit == 32


def test_answers_to_requests_from_before_a_cut_do_not_raise_the_limit_again() -> None:
    pace = Pace(ceiling=64, limit=4)
    old = a_round(pace, 1.0)
    pace.throttled(old.pop(), 2.0, None)
    for request in old:
        pace.answered(request)
    assert pace.limit == 2


def test_a_wait_that_was_asked_for_closes_the_route_until_it_is_over() -> None:
    pace = Pace(ceiling=64)
    pace.throttled(pace.sent(0.0), 1.0, wait=7.0)
    assert not pace.may_send(7.9)
    assert pace.may_send(8.0)


def test_the_limit_never_falls_below_one() -> None:
    pace = Pace(ceiling=64)
    for now in range(1, 20):
        pace.throttled(pace.sent(float(now)), now + 0.5, None)
    assert pace.limit == 1
    assert pace.may_send(100.0)


def test_a_small_ceiling_holds_from_the_start() -> None:
    assert len(a_round(Pace(ceiling=1), 0.0)) == 1
