"""Opening files of a folder that someone else may have filled, and may be changing while we look."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from probatio.core import inside
from probatio.core.errors import UsageError
from probatio.core.inside import open_inside, open_new, read_inside, walk_inside


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


def test_a_walk_gives_the_files_of_a_folder_and_enters_no_link(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    for name in ("b/two", "a", "b/one"):
        (folder / name).write_text("x")
    (folder / "b" / "circle").symlink_to("..")
    (folder / "to-a").symlink_to("a")
    os.mkfifo(folder / "pipe")
    (folder / "gone").symlink_to("nowhere")
    names = [str(path.relative_to(folder)) for path in walk_inside(folder, folder)]
    assert names == ["a", "b/one", "b/two", "to-a"]
    assert walk_inside(folder / "a", folder) == [folder / "a"]


def test_a_walk_refuses_what_leads_out_is_endless_or_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    os.mkfifo(folder / "pipe")
    with pytest.raises(UsageError, match="is not a file"):
        walk_inside(folder / "pipe", folder)
    with pytest.raises(UsageError, match="leads out of"):
        walk_inside(folder / "..", folder)
    with (folder / "sparse").open("wb") as file:
        file.truncate(inside.MOST_TOGETHER + 1)
    for path in (folder, folder / "sparse"):
        with pytest.raises(UsageError, match="Name the files that are needed"):
            walk_inside(path, folder)
    (folder / "sparse").unlink()
    (folder / "link").symlink_to("../secret")
    with pytest.raises(UsageError, match="leads out of"):
        walk_inside(folder, folder)
    (folder / "link").unlink()
    monkeypatch.setattr(inside, "MOST_FILES", 20)
    for number in range(21):
        (folder / f"{number}").touch()
    with pytest.raises(UsageError, match="more than 20 files"):
        walk_inside(folder, folder)
