"""The workflow of docs/ci.md: its steps, run by hand in a real repository with pull requests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from commandline import probatio
from double import Double
from watch.day.days import EXTRACTION, built_in, dump, environment, gold_script, small_suite

PAGE = Path(__file__).parent.parent / "docs" / "ci.md"
STEPS = (
    "Trust the suite, which is your own",
    "Take the baseline of the branch it goes to",
    "Ask",
    "The gate",
)
VARIANTS, MARK = 4, "\n\nThis is order number "


def workflow() -> dict[str, Any]:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    flow: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
    return flow


def step(name: str) -> str:
    (found,) = (one["run"] for one in workflow()["jobs"]["gate"]["steps"] if one.get("name") == name)
    return str(found)


def answer(body: dict[str, Any]) -> str:
    """Gold. The model `v/worse`, and any model that is told to be quick, gets half of the cases wrong."""
    prompt, _, rest = body["messages"][0]["content"].partition(MARK)
    if (body["model"] == "v/worse" or "Be quick." in rest) and int(rest.split(".")[0]) < VARIANTS // 2:
        return "{}"
    return gold_script(EXTRACTION)({**body, "messages": [{"role": "user", "content": prompt}]})


def write_models(folder: Path, name: str) -> None:
    (folder / "config").mkdir(exist_ok=True)
    prices = {"cost_per_1m_input": 0.1, "cost_per_1m_output": 0.1}
    model = {"id": "assistant", "name": name, "provider": "openrouter", **prices}
    (folder / "config" / "models.yml").write_text(json.dumps({"models": [model]}))


def write_cases(suite: Path, after: str = "") -> None:
    """Each case of the use case as several, and `after` at the end of their prompts."""
    cases = [
        {**case, "id": f"{case['id']}_{n}", "prompt": f"{case['prompt']}{MARK}{n}.{after}"}
        for case in built_in(EXTRACTION, "cases")
        for n in range(VARIANTS)
    ]
    (suite / EXTRACTION / "cases.yml").write_text(dump({"cases": cases}), encoding="utf-8")


class Repository:
    """A repository with a suite, models and a baseline on its main branch, and clones of it."""

    def __init__(self, top: Path, double: Double) -> None:
        self.top, self.double, self.requests = top, double, 0
        self.origin, self.main = top / "origin.git", top / "main"
        sh(top, f"git init -q --bare --initial-branch main {self.origin} && git clone -q {self.origin} main")
        sh(self.main, "git config user.name a && git config user.email a@b")
        write_models(self.main, "v/good")
        write_cases(small_suite(self.main / "suite", EXTRACTION, cases=5))
        probatio("suite", "trust", "--yes", "suite", cwd=self.main)
        self.pin()

    def pin(self, *flags: str, selection: str = "daily:model=assistant") -> None:
        """As the page says: ask, pin, commit."""
        sh(self.main, "rm -rf baseline")
        for words in (
            ("daily", "--suite", "suite", "--config", "config/models.yml", "--results", "baseline", *flags),
            ("study", "baseline", selection, "--as", "main", "--results", "baseline"),
        ):
            done = probatio(*words, env=environment(self.double), cwd=self.main)
            assert done.returncode == 0, done.output
        self.push()

    def push(self) -> None:
        sh(self.main, "git add -A && git commit -qm main && git push -q origin HEAD:main")

    def request(self, model: str = "v/good", after: str = "") -> tuple[int, str]:
        """A pull request with this model and these prompts: how the gate ended, and the comment."""
        self.requests += 1
        clone = self.top / f"request-{self.requests}"
        sh(self.top, f"git clone -q --depth 1 file://{self.origin} {clone}")
        write_models(clone, model)
        if after:
            write_cases(clone / "suite", after)
            manifest = clone / "suite" / "suite.yml"
            manifest.write_text(manifest.read_text().replace("0.1.0", "0.2.0"))
        (clone / "baseline" / "mine.json").write_text("{}")  # what it does to the baseline is of no effect
        sh(clone, "git switch -qc change && git add -A")
        sh(clone, "git -c user.name=a -c user.email=a@b commit -qm change")
        env = {**environment(self.double), "HOME": f"{clone}-home", "GITHUB_BASE_REF": "main"}
        env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
        for name in STEPS[:-1]:
            sh(clone, step(name), env)
        assert not (clone / "baseline" / "mine.json").exists()
        gate = subprocess.run(["bash", "-e", "-c", step(STEPS[-1])], cwd=clone, env=env, check=False)
        counted = ElementTree.parse(clone / "gate.xml").getroot().attrib
        assert (gate.returncode == 0) == (counted["failures"] == counted["errors"] == "0")
        return gate.returncode, (clone / "comment.md").read_text().splitlines()[0]


def sh(folder: Path, script: str, env: dict[str, str] | None = None) -> None:
    """Like a step on Actions."""
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with Double(reply=answer) as double:
        yield Repository(tmp_path, double)


@pytest.mark.slow
def test_a_pull_request_passes_unless_its_model_or_its_prompts_are_worse(repository: Repository) -> None:
    code, said = repository.request("v/other")
    assert code == 0, said
    assert said.startswith("No loss is shown, and one of 20 points or more is ruled out: ")
    code, said = repository.request("v/worse")
    assert code == 1, said
    assert said.startswith("Worse: results/daily:model=assistant passes 50.0 points less than main")
    code, said = repository.request(after=" Be brief.")
    assert code == 0, said
    assert "across versions of the suite, 0.1.0 (" in said
    code, said = repository.request(after=" Be quick.")
    assert code == 1, said
    assert said.startswith("Worse: ") and "and 0.2.0 (" in said


@pytest.mark.slow
def test_a_baseline_that_is_too_small_changed_or_old_passes_no_pull_request(repository: Repository) -> None:
    repository.pin(selection="daily:model=assistant,task=*_0")
    code, said = repository.request("v/other")
    assert code == 1, said
    assert "a loss of 20 points is not ruled out. That takes about " in said
    assert "; there are 5." in said
    repository.pin()
    (grades,) = repository.main.glob("baseline/daily/*/graded_results.jsonl")
    grades.write_bytes(grades.read_bytes().replace(b'"correct":true', b'"correct":false', 1))
    repository.push()
    code, said = repository.request("v/other")
    assert code == 1, said
    assert "has changed since it was pinned on" in said
    repository.pin("--date", "2025-01-05", "--replay")
    code, said = repository.request("v/other")
    assert code == 1, said
    assert "days old (2025-01-05), and --max-age is 180 days" in said


def test_the_steps_that_are_run_here_are_those_of_the_workflow() -> None:
    flow = workflow()
    steps = flow["jobs"]["gate"]["steps"]
    assert all("uses" in one or "run" in one for one in steps)
    named = [one["name"] for one in steps if "name" in one]
    outside = (
        "Install",
        "Allow user namespaces for the jail",
        "Comment",
    )  # of the machine, of GitHub
    assert [name for name in named if name not in outside] == list(STEPS)
    assert flow["permissions"] == {"contents": "read", "pull-requests": "write"}
