"""The engine: asks every question of a job once, keeps the answer, grades it, keeps the grade."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import msgspec

from probatio.ask.budget import Budget
from probatio.ask.client import ChatClient, GivenUp, StopTheRun
from probatio.ask.gate import Gate, GateClosed
from probatio.ask.prices import cost_of_answer
from probatio.ask.providers import provider_of
from probatio.ask.routes import Route
from probatio.core.errors import ProbatioError
from probatio.core.records import (
    NOT_SCORED,
    UNASKED_ERRORS,
    UNCHECKED,
    Answer,
    Grade,
    Model,
    Response,
    SampleAnswer,
    SampleGrade,
)
from probatio.grading.trial_answers import assess_unchecked
from probatio.runs.job import CannotAsk, Job
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.runs.store.lines import Span

Opener = Callable[[Model], AbstractContextManager[Route]]
"""Opens the way to a model for as long as it is asked; an embedded one is loaded and unloaded by it."""


class Watcher(Protocol):
    """Shows a run while it goes on."""

    def trial(self, response: Response | SampleAnswer, grade: Grade | SampleGrade) -> None: ...

    def say(self, sentence: str) -> None: ...

    def stopping(self, reason: str, in_flight: int) -> None: ...

    def tick(self) -> None:
        """Called every second, also when no answer came."""
        ...


@dataclass(slots=True)
class Tally:
    """How a run stands."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0  # could not be asked
    unchecked: int = 0  # answered, but the answer could not be checked
    unscored: int = 0  # answered, and nothing is expected of the answer
    asked: int = 0  # by this process
    spent: float = 0.0
    tried: int = 0  # trials with several attempts whose first answer counts, without controls
    solved: tuple[int, ...] = ()  # of them, those solved within 1, 2, … attempts

    @property
    def done(self) -> int:
        return self.passed + self.failed + self.errors + self.unchecked + self.unscored

    def count(self, correct: bool, error_type: str | None) -> None:
        if error_type == UNCHECKED:
            self.unchecked += 1
        elif error_type == NOT_SCORED:
            self.unscored += 1
        elif error_type in UNASKED_ERRORS:
            self.errors += 1
        elif correct:
            self.passed += 1
        else:
            self.failed += 1


_PASSED, _FAILED, _ERROR, _UNCHECKED, _UNSCORED = 1, 2, 3, 4, 5
"""The state of a question in the table that a resume makes; 0 is not graded yet."""


def _standing(correct: bool, error_type: str | None) -> int:
    if error_type == NOT_SCORED:
        return _UNSCORED
    if error_type in UNASKED_ERRORS:
        return _UNCHECKED if error_type == UNCHECKED else _ERROR
    return _PASSED if correct else _FAILED


