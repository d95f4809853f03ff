"""Identical programs are run once: outcomes kept by what was run, within a bound, shared by all threads."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from probatio.sandbox.program import Limits, ProgramOutcome, Runtime
from probatio.workers.serving import doubt

_UNSETTLED = ("time", "cpu")  # a busy machine can cause these; the same program may well finish next time
_SLOW = 1.0
"""Seconds. A program that took so long may have met a limit of time within, and would not on a less busy machine."""
_OVERHEAD = 500  # bytes of bookkeeping beside the text of one outcome


def key(kind: str, runtime: Runtime, stdin: bytes, limits: Limits) -> bytes:
    """What was run, in 32 bytes: two programs share an outcome only where all of this is the same."""
    digest = hashlib.blake2b(msgspec.json.encode((kind, runtime, limits)), digest_size=32)
    digest.update(stdin)
    return digest.digest()


class Memo:
    """Outcomes by key, the longest unused going first once they fill `max_bytes`."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        self.max_bytes = max_bytes
        self.hits = 0
        self.misses = 0
        self._kept: OrderedDict[bytes, ProgramOutcome] = OrderedDict()
        self._running: dict[bytes, Future[ProgramOutcome]] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, name: bytes, run: Callable[[], ProgramOutcome]) -> ProgramOutcome:
        """The outcome kept under `name`, else that of `run`, which is started once however many threads ask."""
        while True:
            with self._lock:
                kept = self._kept.get(name)
                if kept is not None:
                    self._kept.move_to_end(name)
                    self.hits += 1
                    return noted(kept)
                other = self._running.get(name)
                if other is None:
                    mine = self._running[name] = Future()
                    self.misses += 1
                    break
            shared = other.exception() is None and other.result()
            if shared and shared.stopped not in _UNSETTLED:
                with self._lock:
                    self.hits += 1
                return noted(shared)
        try:
            outcome = run()
        except BaseException as error:
            self._settle(name, None)
            mine.set_exception(error)
            raise
        self._settle(name, outcome)
        mine.set_result(outcome)
        return outcome

    def _settle(self, name: bytes, outcome: ProgramOutcome | None) -> None:
        with self._lock:
            del self._running[name]
            if outcome is None or outcome.stopped in _UNSETTLED:
                return
            self._kept[name] = outcome
            self._bytes += _weight(outcome)
            while self._bytes > self.max_bytes and self._kept:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= _weight(gone)


def noted(outcome: ProgramOutcome) -> ProgramOutcome:
    """The outcome; where the clock may have had a part in it, the check that it is of is not kept on disk."""
    if outcome.stopped in _UNSETTLED or outcome.seconds >= _SLOW:
        doubt()
    return outcome


def _weight(outcome: ProgramOutcome) -> int:
    return _OVERHEAD + 4 * (len(outcome.stdout) + len(outcome.stderr))
