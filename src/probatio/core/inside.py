"""Files of a folder that someone else may have filled: no link is followed out of it, no pipe is waited for.

A link that stays inside the folder is followed for reading. What is written is never a link. The folder
itself may be a link: it is the path the user gave. A name is resolved first, and then opened one part at a
time without following anything, so a file that is put in its place between the two steps is refused, too.
"""

from __future__ import annotations

import errno
import functools
import operator
import os
import shutil
import stat
import sys
from io import BufferedReader
from pathlib import Path

from probatio.core.errors import UsageError

MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read whole. What grows with a run is read by lines or blocks (`open_reader`)."""
MOST_TEXT = 4 * 1024 * 1024
"""Of a text that someone writes by hand: a grader, a script, a context."""
MOST_SETTINGS = 1024 * 1024
"""Of a file with a few lines, such as `.env`."""
MOST_FILES = 100_000
MOST_TOGETHER = 2 * 1024 * 1024 * 1024
"""Files below one folder, and their bytes: a toolchain with its packages has a quarter of that."""

_STREAMS = ("/dev/", "/proc/self/fd/")
_WRITING = os.O_WRONLY | os.O_RDWR
_MODE = 0o644  # of a new file
_STEPWISE = hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd
"""Whether this system opens a name one part at a time. On Windows only the check before the opening holds."""


def _flags(*names: str) -> int:
    """These flags, as far as the system has them."""
    return functools.reduce(operator.or_, (getattr(os, name, 0) for name in names), 0)


_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _flags("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
# no FIFO without a writer is waited for; and bytes stay the bytes they are on Windows
_ALWAYS = _flags("O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT")


def open_inside(path: Path, folder: Path | None = None, flags: int = os.O_RDONLY) -> int:
    """A descriptor of the regular file `path` in `folder` (else: in the folder it is named in)."""
    folder = path.parent if folder is None else folder
    root = _real(folder)
    writing = bool(flags & _WRITING)
    real = _real(path.parent) / path.name if writing else _real(path)
    steps = _steps(path, folder, root, real)
    sys.audit("open", str(path), None, flags)  # who audits files sees the whole name, not only its last step
    try:
        file = _stepwise(root, steps, flags) if _STEPWISE else _at_once(root, steps, flags, path, writing)
    except OSError as error:
        raise _refusal(error, path, writing) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise UsageError(_not_a_file(path))
    return file


def _stepwise(root: Path, steps: tuple[str, ...], flags: int) -> int:
    at = os.open(root, _STEP & ~_flags("O_NOFOLLOW"))
    try:
        for step in steps[:-1]:
            at, before = os.open(step, _STEP, dir_fd=at), at
            os.close(before)
        return os.open(steps[-1], flags | _ALWAYS, _MODE, dir_fd=at)
    finally:
        os.close(at)


def _at_once(root: Path, steps: tuple[str, ...], flags: int, path: Path, writing: bool) -> int:
    target = root.joinpath(*steps)
    if writing and target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return os.open(target, flags | _ALWAYS, _MODE)


def open_reader(path: Path, folder: Path | None = None) -> BufferedReader:
    """The file open for reading."""
    return os.fdopen(open_inside(path, folder), "rb")


def open_named(path: Path) -> BufferedReader:
    """A file that the user named, or one of the machine's own: links lead where they lead, and a stream of
    the shell's (`--config <(…)`) is read."""
    if str(path).startswith(_STREAMS):
        return path.open("rb")
    return open_reader(_real(path))


def read_inside(path: Path, folder: Path | None = None, most: int = MOST_BYTES) -> bytes:
    """All of the file. One that is longer than `most` bytes is refused."""
    return _read_all(open_reader(path, folder), path, most)


def read_named(path: Path, most: int = MOST_BYTES) -> bytes:
    """All of a file that `open_named` opens."""
    return _read_all(open_named(path), path, most)


def _read_all(file: BufferedReader, path: Path, most: int) -> bytes:
    with file:
        size = os.fstat(file.fileno()).st_size  # of a stream nothing is known ahead
        data = b"" if size > most else file.read(most + 1)
    if max(len(data), size) > most:
        raise UsageError(f"{path} is larger than {most >> 20} MB: that is no file of ours.")
    return data


