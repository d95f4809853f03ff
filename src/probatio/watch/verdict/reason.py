"""The reason of a verdict: one sentence, made from the numbers in its record and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probatio.core.records import Constants, ModelVerdict, UseCaseVerdict
from probatio.watch.verdict.changed_route import describe_change

SHOWN = 2
"""Use cases named with their numbers; the others are counted."""


def reason(verdict: ModelVerdict, gaps: Mapping[str, str], constants: Constants) -> str:
    """Why the verdict is what it is. `gaps`: use case → why it has no score; "" → why the model was not
    asked."""
    clauses = [
        _explain_ungraded(verdict, gaps),
        _explain_status(verdict, gaps, constants),
        _evidence(verdict, constants),
    ]
    if verdict.routing_changed:
        clauses.append(f"the route changed{f' to {verdict.route}' if verdict.route else ''}")
    if any(each.held == "asked late" for each in verdict.use_cases):
        clauses.append("asked late, on another date than this one")
    if verdict.barred:
        clauses.append("the judge had shifted")
    if verdict.form:
        clauses.append(verdict.form)
    if verdict.not_asked:
        clauses.append(describe_not_asked(verdict.not_asked))
    if verdict.series_why and verdict.evidence == "CALIBRATING":
        clauses.append(f"a new series began on {verdict.series_since}: {verdict.series_why}")
    if verdict.changed_route:
        clauses.append(describe_change(verdict.changed_route))
    if verdict.cause is not None:
        clauses.append(f"put down to {verdict.cause}: {verdict.cause_reason}")
    return "; ".join(part for part in clauses if part) + "."


def use_case_reason(verdict: UseCaseVerdict, constants: Constants, gap: str | None = None) -> str:
    """The same for one use case."""
    if verdict.score is None:
        return f"no score: {(gap or 'nothing was scored').rstrip('.')}."
    parts = [f"{verdict.score:.1f}"]
    if verdict.mean is not None and verdict.sd is not None:
        parts.append(
            f"against {verdict.mean:.1f} ± {verdict.sd:.1f} of {verdict.days} days ({_distance(verdict)})"
        )
    if verdict.status == "CALIBRATING":
        parts.append(f"with {verdict.days} of at least {constants.rule.baseline_min} baseline days")
    if verdict.fired:
        parts.append(f"meets {', '.join(verdict.fired)}")
    if verdict.held:
        parts.append(f"but is held at {verdict.status} because of {_HELD[verdict.held]}")
    return " ".join(parts) + "."


def describe_not_asked(not_asked: Mapping[str, str], titles: Mapping[str, str] | None = None) -> str:
    """`not asked: no judge (Summarization and Game Design)`. `titles`: use case → its title."""
    by_reason: dict[str, list[str]] = {}
    for use_case, why in not_asked.items():
        by_reason.setdefault(why, []).append((titles or {}).get(use_case, use_case))
    return "; ".join(f"not asked: {why} ({', '.join(names)})" for why, names in by_reason.items())


def _explain_ungraded(verdict: ModelVerdict, gaps: Mapping[str, str]) -> str:
    if not verdict.ungraded:
        return ""
    first, *others = verdict.ungraded
    more = f" and {len(others)} more" if others else ""
    why = gaps.get(first, "they could not be graded").rstrip(".")
    gap = "GAP: " * (verdict.shown == "GAP")
    return f"{gap}answers came in {first}{more} and have no score ({why})"


def _explain_status(verdict: ModelVerdict, gaps: Mapping[str, str], constants: Constants) -> str:
    if verdict.status == "CALIBRATING":
        days = max((each.days for each in verdict.use_cases), default=0)
        return f"CALIBRATING: {days} of at least {constants.rule.baseline_min} baseline days"
    if verdict.status == "GAP":
        reasons = list(dict.fromkeys(why.rstrip(".") for why in gaps.values()))
        more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
        return f"GAP: no use case was scored{f': {reasons[0]}{more}' if reasons else ''}"
    if verdict.status == "OK":
        return _explain_ok(verdict)
    parts = []
    for status in ("COOKED", "SUSPICIOUS"):
        if group := [each for each in verdict.use_cases if each.status == status]:
            plural = "s" * (len(group) != 1)
            parts.append(f"{len(group)} use case{plural} {status.lower()} ({_list_use_cases(group)})")
    if not parts:
        return (
            f"{verdict.status} since {verdict.since}, kept because the use cases that were flagged have no "
            "score today"
        )
    return f"{verdict.status} since {verdict.since}: {', '.join(parts)}"


def _explain_ok(verdict: ModelVerdict) -> str:
    tested = [each for each in verdict.use_cases if each.status == "OK"]
    held = sum(each.held is not None for each in tested)
    scored = sum(each.score is not None for each in verdict.use_cases)
    lowest = min(
        (each for each in tested if each.z is not None), key=lambda each: each.z or 0.0, default=None
    )
    clause = (
        f"OK{', recovered' if verdict.recovered else ''}: {len(tested)} of {scored} scored use cases in "
        "their usual range"
    )
    if held:
        clause += f", {held} of them held"
    return clause if lowest is None else f"{clause}, lowest {_numbers(lowest)}"


_HELD = {
    "barred": "a shifted judge",
    "routing": "a changed route",
    "asked late": "being asked on another date",
}


def _evidence(verdict: ModelVerdict, constants: Constants) -> str:
    limits = constants.evidence
    if verdict.evidence == "CALIBRATING":
        return f"evidence calibrating, {verdict.reference_days} of {limits.reference_days} reference days"
    line = limits.confirmed if verdict.evidence in ("SUSPECTED", "LOWER", "CONFIRMED") else limits.suspected
    clause = f"evidence {verdict.evidence} at {verdict.evidence_value or 0:,.0f} (line {line:,.0f})"
    if verdict.proof is not None:
        clause += f", proof by draws z {verdict.proof:.1f} (line {limits.draws.confirmed:g})"
    if verdict.lower:
        clause += ", lower for long without proof"
    if verdict.named:
        clause += f" in {', '.join(verdict.named)}"
    if verdict.changed_on:
        clause += f", changed about {verdict.changed_on}"
    if verdict.improvement:
        clause += ", improved for good"
    return clause


def _list_use_cases(group: Sequence[UseCaseVerdict]) -> str:
    worst = sorted(group, key=lambda each: each.z if each.z is not None else 0.0)
    shown = [_numbers(each) for each in worst[:SHOWN]]
    if len(worst) > SHOWN:
        shown.append(f"{len(worst) - SHOWN} more")
    return ", ".join(shown)


def _numbers(verdict: UseCaseVerdict) -> str:
    score = "–" if verdict.score is None else f"{verdict.score:.1f}"
    if verdict.mean is None or verdict.sd is None:
        return f"{verdict.use_case} {score}"
    held = f", held: {verdict.held}" if verdict.held else ""
    return (
        f"{verdict.use_case} {score} against {verdict.mean:.1f} ± {verdict.sd:.1f}, "
        f"{_distance(verdict)}{held}"
    )


def _distance(verdict: UseCaseVerdict) -> str:
    parts = []
    if verdict.z is not None:
        parts.append(f"z {verdict.z:+.1f}".replace("-", "−"))
    if verdict.drop is not None:
        parts.append(
            f"drop {100 * verdict.drop:.1f} %" if verdict.drop >= 0 else f"{-100 * verdict.drop:.1f} % better"
        )
    return ", ".join(parts)
