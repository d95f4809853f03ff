"""The chat client: asks a route until it answers or the retries are used up. Never raises for what a server does."""

from __future__ import annotations

import asyncio
import random
import time
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from probatio.ask.body import BadBody, mended
from probatio.ask.chat import read_reply, request_body
from probatio.ask.gate import Gate
from probatio.ask.http import BadAddress, ConnectionFailed, Connections
from probatio.ask.pacing import Sent
from probatio.ask.providers import provider_of
from probatio.ask.retry import Fault, asked_wait, in_words, wait_before
from probatio.ask.routes import Route
from probatio.errors import Incomplete, Say
from probatio.records import Answer, Prompt, Sampling
from probatio.redact import know, redact, redacted_bytes

MAX_TOLD = 300
"""Characters of a failure's own words."""


SILENT = 4
"""Time-outs in a row, each at a slower pace than the one before, after which a route is given up: 20 minutes, with the
usual limits."""

FEW = 5
"""Trials without an answer after which a route that never gave one is given up."""

NOT_SERVED = (403, 404)
"""Not for this key, or not there. Every other 4xx is about the one request: a prompt may be too long where the next is not."""

SAID_SECONDS = 5.0
"""A wait that a server asks for is said where it is longer."""


class StopTheRun(Incomplete):
    """Every further request would fail the same way: a refused key, an empty account."""


class GivenUp(StopTheRun):
    """Every further request to this model would fail the same way, or wait longer than the user allows; others can be asked."""


class ChatClient:
    """Connections to all routes of a run, paced by one gate."""

    def __init__(self, max_connections: int, say: Say = lambda _: None) -> None:
        self._max_connections = max_connections
        self.say = say
        self._chance = random.Random()

    async def __aenter__(self) -> Self:
        self.gate = Gate(self._max_connections)
        self._connections = Connections()  # as many as the gate lets through
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connections.close()

    async def ask(self, route: Route, prompt: Prompt, sampling: Sampling) -> Answer:
        """The answer, or an answer without text whose `error` says why; raises `StopTheRun` for a refused key.

        Raises `GateClosed` where the run is stopping and this question was not in flight.
        """
        body = request_body(
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
        # Seconds of the trial's own: not those at the gate, nor those the server asked for, nor a time-out behind our own others.
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
                    self.gate.failed(route.key)
            if isinstance(outcome, Answer):
                self.gate.answered(route.key, request)
                return replace(outcome, latency_ms=round((clock() - began) * 1000, 1), attempts=tries)
            self._tell_gate(route, request, outcome)
            if outcome.stops_run:
                raise StopTheRun(f"{route.model_name}: {outcome.reason}.")
            if not (outcome.timed_out and request.beside > 1):
                used += clock() - began
            if outcome.hinted and asked_to_wait < limits.wait:
                wait = asked_wait(tries, outcome, self._chance.random())
                asked_to_wait += wait
            else:
                retries += 1
                own = wait_before(retries, outcome, self._chance.random())
                if own is None:
                    return self._lost(route, outcome, tries, outcome.reason)
                if used + own >= limits.trial:
                    reason = f"{outcome.reason}; the next try, in {own:.0f} s, is past the trial's time limit"
                    return self._lost(route, outcome, tries, reason)
                used += own
                wait = own
            await self.gate.pause(route.key, wait)

    def _lost(self, route: Route, fault: Fault, tries: int, reason: str) -> Answer:
        """A trial without an answer. Raises `GivenUp` where a few have ended so and none was ever answered."""
        if (fault.retry or fault.status in NOT_SERVED) and self.gate.lost(route.key) >= FEW:
            raise GivenUp(f"{route.model_name} has not answered one request: {fault.reason}.")
        return Answer(None, error=reason, attempts=tries)

    def _tell_gate(self, route: Route, request: Sent, fault: Fault) -> None:
        """The pace of a route after a fault. Raises `GivenUp` where it is silent, or asks to wait longer than the user allows."""
        limits = route.timeouts
        if fault.timed_out:
            if self.gate.timed_out(route.key, request) >= SILENT:
                raise GivenUp(f"{route.model_name}: {fault.reason}, {SILENT} times in a row.")
        elif fault.throttled:
            too_long = fault.wait is not None and fault.wait > limits.wait
            closed = self.gate.throttled(route.key, request, None if too_long else fault.wait)
            if too_long:
                raise GivenUp(
                    f"{route.model_name}: the server asks to wait {in_words(fault.wait or 0.0)} ({fault.reason}), "
                    f"and --max-wait allows {in_words(limits.wait)}."
                )
            if closed and (fault.wait or 0.0) >= SAID_SECONDS:
                self.say(
                    f"{route.model_name}: the server asks to wait {in_words(fault.wait or 0.0)}; it is asked again then."
                )
        else:
            self.gate.failed(route.key, replied=fault.status is not None)

    async def _attempt(self, route: Route, body: bytes, seconds_left: float) -> Answer | Fault:
        limits = route.timeouts
        try:
            reply = await self._connections.post(
                route.url,
                body,
                key=route.api_key,
                seconds=min(limits.attempt, seconds_left),
                connect_seconds=limits.connect,
            )
        except BadBody as error:
            return Fault(redact(str(error)), retry=True)
        except TimeoutError:
            return Fault("no answer within the time limit", retry=True, timed_out=True)
        except BadAddress:
            return Fault(redact(f"the address {route.url} is not valid"), retry=False)
        except ConnectionFailed as error:
            return Fault(f"the connection failed: {redact(str(error))[:MAX_TOLD]}", retry=True)
        if 300 <= reply.status < 400:
            told = redact(reply.headers.get("location", "none is named"))[:MAX_TOLD]
            return Fault(f"status {reply.status}: this is not the address (another: {told})", False, reply.status)
        # Here, before anything reads it: whatever a server echoes of our keys ends with this line.
        content, fault = mended(redacted_bytes(reply.body))
        outcome = read_reply(reply.status, reply.headers, content, time.time())
        return replace(outcome, text_fault=fault) if fault and isinstance(outcome, Answer) else outcome
