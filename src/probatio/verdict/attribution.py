"""Attribution: a table of what else than the model could have moved the scores, asked from top to bottom.

Each row is a cause and a function that says, as a clause, why the cause applies to a `Move`, or None. The first row that
applies is the cause; none leaves the model itself. A move is dated by its onset: the first day of the present run of flagged
days, or the evidence's own date where the rule is quiet.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import median

import numpy as np

from probatio.records import Cause, Constants, DailyScore, Served
from probatio.verdict.fold import Folded
from probatio.verdict.sampling import TRIGGERS

DETERMINISTIC, JUDGED = "deterministic", "judged"
MOST_TOKENS = 10**12
"""Of a use case on a day. More is a number that a server made up."""


def _ordinal(folded: Folded) -> int:
    return folded.rule.day


@dataclass(frozen=True, slots=True)
class Move:
    """One model that got worse, and everything known when it was noticed."""

    model: str
    place: int  # of the model in the arrays
    use_cases: tuple[str, ...]  # those that moved
    judged: frozenset[str]  # which of all use cases a judge marks
    columns: Mapping[str, int]  # use case → its place in the arrays
    onset: int  # ordinal of the day it began
    days: Sequence[Folded]  # up to and with the day of the verdict, oldest first
    constants: Constants
    regraded: Mapping[str, int]  # use case → frozen answers that are graded otherwise today

    @property
    def only_judged(self) -> bool:
        return all(use_case in self.judged for use_case in self.use_cases)

    def between(self, first: int, last: int) -> list[Folded]:
        """The days with ordinals from `first` to `last`, both included."""
        begin = bisect_left(self.days, first, key=_ordinal)
        return list(self.days[begin : bisect_right(self.days, last, key=_ordinal)])

    def moved_lines(self, folded: Folded) -> list[DailyScore]:
        lines = folded.day.lines.get(self.model, {})
        return [lines[each] for each in self.use_cases if each in lines and not lines[each].asked_late]


def attribute(move: Move) -> tuple[Cause, str]:
    """The cause of the move, and why."""
    shifted = _judge_shifted(move)
    if shifted is not None:
        if move.only_judged:
            return "JUDGE", shifted
        move = replace(move, use_cases=tuple(each for each in move.use_cases if each not in move.judged))
    for cause, applies in ROWS:
        why = applies(move)
        if why is not None:
            return cause, why
    return "MODEL", "no change of judge, harness, grader, route or infrastructure was seen"


def _judge_shifted(move: Move) -> str | None:
    for folded in move.between(move.onset, move.days[-1].rule.day):
        calibration, drift = folded.day.record.calibration, folded.judge
        if calibration is not None and calibration.barred:
            return f"the judge's calibration set shifted by {calibration.shift or 0:+.2f} on {folded.day.date}"
        if drift.drifted:
            away = (drift.shift or 0) - (drift.usual or 0)
            return f"the judge has drifted, by {away:+.2f} from its usual marks on {folded.day.date}"
    return None


def _fleet(move: Move, kind: str) -> str | None:
    """Whether this model's fall in use cases of a kind was one of many on the same day, as a clause."""
    onset = next((folded for folded in move.days if folded.rule.day == move.onset), None)
    wanted = [at for use_case, at in move.columns.items() if (use_case in move.judged) == (kind == JUDGED)]
    if onset is None or not wanted or not onset.fallen[move.place, wanted].any():
        return None
    fell, asked = (np.flatnonzero(array[:, wanted].any(axis=1)) for array in (onset.fallen, onset.tested))
    vendors = _vendors(onset)
    names = [model for model, place in onset.columns.models.items() if place in set(fell.tolist())]
    limits = move.constants.evidence
    if len(fell) < limits.fleet_models or len({vendors.get(name, name) for name in names}) < limits.fleet_vendors:
        return None
    before = move.between(move.onset - limits.reference_days, move.onset - 1)
    falls = sum(int(each.fallen[:, wanted].any(axis=1).sum()) for each in before)
    chances = sum(int(each.tested[:, wanted].any(axis=1).sum()) for each in before)
    chance = at_least(len(fell), len(asked), (falls + 0.5) / (chances + 1))
    if chance > move.constants.attribution.fleet_chance:
        return None
    return f"{len(fell)} of {len(asked)} models fell in {kind} use cases on {onset.day.date}"


def _fleet_judge(move: Move) -> str | None:
    judged = _fleet(move, JUDGED)
    return judged if judged is not None and _fleet(move, DETERMINISTIC) is None and move.only_judged else None


def _fleet_harness(move: Move) -> str | None:
    return _fleet(move, DETERMINISTIC)


def _grader(move: Move) -> str | None:
    changed = {use_case: count for use_case in move.use_cases if (count := move.regraded.get(use_case, 0))}
    if not changed:
        return None
    counts = ", ".join(f"{count} of {use_case}" for use_case, count in changed.items())
    return f"frozen answers graded again give other grades ({counts})"


