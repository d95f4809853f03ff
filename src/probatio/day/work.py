"""A day carried out: its judge calibrated, its samples asked and graded, its scores and verdicts recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import msgspec

from probatio.alerts.delivery import alert_after_day
from probatio.ask.routes import missing_key
from probatio.day.folder import joined, read_record, write_record, write_scores
from probatio.day.grading import Grading
from probatio.day.job import DayJob
from probatio.day.lateness import asked_late
from probatio.day.preparation import PreparedDay
from probatio.day.samples import DaySamples
from probatio.day.sampling import AdaptiveSampling
from probatio.day.scores import DayScores, score_day
from probatio.errors import Say, UsageError
from probatio.judge.asking import Judge, JudgeReply, ask_over, judge_model
from probatio.judge.calibration import calibrate, calibration_set
from probatio.ledger.ledger import acceptances, day_hashes, read_ledger, record_day
from probatio.records import Calibration, DailyScore, Day, DayRecord, Model, Stamp
from probatio.run.clock import now_text
from probatio.run.engine import Engine, Watcher
from probatio.run.job import Job
from probatio.run.session import Ending, Session, carry_out
from probatio.store.days import DayReader
from probatio.store.detectable import user_detectable_cache
from probatio.store.journal import Journal
from probatio.store.layout import JUDGE_REPLIES, SCORES
from probatio.store.lines import read_lines
from probatio.suite.daily_suite import constants_of
from probatio.verdict.days import Days, suite_of
from probatio.verdict.expectation import Expectation
from probatio.verdict.verdicts import verdicts


class Reader(Protocol):
    """Reads the closed days."""

    def days(self) -> list[Day]: ...


class DayEnding(msgspec.Struct, frozen=True):
    """How a session of a day ended."""

    session: Ending
    scores: list[DailyScore]
    missing: dict[str, int]  # model → samples that are not there yet
    closed: bool


def run_day(prepared: PreparedDay, env: Mapping[str, str], show: Callable[[Engine], Watcher], say: Say) -> DayEnding:
    """Ask what is missing of the day, grade and score it. What could not be asked earlier the same day is asked again."""
    work = DayWork(prepared)
    ending = carry_out(work, env, show, say)
    if work.closed:
        alert_after_day(prepared.results, prepared.alerts, env, say)
    return DayEnding(ending, work.scored.scores, work.scored.missing, work.closed)


class DayWork:
    """One process's work on a day, as a session carries it out."""

    retry_errors = True
    job_type = DayJob

    def __init__(self, prepared: PreparedDay) -> None:
        self._prepared = prepared
        self._suite = prepared.suite
        self.folder = prepared.folder
        self.models = prepared.record.models
        self.max_connections = prepared.request.max_connections
        self.max_cost = prepared.request.max_cost
        self.timeouts = prepared.timeouts
        self.closed = False
        self.scored = DayScores([], {})
        # Refuses a changed suite before anything is locked or written.
        self.record = joined(read_record(self.folder), prepared.record)
        self._samples = DaySamples(self._suite)
        self._history = self._reader()
        _require_one_kind(self._history.days(), self.record)
        self._constants = constants_of(self._suite.manifest)

    def begin(self) -> None:
        self.record = joined(read_record(self.folder), self._prepared.record)
        write_record(self.folder, self.record)
        earlier = self._days().before(self.record.date)
        self._expectation = Expectation(earlier, self._constants, suite_of(self.record), self.record.date)
        self._stamp = Stamp(
            self.record.date, self.record.suite_version, self.record.git_sha, self.record.grader_version
        )

    def _reader(self) -> Reader:
        return DayReader(self._prepared.results)

    def _days(self) -> Days:
        return Days(self._history.days(), acceptances(read_ledger(self._prepared.results)))

    async def open(self, session: Session) -> Job:
        request = self._prepared.request
        grading = Grading(self._suite, request.sandbox)
        session.closing.callback(grading.close)
        grading.judge = await self._judge(session)
        calibration = self.record.calibration
        grading.no_judge = (calibration and calibration.error) or grading.no_judge
        grading.stopping = lambda: session.stopping
        barred = calibration is not None and calibration.barred
        asked = {model.id for model in self.models}
        return self.job_type(
            self._stamp,
            tuple(model for model in self.record.models if model.id in asked),
            self._suite,
            self._prepared.use_cases,
            self.record.sampling,
            request.max_connections,
            self._samples,
            AdaptiveSampling(self._expectation, self._samples, barred=barred),
            grading,
        )

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        """Which file answers; within a day always the same."""
        before = self.record.embedded.get(model.id)
        if before is not None and before["sha256"] != file["sha256"]:
            raise UsageError(
                f"`{model.id}` is another file now than the one that answered earlier on {self.record.date}, and two models are "
                f"not one. Give it another name, or begin with it on the next day."
            )
        self._record(embedded={**self.record.embedded, model.id: file})

    def end(self, ending: Ending, journal: Journal) -> None:
        late = asked_late(self.record, self._samples.first_asked())
        if late != self.record.asked_late:
            self._record(asked_late=late)
        self.scored = self._score(ending.refused)
        self.closed = ending.stop_reason is None and not self.scored.missing
        if self.closed:
            write_scores(self.folder, self.scored.scores)
            self._record_verdicts(journal)

    def _score(self, refused: Mapping[str, str]) -> DayScores:
        """The day as it is now; models of earlier processes keep the use cases and the reasons they were closed with."""
        wanted = {model.id: {use_case.id for use_case in self._prepared.use_cases} for model in self.models}
        closed: dict[str, list[DailyScore]] = {}
        for line in read_lines(self.folder / SCORES, DailyScore):
            closed.setdefault(line.model, []).append(line)
        earlier = {
            model: str(lines[0].gap)
            for model, lines in closed.items()
            if model not in wanted and all(line.score is None for line in lines)
        }
        for model, lines in closed.items():
            wanted.setdefault(model, set()).update(line.use_case for line in lines)
        return score_day(self.record, self._suite, self._expectation, self._samples, wanted, {**earlier, **refused})

    def _record_verdicts(self, journal: Journal) -> None:
        """Append the day's verdicts to the ledger, with corrections for what follows from them; nothing where they are there
        already. The smallest drop that an OK would have shown is worked out here, once per reference and into the cache, so that
        whoever shows it only reads."""
        results, date = self._prepared.results, self.record.date
        hashes = day_hashes(results, date, journal.digests())
        record_day(results, date, self._constants, now_text(), self._history.days, hashes)
        until_today = self._days().until(date)
        verdicts(until_today, self._constants, dates={date}, detectable=user_detectable_cache())

    async def _judge(self, session: Session) -> Judge | None:
        """The judge, calibrated; None where there is none today, with the reason in the record."""
        if not self._prepared.judged:
            return None
        entry = self._suite.manifest.judge
        model = judge_model(entry)
        if key := missing_key(model, session.env):
            self._no_judge(f"the judge {entry.name} needs the key {key}, which is not set", session.say)
            return None
        route = session.closing.enter_context(session.route(model))
        judge = Judge(
            entry,
            ask_over(session.client, route, self._suite.sampling, entry),
            self._stamp,
            lambda reply: session.journal.keep(JUDGE_REPLIES, reply),
            session.budget,
        )
        judge.recall(reply for _, reply in session.journal.take_up(JUDGE_REPLIES, JudgeReply))
        calibration = self.record.calibration
        if calibration is None or calibration.error:
            calibration = await calibrate(judge, self._suite, calibration_set(self._suite))
            self._record(calibration=calibration)
            session.say(_sentence(calibration))
        return None if calibration.error else judge

    def _no_judge(self, why: str, say: Say) -> None:
        if self.record.calibration is None or self.record.calibration.error:
            self._record(calibration=Calibration(judge=self._suite.manifest.judge.name, error=why))
        say(f"No judge: {why}. What needs one is not scored; hybrid use cases keep their checked part.")

    def _record(self, **changes: object) -> None:
        self.record = msgspec.structs.replace(self.record, **changes)
        write_record(self.folder, self.record)


def _require_one_kind(days: Iterable[Day], record: DayRecord) -> None:
    """A results folder holds simulated days or real ones, never both: no verdict may rest on a mixture."""
    other = next((day for day in days if day.record.simulated != record.simulated), None)
    if other is not None:
        kinds = ("a simulated day", "real days") if record.simulated else ("a real day", "simulated days")
        raise UsageError(
            f"The folder of runs holds {kinds[1]} ({other.date}), and {record.date} would be {kinds[0]}. Name another one with "
            f"--results."
        )


def _sentence(calibration: Calibration) -> str:
    if calibration.error:
        return f"No judge: {calibration.error}."
    barred = "; judged and hybrid use cases are barred today" if calibration.barred else ""
    answers = len(calibration.items)
    return f"Judge {calibration.judge}: shift {calibration.shift:+.2f} over {answers} calibration answers{barred}."
