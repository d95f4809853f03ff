"""The server of an embedded model: llama.cpp in this process, on loopback, asked like any other route."""

from __future__ import annotations

import os
import platform
import secrets
import socket
import stat
import subprocess
import tempfile
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any

from probatio.ask.embedded.catalogue import Weights
from probatio.ask.embedded.gguf import read_header
from probatio.core.errors import Incomplete
from probatio.core.extras import require
from probatio.core.machine import count_cores
from probatio.core.python import python_command

CONTEXT_TOKENS = 12_288
"""A complete context with ten shots is 6,000 to 8,000 tokens, and its answer follows. Where a model was
trained on fewer (SmolLM2: 8,192) its own limit holds. Memory grows with it: 12 kB a token for the 0.5B, 28 kB
for the 1.5B."""

MAX_THREADS = 8
"""These models are small; past that the threads wait for each other more than they work."""

SPIN = 500
"""Turns a waiting OpenMP thread spins before it sleeps. The default of libgomp is far longer, and when
another program holds the core the thread waits for, it burns its own. Measured on two cores, 0.5B, two
threads, one run each, in answer tokens/s: quiet 21.6 (libgomp's default 20.8); with three busy programs 6.9
(10,000 turns 5.6, one thread 6.3)."""

NEUTRAL_SAMPLING = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
"""So that temperature means what it means on every other route; llama.cpp would cut the unlikely words off on
its own."""


class Served:
    """A loaded model and its address; ends with its `with` block, or with `close`."""

    def __init__(
        self, server: Any, path: Path, *, context_tokens: int, threads: int, reproducible: bool, key: str
    ) -> None:
        self.base_url = f"{server.listening_address}/v1"
        # Also at the end of the program, for a `with` block that was never left.
        self._end = weakref.finalize(self, _stop, [server], int(server.listening_address.rsplit(":", 1)[1]))
        self.api_key = key
        self.file = path
        self.context_tokens = context_tokens
        self.threads = threads
        # One at a time. Two slots of one server share its threads and batch badly on a processor: measured on
        # two cores 14.5 tokens/s with two in flight against 18.8 with one, and the shared prompt is read
        # twice.
        self.concurrency = 1
        # With the prompt cache on, a prompt is computed in other pieces than from its beginning, and rounding
        # differs.
        self.extra_body: dict[str, Any] = {"cache_prompt": not reproducible, **NEUTRAL_SAMPLING}

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server, also in the middle of an answer, and give its memory back. Safe to call twice."""
        self._end()


def serve(
    weights: Weights | Path,
    reproducible: bool = False,
    context_tokens: int | None = None,
    threads: int | None = None,
) -> Served:
    """Load a GGUF file and serve it on loopback, on a free port, behind a key that only this process knows.

    `reproducible`: the same requests in the same order give the same texts at temperature 0, whatever number
    of cores the machine has and however busy it is. Costs speed: one thread, and every prompt is read from
    its beginning.
    """
    path = weights if isinstance(weights, Path) else weights.path
    header = read_header(path)
    asked = context_tokens or CONTEXT_TOKENS
    context = min(asked, header.context_length or asked)
    # The sums of an attention head are split by thread, so their rounding, and with it now and then a word,
    # depends on how many there are: 5 of 8 texts of SmolLM2 differed between one thread and two.
    threads = threads or (1 if reproducible else min(count_cores(), MAX_THREADS))
    key = secrets.token_urlsafe(24)
    xllamacpp = _load_engine()
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.endpoint_slots = False  # it shows the prompts being worked on
    params.n_ctx = context
    params.n_parallel = 1
    params.fit_params = (
        False  # would shrink the context on its own where memory is short; a trial must say so instead
    )
    params.cache_prompt = not reproducible
    params.cache_ram_mib = (
        0  # prompts of slots gone by, up to 8 GiB: trials that share a prefix follow each other anyway
    )
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = 0
    try:
        server = xllamacpp.Server(params)
    except RuntimeError:
        raise Incomplete(
            f"{path} could not be loaded: {_explain_refusal(path)}. "
            "If the file is incomplete, fetch it again; "
            "if its kind of model is newer than the installed xllamacpp, update that."
        ) from None
    # One token first: a file for embeddings loads and does not answer. It also makes sure that the server's
    # loop runs: a server that is stopped before its loop has begun never stops.
    first = server.handle_completions(
        {"prompt": "a", "max_tokens": 1, "temperature": 0, "cache_prompt": False}
    )
    if "error" in first:
        raise Incomplete(
            f"{path} loads, but does not answer: {first['error'].get('message', first['error'])}."
        )
    return Served(server, path, context_tokens=context, threads=threads, reproducible=reproducible, key=key)


def _stop(only_reference: list[Any], port: int) -> None:
    """Hang up on the client, then drop the server's last reference: its loop stops, its threads end.

    That waits for the server's connections and blocks Python. The client, in this same process, needs Python
    to let go of them: without hanging up first, closing in the middle of an answer never comes back.
    """
    for entry in Path("/dev/fd").iterdir():
        try:
            if not stat.S_ISSOCK(os.fstat(int(entry.name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as connection:
                if ("127.0.0.1", port) in (connection.getsockname(), connection.getpeername()):
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # not connected, or closed since it was listed
            continue
    only_reference.clear()


def _load_engine() -> Any:
    require("xllamacpp")
    flags = Path("/proc/cpuinfo")
    if platform.machine() in ("x86_64", "AMD64") and flags.exists() and " avx2 " not in flags.read_text():
        raise Incomplete(
            "Embedded models need a processor with AVX2, which this one lacks. "
            "Ask a model over the network instead: `probatio trial --model …`."
        )
    before = os.environ.get("GOMP_SPINCOUNT")
    os.environ["GOMP_SPINCOUNT"] = before or str(SPIN)  # read once, when the library is loaded
    try:
        import xllamacpp
    except ImportError as error:
        if "libgomp" in str(error):
            raise Incomplete(
                "Embedded models need the system's OpenMP library: "
                "install `libgomp1` (Debian, Ubuntu) or `libgomp` (Fedora)."
            ) from None
        raise Incomplete(f"xllamacpp, which runs embedded models, can't be imported: {error}.") from None
    finally:
        if before is None:
            del os.environ["GOMP_SPINCOUNT"]
    return xllamacpp


def _explain_refusal(path: Path) -> str:
    """Why llama.cpp refused a file. It says so on stderr only, so it is tried again in a process."""
    program = (
        "import sys, xllamacpp\n"
        "p = xllamacpp.CommonParams()\n"
        "p.model.path, p.n_ctx, p.verbosity, p.fit_params = sys.argv[1], 256, 1, False\n"
        "xllamacpp.Server(p)\n"
    )
    try:
        with tempfile.TemporaryDirectory() as empty:
            command = python_command("-c", program, str(path.resolve()))
            log = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=empty)
    except (OSError, subprocess.TimeoutExpired):
        return "llama.cpp refuses it"
    for line in (log.stdout + log.stderr).splitlines():
        if "error loading model: " in line:
            return line.partition("error loading model: ")[2].strip().rstrip(".")
    return "llama.cpp refuses it; there may be too little memory"
