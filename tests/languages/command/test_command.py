"""Commands are a language: a program is their file, its input theirs, and what they say becomes a class of
error."""

from __future__ import annotations

import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from languages.command.languages_here import KINDS, command, python, script, shell, stack_language, usable
from probatio.core.errors import UsageError
from probatio.core.records import ErrorType
from probatio.jail import Choice, Limits
from probatio.languages.command import LONGEST_MESSAGE
from probatio.languages.contract import ErrorRule

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

BRIEF = Limits(seconds=1.5, cpu_seconds=2, memory_mb=128, output_bytes=50_000)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Choice:
    return usable(request.param)


def test_a_program_is_checked_and_run_with_its_input(kind: Choice) -> None:
    language = shell()
    program = 'read -r name\necho "hello $name"\ncat_nothing() { :; }\n'
    assert language.check(program, "standard", kind).accepted
    outcome = language.run(program, "standard", "Ada\nsecond line\n", kind)
    assert (outcome.exit, outcome.stdout, outcome.stderr, outcome.started) == (0, "hello Ada\n", "", True)


def test_all_of_the_input_arrives(kind: Choice) -> None:
    text = "".join(f"line {n} é\n" for n in range(30_000))
    outcome = python().run(
        "import sys; data = sys.stdin.read(); print(len(data), data[-9:])", "standard", text, kind
    )
    assert outcome.stdout == f"{len(text)} {text[-9:]}\n"


def test_a_program_the_checker_refuses_is_a_syntax_error_in_its_own_words(kind: Choice) -> None:
    checked = shell().check("if true; then", "standard", kind)
    assert checked.error_type == "syntax_error"
    assert checked.detail.startswith("program.sh: ")
    assert "/" not in checked.detail


def test_a_language_in_one_file_of_its_folder_runs(kind: Choice, tmp_path: Path) -> None:
    language = stack_language(tmp_path / "stack")
    assert language.run("in in + .", "standard", "20\n22\n", kind).stdout == "42\n"
    failed = language.run("1 fish .", "standard", "", kind)
    assert language.explain_failure(failed) == ("runtime_error", "exit 1: program.stack: no such word: fish")


def test_no_place_of_the_machine_or_the_jail_is_in_a_message(kind: Choice, tmp_path: Path) -> None:
    language = stack_language(tmp_path / "secret-name")
    shown = (
        language.run("+", "standard", "", kind).stderr
        + python().run("import json\njson.loads('{')", "", "", kind).stderr
    )
    assert 'File "stack.py", line 6' in shown
    assert 'File "program.py", line 2' in shown
    for place in (
        "secret-name",
        str(tmp_path),
        tempfile.gettempdir(),
        "probatio-",
        sys.prefix,
        str(Path.home()) + "/",
    ):
        assert place not in shown


def test_a_checker_that_speaks_on_standard_output_is_heard_without_places(
    kind: Choice, tmp_path: Path
) -> None:
    tool = script(tmp_path / "tool", '#!/bin/sh\necho "error in $PWD/$1 by $0"; exit 1\n')
    language = command(
        ("sh", "{file}"), check=("{folder}/tool", "{file}"), suffix=".x", folder=str(tool.parent)
    )
    assert language.check("", "standard", kind).detail == "error in program.x by tool"


RULES = (
    ErrorRule("type_error", exit=1, message="type", stage="check"),
    ErrorRule("timeout", exit=(7, 8)),
    ErrorRule("refusal", message="never at check", stage="run"),
    ErrorRule("wrong_output", exit=1),
)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("echo 'a type is wrong' >&2; exit 1", "type_error"),
        ("echo 'a type is wrong'; exit 1", "type_error"),
        ("echo 'a type is wrong'; exit 2", "syntax_error"),
        ("exit 7", "timeout"),
        ("exit 8", "timeout"),
        ("echo never at check; exit 1", "wrong_output"),
        ("exit 9", "syntax_error"),
        ("echo a type is wrong; exit 0", None),
    ],
)
def test_the_first_rule_that_fits_names_the_error_of_a_check(program: str, error: str | None) -> None:
    language = command(("sh", "{file}"), check=("sh", "{file}"), errors=RULES)
    assert language.check(program, "standard", "auto").error_type == error


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("exit 7", "timeout"),
        ("echo never at check >&2; exit 3", "refusal"),
        ("exit 1", "wrong_output"),
        ("exit 3", "runtime_error"),
    ],
)
def test_the_first_rule_that_fits_names_the_error_of_a_run(program: str, error: str) -> None:
    language = command(("sh", "{file}"), check=("sh", "-n", "{file}"), errors=RULES)
    outcome = language.run(program, "standard", "", "auto")
    assert language.explain_failure(outcome)[0] == error
    assert outcome.started


