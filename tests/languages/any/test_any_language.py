"""Languages that look like no other: invisible, in two dimensions, of single signs. Real commands, real
jail."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.folders import checked, found
from grading.answers import answered
from probatio.core.errors import UsageError
from probatio.core.records import Assessment, Compare, Grade, NumbersWithin
from probatio.grading import assess
from probatio.grading.extract import extract_program, extract_whole
from probatio.jail import Choice, Limits, NoIsolation, find_isolation
from probatio.languages.command import CommandLanguage
from probatio.languages.comparison import is_same
from probatio.languages.contract import Commands, LanguageSpec
from probatio.languages.notation import read_signs, write_signs
from probatio.suites.feedback import feedback
from probatio.suites.language_suite import Suite, load_suite
from probatio.suites.prompt import fingerprint, render, render_question

HERE = Path(__file__).parent
BLANK, GRID, SIGNS = (load_suite(HERE / name) for name in ("blank", "grid", "signs"))
SEVEN = " \t\t\t\n\t \n\n"
GRID_SEVEN = "    7\n    !\n    @"


def graded(suite: Suite, task: str, text: str) -> Assessment:
    asked = suite.tasks[task]
    return assess(asked, answered(text, task_id=task), suite.answer_language(asked))


@pytest.mark.parametrize("name", ["blank", "grid", "signs"])
def test_the_folder_is_proven(name: str) -> None:
    assert not found(HERE / name)
    assert not [proof for proof in checked(HERE / name).proofs if proof.unchecked]


@pytest.mark.parametrize(
    "answer",
    [
        f"```blank\n{SEVEN}\n```",
        f"```\n{SEVEN}\n```\n",
        f"Here is the program:\n\n```blank\n{SEVEN}\n```\nIt prints 7.",
        SEVEN,
        f"<think>a push, a print</think>\n\n{SEVEN}",
        " push\t\t\t7\nprint\t \nend\n",  # words are remarks
    ],
)
def test_an_invisible_program_is_graded_to_the_letter(answer: str) -> None:
    assert graded(BLANK, "write_seven", answer).correct


@pytest.mark.parametrize(
    "answer", [SEVEN[:-2], f"Here:\n{SEVEN}", f"Here it is:\n```\n{SEVEN}\n```", f"\t{SEVEN}"]
)
def test_where_the_answer_is_the_program_every_blank_counts(answer: str) -> None:
    assert graded(BLANK, "write_seven", answer).error_type == "runtime_error"


def test_a_missing_part_may_be_blank() -> None:
    for answer in ("\t ", "```blank\n\t \n```", " \t \t\n\t \n\n"):
        assert graded(BLANK, "complete_print", answer).correct, answer


def test_an_empty_answer_is_none_and_a_blank_one_is_a_program() -> None:
    assert graded(BLANK, "write_seven", "").error_type == "no_response"
    assert graded(BLANK, "write_seven", "```blank\n```").error_type == "no_response"
    assert graded(BLANK, "write_seven", " \n").error_type == "runtime_error"


@pytest.mark.parametrize(
    "answer",
    [
        f"```grid\n{GRID_SEVEN}\n```",
        f"```\n{GRID_SEVEN}\n```",
        GRID_SEVEN,
        f"\n \n{GRID_SEVEN}\n",
        f"<think>down</think>\n\n{GRID_SEVEN}",
        f"Here is the program:\n\n{GRID_SEVEN}\n\nIt prints the number seven.",
    ],
)
def test_the_first_row_of_a_program_keeps_its_place(answer: str) -> None:
    assert graded(GRID, "write_seven", answer).correct


@pytest.mark.parametrize(
    "answer",
    [
        "```signs\n+++++++!\n```",
        "+++++++!",
        "    +++++++!",
        "`+++++++!`",
        "Here is the program:\n\n+++++++!\n\nIt prints the number seven.",
        "Here is the program:\n\n```\n+++++++!\n```",
    ],
)
def test_single_signs_are_a_program(answer: str) -> None:
    assert graded(SIGNS, "write_seven", answer).correct


def test_a_prompt_shows_a_program_where_it_stands() -> None:
    question = render_question(GRID, GRID.tasks["predict_turn"], "standard")
    assert "```grid\n    8\n@!  <\n```" in question
    assert "```grid\n    2\n    !\n    @\n```" in render(
        GRID, GRID.tasks["predict_turn"], "brief", 1, "standard"
    )


def test_a_whole_program_is_shown_to_the_letter(tmp_path: Path) -> None:
    folder = shutil.copytree(HERE / "blank", tmp_path / "blank")
    file = folder / "language.yml"
    file.write_text("".join(line for line in file.open() if "shown" not in line))
    suite = load_suite(folder)
    shown = render_question(suite, suite.tasks["predict_three"], "standard")
    assert "```blank\n \t\n \t \n\t\t\t \n\n\n```" in shown


NOTED = "[S][T][T][T][N][T][S][N][N]"


@pytest.mark.parametrize(
    "answer",
    [
        f"```blank\n{NOTED}\n```",
        NOTED,
        f"   {NOTED}\n",
        f"Here is the program:\n\n{NOTED}\n\nIt prints 7.",  # words are remarks, and blanks layout
        "```blank\n[S][T] [T][T] [N]\n[T][S]\n[N][N]\n```",
    ],
)
def test_an_invisible_program_may_be_answered_in_signs(answer: str) -> None:
    assessment = graded(BLANK, "write_seven", answer)
    assert assessment.correct
    assert NOTED in assessment.breakdown["program"].replace("\n", "")


def test_an_invisible_program_is_shown_in_signs() -> None:
    prompt = render(BLANK, BLANK.tasks["predict_three"], "brief", 1, "standard")
    assert "```blank\n[S][T][N][S][T][S][N][T][T][T][S][N][N]\n```" in prompt
    assert "Blank:\n```blank\n[S][T][S][N][T][S][N][N]\n```" in prompt
    assert "[N]___[N][N]" in render_question(BLANK, BLANK.tasks["complete_print"], "standard")
    assert graded(BLANK, "write_seven", SEVEN).breakdown["program"] == NOTED
    assert graded(BLANK, "complete_print", "[T][S]").correct


def test_where_lines_are_lines_blanks_beside_signs_count() -> None:
    assert read_signs("··a\n  b", {" ": "·"}) == "  a\n  b"
    assert read_signs("[N]a\n b", {"\n": "[N]", " ": "[S]"}) == "\nab"
    assert read_signs(" a\n", {"\n": "[N]", " ": "[S]"}) == " a\n"


@given(st.text(" \t\nab"))
def test_what_is_written_in_signs_is_read_again(text: str) -> None:
    signs = {" ": "[S]", "\t": "[T]", "\n": "[N]"}
    assert read_signs(write_signs(text, signs), signs) == text


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ('{"ab": "[S]"}', "not one character"),
        ('{" ": ""}', "is empty"),
        ('{" ": "[ ]"}', "is itself shown"),
        ('{" ": "[S]", "\\t": "[S]"}', "the same sign"),
    ],
)
def test_signs_that_could_not_be_read_again_are_refused(tmp_path: Path, shown: str, said: str) -> None:
    folder = shutil.copytree(HERE / "grid", tmp_path / "grid")
    with (folder / "language.yml").open("a") as file:
        file.write(f"shown: {shown}\n")
    with pytest.raises(UsageError, match=said):
        load_suite(folder)


def test_blanks_before_the_first_line_of_an_output_count_where_lines_are_compared() -> None:
    assert graded(GRID, "write_seven", GRID_SEVEN).correct
    asked = msgspec.structs.replace(GRID.tasks["write_seven"], expected_output="7")
    answer = answered(GRID_SEVEN)
    assert assess(asked, answer, GRID.spec).error_detail == "expected '7', printed '   7'"
    assert assess(msgspec.structs.replace(asked, compare="tokens"), answer, GRID.spec).correct
    assert "must print exactly:\n\n```\n   7\n```" in render_question(
        GRID, GRID.tasks["write_seven"], "standard"
    )


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("   8", True),
        ("```\n   8\n```", True),
        ("It prints:\n\n```\n   8  \n```", True),
        ("Output:\n   8", True),
        ("8", False),
        ("```\n8\n```", False),
    ],
)
def test_a_prediction_is_compared_as_its_language_says(answer: str, right: bool) -> None:
    assert graded(GRID, "predict_turn", answer).correct is right


def test_a_task_says_how_it_is_compared() -> None:
    assert graded(SIGNS, "predict_count", "3 2 1").correct
    assert not graded(SIGNS, "write_countdown", "++!-!").correct
    assert SIGNS.tasks["write_countdown"].compare is msgspec.UNSET


ROWS: list[tuple[str, str, str]] = [  # printed, expected, the comparisons that call it the same
    ("7\n", "7\n", "exact trimmed lines tokens numbers"),
    ("7\n", "7", "trimmed lines tokens numbers"),
    ("  7", "7", "trimmed tokens numbers"),
    ("a \nb", "a\nb", "lines tokens numbers"),
    ("a\r\nb", "a\nb", "trimmed lines tokens numbers"),
    ("a\nb", "a b", "tokens numbers"),
    ("x 0.333", "x 0.334", "numbers"),
    ("1000.5", "1000", "numbers"),  # within a thousandth of it
    ("1e3", "1000.0", "numbers"),
    ("1.01", "1", ""),
    ("1 2", "1", ""),
    ("nan", "1", ""),
    ("1e999", "1", ""),
    ("1,0", "1.0", ""),
]


@pytest.mark.parametrize(("printed", "expected", "same"), ROWS)
def test_each_comparison_has_its_row(printed: str, expected: str, same: str) -> None:
    ways: dict[str, Compare] = {
        "exact": "exact",
        "trimmed": "trimmed",
        "lines": "lines",
        "tokens": "tokens",
        "numbers": NumbersWithin(0.001),
    }
    assert " ".join(name for name, way in ways.items() if is_same(printed, expected, way)) == same
    assert is_same(printed, expected, msgspec.UNSET) is ("trimmed" in same)


@pytest.mark.parametrize("compare", ["compare: fuzzy", "compare: {numbers: -1}", "compare: {digits: 1}"])
def test_a_comparison_that_is_none_is_refused(tmp_path: Path, compare: str) -> None:
    folder = shutil.copytree(HERE / "signs", tmp_path / "signs")
    with (folder / "language.yml").open("a") as file:
        file.write(f"{compare}\n")
    with pytest.raises(UsageError, match=r"language\.yml, line \d+"):
        load_suite(folder)


def test_a_comparison_moves_the_fingerprint_of_its_suite_alone() -> None:
    plain = msgspec.structs.replace(SIGNS.tasks["predict_count"], compare=msgspec.UNSET)
    assert b"compare" not in msgspec.json.encode(plain)
    changed = msgspec.structs.replace(SIGNS, compare="lines")
    assert fingerprint(changed, "1") != fingerprint(SIGNS, "1")


def test_an_example_may_read_its_input() -> None:
    prompt = render(SIGNS, SIGNS.tasks["write_seven"], "brief", 2, "standard")
    assert "?!!\n```\nInput:\n```\n4\n```\nOutput:\n```\n4\n4\n```" in prompt
    assert b"stdin" not in msgspec.json.encode(SIGNS.examples[0])


@pytest.mark.parametrize(("answer", "said"), [("+{", "fails when it is run"), ("+{}", "does not end")])
def test_a_language_without_a_check_says_nothing_of_a_check(answer: str, said: str) -> None:
    task = SIGNS.tasks["write_seven"]
    assert SIGNS.spec.commands is not None
    commands = msgspec.structs.replace(SIGNS.spec.commands, limits=Limits(seconds=1, cpu_seconds=1))
    spec = msgspec.structs.replace(SIGNS.spec, commands=commands)
    found = assess(task, answered(answer), spec)
    grade = Grade(
        timestamp="", run_id="", framework_version="", task_id=task.id, model="m", n_shot=0, context="",
        level_a=found.level_a, level_b=found.level_b, level_c=False, correct=False,
        error_type=found.error_type, error_detail=found.error_detail, breakdown=found.breakdown,
    )  # fmt: skip
    told = feedback(task, grade, "diagnostics", shows_output=True, has_check=spec.has_check)
    assert said in told
    assert "check" not in told


COMPILER = """import pathlib, sys
out = pathlib.Path(sys.argv[2], "program.out")
out.write_text(pathlib.Path(sys.argv[1]).read_text().upper())
print(out.read_text())
"""


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock", "none"])
def test_a_compiler_writes_its_files_where_a_command_names_scratch(tmp_path: Path, kind: Choice) -> None:
    try:
        find_isolation(kind)
    except NoIsolation as error:
        pytest.skip(str(error))
    (tmp_path / "compiler.py").write_text(COMPILER)
    words = ("{python}", "{folder}/compiler.py", "{file}", "{scratch}")
    commands = Commands(run=words, check=words, folder=str(tmp_path))
    language = CommandLanguage(LanguageSpec("Loud", ("loud",), commands=commands))
    assert language.check("salve", "standard", kind).accepted
    assert language.run("salve", "standard", "", kind).stdout == "SALVE\n"
    if kind == "none":
        return
    quiet = (*words[:3], ".")
    commands = msgspec.structs.replace(commands, run=quiet, check=None)
    refused = CommandLanguage(LanguageSpec("Loud", ("loud",), commands=commands))
    assert refused.run("salve", "standard", "", kind).exit != 0


def test_an_interpreter_is_found_beside_its_script(tmp_path: Path) -> None:
    folder = tmp_path / "toolchain"
    folder.mkdir()
    (folder / "my-interpreter").write_text("#!/bin/sh\nread first < $1; echo interpreted\n")
    (folder / "my-tool").write_text("#!/usr/bin/env my-interpreter\n")
    for file in folder.iterdir():
        file.chmod(0o755)
    commands = Commands(run=("{folder}/my-tool", "{file}"), folder=str(folder))
    language = CommandLanguage(LanguageSpec("Mine", ("mine",), commands=commands))
    assert language.run("x", "standard", "", "auto").stdout == "interpreted\n"
    (folder / "my-interpreter").unlink()
    again = CommandLanguage(LanguageSpec("Mine", ("mine",), commands=commands))
    with pytest.raises(UsageError, match=rf"neither on PATH .* nor beside the command, in {folder}"):
        again.run("x", "standard", "", "auto")


def test_what_a_fence_holds_is_taken_to_the_letter() -> None:
    assert extract_whole("```x\n\n a \n\n```", ("x",)) == "\n a \n"
    assert extract_whole("```x\n a", ("x",)) == " a"
    assert extract_program("\n  \n   a\n b  \n", ()) == "   a\n b"
