"""Embedded models: the real smallest one, loaded, asked over its socket, stopped in every way a run can
stop."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from probatio.ask.embedded import server as embedded
from probatio.ask.embedded import weights
from probatio.ask.embedded.gguf import Header, read_header
from probatio.core.errors import Incomplete, UsageError

pytestmark = pytest.mark.slow  # a real model

PROMPTS = [
    f"Line {n}: what does the TypeScript program `console.log({n} * {n + 3} + 'x')` print, and why?"
    for n in range(4)
]


@pytest.fixture(scope="module")
def smallest() -> Path:
    """The real weights, pulled into the cache folder once per machine."""
    try:
        return weights.ensure("smollm2-135m")
    except Incomplete as error:
        pytest.skip(f"the smallest model can't be downloaded here: {error}")


@pytest.fixture(scope="module")
def served(smallest: Path) -> Iterator[embedded.Served]:
    with embedded.serve(smallest, context_tokens=1024) as running:
        yield running


def ask(served: embedded.Served, prompt: str, key: str | None = None, **more: Any) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 24, "temperature": 0}
    request = urllib.request.Request(
        f"{served.base_url}/chat/completions",
        json.dumps({**body, **served.extra_body, **more}).encode(),
        {"Authorization": f"Bearer {key or served.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=300) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def test_it_answers_on_loopback_as_any_other_route(served: embedded.Served) -> None:
    assert served.base_url.startswith("http://127.0.0.1:")
    answer = ask(served, "Say hello.")
    assert answer["choices"][0]["message"]["content"].strip()
    assert answer["usage"]["completion_tokens"] > 0
    assert answer["model"] == served.file.name


def test_nobody_asks_it_without_the_key_of_this_process(served: embedded.Served) -> None:
    with pytest.raises(urllib.error.HTTPError) as refusal:
        ask(served, "Say hello.", key="guessed")
    assert refusal.value.code == 401


def test_the_chat_template_of_the_file_is_used(served: embedded.Served) -> None:
    request = urllib.request.Request(
        served.base_url.removesuffix("/v1") + "/apply-template",
        json.dumps({"messages": [{"role": "user", "content": "Salve"}]}).encode(),
        {"Authorization": f"Bearer {served.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        assert "<|im_start|>user\nSalve<|im_end|>" in json.load(reply)["prompt"]


def test_a_prompt_longer_than_the_context_is_refused_at_once(served: embedded.Served) -> None:
    began = time.process_time()
    with pytest.raises(urllib.error.HTTPError) as refusal:
        ask(served, "word " * 5000)
    assert refusal.value.code == 400
    assert json.load(refusal.value)["error"]["type"] == "exceed_context_size_error"
    assert time.process_time() - began < 10, "the model runs in this process, and did not read it"


def test_the_context_is_never_longer_than_the_model_was_trained_on(smallest: Path) -> None:
    assert read_header(smallest) == Header("llama", 8192)
    with embedded.serve(smallest, context_tokens=100_000) as running:
        assert running.context_tokens == 8192


@pytest.fixture(scope="module")
def reproducible(smallest: Path) -> Iterator[embedded.Served]:
    with embedded.serve(smallest, reproducible=True, context_tokens=1024) as running:
        yield running


def test_a_shared_beginning_is_read_once_unless_it_must_be_reproducible(
    served: embedded.Served, reproducible: embedded.Served
) -> None:
    beginning = "The rules: " + " ".join(f"rule {n} stands." for n in range(25))
    for running in (served, reproducible):
        ask(running, f"{beginning} First question.", max_tokens=1)
        cached = ask(running, f"{beginning} Second question.", max_tokens=1)["usage"]["prompt_tokens_details"]
        assert (cached["cached_tokens"] > 80) is (running is served)
        assert running.concurrency == 1


def test_reproducible_gives_the_same_texts_to_the_letter_in_any_order(
    smallest: Path, reproducible: embedded.Served
) -> None:
    def texts(running: embedded.Served, prompts: list[str]) -> dict[str, str]:
        return {prompt: ask(running, prompt)["choices"][0]["message"]["content"] for prompt in prompts}

    with embedded.serve(smallest, reproducible=True, context_tokens=1024) as another:
        assert texts(another, PROMPTS[::-1]) == texts(reproducible, PROMPTS)


async def test_an_answer_the_client_gave_up_on_does_not_hold_the_next_one(served: embedded.Served) -> None:
    body = {"messages": [{"role": "user", "content": "Count."}], "max_tokens": 900, "ignore_eos": True}
    headers = {"Authorization": f"Bearer {served.api_key}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        with pytest.raises(asyncio.TimeoutError):
            timeout = aiohttp.ClientTimeout(total=0.5)
            async with session.post(
                f"{served.base_url}/chat/completions", json=body, timeout=timeout
            ) as reply:
                await reply.read()
    began = time.process_time()
    await asyncio.to_thread(ask, served, "Hello.", max_tokens=2)
    assert time.process_time() - began < 5, "900 tokens would take longer"


def test_a_file_that_is_no_gguf_is_named_as_such(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("Gallia est omnis divisa")
    with pytest.raises(UsageError, match="is not a GGUF file"):
        embedded.serve(other)
    with pytest.raises(UsageError, match="There is no file"):
        embedded.serve(tmp_path / "none.gguf")
    other.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(range(256)) * 4)
    with pytest.raises(UsageError, match="header is damaged"):
        embedded.serve(other)


def test_a_file_cut_short_is_refused_in_llama_cpps_own_words(smallest: Path, tmp_path: Path) -> None:
    with smallest.open("rb") as whole:
        (tmp_path / "short.gguf").write_bytes(whole.read(20_000_000))
    with pytest.raises(Incomplete, match="not within the file bounds"):
        embedded.serve(tmp_path / "short.gguf")


BUSY = """
import json, signal, sys, threading, time, urllib.request
from pathlib import Path
from probatio.ask.embedded import server as embedded
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background
with embedded.serve(Path(sys.argv[1]), context_tokens=2048) as served:
    body = {"messages": [{"role": "user", "content": "Count."}], "max_tokens": 1900, "ignore_eos": True}
    headers = {"Authorization": f"Bearer {served.api_key}", "Content-Type": "application/json"}
    url = served.base_url + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    def asking():
        try:
            urllib.request.urlopen(request).read()
        except OSError:
            pass
    threading.Thread(target=asking, daemon=True).start()
    time.sleep(0.5)
    print("asking", flush=True)
    if sys.argv[2] == "exception":
        raise ValueError("in the middle")
    time.sleep(60)
