"""Closing a day: once nothing is missing, its scores get their verdicts and the verdicts go into the ledger."""

from __future__ import annotations

from pathlib import Path

from probatio.run.runfile import now_text
from probatio.suite.daily import DailyManifest
from probatio.watch.fold import constants_of
from probatio.watch.ledger import LedgerRecord, record_day


def close(results: Path, day: str, manifest: DailyManifest) -> list[LedgerRecord]:
    """Append the day's verdicts to the ledger, with corrections for what follows from them; nothing where they stand there."""
    return record_day(results, day, constants_of(manifest), now_text())
