# ruff: noqa: E501
"""Values that can't be meant, in every file a user writes: each is a sentence with file, line and key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.test_unknown_keys import make
from probatio.core.errors import UsageError

WRONG = (
    # kind, file, a piece of it and what stands in its place (None: at the end), the key, what is said
    ("models", "models.yml", "name: vendor/a", "name: vendor/a\n    reasoning: extreme", "models[0].reasoning", "one of none, minimal, low"),
    ("models", "models.yml", "name: vendor/a", "name: vendor/a\n    cost_per_1m_input: -1", "models[0].cost_per_1m_input", "dollars, not below 0"),
    ("models", "models.yml", "name: vendor/a", "name: vendor/a\n    cost_per_1m_output: .nan", "models[0].cost_per_1m_output", "dollars"),
    ("models", "models.yml", "name: vendor/a", "name: vendor/a\n    base_url: localhost:8000", "models[0].base_url", "an address that begins with http"),
    ("models", "models.yml", "name: vendor/a", "name: vendor/a\n    api_key_env: sk-123", "models[0].api_key_env", "the name of an environment variable"),
    ("models", "models.yml", "name: vendor/a", "name: ' '", "models[0].name", "a name that is not empty"),
    ("models", "models.yml", "id: a", "id: ''", "models[0].id", "a name that is not empty"),
    ("models", "models.yml", "trials:", "trials:\n  n_shots: [0, -1]", "trials.n_shots[1]", "a whole number, not below 0"),
    ("models", "models.yml", "trials:", "trials:\n  max_tokens: 0", "trials.max_tokens", "a whole number of at least 1"),
    ("models", "models.yml", "trials:", "trials:\n  temperature: -1", "trials.temperature", "a finite number, not below 0"),
    ("models", "models.yml", "attempt: 10m", "attempt: 0", "trials.timeouts.attempt", "a length of time of more than 0"),
    ("models", "models.yml", "daily:", "daily:\n  max_month_cost: 0", "daily.max_month_cost", "dollars, more than 0"),
    ("models", "models.yml", "daily:", "daily:\n  models: [a, '']", "daily.models[1]", "a name that is not empty"),
    ("models", "models.yml", "{name: vendor/judge}", "{name: vendor/judge, base_url: me}", "daily.judge.base_url", "an address"),
    ("models", "models.yml", "https://example.org/x", "example.org/x", "daily.heartbeat.url", "an address that begins with https"),
    ("models", "models.yml", None, "confirm_above: .inf", "confirm_above", "say --yes"),
    ("daily", "suite.yml", None, "gap_errors: 20", "gap_errors", "a number from 0 to 1"),
    ("daily", "suite.yml", None, "sampling: {reasoning: extreme}", "sampling.reasoning", "one of none, minimal"),
    ("daily", "suite.yml", None, "judge: {bar: -1}", "judge.bar", "a shift of marks"),
    ("daily", "suite.yml", None, "samples: {judge: [0, 3]}", "samples.judge[0]", "a whole number of at least 1"),
    ("daily", "suite.yml", None, "rule: {baseline_days: -3}", "rule.baseline_days", "a number that is not below 0"),
    ("daily", "suite.yml", None, "rule: {judged: {collapse: .nan}}", "rule.judged.collapse", "a number that is not below 0"),
    ("daily", "orders/cases.yml", "difficulty: 1", "rungs: -1", "cases[0].rungs", "a whole number, not below 0"),
    ("daily", "triage/rubric.yml", "question: How?", "question: ''", "criteria[0].question", "not empty"),
    ("command", "language.yml", "limits: {seconds: 5", "limits: {seconds: -1", "commands.limits.seconds", "more than 0"),
    ("command", "language.yml", "{brief: 200", "{brief: 0", "context_tokens", "a whole number of at least 1"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "piece", "wrong", "key", "said"),
    WRONG,
    ids=[f"{row[4]} {row[3][-12:]}" for row in WRONG],
)
def test_a_wrong_value_is_named_with_file_line_and_key(
    tmp_path: Path, kind: str, name: str, piece: str | None, wrong: str, key: str, said: str
) -> None:
    read, file = make(tmp_path, kind), tmp_path / name
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}{wrong}\n" if piece is None else text.replace(piece, wrong, 1), encoding="utf-8")
    begin = wrong.splitlines()[-1]
    line = next(n for n, each in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if begin in each)
    with pytest.raises(UsageError) as caught:
        read(tmp_path)
    where = re.escape(f"{file}, line {line}: `{key}`")
    assert re.match(f"{where} has to be .*{re.escape(said)}", str(caught.value)), caught.value


@pytest.mark.parametrize(
    ("kind", "name", "piece", "wrong", "said"),
    [
        ("models", "models.yml", "json://localhost", "slak://x", "line 11, alerts[0]: There is no service with the scheme `slak` in Apprise. Near matches: slack"),
        ("models", "models.yml", "json://localhost", "no address", "line 11, alerts[0]: `url` is neither an Apprise URL"),
        ("models", "models.yml", "models:", "models:\n  - {id: a, name: b}", "line 3: two models have the id `a`"),
        ("daily", "suite.yml", None, "samples: {judge: [5, 3]}", "line 10: 3 samples at full power are fewer than 5 at first"),
    ],
)  # fmt: skip
def test_what_else_can_not_be_meant_is_a_sentence_with_its_line(
    tmp_path: Path, kind: str, name: str, piece: str | None, wrong: str, said: str
) -> None:
    read, file = make(tmp_path, kind), tmp_path / name
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}{wrong}\n" if piece is None else text.replace(piece, wrong, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(said)):
        read(tmp_path)


def test_what_is_secret_in_a_wrong_value_is_not_said(tmp_path: Path) -> None:
    read = make(tmp_path, "models")
    file = tmp_path / "models.yml"
    file.write_text(file.read_text().replace("name: vendor/a", "name: v\n    api_key_env: sk-secret-1234"))
    with pytest.raises(UsageError) as caught:
        read(tmp_path)
    assert "1234" not in str(caught.value)
