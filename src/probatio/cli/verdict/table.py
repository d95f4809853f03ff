"""Verdicts as text for a terminal of 100 columns. Colour only repeats what marks and words say."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from probatio.core.records import MARKS, Constants, Day, ModelVerdict, Status, Thresholds, UseCaseVerdict
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.reason import use_case_reason
from probatio.watch.verdict.reference_level import LevelBefore
from probatio.watch.verdict.words import VerdictText

WIDTH = 100

Paint = Callable[[str, Status], str]
"""A text in the colour of a status."""


def plain(text: str, status: Status) -> str:
    return text


def format_table(
    verdicts: Sequence[ModelVerdict],
    words: Mapping[str, VerdictText],
    levels: Mapping[str, LevelBefore],
    paint: Paint = plain,
) -> str:
    """One row per model with its lowest use case, and the verdict in words below it; the worst first.
    `levels`: model → what its scores are compared with."""
    order = list(MARKS)
    lines = [
        _row("status", "model", "flags", "lowest use case", "score", "before", "change", "rule z", "evidence")
    ]
    lines.append("─" * WIDTH)
    for verdict in sorted(verdicts, key=lambda each: (order.index(each.shown), not each.confirmed)):
        lowest = _lowest(verdict)
        colour: Status = "SUSPICIOUS" if verdict.look == "ROUTE" else verdict.shown
        badge = paint(f"{MARKS[verdict.shown]} {verdict.shown:<12}", colour)
        lines.append(
            badge
            + _row(
                "",
                verdict.model,
                _count_flags(verdict),
                *_cells(lowest, levels[verdict.model]),
                _evidence(verdict),
            )[14:]
        )
        if verdict.label != verdict.shown:
            lines.append(f"  {verdict.label}")
        lines += _wrap_words(words[verdict.model])
    lines.append("─" * WIDTH)
    counted = Counter(each.shown for each in verdicts)
    counts = []
    for status, number in ((status, counted[status]) for status in MARKS if counted[status]):
        proven = sum(each.confirmed for each in verdicts if each.shown == status)
        moved = sum(each.changed_route is not None for each in verdicts if each.shown == status)
        beside = [f"{proven} confirmed"] * bool(proven) + [f"{moved} with CHANGED ROUTE"] * bool(moved)
        counts.append(f"{number} {status}{' (' * bool(beside)}{', '.join(beside)}{')' * bool(beside)}")
    lines.append(f"{verdicts[0].date}, suite {verdicts[0].suite_version}: {', '.join(counts)}.")
    unknown = sum(
        each.smallest_drop is None and each.evidence != "CALIBRATING" and each.shown == "OK"
        for each in verdicts
    )
    if unknown:
        lines.append(
            f"The smallest drop it would detect is not computed yet for {unknown} of them: probatio verdict "
            f"--detectable"
        )
    return "\n".join(lines)


def explain_verdict(
    verdict: ModelVerdict, words: VerdictText, days: Days, constants: Constants, paint: Paint = plain
) -> str:
    """Every number that led to one verdict."""
    day = days[verdict.date]
    lines = [
        paint(f"{MARKS[verdict.shown]} {verdict.label}", verdict.shown)
        + f"  {verdict.model}  {verdict.date}  since {verdict.headline_since}  suite {verdict.suite_version}",
        *words.lines(),
        "",
        f"route {verdict.route or 'not known'}{', changed' if verdict.routing_changed else ''}; judge "
        f"{_judge(day)}{', judged use cases barred' if verdict.barred else ''}",
        f"evidence {_evidence_line(verdict, constants)}",
        f"cause {verdict.cause}: {verdict.cause_reason}" if verdict.cause else "cause none: nothing moved",
    ]
    for use_case in verdict.use_cases:
        lines += ["", *_use_case(use_case, verdict.model, day, days, constants, paint)]
    lines += [f"–  {use_case}  not asked: {why}" for use_case, why in verdict.not_asked.items()]
    return "\n".join(part for line in lines for part in _wrap(line))


def _wrap_words(words: VerdictText) -> list[str]:
    """The verdict in words. Its last line has the numbers, which are in the row."""
    lines = []
    for line in words.lines()[:-1]:
        indent = "  " + " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line.strip(), WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")
    return lines


def _use_case(
    verdict: UseCaseVerdict, model: str, day: Day, days: Days, constants: Constants, paint: Paint
) -> list[str]:
    line = day.lines[model][verdict.use_case]
    limits = constants.rule.thresholds(line.grading)
    badge = paint(f"{MARKS[verdict.status]} {verdict.status}", verdict.status)
    head = f"{badge}  {verdict.use_case} ({line.grading})"
    marks = ", recovered" * verdict.recovered + ", improved" * verdict.improved
    held = f", held: {verdict.held}" if verdict.held else ""
    lines = [f"{head}  since {verdict.since}{marks}{held}"]
    lines.append(f"  {use_case_reason(verdict, constants, line.gap)}")
    if verdict.score is not None:
        power = f"full count ({line.trigger})" if line.full_power else "base count"
        base = ""
        if verdict.base_score is not None:
            base = f"; base score {verdict.base_score:.2f} of {line.base_n} samples"
        lines.append(
            f"  score {verdict.score:.2f} of {verdict.n} samples at {power}{base}; {line.errored} errored"
        )
    if verdict.z is not None:
        lines.append(f"  tests: {_tests(verdict, limits)}")
    if verdict.evidence is not None:
        smallest = ""  # where something fell it rules out nothing
        if verdict.smallest_drop is not None:
            smallest = (
                f"; smallest lasting drop it would detect here alone: {100 * verdict.smallest_drop:.0f} %"
            )
        lines.append(
            f"  evidence in this use case {verdict.evidence:,.1f}, line "
            f"{constants.evidence.suspected:,.0f}{smallest}"
        )
    window = [each for each in days.days if 0 < day.ordinal - each.ordinal <= constants.rule.baseline_days]
    past = [(each.date[5:], each.lines.get(model, {}).get(verdict.use_case)) for each in window]
    scores = [
        f"{when} {'gap' if each.score is None else f'{each.score:.1f}'}"
        f"{'*' if each.barred or each.routing_changed else ''}"
        for when, each in past
        if each is not None and each.suite_version == line.suite_version
    ]
    if scores:
        lines.append("  days before: " + ", ".join(scores))
    return lines


def _tests(verdict: UseCaseVerdict, limits: Thresholds) -> str:
    """Each test with its limit, marked where it fired."""
    z = "–" if verdict.z is None else f"{verdict.z:.2f}".replace("-", "−")
    drop = "–" if verdict.drop is None else f"{100 * verdict.drop:.1f} %".replace("-", "−")
    rows = (
        ("suspicious z", z, f"≤ {limits.suspicious.z:g}"),
        ("suspicious drop", drop, f"≥ {100 * limits.suspicious.drop:g} %"),
        ("cooked z", z, f"≤ {limits.cooked.z:g}"),
        ("cooked drop", drop, f"≥ {100 * limits.cooked.drop:g} %"),
        ("collapse", drop, f"≥ {100 * limits.collapse:g} %"),
    )
    return ", ".join(
        f"{name} {value} {limit.replace('-', '−')} {'YES' if name in verdict.fired else 'no'}"
        for name, value, limit in rows
    )


def _row(*cells: str) -> str:
    status, model, flags, use_case, score, before, change, z, evidence = cells
    return (
        f"{status:<14}{_cut(model, 16):<17}{flags:<6}{_cut(use_case, 17):<18}{score:>5} {before:>7} "
        f"{change:>6} {z:>6} {evidence}"
    ).rstrip()


def _cells(verdict: UseCaseVerdict | None, level: LevelBefore) -> tuple[str, str, str, str, str]:
    if verdict is None:
        return "–", "–", "–", "–", "–"
    before, score = level.scores.get(verdict.use_case), verdict.score
    change = 100 * (score - before) / before if score is not None and before else None
    return (
        verdict.use_case,
        "–" if score is None else f"{score:.1f}",
        "–" if before is None else f"{before:.1f}",
        "–" if change is None else f"{change:+.0f}%".replace("-", "−"),
        "–" if verdict.z is None else f"{verdict.z:.1f}".replace("-", "−"),
    )


def _count_flags(verdict: ModelVerdict) -> str:
    """Flagged of scored use cases; R where the route changed, J where the judge had shifted."""
    flagged = sum(each.status in ("COOKED", "SUSPICIOUS") for each in verdict.use_cases)
    scored = sum(each.score is not None for each in verdict.use_cases)
    return f"{flagged}/{scored}{'R' * verdict.routing_changed}{'J' * verdict.barred}"


def _lowest(verdict: ModelVerdict) -> UseCaseVerdict | None:
    """The use case that is shown: the worst status, then the lowest z."""
    order = list(MARKS)
    scored = [each for each in verdict.use_cases if each.score is not None]
    return min(scored, key=lambda each: (order.index(each.status), each.z or 0.0), default=None)


def _evidence(verdict: ModelVerdict) -> str:
    if verdict.evidence_value is None:
        return f"{verdict.reference_days} day{'s' * (verdict.reference_days != 1)}"
    return f"{verdict.evidence} {_short(verdict.evidence_value)}"


def _evidence_line(verdict: ModelVerdict, constants: Constants) -> str:
    limits = constants.evidence
    value = "no value yet" if verdict.evidence_value is None else f"M {verdict.evidence_value:,.1f}"
    days, needed = verdict.reference_days, limits.reference_days  # a complete reference goes on growing
    reference = f"{days} of {needed} reference days" if days < needed else f"a reference of {days} days"
    named = f"; named: {', '.join(verdict.named)}" if verdict.named else ""
    changed = f"; changed about {verdict.changed_on}" if verdict.changed_on else ""
    smallest = (
        ""
        if verdict.smallest_drop is None
        else f"; a lasting drop of {100 * verdict.smallest_drop:.0f} % everywhere would be confirmed within "
        f"{limits.detectable_days} days with {100 * limits.detectable_probability:.0f} % probability"
    )
    return (
        f"{verdict.evidence}, {value} (suspected at {limits.suspected:,.0f}, confirmed at "
        f"{limits.confirmed:,.0f}), {reference}{named}{changed}{smallest}"
    )


def _judge(day: Day) -> str:
    calibration = day.record.calibration
    if calibration is None:
        return "not asked"
    return calibration.error or f"{calibration.judge}, shift {calibration.shift or 0:+.2f}"


def _short(value: float) -> str:
    for limit, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f}{unit}"
    return f"{value:.0f}"


def _wrap(line: str) -> list[str]:
    """A line that is too long as several, indented further than it was."""
    if len(line) <= WIDTH:
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
