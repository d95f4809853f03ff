"""Names and globs picked from a list, and the sentence for a name that is not in it."""

from __future__ import annotations

import difflib
import fnmatch
import glob
from collections.abc import Iterable, Sequence

from probatio.errors import UsageError


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


def unknown(kind: str, name: str, known: Sequence[str], where: str = "") -> UsageError:
    """The error for a name that is not known, with the nearest that are."""
    near = difflib.get_close_matches(name.strip("*"), known, 5, 0.4) or list(known[:8])
    place = f" {where}" if where else ""
    return UsageError(f"There is no {kind} `{name}`{place}. Near matches: {', '.join(near) if near else 'none'}.")
