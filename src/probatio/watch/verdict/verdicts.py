"""The verdict: both layers over the recorded days, composed into one record per model and day with every
number kept.

    verdicts(Days(read_days(results)), constants_of(manifest))                    every model on every day
    verdicts(Days(read_days(results)), constants_of(manifest), dates={"2026-03-01"})

A pure function of the days: a day's verdicts depend on the days up to it and on nothing else. Neither of the
two layers overwrites the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from math import isnan
from typing import Any

import msgspec
import numpy as np

from probatio.core.records import (
    Acceptance,
    Cause,
    Constants,
    DailyScore,
    Day,
    DayRecord,
    Form,
    ModelVerdict,
    RouteChange,
    UseCaseVerdict,
)
from probatio.watch.verdict.cause.attribution import attribute
from probatio.watch.verdict.cause.moves import find_move
from probatio.watch.verdict.cause.symptoms import symptoms
from probatio.watch.verdict.changed_route import SHOWN_DAYS, RouteHistory
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.change import date_change
from probatio.watch.verdict.evidence.detectable import KeptEffects, smallest_drops
from probatio.watch.verdict.fold import Folded, fold
from probatio.watch.verdict.reason import reason
from probatio.watch.verdict.rule.model_status import NEVER, STATUSES
from probatio.watch.verdict.rule.rule import FIRED, HELD

ALARMS = frozenset({"SUSPECTED", "LOWER", "CONFIRMED"})
FLAGS = frozenset({"SUSPICIOUS", "COOKED"})
Cells = list[list[list[Any]]]
"""What the rule and the evidence say of a day, by number, model and use case."""
_FIRED = [tuple(name for bit, name in enumerate(FIRED) if code >> bit & 1) for code in range(1 << len(FIRED))]


def verdicts(
    days: Days,
    constants: Constants,
    *,
    dates: Collection[str] | None = None,
    models: Collection[str] | None = None,
    regraded: Mapping[str, int] | None = None,
    detectable: KeptEffects | None = None,
    compute: bool = True,
) -> list[ModelVerdict]:
    """The verdicts on these dates (all, if None) and models, oldest first.

    `regraded`: use case → how many frozen answers today's graders grade differently. `detectable`: the
    minimum detectable effects computed before; without it the verdicts have none. Computing one takes most of
    a second; with `compute` off, only those in `detectable` are given.
    """
    made: list[ModelVerdict] = []
    earlier: Days | None = None
    for series in days.series():
        begun = _SeriesStarts(series, earlier, constants)
        earlier = series
        wanted = [day.date for day in series.days if dates is None or day.date in dates]
        if not wanted:
            continue
        so_far: list[Folded] = []
        for folded in fold(series.until(wanted[-1]), constants):
            if so_far:  # only the last day's state is read, and a year of them fills memory
                so_far[-1] = replace(so_far[-1], state=folded.state)
            so_far.append(folded)
            begun.take(folded)
            if dates is None or folded.day.date in dates:
                of_day = _judge_day(so_far, begun, constants, models, regraded or {})
                if detectable is not None:
                    of_day = (_add_drops(each, folded, detectable, compute) for each in of_day)
                made += of_day
    return made


def _judge_day(
    days: list[Folded],
    begun: _SeriesStarts,
    constants: Constants,
    models: Collection[str] | None,
    regraded: Mapping[str, int],
) -> Iterator[ModelVerdict]:
    today = days[-1]
    cells = _list_cells(today)
    for model in today.day.models:
        if models is None or model in models:
            verdict = _judge_model(model, days, cells, constants, regraded, begun.of[model])
            gaps = {
                use_case: line.gap for use_case, line in today.day.lines.get(model, {}).items() if line.gap
            }
            if model in today.day.record.skipped:
                gaps = {"": today.day.record.skipped[model]}
            yield msgspec.structs.replace(verdict, reason=reason(verdict, gaps, constants))


class Beginning(msgspec.Struct, frozen=True):
    """How a model's series began."""

    since: str
    why: str | None = None
    accepted: Acceptance | None = None
    route: RouteChange | None = None


