"""The engine: asks every question of a job once, keeps the answer, grades it, keeps the grade."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from probatio.ask.client import ChatClient, GivenUp, StopTheRun
from probatio.ask.gate import Gate, GateClosed
from probatio.ask.prices import cost_of_answer
from probatio.ask.providers import provider_of
from probatio.ask.routes import Route
from probatio.errors import ProbatioError
from probatio.grade import GRADER_VERSION
from probatio.grade.apart import unchecked
from probatio.records import UNASKED_ERRORS, UNCHECKED, Answer, Assessment, Grade, Model, Response, TrialKey
from probatio.run.budget import Budget
from probatio.run.clock import now_text
from probatio.run.failures import Failures
from probatio.run.job import Job
from probatio.store.journal import Journal
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import Span

Opener = Callable[[Model], AbstractContextManager[Route]]
"""Opens the way to a model for as long as it is asked; an embedded one is loaded and unloaded by it."""


class Watcher(Protocol):
    """Whoever is shown the run while it goes on."""

    def trial(self, response: Response, grade: Grade) -> None: ...

    def say(self, sentence: str) -> None: ...

    def stopping(self, reason: str, in_flight: int) -> None: ...

    def tick(self) -> None:
        """A moment has passed, in which perhaps nothing came."""
        ...


@dataclass(slots=True)
class Tally:
    """How a run stands."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0  # could not be asked
    unchecked: int = 0  # answered, but the answer could not be checked
    asked: int = 0  # by this process
    spent: float = 0.0

    @property
    def done(self) -> int:
        return self.passed + self.failed + self.errors + self.unchecked

    def count(self, correct: bool, error_type: str | None) -> None:
        if error_type == UNCHECKED:
            self.unchecked += 1
        elif error_type in UNASKED_ERRORS:
            self.errors += 1
        elif correct:
            self.passed += 1
        else:
            self.failed += 1


_PASSED, _FAILED, _ERROR, _UNCHECKED = 1, 2, 3, 4
"""How a question stands in the table a resume makes of the grades; 0 is not graded yet."""


def _standing(correct: bool, error_type: str | None) -> int:
    if error_type in UNASKED_ERRORS:
        return _UNCHECKED if error_type == UNCHECKED else _ERROR
    return _PASSED if correct else _FAILED


class Engine:
    """One job, from where it stands to its end or to the reason it stops."""

    watcher: Watcher

    def __init__(self, job: Job, journal: Journal, client: ChatClient, opener: Opener, budget: Budget) -> None:
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
        """Read where the job stands: what is answered is not asked again, what is not graded yet is graded."""
        graded = bytearray(len(self._job))
        for _, line in self._journal.take_up(GRADES, self._job.grade_line):
            counts, number = self._job.recall_grade(line), self._job.number(line.key)
            if number is not None:
                graded[number] = _standing(line.correct, line.error_type) if counts else 0
        tally = self.tally
        tally.passed, tally.failed, tally.errors, tally.unchecked = map(
            graded.count, (_PASSED, _FAILED, _ERROR, _UNCHECKED)
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
        """Side by side, as they would have been graded: one may wait for a jail or a judge."""

        async def work() -> None:
            for span in spans:
                try:
                    await self._grade(self._journal.at(ANSWERS, span, Response))
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
                    if self._ended(model):
                        break

    async def _ask_all(self, model: Model, route: Route, pending: Iterator[int]) -> None:
        """A few more workers than may be in flight: while some wait out a retry, the route stays full."""
        ceiling = min(self._job.max_connections, route.max_in_flight or self._job.max_connections)
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
        for number in pending:
            if self._ended(model) or not await self._affordable():
                return
            self._budget.sent()
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
                self._budget.returned(cost)
                self.tally.spent = self._budget.spent
                self._budget_moved.set()
            try:
                await self._grade(response)
            except GateClosed:  # whoever is to judge it can't be asked any more; a resume grades it
                if self.stop_reason:
                    return

    def _ended(self, model: Model) -> bool:
        return self.stop_reason is not None or model.id in self.refused

    def _refuse(self, model: Model, reason: str) -> None:
        if self._job.ends_alone:
            self.refused.setdefault(model.id, reason)
        else:
            self.stop(reason)

    def _give_up(self, model: Model, route: Route, reason: str) -> None:
        """Ask a model no further, and say so at once; whoever waits for its route is turned away, and the others go on."""
        if model.id not in self.refused:
            self.refused[model.id] = reason
            self.gate.close(route.key)
            self.watcher.say(f"{model.id} is asked no further. {reason}")

    async def _affordable(self) -> bool:
        while not self._budget.admits():
            if self._budget.reached:
                self.stop(f"The budget of ${self._budget.limit:.2f} is reached (${self._budget.spent:.4f} spent).")
            if self.stop_reason:
                return False
            self._budget_moved.clear()
            await self._budget_moved.wait()
        return True

    async def _ask(self, key: TrialKey, model: Model, route: Route) -> Response:
        prompt = self._job.prompt(key)
        answer = await self._client.ask(route, prompt, self._job.sampling(key))
        cost = None if answer.text is None else cost_of_answer(model, answer)
        response = self._response(key, prompt if isinstance(prompt, str) else prompt.last, answer, cost)
        self._journal.answer(response)
        self._job.answered(response)
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

    async def _grade(self, response: Response) -> None:
        try:
            assessment = await self._job.assess(response)
        except (GateClosed, ProbatioError):
            raise
        except Exception as error:  # one answer costs no more than its own grade, whatever it found a way to break
            assessment = unchecked(f"grading it failed: {type(error).__name__}: {error}"[:500])
        grade = grade_line(response, assessment, self._job.stamp.grader_version)
        self._journal.grade(grade)
        self._job.graded(response, grade)
        self.tally.count(grade.correct, grade.error_type)
        self.tally.spent = self._budget.spent
        self.watcher.trial(response, grade)

    def _response(self, key: TrialKey, prompt: str, answer: Answer, cost: float | None) -> Response:
        stamp = self._job.stamp
        return Response(
            timestamp=now_text(),
            run_id=stamp.run_id,
            framework_version=stamp.framework_version,
            git_sha=stamp.git_sha,
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
            attempt=key.attempt,
            attempts=answer.attempts,
            finish_reason=answer.finish_reason,
            provider=answer.provider,
            resolved_model=answer.resolved_model,
            system_fingerprint=answer.system_fingerprint,
            cost=cost,
            reasoning=answer.reasoning,
            error=answer.error,
            usage_fault=answer.usage_fault,
            text_fault=answer.text_fault,
        )


def grade_line(response: Response, assessment: Assessment, grader_version: str = GRADER_VERSION) -> Grade:
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
        level_a=assessment.level_a,
        level_b=assessment.level_b,
        level_c=assessment.level_c,
        correct=assessment.correct,
        error_type=assessment.error_type,
        error_detail=assessment.error_detail,
        sample=response.sample,
        attempt=response.attempt,
        score=assessment.score,
        breakdown=assessment.breakdown,
        grader_version=grader_version,
    )
