"""Names and globs picked from a list, and the sentence for a name that is not in it."""

from __future__ import annotations

import difflib
import fnmatch
import glob
from collections.abc import Iterable, Sequence

from probatio.errors import UsageError

CLOSE = 0.6
"""How alike two names are, by difflib's ratio, to be taken for a slip: `trail` and `trial` are 0.8, `go` and `gpt` 0.4."""
SHORTEST = 3
"""Letters that must be the same to find a name by a part of it."""
SHOWN, LISTED = 5, 8


def matches(pattern: str, name: str) -> bool:
    """Whether `name` is what `pattern` says: the same word, or covered by its glob."""
    return name == pattern or (glob.has_magic(pattern) and fnmatch.fnmatchcase(name, pattern))


def pick(kind: str, patterns: Iterable[str], known: Sequence[str], where: str = "") -> tuple[str, ...]:
    """The known names that the patterns cover, in the order of `known`; a pattern that covers none is an error."""
    chosen: set[str] = set()
    for pattern in patterns:
        covered = [name for name in known if matches(pattern, name)]
        if not covered:
            raise unknown(kind, pattern, known, where)
        chosen.update(covered)
    return tuple(name for name in known if name in chosen)


def near(name: str, known: Sequence[str]) -> list[str]:
    """The known names that `name` may be a slip for: spelt almost the same, or with its letters in them as they stand."""
    meant = name.strip("*").casefold()
    folded = {each.casefold(): each for each in known}
    alike = difflib.get_close_matches(meant, folded, SHOWN, CLOSE)
    within = [each for each in folded if len(meant) >= SHORTEST and (meant in each or (each in meant and each))]
    return [folded[each] for each in dict.fromkeys((*alike, *within))][:SHOWN]


def unknown(kind: str, name: str, known: Sequence[str], where: str = "") -> UsageError:
    """The error for a name that is not known, with those it may be a slip for, else with the first that there are."""
    place = f" {where}" if where else ""
    if alike := near(name, known):
        hint = f"Near matches: {', '.join(alike)}."
    elif known:
        rest = len(known) - LISTED
        hint = f"There are: {', '.join(known[:LISTED])}{f' and {rest} more' if rest > 0 else ''}."
    else:
        hint = "There are none."
    return UsageError(f"There is no {kind} `{name}`{place}. {hint}")
