"""YAML from someone else: bounded before it is built, and refused with the line."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from probatio.config import load_config
from probatio.errors import UsageError
from probatio.suite.daily_suite import load_daily
from probatio.suite.language_suite import load_suite
from probatio.yamlfile import read_yaml


def laughs(levels: int, each: int = 9, item: str = "{id: a, name: b}") -> str:
    """Aliases of aliases: `each` to the power of `levels` models."""
    lines = [f"a0: &a0 [{', '.join([item] * each)}]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * each)}]" for level in range(1, levels)]
    return "\n".join(lines) + f"\nmodels: *a{levels - 1}\n"


MERGES = "m0: &m0 {x: 1}\n" + "".join(f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}\n" for n in range(1, 10))

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
        "import resource, sys; from pathlib import Path; from probatio.config import load_config\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); resource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n"
        "load_config(Path(sys.argv[1]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "models.yml")], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1 and "UsageError" in ended.stderr.splitlines()[-1], ended.stderr[-500:]
    assert "models.yml" in ended.stderr.splitlines()[-1]


def test_the_sentence_says_the_line_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(laughs(9))
    with pytest.raises(UsageError, match=r"models\.yml, line 5: more than 200,000 values.*Take aliases or values out"):
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
        "shared: &shared {provider: openai, cost_per_1m_input: 1.0}\n"
        "models:\n" + "".join(f"  - {{<<: *shared, id: m{n}, name: n{n}}}\n" for n in range(500))
    )
    models = load_config(tmp_path / "models.yml").models
    assert len(models) == 500 and {model.provider for model in models} == {"openai"}


def test_a_long_text_is_not_a_number(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text(f"a: '{'1' * 5000}'\nb: {'word ' * 5000}\n")
    assert read_yaml(tmp_path / "x.yml", dict)["a"] == "1" * 5000


def test_checking_costs_less_than_reading() -> None:
    import yaml

    from probatio.yamlfile import _refuse_excess

    files = sorted((Path(__file__).parents[1] / "src/probatio/builtin").rglob("*.yml"))
    texts = [file.read_bytes() for file in files]
    began = time.process_time()
    for text in texts:
        yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    reading = time.process_time() - began
    began = time.process_time()
    for file, text in zip(files, texts, strict=True):
        _refuse_excess(text, file)
    assert time.process_time() - began < reading * 1.5


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
    assert load_config(Path("config/models.yml")).models[0].id == "a", "named with --config it is the user's word"


def test_a_config_from_a_process_substitution_is_read(tmp_path: Path) -> None:
    code = "import sys, pathlib; from probatio.config import load_config; print(load_config(pathlib.Path(sys.argv[1])).models)"
    ended = subprocess.run(
        ["bash", "-c", 'exec "$0" -c "$1" <(echo "models: [{id: a, name: b}]")', sys.executable, code],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "id='a'" in ended.stdout, ended.stderr
