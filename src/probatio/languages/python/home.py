"""The interpreter's home in the jail: a copy of the standard library without installed packages.

The library's own folder won't do. In most builds `site-packages` lies inside it, and with it this package and
the tests a solution must not see; leaving that one folder out by binding its 200 neighbours one by one costs
125 ms at every start. The copy is made once per interpreter and kept in the user's cache: one folder to bind,
shared libraries included.
"""

from __future__ import annotations

import atexit
import compileall
import functools
import hashlib
import shutil
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from probatio.core.machine import cache_folder
from probatio.jail import Runtime, libraries, warm_jail

_LEFT_OUT = shutil.ignore_patterns(
    "site-packages", "dist-packages",  # where this package may be installed
    "test", "tests", "_test*", "_xxtest*", "_ctypes_test*", "xxlimited*",
    "idlelib", "tkinter", "_tkinter*", "turtle*", "curses", "_curses*",  # no screen in the jail
    "ensurepip", "venv", "lib2to3", "distutils", "pydoc_data", "config-*",
    "*.opt-1.pyc", "*.opt-2.pyc", "*.a",
)  # fmt: skip
_LIBRARIES = "shared"
_THREADS_NEED = "libgcc_s.so.1"  # loaded by the C library when a thread ends, so named by no binary

_lock = threading.Lock()


def runtime(program: str) -> Runtime:
    """The interpreter running `program`: no site, no user folder, no path of the program's, hashes alike at
    every start."""
    folder, env = home()
    return Runtime((interpreter(), "-s", "-S", "-B", "-P", "-c", program), (folder,), env)


def home() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The folder to show in the jail, and the environment in which the interpreter finds it."""
    with _lock:
        folder = _home()
    here = (str(folder / _LIBRARIES), *sorted({str(Path(path).parent) for path in libraries(interpreter())}))
    return str(folder), (
        ("PYTHONHOME", str(folder)), ("PYTHONHASHSEED", "0"), ("PYTHONUTF8", "1"), ("TZ", "UTC"),
        ("LD_LIBRARY_PATH", ":".join(here)),
    )  # fmt: skip


@functools.cache
def interpreter() -> str:
    """The binary that runs Probatio."""
    return str(Path(sys.executable).resolve())


@functools.cache
def _home() -> Path:
    """The copy for this interpreter, made on first use."""
    binary = Path(interpreter())
    about = f"{binary} {binary.stat().st_mtime_ns} {sys.version} {_source()}"
    major, minor = sys.version_info[:2]
    name = f"python-{major}.{minor}-{hashlib.sha256(about.encode()).hexdigest()[:12]}"
    return keep_folder(name, _fill)


def keep_folder(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of this name in the user's cache, filled on first use. Where nothing can be kept, one that
    ends with this process."""
    kept = cache_folder() / name
    if kept.is_dir():
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=kept.parent))
    except OSError:
        kept = made = Path(tempfile.mkdtemp(prefix="probatio-kept-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    made.chmod(0o755)  # a jailed program is another user, and mkdtemp lets in only its maker
    try:
        fill(made)
        if made != kept:
            made.rename(kept)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        if not kept.is_dir():  # else another process was faster
            raise
    return kept


def _source() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()


def _fill(home: Path) -> None:
    source = _source()
    base = Path(sys.base_prefix).resolve()
    place = source.relative_to(base) if source.is_relative_to(base) else Path(sys.platlibdir, source.name)
    copy = home / place
    shutil.copytree(source, copy, ignore=_LEFT_OUT, ignore_dangling_symlinks=True)
    # Images often come without byte code; a jail that can't write it would compile the library at every
    # start.
    compileall.compile_dir(copy, quiet=2)
    shared = home / _LIBRARIES
    shared.mkdir()
    own = libraries(interpreter())
    needed = {path for module in (copy / "lib-dynload").glob("*.so") for path in libraries(str(module))}
    needed.update(str(Path(path).with_name(_THREADS_NEED)) for path in own)
    for path in sorted(needed.difference(own)):
        if Path(path).is_file():
            shutil.copy2(path, shared / Path(path).name)


def warm() -> None:
    """Copy the standard library if there is no copy yet, and find the jail."""
    runtime("")
    warm_jail()
