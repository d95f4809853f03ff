"""The items of days of `probatio daily`: every case, and every rung if the case is a ladder.

A year of many models is gigabytes of grades. So only the last days are read, and only the fields that are
counted. Tokens come from the newest day of each model.

At temperature 0 a model may give the same answer day after day. Equal answers on consecutive days are one
draw: counted as one each, two models that are alike would be told apart by one lucky answer each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from probatio.core.clock import today
from probatio.core.errors import UsageError
from probatio.core.records import UNASKED_ERRORS, Day, SampleKey, SampleLine
from probatio.learn.items.measuring import measure_items
from probatio.learn.items.records import Items
from probatio.learn.items.tally import ItemKey, ItemTally
from probatio.runs.collector import pause_collector
from probatio.runs.store.days import days_ahead, describe_ahead, last_days
from probatio.runs.store.layout import DAILY, GRADES
from probatio.runs.store.run_folder import RunFolder

DAYS = 14
"""As many as the rule's baseline."""
MOST = 28
"""Days that are opened, however many are asked for: thirty models write twenty megabytes a day, and more
days of the same answers tell little more."""

_Stretches = dict[SampleKey, tuple[object, int]]
"""Sample → its last answer, and for how many days in a row it has come."""

_ERRORED = UNASKED_ERRORS | {"timeout"}
_MOST_TOKENS = 10_000_000  # of one answer; more was made up by a server


class _GradePart(msgspec.Struct, gc=False):
    score: float = 0.0
    weight: float = 1.0
    rung: int = 0


class _Breakdown(msgspec.Struct):
    use_case: str = ""
    judged: float | msgspec.UnsetType | None = msgspec.UNSET  # not set: there is none to wait for
    parts: list[_GradePart] = []


class _Graded(SampleLine, frozen=True, kw_only=True):
    """A grade without its words."""

    error_type: str | None = None
    score: float = 0.0
    breakdown: _Breakdown = msgspec.field(default_factory=_Breakdown)


class _Worded(SampleLine, frozen=True, kw_only=True):
    """An answer's text alone."""

    response: str | None = None


class _Counted(SampleLine, frozen=True, kw_only=True):
    """An answer without its texts."""

    tokens_in: int = 0
    tokens_out: int = 0
    error: str | None = None


def measure_days(
    results: Path, days: int = DAYS, *, lenient: bool = False, withdrawn: Collection[str] = ()
) -> Items:
    """The last days of the newest suite version, without those withdrawn. `lenient`: skip lines that can't be
    read."""
    ahead = days_ahead(results, today())
    chosen, there = last_days(results, days, MOST, {*ahead, *withdrawn})
    if not chosen:
        raise UsageError(f"There is no day under {results / DAILY}; `probatio daily` makes one.")
    newest = chosen[-1].record
    same = [
        day
        for day in chosen
        if (day.record.suite, day.record.suite_version) == (newest.suite, newest.suite_version)
    ]
    notes = [describe_ahead(ahead, today())] if ahead else []
    if len(chosen) < there:
        notes.append(f"Of {there} days {len(chosen)} were read, evenly spread.")
    if len(same) < len(chosen):
        notes.append(
            f"{len(chosen) - len(same)} of these {len(chosen)} days asked another suite and were left out."
        )
    tally = ItemTally(clustered=True)
    stretches: _Stretches = {}
    with pause_collector():
        unread = sum(not _count(tally, results, day, lenient, stretches) for day in same)
    if not tally.counts:
        raise UsageError(f"{_span(same)} under {results / DAILY}: no graded answer to measure.")
    _fill_rungs(tally)
    if unread:
        notes.append(f"{unread} of {len(same)} days have scores and no {GRADES}; they were left out.")
    if newest.simulated:
        notes.append("SIMULATED: no model was asked; the grades come from a generator.")
    _add_tokens(tally, results, [day.date for day in reversed(same)], lenient)
    return measure_items(
        tally, "case", _span(same), f"{Path(newest.suite).name} {newest.suite_version}", notes
    )


