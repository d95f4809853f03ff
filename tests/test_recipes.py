"""CONTRIBUTING.md and docs/architecture.md: recipes followed to the letter, and every file they name is
there."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from double import Double
from watch.alerts.hooks import Hook

REPOSITORY = Path(__file__).parent.parent
GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAIN = "from probatio.cli import main; main()"


def block(name: str) -> str:
    """A block of code that the guide shows under this name."""
    match = re.search(rf"<!-- recipe: {re.escape(name)} -->\n```\w+\n(.*?)```", GUIDE, re.DOTALL)
    assert match, name
    return match[1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, to change."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(
        shutil.copytree(REPOSITORY / "src" / "probatio", tmp_path / "src" / "probatio", ignore=ignored)
    )


def run(copy: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENROUTER", "OPENAI"))
    }
    return subprocess.run(
        [sys.executable, *argv], env={**clean, "PYTHONPATH": str(copy.parent), **env}, cwd=copy.parent.parent,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_the_recipe_for_a_provider_makes_one_that_can_be_asked(copy: Path) -> None:
    table = copy / "ask" / "providers.py"
    entries = re.search(r"    for provider in \(\n", table.read_text(encoding="utf-8"))
    assert entries
    text = table.read_text(encoding="utf-8")
    table.write_text(text[: entries.end()] + block("provider") + text[entries.end() :], encoding="utf-8")
    models = copy.parent.parent / "models.yml"
    models.write_text(
        "models:\n  - {id: my-model, provider: example, name: name-at-the-provider}\n", encoding="utf-8"
    )
    command = [
        "-c",
        MAIN,
        "trial",
        "--config",
        str(models),
        "--model",
        "my-model",
        "--limit",
        "1",
        "--results",
        str(models.parent / "results"),
    ]
    with Double() as double:
        without_key = run(copy, *command)
        assert (without_key.returncode, "EXAMPLE_API_KEY" in without_key.stderr + without_key.stdout) == (
            2,
            True,
        )
        done = run(copy, *command, EXAMPLE_BASE_URL=double.base_url, EXAMPLE_API_KEY="key")
        assert done.returncode == 0, done.stderr
        assert [body["model"] for body in double.bodies] == ["name-at-the-provider"]


@pytest.mark.slow
def test_the_recipe_for_a_header_makes_a_provider_that_gets_its_key_there(copy: Path) -> None:
    line = re.search(r'`(auth=Auth\(header="x-api-key"\),)`', GUIDE)
    assert line
    entry = block("provider").replace("needs_key=True,", f"needs_key=True, {line[1]}")
    table = copy / "ask" / "providers.py"
    text = table.read_text(encoding="utf-8")
    first = "    for provider in (\n"
    assert first in text
    table.write_text(text.replace(first, first + entry, 1), encoding="utf-8")
    models = copy.parent.parent / "models.yml"
    models.write_text("models: [{id: m, provider: example, name: n}]\n", encoding="utf-8")
    command = ("trial", "--config", str(models), "--model", "m", "--limit", "1")
    with Double() as double:
        env = {"EXAMPLE_BASE_URL": double.base_url, "EXAMPLE_API_KEY": "key"}
        done = run(copy, "-c", MAIN, *command, "--results", str(models.parent / "results"), **env)
        assert done.returncode == 0, done.stderr
        assert [each["x-api-key"] for each in double.headers] == ["key"]
        assert "Authorization" not in double.headers[0]


@pytest.mark.slow
def test_the_recipe_for_a_use_case_makes_one_that_is_planned_and_proven(copy: Path) -> None:
    folder = copy / "builtin" / "daily" / "word_count"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Counting words."""\n', encoding="utf-8")
    for name in ("cases.yml", "grader.py", "proofs.yml"):
        (folder / name).write_text(block(name), encoding="utf-8")
    manifest = folder.parent / "suite.yml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(
        re.sub(r"(?m)^use_cases:.*\n", rf"\g<0>{block('suite.yml')}", text, count=1), encoding="utf-8"
    )
    graders = folder.parent / "graders.py"
    text = graders.read_text(encoding="utf-8")
    graders.write_text(
        text.replace('        "judge": ', f'{block("graders.py")}        "judge": '), encoding="utf-8"
    )
    planned = run(
        copy,
        "-c",
        MAIN,
        "daily",
        "--use-case",
        "word_count",
        "--model",
        "gpt-4o-mini",
        "--dry-run",
        OPENROUTER_API_KEY="key",
    )
    assert planned.returncode == 0, planned.stderr
    assert "1 cases in 1 use cases" in planned.stdout
    versions = run(
        copy, "-c", "from probatio.builtin.daily.graders import GRADERS; print(GRADERS['word_count'].version)"
    )
    assert versions.stdout == "1\n"
    for proof in yaml.safe_load(block("proofs.yml"))["proofs"]:
        checked = run(
            copy,
            "-c",
            "import sys; from probatio.builtin.daily.graders import check; "
            "from probatio.suites.daily_suite import load_daily; "
            "print(check(load_daily().cases[sys.argv[1]], sys.argv[2]).score)",
            proof["case"],
            proof["answer"],
        )
        assert (checked.stdout.strip(), checked.stderr) == (str(proof["score"]), "")


