"""What the pages read: one snapshot of the results folder, read as a whole and never changed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from probatio.core.clock import today
from probatio.core.errors import ProbatioError, UsageError
from probatio.core.records import Day, DayRecord, ModelVerdict, UseCaseVerdict
from probatio.core.text.names import make_slugs
from probatio.learn.items.of_days import measure_days
from probatio.learn.items.records import Item, Items
from probatio.runs.store.days import days_ahead, read_hashed_days, suite_folder
from probatio.runs.store.detectable import user_detectable_cache
from probatio.runs.store.layout import DAILY, GRADES, LEDGER, SCORES
from probatio.runs.store.packed import path_of_packed
from probatio.site.facts.asked_cases import find_suite
from probatio.site.facts.cases import CaseStanding, case_slugs, measure_cases
from probatio.site.facts.runs import ModelComparer, StudiedRun, find_runs
from probatio.site.facts.samples import SampleReader
from probatio.site.pages.bench import Bench, read_bench
from probatio.suites.daily_suite import DailyManifest, DailySuite, constants_of, read_manifest
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.judged import digest_days, judge_last
from probatio.watch.ledger.ledger import (
    LedgerRecord,
    counted_days,
    describe_withdrawn,
    find_withdrawn,
    head_of,
    read_ledger,
    read_records,
    standing_records,
)
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.falls import BAD, Fall, list_falls
from probatio.watch.verdict.headline import add_headline
from probatio.watch.verdict.staleness import goes_stale, last_answered, mark_stale, moment_of, time_of
from probatio.watch.verdict.verdicts import verdicts


class Change(msgspec.Struct, frozen=True):
    """A day on which the headline of a model changed."""

    date: str
    model: str
    slug: str
    layer: str  # "headline"; before there was one: "rule" or "evidence"
    before: str | None
    after: str
    reason: str
    imported: bool = False  # the day was imported from a file; we asked no model on it


class NewestDay(NamedTuple):
    """How fresh the whole site is."""

    asked: datetime
    until: datetime  # after it nothing here says anything of today
    is_old: bool

    @property
    def time(self) -> str:
        """`2 Mar 2026, 07:15 UTC`"""
        return f"{self.asked.day} {self.asked:%b %Y, %H:%M} UTC"


@dataclass(frozen=True)
class TrackedModel:
    """A model with its verdicts, oldest first, and how it stands at the moment of the snapshot."""

    id: str
    slug: str
    verdicts: tuple[ModelVerdict, ...]
    resolved: str = ""  # the name its provider knows it by
    teller: VerdictDescriber | None = None  # tells its verdicts in words
    imported: frozenset[str] = frozenset()  # its days that were taken in from a file
    present: ModelVerdict | None = None  # its last verdict as it stands now, if that is STALE
    goes_stale: datetime | None = None  # when its last answers are too old; None: already, or never

    @property
    def last(self) -> ModelVerdict:
        """Its last verdict, as it stands at the moment of the snapshot."""
        return self.present or self.verdicts[-1]

    @cached_property
    def by_date(self) -> dict[str, ModelVerdict]:
        return {verdict.date: verdict for verdict in self.verdicts}

    @cached_property
    def falls(self) -> list[Fall]:
        """All of its falls on record, oldest first."""
        return list_falls(self.verdicts)

    @property
    def fall(self) -> Fall | None:
        """The fall that its last verdict is a part of, or was when it was last asked."""
        return self.falls[-1] if self.falls and self.falls[-1].ended is None else None

    def fall_on(self, date: str) -> Fall | None:
        """The fall that a day is a part of, or that ended on it."""
        return next((each for each in self.falls if each.first_seen <= date <= (each.ended or date)), None)

    def fall_address(self, fall: Fall) -> str:
        return fall.address(self.slug)

    @cached_property
    def use_cases(self) -> list[str]:
        return list(dict.fromkeys(each.use_case for verdict in self.verdicts for each in verdict.use_cases))

    def series(self, use_case: str) -> list[tuple[ModelVerdict, UseCaseVerdict | None]]:
        """Each day with the verdict on one use case; None if it was not asked."""
        return [
            (verdict, next((each for each in verdict.use_cases if each.use_case == use_case), None))
            for verdict in self.verdicts
        ]

    def summary(self, verdict: ModelVerdict) -> str:
        """A verdict in two sentences."""
        told = (
            self.teller.describe(verdict, answers=False, began=self.fell_on(verdict)) if self.teller else None
        )
        return told.summary if told else verdict.reason

    def fell_on(self, verdict: ModelVerdict) -> str | None:
        """The day on which the fall of a verdict began: the day it is dated to, or the day it was first seen.
        None if there is no fall."""
        if verdict.shown not in BAD:
            return None
        return verdict.changed_on if verdict.confirmed and verdict.changed_on else self.first_seen(verdict)

    def first_seen(self, verdict: ModelVerdict) -> str:
        """The first of the days under a bad verdict that end with this one. A day without a score neither
        begins nor ends a fall."""
        within = [each.first_seen for each in self.falls if each.first_seen <= verdict.date <= each.last_seen]
        return min([verdict.date, verdict.headline_since or verdict.date, *within])

    @cached_property
    def changes(self) -> list[Change]:
        """Every day on which the headline differs from the day before, oldest first."""
        return [
            Change(
                verdict.date,
                self.id,
                self.slug,
                "headline",
                before.label,
                verdict.label,
                self.summary(verdict),
                verdict.date in self.imported,
            )
            for before, verdict in pairwise(self.verdicts)
            if before.label != verdict.label
        ]


def by_use_case(verdict: ModelVerdict) -> dict[str, UseCaseVerdict]:
    """A day's verdict on each use case, in the order asked."""
    return {each.use_case: each for each in verdict.use_cases}


