"""What benchmarks of asking share: a cheap chat server, distinct tasks, a bare aiohttp loop, and the price of
a command.

python bench/loopback.py serve              prints its port, serves until its standard input closes
python bench/loopback.py ask URL N          the bare loop: N distinct prompts, 100 in flight
"""

from __future__ import annotations

import asyncio
import compileall
import contextlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

IN_FLIGHT = 100
CHARACTERS = 1028  # of a prompt
LATENCY = 0.02
PER_FILE = 5_000  # tasks

_ANSWER = {
    "id": "gen-1",
    "object": "chat.completion",
    "created": 1,
    "model": "bench",
    "provider": "Loopback",
    "system_fingerprint": "fp_loopback",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "42"}}],
    "usage": {"prompt_tokens": 300, "completion_tokens": 2, "total_tokens": 302, "cost": 0.0001},
}


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def measured(argv: list[str], env: dict[str, str], cwd: Path | None = None, log: Path | None = None) -> Cost:
    """CPU of the process and all it waited for, wall time, and peak memory. What it says on standard error
    goes to `log`."""
    began = time.perf_counter()
    with contextlib.ExitStack() as files:
        said = files.enter_context(log.open("wb")) if log else None
        process = subprocess.Popen(argv, env=env, cwd=cwd, stdout=subprocess.DEVNULL, stderr=said)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = log.read_text(errors="replace").strip().splitlines()[-1:] if log else []
        raise SystemExit(f"{' '.join(argv[:3])} … ended with {process.returncode} {' '.join(last)}".strip())
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024)


def bare(address: str, calls: int) -> list[str]:
    """The command of the bare loop."""
    return [sys.executable, __file__, "ask", f"{address}/chat/completions", str(calls)]


def prompt(number: int) -> str:
    """One of the distinct prompts."""
    return "\n".join(f"scribe {number * 31 + line * 7}" for line in range(60)).ljust(CHARACTERS, "#")[
        :CHARACTERS
    ]


def distinct_suite(folder: Path, tasks: int, characters: int) -> Path:
    """A suite of so many tasks that all differ, as `probatio suite generate` writes them, about programs of
    one length."""
    (folder / "tasks").mkdir(parents=True)
    for first in range(0, tasks, PER_FILE):
        lines = ["tasks:"]
        for number in range(first, min(tasks, first + PER_FILE)):
            program = prompt(number)[:characters].rstrip().ljust(characters, "#")
            lines += [
                f'  - id: "t{number}"',
                '    type: "predict_output"',
                '    category: "bench"',
                "    difficulty: 1",
                '    goal: "bench"',
                "    input_faber: |-",
                *(f"      {line}" for line in program.split("\n")),
                '    expected_output: "42"',
            ]
        (folder / "tasks" / f"bench{first:06}.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The address of a server in a process of its own. Our bytecode is there then, as pip leaves it, also
    where the environment forbids Python to write it: no start-up that is measured compiles a source."""
    compileall.compile_dir(Path(__file__).parent.parent / "src", quiet=1)
    process = subprocess.Popen(
        [sys.executable, __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdin
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()
        process.wait(10)


def answered(address: str) -> int:
    """How many questions the server has answered."""
    with urllib.request.urlopen(address) as reply:
        return int(reply.read())


class _Chat(asyncio.Protocol):
    """Answers every POST after a moment, and a GET with the number of answers. Only as much of HTTP as that
    needs."""

    answers = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._held = transport, b""

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (end := self._held.find(b"\r\n\r\n")) >= 0:
            head = self._held[:end].lower()
            at = head.find(b"content-length:")
            size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._held) < end + 4 + size:
                return
            self._held = self._held[end + 4 + size :]
            if head.startswith(b"get"):
                self._say(str(_Chat.answers).encode())
            else:
                _Chat.answers += 1
                asyncio.get_running_loop().call_later(LATENCY, self._say, _BODY)

    def _say(self, body: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nServer: loopback\r\nContent-Length: "
                b"%d\r\n\r\n%s" % (len(body), body)
            )


_BODY = json.dumps(_ANSWER).encode()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    served = await loop.create_server(_Chat, "127.0.0.1", 0, backlog=1024)
    print(served.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


async def _ask(url: str, calls: int) -> None:
    import aiohttp

    numbers = iter(range(calls))
    headers = {"Authorization": "Bearer bench"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

        async def work() -> None:
            for number in numbers:
                message = {"role": "user", "content": prompt(number)}
                body = {
                    "model": "bench",
                    "messages": [message],
                    "temperature": 0.0,
                    "max_tokens": 1000,
                    "seed": 42,
                }
                async with session.post(url, json=body) as reply:
                    assert (await reply.json())["choices"][0]["message"]["content"] == "42"

        await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))


if __name__ == "__main__":
    asyncio.run(_serve() if sys.argv[1] == "serve" else _ask(sys.argv[2], int(sys.argv[3])))
