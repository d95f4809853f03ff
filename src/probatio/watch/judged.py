"""Verdicts kept between calls: to fold a year of days takes seconds, and mostly nothing has changed.

What is kept is known by a digest of all that a verdict is made of: the code, the constants, each day's record
and the bytes of its scores, what people have accepted, and what was asked for. So a day that was changed,
withdrawn or declared replayed is folded again with the days after it.

What the words on a verdict take from the days is kept in the same way, as it takes all of them again.

`verdict` and the pages of the site come here, and a day that was closed, so that neither of them has to fold
it. The ledger and `verify` never do.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from probatio.core import jsonfile
from probatio.core.code_digest import code_digest
from probatio.core.errors import UsageError
from probatio.core.files import put_at_once
from probatio.core.inside import read_inside
from probatio.core.machine import cache_folder
from probatio.core.records import Constants, Day, Detectable, ModelVerdict
from probatio.runs.collector import pause_collector
from probatio.watch.alerts.describing import Compared
from probatio.watch.ledger.ledger import LedgerLine
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.detectable import KeptEffects
from probatio.watch.verdict.staleness import last_answered
from probatio.watch.verdict.verdicts import verdicts

MOST_FILES = 256
"""So many are kept, the newest: each has 4 kB of each model."""
_CODE = ("probatio.core", "probatio.runs.store", "probatio.watch")


class Judged(msgspec.Struct, frozen=True):
    """The verdicts of the last of some days, and of each model that was not asked on it: of its own last."""

    verdicts: tuple[ModelVerdict, ...]
    answered: dict[str, str]  # model → the last date on which an answer of it was scored
    unknown: tuple[str, ...] = ()  # keys of the smallest drops that were not known

    def of(self, models: Collection[str] | None) -> Judged:
        """The verdicts on these models alone."""
        some = (each for each in self.verdicts if models is None or each.model in models)
        return msgspec.structs.replace(self, verdicts=tuple(some))

    def days_of(self, days: Days) -> dict[str, Day]:
        """Model → the last day on which an answer of it was scored."""
        by_date = {day.date: day for day in days.days}
        return {model: by_date[date] for model, date in self.answered.items()}


_JUDGED = jsonfile.Decoder(Judged)
_WORDS = jsonfile.Decoder(dict[str, Compared])
T = TypeVar("T")


def judge_last(
    days: Days,
    made_of: str,
    constants: Constants,
    effects: KeptEffects,
    *,
    models: Collection[str] | None = None,
    regraded: Mapping[str, int] | None = None,
    compute: bool = False,
) -> Judged:
    """The verdicts of the last of these days, kept ones where they are still true. `made_of`: their digest.
    `models`, `regraded`, `effects` and `compute` as `verdicts` takes them.
    """
    alone = models if compute else None  # a drop takes a second, and so only those asked for are computed
    for asked_for in dict.fromkeys((None, None if alone is None else tuple(sorted(alone)))):
        key = _digest(made_of, msgspec.json.encode((constants, asked_for, regraded or {})))
        kept = _read(key, _JUDGED)
        if kept and not any(compute or effects.get(each) is not None for each in kept.unknown):
            return kept.of(models)
    with pause_collector():  # here all days are decoded
        answered = {model: day.date for model, day in last_answered(days.days).items()}
    asked, noted = _list_asked(days, answered, alone), _NotedEffects(effects)
    made = verdicts(
        days,
        constants,
        dates={date for date, _ in asked},
        models=alone,
        regraded=regraded,
        detectable=noted,
        compute=compute,
    )
    judged = Judged(
        tuple(verdict for verdict in made if (verdict.date, verdict.model) in asked),
        answered,
        tuple(sorted(noted.unknown)),
    )
    _keep(key, judged)
    return judged.of(models)


class _NotedEffects:
    """Notes which effects are still unknown."""

    def __init__(self, effects: KeptEffects) -> None:
        self._effects = effects
        self.unknown: set[str] = set()

    def get(self, key: str, /) -> Detectable | None:
        effect = self._effects.get(key)
        if effect is None:
            self.unknown.add(key)
        return effect

    def __setitem__(self, key: str, effect: Detectable, /) -> None:
        self._effects[key] = effect
        self.unknown.discard(key)


def _list_asked(
    days: Days, answered: Mapping[str, str], models: Collection[str] | None
) -> set[tuple[str, str]]:
    """Date and model of each verdict that is asked for."""
    last = days.days[-1]
    dates = dict.fromkeys(last.models, last.date)
    return {
        (date, model) for model, date in {**answered, **dates}.items() if models is None or model in models
    }


@contextmanager
def keep_words(made_of: str, lines: Iterable[LedgerLine]) -> Iterator[dict[str, Compared]]:
    """What the words on verdicts took before from days of this digest and from this ledger. What is added is
    kept."""
    key = _digest(made_of, *(line.data for line in lines))
    known = _read(key, _WORDS) or {}
    before = len(known)
    yield known
    if len(known) > before:
        _keep(key, known)


def digest_days(days: Days) -> str:
    """Of all that is made of these days (`read_hashed_days`), and of the code that makes it."""
    code = code_digest(*_CODE), np.__version__, platform.python_version(), platform.machine()
    made_of = hashlib.sha256(msgspec.json.encode((code, days.accepted)))
    for day in days.days:
        scores = day.given if isinstance(day.given, tuple) else day.given.digest
        made_of.update(msgspec.json.encode((day.record, scores)))
    return made_of.hexdigest()


def _digest(made_of: str, *parts: bytes) -> str:
    whole = hashlib.sha256(made_of.encode())
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()


def _read(key: str, decoder: jsonfile.Decoder[T]) -> T | None:
    """What is kept under a key; None where it is not there, is torn, or was written for another key."""
    with contextlib.suppress(OSError, UsageError, msgspec.DecodeError):
        digest, _, data = read_inside(_folder() / key).partition(b"\n")
        if digest == bind(key, data):
            return decoder.decode(data)
    return None


def _keep(key: str, what: Judged | dict[str, Compared]) -> None:
    data = msgspec.json.encode(what)
    with contextlib.suppress(OSError):
        put_at_once(_folder() / key, bind(key, data) + b"\n" + data)
        by_age = sorted(_folder().iterdir(), key=lambda each: each.stat().st_mtime)
        for old in by_age[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def bind(key: str, data: bytes) -> bytes:
    """The first line of a file: what is kept under another key, or was changed, is not read."""
    return _digest(key, data).encode()


def _folder() -> Path:
    return cache_folder() / "verdicts"
