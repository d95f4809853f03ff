"""A check made once: its result is kept on disk, and taken from there when the same answer comes again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from probatio.store.checked import Key, checked_answers
from probatio.workers import Checks, Lane, Same, Unchecked


def key_of(same: Same, question: bytes, answer: bytes, name: str) -> Key:
    """The key of an answer: of all that its check depends on."""
    digest = hashlib.blake2b(same.value, digest_size=20)
    for part in (question, answer):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return Key(digest.digest(), same.value, answer, name)


async def checked_once(
    pool: Checks,
    lane: Lane,
    function: str,
    payload: bytes,
    *,
    key: Key | None,
    settled: Callable[[bytes], bool],
    before: Callable[[], None] | None = None,
    same: Same | None = None,
) -> bytes:
    """What the check gives, kept or new. Only what is `settled` is kept: that an answer could not be checked, or not in time,
    says nothing about it."""
    kept = checked_answers() if key is not None else None
    if kept is None or key is None:
        return (await pool.run(lane, function, payload, before, same)).payload
    stored = kept.get(key)
    if stored is not None and not kept.drawn():
        kept.usage.kept += 1
        return stored
    try:
        reply = await pool.run(lane, function, payload, before, same)
    except Unchecked:
        if stored is None or kept.share >= 1:
            raise
        kept.usage.kept += 1
        return stored
    if stored is None:
        kept.usage.checked += 1
    else:
        kept.usage.sampled += 1
    if reply.settled and settled(reply.payload):
        if stored is not None and stored != reply.payload:
            kept.differs(key)
        if stored != reply.payload:
            kept.put(key, reply.payload)
    return reply.payload
