"""The headline: the one status people see first, the worse of both layers.

The rule's status counts as it is. SUSPECTED evidence counts as SUSPICIOUS, CONFIRMED as COOKED. So the
headline is never OK while the evidence is CONFIRMED. CALIBRATING and GAP stay only if the evidence raises no
alarm: an outage must not clear what is proven.
"""

from __future__ import annotations

import msgspec
import numpy as np

from probatio.core.records import Evidence, ModelVerdict, Status
from probatio.watch.verdict.evidence.evidence import STATUSES as EVIDENCE
from probatio.watch.verdict.rule.model_status import STATUSES, Codes

READ_AS: dict[Evidence, Status] = {"SUSPECTED": "SUSPICIOUS", "LOWER": "SUSPICIOUS", "CONFIRMED": "COOKED"}
"""The status that an alarm of the evidence counts as; the other words of the evidence say nothing bad."""

BADNESS: dict[Status, int] = {"GAP": 0, "CALIBRATING": 0, "OK": 0, "SUSPICIOUS": 1, "COOKED": 2}


def headline(status: Status, evidence: Evidence) -> Status:
    """The worse of the two layers."""
    alarm = READ_AS.get(evidence, "OK")
    return alarm if BADNESS[alarm] > BADNESS[status] else status


_TABLE = np.array(
    [[STATUSES.index(headline(status, each)) for each in EVIDENCE] for status in STATUSES], dtype=np.int8
)


def headlines(status: Codes, evidence: Codes) -> Codes:
    """The same for arrays of codes."""
    made: Codes = _TABLE[status, evidence]
    return made


def add_headline(verdict: ModelVerdict) -> ModelVerdict:
    """A verdict with its headline, also one that was recorded before there was one."""
    if verdict.headline is not None:
        return verdict
    shown = headline(verdict.status, verdict.evidence)
    return msgspec.structs.replace(
        verdict,
        headline=shown,
        confirmed=verdict.evidence == "CONFIRMED",
        headline_since=verdict.since if shown == verdict.status else verdict.changed_on or verdict.since,
        recovered=verdict.recovered and shown == "OK",
    )
