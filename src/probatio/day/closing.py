"""Closing a day: once nothing is missing, its scores get their verdicts and the verdicts go into the ledger."""

from __future__ import annotations

from pathlib import Path

from probatio.ledger.ledger import LedgerRecord, record_day
from probatio.run.clock import now_text
from probatio.store.days import read_days
from probatio.store.detectable import user_detectable_cache
from probatio.suite.daily_suite import DailyManifest, constants_of
from probatio.verdict.days import Days
from probatio.verdict.verdicts import verdicts


def close(results: Path, day: str, manifest: DailyManifest) -> list[LedgerRecord]:
    """Append the day's verdicts to the ledger, with corrections for what follows from them; nothing where they stand there.

    What an OK could have seen is worked out here, once per reference and into the cache, so that whoever shows it only reads.
    """
    constants = constants_of(manifest)
    appended = record_day(results, day, constants, now_text())
    list(verdicts(Days(read_days(results, until=day)), constants, dates={day}, detectable=user_detectable_cache()))
    return appended
