"""The heartbeat: called on a real connection, to a safe address only; a failure is a remark."""

from __future__ import annotations

import socket

import pytest

from double import Double
from double.server import RawReply
from probatio.core.config import Heartbeat, heartbeat_requests
from probatio.core.errors import UsageError
from probatio.core.trust import Untrusted, allow_now
from probatio.watch.alerts.heartbeat import find_heartbeat, ping

TOKEN = "0d338dcc-a054-11ec-b909-0242ac120002"


def silent(sentence: str) -> None:
    raise AssertionError(sentence)


@pytest.mark.parametrize(
    ("given", "failed"),
    [
        (f"https://hc-ping.com/{TOKEN}", f"https://hc-ping.com/{TOKEN}/fail"),
        (f"https://hc-ping.com/{TOKEN}/?rid=1", f"https://hc-ping.com/{TOKEN}/fail?rid=1"),
        (f"https://checks.example/ping/{TOKEN}", f"https://checks.example/ping/{TOKEN}/fail"),
        ("http://127.0.0.1:8000/ping/key/nightly", "http://127.0.0.1:8000/ping/key/nightly/fail"),
        (f"https://uptime.betterstack.com/api/v1/heartbeat/{TOKEN}", f"https://uptime.betterstack.com/api/v1/heartbeat/{TOKEN}/fail"),
        ("https://kuma.example/api/push/abc?status=up", None),
        ("https://hc-ping.com.evil.example/x", None),
    ],
)  # fmt: skip
def test_fail_is_called_where_the_service_has_it(given: str, failed: str | None) -> None:
    beat = find_heartbeat(given, "https://other.example/", {}, silent)
    assert beat is not None
    assert (beat.done, beat.failed) == (given, failed)
    assert TOKEN not in repr(beat)


def test_an_address_of_its_own_for_failures_and_variables_are_filled_in() -> None:
    both = Heartbeat("https://kuma.example/${PUSH}?status=up", "https://kuma.example/${PUSH}?status=down")
    with pytest.raises(Untrusted, match=r"send messages to the heartbeat at https://kuma.example"):
        find_heartbeat(None, both, {"PUSH": "abc"}, silent)
    allow_now(heartbeat_requests(both))
    beat = find_heartbeat(None, both, {"PUSH": "abc"}, silent)
    assert beat is not None
    assert (beat.done, beat.failed) == (
        "https://kuma.example/abc?status=up",
        "https://kuma.example/abc?status=down",
    )
    told: list[str] = []
    assert find_heartbeat(None, both, {}, told.append) is None
    assert told == ["No heartbeat: the variable PUSH is not set."]
    assert find_heartbeat(None, None, {}, silent) is None


@pytest.mark.parametrize(
    "url", ["http://hc-ping.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "nonsense", "https://",
    "https://a b/", "http://[::1"]
)  # fmt: skip
def test_only_https_or_this_machine(url: str) -> None:
    with pytest.raises(UsageError, match="begins with https://"):
        find_heartbeat(url, None, {}, silent)


def test_no_key_of_a_provider_goes_into_an_address() -> None:
    with pytest.raises(UsageError, match="would send the key of openrouter"):
        find_heartbeat("https://x.example/${OPENROUTER_API_KEY}", None, {"OPENROUTER_API_KEY": "k"}, silent)


def test_a_ping_is_one_get_and_a_failure_is_tried_again_and_told() -> None:
    told: list[str] = []
    replies = iter(
        [RawReply(b"", 500), RawReply(b"", 302, {"Location": "http://127.0.0.1:1/"}), RawReply(b"OK")]
    )
    with Double(catalogue=lambda path: next(replies)) as double:
        url = f"http://127.0.0.1:{double.port}/ping/{TOKEN}"
        assert ping(url, told.append, pauses=(0.0, 0.0))
        assert (double.gets, told) == ([f"/ping/{TOKEN}"] * 3, [])
    with Double(catalogue=lambda path: RawReply(b"", 404)) as double:
        assert not ping(f"http://127.0.0.1:{double.port}/ping/{TOKEN}", told.append, pauses=())
    assert told == ["The heartbeat could not be sent to 127.0.0.1: it answered with the status 404."]


def test_nobody_there_is_a_remark() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told: list[str] = []
    assert not ping(f"http://127.0.0.1:{port}/ping/{TOKEN}", told.append, pauses=())
    assert "could not be sent to 127.0.0.1" in told[0]
