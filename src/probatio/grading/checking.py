"""Check an answer in a worker, or take the result from the cache; and tell an answer that breaks its check
from tools that are broken.

A check that breaks (a limit, a crash, an exception) is made a second time, but only where a trivial answer,
known to be right, passes the same tools. An answer that breaks its check twice is wrong. Where the trivial
answer breaks the check too, our machine is to blame, and nothing is known about the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec

from probatio.core.errors import CannotCheck
from probatio.grading.soundness import toolchains_of
from probatio.jail.workers import Before, Checks, GraderFingerprint, Lane, Unchecked

Result = TypeVar("Result")


class Check(msgspec.Struct, frozen=True):
    """One check: who makes it, of what, within which limits."""

    lane: Lane
    function: str  # `module:name`, called in the worker
    payload: bytes
    grader: GraderFingerprint | None = (
        None  # None if unknown: the check is made on this machine, and not kept
    )
    keep: bool = True


class BreaksCheck(Exception):
    """The answer broke its check twice, while a trivial answer passes: by a limit, or by an error in it."""


async def check_once(
    pool: Checks,
    check: Check,
    question: bytes,
    answer: bytes,
    name: str,
    is_final: Callable[[bytes], bool],
    before: Before = None,
) -> bytes:
    """The reply of the check. A final one is kept under grader, question and answer."""
    make = partial(pool.run, check.lane, check.function, check.payload, before, check.grader)
    if check.grader is None or not check.keep:
        return await make()
    from probatio.grading.checked import key_of, open_checked  # who compares texts needs no cache

    return await open_checked().check(key_of(check.grader, question, answer, name), make, is_final)


async def check_twice(
    pool: Checks,
    once: Callable[[], Awaitable[Result]],
    breaks: type[Exception] | tuple[type[Exception], ...],
    tools: bytes,
    trivial: Callable[[], Check],
) -> Result:
    """What `once` gives, at its first or its second try.

    If `once` raises one of `breaks`, the trivial check is made; its outcome counts for some seconds for all
    checks with these tools. If it breaks too, what `once` raised is raised. If not, `once` has a second try,
    and `BreaksCheck` is raised if that breaks.
    """
    try:
        return await once()
    except breaks:
        if await toolchains_of(pool).find_fault(tools, lambda: _find_break(pool, trivial())):
            raise
    try:
        return await once()
    except breaks as error:
        raise BreaksCheck(str(error)) from error


async def _find_break(pool: Checks, check: Check) -> str | None:
    """How a check breaks; None if it comes to its end, whatever it says."""
    try:
        await pool.run(check.lane, check.function, check.payload, None, check.grader)
    except (Unchecked, CannotCheck) as error:
        return str(error)
    return None
