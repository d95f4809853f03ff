"""Synthetic days as the evidence reads them, without the rule: for the tables that compare the editions on the same days."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from probatio.simulate.faults import POINTS_PER_MARK, Fault
from probatio.simulate.noise import Population, Quality
from probatio.simulate.synthetic import Plan, judge_days, sample_counts
from probatio.verdict.evidence import EvidenceDay
from probatio.verdict.streams import Bools, Floats


@dataclass(frozen=True, slots=True)
class WatchedDay:
    base: EvidenceDay  # base samples, judged scores as marked: what the first edition reads
    read: EvidenceDay  # all samples where asked at full count, judged scores less the judge's shift


def watched_days(
    plan: Plan,
    population: Population,
    days: int,
    asks: Callable[[], Bools],
    *,
    fault: Fault | None = None,
    fault_day: int = 0,
) -> Iterator[WatchedDay]:
    """Day after day; `asks` is called before each and says of which models it is asked at full count."""
    for day, (shift, beyond_gate, judge) in enumerate(judge_days(plan, population, days, fault, fault_day)):
        full = asks()
        quality = population.day(fault, day - fault_day)
        cases, judged = _base(plan, population, quality)
        all_cases, all_judged = _more(plan, population, quality, cases, judged, full)
        gone = np.zeros(len(full), dtype=bool) if quality.absent is None else quality.absent
        if not quality.answering:
            gone = np.ones(len(full), dtype=bool)
        if gone.any():
            cases, judged, all_cases, all_judged = (
                np.where(gone[:, None], np.nan, part) for part in (cases, judged, all_cases, all_judged)
            )
        if beyond_gate or judge.drifted:
            judged, all_judged = np.full_like(judged, np.nan), np.full_like(judged, np.nan)
        anchored = all_judged - POINTS_PER_MARK * shift
        yield WatchedDay(EvidenceDay(day, cases, judged), EvidenceDay(day, all_cases, anchored, full=full))


def _base(plan: Plan, population: Population, quality: Quality) -> tuple[Floats, Floats]:
    return (
        population.case_samples(quality, sample_counts(plan, plan.streams.deterministic)[0]),
        population.judged_samples(quality, sample_counts(plan, plan.streams.judged)[0]),
    )


def _more(
    plan: Plan, population: Population, quality: Quality, cases: Floats, judged: Floats, full: Bools
) -> tuple[Floats, Floats]:
    """The means of all samples where more were asked for."""
    if not full.any():
        return cases, judged
    base, most = sample_counts(plan, plan.streams.deterministic)
    rest = population.case_samples(quality, most - base, np.broadcast_to(full[:, None], cases.shape))
    base_judged, most_judged = sample_counts(plan, plan.streams.judged)
    others = population.judged_samples(quality, most_judged - base_judged)
    return (
        np.where(full[:, None], (base * cases + (most - base) * rest) / most, cases),
        np.where(full[:, None], (base_judged * judged + (most_judged - base_judged) * others) / most_judged, judged),
    )
