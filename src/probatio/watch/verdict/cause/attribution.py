"""Attribution: a table of causes other than the model that could have moved the scores, tried from top to
bottom.

Each row is a cause and a function that says why the cause applies to a `Move`, or None. The first row that
applies is the cause; if none does, it is the model. A cause counts only if nothing would have fallen without
it, and only if the model could not have caused it: a worse model that rambles is cut off more often, and is
still a worse model. What may come from the model itself is shown next to the cause, by `symptoms.py`. A move
is dated by its onset: the first day of the present run of flagged days, or the date from the evidence if the
rule is quiet (`moves.py`).

This table can't find a judge that has become harsh to one model only: its calibration set does not show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import comb
from statistics import fmean
from typing import NamedTuple

import numpy as np

from probatio.core.records import Cause, DailyScore, Served
from probatio.watch.verdict.cause.moves import Move
from probatio.watch.verdict.evidence.streams import Floats
from probatio.watch.verdict.fold import Folded
from probatio.watch.verdict.rule.baseline import DECIMALS
from probatio.watch.verdict.rule.model_status import NEVER

DETERMINISTIC, JUDGED = "deterministic", "judged"


Row = Callable[[Move], str | None]


def attribute(move: Move) -> tuple[Cause, str]:
    """The cause of the move, and why."""
    shifted = _find_judge_shift(move)
    if shifted is not None:
        if move.only_judged:
            return "JUDGE", shifted
        move = replace(move, use_cases=tuple(each for each in move.use_cases if each not in move.judged))
    for cause, applies in ROWS:
        why = applies(move)
        if why is not None:
            return cause, why
    return "MODEL", "no change of judge, harness, grader, route or infrastructure explains it"


def _find_judge_shift(move: Move) -> str | None:
    for folded in move.between(move.onset, move.days[-1].rule.day):
        calibration, drift = folded.day.record.calibration, folded.judge
        if calibration is not None and calibration.barred:
            return (
                f"the judge's calibration set shifted by {calibration.shift or 0:+.2f} on {folded.day.date}"
            )
        if drift.drifted:
            away = (drift.shift or 0) - (drift.usual or 0)
            return f"the judge has drifted, by {away:+.2f} from its usual marks on {folded.day.date}"
    return None


class Fleet(NamedTuple):
    """Many models that fell on one day."""

    fell: tuple[str, ...]
    said: str  # as a clause
    day: Folded
    untouched: tuple[str, ...]  # tested that day, and did not fall


def _fleet(move: Move, kind: str) -> Fleet | None:
    """The other models, if this model's fall in use cases of a kind was one of many on the same day.

    Models that scatter fall every other day, and then some together. So only falls as deep as today's count:
    of all ways to divide those that fell today from the rest, the one that chance explains least is taken. A
    model that fell much less does not explain this fall.
    """
    onset = next(iter(move.between(move.onset, move.onset)), None)
    wanted = tuple(
        at for use_case, at in move.columns.items() if (use_case in move.judged) == (kind == JUDGED)
    )
    if onset is None or not wanted:
        return None
    limits = move.constants.evidence
    days = move.between(move.onset - limits.reference_days - 1, move.onset)
    *before, today = [_depths(folded, earlier, wanted) for earlier, folded in pairwise(days)] or [np.zeros(0)]
    if not before or not today[move.place] > 0:
        return None
    asked = np.flatnonzero(~np.isnan(today))
    usual = np.concatenate(before)
    usual = usual[~np.isnan(usual)]
    fell = asked[np.argsort(-today[asked], kind="stable")]
    fell = fell[today[fell] >= ALIKE * today[move.place]]
    found = []
    for count in range(limits.fleet_models, len(fell) + 1):
        rate = (int((usual >= today[fell[count - 1]]).sum()) + 0.5) / (len(usual) + 1)
        # this one fell; did the others by chance?
        found.append((at_least(count - 1, len(asked) - 1, rate), count))
    chance, count = min(found, default=(1.0, 0), key=lambda each: (each[0], -each[1]))
    if chance > move.constants.attribution.fleet_chance or move.place not in fell[:count]:
        return None
    names = {place: model for model, place in onset.columns.models.items()}
    # the vendor is the part of a model's name before the slash, else who provides it
    vendors = {
        model.id: model.name.partition("/")[0] if "/" in model.name else model.provider
        for model in onset.day.record.models
    }
    fallen = tuple(names[place] for place in sorted(fell[:count].tolist()))
    if len({vendors.get(name, name) for name in fallen}) < limits.fleet_vendors:
        return None
    said = f"{count} of {len(asked)} models fell in {kind} use cases on {onset.day.date}"
    return Fleet(
        fallen, said, onset, tuple(names[place] for place in asked.tolist() if names[place] not in fallen)
    )


ALIKE = 1 / 3
"""Models that fell together fell at least this far, as a share of the fall to be explained."""


def _depths(folded: Folded, earlier: Folded, use_cases: tuple[int, ...]) -> Floats:
    """[models] points each fell that day, averaged over these use cases: below its baseline or below the day
    before, whichever is less. 0 if none is flagged, NaN if none was tested."""
    known = (earlier.rule.day, use_cases)
    if known not in folded.depths:
        wanted = np.array(use_cases)
        rule, tested = folded.rule, folded.tested[:, wanted]
        last, usual = earlier.rule.score[:, wanted], rule.expected.mean[:, wanted]
        usually = np.minimum(usual, np.where(np.isnan(last), usual, last))
        below = np.where(tested, usually - rule.score[:, wanted], 0.0)
        counts = tested.sum(axis=1)
        flagged = (folded.flagged_since[:, wanted] != NEVER).any(axis=1)
        depth = np.where(flagged, np.maximum(below.sum(axis=1), 0.0) / np.maximum(counts, 1), 0.0)
        folded.depths[known] = np.where(counts > 0, depth, np.nan)
    return folded.depths[known]


def _fleet_judge(move: Move) -> str | None:
    judged = _fleet(move, JUDGED)
    return judged.said if judged and _fleet(move, DETERMINISTIC) is None and move.only_judged else None


def _fleet_route(move: Move) -> str | None:
    """Many fell, all behind one provider, and no model of another provider did: the provider is the cause."""
    fleet = _fleet(move, DETERMINISTIC)
    if fleet is None:
        return None
    served = {_provider(fleet.day, model) for model in fleet.fell}
    others = {_provider(fleet.day, model) for model in fleet.untouched} - served
    provider = served.pop() if len(served) == 1 else None
    if provider is None or not others - {None}:
        return None
    return f"{fleet.said}, all of them served by {provider}, and none of another provider's"


def _fleet_harness(move: Move) -> str | None:
    fleet = _fleet(move, DETERMINISTIC)
    return f"{fleet.said}: either something on our side changed, or each of them did" if fleet else None


def _provider(folded: Folded, model: str) -> str | None:
    """The provider that served most of a model's samples, or None if unknown."""
    served = folded.day.served(model, "providers").most_common(1)
    return served[0][0] if served else None


