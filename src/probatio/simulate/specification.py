"""The figures of the specification, and where the simulator's results hold ours to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from probatio.simulate.causes import Named
from probatio.simulate.compared import Delay, FalseConfirmed
from probatio.simulate.profiles import PROFILES
from probatio.simulate.promise import Promise
from probatio.simulate.simulator import AfterFault, Measured, QuietYears, RuleFacts

Ours = Iterator[tuple[str, float, float, float]]  # where, value, low and high end


class Characteristics(msgspec.Struct, frozen=True):
    """The saved file. `quiet` has one entry per noise profile, `faults` one per fault and profile, `facts` the rule's limits.

    Every share or mean is {value, low, high, models}: 95 % interval, over so many independent models. Shares are 0–1. Delays are
    days, the fault's first day being 1; null where fewer than half (`median`) or nine tenths (`late`) ever got there. Names are
    keys of `simulate.noise.PROFILES`, `JUDGED` and `FAULTS`, whose `title` says what they are.
    """

    suite_version: str
    seed: int
    models: int
    days: int
    quiet: tuple[QuietYears, ...]
    faults: tuple[AfterFault, ...]
    facts: RuleFacts | None = None
    constants: str = ""  # digest of the manifest's numbers they were taken with
    false_confirmed: tuple[FalseConfirmed, ...] = ()  # both editions of the evidence on the same healthy days
    delays: tuple[Delay, ...] = ()  # … and after falls
    promises: tuple[Promise, ...] = ()  # whether the minimum detectable effect keeps its promise
    causes: tuple[Named, ...] = ()  # how often a fall is put down to its true cause
    cpu_seconds: float | None = None  # of all parts together


class SpecifiedFigure(msgspec.Struct, frozen=True):
    """A figure of the specification, and how to find ours beside it."""

    claim: str
    text: str  # as the specification has it
    low: float
    high: float
    ours: Callable[[Characteristics], Ours]  # where, value, low, high
    unit: str = "%"
    why: str = ""  # why ours may lie outside


def _of_quiet(profiles: Sequence[str], what: str) -> Callable[[Characteristics], Ours]:
    def ours(characteristics: Characteristics) -> Ours:
        for each in characteristics.quiet:
            if each.profile in profiles and each.noise == "gaussian":
                part: Measured = getattr(each, what)
                yield each.profile if len(profiles) > 1 else "", part.value, part.low, part.high

    return ours


def _of_fault(fault: str, what: str, profiles: Sequence[str] = tuple(PROFILES)) -> Callable[[Characteristics], Ours]:
    def ours(characteristics: Characteristics) -> Ours:
        for each in characteristics.faults:
            if each.fault != fault or each.profile not in profiles:
                continue
            if what == "median":
                day = each.confirmed.median
                yield each.profile, *((float("inf"),) * 3 if day is None else (day,) * 3)
            else:
                part = each.confirmed.share if what == "confirmed" else getattr(each, what)
                if part is not None:
                    yield each.profile, part.value, part.low, part.high

    return ours


def _of_facts(what: str) -> Callable[[Characteristics], Ours]:
    def ours(characteristics: Characteristics) -> Ours:
        part = getattr(characteristics.facts, what)
        yield ("", part, part, part) if isinstance(part, float) else ("", part.value, part.low, part.high)

    return ours


SPECIFIED: tuple[SpecifiedFigure, ...] = (
    SpecifiedFigure(
        "falsely SUSPICIOUS use-case-days, independent 90 % cases",
        "16 %",
        0.155,
        0.165,
        _of_quiet(["binomial-0.9"], "suspicious"),
        why="the share depends on which days run at full count, and the specification does not say how its figure sampled. In "
        "trials of 300 models it went from 12.6 % (base samples first, always) over 14.9 % (full count, always) to 15.5 % (the "
        "triggering sample pooled in). The COOKED rate, which moves far more with that choice, agrees with the policy here.",
    ),
    SpecifiedFigure(
        "model-years with a false COOKED, independent 90 % cases",
        "66 %",
        0.65,
        0.67,
        _of_quiet(["binomial-0.9"], "cooked"),
    ),
    SpecifiedFigure("the same two with partial credit", "0 %", 0.0, 0.0005, _of_quiet(["partial"], "suspicious")),
    SpecifiedFigure("z of a smooth decline tends to", "−1.79", -1.795, -1.785, _of_facts("decline_z"), unit="z"),
    SpecifiedFigure(
        "20 % lost everywhere: COOKED by day 2", "over 90 %", 0.9, 1.0, _of_fault("drop-20-all", "cooked_by_day_2")
    ),
    SpecifiedFigure(
        "20 % lost everywhere: forgotten by day 10",
        "over 70 %",
        0.7,
        1.0,
        _of_fault("drop-20-all", "forgotten_by_day_10"),
        why="with independent 80 % cases the healthy noise itself keeps a model COOKED, so fewer forget.",
    ),
    SpecifiedFigure(
        "false SUSPICIOUS, a fresh re-run alone counts (1 % flips)",
        "0.7 %",
        0.0065,
        0.0075,
        _of_facts("fresh"),
        why="as with the next: the specification does not say which noise its figure was taken on.",
    ),
    SpecifiedFigure(
        "false SUSPICIOUS, the triggering sample pooled in (1 % flips)",
        "4.5 %",
        0.0445,
        0.0455,
        _of_facts("pooled"),
        why="the specification does not say which noise its figure was taken on; 1 % flips come this near.",
    ),
    SpecifiedFigure(
        "COOKED episodes a year, flagged days in the baseline", "1", 0.5, 1.5, _of_facts("flagged_in"), unit=""
    ),
    SpecifiedFigure(
        "COOKED episodes a year, flagged days left out",
        "about 65",
        60,
        70,
        _of_facts("flagged_out"),
        unit="",
        why="how often depends on what is done when fewer than five unflagged days are left, which the specification leaves "
        "open; here the use case is then CALIBRATING. The harm is of the same order: some forty times as many.",
    ),
)
