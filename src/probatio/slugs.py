"""Names for addresses: small letters, digits and dashes."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Name → a name of its own for addresses, numbered where two would be one."""
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