def _route(move: Move) -> str | None:
    """A provider, resolved model or fingerprint that serves most of a day shortly before the move and was not seen before."""
    window = move.constants.evidence.route_window

    def on_time(folded: Folded) -> bool:
        return not any(line.asked_late for line in folded.day.lines.get(move.model, {}).values())

    before = move.between(move.onset - window - move.constants.rule.baseline_days, move.onset - window - 1)
    for what, field in SERVED:
        usual = {value for folded in before if on_time(folded) for value in folded.day.served(move.model, field)}
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
    """Errors, truncations, latency or token counts of the use cases that moved, on the day they did, against their own past."""
    limits = move.constants.attribution
    onset = next((folded for folded in move.days if folded.rule.day == move.onset), move.days[-1])
    before = move.between(move.onset - move.constants.rule.baseline_days, move.onset - 1)
    past = [lines for folded in before if (lines := move.moved_lines(folded))]
    now = move.moved_lines(onset)
    if not now or len(past) < move.constants.rule.baseline_min:
        return None
    for name, measure, share in (
        ("errored", _errored, limits.error_share),
        ("truncated", _truncated, limits.truncated_share),
    ):
        usual, today = median(measure(lines) for lines in past), measure(now)
        if today - usual >= share:
            return f"{100 * today:.0f} % of the samples were {name} on {onset.day.date}, usually {100 * usual:.0f} %"
    for name, ratio, factor in (
        ("latency", _latency, limits.latency_factor),
        ("answers' length", _length, limits.tokens_factor),
    ):
        times = _times(now, past, ratio, factor, limits.jump_mads)
        if times is not None:
            return f"the {name} was {times:.1f} times its usual value on {onset.day.date}"
    return None


ROWS: tuple[tuple[Cause, Callable[[Move], str | None]], ...] = (
    ("JUDGE", _fleet_judge),
    ("HARNESS", _fleet_harness),
    ("GRADER", _grader),
    ("ROUTE", _route),
    ("INFRA", _infra),
)
"""Asked after the judge's own calibration. Where that has shifted, these rows look at the deterministic use cases alone."""


def at_least(count: int, of: int, rate: float) -> float:
    """The chance that `count` or more of `of` fall, each at this rate."""
    return sum(comb(of, each) * rate**each * (1 - rate) ** (of - each) for each in range(count, of + 1))


def jumped(today: float, past: Sequence[float], factor: float, mads: float) -> float | None:
    """How many times its usual value a positive number is, where that is a jump: by the factor up or down, and far outside
    what the days before scattered. The median and its absolute deviation, so that one bad day in the past hides nothing."""
    usual = median(past)
    if usual <= 0 or today < 0:
        return None
    scatter = median(abs(value - usual) for value in past)
    times = today / usual
    return times if (times >= factor or times <= 1 / factor) and abs(today - usual) >= mads * scatter else None


def _times(
    now: Sequence[DailyScore],
    past: Sequence[Sequence[DailyScore]],
    measure: Callable[[DailyScore], float | None],
    factor: float,
    mads: float,
) -> float | None:
    """The median jump over the use cases that moved, where at least half of them jumped."""
    jumps: list[float] = []
    for line in now:
        today = measure(line)
        earlier = [
            value
            for lines in past
            for each in lines
            if each.use_case == line.use_case and (value := measure(each)) is not None
        ]
        times = jumped(today, earlier, factor, mads) if today is not None and earlier else None
        if times is not None:
            jumps.append(times)
    return median(jumps) if jumps and 2 * len(jumps) >= len(now) else None


def _latency(line: DailyScore) -> float | None:
    return line.latency_ms


def _length(line: DailyScore) -> float | None:
    """Tokens written per token read: the prompts are the same every day, so a day at full count compares with one at base. None
    where a server has counted what no day can hold."""
    believable = 0 < line.tokens_in <= MOST_TOKENS and 0 <= line.tokens_out <= MOST_TOKENS
    return line.tokens_out / line.tokens_in if believable else None


def _samples(line: DailyScore) -> int:
    """All samples of a line: a use case that began at full count has its base samples among them, a re-run has not."""
    began_full = not line.full_power or line.trigger in TRIGGERS
    return line.errored + (max(line.n, line.base_n) if began_full else line.n + line.base_n)


def _errored(lines: Sequence[DailyScore]) -> float:
    return sum(line.errored for line in lines) / max(sum(map(_samples, lines)), 1)


def _truncated(lines: Sequence[DailyScore]) -> float:
    return sum(line.truncated for line in lines) / max(sum(map(_samples, lines)), 1)


def _vendors(folded: Folded) -> dict[str, str]:
    """Model → vendor: the part of its name before the slash, else who provides it."""
    return {
        model.id: model.name.partition("/")[0] if "/" in model.name else model.provider
        for model in folded.day.record.models
    }