@dataclass(frozen=True)
class Site:
    """One snapshot."""

    results: Path
    manifest: DailyManifest
    records: dict[str, DayRecord]  # date → the day's record, oldest first
    tracked: dict[str, TrackedModel]  # slug → model
    runs: dict[str, StudiedRun]
    left_out: dict[str, str]  # run → why it can't be shown
    bench: Bench | None
    samples: SampleReader
    sample_days: int | None = None  # None: every day's samples can be shown
    base_url: str = ""
    head: str | None = None  # of the ledger
    replayed: bool = False  # the ledger or a day's record says that dates were set
    days: Mapping[str, Day] = field(default_factory=dict)  # date → the day's scores, oldest first
    withdrawn: Mapping[str, str] = field(default_factory=dict)  # date → by whom, when and why, as a sentence
    moment: datetime = field(default_factory=lambda: datetime.now(UTC))  # the days are read as of it
    scratch: TemporaryDirectory[str] = field(
        default_factory=lambda: TemporaryDirectory(prefix="probatio-site-")
    )
    pairing: ModelComparer = field(default_factory=ModelComparer)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def leave_out(self, run: str, why: str) -> None:
        """Show the site without a run that turned out to be unreadable."""
        with self.lock:
            self.runs.pop(run, None)
            self.left_out[run] = why

    @property
    def simulated(self) -> bool:
        return any(record.simulated for record in self.records.values())

    @property
    def marks(self) -> list[str]:
        """What must be said wherever a verdict is shown."""
        marks = {"SIMULATED": self.simulated, "REPLAYED": self.replayed}
        return [mark for mark, holds in marks.items() if holds]

    @property
    def imported(self) -> int:
        """Days that were imported from a file."""
        return sum(bool(record.imported) for record in self.records.values())

    @property
    def goes_stale(self) -> datetime | None:
        """When the first of the models will be STALE that is not yet."""
        return min((each.goes_stale for each in self.tracked.values() if each.goes_stale), default=None)

    @property
    def all_stale(self) -> datetime | None:
        """When all models will be STALE; None if they are already, or never will be."""
        moments = [each.goes_stale for each in self.tracked.values() if each.last.shown != "STALE"]
        return max((each for each in moments if each), default=None) if all(moments) else None

    @property
    def last_date(self) -> str | None:
        return next(reversed(self.records), None)

    @cached_property
    def newest(self) -> NewestDay | None:
        """When the newest day was asked; None if there is none, or if its date was set by hand."""
        record = self.records[self.last_date] if self.last_date else None
        limit = goes_stale(record) if record else None
        if record is None or limit is None:
            return None
        return NewestDay(time_of(record).astimezone(UTC), limit, self.moment > limit)

    @cached_property
    def items(self) -> Items | None:
        """What the cases of the last days tell about the models; None if no answer is there to measure."""
        try:
            return measure_days(self.results, lenient=True, withdrawn=self.withdrawn)
        except ProbatioError:
            return None

    @cached_property
    def cases_measured(self) -> dict[tuple[str, str], Item]:
        """Use case and case → what it tells about the models."""
        return {(item.pool, item.id): item for item in self.items.items} if self.items else {}

    @cached_property
    def case_slugs(self) -> dict[str, dict[str, str]]:
        return case_slugs(self.days)

    @cached_property
    def case_standings(self) -> dict[tuple[str, str], CaseStanding]:
        return measure_cases(self.days)

    @cached_property
    def suite(self) -> DailySuite | None:
        """The suite of the newest day, if it is there as it was asked."""
        return find_suite(self.results, self.records[self.last_date] if self.last_date else None)

    def case_address(self, use_case: str, case: str) -> str:
        """The address of the case's own page; empty if no day has scored it."""
        slug = self.case_slugs.get(use_case, {}).get(case)
        return f"cases/{use_case}/{slug}/" if slug else ""

    @cached_property
    def titles(self) -> dict[str, str]:
        return {entry.id: entry.title for entry in self.manifest.use_cases}

    def title(self, use_case: str) -> str:
        return self.titles.get(use_case, use_case.replace("_", " "))

    @cached_property
    def changes(self) -> list[Change]:
        """All of them, newest first."""
        changes = [change for model in self.tracked.values() for change in model.changes]
        return sorted(changes, key=lambda change: (change.date, change.slug, change.layer), reverse=True)

    @cached_property
    def falls(self) -> list[tuple[TrackedModel, Fall]]:
        """Every fall of every model, the newest first."""
        found = [(model, fall) for model in self.tracked.values() for fall in model.falls]
        return sorted(found, key=lambda each: (each[1].first_seen, each[0].slug), reverse=True)

    @cached_property
    def sampled_dates(self) -> set[str]:
        """Days whose samples are shown: all, or the last ones and those on which a verdict changed."""
        if self.sample_days is None:
            return set(self.records)
        latest = list(self.records)[-self.sample_days :] if self.sample_days else []
        return {*latest, *(change.date for change in self.changes)}


