"""A comparison in words: the effect first, then its interval, then p. Command line, site and exports use the
same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from probatio.learn.compare import Comparison, TaskFlip
from probatio.learn.findings import Reach
from probatio.learn.report.wording import format_p
from probatio.learn.selection import AXES, DAY_AXES, parse_selection
from probatio.learn.statistics.family import ALPHA
from probatio.learn.versions import Part, Versions

SHOWN_CATEGORIES = 5
SHOWN_FLIPS = 20
"""Tasks listed; --json lists all."""


def describe_comparison(one: Comparison, a: str | None = None, b: str | None = None) -> str:
    """`b passes 40.2 points less than a (95 % interval: 31.0 to 48.1 less; p < 0.001).`"""
    return f"{describe_difference(one, a, b)}{'.' if one.shown else ': no difference is shown.'}"


def describe_difference(one: Comparison, a: str | None = None, b: str | None = None) -> str:
    """The effect, its interval and p, without a full stop."""
    a, b = a or one.a, b or one.b
    points = f"{abs(one.difference):.1f} points {'less' if one.difference < 0 else 'more'} than"
    moved = f"{b} passes {points if round(one.difference, 1) else 'as often as'} {a}"
    tests = f"p {format_p(one.p)}" if one.p_holm is None else f"p {format_p(one.p_holm)}, corrected"
    days = describe_days(one)
    over = f" {days}" if one.days_a == one.days_b and days else f", {days}" if days else ""
    over += f", {one.across}" if one.across else ""
    return f"{moved}{over} (95 % interval: {describe_interval(one.low, one.high)}; {tests})"


def shorten_names(sides: Sequence[str]) -> dict[str, str]:
    """Short names of sides by what they differ in: `gpt-4o` for `monday:model=gpt-4o` if all are models of
    monday."""
    parsed = {side: parse_selection(side) for side in sides}
    paths = {side.path for side in parsed.values()}
    axes = {
        axis: {tuple(side.filters.get(axis, ())) for side in parsed.values()}
        for axis in dict.fromkeys((*AXES, *DAY_AXES))
    }
    differ = [axis for axis, values in axes.items() if len(values) > 1]
    names = {}
    for text, side in parsed.items():
        parts = [value for axis in differ for value in side.filters.get(axis, ())]
        names[text] = ", ".join([*([Path(side.path).name] if len(paths) > 1 else []), *parts]) or text
    return names if len(set(names.values())) == len(names) else {side: side for side in sides}


def describe_interval(low: float, high: float) -> str:
    """`31.0 to 48.1 less`, `3.0 less to 7.2 more`."""
    if high <= 0:
        return f"{-high:.1f} to {-low:.1f} less"
    if low >= 0:
        return f"{low:.1f} to {high:.1f} more"
    return f"{-low:.1f} less to {high:.1f} more"


def list_comparison(one: Comparison) -> Iterator[str]:
    """The lines for a comparison of two sides."""
    yield describe_comparison(one)
    for name, side, rate in (("A", one.a, one.rate_a), ("B", one.b, one.rate_b)):
        yield f"{name}  {side}: {rate.passed}/{rate.asked} ({100 * (rate.share or 0):.1f} %)"
    yield (
        f"{one.pairs} pairs, clustered by {one.tasks} tasks. Only B passes {one.gained}, only A passes "
        f"{one.lost}."
    )
    yield "p and the interval are of one test over tasks: answers to one task resemble each other."
    if left_out := list_left_out(one):
        yield f"Left out: {', '.join(left_out)}."
    if one.searched:
        yield (
            f"{' and '.join(one.searched)} chose the questions that tell most about the tokens, so the pairs "
            "are few and no sample: compare runs of `probatio trial` that take them over with --reuse."
        )
    yield from _list_versions(one) if one.versions else ()
    for flip in one.flips[:SHOWN_FLIPS]:
        passed = f"{flip.passed_a}/{flip.pairs} → {flip.passed_b}/{flip.pairs}"
        yield f"  {name_flip(flip):6}  {flip.task_id}: {passed}"
    if len(one.flips) > SHOWN_FLIPS:
        yield f"  … and {len(one.flips) - SHOWN_FLIPS} more tasks (--json has them all)"
    if one.versions:
        yield conclude(one, one.versions)


def conclude(one: Comparison, versions: Versions) -> str:
    """`v2 is learned 8.3 points better than v1 (0.5 to 15.8); m takes more than 106, at most 292 tokens for
    80 % in v2, more than 292, at most 592 in v1; most is gained in order of operators.`"""
    less = one.difference < 0
    parts = [
        f"{one.b} is learned {abs(one.difference):.1f} points {'worse' if less else 'better'} than {one.a} "
        f"({describe_interval(one.low, one.high)})"
        if one.shown
        else f"It is not shown that {one.b} is learned better or worse than {one.a} "
        f"({describe_interval(one.low, one.high)})"
    ]
    parts += [
        f"{each.model} {_describe_side(each.b)} in {one.b}, {_describe_side(each.a)} in {one.a}"
        for each in versions.reached
    ]
    by = versions.rules or versions.categories
    moved = [part for part in by if part.shown and (part.difference < 0) == less]
    if one.shown and moved:
        parts.append(f"most is {'lost' if less else 'gained'} in {moved[0].name}")
    return f"{'; '.join(parts)}."


def _describe_side(reach: Reach | None) -> str:
    if reach is None:
        return "has no curve"
    mark = f"{100 * reach.share:.0f} %"
    if reach.fitted is None:
        return f"does not learn {mark} with up to {reach.most:,} tokens (best {100 * reach.best:.0f} %)"
    return f"takes {reach.tokens} tokens for {mark} ({reach.fitted.context}, {reach.fitted.n_shot}-shot)"


def _list_versions(one: Comparison) -> Iterator[str]:
    found = one.versions
    assert found is not None
    if found.changed:
        yield f"What differs: {found.changed}."
    for part, words in ((found.touched, "tasks that were changed"), (found.untouched, "tasks that were not")):
        if part and (found.touched or found.untouched) and found.changed:
            yield f"On the {part.tasks} {words}: {_describe_part(part)}."
    for name, parts in (("category", found.categories), ("rule", found.rules)):
        if parts:
            shown = [f"{part.name} {_describe_part(part)}" for part in parts[:SHOWN_CATEGORIES]]
            yield f"By {name}: {'; '.join(shown)}."


def _describe_part(part: Part) -> str:
    return f"{part.difference:+.1f} points ({describe_interval(part.low, part.high)})"


def list_left_out(one: Comparison) -> list[str]:
    """What is not compared, counted."""
    counts = (
        (one.unpaired_a, "of A without a partner"),
        (one.unpaired_b, "of B without a partner"),
        (one.unasked, "pairs not asked on one side"),
        (one.controls, "control trials, which ask nothing about the language"),
    )
    return [f"{count} {what}" for count, what in counts if count]


def name_flip(flip: TaskFlip) -> str:
    return "worse" if flip.lost > flip.gained else "better" if flip.gained > flip.lost else "mixed"


def describe_days(one: Comparison) -> str:
    """Over which days; empty for runs. `on 14 days, 2026-10-01 to 2026-10-14`"""
    if not one.days_a:
        return ""
    if one.days_a == one.days_b:
        return f"on {_describe_dates(one.days_a)}"
    return f"A on {_describe_dates(one.days_a)}; B on {_describe_dates(one.days_b)}"


def _describe_dates(days: Sequence[str]) -> str:
    return days[0] if len(days) == 1 else f"{len(days)} days, {days[0]} to {days[-1]}"


def list_comparisons(compared: Sequence[Comparison]) -> Iterator[str]:
    """The lines for several comparisons: the largest difference first, and how they were corrected."""
    for one in sorted(compared, key=lambda one: (not one.shown, -abs(one.difference))):
        yield describe_comparison(one)
    yield describe_correction(compared)
    left_out = sum(one.unpaired_a + one.unpaired_b + one.unasked for one in compared)
    controls = max(one.controls for one in compared)
    if controls:
        yield f"Left out: up to {controls} control trials of two sides, which ask nothing about the language."
    if left_out:
        yield f"Left out: {left_out} trials without an answered partner; compare two sides to see which."


def describe_correction(compared: Sequence[Comparison]) -> str:
    shown = sum(one.shown for one in compared)
    return (
        f"{len(compared)} comparisons; their p are corrected together (Holm), so that the chance of even "
        f"one false difference is at most {100 * ALPHA:.0f} %. {shown} of them "
        f"{'shows' if shown == 1 else 'show'} a difference. "
        "Each interval is for its own comparison, not corrected."
    )
