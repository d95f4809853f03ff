"""The pool of a system without fork or process handles (macOS, Windows): a process per worker, over pipes.

The clock ends a check that is late. There is no limit of CPU and none of memory, because those systems offer
none that holds; no model's code runs there anyway, only text is compared.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from typing import IO

from probatio.core.errors import Incomplete
from probatio.core.python import python_command
from probatio.jail.workers.contract import Before, GraderFingerprint, Lane, Unchecked, read_frame
from probatio.jail.workers.pool import START_SECONDS, Pool
from probatio.jail.workers.serving import describe_failure, find_function
from probatio.jail.workers.wire import DONE, HEADER, LARGEST, READY, encode_request, frame

Process = subprocess.Popen[bytes]


class PlainPool(Pool):
    """The same promises as a pool of forked workers, but for the limits of CPU and memory."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._idle: dict[Lane, list[Process]] = {}
        self._all: set[Process] = set()

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Before = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        places = await self._place(lane)
        try:
            if before is not None:
                before()
            kind, reply = await asyncio.to_thread(self._exchange_in, lane, encode_request(function, payload))
        finally:
            self._leave(places)
        return read_frame(kind, reply)

    def close(self) -> None:
        for process in list(self._all):
            self._drop(process)
        self._idle.clear()
        super().close()

    def _exchange_in(self, lane: Lane, asked: bytes) -> tuple[int, bytes]:
        idle = self._idle.setdefault(lane, [])
        process = idle.pop() if idle else self._new_process()
        try:
            reply = _exchange(process, asked, lane.seconds)
        except (OSError, EOFError):
            self._drop(process)
            raise Unchecked(f"the check did not end within {lane.seconds:g} s by the clock") from None
        idle.append(process)
        return reply

    def _new_process(self) -> Process:
        process = subprocess.Popen(
            python_command("-m", "probatio.jail.workers.plain"),
            env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._all.add(process)
        try:
            _exchange(process, b"", START_SECONDS)
        except (OSError, EOFError):
            self._drop(process)
            raise Incomplete(
                "No process can be started that checks answers; is there enough memory?"
            ) from None
        return process

    def _drop(self, process: Process) -> None:
        self._all.discard(process)
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def _exchange(process: Process, request: bytes, seconds: float) -> tuple[int, bytes]:
    """The reply to a request. Raises EOFError where the worker has ended, perhaps because it was late."""
    assert process.stdin is not None and process.stdout is not None
    late = threading.Timer(seconds, process.kill)
    late.daemon = True
    late.start()
    try:
        process.stdin.write(request)
        process.stdin.flush()
        kind, size = HEADER.unpack(_exactly(process.stdout, HEADER.size))
        if size > LARGEST:
            raise EOFError
        return kind, _exactly(process.stdout, size)
    finally:
        late.cancel()


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """A worker: one check after another, until its input ends."""
    replies.write(frame(READY, b""))
    replies.flush()
    while len(header := requests.read(HEADER.size)) == HEADER.size:
        named, size = HEADER.unpack(header)
        body = _exactly(requests, named + size)
        try:
            reply = frame(DONE, find_function(body[:named].decode())(body[named:]))
        except BaseException as error:
            reply = frame(*describe_failure(error))
        replies.write(reply)
        replies.flush()


if __name__ == "__main__":
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    serve(sys.stdin.buffer, replies)
