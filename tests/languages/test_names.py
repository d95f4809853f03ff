"""No language is known by its name outside its own places: whatever is special about one stands with it."""

from __future__ import annotations

import re
from pathlib import Path

import probatio

SOURCE = Path(probatio.__file__).parent
OWN_PLACES = ("languages/", "builtin/faber/", "generate/faber/", "cli/faber.py")
THE_COMMAND = {"cli/__init__.py": 2}
"""Lines that name the command `probatio faber` in the table of commands."""


def test_no_other_file_names_faber_or_typescript() -> None:
    named = {}
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE).as_posix()
        lines = [
            line for line in file.read_text(encoding="utf-8").splitlines() if re.search("faber|typescript", line, re.I)
        ]
        if lines and not place.startswith(OWN_PLACES):
            named[place] = len(lines)
    assert named == THE_COMMAND
