"""Asked late: which models of a day were asked on another date than the day's own.

`--date` of the past completes a day that was begun on its date. A model whose first answer came on another date says nothing
about the day: it is shown under it, marked, and enters no baseline and no reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from probatio.records import DayRecord

OVER_MIDNIGHT = timedelta(hours=12)
"""A run that was begun on its own date goes on over midnight: a first answer so long after its beginning is still the day's."""


def asked_late(record: DayRecord, first: Mapping[str, str]) -> dict[str, str]:
    """Model → the date it was asked on, where that is not the day's. `first`: model → the moment of its first answer."""
    if record.replayed or record.simulated or record.imported:
        return {}
    return {
        model: moment[:10]
        for model, moment in first.items()
        if moment[:10] != record.date and not _goes_on(record, moment)
    }


def _goes_on(record: DayRecord, moment: str) -> bool:
    """Whether an answer of this moment belongs to the run that began the day on its own date."""
    if record.created[:10] != record.date:
        return False
    try:
        passed = datetime.fromisoformat(moment) - datetime.fromisoformat(record.created)
    except (ValueError, TypeError):  # no moment, or one without its zone
        return False
    return timedelta() <= passed <= OVER_MIDNIGHT
