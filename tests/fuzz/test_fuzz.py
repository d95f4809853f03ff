"""Fuzzing as tests: a few inputs of each kind with fixed seeds, every kept finding, and minutes as soak."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fuzz import canary
from fuzz.changes import make_changes
from fuzz.findings import Finding, pack, read_findings, write_findings
from fuzz.mutations import mutate_bytes, mutate_page, mutate_text, mutate_value, to_json
from fuzz.play import README, SHARES, SUMS, format_sums, next_seed, play, play_here, replay
from fuzz.replies import Replies, make_reply

MINUTES = float(os.environ.get("FUZZ_MINUTES", "2"))
"""For all kinds together, in `make soak`; `make fuzz MINUTES=60` gives more."""
JOBS = int(os.environ.get("FUZZ_JOBS", "1"))
SMOKE = {
    "texts": range(200),
    "programs": range(20),
    "pages": range(10, 12),  # of those that are not waited for
    "replies": range(300),
    "folders": range(30),
}
"""Kind → seeds in `make test`. Whole commands are soak: they see less than the watched child does."""

KINDS = [
    pytest.param(kind, marks=[pytest.mark.slow, *([pytest.mark.browser] if kind == "pages" else [])])
    for kind in SHARES
]


def describe(findings: list[Finding]) -> str:
    return "\n".join(
        f"{each.kind} {each.seed}: {each.place}\n  {each.what}\n  {each.shown}" for each in findings
    )


@pytest.mark.parametrize("kind", [each for each in KINDS if each.values[0] in SMOKE])
def test_kept_findings_and_a_few_mutated_inputs_do_nothing_but_be_read(kind: str) -> None:
    kept = [each for each in read_findings() if each.kind == kind]
    findings = replay(kind, kept, SMOKE[kind])
    assert not findings, describe(findings)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_inputs_do_nothing_but_be_read_for_as_long_as_is_given(kind: str) -> None:
    played, findings = play(kind, soak_seed(kind), None, MINUTES * SHARES[kind], JOBS)
    write_findings(findings)
    assert played.cases
    assert not findings, describe(findings)


def soak_seed(kind: str) -> int:
    """Seeds that no kept run has played, and another run's soak hardly either."""
    return next_seed(kind) + Random().randrange(10**6) * 10**6


# The harness itself


def test_an_input_is_its_kind_and_its_seed() -> None:
    text, page = 'the answer is {"a": [1, 2]}\n' * 5, "<html><body id='a'><p>x</p></body></html>"
    for seed in range(100):
        first, again = Random(seed), Random(seed)
        assert mutate_text(text, page, first) == mutate_text(text, page, again)
        assert mutate_page(page, text, first) == mutate_page(page, text, again)
        assert mutate_bytes(text.encode(), first) == mutate_bytes(text.encode(), again)
        assert to_json(mutate_value({"a": [text]}, first)) == to_json(mutate_value({"a": [text]}, again))
        assert make_reply(Random(seed)) == make_reply(Random(seed))
        world = {"lang/language.yml": (b"name: x\n", 0o644), "results/run-1/run.json": (b'{"a": 1}', 0o644)}
        assert make_changes(world, ("lang",), Random(seed)) == make_changes(world, ("lang",), Random(seed))


def test_a_finding_is_kept_once_for_its_place_and_with_its_whole_input(tmp_path: Path) -> None:
    reply = make_reply(Random(1))
    found = Finding("replies", 1, "ValueError in x.py:f", "what", "shown", pack(reply))
    other = Finding("replies", 2, "ValueError in x.py:f", "what", "shown", pack(make_reply(Random(2))))
    assert len(write_findings([found, other], tmp_path)) == 1
    (kept,) = read_findings(tmp_path)
    assert kept == found
    assert Replies.unpack(kept.input) == reply


def test_the_readme_shows_the_sums_of_the_tally() -> None:
    assert README.read_text(encoding="utf-8").endswith(f"{SUMS}{format_sums()}\n")


def test_a_client_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle sees what it is there for: an exception, and another's answer."""
    from probatio.ask import chat, client, retry

    real = chat.read_reply

    def broken(status: int, headers: Any, body: bytes, now: float) -> Any:
        if len(body) % 7 == 0:
            raise KeyError("broken")
        return real(status, headers, body, now)

    monkeypatch.setattr(client, "read_reply", broken)
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())
    monkeypatch.setenv(canary.VARIABLE, "")
    findings = play_here("replies", range(60))
    assert any("KeyError" in each.place for each in findings)


@pytest.mark.slow
def test_a_command_that_reaches_outside_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the world's own files nothing is said; a read, a write, a start and a call outside are each told."""
    import socket
    import subprocess

    from probatio import cli

    def reach() -> None:
        (canary.OUTSIDE / "secret.txt").read_text(encoding="utf-8")
        (canary.OUTSIDE / "folder" / "new.txt").write_text("x", encoding="utf-8")
        subprocess.run(["/bin/true"], check=False)
        with socket.socket() as call:
            call.connect_ex(("127.0.0.1", 9))

    monkeypatch.setattr(cli, "main", reach)
    for name in (canary.VARIABLE, "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    findings = play_here("folders", range(1))
    told = " ".join(each.place for each in findings)
    for word in ("read", "wrote", "started", "called", "a mark outside"):
        assert word in told, describe(findings)
