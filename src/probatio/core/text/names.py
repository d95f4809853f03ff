"""Names: picked from a list by globs, the sentence for an unknown one, and their form in addresses."""

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


def make_slugs(names: Iterable[str]) -> dict[str, str]:
    """Name → its form in addresses (small letters, digits, dashes), numbered where two would be the same."""
    slug_of: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        slug = plain = _NOT_SLUG.sub("-", name.casefold()).strip("-")[:80] or "model"
        number = 1
        while slug in taken:
            number += 1
            slug = f"{plain}-{number}"
        taken.add(slug)
        slug_of[name] = slug
    return slug_of
