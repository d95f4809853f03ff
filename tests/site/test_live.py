"""The live server: read-only, strict, and following the results folder."""

from __future__ import annotations

import resource
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from commandline import PROCESS
from probatio.core.errors import UsageError
from probatio.site import live as live_module
from probatio.site.api import OPERATIONS, document
from probatio.site.facts.runs import StudiedRun
from probatio.site.listening import HostCheck
from probatio.site.live import LiveSite, application
from probatio.site.snapshot import load_site

pytestmark = pytest.mark.slow  # a site of 34 simulated days

ODD_ADDRESSES = (
    "/../../etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/models/..%2f..%2f/",
    "/models/demo-cooked/2026-99-99/",
    "/models/nobody/",
    "/models/demo-cooked/charts/daily-nothing.svg",
    "/models/demo-cooked/2026-03-31/web_design/999.html",
    "/raw/daily/2026-03-31/day.json",
    "/raw/daily/../../../etc/passwd",
    "/raw/runs/sample-0.5b/run.json",
    "/assets/..%2fpages.py",
    "/data/sqlite_master.csv",
    "/data/scores.exe",
    "/learnability/sample-0.5b/trials/99999/",
    "/learnability/sample-0.5b/compare/a-vs-b/",
    "/api/models/%00.json",
    "/redoc",
    "/models/demo-cooked/diff/2026-03-31..2026-03-30/",
    "/cases/math_reasoning/nothing/",
    "/docs/nothing/",
    "/openapi.json",
)


def test_every_reply_carries_the_policy_and_no_server_name(client: TestClient) -> None:
    for path in ("/", "/models/demo-cooked/", "/nowhere", "/assets/style.css", "/data/changes.csv"):
        reply = client.get(path)
        assert "default-src 'none'" in reply.headers["content-security-policy"], path
        assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ODD_ADDRESSES)
