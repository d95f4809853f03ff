"""Opening files of a folder that someone else may have filled, and may be changing while we look."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from probatio.core import inside
from probatio.core.errors import UsageError
from probatio.core.inside import open_inside, open_new, read_inside


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_link_put_in_place_between_the_look_and_the_opening_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").write_text("secret")
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text("ours")
    look = inside._steps

    def look_then_swap(*given: object) -> tuple[str, ...]:
        steps = look(*given)  # type: ignore[arg-type]
        if swapped == "file":
            (folder / "deep" / "file").unlink()
            (folder / "deep" / "file").symlink_to(tmp_path / "out" / "file")
        else:
            (folder / "deep").rename(folder / "gone")
            (folder / "deep").symlink_to(tmp_path / "out")
        return steps

    monkeypatch.setattr(inside, "_steps", look_then_swap)
    with pytest.raises(UsageError, match="is a link or lies behind one"):
        read_inside(folder / "deep" / "file", folder)


def test_a_name_that_changes_all_the_time_never_gives_what_lies_outside(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "own").write_text("ours")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for target in ("own", "../secret"):
                (folder / "next").symlink_to(target)
                (folder / "next").replace(folder / "name")

    (folder / "name").symlink_to("own")
    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(read_inside(folder / "name"))
            except UsageError:
                seen.add(b"refused")
    finally:
        stop.set()
        thread.join()
    assert seen == {b"ours", b"refused"}


def test_no_descriptor_is_left_open_by_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    os.mkfifo(tmp_path / "deep" / "pipe")
    (tmp_path / "deep" / "out").symlink_to("/etc/passwd")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        for name in ("pipe", "out", "missing", "missing/too"):
            with pytest.raises((UsageError, FileNotFoundError)):
                read_inside(tmp_path / "deep" / name, tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND])
def test_a_folder_a_pipe_and_a_socket_are_not_files(tmp_path: Path, flags: int) -> None:
    import socket

    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket"):
            with pytest.raises(UsageError, match="is not a file"):
                open_inside(tmp_path / name, None, flags)
    with pytest.raises((UsageError, IsADirectoryError)):
        open_inside(tmp_path / "folder", None, flags)
    with pytest.raises(UsageError, match="is a folder"):
        open_new(tmp_path / "folder")