def _grader(move: Move) -> str | None:
    changed = {use_case: count for use_case in move.use_cases if (count := move.regraded.get(use_case, 0))}
    if not changed:
        return None
    counts = ", ".join(f"{count} of {use_case}" for use_case, count in changed.items())
    return f"frozen answers graded again give other grades ({counts})"


def _route(move: Move) -> str | None:
    """A new provider, resolved model or fingerprint that serves most of a day shortly before the move. The
    file behind an embedded model's name is the model itself."""
    embedded = any(move.model in folded.day.record.embedded for folded in move.days[-1:])
    window = move.constants.evidence.route_window

    def on_time(folded: Folded) -> bool:
        return not any(line.asked_late for line in folded.day.lines.get(move.model, {}).values())

    before = move.between(move.onset - window - move.constants.rule.baseline_days, move.onset - window - 1)
    for what, field in SERVED:
        if embedded and field == "resolved_models":
            continue
        usual = {
            value for folded in before if on_time(folded) for value in folded.day.served(move.model, field)
        }
        for folded in filter(on_time, move.between(move.onset - window, move.onset)) if usual else ():
            served = folded.day.served(move.model, field)
            value, count = served.most_common(1)[0] if served else (None, 0)
            if value is not None and value not in usual and 2 * count >= served.total():
                return f"the {what} changed to {value} on {folded.day.date}"
    return None


SERVED: tuple[tuple[str, Served], ...] = (
    ("served provider", "providers"),
    ("resolved model", "resolved_models"),
    ("system fingerprint", "fingerprints"),
)


