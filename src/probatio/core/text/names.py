"""Names: picked from a list by globs, the sentence for an unknown one, their form in addresses and files."""

from __future__ import annotations

import difflib
import fnmatch
import glob
import re
from collections.abc import Iterable, Sequence

from probatio.core.errors import UsageError

CLOSE = 0.6
"""From this ratio of difflib on a name is taken for a slip: `trail` and `trial` have 0.8, `go`, `gpt` 0.4."""
SHORTEST = 3
"""Letters that must be the same to find a name by a part of it."""
SHOWN, LISTED = 5, 8


def matches(pattern: str, name: str) -> bool:
    """Whether `name` is what `pattern` says: the same word, or covered by its glob."""
    return name == pattern or (glob.has_magic(pattern) and fnmatch.fnmatchcase(name, pattern))


def pick(kind: str, patterns: Iterable[str], known: Sequence[str], where: str = "") -> tuple[str, ...]:
    """The known names that match a pattern, in the order of `known`. Each pattern must match one."""
    chosen: set[str] = set()
    for pattern in patterns:
        covered = [name for name in known if matches(pattern, name)]
        if not covered:
            raise refuse_unknown_name(kind, pattern, known, where)
        chosen.update(covered)
    return tuple(name for name in known if name in chosen)


def find_near(name: str, known: Sequence[str]) -> list[str]:
    """The known names that `name` may be a slip for: spelt almost the same, or one is part of the other."""
    meant = name.strip("*").casefold()
    folded = {each.casefold(): each for each in known}
    alike = difflib.get_close_matches(meant, folded, SHOWN, CLOSE)
    within = [
        each for each in folded if len(meant) >= SHORTEST and (meant in each or (each in meant and each))
    ]
    return [folded[each] for each in dict.fromkeys((*alike, *within))][:SHOWN]


def refuse_unknown_name(kind: str, name: str, known: Sequence[str], where: str = "") -> UsageError:
    """The error for an unknown name. It lists near matches, else the first known names."""
    place = f" {where}" if where else ""
    if alike := find_near(name, known):
        hint = f"Near matches: {', '.join(alike)}."
    elif known:
        rest = len(known) - LISTED
        hint = f"There are: {', '.join(known[:LISTED])}{f' and {rest} more' if rest > 0 else ''}."
    else:
        hint = "There are none."
    return UsageError(f"There is no {kind} `{name}`{place}. {hint}")


_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_NOT_FILE = re.compile(r"[^A-Za-z0-9._+-]+")
RESERVED = frozenset({"con", "prn", "aux", "nul"}) | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
"""Names of devices on Windows, with any suffix."""
FILE_NAME = 100
"""Characters of a file's name that come from one name of someone else; file systems take 255 in all."""


def make_slugs(names: Iterable[str]) -> dict[str, str]:
    """Name → its form in addresses (small letters, digits, dashes), numbered where two would be the same."""
    slug_of: dict[str, str] = {}
    taken = set(RESERVED)
    for name in names:
        plain = _NOT_SLUG.sub("-", name.casefold()).strip("-")[:80] or "model"
        slug_of[name] = _number(plain, taken)
    return slug_of


def make_file_names(names: Iterable[str], otherwise: str) -> dict[str, str]:
    """Name → its form as the name of a file or folder, numbered where two would be the same.

    The form is a plain name on every system: no way to another folder, no device of Windows, nothing hidden,
    and no two that differ only in the size of letters. A plain name stays as it is.
    """
    form_of: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name not in form_of:
            form_of[name] = _number(make_file_name(name, otherwise), taken)
    return form_of


def make_file_name(name: str, otherwise: str) -> str:
    """One name as the name of a file; `otherwise` if nothing is left of it. Two names may have one form."""
    form = _NOT_FILE.sub("-", name).lstrip(".-")[:FILE_NAME].rstrip(".") or otherwise
    return f"_{form}" if form.partition(".")[0].casefold() in RESERVED else form


def _number(form: str, taken: set[str]) -> str:
    """The form, with a number if it is taken; and take it."""
    numbered, number = form, 1
    while numbered.casefold() in taken:
        number += 1
        numbered = f"{form}-{number}"
    taken.add(numbered.casefold())
    return numbered
