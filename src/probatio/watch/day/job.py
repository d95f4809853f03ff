"""A day as a job: calibrate the judge, ask and grade the samples round by round, record scores and
verdicts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from probatio.ask.routes import missing_key
from probatio.core.clock import now_text
from probatio.core.errors import Say, UsageError
from probatio.core.records import (
    Answer,
    Assessment,
    Calibration,
    DailyScore,
    Day,
    Model,
    Prompt,
    SampleAnswer,
    SampleGrade,
    SampleKey,
    Sampling,
    Stamp,
)
from probatio.grading.judge.asking import Judge, JudgeReply, ask_over, judge_model
from probatio.grading.judge.calibration import calibrate, calibration_set
from probatio.grading.samples import Grading, make_grade
from probatio.runs.engine import Engine, Watcher
from probatio.runs.job import answer_fields
from probatio.runs.session import Ending, Session, carry_out
from probatio.runs.store.days import DayReader
from probatio.runs.store.detectable import user_detectable_cache
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import JUDGE_REPLIES, SCORES
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import UseCase, constants_of
from probatio.watch.alerts.delivery import alert_after_day, alert_unasked
from probatio.watch.day.folder import join_record, read_record, write_record, write_scores
from probatio.watch.day.forms import narrow_each
from probatio.watch.day.preparation import PreparedDay
from probatio.watch.day.samples import (
    BASE,
    FULL,
    DaySamples,
    GradedLine,
    Round,
    SampleNumbers,
    ServedLine,
    find_late_models,
)
from probatio.watch.day.sampling import AdaptiveSampling
from probatio.watch.day.scores import DayScores, score_day
from probatio.watch.day.turns import TurnsOfDay
from probatio.watch.judged import digest_days, judge_last
from probatio.watch.ledger.ledger import counted_days, hash_day, read_ledger, record_day
from probatio.watch.verdict.days import Days, suite_of
from probatio.watch.verdict.expectation import Expectation

FRESH = 1000
"""Seeds of the full round begin this far from those of the base round: its samples are drawn again."""


class DayEnding(msgspec.Struct, frozen=True):
    """How a session of a day ended."""

    session: Ending
    scores: list[DailyScore]
    missing: dict[str, int]  # model → samples that are not there yet
    closed: bool
    days: dict[str, Day] = {}  # every closed day, if this one is closed now


def run_day(
    prepared: PreparedDay, env: Mapping[str, str], show: Callable[[Engine], Watcher], say: Say
) -> DayEnding:
    """Ask what is missing of the day, grade it and score it. What failed earlier on the same day is asked
    again."""
    job = DayJob(prepared)
    skipped, known = prepared.record.skipped, read_record(prepared.folder)
    if new := {model: why for model, why in skipped.items() if known is None or model not in known.skipped}:
        alert_unasked(prepared.results, prepared.record.date, new, prepared.alerts, env, say)
    ending = carry_out(job, env, show, say)
    if job.closed:
        alert_after_day(prepared.results, prepared.alerts, env, say)
    days = {day.date: day for day in job.closed_days()} if job.closed else {}
    return DayEnding(ending, job.scored.scores, job.scored.missing, job.closed, days)


class DayJob:
    """The samples of a day, for the models and use cases asked for."""

    retry_errors = True
    ends_alone = True
    answer_type = SampleAnswer
    answer_line = ServedLine
    grade_line = GradedLine

    def __init__(self, prepared: PreparedDay, results: Path | None = None) -> None:
        """`results`: where the ledger and more closed days are, if not where the day is made."""
        self._prepared = prepared
        self._suite = prepared.suite
        self._results = results or prepared.results
        self._readers = [DayReader(each) for each in dict.fromkeys((prepared.results, self._results))]
        self.folder = prepared.folder
        self.models = prepared.record.models
        self.max_connections = prepared.request.max_connections
        self.max_cost = prepared.request.max_cost
        self.timeouts = prepared.timeouts
        self.closed = False
        self.scored = DayScores([], {})
        # Refuses a changed suite before anything is locked or written.
        self.record = join_record(read_record(self.folder), prepared.record)
        self._samples = DaySamples(self._suite)
        self._turns = TurnsOfDay(self.folder, self._suite)
        self._require_one_kind()
        self._constants = constants_of(self._suite.manifest)

    def begin(self) -> None:
        self.record = join_record(read_record(self.folder), self._prepared.record)
        write_record(self.folder, self.record)
        earlier = self._days().before(self.record.date)
        self._expectation = Expectation(
            earlier,
            self._constants,
            suite_of(self.record),
            self.record.date,
            reformed=earlier.find_reformed(self.record),
        )
        self._stamp = Stamp(
            self.record.date, self.record.suite_version, self.record.git_sha, self.record.grader_version
        )
        asked = {model.id for model in self.models}
        self.models = tuple(model for model in self.record.models if model.id in asked)
        self._numbers = SampleNumbers(self._narrow(self._suite.use_cases.values()))
        self.number = self._numbers.number
        self.key = self._numbers.key

    def _narrow(self, use_cases: Iterable[UseCase]) -> dict[str, tuple[UseCase, ...]]:
        """Model → these use cases in its form."""
        return narrow_each(self.models, self.record.forms, use_cases)

    def closed_days(self) -> list[Day]:
        return [day for reader in self._readers for day in reader.days()]

    def _days(self) -> Days:
        return counted_days(self.closed_days(), read_ledger(self._results))

    def _require_one_kind(self) -> None:
        """Refuse to mix simulated and real days in one results folder: no verdict may rest on both."""
        record = self.record
        other = next((day for day in self.closed_days() if day.record.simulated != record.simulated), None)
        if other is not None:
            kinds = ("a simulated day", "real days") if record.simulated else ("a real day", "simulated days")
            raise UsageError(
                f"The folder of runs holds {kinds[1]} ({other.date}), and {record.date} would be {kinds[0]}. "
                "Name another one with --results."
            )

    async def open(self, session: Session) -> None:
        self._grading = Grading(self._suite, self._prepared.request.sandbox, lambda: session.stopping)
        self._grading.judge = await self._judge(session)
        calibration = self.record.calibration
        if calibration and calibration.error:
            self._grading.no_judge = calibration.error
        # Where the judge fails today, answers of hybrid use cases are kept for it, the code's part is graded.
        self._use_cases = self._narrow(
            each
            for each in self._prepared.use_cases
            if each.id not in self.record.not_asked and (self._grading.judge or each.grading != "judge")
        )
        barred = calibration is not None and calibration.barred
        self._rounds = AdaptiveSampling(self._expectation, self._samples, self.record.forms, barred=barred)

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        """Record which file answers. It must be the same all day."""
        before = self.record.embedded.get(model.id)
        if before is not None and before["sha256"] != file["sha256"]:
            raise UsageError(
                f"`{model.id}` is another file now than the one that answered earlier on "
                f"{self.record.date}, and two models are "
                f"not one. Give it another name, or begin with it on the next day."
            )
        self._record(embedded={**self.record.embedded, model.id: file})

    def end(self, ending: Ending, journal: Journal) -> None:
        late = find_late_models(self.record, self._samples.first_asked())
        if late != self.record.asked_late:
            self._record(asked_late=late)
        self.scored = self._score(ending.refused)
        self.closed = ending.stop_reason is None and not self.scored.missing
        if self.closed:
            write_scores(self.folder, self.scored.scores)
            self._record_verdicts(journal)

    def __len__(self) -> int:
        return len(self._numbers)

    def total(self) -> int:
        return sum(
            self._turns.is_first(self.key(number)) for model in self.models for number in self._first(model)
        )

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield from self._in_order(self._first(model))
        again: list[int] = []
        for use_case in self._use_cases[model.id]:
            scored = {case.id for case in use_case.cases}
            keys = map(self.key, self._batch(model, use_case, BASE))
            base = self._samples.grades(key for key in keys if key.case in scored)
            _, *more = self._rounds.choose_rounds(model.id, use_case, base)
            again += [number for which in more for number in self._batch(model, use_case, which)]
        yield from self._in_order(again)

    def _in_order(self, numbers: Iterable[int]) -> Iterator[Collection[int]]:
        return self._turns.in_order((number, self.key(number)) for number in numbers)

    def prompt(self, key: SampleKey) -> Prompt:
        case = self._suite.cases[key.case]
        if case.earlier:
            return self._turns.converse(case, key)
        return case.converse() if case.system else case.prompt

    def sampling(self, key: SampleKey) -> Sampling:
        """Each sample has its own seed, and the two rounds share none.

        At temperature 0 the request is the same every day. Above it each day draws its own samples: with
        equal seeds every day would repeat the first.
        """
        sampling = self.record.sampling
        seed = sampling.seed
        if seed is not None:
            seed += key.sample + (FRESH if key.round == FULL else 0)
            seed += (
                date.fromisoformat(self.record.date).toordinal() * 2 * FRESH if sampling.temperature else 0
            )
        return msgspec.structs.replace(
            sampling,
            max_tokens=self._suite.use_cases[self._suite.cases[key.case].use_case].max_tokens,
            seed=seed,
        )

    def answer_record(self, key: SampleKey, prompt: str, answer: Answer, cost: float | None) -> SampleAnswer:
        return SampleAnswer(
            **key._asdict(),
            use_case=self._suite.cases[key.case].use_case,
            timestamp=now_text(),
            date=self.record.date,
            suite_version=self.record.suite_version,
            git_sha=self.record.git_sha,
            prompt=prompt,
            system=self._suite.cases[key.case].system,
            after=self._suite.cases[key.case].after,
            **answer_fields(answer, cost),
        )

    async def assess(self, response: SampleAnswer) -> Assessment:
        return await self._grading.grade(response)

    def grade_record(self, response: SampleAnswer, assessment: Assessment) -> SampleGrade:
        return make_grade(response, assessment, self.record.grader_version)

    def recall_answer(self, line: ServedLine) -> None:
        self._samples.add_answer(line)

    def recall_grade(self, line: GradedLine) -> bool:
        """Whether a kept grade counts. One without its judged part is made again when there is a judge."""
        self._samples.add_grade(line)
        case = self._suite.cases.get(line.case)
        judged = case is not None and self._suite.is_judged(case)
        return not (self._grading.judge and judged and line.judged is None)

    def note_answer(self, response: SampleAnswer) -> None:
        """Keep the order of the file, so that scores made now equal those made from the files."""
        self._samples.add_answer(response)

    def note_grade(self, response: SampleAnswer, grade: SampleGrade) -> None:
        self._samples.add_grade(grade)

    def _score(self, refused: Mapping[str, str]) -> DayScores:
        """Score the day as it is now. Models of earlier processes keep their use cases and their reasons."""
        asked = {each.id for each in self._prepared.use_cases} - self.record.not_asked.keys()
        wanted = {model.id: set(asked) for model in self.models}
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
        return score_day(
            self.record, self._suite, self._expectation, self._samples, wanted, {**earlier, **refused}
        )

    def _record_verdicts(self, journal: Journal) -> None:
        """Append the day's verdicts to the ledger, with corrections for what follows from them.

        Nothing is appended if they are there already. The minimum detectable effects are computed here, once
        per reference, and kept in the cache with the verdicts, for the site and the commands.
        """
        results, date = self._prepared.results, self.record.date
        hashes = hash_day(results, date, journal.digests())
        record_day(results, date, self._constants, now_text(), self.closed_days, hashes)
        days = self._days().until(date)
        judge_last(days, digest_days(days), self._constants, user_detectable_cache(), compute=True)

    async def _judge(self, session: Session) -> Judge | None:
        """The calibrated judge. None if no judge can be used today; the record says why."""
        if not self._prepared.judged:
            return None
        entry = self._suite.manifest.judge
        model = judge_model(entry)
        if key := missing_key(model, session.env):
            why = f"the judge {entry.name} needs the key {key}, which is not set"
            if self.record.calibration is None:
                self._record(not_asked=self._prepared.not_asked)
            if self.record.calibration is None or self.record.calibration.error:
                self._record(calibration=Calibration(judge=entry.name, error=why))
            session.say(f"No judge: {why}. {self._describe_unjudged()}")
            return None
        if self.record.not_asked:
            self._record(not_asked={})
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
            session.say(_describe_calibration(calibration))
        return None if calibration.error else judge

    def _describe_unjudged(self) -> str:
        without = [each.title for each in self._prepared.use_cases if each.id in self.record.not_asked]
        if without:
            return f"Not asked, because only a judge can score them: {', '.join(without)}."
        return "What needs one is not scored; hybrid use cases keep their checked part."

    def _record(self, **changes: object) -> None:
        self.record = msgspec.structs.replace(self.record, **changes)
        write_record(self.folder, self.record)

    def _first(self, model: Model) -> list[int]:
        return [
            number
            for use_case in self._use_cases[model.id]
            for number in self._batch(model, use_case, self._rounds.first_round(model.id, use_case))
        ]

    def _batch(self, model: Model, use_case: UseCase, which: Round) -> range:
        return self._numbers.batch(model.id, use_case.id, which)


def _describe_calibration(calibration: Calibration) -> str:
    if calibration.error:
        return f"No judge: {calibration.error}."
    barred = "; judged and hybrid use cases are barred today" if calibration.barred else ""
    answers = len(calibration.items)
    return (
        f"Judge {calibration.judge}: shift {calibration.shift:+.2f} over {answers} calibration "
        f"answers{barred}."
    )


def show_nothing(engine: Engine) -> Watcher:
    from probatio.runs.notebook import Silent

    watcher: Watcher = Silent().open(engine)
    return watcher
