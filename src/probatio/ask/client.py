"""The chat client: asks a route until it answers or the retries are used up; a server can't make it raise."""

from __future__ import annotations

import asyncio
import random
import time
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from probatio.ask.body import mend
from probatio.ask.chat import read_reply, write_request
from probatio.ask.gate import Gate
from probatio.ask.pacing import Sent
from probatio.ask.providers import provider_of
from probatio.ask.retry import Fault, format_wait, wait_as_asked, wait_before
from probatio.ask.routes import Route
from probatio.core.errors import Incomplete, Say
from probatio.core.records import Answer, Prompt, Sampling
from probatio.core.redact import know

TIMEOUTS_IN_A_ROW = 4
"""Time-outs in a row, each at a slower pace than the one before, after which a route is given up: 20 minutes,
with the usual limits."""

FAILED_TRIALS_BEFORE_GIVING_UP = 5
"""Trials without an answer after which a route that never gave one is given up."""

NOT_SERVED = (403, 404)
"""Not allowed for this key, or not there. Every other 4xx is about one request: a prompt may be too long, the
next one not."""

SAID_SECONDS = 5.0
"""A longer wait that a server asks for is shown to the user."""


class StopTheRun(Incomplete):
    """Every further request would fail the same way: a refused key, an empty account."""


class GivenUp(StopTheRun):
    """This model is not asked any further: it fails, or asks for too long a wait. Others go on."""


class ChatClient:
    """Connections to all routes of a run, paced by one gate."""

    def __init__(self, max_connections: int, say: Say = lambda _: None) -> None:
        self._max_connections = max_connections
        self.say = say
        self._chance = random.Random()

    async def __aenter__(self) -> Self:
        from probatio.ask.connections import Connections  # and with it aiohttp, which a dry run does not need

        self.gate = Gate(self._max_connections)
        self._connections = Connections()  # as many as the gate lets through
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connections.close()

    async def ask(self, route: Route, prompt: Prompt, sampling: Sampling) -> Answer:
        """The answer, or one without text whose `error` says why. Raises `StopTheRun` for a refused key.

        Raises `GateClosed` where the run is stopping and this question was not in flight.
        """
        body = write_request(
            route.model_name,
            prompt,
            sampling,
            provider_of(route),
            reasoning=route.reasoning,
            provider_order=route.provider_order,
            extra=route.extra_body,
        )
        know(route.api_key)
        self.gate.pace(route.key, route.max_in_flight)
        clock = asyncio.get_running_loop().time
        limits = route.timeouts
        # Without the wait at the gate, waits that the server asked for, and time-outs behind our own other
        # requests.
        used = 0.0
        asked_to_wait = 0.0
        tries = retries = 0
        while True:
            tries += 1
            request = await self.gate.enter(route.key)
            began = clock()
            outcome: Answer | Fault | None = None
            try:
                outcome = await self._attempt(route, body, max(0.001, limits.trial - used))
            finally:
                if outcome is None:  # cancelled
                    self.gate.note_failure(route.key)
            if isinstance(outcome, Answer):
                self.gate.note_answer(route.key, request)
                return replace(outcome, latency_ms=round((clock() - began) * 1000, 1), tries=tries)
            self._tell_gate(route, request, outcome)
            if outcome.stops_run:
                raise StopTheRun(f"{route.model_name}: {outcome.reason}.")
            if not (outcome.timed_out and request.beside > 1):
                used += clock() - began
            if outcome.hinted and asked_to_wait < limits.wait:
                wait = wait_as_asked(tries, outcome, self._chance.random())
                asked_to_wait += wait
            else:
                retries += 1
                own = wait_before(retries, outcome, self._chance.random())
                if own is None:
                    return self._end_trial(route, outcome, tries, outcome.reason)
                if used + own >= limits.trial:
                    reason = f"{outcome.reason}; the next try, in {own:.0f} s, is past the trial's time limit"
                    return self._end_trial(route, outcome, tries, reason)
                used += own
                wait = own
            await self.gate.pause(route.key, wait)

    def _end_trial(self, route: Route, fault: Fault, tries: int, reason: str) -> Answer:
        """A trial without an answer. Raises `GivenUp` after a few, if the route never answered."""
        lost = self.gate.count_lost(route.key) if fault.retry or fault.status in NOT_SERVED else 0
        if lost >= FAILED_TRIALS_BEFORE_GIVING_UP:
            raise GivenUp(f"{route.model_name} has not answered one request: {fault.reason}.")
        return Answer(None, error=reason, tries=tries)

    def _tell_gate(self, route: Route, request: Sent, fault: Fault) -> None:
        """Tell the gate of a fault. Raises `GivenUp` after too much silence or for too long a wait."""
        limits = route.timeouts
        if fault.timed_out:
            if self.gate.note_time_out(route.key, request) >= TIMEOUTS_IN_A_ROW:
                raise GivenUp(f"{route.model_name}: {fault.reason}, {TIMEOUTS_IN_A_ROW} times in a row.")
        elif fault.throttled:
            too_long = fault.wait is not None and fault.wait > limits.wait
            closed = self.gate.note_throttling(route.key, request, None if too_long else fault.wait)
            if too_long:
                asks = f"the server asks to wait {format_wait(fault.wait or 0.0)} ({fault.reason})"
                raise GivenUp(
                    f"{route.model_name}: {asks}, and --max-wait allows {format_wait(limits.wait)}."
                )
            if closed and (fault.wait or 0.0) >= SAID_SECONDS:
                asks = f"the server asks to wait {format_wait(fault.wait or 0.0)}"
                self.say(f"{route.model_name}: {asks}; it is asked again then.")
        else:
            self.gate.note_failure(route.key, replied=fault.status is not None)

    async def _attempt(self, route: Route, body: bytes, seconds_left: float) -> Answer | Fault:
        limits = route.timeouts
        reply = await self._connections.post(
            route.url,
            body,
            key=route.api_key,
            auth=route.auth,
            seconds=min(limits.attempt, seconds_left),
            connect_seconds=limits.connect,
            proxy=route.proxy,
        )
        if isinstance(reply, Fault):
            return reply
        content, fault = mend(reply.body)
        outcome = read_reply(reply.status, reply.headers, content, time.time())
        return replace(outcome, text_fault=fault) if fault and isinstance(outcome, Answer) else outcome