def _span(days: Sequence[Day]) -> str:
    return days[0].date if len(days) == 1 else f"{len(days)} days, {days[0].date} to {days[-1].date}"


def _count(tally: ItemTally, results: Path, day: Day, lenient: bool, stretches: _Stretches) -> int:
    """Count the graded samples of a day. Those that could not be asked, checked or judged are left out."""
    judged = {line.use_case for line in day.scores if line.grading != "deterministic"}
    files = RunFolder(results / DAILY / day.date, lenient=lenient, folder=results)
    repeatable = not day.record.sampling.temperature  # above 0 every day has its own seeds
    texts = _read_texts(files) if repeatable else {}
    rungs: dict[tuple[str, str], dict[int, ItemKey]] = {}  # keys made once: this loop is what a year costs
    counted = 0
    for line in files.grades_as(_Graded).values():
        detail = line.breakdown
        if (
            not detail.use_case
            or line.error_type in _ERRORED
            or (detail.use_case in judged and detail.judged is None)
        ):
            continue
        keys = rungs.get((detail.use_case, line.case))
        if keys is None:
            keys = rungs[detail.use_case, line.case] = {0: ItemKey(detail.use_case, line.case)}
        tally.add(keys[0], line.model, min(1.0, max(0.0, line.score)), cluster=day.date)
        credits = _rung_credits(detail.parts)
        if repeatable:
            answer = texts.get(line.key, (line.score, credits))
            before, length = stretches.get(line.key, (None, 0))
            length = length + 1 if answer == before else 1
            stretches[line.key] = answer, length
            tally.add_to_stretch(keys[0], line.model, length)
        for rung, credit in credits.items():
            key = keys.get(rung)
            if key is None:
                key = keys[rung] = keys[0]._replace(rung=rung)
            tally.add(key, line.model, credit, cluster=day.date)
        counted += 1
    return counted


def _read_texts(files: RunFolder) -> dict[SampleKey, int]:
    """Sample → its text, as a hash: a day of texts is megabytes."""
    return {line.key: hash(line.response) for line in files.answers_as(_Worded) if line.response is not None}


def _fill_rungs(tally: ItemTally) -> None:
    """An answer to a ladder that says nothing about a rung gets no credit for it."""
    for key in [key for key in tally.counts if key.rung]:
        for model, days in tally.counts[key._replace(rung=0)].items():
            for day, (_, answers) in days.items():
                _, there = tally.counts[key].get(model, {}).get(day, (0.0, 0))
                if there < answers:
                    tally.add(key, model, 0.0, answers - there, day)


def _rung_credits(parts: Iterable[_GradePart]) -> dict[int, float]:
    """Rung → the weighted mean of its parts."""
    sums: dict[int, tuple[float, float]] = {}
    for part in parts:
        rung, weight, score = part.rung, part.weight, part.score
        if rung > 0 and weight > 0:
            credit = 0.0 if score < 0 else weight if score > 1 else weight * score
            earned = sums.get(rung)
            sums[rung] = (credit, weight) if earned is None else (earned[0] + credit, earned[1] + weight)
    return {rung: earned / weight for rung, (earned, weight) in sums.items()}


def _add_tokens(tally: ItemTally, results: Path, dates: Iterable[str], lenient: bool) -> None:
    """Read days from the newest backwards, until every model has been seen."""
    missing = tally.models
    for date in dates:
        if not missing:
            return
        seen = set()
        for line in RunFolder(results / DAILY / date, lenient=lenient, folder=results).answers_as(_Counted):
            tokens = line.tokens_in + line.tokens_out
            if line.model in missing and not line.error and 0 < tokens <= _MOST_TOKENS:
                tally.add_tokens(line.case, line.model, tokens)
                seen.add(line.model)
        missing -= seen