def test_the_recipe_for_a_verb_makes_one_that_is_listed_and_runs(copy: Path) -> None:
    (copy / "cli" / "runs.py").write_text(block("cli/runs.py"), encoding="utf-8")
    table = copy / "cli" / "__init__.py"
    text = table.read_text(encoding="utf-8")
    text, rows = re.subn(r'(?m)^    "help": ', lambda row: f"{block('_TABLE')}{row[0]}", text)
    text, questions = re.subn(r'(?m)^    "For both": .*\n', lambda _: block("QUESTIONS"), text)
    assert (rows, questions) == (1, 1)
    table.write_text(text, encoding="utf-8")
    root = copy.parent.parent
    (root / "results" / "monday").mkdir(parents=True)
    (root / "results" / "monday" / "run.json").touch()
    listed = run(copy, "-c", MAIN, "--help")
    assert listed.returncode == 0, listed.stderr
    assert re.search(r"(?m)^  runs +List the runs of a results folder\.$", listed.stdout)
    assert "  probatio runs --results results" in run(copy, "-c", MAIN, "runs", "--help").stdout
    done = run(copy, "-c", MAIN, "runs", "--results", "results")
    assert (done.returncode, done.stdout) == (0, "monday\n"), done.stderr
    told = run(copy, "-c", MAIN, "runs", "--json")
    assert told.stdout == '{"event":"runs","runs":["monday"]}\n'


@pytest.mark.slow
def test_the_recipe_for_a_column_shows_it_in_the_analysis_the_csv_and_the_page_of_a_run(copy: Path) -> None:
    path = copy / "learn" / "report" / "tables.py"
    text, tables = re.subn(
        r"(?s)(\nFUNNEL = .*?)(?=\n\)\n)",
        rf"\1\n{block('column').rstrip()}",
        path.read_text(encoding="utf-8"),
    )
    assert tables == 1
    path.write_text(text, encoding="utf-8")
    root, runs = copy.parent.parent, REPOSITORY / "examples" / "runs"
    command = ["-c", MAIN, "study", str(runs / "sample-0.5b"), "--no-narrative", "--out", str(root / "out")]
    for more in ([], ["--format", "csv"]):
        done = run(copy, *command, *more)
        assert done.returncode == 0, done.stderr
    (funnel,) = csv.DictReader((root / "out" / "funnel.csv").open(encoding="utf-8", newline=""))
    analysis = (root / "out" / "analysis.md").read_text(encoding="utf-8")
    assert re.search(rf"\| all right \|\n.*\n\| qwen.* \| {funnel['passed']} \|\n", analysis)
    program = (
        "import sys; from pathlib import Path; from probatio.site.addresses import render; "
        "from probatio.site.snapshot import load_site; "
        "print(render(load_site(Path(sys.argv[1])), 'learnability/sample-0.5b/').body.decode())"
    )
    page = run(copy, "-c", program, str(runs)).stdout
    assert '<th scope="col" class="num">All right</th>' in page
    assert f'<td class="num">{funnel["passed"]}</td></tr>' in page


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "SECURITY.md", "README.md"])
def test_every_file_a_guide_links_to_is_there(page: str) -> None:
    path = REPOSITORY / page
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert local
    assert [link for link in local if not (path.parent / link).exists()] == []


def test_every_package_is_on_the_map() -> None:
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    source = REPOSITORY / "src" / "probatio"
    names = [path.name for path in source.iterdir() if (path / "__init__.py").exists()]
    names += [path.stem for path in source.glob("*.py") if not path.stem.startswith("__")]
    assert [name for name in sorted(names) if f"`{name}`" not in text and f"[{name}](" not in text] == []


@pytest.mark.slow
def test_the_recipe_for_an_alert_channel_makes_one_that_is_sent_to(copy: Path) -> None:
    models = copy.parent.parent / "models.yml"
    models.write_text(block("alerts"), encoding="utf-8")
    command = ["-c", MAIN, "daily", "alerts", "test", "--config", str(models)]
    without_address = run(copy, *command)
    assert (without_address.returncode, "TEAM_ALERTS" in without_address.stdout) == (3, True)
    with Hook() as hook:
        sent = run(copy, *command, TEAM_ALERTS=hook.url)
        assert (sent.returncode, hook.titles) == (0, ["Probatio: a test"]), sent.stderr
    sending = copy / "watch" / "alerts" / "sending.py"
    text = sending.read_text(encoding="utf-8")
    reasons = re.search(r"REASONS: .*\n", text)
    assert reasons
    sending.write_text(text[: reasons.end()] + block("sending.py") + text[reasons.end() :], encoding="utf-8")
    program = (
        "from probatio.watch.alerts.sending import explain_failure; "
        "print(explain_failure(['Failed to send: Quota exceeded']))"
    )
    assert run(copy, "-c", program).stdout == "its quota is used up\n"