class _SeriesStarts:
    """Since when each model's present series runs, and why it began."""

    def __init__(self, series: Days, earlier: Days | None, constants: Constants) -> None:
        self._series = series
        self._rule = constants.rule
        self._routes: dict[str, RouteHistory] = {}
        self._known = set() if earlier is None else {model for day in earlier.days for model in day.models}
        now = series.days[0].record.suite_version
        was = now if earlier is None else earlier.days[-1].record.suite_version
        self._why = f"the suite is version {now} now, it was {was}"
        if now == was:
            self._why = f"the content of the suite was changed under the same version {now}"
        self.of: dict[str, Beginning] = {}

    def take(self, folded: Folded) -> None:
        """One day further."""
        day = folded.day
        for model in day.models:
            place = folded.columns.models[model]
            accepted = self._series.begun.get((day.date, model))
            if accepted is not None:
                why = f"{accepted.by} accepted the new level: {accepted.why}"
                self.of[model] = Beginning(day.date, why, accepted)
                self._routes[model] = RouteHistory()
            elif form := self._series.reformed.get((day.date, model)):
                self.of[model] = Beginning(day.date, form)
                self._routes[model] = RouteHistory()
            elif folded.rule.new_series[place]:
                change = self._routes[model].move(model, day, self._rule)
                why = "another provider has served it for some days"
                self.of[model] = Beginning(day.date, why, route=change)
                continue
            elif model not in self.of:
                self.of[model] = Beginning(day.date, self._why if model in self._known else None)
                self._routes[model] = RouteHistory()
            self._routes[model].take(model, day, away=bool(folded.rule.routing_changed[place]))


def _judge_model(
    model: str,
    days: list[Folded],
    cells: Cells,
    constants: Constants,
    regraded: Mapping[str, int],
    begun: Beginning,
) -> ModelVerdict:
    today = days[-1]
    form = today.day.record.forms.get(model)
    place, lines = today.columns.models[model], today.day.lines.get(model, {})
    by_rule, by_evidence = today.rule, today.evidence
    status, layer = STATUSES[by_rule.model[place]], evidence.STATUSES[by_evidence.status[place]]
    shown, since = STATUSES[today.headline[place]], _date(int(today.headline_since[place]))
    columns = {use_case: at for (use_case, _), at in today.columns.use_cases.items()}
    use_cases = tuple(
        _judge_use_case(cells, line, place, columns[line.use_case], proven=layer == "CONFIRMED")
        for line in lines.values()
    )
    ungraded = _find_ungraded(lines, {each.use_case for each in use_cases if each.days})
    if ungraded and shown == "OK":
        shown, since = "GAP", today.day.date
    changed = _date_change(days, place) if layer == "CONFIRMED" else None
    cause: Cause | None = None
    why, beside = None, tuple[str, ...]()
    if status in FLAGS or layer in ALARMS:
        move = find_move(model, columns, days, constants, regraded, changed)
        (cause, why), beside = attribute(move), symptoms(move)
    return ModelVerdict(
        date=today.day.date,
        model=model,
        status=status,
        since=_date(int(by_rule.model_since[place])),
        suite_version=today.day.record.suite_version,
        route=next((line.route for line in lines.values() if line.route is not None), None),
        routing_changed=bool(by_rule.routing_changed[place])
        or any(line.routing_changed for line in lines.values()),
        barred=any(
            line.barred or (today.judge.drifted and line.grading != "deterministic")
            for line in lines.values()
        ),
        recovered=bool(by_rule.model_recovered[place]) and shown == "OK",
        use_cases=use_cases,
        evidence=layer,
        evidence_value=_number(by_evidence.value[place]),
        proof=_number(by_evidence.z[place]),
        lower=bool(by_evidence.lower[place]),
        reference_days=int(by_evidence.reference_days[place]),
        changed_on=None if changed is None else date.fromordinal(changed).isoformat(),
        named=tuple(use_case for use_case, at in columns.items() if by_evidence.named[place, at]),
        improvement=bool(by_evidence.improvement[place]),
        cause=cause,
        cause_reason=why,
        headline=shown,
        headline_since=since,
        confirmed=layer == "CONFIRMED",
        collapsed=tuple(use_case for use_case, at in columns.items() if by_rule.collapsed[place, at]),
        symptoms=beside,
        series_since=begun.since,
        series_why=begun.why,
        accepted=begun.accepted,
        changed_route=begun.route if _is_recent(begun.route, today.day) else None,
        ungraded=ungraded,
        not_asked=_find_not_asked(today.day.record, form) if lines else {},
        form=str(form) if form else None,
    )


