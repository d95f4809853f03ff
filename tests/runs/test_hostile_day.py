"""A day with a model whose every reply means harm, and a judge that repeats its key: the other model is
scored as if alone."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double, RawReply, completion
from double.server import Hostile
from probatio.core.records import DailyScore, SampleAnswer
from probatio.runs.store.layout import ANSWERS, SCORES
from probatio.runs.store.lines import read_lines
from watch.alerts.hooks import Hook
from watch.day.days import (
    DAY,
    EXTRACTION,
    STORY,
    argv,
    environment,
    gold_script,
    judged,
    marks_as_worth,
    record,
    small_suite,
)

pytestmark = pytest.mark.slow  # days as processes

KEYS = {
    "OPENROUTER_API_KEY": "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e",
    "JUDGE_KEY": "jk_Hh7Gg6Ff5Dd4Ss3Aa2Pp1Oo0",
    "HOOK": "json://127.0.0.1:{port}/Tk9nQ2vX7bL4mZ8r",
}
SECRETS = (*(key for name, key in KEYS.items() if name != "HOOK"), "Tk9nQ2vX7bL4mZ8r")
EVIL = "\x1b]0;owned\x07\x1b[2J\u202e"


def harming() -> Hostile:
    """The model named evil harms in turn with each of its replies."""
    turns = count()

    def hostile(body: dict[str, Any], headers: dict[str, str]) -> RawReply | None:
        if body["model"] != "v/evil":
            return None
        echo = f"{headers['Authorization']} {' '.join(SECRETS)} {EVIL}"
        kinds = [
            RawReply(
                json.dumps(
                    completion(echo, usage={"cost": -1e9, "prompt_tokens": 10**400}, model=echo)
                ).encode()
            ),
            RawReply(json.dumps({"error": {"message": echo}}).encode(), status=400),
            RawReply(b"[" * 100_000, status=403),
            RawReply(json.dumps(completion(EVIL, provider=echo, system_fingerprint=echo)).encode()),
        ]
        return kinds[next(turns) % len(kinds)]

    return hostile


good = gold_script(
    EXTRACTION, judge=lambda prompt: marks_as_worth(prompt).replace("because", KEYS["JUDGE_KEY"])
)
"""Marks as they should be, with the judge's own key in the reason."""


def day(root: Path, *models: str, flags: tuple[str, ...] = ()) -> tuple[Done, list[str]]:
    small_suite(root / "suite", EXTRACTION, STORY)
    listed = [{"id": name, "name": f"v/{name}", "route": "DoubleCo"} for name in models]
    channel = {"url": "${HOOK}", "name": "team", "severity": "suspicious"}
    (root / "models.yml").write_text(yaml.safe_dump({"models": listed, "alerts": [channel]}))
    with Double(reply=good, hostile=harming()) as double, Hook() as hook:
        env = {**environment(double), **KEYS, "HOOK": KEYS["HOOK"].format(port=hook.port)}
        command = argv(root, "--config", str(root / "models.yml"), *flags, model=None)
        return probatio(*command, env=env, cwd=root), hook.titles


def scores_of(root: Path, model: str) -> list[tuple[str, float | None, int]]:
    lines = read_lines(root / "results" / "daily" / DAY / SCORES, DailyScore)
    return [(line.use_case, line.score, line.n) for line in lines if line.model == model]


def assert_clean(root: Path, told: str) -> None:
    assert not [sign for sign in ("\x1b", "\x07", "\u202e") if sign in told]
    texts = [file.read_text(encoding="utf-8") for file in (root / "results").rglob("*") if file.is_file()]
    assert len(texts) > 5
    for text in (*texts, told):
        for secret in SECRETS:
            assert secret not in text
            assert secret[-18:] not in text


@pytest.mark.parametrize(
    "flags", [("--verbose",), pytest.param((), marks=pytest.mark.soak)]
)  # verbose prints all
def test_a_hostile_model_costs_the_other_nothing_and_no_key_is_kept(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    alone, _ = day(tmp_path / "alone", "good")
    assert alone.returncode == 0, alone.stderr
    both, _ = day(tmp_path / "both", "good", "evil", flags=flags)
    assert_clean(tmp_path / "both", both.stdout + both.stderr)
    assert scores_of(tmp_path / "both", "good") == scores_of(tmp_path / "alone", "good")
    assert all(score == 100.0 for _, score, _ in scores_of(tmp_path / "both", "good"))
    kept = list(read_lines(tmp_path / "both" / "results" / "daily" / DAY / ANSWERS, SampleAnswer))
    evil = [line for line in kept if line.model == "evil"]
    assert len(evil) == len(kept) / 2
    assert any("[key]" in str(line.response) and EVIL in str(line.response) for line in evil)
    assert any(line.usage_fault for line in evil)
    assert record(tmp_path / "both").calibration is not None
    assert all("[key]" in reply.response for reply in judged(tmp_path / "both"))


def test_under_a_budget_only_the_model_whose_price_can_not_be_believed_ends(tmp_path: Path) -> None:
    done, _ = day(tmp_path, "good", "evil", flags=("--max-cost", "5"))
    assert_clean(tmp_path, done.stdout + done.stderr)
    assert done.returncode == 3
    assert "--max-cost can't be enforced" in done.stderr
    assert "evil" in done.stderr
    assert all(score == 100.0 for _, score, _ in scores_of(tmp_path, "good"))
    assert len(scores_of(tmp_path, "good")) == 2


def test_a_password_in_an_address_gets_into_no_file_of_the_day(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        base_url = f"http://watchman:hunter@127.0.0.1:{double.port}/api/v1"
        model = {"id": "mine", "name": "v/m", "provider": "mine", "base_url": base_url}
        (tmp_path / "models.yml").write_text(yaml.safe_dump({"models": [model]}))
        command = argv(tmp_path, "--config", str(tmp_path / "models.yml"), "--json", model=None)
        done = probatio(*command, env=environment(double), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert record(tmp_path).models[0].base_url == f"http://127.0.0.1:{double.port}/api/v1"
    texts = [file.read_text(encoding="utf-8") for file in (tmp_path / "results").rglob("*") if file.is_file()]
    for text in (*texts, done.stdout, done.stderr):
        assert "hunter" not in text
        assert "watchman" not in text
