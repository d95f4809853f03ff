"""Verdicts as text for a terminal of 100 columns. Marks and words carry the meaning; colour only repeats it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from probatio.records import ModelVerdict, Status, Thresholds, UseCaseVerdict
from probatio.verdict.days import Day, Days
from probatio.verdict.fold import Constants
from probatio.verdict.reason import use_case_reason

WIDTH = 100
MARKS: dict[Status, str] = {"COOKED": "✖", "SUSPICIOUS": "▲", "OK": "●", "CALIBRATING": "◌", "GAP": "–"}
"""In the order of the table, worst first."""

Paint = Callable[[str, Status], str]
"""A text in the colour of a status."""


def plain(text: str, status: Status) -> str:
    return text


def table(found: Sequence[ModelVerdict], paint: Paint = plain) -> str:
    """One row per model with its lowest use case, and the reason below it; the worst first."""
    order = list(MARKS)
    lines = [_row("status", "model", "flags", "lowest use case", "score", "baseline", "z", "drop", "evidence")]
    lines.append("─" * WIDTH)
    for verdict in sorted(found, key=lambda each: order.index(each.status)):
        lowest = _lowest(verdict)
        badge = paint(f"{MARKS[verdict.status]} {verdict.status:<11}", verdict.status)
        lines.append(badge + _row("", verdict.model, *_counted(verdict), *_cells(lowest), _evidence(verdict))[13:])
        lines += textwrap.wrap(verdict.reason + _seen(verdict), WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines.append("─" * WIDTH)
    counts = [f"{n} {status}" for status in MARKS if (n := sum(each.status == status for each in found))]
    lines.append(f"{found[0].date}, suite {found[0].suite_version}: {', '.join(counts)}.")
    blind = sum(each.smallest_drop is None and each.evidence != "CALIBRATING" for each in found)
    if blind:
        lines.append(
            f"What an OK could have seen is not computed yet for {blind} of them: probatio verdict --detectable"
        )
    return "\n".join(lines)


def explained(verdict: ModelVerdict, days: Days, constants: Constants, paint: Paint = plain) -> str:
    """Every number that led to one verdict."""
    day = days[verdict.date]
    lines = [
        paint(f"{MARKS[verdict.status]} {verdict.status}", verdict.status)
        + f"  {verdict.model}  {verdict.date}  since {verdict.since}  suite {verdict.suite_version}",
        verdict.reason,
        "",
        f"route {verdict.route or 'not told'}{', changed' if verdict.routing_changed else ''}; judge "
        f"{_judge(day)}{', judged use cases barred' if verdict.barred else ''}",
        f"evidence {_evidence_line(verdict, constants)}",
        f"cause {verdict.cause}: {verdict.cause_reason}" if verdict.cause else "cause none: nothing moved",
    ]
    for found in verdict.use_cases:
        lines += ["", *_use_case(found, verdict.model, day, days, constants, paint)]
    return "\n".join(part for line in lines for part in _broken(line))


def _use_case(found: UseCaseVerdict, model: str, day: Day, days: Days, constants: Constants, paint: Paint) -> list[str]:
    line = day.lines[model][found.use_case]
    limits = constants.rule.thresholds(line.grading)
    head = f"{paint(f'{MARKS[found.status]} {found.status}', found.status)}  {found.use_case} ({line.grading})"
    marks = [
        word
        for word, said in (
            ("recovered", found.recovered),
            ("improved", found.improved),
            (f"held: {found.held}", found.held),
        )
        if said
    ]
    lines = [f"{head}  since {found.since}{''.join(f', {mark}' for mark in marks)}"]
    lines.append(f"  {use_case_reason(found, constants, line.gap)}")
    if found.score is not None:
        power = f"full count ({line.trigger})" if line.full_power else "base count"
        base = "" if found.base_score is None else f"; base score {found.base_score:.2f} of {line.base_n} samples"
        lines.append(f"  score {found.score:.2f} of {found.n} samples at {power}{base}; {line.errored} errored")
    if found.z is not None:
        lines.append(f"  tests: {_tests(found, limits)}")
    if found.evidence is not None:
        smallest = "none" if found.smallest_drop is None else f"{100 * found.smallest_drop:.0f} %"
        lines.append(
            f"  evidence in this use case {found.evidence:,.1f}, line {constants.evidence.suspected:,.0f}; smallest lasting drop "
            f"it would see here alone: {smallest}"
        )
    window = [each for each in days.days if 0 < day.ordinal - each.ordinal <= constants.rule.baseline_days]
    past = [(each.date[5:], each.lines.get(model, {}).get(found.use_case)) for each in window]
    told = [
        f"{when} {'gap' if each.score is None else f'{each.score:.1f}'}{'*' if each.barred or each.routing_changed else ''}"
        for when, each in past
        if each is not None and each.suite_version == line.suite_version
    ]
    if told:
        lines.append("  days before: " + ", ".join(told))
    return lines


def _tests(found: UseCaseVerdict, limits: Thresholds) -> str:
    """Each test with its limit, marked where it fired."""
    z = "–" if found.z is None else f"{found.z:.2f}".replace("-", "−")
    drop = "–" if found.drop is None else f"{100 * found.drop:.1f} %".replace("-", "−")
    rows = (
        ("suspicious z", z, f"≤ {limits.suspicious.z:g}"),
        ("suspicious drop", drop, f"≥ {100 * limits.suspicious.drop:g} %"),
        ("cooked z", z, f"≤ {limits.cooked.z:g}"),
        ("cooked drop", drop, f"≥ {100 * limits.cooked.drop:g} %"),
        ("collapse", drop, f"≥ {100 * limits.collapse:g} %"),
    )
    return ", ".join(
        f"{name} {value} {limit.replace('-', '−')} {'YES' if name in found.fired else 'no'}"
        for name, value, limit in rows
    )


def _row(*cells: str) -> str:
    status, model, flags, use_case, score, baseline, z, drop, evidence = cells
    return (
        f"{status:<13}{_cut(model, 16):<17}{flags:<6}{_cut(use_case, 17):<18}{score:>5} {baseline:>10} {z:>5} {drop:>5}"
        f"  {evidence}"
    ).rstrip()


def _cells(found: UseCaseVerdict | None) -> tuple[str, str, str, str, str]:
    if found is None:
        return "–", "–", "–", "–", "–"
    return (
        found.use_case,
        "–" if found.score is None else f"{found.score:.1f}",
        "–" if found.mean is None or found.sd is None else f"{found.mean:.1f}±{found.sd:.1f}",
        "–" if found.z is None else f"{found.z:.1f}".replace("-", "−"),
        "–" if found.drop is None else f"{100 * found.drop:.0f}%".replace("-", "−"),
    )


def _counted(verdict: ModelVerdict) -> tuple[str]:
    """Flagged of scored use cases; R where the route changed, J where the judge had shifted."""
    flagged = sum(each.status in ("COOKED", "SUSPICIOUS") for each in verdict.use_cases)
    scored = sum(each.score is not None for each in verdict.use_cases)
    return (f"{flagged}/{scored}{'R' * verdict.routing_changed}{'J' * verdict.barred}",)


def _lowest(verdict: ModelVerdict) -> UseCaseVerdict | None:
    """The use case that says most: the worst status, then the lowest z."""
    order = list(MARKS)
    scored = [each for each in verdict.use_cases if each.score is not None]
    return min(scored, key=lambda each: (order.index(each.status), each.z or 0.0), default=None)


def _evidence(verdict: ModelVerdict) -> str:
    if verdict.evidence_value is None:
        return f"{verdict.reference_days} days"
    return f"{verdict.evidence} {_short(verdict.evidence_value)}"


def _seen(verdict: ModelVerdict) -> str:
    """What the verdict could have seen, in a clause."""
    if verdict.smallest_drop is None:
        return ""
    return f" It would have seen a lasting drop of {100 * verdict.smallest_drop:.0f} %."


def _evidence_line(verdict: ModelVerdict, constants: Constants) -> str:
    limits = constants.evidence
    value = "no value yet" if verdict.evidence_value is None else f"M {verdict.evidence_value:,.1f}"
    named = f"; named: {', '.join(verdict.named)}" if verdict.named else ""
    changed = f"; changed about {verdict.changed_on}" if verdict.changed_on else ""
    smallest = (
        ""
        if verdict.smallest_drop is None
        else f"; a lasting drop of {100 * verdict.smallest_drop:.0f} % everywhere would be confirmed within "
        f"{limits.detectable_days} days with {100 * limits.detectable_probability:.0f} % probability"
    )
    return (
        f"{verdict.evidence}, {value} (suspected at {limits.suspected:,.0f}, confirmed at {limits.confirmed:,.0f}), "
        f"{verdict.reference_days} of {limits.reference_days} reference days{named}{changed}{smallest}"
    )


def _judge(day: Day) -> str:
    standing = day.record.calibration
    if standing is None:
        return "not asked"
    return standing.error or f"{standing.judge}, shift {standing.shift or 0:+.2f}"


def _short(value: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f}{unit}"
    return f"{value:.0f}"


def _broken(line: str) -> list[str]:
    """A line that is too long as several, indented further than it was."""
    if len(line) <= WIDTH:
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
