"""What a right program earns by its size: all within its limit, part of it beyond."""

from __future__ import annotations

CREDITS = ((1.0, 1.0), (1.25, 0.5))
"""Times the limit → credit of a right program up to there. The prompts state this table."""
BEYOND = 0.25


def credit(size: int, limit: int | None) -> float:
    """The share of its rung that a right program of this size earns."""
    if limit is None:
        return 1.0
    return next((share for times, share in CREDITS if size <= times * limit), BEYOND)


def words(size: int, limit: int | None, unit: str) -> str:
    """A remark for a program beyond its limit; nothing for one within."""
    return f"right, but {size} {unit}, and the limit is {limit}" if limit is not None and size > limit else ""
