"""Retries: which failures are tried again, and after how long."""

import json

import pytest

from probatio.ask.retry import BACKOFF_SECONDS, Fault, fault_of_status, wait_before

NOW = 1_760_000_000.0


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529, 408])
def test_what_may_pass_by_itself_is_tried_again(status: int) -> None:
    assert fault_of_status(status, {}, b"", NOW).retry


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_would_fail_the_same_way_again_is_not(status: int) -> None:
    assert not fault_of_status(status, {}, b"", NOW).retry


@pytest.mark.parametrize(
    ("status", "stops"), [(401, True), (402, True), (400, False), (403, False), (404, False), (429, False)]
)
def test_only_a_refused_key_and_an_empty_account_stop_the_run(status: int, stops: bool) -> None:
    assert fault_of_status(status, {}, b"", NOW).stops_run is stops


def test_five_retries_wait_1_2_4_8_16_seconds_and_the_sixth_failure_ends_it() -> None:
    fault = Fault("down", retry=True, status=503)
    assert [wait_before(n, fault, 0.0) for n in range(1, 7)] == [1, 2, 4, 8, 16, None]


def test_jitter_only_lengthens_a_wait_and_by_a_quarter_at_most() -> None:
    fault = Fault("down", retry=True)
    waits = [wait_before(n, fault, 0.999) for n in range(1, 6)]
    assert all(base < wait <= base * 1.25 for base, wait in zip(BACKOFF_SECONDS, waits, strict=True) if wait)


def test_a_hint_is_obeyed_never_undercut() -> None:
    assert wait_before(1, Fault("busy", retry=True, wait=7.0), 0.0) == 7.0
    assert wait_before(5, Fault("busy", retry=True, wait=7.0), 0.0) == 16.0


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "7"}, {}, 7.0),
        ({"retry-after": "1.5"}, {}, 1.5),
        ({"Retry-After": "Thu, 09 Oct 2025 08:53:30 GMT"}, {}, 10.0),
        ({"Retry-After": "soon"}, {}, None),
        ({}, {"error": {"message": "x", "metadata": {"retry_after_seconds": 3}}}, 3.0),
        ({}, {"error": {"message": "x", "retry_after": 4}}, 4.0),
        (
            {},
            {
                "error": {
                    "message": "x",
                    "metadata": {"headers": {"X-RateLimit-Reset": str(int((NOW + 42) * 1000))}},
                }
            },
            42.0,
        ),
        ({}, {"error": {"message": "x", "metadata": {"headers": {"X-RateLimit-Reset": int(NOW + 5)}}}}, 5.0),
        ({}, {"error": {"message": "Rate limit reached. Please try again in 2.5s."}}, 2.5),
        ({}, {"error": {"message": "Please retry after 900ms"}}, 0.9),
        ({}, {"error": "plain words"}, None),
        ({}, {}, None),
    ],
)
def test_the_server_may_say_in_many_ways_how_long_to_wait(
    headers: dict[str, str], body: object, seconds: float | None
) -> None:
    fault = fault_of_status(429, headers, json.dumps(body).encode(), NOW)
    assert fault.wait == (None if seconds is None else pytest.approx(seconds, abs=0.01))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"error": []}',
        b'{"error": {"metadata": "x"}}',
        b'{"error": {"message": null}}',
        b"null",
    ],
)
def test_no_shape_of_an_error_body_is_too_odd(body: bytes) -> None:
    assert fault_of_status(500, {}, body, NOW).reason.startswith("status 500")


def test_the_reason_carries_what_the_server_said() -> None:
    body = json.dumps(
        {"error": {"message": "No endpoints found", "metadata": {"raw": "upstream says no"}}}
    ).encode()
    assert fault_of_status(404, {}, body, NOW).reason == "status 404: No endpoints found (upstream says no)"