def test_without_a_checker_a_rule_can_say_that_a_program_never_began() -> None:
    rules = (ErrorRule("syntax_error", message="Syntax error", stage="run"),)
    language = command(("sh", "{file}"), errors=rules)
    assert language.check("if", "standard", "auto").accepted
    assert not language.run("if", "standard", "", "auto").started
    assert language.run("exit 2", "standard", "", "auto").started


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("while True: pass", r"the checker of Test did not end within 1\.5 s"),
        ("while True: print('x' * 10_000)", r"the checker of Test printed more than 50,000 bytes"),
        ("x = b'x' * (300 << 20)\nimport time\ntime.sleep(1)", r"the checker of Test needs more than 128 MB"),
        ("import ctypes\nctypes.string_at(0)", r"the checker of Test was ended by signal 11 \(SIGSEGV\)"),
        ("import sys\nsys.exit(127)", r"the checker of Test did not start \(exit 127\)"),
    ],
)
def test_a_checker_that_says_nothing_of_the_program_has_crashed_and_leaves_a_doubt(
    program: str, why: str, kind: Choice
) -> None:
    language = command(("sh", "{file}"), check=("{python}", "{file}"), limits=BRIEF)
    found = language.check(program, "standard", kind)
    assert (found.error_type, found.doubt) == ("crashed_checker", True)
    assert re.match(why, found.detail)


def test_a_tool_that_the_jail_can_not_start_leaves_a_doubt_about_every_program() -> None:
    broken = ("sh", "-c", "echo 'bwrap: execvp lua: No such file or directory' >&2; exit 1")
    language = command(broken, check=broken)
    assert language.check("anything", "standard", "auto").doubt
    assert language.run("anything", "standard", "", "auto").doubtful


@pytest.mark.parametrize("error", ["unchecked", "api_error"])
def test_no_rule_can_keep_an_answer_out_of_the_rates(error: ErrorType) -> None:
    with pytest.raises(UsageError, match=rf"class is {error}, which would keep an answer out of every rate"):
        command(("sh", "{file}"), errors=(ErrorRule(error, message="please do not count this"),))


def test_a_program_that_speaks_like_the_jail_has_failed_itself() -> None:
    language = shell()
    outcome = language.run("echo 'bwrap: no more namespaces' >&2; exit 1", "standard", "", "auto")
    assert language.explain_failure(outcome) == ("runtime_error", "exit 1: bwrap: no more namespaces")


def test_a_rule_can_give_a_meaning_to_a_crash_of_the_checker() -> None:
    rules = (ErrorRule("type_error", exit=139),)
    language = command(("sh", "{file}"), check=("{python}", "{file}"), errors=rules)
    assert language.check("import ctypes\nctypes.string_at(0)", "standard", "auto").error_type == "type_error"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "stops", "error"),
    [
        ("while True: pass", ("time", "cpu"), "timeout"),
        ("import time\ntime.sleep(60)", ("time",), "timeout"),
        ("while True: print('x' * 10_000)", ("output",), "runtime_error"),
        ("x = b'x' * (300 << 20)\nimport time\ntime.sleep(1)", ("memory",), "runtime_error"),
    ],
)
def test_a_program_that_passes_a_limit_has_failed_itself(
    program: str, stops: tuple[str, ...], error: str, kind: Choice
) -> None:
    language = python(limits=BRIEF)
    outcome = language.run(program, "standard", "", kind)
    assert outcome.stopped in stops
    assert outcome.exit is None
    assert language.explain_failure(outcome) == (error, f"stopped at the limit of {outcome.stopped}")
    assert len(outcome.stdout) <= BRIEF.output_bytes