class Engine:
    """One job, from where it stands to its end or to the reason it stops."""

    watcher: Watcher

    def __init__(
        self, job: Job, journal: Journal, client: ChatClient, opener: Opener, budget: Budget
    ) -> None:
        self._job = job
        self._journal = journal
        self._client = client
        self._opener = opener
        self._budget = budget
        self._budget_moved = asyncio.Event()
        self._answered = bytearray(len(job))
        self._lanes: list[asyncio.Task[None]] = []
        self.tally = Tally()
        self.stop_reason: str | None = None
        self.refused: dict[str, str] = {}  # model → why it can't be asked any further, where it ends alone
        self.failures = Failures()

    @property
    def gate(self) -> Gate:
        return self._client.gate

    async def run(self) -> None:
        """Ask what is not yet asked. Ends early, with `stop_reason` set, rather than lose anything."""
        await self._take_up()
        local = [model for model in self._job.models if provider_of(model).local]
        remote = [model for model in self._job.models if not provider_of(model).local]
        # Models over the network go side by side; local ones share these cores and go one after another.
        chains = [*([model] for model in remote), *([local] if local else [])]
        self._lanes = [asyncio.create_task(self._ask_in_turn(chain)) for chain in chains]
        for result in await asyncio.gather(*self._lanes, return_exceptions=True):
            if isinstance(result, ProbatioError):
                self.stop(str(result))
            elif isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result
        self.tally.spent = self._budget.spent  # what the judge took after the last question, too

    def stop(self, reason: str) -> None:
        """Send nothing more; answers in flight are paid for and still awaited."""
        if self.stop_reason is None:
            self.stop_reason = reason
            self.gate.close()
            self._budget_moved.set()
            self.watcher.stopping(reason, self.gate.in_flight)

    def abandon(self) -> None:
        """Drop even the answers in flight."""
        for lane in self._lanes:
            lane.cancel()

    async def _take_up(self) -> None:
        """Read what earlier processes did: nothing is asked twice, ungraded answers are graded."""
        graded = bytearray(len(self._job))
        for _, line in self._journal.take_up(GRADES, self._job.grade_line):
            counts, number = self._job.recall_grade(line), self._job.number(line.key)
            if number is not None:
                graded[number] = _standing(line.correct, line.error_type) if counts else 0
        tally = self.tally
        tally.passed, tally.failed, tally.errors, tally.unchecked, tally.unscored = map(
            graded.count, (_PASSED, _FAILED, _ERROR, _UNCHECKED, _UNSCORED)
        )
        ungraded: list[Span] = []
        for span, line in self._journal.take_up(ANSWERS, self._job.answer_line):
            self._job.recall_answer(line)
            number = self._job.number(line.key)
            if number is not None and not self._answered[number]:
                self._answered[number] = 1
                self._budget.recall(line.cost)
                self.failures.note(line.model, line.error)
                if not graded[number]:
                    ungraded.append(span)
        self.tally.spent = self._budget.spent
        self.tally.total = self._job.total()
        if ungraded:
            await self._grade_left_over(iter(ungraded))

    async def _grade_left_over(self, spans: Iterator[Span]) -> None:
        """Grade answers of an earlier process, several at a time: one may wait for a jail or a judge."""

        async def work() -> None:
            for span in spans:
                try:
                    await self._grade(self._journal.at(ANSWERS, span, self._job.answer_type))
                except GateClosed:
                    return

        self._lanes = [asyncio.create_task(work()) for _ in range(self._job.max_connections)]
        for result in await asyncio.gather(*self._lanes, return_exceptions=True):
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    async def _ask_in_turn(self, models: list[Model]) -> None:
        for model in models:
            with ExitStack() as opened:
                route: Route | None = None
                for number, batch in enumerate(self._job.rounds(model)):
                    if number:
                        self.tally.total += len(batch)
                    pending = (each for each in batch if not self._answered[each])
                    first = next(pending, None)
                    if first is None:
                        continue
                    if self.stop_reason:
                        return
                    route = route or opened.enter_context(self._opener(model))
                    await self._ask_all(model, route, chain((first,), pending))
                    if self._has_ended(model):
                        break

    async def _ask_all(self, model: Model, route: Route, pending: Iterator[int]) -> None:
        """A few more workers than may be in flight: while some wait out a retry, the route stays full."""
        ceiling = min(self._job.max_connections, route.max_in_flight or self._job.max_connections)
        workers = [
            asyncio.create_task(self._work(model, route, pending)) for _ in range(ceiling + ceiling // 2 + 1)
        ]
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                if error := worker.exception():
                    self.stop(
                        str(error) if isinstance(error, ProbatioError) else f"{type(error).__name__}: {error}"
                    )
            # The others keep the answers they wait for; a worker sends nothing once the gate is closed.
            for result in await asyncio.gather(*workers, return_exceptions=True):
                if isinstance(result, BaseException) and not isinstance(result, ProbatioError):
                    raise result
        finally:
            for worker in workers:
                worker.cancel()

    async def _work(self, model: Model, route: Route, pending: Iterator[int]) -> None:
        for number in pending:
            if self._has_ended(model) or not await self._affordable():
                return
            self._budget.count_sent()
            cost: float | None = None
            try:
                response = await self._ask(self._job.key(number), model, route)
                cost = response.cost
            except GateClosed:
                return
            except GivenUp as error:
                self._give_up(model, route, str(error))
                return
            except StopTheRun as error:
                self._refuse(model, str(error))
                return
            finally:
                self._budget.count_returned(cost)
                self.tally.spent = self._budget.spent
                self._budget_moved.set()
            try:
                await self._grade(response)
            except GateClosed:  # the judge can't be asked any more; a resume grades the answer
                if self.stop_reason:
                    return

    def _has_ended(self, model: Model) -> bool:
        return self.stop_reason is not None or model.id in self.refused

    def _refuse(self, model: Model, reason: str) -> None:
        if self._job.ends_alone:
            self.refused.setdefault(model.id, reason)
        else:
            self.stop(reason)

    def _give_up(self, model: Model, route: Route, reason: str) -> None:
        """Stop asking a model and say so. What waits for its route is turned away; other models go on."""
        if model.id not in self.refused:
            self.refused[model.id] = reason
            self.gate.close(route.key)
            self.watcher.say(f"{model.id} is asked no further. {reason}")

    async def _affordable(self) -> bool:
        while not self._budget.admits():
            if self._budget.reached:
                self.stop(
                    f"The budget of ${self._budget.limit:.2f} is reached (${self._budget.spent:.4f} spent)."
                )
            if self.stop_reason:
                return False
            self._budget_moved.clear()
            await self._budget_moved.wait()
        return True

    async def _ask(self, key: Any, model: Model, route: Route) -> Response | SampleAnswer:
        response: Response | SampleAnswer
        try:
            prompt = self._job.prompt(key)
        except CannotAsk as unasked:  # kept like a request that failed: the next session tries again
            response = self._job.answer_record(key, unasked.prompt, Answer(None, str(unasked), tries=0), None)
            self._journal.answer(response)
            self._job.note_answer(response)
            return response
        answer = await self._client.ask(route, prompt, self._job.sampling(key))
        cost = None if answer.text is None else cost_of_answer(model, answer)
        text = prompt if isinstance(prompt, str) else prompt.last
        response = self._job.answer_record(key, text, answer, cost)
        self._journal.answer(response)
        self._job.note_answer(response)
        self.failures.note(model.id, answer.error if answer.text is None else None)
        self.tally.asked += 1
        if self._journal.full:
            self.stop("The disk is full.")
        if self._budget.limit is not None and cost is None and answer.text is not None:
            why = f"neither the reply nor models.yml has a price for `{model.id}`"
            if answer.usage_fault:
                why = f"{why} that can be believed ({answer.usage_fault})"
            self._refuse(model, f"--max-cost can't be enforced: {why}.")
        return response

    async def _grade(self, response: Response | SampleAnswer) -> None:
        try:
            assessment = await self._job.assess(response)
        except (GateClosed, ProbatioError):
            raise
        except (
            Exception
        ) as error:  # one answer costs no more than its own grade, whatever it found a way to break
            assessment = assess_unchecked(f"grading it failed: {type(error).__name__}: {error}"[:500])
        grade = self._job.grade_record(response, assessment)
        self._journal.grade(grade)
        self._job.note_grade(response, grade)
        self.tally.count(grade.correct, grade.error_type)
        self.tally.spent = self._budget.spent
        self.watcher.trial(response, grade)


KINDS_KEPT = 200
"""Different reasons that are counted for one model: a server may put a new number into each."""

SHOWN = 200
"""Characters of a reason in a sentence."""


class FailedRequests(msgspec.Struct, frozen=True):
    """Requests of a model that gave no answer."""

    model: str
    requests: int
    reason: str  # the commonest
    answered: int = 0

    @property
    def whole(self) -> bool:
        """Whether not one request was answered."""
        return not self.answered

    @property
    def sentence(self) -> str:
        reason = self.reason if len(self.reason) <= SHOWN else f"{self.reason[:SHOWN]}…"
        if self.whole:
            every = "its only request" if self.requests == 1 else f"all {self.requests} requests"
            return f"{self.model} could not be asked: {every} failed, most often: {reason}."
        asked = self.requests + self.answered
        return f"{self.model}: {self.requests} of {asked} requests failed, most often: {reason}."


class Failures:
    """Counts, model by model, what was answered and what was not."""

    def __init__(self) -> None:
        self._answered: Counter[str] = Counter()
        self._reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def note(self, model: str, error: str | None) -> None:
        """One request: answered, or the reason it was not."""
        if error is None:
            self._answered[model] += 1
            return
        reasons = self._reasons[model]
        reasons[error if error in reasons or len(reasons) < KINDS_KEPT else _kind(error)] += 1

    def list_failed(self) -> list[FailedRequests]:
        """Every model with a failed request."""
        return [
            FailedRequests(model, reasons.total(), _commonest(reasons), self._answered[model])
            for model, reasons in self._reasons.items()
        ]


def _kind(reason: str) -> str:
    """`status 404` of `status 404: there is no such model`."""
    return reason.partition(":")[0].partition(";")[0]


def _commonest(reasons: Counter[str]) -> str:
    """The commonest kind of reason, in its commonest words: servers put numbers into their sentences."""
    kinds: Counter[str] = Counter()
    for reason, count in reasons.items():
        kinds[_kind(reason)] += count
    first = kinds.most_common(1)[0][0]
    words, _ = max(
        ((reason, count) for reason, count in reasons.items() if _kind(reason) == first),
        key=lambda each: each[1],
    )
    return " ".join(words.split()).rstrip(".")