def _infra(move: Move) -> str | None:
    """Answers cut off below our own limit, if nothing would have fallen with their case's usual score in
    their place."""
    days = [folded for folded in move.between(move.onset, move.days[-1].rule.day) if move.lines_of(folded)]
    cut = sum(line.cut for folded in days for line in move.lines_of(folded))
    if not cut or (
        any(_falls_uncut(move, use_case, days) for use_case in move.use_cases) and not _as_usual(move, days)
    ):
        return None
    samples = sum(line.n for folded in days for line in move.lines_of(folded))
    return (
        f"{cut} of {samples} answers were cut off below our own limit since {days[0].day.date}, and without "
        "these nothing fell"
    )


def _as_usual(move: Move, days: Sequence[Folded]) -> bool:
    """Whether the moved use cases, without the cut answers, are no lower than in some equally long stretch of
    the month before. Scores that jump are flagged now and then, with or without a fall."""

    def level(folded: Folded, uncut: bool) -> float | None:
        lines = [line for line in move.lines_of(folded) if line.score is not None]
        scores = [_uncut_score(line) if uncut else line.score for line in lines]
        return (
            fmean(score for score in scores if score is not None)
            if len(lines) == len(move.use_cases)
            else None
        )

    month = move.constants.evidence.reference_days
    before = [level(folded, uncut=False) for folded in move.between(move.onset - month, move.onset - 1)]
    past = [each for each in before if each is not None]
    since = [each for folded in days if (each := level(folded, uncut=True)) is not None][-STRETCH:]
    if not since or len(past) < move.constants.rule.baseline_min + len(since) - 1:
        return False
    stretches = [fmean(past[begin : begin + len(since)]) for begin in range(len(past) - len(since) + 1)]
    return fmean(since) >= min(stretches)


STRETCH = 7
"""Days of a stretch at most: a month has a few of these."""


def _falls_uncut(move: Move, use_case: str, days: Sequence[Folded]) -> bool:
    """Whether a use case would have fallen without the cut answers, on its first flagged day and today. If
    the rule has not flagged it: whether its mean since the onset would be below its baseline by more than the
    least deviation."""
    at, limits = move.columns[use_case], move.limits(use_case)
    first = int(move.days[-1].flagged_since[move.place, at])
    asked = [folded for folded in days if use_case in folded.day.lines.get(move.model, {})]
    flagged = [
        folded
        for folded in asked
        if folded.rule.day == first or (folded is asked[-1] and first >= move.onset)
    ]
    if flagged:
        return any(_suspicious_uncut(move, use_case, folded) for folded in flagged)
    lines = [folded.day.lines[move.model][use_case] for folded in asked]
    scores = [score for line in lines if (score := _uncut_score(line)) is not None]
    usual = float(asked[0].rule.expected.mean[move.place, at]) if asked else float("nan")
    return bool(scores) and fmean(scores) < usual - limits.sd_floor


def _suspicious_uncut(move: Move, use_case: str, folded: Folded) -> bool:
    at, limits = move.columns[use_case], move.limits(use_case)
    score, expected = _uncut_score(folded.day.lines[move.model][use_case]), folded.rule.expected
    mean, sd = float(expected.mean[move.place, at]), float(expected.sd[move.place, at])
    if score is None or not sd > 0:
        return False
    drop = round((mean - score) / mean, DECIMALS) if mean > 0 else 0.0
    return round((score - mean) / sd, DECIMALS) <= limits.suspicious.z or drop >= limits.suspicious.drop


def _uncut_score(line: DailyScore) -> float | None:
    return line.score if line.uncut_score is None else line.uncut_score


ROWS: tuple[tuple[Cause, Row], ...] = (
    ("JUDGE", _fleet_judge),
    ("ROUTE", _fleet_route),
    ("HARNESS", _fleet_harness),
    ("GRADER", _grader),
    ("ROUTE", _route),
    ("INFRA", _infra),
)
"""These rows come after the judge's calibration. If that has shifted, they look at deterministic use cases
only."""


def at_least(count: int, of: int, rate: float) -> float:
    """The chance that `count` or more of `of` fall, each at this rate."""
    return sum(comb(of, each) * rate**each * (1 - rate) ** (of - each) for each in range(count, of + 1))
