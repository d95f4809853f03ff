"""A server that names another address: nothing is sent there, whatever the address, and whoever asked."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from ask.playing import Player, ask, played, say
from probatio.ask import retry
from probatio.ask.catalogue import CatalogueSource, NoCatalogue, list_models
from probatio.ask.connections import follow
from probatio.ask.embedded import hub
from probatio.ask.embedded.catalogue import Hub
from probatio.ask.embedded.download import Meter, SourceFailed
from probatio.watch.alerts.episodes import AlertMessage
from probatio.watch.alerts.heartbeat import ping
from probatio.watch.alerts.sending import send

KEY = "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"

NO_PLACES = [
    b"http://[::1", b"", b"http://", b"//", b"http://h:99999/", b"http://h:0", b"http://h:-1", b"http://h:x",
    b"http://a\0b/", b"x" * 100_000, b"/" + b"x" * 8_000, b"http://u:p@127.0.0.1/", "http://ﬀ℀.com/".encode(),
    b"http://\xff\xfe/", b"javascript:alert(1)", b"mailto:a", b"data:,x", b"file:///etc/passwd", b"http:a",
    b":", b"[", b"//[", b"//[::1]:x", b"//[v1.x]/", b"http://xn--/", b"http://" + b"a" * 300 + b"/",
    b"http://a..b/", b"%", b"?%zz", b"\\\\h\\x", b"http://%31%32/", b"http://[fe80::1%25eth0]/",
    b"http://a@b@c/", "http://\u0661\u0662\u0667.0.0.1/".encode(), b"http://127.0.0.1: 80/",
    "http://127.0.0.1:\uff18\uff10/".encode(), "//\ud800".encode("utf-8", "surrogatepass"), b"http://[::1]]/",
    b"http://:80/", b"http://\t/", b"/\xff", b"/" + b"../" * 2_000, b"/a\x7f", b"http://host:" + b"9" * 5_000,
    b"//@", b"//:@/", "http://\u00df.\u1e9e/".encode(), b"http://-/", b"http://.", b"http://%00/", b"/%",
    b"http://169.254.169.254/latest/", b"a\r\nLocation: b", b"\r\nLocation: http://[::1\r\nLocation: /c",
]  # fmt: skip


@pytest.fixture(autouse=True)
def one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())


def moved(status: int, place: bytes) -> bytes:
    return b"HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, place)


@pytest.mark.parametrize("status", [301, 303, 307, 308])
@pytest.mark.parametrize("place", NO_PLACES, ids=range(len(NO_PLACES)))
def test_a_redirect_to_nowhere_is_one_failed_request(status: int, place: bytes) -> None:
    with played(say(moved(status, place))) as player:
        (answer,) = ask(player.url, key=KEY)
    assert answer.text is None
    assert len(str(answer.error)) < 600
    assert all(request.startswith(b"POST /") for request in player.requests)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "place",
    ["{other}", "//127.0.0.1:{port}/v1", "http://localhost:{port}/v1", "https://127.0.0.1:{own}/v1"],
)
def test_no_redirect_takes_a_question_to_another_server(status: int, place: str) -> None:
    with played(say(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")) as other:
        own: list[Player] = []

        def play(connection: socket.socket, _: bytes) -> None:
            there = place.format(other=other.url, port=other.port, own=own[0].port)
            connection.sendall(moved(status, there.encode()))

        with played(play) as player:
            own.append(player)
            (answer,) = ask(player.url, key=KEY)
        assert other.requests == []
    assert f"status {status}: the server names another address" in str(answer.error)
    assert "Nothing was sent there" in str(answer.error)
    assert "secret" not in str(answer.error)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_takes_a_catalogue_or_a_heartbeat_to_another_server(status: int) -> None:
    with played(say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")) as other:
        with played(say(moved(status, other.url.encode()))) as player:
            with pytest.raises(NoCatalogue, match="Nothing was sent there"):
                list_models(CatalogueSource("mine", player.url, KEY))
            said: list[str] = []
            assert not ping(player.url, said.append, pauses=())
            assert f"status {status}" in said[0]
        assert other.requests == []


FORBIDDEN = [
    ("https://huggingface.co/a", "http://cdn.example/b", "which is not asked"),
    ("https://huggingface.co/a", "ftp://cdn.example/b", "which is not asked"),
    ("https://huggingface.co/a", "file:///etc/passwd", "which is not asked"),
    ("https://huggingface.co/a", "https://u:p@cdn.example/b", "which is not asked"),
    ("https://huggingface.co/a", "https://127.0.0.1/b", "private network"),
    ("https://huggingface.co/a", "https://LOCALHOST/b", "private network"),
    ("https://huggingface.co/a", "https://169.254.169.254/latest", "private network"),
    ("https://huggingface.co/a", "https://[::1]/b", "private network"),
    ("https://huggingface.co/a", "https://[::ffff:10.0.0.1]/b", "private network"),
    ("https://huggingface.co/a", "https://2130706433/b", "private network"),
    ("https://huggingface.co/a", "https://127.1/b", "private network"),
    ("https://huggingface.co/a", "//10.0.0.1/b", "private network"),
    ("https://huggingface.co/a", "https://[::1", "no address"),
]


@pytest.mark.parametrize(("here", "place", "why"), FORBIDDEN)
def test_a_download_is_not_sent_just_anywhere(here: str, place: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        follow(here, place, public_only=True)


def test_a_download_goes_to_the_storage_of_the_hub() -> None:
    here = "https://huggingface.co/a/b"
    assert follow(here, "https://cdn.example/x?token=1", public_only=True) == "https://cdn.example/x?token=1"
    assert follow(here, "/c", public_only=True) == "https://huggingface.co/c"
    assert follow("http://mirror.corp/a", "http://10.0.0.1/b", public_only=False) == "http://10.0.0.1/b"


@pytest.fixture
def public_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    async def public(_: str) -> bool:
        return True

    monkeypatch.setattr(hub, "_is_public_origin", public)


@pytest.mark.usefixtures("public_hub")
def test_a_name_that_means_a_private_address_is_found_out_when_it_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", other.port))]

    with played(say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42")) as other:
        with played(say(moved(302, b"http://storage.example/x"))) as player:
            monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{player.port}")
            monkeypatch.setattr(socket, "getaddrinfo", resolve)
            with pytest.raises(SourceFailed, match="private network"):
                hub._run_within(9.0, lambda: asyncio.run(hub._look_up(Hub("a/b", "c.gguf"))))
        assert other.requests == []


@pytest.mark.parametrize("place", NO_PLACES, ids=range(len(NO_PLACES)))
def test_a_hub_that_sends_us_nowhere_is_a_source_that_failed(
    place: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with played(say(moved(302, place))) as player:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{player.port}")
        monkeypatch.setattr(hub, "HUB_SECONDS", 3.0)
        try:
            offer = hub._run_within(9.0, lambda: asyncio.run(hub._look_up(Hub("a/b", "c.gguf"))))
        except SourceFailed as failed:
            assert len(str(failed)) < 800
        else:
            assert offer.sha256 is None
    assert all(request.startswith(b"HEAD /") for request in player.requests)


def test_no_more_is_kept_of_a_download_than_the_file_has(tmp_path: Path) -> None:
    def endless(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    with played(endless) as player:
        offer = hub._HubFile(player.url, None, None, False)
        growing = tmp_path / "growing"
        done = asyncio.run(hub._append(offer, growing, 0, 100_000, Meter("m", 100_000, 0, None)))
    assert done == growing.stat().st_size == 100_000


@pytest.mark.parametrize("size", ["-1", "x", "9" * 5000, "1e9", "\u0661", ""])
def test_a_size_that_is_no_size_is_unknown(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head = f"HTTP/1.1 200 OK\r\nX-Linked-Size: {size}\r\nContent-Length: 0\r\n\r\n".encode()
    with played(say(head)) as player:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{player.port}")
        offer = asyncio.run(hub._look_up(Hub("a/b", "c.gguf")))
    assert offer.size in (None, 0)


def test_an_alert_is_not_sent_on_to_another_server() -> None:
    message = AlertMessage("2026-01-01", ("m",), "a title", "a text", "warning")
    with played(say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) as other:
        with played(say(moved(307, other.url.encode()))) as player:
            failed = send(f"json://127.0.0.1:{player.port}/hook", message, pauses=())
        assert player.requests
        assert other.requests == []
    assert failed is not None
