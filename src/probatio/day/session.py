"""A day carried out, from a request to its scores: judge, calibration, engine and reckoning tied together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import msgspec

from probatio.alerts.delivery import alert_after_day
from probatio.ask.client import ChatClient
from probatio.ask.connection import open_route
from probatio.ask.routes import Route, missing_key
from probatio.day.closing import close
from probatio.day.completion import Reckoned, begun, reckon
from probatio.day.folder import day_before, joined, read_record, write_record, write_scores
from probatio.day.grading import Grading
from probatio.day.job import DayJob
from probatio.day.preparation import Prepared
from probatio.day.sampling import Rounds
from probatio.errors import ProbatioError, Say, UsageError
from probatio.judge.calibration import calibrate, calibration_set
from probatio.judge.judge import Judge, JudgeReply, judge_model
from probatio.records import Calibration, DailyScore, DayRecord, Model
from probatio.run.budget import Budget
from probatio.run.engine import Engine, Tally, Watcher
from probatio.run.job import Stamp
from probatio.run.record import embedded_file
from probatio.run.session import on_signals, pull_embedded
from probatio.store.days import read_days
from probatio.store.journal import Journal
from probatio.store.layout import JUDGE_REPLIES, SCORES
from probatio.store.lines import read_lines
from probatio.suite.daily import constants_of
from probatio.verdict.days import Days
from probatio.verdict.expectation import Expectation


class Ending(msgspec.Struct, frozen=True):
    """How a session of a day ended."""

    scores: list[DailyScore]
    missing: dict[str, int]
    calibration: Calibration | None
    refused: dict[str, str]
    tally: Tally
    seconds: float
    stop_reason: str | None
    closed: bool


def carry_out(prepared: Prepared, env: Mapping[str, str], show: Callable[[Engine], Watcher], say: Say) -> Ending:
    """Ask what is missing of the day, grade and score it. What could not be asked earlier the same day is asked again."""
    record, folder = prepared.record, prepared.folder
    before = read_record(folder)
    joined(before, record)  # refuses a changed suite before errors are set aside
    pull_embedded(record.models, say)
    began = time.monotonic()
    with Journal(folder, retry_errors=True) as journal:
        record = joined(read_record(folder), record)
        write_record(folder, record)
        day = _Day(prepared, record, journal, env, say)
        try:
            tally, reason, refused = asyncio.run(day.run(show))
        except KeyboardInterrupt:
            raise ProbatioError("Interrupted.") from None
        reckoned = day.reckoned(refused)
        closed = reason is None and not reckoned.missing
        if closed:
            write_scores(folder, reckoned.scores)
            close(folder.parent.parent, record.date, prepared.suite.manifest)
    if closed:
        alert_after_day(folder.parent.parent, prepared.alerts, env, say)
    return Ending(
        reckoned.scores,
        reckoned.missing,
        day.record.calibration,
        refused,
        tally,
        time.monotonic() - began,
        reason,
        closed,
    )


class _Day:
    """One process's work on a day, while it holds the day's lock."""

    def __init__(
        self, prepared: Prepared, record: DayRecord, journal: Journal, env: Mapping[str, str], say: Say
    ) -> None:
        self._prepared = prepared
        self._suite = prepared.suite
        self._journal = journal
        self._folder = prepared.folder
        self._env = env
        self._say = say
        self.record = record
        self._stamp = Stamp(record.date, record.suite_version, record.git_sha, record.grader_version)
        earlier = Days(read_days(self._folder.parent.parent, until=day_before(record.date)))
        manifest = self._suite.manifest
        self._past = Expectation(earlier, constants_of(manifest), manifest.version, record.date)

    async def run(self, show: Callable[[Engine], Watcher]) -> tuple[Tally, str | None, dict[str, str]]:
        request = self._prepared.request
        budget = Budget(request.max_cost)
        asked = {model.id for model in self._prepared.record.models}
        models = tuple(model for model in self.record.models if model.id in asked)
        grading = Grading(self._suite, request.sandbox)
        async with ChatClient(request.max_connections) as client:
            with ExitStack() as opened:
                opened.callback(grading.close)
                grading.judge = await self._judge(client, budget, opened)
                calibration = self.record.calibration
                grading.no_judge = (calibration and calibration.error) or grading.no_judge
                barred = calibration is not None and calibration.barred
                rounds = Rounds(self._past, begun(self._folder, self._suite), barred=barred)
                job = DayJob(
                    self._stamp,
                    models,
                    self._suite,
                    self._prepared.use_cases,
                    self.record.sampling,
                    request.max_connections,
                    rounds,
                    grading,
                )
                engine = Engine(job, self._journal, client, self._open, budget)
                engine.watcher = show(engine)
                grading.stopping = lambda: engine.stop_reason is not None
                on_signals(engine)
                await engine.run()
                return engine.tally, engine.stop_reason, engine.refused

    def reckoned(self, refused: Mapping[str, str]) -> Reckoned:
        """The day as it stands; models of earlier processes keep the use cases and the reasons they were closed with."""
        asked = {
            model.id: {use_case.id for use_case in self._prepared.use_cases} for model in self._prepared.record.models
        }
        closed: dict[str, list[DailyScore]] = {}
        for line in read_lines(self._folder / SCORES, DailyScore):
            closed.setdefault(line.model, []).append(line)
        earlier = {
            model: str(lines[0].gap)
            for model, lines in closed.items()
            if model not in asked and all(line.score is None for line in lines)
        }
        for model, lines in closed.items():
            asked.setdefault(model, set()).update(line.use_case for line in lines)
        return reckon(self._folder, self.record, self._suite, self._past, asked, {**earlier, **refused})

    @contextmanager
    def _open(self, model: Model) -> Iterator[Route]:
        with open_route(model, self._env) as route:
            if model.provider == "embedded":
                self._record(embedded={**self.record.embedded, model.id: self._same_file(model)})
            elif self._prepared.timeouts:
                route = msgspec.structs.replace(route, timeouts=self._prepared.timeouts)
            yield route

    def _same_file(self, model: Model) -> dict[str, object]:
        """Which file answers; within a day always the same."""
        file, before = embedded_file(model), self.record.embedded.get(model.id)
        if before is not None and before["sha256"] != file["sha256"]:
            raise UsageError(
                f"`{model.id}` is another file now than the one that answered earlier on {self.record.date}, and two models are "
                f"not one. Give it another name, or begin with it on the next day."
            )
        return file

    async def _judge(self, client: ChatClient, budget: Budget, opened: ExitStack) -> Judge | None:
        """The judge, calibrated; None where there is none today, with the reason in the record."""
        if not self._prepared.judged:
            return None
        entry = self._suite.manifest.judge
        model = judge_model(entry)
        if key := missing_key(model, self._env):
            self._no_judge(f"the judge {entry.name} needs the key {key}, which is not set")
            return None
        route = opened.enter_context(self._open(model))
        judge = Judge(
            entry,
            route,
            self._suite.sampling,
            client,
            self._stamp,
            lambda reply: self._journal.keep(JUDGE_REPLIES, reply),
            budget,
        )
        judge.recall(read_lines(self._folder / JUDGE_REPLIES, JudgeReply))
        standing = self.record.calibration
        if standing is None or standing.error:
            standing = await calibrate(judge, self._suite, calibration_set(self._suite))
            self._record(calibration=standing)
            self._say(_told(standing))
        return None if standing.error else judge

    def _no_judge(self, why: str) -> None:
        if self.record.calibration is None or self.record.calibration.error:
            self._record(calibration=Calibration(judge=self._suite.manifest.judge.name, error=why))
        self._say(f"No judge: {why}. What needs one is not scored; hybrid use cases keep their checked part.")

    def _record(self, **changes: object) -> None:
        self.record = msgspec.structs.replace(self.record, **changes)
        write_record(self._folder, self.record)


def _told(standing: Calibration) -> str:
    if standing.error:
        return f"No judge: {standing.error}."
    barred = "; judged and hybrid use cases are barred today" if standing.barred else ""
    return (
        f"Judge {standing.judge}: shift {standing.shift:+.2f} over {len(standing.items)} calibration answers{barred}."
    )