"""


WHOLE_ANSWER = 25
"""Seconds of CPU: less than 1,900 tokens take, with starting and loading."""


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


FORGOTTEN = BUSY.replace("with embedded.serve(", "served = embedded.serve(").replace(
    ") as served:", ")\nif served:", 1
)


def test_a_server_nobody_closed_does_not_hold_the_end_of_the_program(smallest: Path) -> None:
    program = FORGOTTEN.replace("time.sleep(60)", "pass")
    run = [sys.executable, "-c", program, str(smallest), "end"]
    before = cpu_of_children()
    assert subprocess.run(run, capture_output=True, text=True, timeout=300).returncode == 0
    assert cpu_of_children() - before < WHOLE_ANSWER


@pytest.mark.parametrize("way", ["exception", "interrupt"])
def test_it_stops_in_the_middle_of_an_answer(smallest: Path, way: str) -> None:
    before = cpu_of_children()
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY, str(smallest), way],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asking\n"
    if way == "interrupt":
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert cpu_of_children() - before < WHOLE_ANSWER
    assert ("ValueError" if way == "exception" else "KeyboardInterrupt") in errors
    assert process.returncode in (1, -signal.SIGINT), "no crash on the way out"


def test_llama_cpp_says_nothing_on_our_streams(smallest: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from probatio.ask.embedded import server as embedded\n"
        "embedded.serve(Path(sys.argv[1]), context_tokens=256).close()"
    )
    quiet = subprocess.run(
        [sys.executable, "-c", program, str(smallest)], capture_output=True, text=True, timeout=300
    )
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_the_spinning_of_idle_threads_is_set_for_us_alone(served: embedded.Served) -> None:
    assert "GOMP_SPINCOUNT" not in os.environ, "programs we start must not inherit it"
