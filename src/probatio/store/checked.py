"""Checked answers kept on disk: the same answer to the same question, checked by the same grader, is checked once in a lifetime.

One SQLite file in the user's cache folder serves all results folders and all processes of a user. It is no truth: it can be
deleted at any time, and a share of what it says is checked again. A reply is packed with the answer as its dictionary, since a
reply quotes it: a page's is a few hundred bytes.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio.errors import Say, UsageError

SETTING = "PROBATIO_CHECKED_MB"
"""Most megabytes on disk; 0: nothing is kept, and every answer is checked."""
DEFAULT_MB = 2048
SAMPLED = 0.02
"""The share of kept results that is checked again. Where one in twenty is wrong, 3,000 answers show it with 95 % probability."""
FILE = "checked.sqlite3"
_BATCH = 128  # results written at once
_SECONDS = 2.0  # they wait no longer, while more come
_WINDOW = 32 << 10  # of zlib: more of a dictionary is not looked at
_LARGEST = 16 << 20
_KEPT_SHARE = 0.8  # of the limit, after those unused for longest are gone
_DAY = 86_400

_TABLES = """
CREATE TABLE IF NOT EXISTS checked (key BLOB PRIMARY KEY, grader BLOB, used INTEGER, reply BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS digests (code TEXT PRIMARY KEY, digest TEXT) WITHOUT ROWID;
"""


class Key(msgspec.Struct, frozen=True):
    """What was checked."""

    digest: bytes  # of question, answer and grader
    grader: bytes  # its fingerprint
    answer: bytes
    name: str  # of the question, for a person


class Usage(msgspec.Struct):
    """What a process had from the cache."""

    kept: int = 0  # taken from it
    sampled: int = 0  # were there, and checked again
    checked: int = 0  # were not there
    differed: int = 0  # came out otherwise

    def __str__(self) -> str:
        again = f" ({self.sampled:,} more were checked again: {self._told})" if self.sampled else ""
        return f"{self.kept:,} checks from the cache of checked answers{again}, {self.checked:,} made now"

    @property
    def _told(self) -> str:
        return f"{self.differed:,} DIFFERED" if self.differed else "no difference"


class CheckedAnswers:
    """The cache, as one process uses it. Whatever is wrong with the file, answers are checked as if there were none."""

    def __init__(
        self, folder: Path, limit_mb: int = DEFAULT_MB, share: float = SAMPLED, say: Say | None = None
    ) -> None:
        self.path = folder / FILE
        self.share = share
        self.usage = Usage()
        self.say: Say = say or (lambda sentence: print(sentence, file=sys.stderr))
        self._limit = limit_mb << 20
        self._new: dict[bytes, tuple[bytes, bytes]] = {}  # key → grader, packed reply
        self._touched: set[bytes] = set()
        self._digests: dict[str, str] = {}
        self._written = time.monotonic()
        self._random = random.Random()
        self._db: sqlite3.Connection | None = None
        self._open()

    def get(self, key: Key) -> bytes | None:
        """The reply that is kept for it."""
        if (new := self._new.get(key.digest)) is not None:
            return _unpacked(new[1], key.answer)
        row = self._one("SELECT reply, used FROM checked WHERE key = ?", key.digest)
        if row is None:
            return None
        if row[1] < _today():
            self._touched.add(key.digest)
        return _unpacked(row[0], key.answer)

    def put(self, key: Key, reply: bytes) -> None:
        self._new[key.digest] = (key.grader, _packed(reply, key.answer))
        if len(self._new) >= _BATCH or time.monotonic() - self._written > _SECONDS:
            self.flush()

    def drawn(self) -> bool:
        """Whether this one is checked again although it is kept."""
        return self.share >= 1 or self._random.random() < self.share

    def differs(self, key: Key) -> None:
        """A check made again came out otherwise: nothing of this grader is believed any more."""
        self.usage.differed += 1
        self._new = {name: new for name, new in self._new.items() if new[0] != key.grader}
        dropped = self._write("DELETE FROM checked WHERE grader = ?", [(key.grader,)])
        self.say(
            f"WARNING: the cache of checked answers differs from a new check of an answer to `{key.name}`. The new check counts. "
            f"The {dropped} kept results of this grader are dropped. Grades that this command took from the cache before may be "
            "wrong: run it again."
        )

    def digest(self, code: str, make: Callable[[], str]) -> str:
        """A digest that takes long to make, kept by the state of the code it is of."""
        if code not in self._digests:
            row = self._one("SELECT digest FROM digests WHERE code = ?", code)
            if row is None:
                row = (make(),)
                self._write("INSERT OR REPLACE INTO digests VALUES (?, ?)", [(code, row[0])])
            self._digests[code] = row[0]
        return self._digests[code]

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
        over = (pages - free) * size - self._limit
        if over <= 0:
            return
        share = 1 - _KEPT_SHARE * self._limit / ((pages - free) * size)
        count = (self._one("SELECT count(*) FROM checked") or (0,))[0]
        oldest = "DELETE FROM checked WHERE key IN (SELECT key FROM checked ORDER BY used LIMIT ?)"
        self._write(oldest, [(int(count * share) + 1,)])

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(self.path, timeout=10, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")  # readers and a writer at once; nothing is torn by a kill
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLES)
        except (sqlite3.Error, OSError) as error:
            self._fails(error)

    def _one(self, query: str, *values: object) -> Any:
        """The first row, or None."""
        try:
            return None if self._db is None else self._db.execute(query, values).fetchone()
        except sqlite3.Error as error:
            self._fails(error)
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
            self._fails(error)
            return 0

    def _fails(self, error: Exception) -> None:
        """A file that is busy or a disk that is full costs what was to be written. A file that is none is begun anew."""
        if isinstance(error, sqlite3.OperationalError | OSError) and self._db is not None:
            return
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        db, self._db = self._db, None
        if db is not None:
            db.close()
        if damaged and self.path.is_file():
            with contextlib.suppress(OSError):
                for end in ("", "-wal", "-shm"):
                    self.path.with_name(FILE + end).unlink(missing_ok=True)
                self.say(f"{self.path} could not be read ({error}); it is begun anew, and answers are checked.")
                self._open()


def _packed(reply: bytes, answer: bytes) -> bytes:
    packing = zlib.compressobj(1, zdict=answer[:_WINDOW]) if answer else zlib.compressobj(1)
    return packing.compress(reply) + packing.flush()


def _unpacked(packed: bytes, answer: bytes) -> bytes | None:
    """None for what is no reply to this answer."""
    try:
        opening = zlib.decompressobj(zdict=answer[:_WINDOW]) if answer else zlib.decompressobj()
        reply = opening.decompress(packed, _LARGEST)
        return reply if opening.eof else None
    except (zlib.error, TypeError):
        return None


def _today() -> int:
    return int(time.time()) // _DAY


def cache_folder() -> Path:
    """Where the file is: PROBATIO_CACHE, else the user's cache folder."""
    if override := os.environ.get("PROBATIO_CACHE"):
        return Path(override).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("probatio", appauthor=False)


_shared: dict[tuple[str | None, ...], CheckedAnswers | None] = {}
_SETTINGS = (SETTING, "PROBATIO_CACHE", "XDG_CACHE_HOME", "HOME")


def checked_answers() -> CheckedAnswers | None:
    """The cache of this user, opened once in a process; None where it is set off."""
    said = tuple(map(os.environ.get, _SETTINGS))  # looked at for every answer, so nothing else is done here
    if said not in _shared:
        close_checked()
        limit = _limit()
        _shared[said] = opened = CheckedAnswers(cache_folder(), limit) if limit else None
        if opened is not None:
            atexit.register(opened.close)
    return _shared[said]


def close_checked() -> None:
    """Write what is new and let the file go."""
    while _shared:
        _, opened = _shared.popitem()
        if opened is not None:
            opened.close()


def _limit() -> int:
    said = os.environ.get(SETTING, "").strip()
    if not said:
        return DEFAULT_MB
    if not said.isascii() or not said.isdigit():
        raise UsageError(f"{SETTING} is {said!r}; give the most megabytes for checked answers, or 0 to keep none.")
    return int(said)