def test_a_program_ended_by_a_signal_says_so(kind: Choice) -> None:
    language = python()
    outcome = language.run("import ctypes\nctypes.string_at(0)", "standard", "", kind)
    assert outcome.exit == 128 + signal.SIGSEGV
    assert language.explain_failure(outcome) == ("runtime_error", "ended by signal 11 (SIGSEGV): no message")


@pytest.mark.parametrize("text", ["naïve 日本語 😀", "\ud800 half a pair", "\x00 nothing", "", "\r\n\t"])
def test_a_program_is_given_letter_for_letter(text: str, kind: Choice) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    reads = command(("{python}", "-c", "import sys; print(open(sys.argv[1], 'rb').read())", "{file}"))
    assert reads.run(text, "standard", "", kind).stdout == f"{raw!r}\n"
    echoes = command(("{python}", "-c", "import sys; print(sys.stdin.buffer.read())"))
    assert echoes.run("", "standard", text, kind).stdout == f"{raw!r}\n"


def test_a_program_of_a_megabyte_runs(kind: Choice) -> None:
    program = "x = 1\n" + f"# {'y' * 98}\n" * 10_000 + "print(x)"
    assert len(program) > 1_000_000
    assert python().run(program, "standard", "", kind).stdout == "1\n"


def test_a_message_is_cut() -> None:
    language = command(("sh", "{file}"), check=("sh", "{file}"))
    line = "a line of fifty letters or so, again and again and again and again"
    program = f"i=0; while [ $i -lt 200 ]; do echo '{line}' >&2; i=$((i+1)); done; exit 1"
    detail = language.check(program, "standard", "auto").detail
    assert 100 < len(detail) <= LONGEST_MESSAGE
    assert len(detail.splitlines()) == 12


def test_the_environment_is_the_languages_own(kind: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-secret")
    language = python(env={"MODE": "strict"})
    program = (
        "import os; print(os.environ.get('MODE'), os.environ.get('OPENROUTER_API_KEY'), os.environ['TZ'])"
    )
    assert language.run(program, "standard", "", kind).stdout == "strict None UTC\n"


def test_it_has_one_dialect_and_shows_programs_as_they_are() -> None:
    language = shell()
    assert language.dialects == ("standard",)
    assert language.program_in("echo  1", "standard") == "echo  1"
    assert language.template_in("echo ___", "standard") == "echo ___"
    with pytest.raises(KeyError):
        language.describe("grammar", "", "standard")


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (ErrorRule("type_error", message="("), "no regular expression"),
        (ErrorRule("type_error", stage="link"), "check or run"),
    ],
)
def test_a_rule_that_can_not_be_followed_is_a_mistake_in_language_yml(rule: ErrorRule, why: str) -> None:
    with pytest.raises(UsageError, match=rf"language\.yml of Test: commands\.errors: .*{why}"):
        command(("sh", "{file}"), errors=(rule,))


@pytest.mark.soak
def test_lua_from_the_distribution_is_a_language(kind: Choice) -> None:
    if not (shutil.which("lua5.4") and shutil.which("luac5.4")):
        pytest.skip("lua5.4 is not installed here")
    language = command(
        ("lua5.4", "{file}"),
        "Lua",
        check=("luac5.4", "-p", "{file}"),
        version=("lua5.4", "-v"),
        suffix=".lua",
    )
    assert language.version().startswith("Lua 5.4")
    assert (
        language.check("x = = 1", "standard", kind).detail
        == "luac5.4: program.lua:1: unexpected symbol near '='"
    )
    assert language.run("print(io.read('n') * 2)", "standard", "21", kind).stdout == "42\n"
    failed = language.run("error('boom')", "standard", "", kind)
    assert language.explain_failure(failed) == ("runtime_error", "exit 1: lua5.4: program.lua:1: boom")


@pytest.mark.parametrize(("tool", "program", "printed"), [
    ("awk", "{ print toupper($0) }", "ABC\n"), ("perl", "print uc <STDIN>;", "ABC\n"),
])  # fmt: skip
def test_other_small_tools_are_languages_too(tool: str, program: str, printed: str, kind: Choice) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed here")
    run = (tool, "-f", "{file}") if tool == "awk" else (tool, "{file}")
    assert command(run).run(program, "standard", "abc\n", kind).stdout == printed
