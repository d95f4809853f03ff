"""The toolchain of the suite `kcl`: what is accepted, what is refused and how it says so."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from builtin.kcl.kcl_folder import FOLDER, LANGUAGE, Toolchain

TOOLCHAIN = FOLDER / "toolchain.py"


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    return Toolchain(tmp_path)


def started(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )


def classified(stage: str, code: int, message: str) -> str:
    """The class by the rules of language.yml: the first that fits."""
    for rule in LANGUAGE["commands"]["errors"]:
        if rule["stage"] == stage and rule.get("exit", code) == code and rule.get("message", "") in message:
            return str(rule["class"])
    raise AssertionError(f"No rule for {message}")


@pytest.mark.parametrize(
    ("program", "message", "error"),
    [
        ("a = {x = 1", 'program.k:1:10: InvalidSyntax: expected one of ["}"] got eof', "syntax_error"),
        ('a: int = "x"', "program.k:1:1: TypeError: expected int, got str(x)", "type_error"),
        ("a = b", "program.k:1:5: CompileError: name 'b' is not defined", "type_error"),
        (
            "a = 1\na = 2",
            "program.k:2:1: ImmutableError: Can not change the value of 'a', "
            "because it was declared immutable\n"
            "program.k:1:1:   The variable 'a' is declared here\n"
            "note: change the variable name to '_a' to make it mutable",
            "type_error",
        ),
    ],
)
def test_a_mistake_is_told_in_plain_lines(
    program: str, message: str, error: str, toolchain: Toolchain
) -> None:
    assert toolchain.check(program) == (1, "", message)
    assert classified("check", 1, message) == error


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("a = [1][3]", "program.k:1:1: EvaluationError: list index out of range: 3"),
        ('assert 1 > 2, "no"', "program.k:1:1: EvaluationError: no"),
        (
            'schema A:\n    n: int\n    check:\n        n > 3, "too small"\na = A {n = 1}',
            "program.k:5:5: EvaluationError: Instance check failed\n"
            "program.k:4:1:   Check failed on the condition: too small",
        ),
    ],
)
def test_what_fails_only_when_it_runs_passes_the_check(
    program: str, message: str, toolchain: Toolchain
) -> None:
    assert toolchain.check(program) == (0, "", "")
    assert toolchain.run(program) == (1, "", message)
    assert classified("run", 1, message) == "runtime_error"


def test_a_warning_is_no_mistake(toolchain: Toolchain) -> None:
    assert toolchain.run("import math\na = 1") == (0, "a: 1", "")


def test_a_package_that_is_not_there_is_not_fetched(toolchain: Toolchain) -> None:
    code, output, diagnostics = toolchain.run("import k8s.api.core.v1 as v1\na = v1.Pod {}")
    assert (code, output) == (1, "")
    assert diagnostics.startswith("program.k:1:1: CannotFindModule: ")
    assert str(toolchain.scratch) not in diagnostics


def test_what_a_program_prints_comes_before_its_configuration(toolchain: Toolchain) -> None:
    assert toolchain.run('print("first")\na = 1') == (0, "first\na: 1", "")


def test_standard_input_gives_options(toolchain: Toolchain) -> None:
    program = 'a = option("a")\nb = option("b")\nc = option("c")\nd = option("d")'
    ended = toolchain.run(program, 'a=x=y\nb=3\nc=[1, "z"]\nno option\n')
    assert ended == (0, "a: x=y\nb: 3\nc:\n- 1\n- z\nd: null", "")


def test_long_text_goes_both_ways(toolchain: Toolchain) -> None:
    long = "ä" * 100_000
    assert toolchain.run('a = option("a")', f"a={long}") == (0, f"a: {long}", "")


def test_the_version_is_that_of_the_wheel() -> None:
    ended = started("-I", str(TOOLCHAIN), "version")
    assert ended.stdout == f"kcl {importlib.metadata.version('kcl-lib')}\n"


def test_a_missing_library_is_not_a_mistake_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.k").write_text("a = 1")
    ended = started("-I", "-S", str(TOOLCHAIN), "check", str(tmp_path / "a.k"))  # -S: without site-packages
    assert ended.returncode == 3
    assert ended.stderr == "KCL is not installed. This needs the extra `kcl`: pip install 'probatio[kcl]'\n"


def test_wrong_use_is_told() -> None:
    assert started(str(TOOLCHAIN), "walk").returncode == 2