def list_inside(path: Path, pattern: str, folder: Path) -> list[Path]:
    """What the folder `path` has of a pattern, by name; nothing where it is not there. It may not lead out of
    `folder`."""
    return sorted(require_inside(path, folder).glob(pattern)) if path.is_dir() else []


def walk_inside(path: Path, folder: Path) -> list[Path]:
    """The file `path`, or all files below the folder of that name, in the order of their names.

    Linked folders below it are not entered, so links in a circle end. What is no file is left out.
    """
    if not path.is_dir():
        require_file(path, folder)
        _refuse_excess(path, 1, path.stat().st_size)
        return [path]
    found: list[Path] = []
    weight, folders = 0, [require_inside(path, folder)]
    for each in folders:
        try:
            entries = list(os.scandir(each))
        except OSError as error:
            raise UsageError(f"{each} can't be read: {error.strerror}.") from None
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(each / entry.name)
            elif entry.is_file():
                weight += entry.stat().st_size
                found.append(each / entry.name)
                if entry.is_symlink():
                    require_inside(found[-1], folder)
        _refuse_excess(path, len(found) + len(folders), weight)
    return sorted(found)


def copy_inside(folder: Path, target: Path, *without: str) -> None:
    """Copy the files and folders of a folder, but those of these names or globs. A link, a pipe or a device
    among them is refused before anything is written."""
    leave_out = shutil.ignore_patterns(*without)
    count = weight = 0
    for each, folders, files in os.walk(folder):
        left_out = leave_out(each, [*folders, *files])
        folders[:] = [name for name in folders if name not in left_out]
        for path in (Path(each, name) for name in (*folders, *files) if name not in left_out):
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise UsageError(
                    f"{path} is a link, a pipe or a device, and a copy of {folder} has none. "
                    "Put the file itself there, or remove it."
                )
            count, weight = count + 1, weight + path.stat().st_size
            _refuse_excess(folder, count, weight)
    shutil.copytree(folder, target, symlinks=True, ignore=leave_out, dirs_exist_ok=True)


def _refuse_excess(path: Path, files: int, weight: int) -> None:
    if files > MOST_FILES or weight > MOST_TOGETHER:
        raise UsageError(
            f"{path} has more than {MOST_FILES:,} files or {MOST_TOGETHER >> 30} GB in it. "
            "Name the files that are needed, or a smaller folder."
        )


def open_new(path: Path) -> int:
    """A descriptor of a new empty file in place of what has that name. A link there keeps its target."""
    try:
        path.unlink(missing_ok=True)
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder where a file belongs; move it away.") from None
    return open_inside(path, None, os.O_RDWR | os.O_CREAT | os.O_EXCL)


def require_inside(path: Path, folder: Path) -> Path:
    """`path`, if it is in `folder` once all links are followed."""
    _steps(path, folder, _real(folder), _real(path))
    return path


def require_file(path: Path, folder: Path) -> Path:
    """`path`, if it is a regular file in `folder` once all links are followed."""
    if not require_inside(path, folder).is_file():
        raise UsageError(_not_a_file(path))
    return path


def find_name(file: int, path: Path) -> str:
    """A name of an open file, for libraries that open files themselves: in /proc, else its resolved path."""
    name = Path(f"/proc/self/fd/{file}")
    return str(name if name.exists() else _real(path))


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder, wherever links take it."""
    return _real(path).is_relative_to(_real(folder))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for links in a circle


def _steps(path: Path, folder: Path, root: Path, real: Path) -> tuple[str, ...]:
    try:
        return real.relative_to(root).parts or (".",)
    except ValueError:
        raise UsageError(
            f"{path} leads out of {folder}, to {real}. Links out of a folder are not followed: "
            "put the file itself there, or remove the link."
        ) from None


def _refusal(error: OSError, path: Path, writing: bool) -> Exception:
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
        done = "written to" if writing else "followed"
        return UsageError(
            f"{path} is a link or lies behind one, and a link is not {done} here. Put the file itself there."
        )
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return UsageError(_not_a_file(path))
    return OSError(error.errno, error.strerror, str(path))


def _not_a_file(path: Path) -> str:
    return f"{path} is not a file (a folder, a pipe or a device). Put a file there, or remove it."
