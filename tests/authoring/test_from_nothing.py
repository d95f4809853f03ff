"""From `suite new` to a graded run, with no line of Python: AWK, which every Linux has, and Lua from
Debian."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from authoring.asking import answering, trial
from commandline import probatio
from double import Double
from probatio.suites.language_suite import load_suite
from runs.trials import environment

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

LUA = {
    "language.yml": """
name: Lua
version: "1.0.0"
introduction: Lua is a small scripting language.
fences: [lua]
contexts: [examples-only, brief, full]
commands:
  check: [luac, -p, "{file}"]
  run: [lua, "{file}"]
  version: [lua, -v]
  suffix: .lua
  limits: {seconds: 5}
  errors:
    - class: type_error
      stage: run
      message: "attempt to (call|index|compare|concatenate|perform arithmetic)"
""",
    "contexts/brief.md": """
`print(x)` prints, `local x = 1` declares, `for i = 1, 3 do … end` counts. `io.read("n")` reads a number.
""",
    "contexts/full.md": """
`print(x)` prints, `local x = 1` declares, `for i = 1, 3 do … end` counts. `io.read("n")` reads a number;
it is nil where there is none. A function:

```lua
local function double(n)
  return 2 * n
end
print(double(4))
```
""",
    "examples/first.yml": """
examples:
  - {id: sum, program: 'print(1 + 2)', output: "3", explanation: print ends the line.}
""",
    "tasks/first.yml": """
tasks:
  - id: sum_input
    type: write
    category: input
    difficulty: 2
    goal: It prints the sum of all whole numbers in its standard input, and 0 where there are none.
    tests:
      - {stdin: "1 2 3", stdout: "6"}
      - {stdin: "10", stdout: "10"}
      - {stdin: "", stdout: "0"}
      - {stdin: "-4 4", stdout: "0"}
      - {stdin: "5\\n5\\n5", stdout: "15"}
      - {stdin: "100 -1", stdout: "99"}
    solution: |-
      local total = 0
      for n in io.lines(nil, "n") do total = total + n end
      print(total)
  - id: predict_loop
    type: predict_output
    category: loops
    difficulty: 1
    material: for i = 1, 5, 2 do print(i) end
    expected_output: "1\\n3\\n5"
  - id: complete_not_equal
    type: complete_code
    category: operators
    difficulty: 1
    goal: The blank is the operator for "not equal".
    material: if 1 ___ 2 then print("other") end
    expected_output: other
    solution: "~="
  - id: repair_end
    type: repair
    category: loops
    difficulty: 1
    goal: It must print 1, 2 and 3, each on a line of its own.
    material: for i = 1, 3 do print(i)
    diagnostics: "'end' expected near <eof>"
    expected_output: "1\\n2\\n3"
    solution: for i = 1, 3 do print(i) end
