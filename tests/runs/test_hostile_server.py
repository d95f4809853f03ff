"""A run against a server that means harm: no key in a file, no escape on a terminal, no budget talked down.

Two are processes of their own, on a pipe and on a terminal: what they print by any way is looked at.
"""

from __future__ import annotations

import base64
import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double, RawReply, completion
from probatio.core.records import Response
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines
from runs.trials import argv, environment, new_run

pytestmark = pytest.mark.slow  # whole runs against a server

KEY = "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"
OTHER = "gsk_Zk3Qw8Lm2Nb7Vc5Xs9Df4Gh6"
SECRETS = (
    KEY,
    KEY[12:30],
    OTHER,
    base64.b64encode(f"u:{KEY}".encode()).decode()[12:30],
    KEY.replace("-", "\\u002d"),
)
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eelif\u2066\x00\x7f\r\x08"
ACTS = ("\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\x00", "\x7f", "\x08")

Hostile = Callable[[dict[str, Any], dict[str, str]], RawReply | None]


def ran(
    root: Path,
    hostile: Hostile,
    *flags: str,
    command: list[str] | None = None,
    process: bool = False,
    **env: str,
) -> Done:
    with Double(hostile=hostile) as double:
        variables = {**environment(double), "OPENROUTER_API_KEY": KEY, "OPENAI_API_KEY": OTHER, **env}
        words = command or new_run(root, *flags)
        if not process:
            return probatio(*words, env=variables, cwd=root)
        done = subprocess.run(words, env=variables, cwd=root, capture_output=True, timeout=300, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def kept(root: Path) -> list[Response]:
    return list(read_lines(root / "results" / "r" / ANSWERS, Response))


def assert_no_key(root: Path, *texts: str) -> None:
    files = [file for file in (root / "results").rglob("*") if file.is_file()]
    assert files
    for text in (*(file.read_bytes().decode() for file in files), *texts):
        for secret in SECRETS:
            assert secret not in text


def echo(place: str, status: int) -> Hostile:
    """A server that repeats the headers it got, and another key it knows, in the place named."""

    def hostile(_: dict[str, Any], headers: dict[str, str]) -> RawReply:
        bearer = headers["Authorization"]
        basic = base64.b64encode(b"u:" + bearer.removeprefix("Bearer ").encode()).decode()
        text = f"{bearer} {bearer.replace('-', chr(92) + 'u002d')} Basic {basic} {OTHER}"
        if status != 200:
            body: dict[str, Any] = {"error": {"message": text, "metadata": {"raw": json.dumps({"h": text})}}}
        elif place == "answer":
            body = completion(text)
        else:
            body = completion(model=text, provider=text, system_fingerprint=text)
            body["choices"][0]["message"]["reasoning"] = text
        return RawReply(json.dumps(body).encode(), status=status)

    return hostile


@pytest.mark.parametrize(
    ("place", "status", "flags", "process"),
    [
        ("error", 400, ("--verbose",), True),
        ("error", 400, ("--json",), False),
        ("error", 401, (), False),
        ("error", 401, ("--json",), False),
        ("answer", 200, ("--verbose",), False),
        ("fields", 200, ("--json",), False),
    ],
)
def test_no_key_gets_into_any_file_nor_on_the_terminal(
    tmp_path: Path, place: str, status: int, flags: tuple[str, ...], process: bool
) -> None:
    run = ran(tmp_path, echo(place, status), "--limit", "3", *flags, process=process)
    assert run.returncode == (0 if status == 200 else 3), run.output
    assert_no_key(tmp_path, run.output)
    if status != 401:
        assert len(kept(tmp_path)) == 3
        assert "[key]" in (tmp_path / "results" / "r" / ANSWERS).read_text()


def test_the_key_of_a_model_that_is_not_asked_is_known_too(tmp_path: Path) -> None:
    models = [
        {"id": "gpt-4o-mini", "name": "v/m", "provider": "openrouter"},
        {
            "id": "mine",
            "name": "m",
            "provider": "mine",
            "base_url": "http://127.0.0.1:9/v1",
            "api_key_env": "MY_OWN_SECRET",
        },
    ]
    (tmp_path / "models.yml").write_text(yaml.safe_dump({"models": models}))
    own = "Qm9-own-server-55aa77cc"
    flags = ("--limit", "2", "--config", str(tmp_path / "models.yml"))
    run = ran(
        tmp_path,
        lambda *_: RawReply(json.dumps(completion(f"it is {own}")).encode()),
        *flags,
        MY_OWN_SECRET=own,
    )
    assert run.returncode == 0, run.output
    assert [line.response for line in kept(tmp_path)] == ["it is [key]"] * 2


@pytest.mark.parametrize("gap", ["\n", "\u200b"])
def test_an_answer_with_a_broken_key_in_it_is_kept_and_paid_once(tmp_path: Path, gap: str) -> None:
    asked: list[object] = []

    def hostile(body: dict[str, Any], _: dict[str, str]) -> RawReply:
        asked.append(body)
        broken = f"{KEY[:12]}{gap}{KEY[12:]}"
        return RawReply(json.dumps(completion(f"42\n{KEY[-20:]} {broken}", model=broken)).encode())

    run = ran(tmp_path, hostile, "--limit", "2", "--verbose")
    assert run.returncode == 0, run.output
    assert len(asked) == 2
    assert [line.response for line in kept(tmp_path)] == ["42\n[key] [key]"] * 2
    assert_no_key(tmp_path, run.output)


@pytest.mark.parametrize("flags", [("--verbose",), ("--json",)])
def test_a_password_in_an_address_gets_into_no_file_nor_on_the_terminal(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """Not even one that is a word, which can't be taken out of texts: `hunter`."""
    with Double(hostile=lambda *_: None) as double:
        base_url = f"http://watchman:hunter@127.0.0.1:{double.port}/api/v1"
        model = {"id": "gpt-4o-mini", "name": "v/m", "provider": "mine", "base_url": base_url}
        (tmp_path / "models.yml").write_text(yaml.safe_dump({"models": [model]}))
        words = new_run(tmp_path, "--limit", "2", "--config", str(tmp_path / "models.yml"), *flags)
        run = probatio(*words, env=environment(double), cwd=tmp_path)
        assert run.returncode == 0, run.output
        assert double.headers[0]["Authorization"].startswith("Basic ")
    record = json.loads((tmp_path / "results" / "r" / "run.json").read_text())
    assert record["models"][0]["base_url"] == f"http://127.0.0.1:{double.port}/api/v1"
    texts = [file.read_text() for file in (tmp_path / "results").rglob("*") if file.is_file()]
    for text in (*texts, run.output):
        assert "hunter" not in text
        assert "watchman" not in text


@pytest.mark.parametrize(
    ("status", "flags"),
    [
        (200, ("--verbose",)),
        (200, ("--json",)),
        (400, ("--verbose",)),
        (400, ("--json",)),
        (401, ()),
        (401, ("--json",)),
    ],
)
def test_nothing_a_server_says_acts_on_the_terminal_and_files_keep_it(
    tmp_path: Path, status: int, flags: tuple[str, ...]
) -> None:
    def hostile(*_: object) -> RawReply:
        body = {"error": {"message": f"no {EVIL}"}}
        if status == 200:
            body = completion(f"wrong {EVIL}", model=EVIL, provider=EVIL, system_fingerprint=EVIL)
        return RawReply(json.dumps(body).encode(), status=status)

    run = ran(tmp_path, hostile, "--limit", "3", *flags)
    text = run.output
    assert not [sign for sign in ACTS if sign in text]
    assert "\r" not in text
    if status == 400 and flags:
        assert "\\u001b[2J" in text
    if status == 200:
        assert [line.response for line in kept(tmp_path)] == [f"wrong {EVIL}"] * 3
        assert {line.resolved_model for line in kept(tmp_path)} == {EVIL}
    if flags == ("--json",):
        events = [json.loads(line) for line in run.stdout.splitlines()]
        if status == 400:  # lossless: a script gets the text as it was
            assert any("\x1b[2J" in str(event.get("error_detail")) for event in events)


def test_a_line_of_the_log_can_not_be_forged(tmp_path: Path) -> None:
    body = json.dumps(
        {"error": {"message": "no\n. 9/9 forged [m] 1+1 tokens\r\n\u2028. forged\x85. forged"}}
    ).encode()
    run = ran(tmp_path, lambda *_: RawReply(body, status=400), "--limit", "2", "--verbose")
    assert not [line for line in run.output.splitlines() if line.startswith(". ")]


def test_a_real_terminal_sees_our_footer_and_no_escape_of_a_server(tmp_path: Path) -> None:
    def hostile(*_: object) -> RawReply:
        return RawReply(json.dumps({"error": {"message": f"no {EVIL} credit"}}).encode(), status=402)

    with Double(hostile=hostile) as double:
        main, side = pty.openpty()
        variables = {**environment(double), "OPENROUTER_API_KEY": KEY, "TERM": "xterm"}
        child = subprocess.Popen(
            new_run(tmp_path), env=variables, cwd=tmp_path, stdout=side, stderr=side, stdin=side
        )
        os.close(side)
        seen = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the child has closed its side
                break
            if not piece:
                break
            seen += piece
        child.wait(300)
        os.close(main)
    text = seen.decode()
    assert "no credit left" in text
    assert "\x1b[2J" not in text
    assert "\x1b]" not in text
    assert not [sign for sign in ACTS if sign != "\x1b" and sign in text]
    assert "\\u001b[2J" in text


def priced(**usage: Any) -> Hostile:
    body = json.dumps(completion(usage={"prompt_tokens": 100, "completion_tokens": 10, **usage})).encode()
    return lambda *_: RawReply(body)


ODD: dict[str, dict[str, Any]] = {
    "negative": {"cost": -5},
    "NaN": {"cost": float("nan")},
    "a text": {"cost": "0.001"},
    "endless": {"cost": 1e308},
    "none": {"cost": None},
}


@pytest.mark.parametrize("kind", ODD)
def test_a_budget_is_not_talked_out_of_its_limit(tmp_path: Path, kind: str) -> None:
    """The model has no price of its own: the run stops with its first answer, as where a reply has no price
    at all."""
    (tmp_path / "models.yml").write_text(yaml.safe_dump({"models": [{"id": "gpt-4o-mini", "name": "v/m"}]}))
    run = ran(tmp_path, priced(**ODD[kind]), "--max-cost", "1", "--config", str(tmp_path / "models.yml"))
    assert run.returncode == 3, run.output
    assert "--max-cost can't be enforced" in run.output
    lines = kept(tmp_path)
    assert [line.response for line in lines] == ["42"]
    assert [line.cost for line in lines] == [None]
    assert (lines[0].usage_fault is None) == (kind == "none")


def test_a_negative_cost_beside_a_price_list_counts_by_the_list(tmp_path: Path) -> None:
    model = {"id": "gpt-4o-mini", "name": "v/m", "cost_per_1m_input": 1000.0, "cost_per_1m_output": 1000.0}
    (tmp_path / "models.yml").write_text(yaml.safe_dump({"models": [model]}))
    run = ran(tmp_path, priced(cost=-5), "--max-cost", "0.3", "--config", str(tmp_path / "models.yml"))
    assert run.returncode == 3
    assert "The budget of $0.30 is reached" in run.output
    assert [line.cost for line in kept(tmp_path)] == [0.11] * 3


def test_a_negative_cost_of_an_older_run_lowers_nothing_on_resume(tmp_path: Path) -> None:
    run = ran(tmp_path, priced(cost=0.4), "--max-cost", "1")
    assert "is reached" in run.output
    answers = tmp_path / "results" / "r" / ANSWERS
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    assert len(lines) == 3
    lines[0]["cost"] = -1e6
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = ran(tmp_path, priced(cost=0.4), command=argv(tmp_path, "--resume", "r", "--max-cost", "1"))
    assert "is reached" in again.output
    assert len(kept(tmp_path)) == 4
