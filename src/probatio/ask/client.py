"""The chat client: asks a route until it answers or the retries are used up. Never raises for what a server does."""

from __future__ import annotations

import asyncio
import random
import time
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from probatio.ask.body import BadBody
from probatio.ask.chat import read_reply, request_body
from probatio.ask.gate import Gate
from probatio.ask.http import BadAddress, ConnectionFailed, Connections
from probatio.ask.providers import provider_of
from probatio.ask.retry import Fault, wait_before
from probatio.ask.routes import Route
from probatio.errors import Incomplete
from probatio.records import Answer, Prompt, Sampling
from probatio.redact import know, redact, redacted_bytes

MAX_TOLD = 300
"""Characters of a failure's own words."""


class StopTheRun(Incomplete):
    """Every further request would fail the same way: a refused key, an empty account."""


class ChatClient:
    """Connections to all routes of a run, paced by one gate."""

    def __init__(self, max_connections: int) -> None:
        self._max_connections = max_connections
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
        deadline = clock() + route.timeouts.trial
        attempt = 0
        while True:
            attempt += 1
            request = await self.gate.enter(route.key)
            began = clock()
            outcome: Answer | Fault | None = None
            try:
                outcome = await self._attempt(route, body, max(0.001, deadline - began))
            finally:
                if outcome is None:  # cancelled
                    self.gate.failed(route.key)
            if isinstance(outcome, Answer):
                self.gate.answered(route.key, request)
                return replace(outcome, latency_ms=round((clock() - began) * 1000, 1), attempts=attempt)
            if outcome.throttled:
                # A server may close its route for as long as a trial may take, not for a year.
                wait = outcome.wait and min(outcome.wait, route.timeouts.trial)
                self.gate.throttled(route.key, request, wait)
            else:
                self.gate.failed(route.key)
            if outcome.stops_run:
                raise StopTheRun(f"{route.model_name}: {outcome.reason}.")
            wait = wait_before(attempt, outcome, self._chance.random())
            if wait is None:
                return Answer(None, error=outcome.reason, attempts=attempt)
            if clock() + wait >= deadline:
                reason = f"{outcome.reason}; the next try, in {wait:.0f} s, is past the trial's time limit"
                return Answer(None, error=reason, attempts=attempt)
            await self.gate.pause(wait)

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
            return Fault("no answer within the time limit", retry=True)
        except BadAddress:
            return Fault(redact(f"the address {route.url} is not valid"), retry=False)
        except ConnectionFailed as error:
            return Fault(f"the connection failed: {redact(str(error))[:MAX_TOLD]}", retry=True)
        if 300 <= reply.status < 400:
            told = redact(reply.headers.get("location", "none is named"))[:MAX_TOLD]
            return Fault(f"status {reply.status}: this is not the address (another: {told})", False, reply.status)
        # Here, before anything reads it: whatever a server echoes of our keys ends with this line.
        content = redacted_bytes(reply.body)
        return read_reply(reply.status, {} if reply.status == 200 else reply.headers, content, time.time())
