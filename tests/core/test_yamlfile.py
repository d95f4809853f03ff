"""YAML from someone else: bounded before it is built, and refused with the line."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from probatio.core import yamlfile
from probatio.core.config import load_config
from probatio.core.errors import UsageError
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_suite import load_daily
from probatio.suites.language_suite import load_suite


def laughs(levels: int, each: int = 9, item: str = "{id: a, name: b}") -> str:
    """Aliases of aliases: `each` to the power of `levels` models."""
    lines = [f"a0: &a0 [{', '.join([item] * each)}]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * each)}]" for level in range(1, levels)]
    return "\n".join(lines) + f"\nmodels: *a{levels - 1}\n"


MERGES = "m0: &m0 {x: 1}\n" + "".join(
    f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
)

HOSTILE = {
    "a billion laughs": laughs(9),
    "laughs in a key that is not ours": laughs(9).replace("models:", "notes:") + "models: []\n",
    "merges of merges": MERGES + "models: []\n",
    "an alias inside what it names": "models: &a [*a]\n",
    "an alias inside a mapping of its own": "models: []\nnotes: &n {deep: {deeper: *n}}\n",
    "nested in brackets": "models: " + "[" * 100_000,
    "nested in braces": "models: " + "{a: " * 100_000,
    "nested in dashes": "- " * 50_000,
    "nested in question marks": "? " * 50_000,
    "a number in base 60": "models: []\ntrials: {seed: " + "1:" * 400_000 + "1}\n",
    "a fraction in base 60": "models: []\ntrials: {temperature: " + "1:" * 400_000 + "1.5}\n",
    "a number of many digits": "models: []\ntrials: {seed: " + "9" * 4000 + "}\n",
    "more than any list needs": "models:\n" + "- {id: a, name: b}\n" * 300_000,
    "a file of many megabytes": "# " + "x" * (17 << 20) + "\nmodels: []\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_models_file_is_a_sentence_in_little_time_and_memory(tmp_path: Path, name: str) -> None:
    (tmp_path / "models.yml").write_text(HOSTILE[name], encoding="utf-8")
    code = (
        "import resource, sys; from pathlib import Path; from probatio.core.config import load_config\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); "
        "resource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n"
        "load_config(Path(sys.argv[1]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "models.yml")], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1 and "UsageError" in ended.stderr.splitlines()[-1], ended.stderr[-500:]
    assert "models.yml" in ended.stderr.splitlines()[-1]


def test_the_sentence_says_the_line_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(laughs(9))
    with pytest.raises(
        UsageError, match=r"models\.yml, line 5: more than 200,000 values.*Take aliases or values out"
    ):
        load_config(tmp_path / "models.yml")


def test_suites_and_cases_are_bounded_too(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yml").write_text(laughs(9).replace("models:", "tasks:"))
    with pytest.raises(UsageError, match=r"tasks/a\.yml, line 5: more than"):
        load_suite(tmp_path)
    (tmp_path / "suite.yml").write_text(laughs(9))
    with pytest.raises(UsageError, match=r"suite\.yml, line 5: more than"):
        load_daily(tmp_path)


def test_aliases_as_people_use_them_stay(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(
        "x-shared: &shared {provider: openai, cost_per_1m_input: 1.0}\n"
        "models:\n" + "".join(f"  - {{<<: *shared, id: m{n}, name: n{n}}}\n" for n in range(500))
    )
    models = load_config(tmp_path / "models.yml").models
    assert len(models) == 500 and {model.provider for model in models} == {"openai"}


def test_a_long_text_is_not_a_number(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text(f"a: '{'1' * 5000}'\nb: {'word ' * 5000}\n")
    assert read_yaml(tmp_path / "x.yml", dict)["a"] == "1" * 5000


ODD = (
    "", "a", "a:", "? a", "{1: 2, yes: no, ~: null}", "a: 2020-01-01", "a: 1:30",
    "a: 0x1F\nb: 1_000\nc: .inf\nd: 1e5",
    "%YAML 1.1\n---\na: 1", "'a': \"\\u00e9\"", "[a, [b, {c: [d]}], {}]",
    "a: |\n  b\n\n  c\nd: >-\n  e\n  f\n", "=: b",
    "<<: {a: 1}", "a: !!str 1", "a: &x [1]\nb: *x", "? [a]\n: b", "--- a\n--- b", "a: =", "- !x a", "a: [",
    "- a\nb: c", "a: 2020-13-45",
)  # fmt: skip


def loaded(text: str) -> str:
    try:
        return repr(yaml.load(text.encode(), Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError) as error:
        return type(error).__name__


def ours(text: str, path: Path) -> str:
    try:
        return repr(yamlfile.parse_yaml(text.encode(), path))
    except (yaml.YAMLError, ValueError) as error:
        return type(error).__name__


def test_what_is_not_refused_is_read_as_pyyaml_reads_it(tmp_path: Path) -> None:
    files = sorted((Path(__file__).parents[2] / "src/probatio/builtin").rglob("*.yml"))
    texts = [*ODD, *(file.read_text(encoding="utf-8") for file in files if file.stat().st_size < 100_000)]
    assert len(texts) > 60
    for text in texts:
        assert ours(text, tmp_path) == loaded(text), text[:200]


def least_seconds(work: Callable[[], object]) -> float:
    """The least CPU time of three: a busy machine makes some of them longer, and none shorter."""

    def measure() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return min(measure() for _ in range(3))


@pytest.mark.slow
def test_a_large_file_without_aliases_is_read_and_in_little_time(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    task = (
        "  - {{id: t{0}, type: predict_output, category: c, input_faber: 'scribe {0}', expected_output: "
        "'{0}', goal: g}}\n"
    )
    file = tmp_path / "tasks" / "all.yml"
    file.write_text("tasks:\n" + "".join(map(task.format, range(20_000))))
    assert len(load_suite(tmp_path).tasks) == 20_000
    text = "tasks:\n" + "".join(map(task.format, range(2_000)))
    file.write_text(text)
    ours = least_seconds(lambda: load_suite(tmp_path))
    parser = least_seconds(lambda: yaml.load(text, Loader=yaml.CSafeLoader))
    assert ours < 2 * parser, "it took five times as long as the parser alone"


@pytest.mark.slow
def test_checking_costs_less_than_reading() -> None:
    from probatio.core.yamlfile import _refuse_excess

    files = sorted((Path(__file__).parents[2] / "src/probatio/builtin").rglob("*.yml"))
    texts = [file.read_bytes() for file in files]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reading = least_seconds(lambda: [yaml.load(text, Loader=loader) for text in texts])
    checking = least_seconds(lambda: list(map(_refuse_excess, texts, files)))
    assert checking < reading * 1.5


def test_a_config_found_in_the_working_folder_does_not_lead_out_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere.yml"
    elsewhere.write_text("models: [{id: a, name: b}]\n")
    (tmp_path / "here" / "config").mkdir(parents=True)
    (tmp_path / "here" / "config" / "models.yml").symlink_to(elsewhere)
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(UsageError, match=r"models\.yml leads out of"):
        load_config()
    assert load_config(Path("config/models.yml")).models[0].id == "a", (
        "named with --config it is the user's word"
    )


def test_a_config_from_a_process_substitution_is_read(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from probatio.core.config import load_config; "
        "print(load_config(pathlib.Path(sys.argv[1])).models)"
    )
    ended = subprocess.run(
        ["bash", "-c", 'exec "$0" -c "$1" <(echo "models: [{id: a, name: b}]")', sys.executable, code],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "id='a'" in ended.stdout, ended.stderr
