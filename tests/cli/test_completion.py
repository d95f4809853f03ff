"""Completion and slips: what the shell offers after a tab, and what a mistyped name is taken for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commandline import probatio
from probatio.cli import COMMANDS
from probatio.core.text.names import find_near, refuse_unknown_name

PROBATIO = Path(sys.executable).parent / "probatio"
RUNS = Path(__file__).parents[2] / "examples" / "runs"


def _offered(*words: str, cwd: Path = RUNS) -> list[str]:
    """What bash is given for the line, whose last word is not complete."""
    env = {
        **os.environ,
        "_PROBATIO_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("probatio", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([str(PROBATIO)], env=env, cwd=cwd, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_commands_are_offered_from_the_table() -> None:
    assert _offered("tri") == ["trial"]
    assert {"study", "suite", "site"} == set(_offered("s"))
    assert _offered("study", "comp") == ["compare"]
    assert _offered("suite", "re") == ["rehearse"]
    assert _offered("daily", "alerts", "") == ["test", "send"]


def test_contexts_and_tasks_come_from_the_suite_on_the_line() -> None:
    assert _offered("trial", "--context", "min") == ["minimal"]
    assert _offered("trial", "--suite", "strues", "--context", "") == [
        "examples-only",
        "brief",
        "guide",
        "reference",
    ]
    assert "palindrome" in _offered("trial", "--suite", "strues", "--task", "pal")


def test_models_come_from_models_yml_and_a_list_goes_on_after_its_comma(tmp_path: Path) -> None:
    (tmp_path / "m.yml").write_text(
        "models:\n  - {id: alpha, name: x}\n  - {id: also, name: y}\n  - {id: beta, name: z}\n"
    )
    assert _offered("trial", "--config", "m.yml", "--model", "al", cwd=tmp_path) == ["alpha", "also"]
    assert _offered("trial", "--config", "m.yml", "--model", "beta,alp", cwd=tmp_path) == ["beta,alpha"]


def test_runs_come_from_the_results_folder(tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        shutil.copytree(RUNS / "sample-dialects", tmp_path / "results" / name)
    for line in (("grade", ""), ("study", "compare", "monday", ""), ("trial", "--resume", "")):
        assert set(_offered(*line, cwd=tmp_path)) == {"monday", "tuesday"}
    assert {"monday", "tuesday", "compare", "plan"} <= set(_offered("study", "", cwd=tmp_path))


def test_a_file_that_can_not_be_read_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("models: [")
    assert _offered("trial", "--config", "bad.yml", "--model", "a", cwd=tmp_path) == []
    assert _offered("trial", "--suite", "nowhere", "--task", "a", cwd=tmp_path) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_one_that_shell_reads(shell: str, tmp_path: Path) -> None:
    done = subprocess.run([str(PROBATIO), "completion", shell], capture_output=True, text=True, check=True)
    assert f"_PROBATIO_COMPLETE={shell}_complete" in done.stdout
    if found := shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(done.stdout)
        subprocess.run([found, "-n", str(script)], check=True, capture_output=True)


def test_bash_itself_completes_with_the_script(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    line = (
        f'eval "$({PROBATIO} completion bash)"; COMP_WORDS=(probatio dai); COMP_CWORD=1; '
        "_probatio_completion probatio; echo ${COMPREPLY[@]}"
    )
    env = {**os.environ, "PATH": f"{PROBATIO.parent}:{os.environ['PATH']}"}
    done = subprocess.run([bash, "-c", line], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["daily"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("trail", "trial"),
        ("studdy", "study"),
        ("dayly", "daily"),
        ("Compare", "study compare"),
        ("vary", "suite vary"),
        ("alert", "daily alerts"),
    ],
)
def test_a_mistyped_command_is_taken_for_the_nearest(typed: str, meant: str) -> None:
    done = probatio(typed)
    assert done.returncode == 2 and f"Did you mean `{meant}`?" in done.stderr


def test_near_matches_are_near() -> None:
    assert find_near("trail", list(COMMANDS))[0] == "trial"
    assert find_near("zzz", list(COMMANDS)) == []
    assert find_near("gpt4o", ["gpt-4o", "gpt-4o-mini", "claude", "llama"])[0] == "gpt-4o"
    assert find_near("claude", ["gpt-4o", "llama"]) == []
    assert find_near("coder", ["qwen2.5-coder-0.5b", "llama"]) == ["qwen2.5-coder-0.5b"]


def test_without_a_near_match_the_sentence_does_not_claim_one() -> None:
    said = str(refuse_unknown_name("model", "zzz", [f"m{number}" for number in range(10)]))
    assert said == "There is no model `zzz`. There are: m0, m1, m2, m3, m4, m5, m6, m7 and 2 more."
    assert str(refuse_unknown_name("model", "zzz", [])) == "There is no model `zzz`. There are none."
