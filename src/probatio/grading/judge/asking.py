"""Asking the judge: its reply is kept before it is used; an unreadable one is repaired once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable

import msgspec

from probatio.ask.budget import Budget
from probatio.ask.client import ChatClient, StopTheRun
from probatio.ask.prices import check_cost, cost_of_answer
from probatio.ask.routes import Route
from probatio.core.clock import now_text
from probatio.core.records import Answer, Model, SampleKey, SampleLine, Sampling, Stamp
from probatio.grading.judge.protocol import Marks, Unreadable, judge_prompt, read_apart, repair_prompt
from probatio.suites.daily_suite import Case, JudgeEntry
from probatio.suites.rubrics import Rubric

REPLIES = 2
"""A judgement and its repair; a third would be begging for a number."""


class NoJudgement(Exception):
    """The judge gave nothing that can be read, or could not be asked: an error, never a number."""


class JudgeReply(SampleLine, frozen=True, kw_only=True):
    """A line of `judge_responses.jsonl`: what the judge said of a sample or a calibration item."""

    timestamp: str
    date: str = ""
    suite_version: str = ""
    attempt: int  # 0 the judgement, 1 its repair
    judge: str
    response: str
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    cost: float | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None


def judge_model(entry: JudgeEntry) -> Model:
    """The judge as a model that can be asked."""
    return Model(
        id=entry.id,
        name=entry.name,
        provider=entry.provider,
        route=entry.route,
        base_url=entry.base_url,
        api_key_env=entry.api_key_env,
    )


Ask = Callable[[str], Awaitable[Answer]]
"""Sends a prompt to the judge."""


class Judge:
    """The pinned judge. Its replies are kept by `keep` before they are read, and paid from `budget`."""

    def __init__(
        self, entry: JudgeEntry, ask: Ask, stamp: Stamp, keep: Callable[[JudgeReply], None], budget: Budget
    ) -> None:
        self.entry = entry
        self._model = judge_model(entry)
        self._send = ask
        self._stamp = stamp
        self._keep = keep
        self._budget = budget
        self._replies: dict[SampleKey, list[JudgeReply]] = {}
        self._refused: str | None = None
        self.resolved_model: str | None = None
        self.system_fingerprint: str | None = None
        self.spent: defaultdict[str, float] = defaultdict(float)  # by round: "calibration", "base", "full"

    def recall(self, replies: Iterable[JudgeReply]) -> None:
        """Note replies of an earlier process. A judgement that failed with its repair is asked for again."""
        for reply in replies:
            self._note(reply)
            earlier = self._replies.setdefault(reply.key, [])
            if len(earlier) == REPLIES:
                earlier.clear()
            earlier.append(reply)

    async def marks(self, key: SampleKey, rubric: Rubric, case: Case, answer: str) -> Marks:
        """The judge's marks for an answer. Raises `NoJudgement`, or `GateClosed` if the run stops."""
        question = judge_prompt(case, rubric, answer)
        earlier = self._replies.pop(key, [])
        if len(earlier) == REPLIES and not await _readable(earlier[-1], rubric):
            earlier = []
        prompt, fault = question, ""
        for attempt in range(REPLIES):
            reply = earlier[attempt] if attempt < len(earlier) else await self._ask(key, attempt, prompt)
            try:
                return await read_apart(reply.response, rubric)
            except Unreadable as error:
                fault = str(error)
                prompt = repair_prompt(question, reply.response, fault)
        raise NoJudgement(f"the judge's reply can't be read, nor can its repair: {fault}")

    async def _ask(self, key: SampleKey, attempt: int, prompt: str) -> JudgeReply:
        if self._refused:
            raise NoJudgement(self._refused)
        try:
            answer = await self._send(prompt)
        except StopTheRun as error:
            self._refused = f"the judge can't be asked: {str(error).rstrip('.')}"
            raise NoJudgement(self._refused) from None
        if answer.text is None:
            raise NoJudgement(f"the judge did not answer: {answer.error}")
        reply = self._reply(key, attempt, answer)
        self._keep(reply)
        self._note(reply)
        if answer.usage_fault and reply.cost is None and self._budget.limit is not None:
            # This reply is paid for and used; the next would be paid for without end.
            self._refused = f"--max-cost can't be enforced: of the judge's reply, {answer.usage_fault}"
        return reply

    def _note(self, reply: JudgeReply) -> None:
        self._budget.pay(reply.cost)
        self.spent[reply.round] += check_cost(reply.cost) or 0.0
        self.resolved_model = reply.resolved_model or self.resolved_model
        self.system_fingerprint = reply.system_fingerprint or self.system_fingerprint

    def _reply(self, key: SampleKey, attempt: int, answer: Answer) -> JudgeReply:
        return JudgeReply(
            timestamp=now_text(),
            date=self._stamp.run_id,
            suite_version=self._stamp.framework_version,
            **key._asdict(),
            attempt=attempt,
            judge=self._model.name,
            response=answer.text or "",
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            latency_ms=answer.latency_ms,
            cost=cost_of_answer(self._model, answer),
            provider=answer.provider,
            resolved_model=answer.resolved_model,
            system_fingerprint=answer.system_fingerprint,
            finish_reason=answer.finish_reason,
        )


def ask_over(client: ChatClient, route: Route, sampling: Sampling, entry: JudgeEntry) -> Ask:
    """Asks the judge over a route, with its own limit of tokens."""
    own = msgspec.structs.replace(sampling, max_tokens=entry.max_tokens)
    return lambda prompt: client.ask(route, prompt, own)


def recall_judge(entry: JudgeEntry, replies: Iterable[JudgeReply]) -> Judge:
    """The judge of a past day: it says what it said, and nothing new."""

    async def refuse(prompt: str) -> Answer:
        raise NoJudgement("no reply of the judge is kept")

    judge = Judge(entry, refuse, Stamp("", "", None, ""), lambda _: None, Budget(None))
    judge.recall(replies)
    return judge


async def _readable(reply: JudgeReply, rubric: Rubric) -> bool:
    try:
        await read_apart(reply.response, rubric)
    except Unreadable:
        return False
    return True
