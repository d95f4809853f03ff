"""Planning a comparison: from a pilot run or from stated rates to its power, and power in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.statistics.likeness import USUAL, Likeness, Pilot, make_sound, measure_pilot
from probatio.core.statistics.power import (
    CHANCE,
    FEWEST_TASKS,
    Design,
    Power,
    find_smallest_seen,
    measure_power,
)
from probatio.learn.compare import PairedSides, list_sides, pair_sides
from probatio.runs.plan import Plan as RunPlan

POINTS = 5.0
"""The difference that a dry run tells about."""
RATE = 0.5
"""The pass rate of A if none is stated: there differences are hardest to see."""


class PowerPlan(msgspec.Struct, frozen=True):
    """The power of a planned comparison, and where its numbers come from."""

    power: Power
    between: str
    source: str


def plan_power(
    sides: Sequence[str] = (),
    *,
    delta: float,
    results: Path = Path("results"),
    between: str = "model",
    tasks: int | None = None,
    samples: int | None = None,
    conditions: int | None = None,
    rate: float | None = None,
    chance: float = 100 * CHANCE,
) -> PowerPlan:
    """Points, rates and chances are in percent. `sides` are a pilot: a run, or two sides as for `compare`."""
    if between not in USUAL:
        raise UsageError(f"There is no `{between}` to compare here; there are {', '.join(USUAL)}.")
    if not sides:
        if tasks is None:
            raise UsageError("How many tasks? Give --tasks N, or name a pilot run.")
        likeness, of_a = USUAL[between], RATE if rate is None else rate / 100
        source = (
            f"A passes {100 * of_a:g} %{' (assumed)' if rate is None else ''}, answers to one task are as "
            "alike as usual"
        )
    else:
        paired = pair_sides(list_sides(sides[0], between, results) if len(sides) == 1 else sides, results)
        between = next((axis for axis in USUAL if axis in paired[0].differ_in), between)
        pilots = [measure_pilot(one.tasks) for one in paired]
        likeness = _likeness(paired, pilots, USUAL[between])
        of_a = _mean(pilots, lambda pilot: pilot.rate_a) if rate is None else rate / 100  # type: ignore[assignment]
        tasks = tasks or max(pilot.tasks for pilot in pilots)
        stated = "" if rate is None else " (stated)"
        source = (
            f"pilot {', '.join(sides)}, {sum(pilot.pairs for pilot in pilots)} pairs; A passes "
            f"{100 * of_a:.0f} %{stated}"
        )
        samples = samples or paired[0].samples
        conditions = conditions or max(1, round(pilots[0].pairs / pilots[0].tasks / paired[0].samples))
    design = Design(of_a, delta / 100, likeness, conditions or 1, samples or 1)
    found = measure_power(design, tasks, chance / 100)
    return PowerPlan(
        msgspec.structs.replace(found, seen=find_smallest_seen(design, tasks, found.wanted)), between, source
    )


def plan_run_power(plan: RunPlan) -> PowerPlan | str:
    """The power of the comparison that a planned run allows: of two of its models, else contexts, else
    dialects; else of its model and another one with the same plan. A sentence if it allows none."""
    between = next((axis for axis, levels in _axes(plan) if len(levels) > 1), "model")
    side = dict(_axes(plan))[between][0]
    asked = [key.task_id for key in plan if getattr(key, between) == side]
    tasks = len(set(asked))
    if tasks < FEWEST_TASKS:
        return (
            f"Power: {tasks} task{'s' * (tasks != 1)} can't show a difference; a comparison needs at least "
            f"{FEWEST_TASKS}."
        )
    conditions = max(1, round(len(asked) / tasks / plan.samples))
    design = Design(RATE, POINTS / 100, USUAL[between], conditions, plan.samples)
    return PowerPlan(measure_power(design, tasks), between, "a planned run")


def _axes(plan: RunPlan) -> list[tuple[str, tuple[str, ...]]]:
    return [("model", plan.models), ("context", plan.contexts), ("dialect", plan.dialects)]


def _likeness(paired: Sequence[PairedSides], pilots: Sequence[Pilot], usual: Likeness) -> Likeness:
    """From the pilot if it shows it, else as usual: one answer per task and side says nothing about further
    ones."""
    partners = _mean(pilots, lambda pilot: pilot.paired)
    across, within = _mean(pilots, lambda pilot: pilot.across), _mean(pilots, lambda pilot: pilot.within)
    alike = usual.paired if partners is None else partners
    if across is None or within is None:
        return make_sound(alike, min(usual.across, alike), usual.within, usual.repeated)
    samples, per_task = paired[0].samples, pilots[0].pairs / pilots[0].tasks
    if samples > 1 and per_task <= samples:  # further samples of one condition, no further conditions
        return make_sound((alike + across) / 2, min(usual.across, across), min(usual.within, within), within)
    return make_sound(alike, across, within, max(usual.repeated, within))


def _mean(pilots: Sequence[Pilot], measure: Callable[[Pilot], float | None]) -> float | None:
    """The mean over the pilots that know the value, weighed by pairs."""
    known = [(value, pilot.pairs) for pilot in pilots if (value := measure(pilot)) is not None]
    return sum(value * pairs for value, pairs in known) / sum(pairs for _, pairs in known) if known else None


def describe_power(plan: PowerPlan) -> str:
    """The one line that `study plan` and `trial --dry-run` share."""
    found, design = plan.power, plan.power.design
    pairs = design.conditions * design.samples
    needed = "is out of reach" if found.tasks_needed is None else f"takes {found.tasks_needed:,} tasks"
    what = "a difference" if design.delta > 0 else "a loss"
    return (
        f"Power: {what} of {abs(100 * design.delta):g} points between two {plan.between}s is seen with a "
        f"chance of {_percent(found.chance)} ({found.tasks:,} tasks, {pairs} pair{'s' * (pairs > 1)} each); "
        f"a chance of {_percent(found.wanted)} {needed}."
    )


def list_power(plan: PowerPlan) -> Iterator[str]:
    found, design = plan.power, plan.power.design
    yield describe_power(plan)
    if found.seen is None:
        yield f"With {found.tasks:,} tasks no difference is seen with a chance of {_percent(found.wanted)}."
    else:
        yield (
            f"With {found.tasks:,} tasks {100 * found.seen:.1f} points are seen with a chance of "
            f"{_percent(found.wanted)}."
        )
    yield f"From: {plan.source}."
    like = design.likeness
    yield (
        f"Likeness of answers to one task: {like.paired:.2f} between partners, {like.across:.2f} across the "
        f"sides, {like.within:.2f} within a side, {like.repeated:.2f} between samples."
    )
    yield "Seen means: the 95 % interval of `probatio study compare` keeps clear of zero on the right side."


def _percent(share: float) -> str:
    return "over 99 %" if share > 0.995 else f"{100 * share:.0f} %"
