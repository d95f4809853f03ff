"""How a run ends where a server can't be asked, in whole or in part: exit code 3, the reason, and the command
that goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import probatio
from double import Double, Faults, RawReply, completion
from probatio.ask import retry
from probatio.core.records import Response
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines
from runs.trials import argv, asked, environment, graded, grades, new_run

pytestmark = pytest.mark.slow  # starts processes for nearly every claim


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.01,) * 5)


def listed(root: Path, *models: dict[str, Any], **more: Any) -> str:
    path = root / "models.yml"
    entries = [{"name": f"v/{model['id']}", "provider": "own", **model} for model in models]
    path.write_text(json.dumps({"models": entries, **more}))
    return str(path)


def ran(root: Path, double: Double, *flags: str, models: str = "*") -> Any:
    words = [models if word == "gpt-4o-mini" else word for word in new_run(root, *flags)[3:]]
    return probatio(*words, env=environment(double), cwd=root)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


STATUSES = [403, 404, 413, 422]
FAULTY: dict[str, tuple[Faults | None, str]] = {
    **{
        f"status {status}": (Faults(status={status: 1.0}), f"status {status}: refused with {status}")
        for status in STATUSES
    },
    "a web page": (Faults(bad_json=1.0), "the reply is not the JSON of a chat completion"),
    "garbage": (Faults(garbage=1.0), "the reply is not the JSON of a chat completion"),
    "no choices": (Faults(empty_choices=1.0), "the reply has no choices"),
    "a server that hangs": (Faults(hang=1.0), "no answer within the time limit"),
    "nobody there": (None, "the connection failed"),
    "no such host": (None, "the connection failed"),
    "another protocol": (None, "the connection failed"),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_a_model_that_can_not_be_asked_ends_with_code_3_its_reason_and_the_command_that_goes_on(
    tmp_path: Path, kind: str
) -> None:
    faults, reason = FAULTY[kind]
    with Double(faults) as double:
        addresses = {
            "nobody there": f"http://127.0.0.1:{closed_port()}/v1",
            "no such host": "http://nowhere.invalid/v1",
            "another protocol": double.base_url.replace("http:", "https:"),
        }
        config = listed(
            tmp_path,
            {"id": "m", "base_url": addresses.get(kind, double.base_url)},
            trials={"timeouts": {"attempt": 0.1, "trial": 5}} if "hangs" in kind else {},
        )
        done = ran(tmp_path, double, "--config", config)
        if kind in ("status 403", "status 404"):
            assert double.served[kind.replace(" ", ":")] <= 9  # a few, and those that were under way
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 3, done.stdout
    assert reason in last
    assert f"Continue with: probatio trial --resume {Path('results') / 'r'}" in last.replace(
        f"{tmp_path}/", ""
    )
    assert "Traceback" not in done.stderr
    if asked(tmp_path):
        assert last.endswith("--retry-errors")
    if kind not in ("status 404", "a server that hangs"):
        return
    with Double() as double:
        record = tmp_path / "results" / "r" / "run.json"
        record.write_text(json.dumps(json.loads(record.read_text()) | {"timeouts": None}))
        listed(tmp_path, {"id": "m", "base_url": double.base_url})
        assert f"--config {config}" in last
        again = probatio(
            *argv(tmp_path, "--resume", "r", "--retry-errors", "--config", config),
            env=environment(double),
            cwd=tmp_path,
        )
    assert again.returncode == 0, again.stderr
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == 10
    assert not [grade for grade in grades(tmp_path) if grade.error_type == "api_error"]


def test_a_model_that_is_not_served_is_given_up_and_the_other_goes_on(tmp_path: Path) -> None:
    with Double(Faults(status={404: 1.0})) as missing, Double() as double:
        config = listed(
            tmp_path,
            {"id": "gone", "base_url": missing.base_url},
            {"id": "here", "base_url": double.base_url},
        )
        done = ran(tmp_path, double, "--config", config, "--samples", "3")
        assert missing.served["status:404"] <= 9
        assert double.served["answer"] == 30
    assert done.returncode == 3
    assert "gone is asked no further" in done.stdout
    assert "v/gone has not answered one request: status 404" in done.stderr
    assert sum(key.model == "here" for key in asked(tmp_path)) == 30


def test_where_a_part_failed_the_reason_and_the_command_stand_in_the_summary(tmp_path: Path) -> None:
    with Double(Faults(status={422: 0.4})) as double:
        config = listed(tmp_path, {"id": "m", "base_url": double.base_url})
        done = ran(tmp_path, double, "--config", config)
    failed = double.served["status:422"]
    assert 0 < failed < 10
    assert done.returncode == 0, done.stderr
    assert f"m: {failed} of 10 requests failed, most often: status 422: refused with 422." in done.stdout
    assert "--retry-errors" in done.stdout


def test_a_wait_beyond_the_limit_ends_the_run_at_once_and_it_can_be_resumed(tmp_path: Path) -> None:
    with Double(Faults(too_many_hinted=1.0), retry_after=3600) as double:
        config = listed(tmp_path, {"id": "m", "base_url": double.base_url})
        done = ran(tmp_path, double, "--config", config)
        assert double.served["too_many_hinted"] <= 4
        double.faults = Faults()
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 3
        assert "the server asks to wait an hour" in last
        assert "--max-wait allows 10 minutes" in last
        assert "--retry-errors" not in last
        assert not asked(tmp_path)  # not one trial is spent on it
        again = probatio(
            *argv(tmp_path, "--resume", "r", "--max-wait", "2h", "--config", config),
            env=environment(double),
            cwd=tmp_path,
        )
    assert again.returncode == 0, again.stderr
    assert len(asked(tmp_path)) == 10


def test_answers_that_can_not_be_decoded_are_kept_and_marked(tmp_path: Path) -> None:
    turns: Iterator[bytes] = iter(
        [
            json.dumps(completion("42 \ud83d")).encode(),
            json.dumps(completion("4é"), ensure_ascii=False).encode("latin-1"),
        ]
    )
    with Double(hostile=lambda *_: RawReply(next(turns))) as double:
        config = listed(tmp_path, {"id": "m", "base_url": double.base_url})
        done = ran(tmp_path, double, "--config", config, "--limit", "2")
    assert done.returncode == 0, done.stderr
    lines = list(read_lines(tmp_path / "results" / "r" / ANSWERS, Response))
    assert sorted(str(line.response) for line in lines) == ["42 \ufffd", "4\ufffd"]
    assert all("U+FFFD" in str(line.text_fault) and line.cost == 0.0001 for line in lines)


# Money

DEAR = {"id": "m", "cost_per_1m_input": 5000.0, "cost_per_1m_output": 5000.0}


@pytest.mark.parametrize(
    ("flags", "more", "code"),
    [
        ((), {}, 2),
        (("--json",), {}, 2),
        ((), {"confirm_above": 500}, 0),
        (("--yes",), {}, 0),
        (("--max-cost", "400"), {}, 0),
    ],
)
def test_a_dear_run_needs_the_users_word(
    tmp_path: Path, flags: tuple[str, ...], more: dict[str, Any], code: int
) -> None:
    with Double() as double:
        config = listed(tmp_path, {**DEAR, "base_url": double.base_url}, **more)
        done = ran(tmp_path, double, "--config", config, *flags)
        assert bool(double.served) == (code == 0)
    assert done.returncode == code, done.stderr
    if code:
        assert "This run is expected to cost about $" in done.stderr
        assert "--yes" in done.stderr
        assert "--max-cost" in done.stderr
        assert not (tmp_path / "results").exists()
