"""Keys that no record has, in every file a user writes: each is a sentence with file, line and place."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from probatio.authoring.new import STARTERS
from probatio.core.config import load_config
from probatio.core.errors import UsageError
from probatio.site.pages.bench import read_bench
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import DAILY, load_daily
from probatio.suites.language_suite import BUILT_IN, load_suite
from probatio.watch.alerts.channels import read_channels

MODELS = """\
models:
  - id: a
    name: vendor/a
    auth: {header: x-api-key}
trials:
  timeouts: {attempt: 10m}
daily:
  judge: {name: vendor/judge}
  heartbeat: {url: "https://example.org/x"}
alerts:
  - url: json://localhost
"""
BENCH = """\
parts:
  code: {title: Code, weight: 1}
models:
  - names: [a]
    figures:
      code: {value: 1, source: "https://example.org", date: "2026-01-01"}
"""
RUBRIC = """\
criteria:
  - id: tone
    question: How?
    anchors: {1: a, 2: b, 3: c, 4: d, 5: e}
"""


def read_models(folder: Path) -> None:
    load_config(folder / "models.yml")
    read_channels(folder / "models.yml")


def read_daily_suite(folder: Path) -> None:
    suite = load_daily(folder)
    for use_case in suite.use_cases.values():
        read_proofs(suite, use_case)
    if (folder / "calibration.yml").exists():
        load_calibration(suite)


def make(folder: Path, kind: str) -> Callable[[Path], object]:
    """Write the files of a kind into the folder, and give who reads them."""
    if kind == "models":
        (folder / "models.yml").write_text(MODELS)
        return read_models
    if kind == "bench":
        (folder / "bench.yml").write_text(BENCH)
        return lambda root: read_bench(root / "bench.yml")
    if kind == "built-in daily":
        shutil.copytree(DAILY, folder, dirs_exist_ok=True)
        return read_daily_suite
    if kind == "daily":
        shutil.copytree(STARTERS / "daily", folder, dirs_exist_ok=True)
        (folder / "triage" / "rubric.yml").write_text(RUBRIC)
        return read_daily_suite
    shutil.copytree(BUILT_IN / kind if kind == "faber" else STARTERS / kind, folder, dirs_exist_ok=True)
    return load_suite


def first_with(text: str, begin: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(begin))


PROOF = "  - {case: order_chairs, kind: wrong, answer: x, colour: red}"
UNKNOWN = (
    # kind, file, line after which the key is put, the key with its value, place, what is said
    ("models", "models.yml", "    name: vendor/a", "    temperature: 0.5", "models[0]", "the keys are id"),
    ("models", "models.yml", "daily:", "  max_cost: 3", "daily", "did you mean `max_month_cost`"),
    ("models", "models.yml", "daily:", "  judges: 1", "daily", "did you mean `judge`"),
    ("models", "models.yml", "trials:", "  rounds: 3", "trials", "the keys are n_shots, "),
    ("models", "models.yml", "daily:", "  on: 3", "daily", "the keys are models, "),
    ("models", "models.yml", "", "max_cost: 3", "", "the keys are models, "),
    ("models", "models.yml", "  - url: json://localhost", "    colour: red", "alerts[0]", "the keys are url"),
    ("models", "models.yml", "  timeouts: {attempt: 10m}", "  tries: 3", "trials", "the keys are n_shots, "),
    ("daily", "suite.yml", "", "max_cost: 3", "", "the keys are name, version"),
    ("daily", "suite.yml", "", "sampling: {top_p: 1}", "sampling", "the keys are temperature"),
    ("daily", "orders/cases.yml", "", "gold: 3", "", "the keys are cases"),
    ("daily", "orders/cases.yml", "  - id: ", "    rules: []", "cases[0]", "the keys are id"),
    ("daily", "orders/cases.yml", "  - id: ", "    use_case: orders", "cases[0]", "the keys are id"),
    ("daily", "orders/proofs.yml", "proofs:", PROOF, "proofs[0]", "the keys are case, "),
    ("daily", "triage/rubric.yml", "  - id: tone", "    colour: red", "criteria[0]", "the keys are id"),
    ("built-in daily", "calibration.yml", "", "bar: 3", "", "the keys are items"),
    ("command", "language.yml", "", "extension: .awk", "", "the keys are name, introduction, "),
    ("command", "language.yml", "commands:", "  compile: [x]", "commands", "the keys are run, check"),
    ("command", "language.yml", "commands:", "  folder: /x", "commands", "the keys are run, check"),
    ("command", "tasks/first.yml", "", "examples: []", "", "the keys are tasks"),
    ("command", "tasks/first.yml", "  - id: ", "    hints: []", "tasks[0]", "the keys are id"),
    ("command", "examples/first.yml", "  - id: ", "    given: x", "examples[0]", "the keys are id"),
    ("command", "examples/first.yml", "", "tasks: []", "", "did you mean|the keys are examples"),
    ("faber", "tasks/predict.yml", "  - id: ", "    expected_ouput: x", "tasks[0]", "did you mean `exp"),
    ("faber", "examples/base.yml", "  - id: ", "    typscript: x", "examples[0]", "did you mean `type"),
    ("faber", "twists/one-based.yml", "", "note: x", "", "the keys are twist, rule, "),
    ("bench", "bench.yml", "  - names: [a]", "    vendor: b", "models[0]", "the keys are names, figures"),
    ("bench", "bench.yml", "", "note: b", "", "the keys are parts, models"),
)  # fmt: skip


def put(file: Path, after: str, added: str) -> int:
    """Put a line after the first one that begins so, or at the end. Gives its number."""
    lines = file.read_text(encoding="utf-8").splitlines()
    at = next((n for n, line in enumerate(lines, 1) if after and line.startswith(after)), len(lines))
    file.write_text("\n".join([*lines[:at], added, *lines[at:], ""]), encoding="utf-8")
    return at + 1


@pytest.mark.parametrize(
    ("kind", "name", "after", "added", "place", "said"),
    UNKNOWN,
    ids=[f"{row[1]} {row[3].strip()}" for row in UNKNOWN],
)
def test_an_unknown_key_is_named_with_file_line_and_place(
    tmp_path: Path, kind: str, name: str, after: str, added: str, place: str, said: str
) -> None:
    read = make(tmp_path, kind)
    line = put(tmp_path / name, after, added)
    key = re.findall(r"(\w+):", added)[-1]
    where = f" in `{place}`" if place else ""
    with pytest.raises(UsageError) as caught:
        read(tmp_path)
    found = re.escape(f"{tmp_path / name}, line {line}") + ".*: " + re.escape(f"unknown key `{key}`{where}; ")
    assert re.match(f"{found}({said})", str(caught.value)), caught.value


@pytest.mark.parametrize(
    ("kind", "name", "after", "added"),
    [row[:4] for row in UNKNOWN],
    ids=[f"{row[1]} {row[3].strip()}" for row in UNKNOWN],
)
def test_a_key_that_begins_with_x_is_the_users_everywhere(
    tmp_path: Path, kind: str, name: str, after: str, added: str
) -> None:
    read = make(tmp_path, kind)
    put(tmp_path / name, after, re.sub(r"\w+:(?!.*\w:)", "x-mine:", added))
    read(tmp_path)


def test_the_line_of_a_key_that_is_merged_in_is_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(
        "x-all: &all\n  provider: openai\n  colour: red\nmodels:\n  - {<<: *all, id: a, name: b}\n"
    )
    with pytest.raises(UsageError, match=r"line 3: unknown key `colour` in `models\[0\]`"):
        load_config(tmp_path / "models.yml")


def test_names_of_the_users_own_are_free(tmp_path: Path) -> None:
    read = make(tmp_path, "daily")
    put(tmp_path / "orders" / "cases.yml", "    gold:", "      anything: 1")
    put(tmp_path / "suite.yml", "", "judge: {name: a/b-2026-01-01, api_key_env: MY_KEY}")
    read(tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("daily: {max_month_cost: 5}\nmodels: []\ndaily: {}\n", 3, "daily"),
        ("models:\n  - {id: a, name: b, id: c}\n", 2, "id"),
        ("models: &all\n  - id: a\n    name: b\nx-1: {*all : 1, k: {k: 1}, k: 2}\n", 4, "k"),
    ],
)
def test_a_key_that_stands_twice_is_an_error(tmp_path: Path, text: str, line: int, key: str) -> None:
    (tmp_path / "models.yml").write_text(text)
    with pytest.raises(UsageError, match=rf"models.yml, line {line}: the key `{key}` stands there twice\."):
        load_config(tmp_path / "models.yml")


def test_equal_keys_of_different_places_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(
        "x-a: {k: [1, {k: 2}], j: k}\nx-b: &b {k: 1}\nx-c: {<<: *b, <<: *b}\n"
        "models:\n  - {id: a, name: b}\n  - {id: c, name: d}\n"
    )
    assert [model.id for model in load_config(tmp_path / "models.yml").models] == ["a", "c"]
