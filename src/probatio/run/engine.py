"""The engine: asks every trial of a plan once, keeps the answer, grades it, keeps the grade."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import msgspec

from probatio.ask.client import ChatClient, StopTheRun
from probatio.ask.gate import Gate, GateClosed
from probatio.ask.prices import cost_of
from probatio.ask.routes import Route
from probatio.errors import ProbatioError
from probatio.grade import GRADER_VERSION, judge, needs_sandbox
from probatio.records import UNASKED_ERRORS, Answer, Grade, Judgement, Model, Response, Sampling, TrialKey
from probatio.run.budget import Budget
from probatio.run.journal import GRADED, RAW, Journal, read_lines
from probatio.run.plan import Places
from probatio.run.runfile import RunRecord, now_text
from probatio.suite.load import Suite
from probatio.suite.prompt import render

Opener = Callable[[Model], AbstractContextManager[Route]]
"""Opens the way to a model for as long as it is asked; an embedded one is loaded and unloaded by it."""


class Watcher(Protocol):
    """Whoever is shown the run while it goes on."""

    def trial(self, response: Response, grade: Grade) -> None: ...

    def stopping(self, reason: str, in_flight: int) -> None: ...


@dataclass(slots=True)
class Tally:
    """How a run stands."""

    total: int
    passed: int = 0
    failed: int = 0
    errors: int = 0
    asked: int = 0  # by this process
    spent: float = 0.0

    @property
    def done(self) -> int:
        return self.passed + self.failed + self.errors

    def count(self, correct: bool, error_type: str | None) -> None:
        if error_type in UNASKED_ERRORS:
            self.errors += 1
        elif correct:
            self.passed += 1
        else:
            self.failed += 1


class _Answered(msgspec.Struct):
    """As much of a raw line as a resume needs to know; reading no more keeps the scan of a large run short."""

    task_id: str
    model: str
    n_shot: int
    context: str
    dialect: str = "latin"
    sample: int = 0
    cost: float | None = None
    correct: bool = False
    error_type: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


class Engine:
    """One run, from where it stands to its end or to the reason it stops."""

    watcher: Watcher

    def __init__(self, record: RunRecord, suite: Suite, journal: Journal, client: ChatClient, opener: Opener) -> None:
        self._record = record
        self._suite = suite
        self._journal = journal
        self._client = client
        self._opener = opener
        self._budget = Budget(record.max_cost)
        self._budget_moved = asyncio.Event()
        self._places = Places(record.plan)
        self._answered = bytearray(len(record.plan))
        self._lanes: list[asyncio.Task[None]] = []
        self.tally = Tally(len(record.plan))
        self.stop_reason: str | None = None

    @property
    def gate(self) -> Gate:
        return self._client.gate

    async def run(self) -> None:
        """Ask what is not yet asked. Ends early, with `stop_reason` set, rather than lose anything."""
        await self._take_up()
        remote = [model for model in self._record.models if model.provider != "embedded"]
        embedded = [model for model in self._record.models if model.provider == "embedded"]
        # Models over the network go side by side; embedded ones share these cores and go one after another.
        chains = [*([model] for model in remote), *([embedded] if embedded else [])]
        self._lanes = [asyncio.create_task(self._ask_in_turn(chain)) for chain in chains]
        for result in await asyncio.gather(*self._lanes, return_exceptions=True):
            if isinstance(result, ProbatioError):
                self.stop(str(result))
            elif isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

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
        """Read where the run stands: what is answered is not asked again, what is not graded yet is graded."""
        graded = bytearray(len(self._record.plan))
        for line in read_lines(self._journal.folder / GRADED, _Answered):
            place = self._places.number(line.key)
            if place is not None and not graded[place]:
                graded[place] = 1
                self.tally.count(line.correct, line.error_type)
        ungraded: list[int] = []
        for line in read_lines(self._journal.folder / RAW, _Answered):
            place = self._places.number(line.key)
            if place is not None and not self._answered[place]:
                self._answered[place] = 1
                if line.cost is not None:
                    self._budget.spent += line.cost
                    self._budget.answers += 1
                if not graded[place]:
                    ungraded.append(place)
        self.tally.spent = self._budget.spent
        if ungraded:
            await self._grade_left_over(set(ungraded))

    async def _grade_left_over(self, places: set[int]) -> None:
        for response in read_lines(self._journal.folder / RAW, Response):
            place = self._places.number(response.key)
            if place in places:
                places.discard(place)
                await self._grade(response)

    async def _ask_in_turn(self, models: list[Model]) -> None:
        for model in models:
            pending = (place for place in self._record.plan.of_model(model.id) if not self._answered[place])
            first = next(pending, None)
            if first is None or self.stop_reason:
                continue
            with self._opener(model) as route:
                await self._ask_all(model, route, _chained(first, pending))

    async def _ask_all(self, model: Model, route: Route, pending: Iterator[int]) -> None:
        """A few more workers than may be in flight: while some wait out a retry, the route stays full."""
        ceiling = min(self._record.max_connections, route.max_in_flight or self._record.max_connections)
        workers = [asyncio.create_task(self._work(model, route, pending)) for _ in range(ceiling + ceiling // 2 + 1)]
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                if error := worker.exception():
                    self.stop(str(error) if isinstance(error, ProbatioError) else f"{type(error).__name__}: {error}")
            # The others keep the answers they wait for; a worker sends nothing once the gate is closed.
            for result in await asyncio.gather(*workers, return_exceptions=True):
                if isinstance(result, BaseException) and not isinstance(result, ProbatioError):
                    raise result
        finally:
            for worker in workers:
                worker.cancel()

    async def _work(self, model: Model, route: Route, pending: Iterator[int]) -> None:
        for place in pending:
            if self.stop_reason or not await self._affordable():
                return
            self._budget.sent()
            cost: float | None = None
            try:
                cost = await self._trial(self._record.plan[place], model, route)
            except GateClosed:
                return
            except StopTheRun as error:
                self.stop(str(error))
                return
            finally:
                self._budget.returned(cost)
                self.tally.spent = self._budget.spent
                self._budget_moved.set()

    async def _affordable(self) -> bool:
        while not self._budget.admits():
            if self._budget.reached:
                self.stop(f"The budget of ${self._budget.limit:.2f} is reached (${self._budget.spent:.4f} spent).")
            if self.stop_reason:
                return False
            self._budget_moved.clear()
            await self._budget_moved.wait()
        return True

    async def _trial(self, key: TrialKey, model: Model, route: Route) -> float | None:
        prompt = render(self._suite, self._suite.tasks[key.task_id], key.context, key.n_shot, key.dialect)
        answer = await self._client.ask(route, prompt, self._sampling(key.sample))
        cost = None if answer.text is None else cost_of(model, answer.tokens_in, answer.tokens_out, answer.cost)
        response = self._response(key, prompt, answer, cost)
        self._journal.answer(response)
        self.tally.asked += 1
        if self._journal.full:
            self.stop("The disk is full.")
        if self._budget.limit is not None and cost is None and answer.text is not None:
            self.stop(f"--max-cost can't be kept: neither the reply nor models.yml tells what `{model.id}` costs.")
        await self._grade(response)
        return cost

    def _sampling(self, sample: int) -> Sampling:
        """Each sample has its own seed: the same one again would draw the same answer."""
        sampling = self._record.sampling
        if sampling.seed is None or not sample:
            return sampling
        return msgspec.structs.replace(sampling, seed=sampling.seed + sample)

    async def _grade(self, response: Response) -> None:
        task = self._suite.tasks[response.task_id]
        if response.response is not None and needs_sandbox(task):
            judgement = await asyncio.to_thread(judge, task, response, self._record.sandbox)
        else:
            judgement = judge(task, response)
        grade = grade_line(response, judgement)
        self._journal.grade(grade)
        self.tally.count(grade.correct, grade.error_type)
        self.watcher.trial(response, grade)

    def _response(self, key: TrialKey, prompt: str, answer: Answer, cost: float | None) -> Response:
        return Response(
            timestamp=now_text(),
            run_id=self._record.run_id,
            framework_version=self._record.framework_version,
            git_sha=self._record.git_sha,
            task_id=key.task_id,
            model=key.model,
            n_shot=key.n_shot,
            dialect=key.dialect,
            context=key.context,
            prompt=prompt,
            response=answer.text,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            latency_ms=answer.latency_ms,
            sample=key.sample,
            attempts=answer.attempts,
            finish_reason=answer.finish_reason,
            provider=answer.provider,
            resolved_model=answer.resolved_model,
            system_fingerprint=answer.system_fingerprint,
            cost=cost,
            reasoning=answer.reasoning,
            error=answer.error,
        )


def grade_line(response: Response, judgement: Judgement) -> Grade:
    """The line of `graded_results.jsonl` for an answer and how it was judged."""
    return Grade(
        timestamp=now_text(),
        run_id=response.run_id,
        framework_version=response.framework_version,
        git_sha=response.git_sha,
        task_id=response.task_id,
        model=response.model,
        n_shot=response.n_shot,
        dialect=response.dialect,
        context=response.context,
        level_a=judgement.level_a,
        level_b=judgement.level_b,
        level_c=judgement.level_c,
        correct=judgement.correct,
        error_type=judgement.error_type,
        error_detail=judgement.error_detail,
        sample=response.sample,
        score=judgement.score,
        breakdown=judgement.breakdown,
        grader_version=GRADER_VERSION,
    )


def _chained(first: int, rest: Iterator[int]) -> Iterator[int]:
    yield first
    yield from rest
