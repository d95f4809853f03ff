"""No language is known by its name outside its own places: whatever is special about one stands with it."""

from __future__ import annotations

import re
from pathlib import Path

import probatio

SOURCE = Path(probatio.__file__).parent
OWN_PLACES = ("languages/", "builtin/faber/", "authoring/generate/faber/")
WORDS = re.compile(r"faber|typescript|['\"]latin['\"]", re.IGNORECASE)
"""The names of languages, and of a dialect of one of them as a value."""


def test_no_other_file_names_faber_or_typescript_or_a_dialect_of_theirs() -> None:
    named = []
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE).as_posix()
        if WORDS.search(file.read_text(encoding="utf-8")) and not place.startswith(OWN_PLACES):
            named.append(place)
    assert not named
