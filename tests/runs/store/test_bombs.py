"""Packed files that someone else made: what they unpack to is bounded, in bytes and by line."""

from __future__ import annotations

import hashlib
import resource
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.learn.analysis import study_of
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.runs.store.packed import (
    LONGEST_LINE,
    _import_zstd,
    longest_line,
    pack,
    path_of_packed,
    unpack,
)

pytestmark = pytest.mark.slow  # writes and reads hundreds of megabytes

MB = 1 << 20


def bomb(path: Path, size: int, line: bytes = b"\x00") -> Path:
    """A packed file of so many bytes, one line if `line` has no end."""
    block = line * (MB // len(line))
    with _import_zstd().ZstdFile(path, "w") as file:
        for _ in range(size // len(block)):
            file.write(block)
    return path


def test_a_bomb_is_told_and_takes_no_memory(tmp_path: Path) -> None:
    """Less than 200 kB that unpack to 512 MB, read by a process that may have 400 MB."""
    path = bomb(tmp_path / f"{GRADES}.zst", 512 * MB)
    assert path.stat().st_size < 200_000
    script = (
        "import sys; from pathlib import Path; from probatio.runs.store.packed import *;"
        "from probatio.core.errors import UsageError\n"
        "for read in (longest_line, lambda path: list(read_packed(path)), unpack):\n"
        "    try: read(Path(sys.argv[1]))\n"
        "    except UsageError as error: print(error)\n"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (400 * MB, 400 * MB))

    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True, text=True, preexec_fn=limit, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3
    assert done.stdout.count("of ours") == 3
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_more_bytes_than_a_packed_file_can_hold_are_told(tmp_path: Path) -> None:
    path = bomb(tmp_path / f"{GRADES}.zst", 512 * MB, b"\n")
    with pytest.raises(UsageError, match="no packed file of ours"):
        longest_line(path)


def test_the_same_prompt_thousands_of_times_can_be_packed(tmp_path: Path) -> None:
    """The bound must not touch what we pack ourselves."""
    source = tmp_path / "lines"
    prompt = b"word " * 4000
    source.write_bytes(b"".join(b'{"sample": %d, "prompt": "%s"}\n' % (n, prompt) for n in range(4000)))
    pack(source)
    digest = hashlib.sha256(source.read_bytes()).digest()
    source.unlink()
    assert hashlib.sha256(unpack(path_of_packed(source)).read_bytes()).digest() == digest


@pytest.mark.parametrize(
    "data", [b"", b"\x28\xb5\x2f\xfd", b"junk", b"\x28\xb5\x2f\xfd\xa4\x00\x00\x00\x80" + b"\xff" * 20]
)
def test_what_is_no_packed_file_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / f"{GRADES}.zst"
    path.write_bytes(data)
    if data:
        with pytest.raises(UsageError):
            longest_line(path)


def test_one_run_with_a_bomb_is_told_by_the_study(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 4)
    folder = write_made_up_run(tmp_path / "r", suite, lambda key: True)
    for name in (GRADES, ANSWERS):
        (folder / name).unlink()
        bomb(folder / f"{name}.zst", 256 * MB)
    with pytest.raises(UsageError, match=r"graded_results\.jsonl\.zst"):
        study_of([folder])


def test_grades_that_repeat_themselves_are_refused_before_a_study_holds_them(tmp_path: Path) -> None:
    """270 kB of honest-looking lines that are packed 5,000 times smaller: 20 s and gigabytes once."""
    folder = make_run(tmp_path, 4, lambda key: True)
    (line, *_) = (folder / GRADES).read_bytes().splitlines(keepends=True)
    (folder / GRADES).unlink()
    packed = folder / f"{GRADES}.zst"
    with _import_zstd().ZstdFile(packed, "w") as file:
        for _ in range(700):
            file.write(line * (MB // len(line)) + secrets.token_hex(64).encode() + b"\n")
    assert 700 * MB / 10_000 < packed.stat().st_size < 300_000
    with pytest.raises(UsageError, match=r"graded_results\.jsonl\.zst unpacks to more than .* 500 times"):
        study_of([folder])


@pytest.mark.parametrize("prompt", [b"", b"word " * 4000])
def test_a_run_of_20_000_trials_is_packed_and_read(tmp_path: Path, prompt: bytes) -> None:
    """The limits must not touch what we pack ourselves: all lines are the same but for their number."""
    source = tmp_path / (ANSWERS if prompt else GRADES)
    line = b'{"task_id": "a", "sample": %d, "context": "complete", "error_detail": "%s", "prompt": "%s"}\n'
    with source.open("wb") as file:
        file.writelines(line % (number, b"no such word " * 40, prompt) for number in range(20_000))
    assert pack(source).lines == 20_000
    assert longest_line(path_of_packed(source)) >= MB


def test_a_plain_line_without_end_is_told(tmp_path: Path) -> None:
    with (tmp_path / GRADES).open("wb") as file:
        file.truncate(200 * MB)  # a hole on the disk: a line of zeros
    with pytest.raises(UsageError, match="a line of more than 64 MB"):
        longest_line(tmp_path / GRADES)
    (tmp_path / GRADES).write_bytes(b"a\n" + b"b" * (3 * MB) + b"\nc")
    assert longest_line(tmp_path / GRADES) == 3 * MB + 1 < LONGEST_LINE
