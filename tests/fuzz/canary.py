"""What lies outside of every input: a secret that no result may show, and a mark that no program may leave.

The mark is a file next to the secret. No jail shows that folder, so only what was started outside of a jail
can write it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import tempfile
from pathlib import Path

SECRET = "probatio-canary-5e0f7c1d2a9b4836"
"""In a file outside, and in the environment. Told here in one piece, so outputs are searched for it."""

VARIABLE = "FUZZ_CANARY_KEY"

NAME = "@OUTSIDE@"
"""What stands for the folder in an input: each process has its own, so that no other's mark is seen."""
HIDDEN, MARK, TARGET = f"{NAME}/secret.txt", f"{NAME}/left-a-mark", f"{NAME}/folder"
"""As an input names them: a file with the secret, a file that is not there, a folder that links name."""

OUTSIDE = Path(tempfile.gettempdir()) / f"probatio-fuzz-outside-{os.getpid()}"


def lay_out() -> None:
    """Put the secret where it belongs, and the environment in order."""
    (OUTSIDE / "folder").mkdir(parents=True, exist_ok=True)
    for name in ("secret.txt", "folder/kept.txt"):
        (OUTSIDE / name).write_text(f"{SECRET}\n", encoding="utf-8")
    os.environ[VARIABLE] = SECRET
    atexit.register(_leave, os.getpid())


def _leave(process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(OUTSIDE, ignore_errors=True)


def fill_in(data: bytes) -> bytes:
    """An input with the real folder in it."""
    return data.replace(NAME.encode(), str(OUTSIDE).encode())


def look() -> dict[str, str]:
    """Every file outside with its content, and the mark if one was left."""
    return {
        str(path.relative_to(OUTSIDE)): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(OUTSIDE.rglob("*"))
        if path.is_file()
    }


def clean() -> None:
    """Remove what was left, so that the next input is judged by itself."""
    shutil.rmtree(OUTSIDE, ignore_errors=True)
    lay_out()


class Listener:
    """A port on this machine that no input may make us call."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        atexit.register(self._socket.close)

    def called(self) -> bool:
        """Whether somebody has called since the last look."""
        found = False
        while True:
            try:
                self._socket.accept()[0].close()
                found = True
            except BlockingIOError:
                return found
