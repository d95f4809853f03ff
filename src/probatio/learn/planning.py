"""Planning a comparison: from a pilot run or from stated rates to its power, and power in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from probatio.core.errors import UsageError
from probatio.core.records import Task
from probatio.learn.compare import PairedSides, list_sides, pair_sides
from probatio.learn.statistics.family import ALPHA, MOST_SIDES
from probatio.learn.statistics.likeness import USUAL, Likeness, Pilot, make_sound, measure_pilot
from probatio.learn.statistics.power import (
    CHANCE,
    FEWEST_TASKS,
    Design,
    Power,
    count_tasks_needed,
    find_smallest_seen,
    measure_power,
)
from probatio.runs.plan import Plan as RunPlan
from probatio.suites.task_types import KINDS

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
    pilot: Sequence[str] = (),
    *,
    delta: float,
    results: Path = Path("results"),
    between: str = "model",
    tasks: int | None = None,
    samples: int | None = None,
    conditions: int | None = None,
    rate: float | None = None,
    chance: float = 100 * CHANCE,
    sides: int | None = None,
    to_first: bool = False,
) -> PowerPlan:
    """Points, rates and chances are in percent. `pilot`: a run, or two sides as for `compare`. `sides`: how
    many will be compared; by default two, or as many as the pilot has."""
    if between not in USUAL:
        raise UsageError(f"There is no `{between}` to compare here; there are {', '.join(USUAL)}.")
    if not pilot:
        if tasks is None:
            raise UsageError("How many tasks? Give --tasks N, or name a pilot run.")
        likeness, of_a = USUAL[between], RATE if rate is None else rate / 100
        source = (
            f"A passes {100 * of_a:g} %{' (assumed)' if rate is None else ''}, answers to one task are as "
            "alike as usual"
        )
    else:
        there = list_sides(pilot[0], between, results) if len(pilot) == 1 else pilot
        paired = pair_sides(there, results)
        sides = sides or len(there)
        between = next((axis for axis in USUAL if axis in paired[0].differ_in), between)
        pilots = [measure_pilot(one.tasks) for one in paired]
        likeness = _likeness(paired, pilots, USUAL[between])
        of_a = _mean(pilots, lambda pilot: pilot.rate_a) if rate is None else rate / 100  # type: ignore[assignment]
        tasks = tasks or max(one.tasks for one in pilots)
        stated = "" if rate is None else " (stated)"
        source = (
            f"pilot {', '.join(pilot)}, {sum(one.pairs for one in pilots)} pairs; A passes "
            f"{100 * of_a:.0f} %{stated}"
        )
        samples = samples or paired[0].samples
        conditions = conditions or _count_conditions(paired[0], pilots[0])
    design = Design(of_a, delta / 100, likeness, conditions or 1, samples or 1, sides or 2, to_first)
    found = measure_power(design, tasks, chance / 100)
    return PowerPlan(
        msgspec.structs.replace(found, seen=find_smallest_seen(design, tasks, found.wanted)), between, source
    )


def count_tasks_to_see(pairing: PairedSides, points: float) -> int | None:
    """How many tasks like those of this pairing show a loss of so many points with the usual chance; None
    where no number is enough."""
    pilot = measure_pilot(pairing.tasks)
    between = next((axis for axis in USUAL if axis in pairing.differ_in), "model")
    edge = 0.5 / pilot.pairs  # a rate of 100 % leaves nothing to chance
    rate = min(1 - edge, max(edge, pilot.rate_a))
    design = Design(
        rate,
        -min(points / 100, rate - edge / 2),
        _likeness([pairing], [pilot], USUAL[between]),
        _count_conditions(pairing, pilot),
        pairing.samples,
    )
    return count_tasks_needed(design)


def _count_conditions(pairing: PairedSides, pilot: Pilot) -> int:
    return max(1, round(pilot.pairs / pilot.tasks / pairing.samples))


def plan_run_power(plan: RunPlan, known: Mapping[str, Task] = MappingProxyType({})) -> PowerPlan | str:
    """The power of the comparisons that a planned run allows: of every two of its models, else contexts, else
    dialects; else of its model and another one with the same plan. A sentence if it allows none. `known`: the
    tasks of the suite; controls are not compared, and variants count once."""
    between = next((axis for axis, levels in _axes(plan) if len(levels) > 1), "model")
    levels = dict(_axes(plan))[between]
    clusters = {
        name: "" if KINDS[task.type].control else task.origin or name for name, task in known.items()
    }  # a control has none
    named = (clusters.get(key.task_id, key.task_id) for key in plan if getattr(key, between) == levels[0])
    asked = list(filter(None, named))
    tasks = len(set(asked))
    if tasks < FEWEST_TASKS:
        return (
            f"Power: {tasks} task{'s' * (tasks != 1)} can't show a difference; a comparison needs at least "
            f"{FEWEST_TASKS}."
        )
    conditions = max(1, round(len(asked) / tasks / plan.samples))
    sides = min(MOST_SIDES, max(2, len(levels)))
    design = Design(RATE, POINTS / 100, USUAL[between], conditions, plan.samples, sides)
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
    which = f"between two {plan.between}s"
    corrected = ""
    if design.comparisons > 1:
        which = f"between one of {design.sides} {plan.between}s and another"
        corrected = f", {design.comparisons} comparisons corrected together"
    return (
        f"Power: {what} of {abs(100 * design.delta):g} points {which} is seen with a chance of "
        f"{_percent(found.chance)} ({found.tasks:,} tasks, {pairs} pair{'s' * (pairs > 1)} each{corrected}); "
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
    seen = "the 95 % interval of `probatio study compare` keeps clear of zero"
    if design.comparisons > 1:
        compared = "each is compared with the first" if design.to_first else "every two are compared"
        yield f"One of the {design.sides} {plan.between}s differs, the others are alike; {compared}."
        seen = (
            f"the p of `probatio study compare`, corrected for {design.comparisons} (Holm), is below {ALPHA}"
        )
    yield f"Seen means: {seen}, on the right side."


def _percent(share: float) -> str:
    return "over 99 %" if share > 0.995 else f"{100 * share:.0f} %"