""",
}

HALF = {
    # Each is right in three of six tests: one knows lines of two fields alone, the other two numbers of which
    # the first is there.
    "AWK": (
        "write_column_sum",
        '```awk\n{ total += $2 }\nNF != 2 { odd = 1 }\nEND { print odd ? "?" : total }\n```',
    ),
    "Lua": ("sum_input", "```lua\nlocal a, b = io.read('n', 'n')\nprint((a or 1) + (b or 0))\n```"),
}


def awk(root: Path) -> Path:
    """The folder as `suite new` writes it."""
    done = probatio("suite", "new", "mine", cwd=root)
    assert done.returncode == 0, done.stderr
    return root / "mine"


def lua(root: Path) -> Path:
    """The same, with every file replaced by one for Lua."""
    folder = awk(root)
    (folder / "check.awk").unlink()
    for name, text in LUA.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert not list(folder.rglob("*.py"))
    return folder


def made(language: str, root: Path) -> Path:
    if language == "Lua" and not all(map(shutil.which, ("lua", "luac"))):
        pytest.skip("lua is not installed here (apt package lua5.4); the same test runs with awk")
    return {"AWK": awk, "Lua": lua}[language](root)


def graded(root: Path) -> dict[str, dict[str, Any]]:
    lines = (root / "results" / "r" / "graded_results.jsonl").read_text(encoding="utf-8").splitlines()
    return {grade["task_id"]: grade for grade in map(json.loads, lines)}


@pytest.mark.parametrize("language", ["AWK", pytest.param("Lua", marks=pytest.mark.soak)])
def test_a_folder_without_a_line_of_python_goes_from_new_to_a_graded_run(
    tmp_path: Path, language: str
) -> None:
    folder = made(language, tmp_path)
    proven = probatio("suite", "check", "mine", cwd=tmp_path)
    assert proven.returncode == 0, proven.stdout
    assert "FAILED:" not in proven.stdout
    suite = load_suite(folder)
    half, partly = HALF[language]

    def answers(task_id: str) -> str:
        task = suite.tasks[task_id]
        fence = (
            suite.host if task.type in ("translate_from", "write_host") and suite.host else suite.spec
        ).fences[0]
        right = task.solution if task.type != "predict_output" else task.runs[0].stdout
        return partly if task_id == half else f"```{fence}\n{right}\n```"

    with Double(reply=answering(folder, answers)) as double:
        done = trial(tmp_path, double, "mine", "--context", "full")
    assert done.returncode == 0, done.stderr
    grades = graded(tmp_path)
    assert grades.keys() == suite.tasks.keys()
    assert {task for task, grade in grades.items() if not grade["correct"]} == {half}
    assert {grade["score"] for task, grade in grades.items() if task != half} == {1.0}
    # Six tests: a fraction, and all or nothing.
    assert len(suite.tasks[half].tests) == 6
    assert grades[half]["score"] == 0.5
    assert sum(grades[half]["breakdown"]["tests"]) == 3
    assert (grades[half]["level_a"], grades[half]["level_b"], grades[half]["level_c"]) == (True, True, False)
    assert grades[half]["error_type"] == "wrong_output"
    assert f"{len(suite.tasks) - 1}/{len(suite.tasks)} passed" in done.stdout
    study = probatio("study", "results/r", cwd=tmp_path)
    assert study.returncode == 0, study.stderr


def test_without_flags_every_context_of_the_folder_is_asked(tmp_path: Path) -> None:
    """The built-in list of models names no context of another language; one's own may, and then it is
    said."""
    folder = made("AWK", tmp_path)
    tasks = len(load_suite(folder).tasks)
    with Double() as double:
        asked = probatio(
            "trial", "--suite", "mine", "--n-shot", "0", "--dry-run", env=environment(double), cwd=tmp_path
        )
        assert f"{3 * tasks} trials in all" in asked.stdout
        assert "does not have" not in asked.stdout
        own = "models: [{id: m, name: m}]\ntrials: {contexts: [examples-only, minimal], dialects: [latin]}"
        (tmp_path / "own.yml").write_text(own, encoding="utf-8")
        words = ("--suite", "mine", "--config", "own.yml", "--model", "m", "--n-shot", "0", "--dry-run")
        asked = probatio("trial", *words, env=environment(double), cwd=tmp_path)
    assert f"{tasks} trials in all" in asked.stdout
    assert asked.stdout.splitlines()[:2] == [
        "models.yml names the dialect latin, which the suite mine does not have; it has standard.",
        "models.yml names the context minimal, which the suite mine does not have; it has examples-only, "
        "brief, full. "
        "Asked: examples-only.",
    ]


@pytest.mark.soak
def test_the_prompt_of_lua_speaks_of_lua_alone(tmp_path: Path) -> None:
    made("Lua", tmp_path)
    with Double() as double:
        shown = trial(tmp_path, double, "mine", "--dry-run", "-v").stdout
        assert not double.bodies
    assert "Lua is a small scripting language." in shown
    assert "It is tested with other inputs, too." in shown
    assert not any(word in shown for word in ("AWK", "Faber", "TypeScript"))
