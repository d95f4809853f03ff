"""The cache of checked answers: the same answer to the same question is checked only once by the same grader.

One SQLite file in the user's cache folder serves all results folders and processes of a user. It can be
deleted at any time, and a share of what it holds is checked again. A reply is packed with the answer as its
dictionary, because it quotes the answer: the reply about a page takes a few hundred bytes.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hashlib
import os
import random
import sqlite3
import sys
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import Say, UsageError
from probatio.core.machine import CACHE, cache_folder
from probatio.jail.workers import GraderFingerprint, Unchecked

SETTING = "PROBATIO_CHECKED_MB"
"""Most megabytes on disk; 0: nothing is kept there, and each process checks every answer itself."""
DEFAULT_MB = 2048
SAMPLED = 0.02
"""The share of kept results that is checked again: 3,000 answers show with 95 % if one in twenty is wrong."""
FILE = "checked.sqlite3"
_BATCH = 128  # results written at once
_SECONDS = 2.0  # they wait no longer, while more come
_WINDOW = 32 << 10  # of zlib: more of a dictionary is not looked at
_LARGEST = 16 << 20
_IN_MEMORY_MB = 64  # where nothing is kept on disk
_KEPT_SHARE = 0.8  # of the limit, after those unused for longest are gone
_DAY = 86_400

_TABLES = """
CREATE TABLE IF NOT EXISTS checked (key BLOB PRIMARY KEY, grader BLOB, used INTEGER, reply BLOB)
WITHOUT ROWID;
"""


class CheckKey(msgspec.Struct, frozen=True):
    """What was checked."""

    digest: bytes  # of question, answer and grader
    grader: bytes  # its fingerprint
    answer: bytes
    name: str  # of the question, for a person


def key_of(grader: GraderFingerprint, question: bytes, answer: bytes, name: str) -> CheckKey:
    """The key of an answer: of all that its check depends on."""
    digest = hashlib.blake2b(grader.value, digest_size=20)
    for part in (question, answer):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return CheckKey(digest.digest(), grader.value, answer, name)


class CacheUsage(msgspec.Struct):
    """What a process had from the cache."""

    kept: int = 0  # taken from it, or from a check of the same answer that was going on
    sampled: int = 0  # were there, and checked again
    checked: int = 0  # were not there
    differed: int = 0  # came out otherwise

    def __str__(self) -> str:
        outcome = f"{self.differed:,} DIFFERED" if self.differed else "no difference"
        again = f" ({self.sampled:,} more were checked again: {outcome})" if self.sampled else ""
        return f"{self.kept:,} checks from the cache of checked answers{again}, {self.checked:,} made now"


class CheckedAnswers:
    """The cache, as one process uses it. Without a usable file, every answer is checked."""

    def __init__(self, folder: Path | None, limit_mb: int = DEFAULT_MB, say: Say | None = None) -> None:
        self.path = folder / FILE if folder else None  # None: in the memory of this process
        self.share = SAMPLED if folder else 0.0  # of the kept results that are checked again
        self.usage = CacheUsage()
        self.say: Say = say or (lambda sentence: print(sentence, file=sys.stderr))
        self._limit = limit_mb << 20
        self._new: dict[bytes, tuple[bytes, bytes]] = {}  # key → grader, packed reply
        self._touched: set[bytes] = set()
        self._written = time.monotonic()
        self._random = random.Random()
        self._going: dict[bytes, asyncio.Future[bytes]] = {}  # checks that are being made, by key
        self._db: sqlite3.Connection | None = None
        self._open()

    async def check(
        self, key: CheckKey, make: Callable[[], Awaitable[bytes]], final: Callable[[bytes], bool]
    ) -> bytes:
        """The kept reply, or the one that `make` gives; the same answer is never checked twice at once.

        Only a reply that is `final` is kept: that a check failed or was late says nothing about the answer.
        """
        loop = asyncio.get_running_loop()
        # Where everything is to be fresh, each answer is checked by itself.
        while self.share < 1 and (before := self._going.get(key.digest)) and before.get_loop() is loop:
            await asyncio.wait((before,))
            if not before.cancelled():
                self.usage.kept += 1
                return before.result()
        stored = self.get(key)
        if stored is not None and not self.draw():
            self.usage.kept += 1
            return stored
        going = self._going[key.digest] = loop.create_future()
        try:
            reply = await make()
            going.set_result(reply)
        except Exception as error:
            if isinstance(error, Unchecked) and stored is not None and self.share < 1:
                going.set_result(stored)
                self.usage.kept += 1
                return stored
            going.set_exception(error)
            going.exception()  # perhaps no one waits for it
            raise
        finally:
            going.cancel()  # where this one was broken off, the next who waits makes the check
            if self._going.get(key.digest) is going:
                del self._going[key.digest]
        if stored is None:
            self.usage.checked += 1
        else:
            self.usage.sampled += 1
        if stored != reply and final(reply):
            if stored is not None:
                self._drop_grader(key)
            self.put(key, reply)
        return reply

    def get(self, key: CheckKey) -> bytes | None:
        """The reply that is kept for it."""
        if (new := self._new.get(key.digest)) is not None:
            return _unpack(new[1], key.answer)
        row = self._one("SELECT reply, used FROM checked WHERE key = ?", key.digest)
        if row is None:
            return None
        if row[1] < _today():
            self._touched.add(key.digest)
        return _unpack(row[0], key.answer)

    def put(self, key: CheckKey, reply: bytes) -> None:
        self._new[key.digest] = (key.grader, _pack(reply, key.answer))
        if len(self._new) >= _BATCH or time.monotonic() - self._written > _SECONDS:
            self.flush()

    def draw(self) -> bool:
        """Whether this one is checked again although it is kept."""
        return self.share >= 1 or self._random.random() < self.share

    def _drop_grader(self, key: CheckKey) -> None:
        """Drop all results of a grader, because a new check gave another result."""
        self.usage.differed += 1
        self._new = {name: new for name, new in self._new.items() if new[0] != key.grader}
        dropped = self._write("DELETE FROM checked WHERE grader = ?", [(key.grader,)])
        self.say(
            f"WARNING: the cache of checked answers differs from a new check of an answer to `{key.name}`. "
            f"The new check counts. The {dropped} kept results of this grader are dropped. Grades that this "
            "command took from the cache before may be wrong: run it again."
        )

    def flush(self) -> None:
        """Write what is new; make room where there is too much."""
        self._written = time.monotonic()
        new, self._new = self._new, {}
        touched, self._touched = self._touched, set()
        today = _today()
        if touched:
            self._write("UPDATE checked SET used = ? WHERE key = ?", [(today, key) for key in touched])
        if new:
            rows = [(key, grader, today, reply) for key, (grader, reply) in new.items()]
            self._write("INSERT OR REPLACE INTO checked VALUES (?, ?, ?, ?)", rows)
            self._make_room()

    def close(self) -> None:
        self.flush()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _make_room(self) -> None:
        pages, free, size = (
            (self._one(f"PRAGMA {name}") or (0,))[0] for name in ("page_count", "freelist_count", "page_size")
        )
        used = (pages - free) * size
        if used <= self._limit:
            return
        share = 1 - _KEPT_SHARE * self._limit / used
        count = (self._one("SELECT count(*) FROM checked") or (0,))[0]
        oldest = "DELETE FROM checked WHERE key IN (SELECT key FROM checked ORDER BY used LIMIT ?)"
        self._write(oldest, [(int(count * share) + 1,)])

    def _open(self) -> None:
        try:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(
                self.path or ":memory:", timeout=10, isolation_level=None, check_same_thread=False
            )
            # Readers and a writer at once; nothing is torn by a kill.
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLES)
        except (sqlite3.Error, OSError) as error:
            self._note_failure(error)

    def _one(self, query: str, *values: object) -> Any:
        """The first row, or None."""
        try:
            return None if self._db is None else self._db.execute(query, values).fetchone()
        except sqlite3.Error as error:
            self._note_failure(error)
            return None

    def _write(self, query: str, rows: Sequence[tuple[object, ...]]) -> int:
        if self._db is None:
            return 0
        try:
            self._db.execute("BEGIN IMMEDIATE")
            done = self._db.executemany(query, rows).rowcount
            self._db.execute("COMMIT")
            return done
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            self._note_failure(error)
            return 0

    def _note_failure(self, error: Exception) -> None:
        """Go on without what could not be written. A file that is no database is replaced."""
        if isinstance(error, sqlite3.OperationalError | OSError) and self._db is not None:
            return
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        db, self._db = self._db, None
        if db is not None:
            db.close()
        if damaged and self.path is not None and self.path.is_file():
            with contextlib.suppress(OSError):
                for end in ("", "-wal", "-shm"):
                    self.path.with_name(FILE + end).unlink(missing_ok=True)
                self.say(
                    f"{self.path} could not be read ({error}); it is begun again, and answers are checked."
                )
                self._open()


def _pack(reply: bytes, answer: bytes) -> bytes:
    packing = zlib.compressobj(1, zdict=answer[:_WINDOW]) if answer else zlib.compressobj(1)
    return packing.compress(reply) + packing.flush()


def _unpack(packed: bytes, answer: bytes) -> bytes | None:
    """The reply; None if these bytes are no reply to this answer."""
    try:
        opening = zlib.decompressobj(zdict=answer[:_WINDOW]) if answer else zlib.decompressobj()
        reply = opening.decompress(packed, _LARGEST)
        return reply if opening.eof else None
    except (zlib.error, TypeError):
        return None


def _today() -> int:
    return int(time.time()) // _DAY


_shared: dict[tuple[str | None, ...], CheckedAnswers] = {}
_SETTINGS = (SETTING, CACHE, "XDG_CACHE_HOME", "HOME")


def open_checked() -> CheckedAnswers:
    """The cache of this user, opened once in a process."""
    # Looked at for every answer, so nothing else is done here.
    settings = tuple(map(os.environ.get, _SETTINGS))
    if settings not in _shared:
        close_checked()
        limit = _limit()
        opened = CheckedAnswers(cache_folder(), limit) if limit else CheckedAnswers(None, _IN_MEMORY_MB)
        _shared[settings] = opened
        atexit.register(opened.close)
    return _shared[settings]


def close_checked() -> None:
    """Write what is new and let the file go."""
    while _shared:
        _shared.popitem()[1].close()


def _limit() -> int:
    value = os.environ.get(SETTING, "").strip()
    if not value:
        return DEFAULT_MB
    if not value.isascii() or not value.isdigit():
        raise UsageError(
            f"{SETTING} is {value!r}; give the most megabytes for checked answers, or 0 to keep none."
        )
    return int(value)