def _is_recent(change: RouteChange | None, day: Day) -> bool:
    return change is not None and day.ordinal - date.fromisoformat(change.since).toordinal() < SHOWN_DAYS


def _find_not_asked(record: DayRecord, form: Form | None) -> dict[str, str]:
    """Use case → why it was not asked, of those that belong to the model's form."""
    return {name: why for name, why in record.not_asked.items() if form is None or name in form.cases}


def _find_ungraded(lines: Mapping[str, DailyScore], usual: Collection[str]) -> tuple[str, ...]:
    """Use cases without a score although answers came. `usual`: those that have a score on other days; where
    there is never a judge, it is known that judged answers get none. A day without any score is a gap, and
    says so by itself."""
    if all(line.score is None for line in lines.values()):
        return ()
    return tuple(
        use_case
        for use_case, line in lines.items()
        if line.score is None and line.answered and (line.errored or use_case in usual)
    )


def _list_cells(today: Folded) -> Cells:
    """A day's arrays as lists: a record needs single numbers, and a list gives them faster than an array."""
    rule, expected = today.rule, today.rule.expected
    by_rule = (rule.status, rule.z, rule.drop, rule.fired, rule.cooked_level, rule.held)
    dated = (rule.recovered, rule.improved, rule.since, today.evidence.stream_value)
    arrays = (expected.mean, expected.sd, expected.days, *by_rule, *dated)
    return [array.tolist() for array in arrays]


def _judge_use_case(cells: Cells, line: DailyScore, place: int, at: int, *, proven: bool) -> UseCaseVerdict:
    """What the rule says of one use case. After a proven fall, a baseline that has followed it down is no
    recovery."""
    mean, sd, days, status, z, drop, fired, cooked_level, held, recovered, improved, since, evidence_value = (
        rows[place][at] for rows in cells
    )
    return UseCaseVerdict(
        use_case=line.use_case,
        status=STATUSES[status],
        score=line.score,
        base_score=line.base_score,
        n=line.n,
        mean=_number(mean),
        sd=_number(sd),
        days=days,
        z=_number(z),
        drop=_number(drop),
        fired=_FIRED[fired],
        cooked_level=cooked_level,
        held=HELD[held],
        recovered=recovered and not proven,
        improved=improved,
        since=_date(since),
        evidence=_number(evidence_value),
    )


def _date_change(days: list[Folded], place: int) -> int | None:
    """The first day of the new level, from the days of the model's present series."""
    begun = max((number for number, folded in enumerate(days) if folded.rule.new_series[place]), default=0)
    series, today = days[begun:], days[-1]
    recovered = int(today.state.recovered_on[place])
    return date_change(
        np.array([folded.rule.day for folded in series], dtype=np.int64),
        np.stack([folded.bets.cases[place] for folded in series]),
        np.stack([folded.bets.judged[place] for folded in series]),
        today.state.streams,
        today.state.worse.reference,
        place,
        today.evidence.named[place],
        # the days that made an earlier recovery are the level before this change
        None if recovered == NEVER else recovered - today.state.constants.recovered_days + 1,
    )


def _add_drops(verdict: ModelVerdict, today: Folded, kept: KeptEffects, compute: bool) -> ModelVerdict:
    """The verdict with the smallest drops it rules out. It rules out none where something fell."""
    if verdict.shown in FLAGS:
        return verdict
    drops = smallest_drops(today.state, today.columns.models[verdict.model], kept, compute=compute)
    if drops is None:
        return verdict
    use_cases = tuple(
        msgspec.structs.replace(each, smallest_drop=drops.use_cases.get(each.use_case))
        for each in verdict.use_cases
    )
    return msgspec.structs.replace(verdict, smallest_drop=drops.overall, use_cases=use_cases)


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


@lru_cache(maxsize=1024)
def _date(ordinal: int) -> str | None:
    return None if ordinal == NEVER else date.fromordinal(ordinal).isoformat()
