"""macOS and Windows: everything but running a model's code works, and the sentence says where that is done.

Linux with the modules and calls taken away that those systems lack (other_system.py). What a real one does
besides is not shown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from double import Double
from probatio.cli import COMMANDS

pytestmark = pytest.mark.slow  # whole days, sites or processes

REPOSITORY = Path(__file__).parents[2]
STAND_IN = Path(__file__).with_name("other_system.py")
RUNS = ("--results", "examples/runs")
RUN = ("examples/runs/sample-0.5b",)
SYSTEMS = {"darwin": "macOS", "win32": "Windows"}


def _run(system: str, *words: str, cwd: Path = REPOSITORY, **env: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env}
    command = [sys.executable, str(STAND_IN), system, *words]
    return subprocess.run(
        command, cwd=cwd, env=given, capture_output=True, text=True, timeout=300, check=False
    )


def test_every_command_can_be_imported_where_linuxs_modules_are_missing() -> None:
    """Windows lacks the most, so it stands for both."""
    modules = sorted({f"probatio.cli.{entry.place.partition(':')[0]}" for entry in COMMANDS.values()})
    script = (
        f"import sys; sys.argv = ['x', 'win32', '--version']; "
        f"code = open({str(STAND_IN)!r}).read().replace('    main()\\n', '    pass\\n'); "
        f"exec(compile(code, {str(STAND_IN)!r}, 'exec'), {{'__file__': {str(STAND_IN)!r}, '__name__': "
        f"'x'}}); "
        f"import importlib; [importlib.import_module(module) for module in {modules!r}]; "
        "import probatio.site.addresses, probatio.runs.session, probatio.watch.day.job, "
        "probatio.learn.analysis, probatio.grading.trial_answers; "
        "print('all', 'resource' in sys.modules, 'fcntl' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["all", "False", "False"], done.stderr[-2000:]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_trial_asks_and_grades_text_and_leaves_programs_to_the_container(
    system: str, tmp_path: Path
) -> None:
    (tmp_path / "m.yml").write_text(
        "models:\n  - {id: m, name: m, provider: openai}\ntrials: {n_shots: [0], contexts: [minimal]}\n"
    )
    tasks = ("predict_number", "predict_text_join", "ts_to_faber_constant")
    flags = [word for task in tasks for word in ("--task", task)]
    with Double(
        reply=lambda body: "```faber\nfixum x = 5\nscribe x\n```" if "ranslate" in str(body) else "no"
    ) as double:
        env = {"OPENAI_BASE_URL": double.base_url, "OPENAI_API_KEY": "k"}
        done = _run(system, "trial", "--config", "m.yml", "--run-id", "r", *flags, cwd=tmp_path, **env)
    assert done.returncode == 0, done.stderr
    assert f"{SYSTEMS[system]} has no jail" in done.stdout and "docker run" in done.stdout
    lines = (tmp_path / "results/r/graded_results.jsonl").read_text().splitlines()
    grades = {grade["task_id"]: grade for grade in map(json.loads, lines)}
    assert {grades[task]["error_type"] for task in tasks[:2]} == {"wrong_output"}
    unchecked = grades[tasks[2]]
    assert unchecked["error_type"] == "unchecked" and "docker run" in unchecked["error_detail"]
    again = subprocess.run(
        [sys.executable, "-m", "probatio", "grade", "r"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr  # on Linux, as in the container
    last = (tmp_path / "results/r/graded_results.jsonl").read_text().splitlines()[-3:]
    assert {json.loads(line)["error_type"] for line in last}.isdisjoint({"unchecked"})


@pytest.mark.parametrize("system", ["darwin", pytest.param("win32", marks=pytest.mark.soak)])
def test_studies_comparisons_exports_and_the_site_work(system: str, tmp_path: Path) -> None:
    studied = _run(
        system, "study", "sample-0.5b", *RUNS, "--out", str(tmp_path / "study"), "--no-narrative", "--json"
    )
    assert studied.returncode == 0 and json.loads(studied.stdout)["event"] == "study", studied.stderr
    sides = ("sample-0.5b:context=minimal", "sample-0.5b:context=basic")
    assert "points" in _run(system, "study", "compare", *sides, *RUNS).stdout
    exported = _run(system, "study", "export", "sample-0.5b", *RUNS, "--inspect", str(tmp_path / "logs"))
    assert exported.returncode == 0 and len(list((tmp_path / "logs").glob("*.eval"))) == 6, exported.stderr
    results = tmp_path / "results"
    results.mkdir()
    shutil.copytree(REPOSITORY / "examples" / "runs" / "sample-0.5b", results / "sample-0.5b")
    built = _run(system, "site", "build", "--results", str(results), "--out", str(tmp_path / "site"))
    assert built.returncode == 0 and (tmp_path / "site/learnability/index.html").is_file(), built.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_doctor_tells_what_works_and_where_the_rest_does(system: str) -> None:
    done = _run(system, "doctor", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1  # no isolation, as everywhere without one
    assert {name for name, answer in told["works"].items() if answer != "yes"} >= {
        "run models' code",
        "the daily watch",
    }
    assert all(
        told["works"][name] == "yes" for name in ("ask models", "grade text", "study and compare", "the site")
    )
    assert "docker run" in told["works"]["run models' code"]


@pytest.mark.parametrize(
    "words", [("grade", *RUN), ("daily", "--dry-run"), ("grade", *RUN, "--sandbox", "none")]
)
def test_what_runs_code_is_refused_with_the_way_to_do_it(words: tuple[str, ...]) -> None:
    done = _run("darwin", *words)
    assert done.returncode == 2 and re.search(r"in the container: docker run .* grade RUN", done.stderr), done