def load_site(
    results: Path,
    *,
    bench: Path | None = None,
    sample_days: int | None = None,
    base_url: str = "",
    now: datetime | None = None,
) -> Site:
    """Read the results folder as of now."""
    lines = read_ledger(results)
    days = counted_days(read_hashed_days(results, without=days_ahead(results, today())), lines)
    manifest = _manifest(results, days)
    published = standing_records(lines)

    judged = _verdicts(published, days, manifest)
    names = {model.id: model.name for day in days.days for model in day.record.models}
    by_date = {day.date: day for day in days.days}
    runs, left_out = find_runs(results)
    samples = SampleReader(results, whole_days=sample_days is not None)
    now = now or datetime.now(UTC)
    moment = moment_of(days.days, now) if days.days else now
    return Site(
        results=results,
        manifest=manifest,
        records={day.date: day.record for day in days.days},
        tracked=_track(
            judged,
            names,
            VerdictDescriber(results, by_date, judged, samples.answers),
            frozenset(day.date for day in days.days if day.record.imported),
            last_answered(days.days),
            moment,
            days.dates[-1] if days.days else "",
        ),
        runs=runs,
        left_out=left_out,
        bench=read_bench(bench) if bench is not None else None,
        samples=samples,
        sample_days=sample_days,
        base_url=base_url.rstrip("/") + "/" if base_url else "",
        head=head_of(lines),
        replayed=any(
            day.record.replayed or (day.date in published and published[day.date].replayed)
            for day in days.days
        ),
        days=by_date,
        withdrawn={
            date: describe_withdrawn(each) for date, each in find_withdrawn(read_records(lines)).items()
        },
        moment=moment,
    )


