"""The reason of a verdict: one sentence, made from the numbers in its record and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probatio.records import ModelVerdict, UseCaseVerdict
from probatio.verdict.fold import Constants

SHOWN = 2
"""Use cases told with their numbers; the others are counted."""


def reason(verdict: ModelVerdict, gaps: Mapping[str, str], constants: Constants) -> str:
    """Why the verdict is what it is. `gaps`: use case → why it has no score; "" → why the model was not asked at all."""
    told = [_STATUS[verdict.status](verdict, gaps, constants), _evidence(verdict, constants)]
    if verdict.routing_changed:
        told.append(f"the route changed{f' to {verdict.route}' if verdict.route else ''}")
    if verdict.barred:
        told.append("the judge had shifted")
    if verdict.cause is not None:
        told.append(f"put down to {verdict.cause}: {verdict.cause_reason}")
    return "; ".join(part for part in told if part) + "."


def use_case_reason(found: UseCaseVerdict, constants: Constants, gap: str | None = None) -> str:
    """The same for one use case."""
    if found.score is None:
        return f"no score: {(gap or 'nothing was scored').rstrip('.')}."
    told = [f"{found.score:.1f}"]
    if found.mean is not None and found.sd is not None:
        told.append(f"against {found.mean:.1f} ± {found.sd:.1f} of {found.days} days ({_distance(found)})")
    if found.status == "CALIBRATING":
        told.append(f"with {found.days} of at least {constants.rule.baseline_min} baseline days")
    if found.fired:
        told.append(f"meets {', '.join(found.fired)}")
    if found.held:
        told.append(f"but is held at {found.status} because of {_HELD[found.held]}")
    return " ".join(told) + "."


def _flagged(verdict: ModelVerdict, _gaps: Mapping[str, str], _constants: Constants) -> str:
    cooked = [each for each in verdict.use_cases if each.status == "COOKED"]
    suspicious = [each for each in verdict.use_cases if each.status == "SUSPICIOUS"]
    parts = [
        f"{len(group)} use case{'s' * (len(group) != 1)} {name} ({_listed(group)})"
        for name, group in (("cooked", cooked), ("suspicious", suspicious))
        if group
    ]
    if not parts:
        return (
            f"{verdict.status} since {verdict.since}, kept because the use cases that were flagged have no score today"
        )
    return f"{verdict.status} since {verdict.since}: {', '.join(parts)}"


def _ok(verdict: ModelVerdict, _gaps: Mapping[str, str], _constants: Constants) -> str:
    tested = [each for each in verdict.use_cases if each.status == "OK"]
    held = sum(each.held is not None for each in tested)
    scored = sum(each.score is not None for each in verdict.use_cases)
    lowest = min((each for each in tested if each.z is not None), key=lambda each: each.z or 0.0, default=None)
    said = f"OK{', recovered' if verdict.recovered else ''}: {len(tested)} of {scored} scored use cases in their usual range"
    if held:
        said += f", {held} of them held"
    return said if lowest is None else f"{said}, lowest {_told(lowest)}"


def _calibrating(verdict: ModelVerdict, _gaps: Mapping[str, str], constants: Constants) -> str:
    days = max((each.days for each in verdict.use_cases), default=0)
    return f"CALIBRATING: {days} of at least {constants.rule.baseline_min} baseline days"


def _gap(verdict: ModelVerdict, gaps: Mapping[str, str], _constants: Constants) -> str:
    reasons = list(dict.fromkeys(why.rstrip(".") for why in gaps.values()))
    more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
    return f"GAP: no use case was scored{f': {reasons[0]}{more}' if reasons else ''}"


_STATUS = {"OK": _ok, "SUSPICIOUS": _flagged, "COOKED": _flagged, "CALIBRATING": _calibrating, "GAP": _gap}
_HELD = {"barred": "a shifted judge", "routing": "a changed route"}


def _evidence(verdict: ModelVerdict, constants: Constants) -> str:
    limits = constants.evidence
    if verdict.evidence == "CALIBRATING":
        return f"evidence calibrating, {verdict.reference_days} of {limits.reference_days} reference days"
    line = limits.confirmed if verdict.evidence in ("SUSPECTED", "CONFIRMED") else limits.suspected
    said = f"evidence {verdict.evidence} at {verdict.evidence_value or 0:,.0f} (line {line:,.0f})"
    if verdict.named:
        said += f" in {', '.join(verdict.named)}"
    if verdict.changed_on:
        said += f", changed about {verdict.changed_on}"
    if verdict.improvement:
        said += ", improved for good"
    return said


def _listed(group: Sequence[UseCaseVerdict]) -> str:
    worst = sorted(group, key=lambda each: each.z if each.z is not None else 0.0)
    told = [_told(each) for each in worst[:SHOWN]]
    if len(worst) > SHOWN:
        told.append(f"{len(worst) - SHOWN} more")
    return ", ".join(told)


def _told(found: UseCaseVerdict) -> str:
    score = "–" if found.score is None else f"{found.score:.1f}"
    if found.mean is None or found.sd is None:
        return f"{found.use_case} {score}"
    held = f", held: {found.held}" if found.held else ""
    return f"{found.use_case} {score} against {found.mean:.1f} ± {found.sd:.1f}, {_distance(found)}{held}"


def _distance(found: UseCaseVerdict) -> str:
    parts = []
    if found.z is not None:
        parts.append(f"z {found.z:+.1f}".replace("-", "−"))
    if found.drop is not None:
        parts.append(f"drop {100 * found.drop:.1f} %".replace("-", "−"))
    return ", ".join(parts)
