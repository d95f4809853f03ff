"""A folder known by more than its path: its number on the disk, and a mark that can't be guessed.

The mark is an empty file with a random name in `.probatio`. Git does not carry it, and the name is kept
with the user's word. A folder that is removed and put back, by the user or by anyone, has another one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from probatio.core.errors import UsageError
from probatio.core.inside import open_inside

FOLDER = ".probatio"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def mark_place(folder: Path) -> str:
    """Put a new mark into the folder, and give what is to be kept. A folder that can't be written to is known
    by its number alone."""
    token = secrets.token_hex(16)
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        os.close(open_inside(folder / FOLDER / token, folder, _NEW))
        with contextlib.suppress(FileExistsError):
            os.write(ignored := open_inside(folder / FOLDER / ".gitignore", folder, _NEW), b"*\n")
            os.close(ignored)
    except (OSError, UsageError):
        token = ""
    return f"{folder.stat().st_ino} {token}"


def is_place(folder: Path, mark: str) -> bool:
    """Whether the folder is the one that has this mark. What a link leads to is not."""
    number, _, token = mark.partition(" ")
    try:
        if str(folder.stat().st_ino) != number:
            return False
        return not token or (
            stat.S_ISDIR((folder / FOLDER).lstat().st_mode)
            and stat.S_ISREG((folder / FOLDER / token).lstat().st_mode)
        )
    except OSError:
        return False