def read_state(results: Path, bench: Path | None = None) -> tuple[tuple[str, int, int], ...]:
    """A value that changes when a file of the snapshot does."""
    files: list[Path] = [*results.glob(f"{DAILY}/*/{SCORES}"), results / DAILY / LEDGER]
    files += [*results.glob(f"*/{GRADES}"), *results.glob(f"*/{path_of_packed(Path(GRADES))}")]
    files += [bench] if bench is not None else []
    stats = ((str(path), path.stat()) for path in files if path.exists())
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


def _manifest(results: Path, days: Days) -> DailyManifest:
    """The manifest of the last day's suite; the built-in one if there is no day, or its folder is gone."""
    try:
        return read_manifest(suite_folder(results, days.days[-1].record) if days.days else None)
    except UsageError:
        return read_manifest(None)


def _verdicts(
    published: Mapping[str, LedgerRecord], days: Days, manifest: DailyManifest
) -> list[ModelVerdict]:
    """The verdicts that the ledger published. Those of other days are computed now.

    Verdicts of the last day also say the smallest drop that would have been detected, where `daily` or
    `verdict --detectable` has computed it: that is a simulation.
    """
    if not days.days:
        return []
    constants = constants_of(manifest)
    by_date: dict[str, tuple[ModelVerdict, ...]] = {
        date: record.verdicts for date, record in published.items() if date in set(days.dates)
    }
    missing = set(days.dates) - set(by_date)
    for verdict in verdicts(days, constants, dates=missing) if missing else ():
        by_date[verdict.date] = (*by_date.get(verdict.date, ()), verdict)
    last = days.dates[-1]
    computed = {
        verdict.model: verdict
        for verdict in judge_last(days, digest_days(days), constants, user_detectable_cache()).verdicts
        if verdict.date == last
    }
    by_date[last] = tuple(
        _with_drops(verdict, computed.get(verdict.model)) for verdict in by_date.get(last, ())
    )
    return [add_headline(verdict) for date in sorted(by_date) for verdict in by_date[date]]


def _with_drops(published: ModelVerdict, computed: ModelVerdict | None) -> ModelVerdict:
    if computed is None or computed.smallest_drop is None:
        return published
    drops = {each.use_case: each.smallest_drop for each in computed.use_cases}
    use_cases = tuple(
        msgspec.structs.replace(each, smallest_drop=drops.get(each.use_case)) for each in published.use_cases
    )
    return msgspec.structs.replace(published, smallest_drop=computed.smallest_drop, use_cases=use_cases)


def _track(
    judged: list[ModelVerdict],
    names: dict[str, str],
    teller: VerdictDescriber,
    imported: frozenset[str],
    answered: Mapping[str, Day],
    moment: datetime,
    newest: str,
) -> dict[str, TrackedModel]:
    by_model: dict[str, list[ModelVerdict]] = {}
    for verdict in judged:
        by_model.setdefault(verdict.model, []).append(verdict)
    tracked = {}
    for model, slug in make_slugs(sorted(by_model)).items():
        present = mark_stale(last := by_model[model][-1], answered, moment, newest=newest)
        tracked[slug] = TrackedModel(
            model,
            slug,
            tuple(by_model[model]),
            names.get(model, ""),
            teller,
            imported,
            present=None if present is last else present,
            goes_stale=goes_stale(answered[model].record) if present is last else None,
        )
    return tracked