def test_an_address_that_is_not_ours_is_not_there(client: TestClient, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 404
    assert "Traceback" not in reply.text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_server_is_read_only(client: TestClient, method: str) -> None:
    assert client.request(method, "/").status_code == 405
    assert client.request(method, "/api/leaderboard.json").status_code == 405


def test_a_folder_without_its_slash_leads_to_it(client: TestClient) -> None:
    reply = client.get("/models/demo-cooked", follow_redirects=False)
    assert (reply.status_code, reply.headers["location"]) == (308, "demo-cooked/")
    assert client.get("/models/demo-cooked").status_code == 200


def test_the_address_of_one_trial_leads_to_its_place_on_a_page(client: TestClient) -> None:
    reply = client.get("/learnability/sample-0.5b/trials/3/", follow_redirects=False)
    assert (reply.status_code, reply.headers["location"]) == (307, "../0/#t3")
    assert 'id="t3"' in client.get("/learnability/sample-0.5b/trials/3/").text


def test_a_page_that_is_known_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/")
    again = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_head_tells_the_length_without_the_page(client: TestClient) -> None:
    reply = client.head("/methodology/")
    assert reply.status_code == 200
    assert reply.content == b""


def test_the_api_gives_what_its_document_says(client: TestClient) -> None:
    names = {"slug": "demo-cooked", "date": "2026-03-31", "run": "sample-dialects"}
    for operation in OPERATIONS:
        reply = client.get(operation.address.format(**names))
        assert reply.status_code == 200, operation.address
        assert reply.headers["content-type"] == "application/json"
        msgspec.json.decode(reply.content, type=operation.gives)
    moved = client.get("/api/", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, "../downloads/#api")
    openapi = client.get("/api/openapi.json").json()
    assert openapi == msgspec.json.decode(msgspec.json.encode(document()))
    assert set(openapi["paths"]) == {operation.address for operation in OPERATIONS}
    for used in str(openapi).split("'#/components/schemas/")[1:]:
        assert used.split("'")[0] in openapi["components"]["schemas"]


def test_the_inert_page_has_a_policy_of_its_own(client: TestClient) -> None:
    reply = client.get("/models/demo-cooked/2026-03-31/web_design/0.html")
    assert reply.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_the_server_follows_the_results_folder(tmp_path: Path, hostile_day: Callable[..., None]) -> None:
    live = LiveSite(lambda: load_site(tmp_path), tmp_path, None)
    client = TestClient(application(live))
    assert "no recorded day yet" in client.get("/").text
    assert not live.look()
    hostile_day(tmp_path, "2026-03-01")
    assert live.look()
    assert live.find_page("") and all(live.find_page(f"models/{slug}/") for slug in live.site.tracked), (
        "made before anyone asks"
    )
    assert "2026-03-01" in client.get("/").text


def test_runs_are_studied_before_anyone_asks(demo: Path) -> None:
    live = LiveSite(lambda: load_site(demo), demo, None)
    runs = live.site.runs.values()
    assert not [run for run in runs if "_study" in vars(run)]
    stopped = threading.Event()
    follower = threading.Thread(target=live.follow, args=(stopped,))
    follower.start()
    until = time.monotonic() + 60
    while (
        not all("_study" in vars(run) and "packs" in vars(run) for run in runs) and time.monotonic() < until
    ):
        time.sleep(0.05)
    stopped.set()
    follower.join(10)
    assert runs and all("_study" in vars(run) and "packs" in vars(run) for run in runs)


def test_a_run_that_can_not_be_studied_does_not_end_the_following(
    tmp_path: Path, hostile_day: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile_day(tmp_path, "2026-03-01")
    monkeypatch.setattr(live_module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(StudiedRun, "read_ahead", lambda run: 1 / 0)
    shutil.copytree(Path(__file__).parents[2] / "examples" / "runs" / "sample-dialects", tmp_path / "run")
    live = LiveSite(lambda: load_site(tmp_path), tmp_path, None)
    stopped = threading.Event()
    follower = threading.Thread(target=live.follow, args=(stopped,))
    follower.start()
    hostile_day(tmp_path, "2026-03-02")
    until = time.monotonic() + 60
    while live.site.last_date != "2026-03-02" and time.monotonic() < until:
        time.sleep(0.05)
    stopped.set()
    follower.join(10)
    assert live.site.last_date == "2026-03-02"


def test_files_that_can_not_be_read_end_in_a_plain_reply(
    tmp_path: Path, hostile_day: Callable[..., None]
) -> None:
    hostile_day(tmp_path, "2026-03-01")
    client = TestClient(application(LiveSite(lambda: load_site(tmp_path), tmp_path, None)))
    slug = client.get("/api/leaderboard.json").json()["models"][0]["slug"]
    (tmp_path / "daily" / "2026-03-01" / "scores.jsonl").write_text("{ not a score\n")
    reply = client.get(f"/models/{slug}/2026-03-01/")
    assert reply.status_code == 503
    assert str(tmp_path) not in reply.text


@contextmanager
def served(results: Path, *words: str) -> Iterator[int]:
    """`site serve` in a process of its own that may open 256 files, as on macOS. Gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (*PROCESS, "site", "serve", "--results", str(results), "--port", str(port), *words)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=limit)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(30)


def ask(port: int, host: str) -> tuple[int, str]:
    """The status and the text of the front page, asked for by this name."""
    with socket.create_connection(("127.0.0.1", port), 10) as reader:
        reader.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        text = b"".join(iter(lambda: reader.recv(1 << 16), b"")).decode(errors="replace")
    return int(text.split()[1]), text


def test_only_names_of_ours_are_answered(tmp_path: Path, hostile_day: Callable[..., None]) -> None:
    hostile_day(tmp_path, "2026-03-01")
    with served(tmp_path, "--host-name", "watch.example") as port:
        ours = ("localhost", "127.0.0.1", "[::1]", "LOCALHOST", "watch.example", "watch.example.")
        for name in ours:
            assert ask(port, name)[0] == ask(port, f"{name}:{port}")[0] == 200, name
        theirs = ("evil.example", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.1", "x@localhost")
        for name in (*theirs, "", "[::1", "localhost, evil.example", "localhost:80:80", "watch.example.evil"):
            status, text = ask(port, name)
            assert status in (400, 421) and "2026-03-01" not in text, name
        assert "--host-name evil.example" in ask(port, f"evil.example:{port}")[1]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_where_every_address_is_listened_on_numbers_are_ours_and_names_are_not(host: str) -> None:
    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("page")(scope, receive, send)

    client = TestClient(HostCheck(page, host))
    assert client.get("/", headers={"Host": "10.0.0.7:80"}).status_code == 200
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("name", ["https://watch.example", "watch.example/site", "a b", ""])
def test_a_name_that_is_none_is_a_sentence(name: str) -> None:
    with pytest.raises(UsageError, match="no name of a host"):
        HostCheck(None, "127.0.0.1", [name])  # type: ignore[arg-type]


def test_300_half_sent_headers_keep_no_reader_out(tmp_path: Path, hostile_day: Callable[..., None]) -> None:
    hostile_day(tmp_path, "2026-03-01")
    with served(tmp_path) as port:
        held = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(300)]
        try:
            for each in held:
                with suppress(OSError):  # it was one too many
                    each.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: a")
            for _ in range(3):
                began = time.monotonic()
                assert ask(port, "localhost")[0] == 200
                assert time.monotonic() - began < 2
            until = time.monotonic() + 15
            while any(map(_is_open, held)) and time.monotonic() < until:
                for each in held:  # a header that grows is not waited for either
                    with suppress(OSError):
                        each.sendall(b"a")
                time.sleep(0.3)
            assert not any(map(_is_open, held))
        finally:
            for each in held:
                each.close()


def _is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1 << 16) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
