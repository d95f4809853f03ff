"""JSON that someone else wrote: within limits, and broken text is told as such."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside
from probatio.core.jsonfile import Decoder, decode, read_json
from probatio.runs.collector import pause_collector

DEEP = b"[" * 200_000


class _Record(msgspec.Struct):
    name: str


@pytest.fixture
def collected() -> Iterator[None]:
    """What tests before left to the collector is not collected where the stack is full."""
    gc.collect()
    with pause_collector():
        yield


@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize(
    "text",
    [DEEP, DEEP + b"]" * 200_000, b'{"name": "x", "more": ' + DEEP + b"}", b'{"more": ' * 100_000],
    ids=["open", "closed", "a key we do not read", "objects"],
)
def test_a_nested_text_is_a_broken_text(text: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(text)
    with pytest.raises(msgspec.DecodeError):
        Decoder(_Record).decode(text)
    with pytest.raises(msgspec.DecodeError):
        Decoder(_Record).decode_lines(text)


def test_a_broken_file_is_named_with_what_it_should_be(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(DEEP)
    with pytest.raises(UsageError, match=r"run\.json is not a run's record: "):
        read_json(file, _Record, "a run's record")


def test_a_pipe_and_an_endless_file_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a file"):
        read_json(tmp_path / "pipe", _Record, "a record")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="leads out of"):
        read_json(tmp_path / "zeros", _Record, "a record")


def test_a_file_that_is_too_long_is_refused_before_it_is_all_read(tmp_path: Path) -> None:
    file = tmp_path / "long.json"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(UsageError, match="larger than 64 MB"):
        read_inside(file)
