"""Generated tasks: verified, every part of them counts, no two alike, and the same seed gives the same folder."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from generate.goal_reader import printed_by
from probatio.authoring.check import check
from probatio.cli.suite import command
from probatio.errors import UsageError
from probatio.generate.faber.folder import write_folder
from probatio.generate.faber.generation import Generated, generate
from probatio.generate.faber.levels import FIRST_LEVEL, LEVELS, MIX, purposes
from probatio.generate.faber.words import NAMES, TEXTS
from probatio.languages import faber
from probatio.languages.faber import dialects
from probatio.languages.faber.analysis import analyse
from probatio.languages.faber.evaluate import Declined, evaluate, evaluate_text
from probatio.languages.typescript import run
from probatio.suite.language_suite import BLANK, load_suite

COUNT = 20  # of each level: every type of task once or more


@cache
def made(level: int, seed: int = 1) -> Generated:
    return generate(seed, level, COUNT)


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_of_its_level_and_the_evaluator_agrees_with_what_is_expected(level: int) -> None:
    about, tasks = LEVELS[level], made(level)
    assert sorted(task.type for task in tasks.tasks) == sorted(MIX[:COUNT])
    assert {task.category for task in tasks.tasks} <= set(purposes(level))
    for task, program in zip(tasks.tasks, tasks.programs, strict=True):
        assert about.lines[0] <= program.count("\n") + 1 <= about.lines[1], program
        outcome = evaluate_text(program)
        assert outcome.stdout.strip() == task.expected_output
        assert about.steps[0] <= outcome.steps <= about.steps[1]
        assert not outcome.failed


def test_what_is_expected_is_printed_by_the_program_run_alone_in_the_jail() -> None:
    for level in (2, 6):
        task, program = made(level).tasks[0], made(level).programs[0]
        assert faber.run(program).stdout.strip() == task.expected_output
        translation = next(each for each in made(level).tasks if each.type == "translate_to")
        assert run(translation.material or "").stdout.strip() == translation.expected_output


@pytest.mark.parametrize("level", LEVELS)
def test_a_line_less_prints_something_else(level: int) -> None:
    """By the text, with the evaluator: apart from how the generator looks for idle parts."""
    statement = re.compile(r" *(?:[\w.]+ [-+*]?= .*|[\w.]+\.adde\(.*|scribe .*|perge|rumpe|iace .*)")
    for program in made(level).programs[:6]:
        expected, lines = evaluate_text(program).stdout, program.split("\n")
        for place, line in enumerate(lines):
            if statement.fullmatch(line):
                assert _printed("\n".join(lines[:place] + lines[place + 1 :])) != expected, f"{line}\nin\n{program}"


def _printed(program: str) -> str | None:
    read = analyse(program, thorough=True)
    if read.diagnostics:
        return None
    try:
        outcome = evaluate(read.program, 5000)
    except Declined:
        return None
    return None if outcome.failed else outcome.stdout


def test_no_two_programs_are_alike_and_another_seed_shares_none() -> None:
    for level in LEVELS:
        assert len(set(made(level).shapes)) == len(set(made(level).programs)) == COUNT
    for level in (1, 3):  # the smallest programs are the likeliest to meet
        assert not set(made(level).programs) & set(made(level, seed=2).programs)


def test_the_same_seed_gives_the_same_folder_byte_by_byte(tmp_path: Path) -> None:
    for name, generated in (("one", made(3)), ("two", generate(1, 3, COUNT))):
        write_folder(tmp_path / name, generated, 1, 3)
    files = sorted(file.relative_to(tmp_path / "one") for file in (tmp_path / "one").rglob("*") if file.is_file())
    assert files == sorted(
        file.relative_to(tmp_path / "two") for file in (tmp_path / "two").rglob("*") if file.is_file()
    )
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize("level", (1, 5))
def test_a_generated_folder_passes_every_proof(level: int, tmp_path: Path) -> None:
    write_folder(tmp_path / "fresh", made(level), 1, level)
    report = check(tmp_path / "fresh", "auto", lambda done, total: None)
    assert report.passed, [proof for proof in report.proofs if proof.state == "failed"]


def test_a_written_folder_reads_back_as_it_was(tmp_path: Path) -> None:
    mark = write_folder(tmp_path / "fresh", made(6), 1, 6)
    suite = load_suite(tmp_path / "fresh")
    assert suite.pinned == mark
    assert {task.id: task for task in made(6).tasks} == suite.tasks


@pytest.mark.parametrize("level", LEVELS)
def test_who_follows_the_words_of_a_goal_prints_what_is_expected(level: int) -> None:
    goals = [task for task in made(level).tasks if task.type in ("write", "write_host", "repair")]
    assert len(goals) == 6
    for task in goals:
        assert printed_by(task.goal) == task.expected_output, task.goal


def test_the_question_of_a_program_to_be_written_does_not_show_its_output(tmp_path: Path) -> None:
    from probatio.suite.prompt import question

    write_folder(tmp_path / "fresh", made(4), 1, 4)
    suite = load_suite(tmp_path / "fresh")
    for task in suite.tasks.values():
        asked = question(suite, task, "latin")
        if task.type in ("write", "write_host", "predict_output", "translate_to", "translate_from"):
            assert task.expected_output not in asked
        if task.type == "complete_code":
            assert asked.count(BLANK) == 3  # in the sentence about it twice, and once in the program


def test_the_page_shows_the_table_of_levels() -> None:
    page = (Path(__file__).parents[2] / "docs" / "generate.md").read_text(encoding="utf-8")

    def span(pair: tuple[int, int]) -> str:
        return f"{pair[0]}–{pair[1]}" if pair[0] != pair[1] else str(pair[0])

    before: frozenset[str] = frozenset()
    for level in LEVELS.values():
        spans = (level.lines, level.steps, level.registers, level.parts, level.functions, level.turns, level.rules)
        new = ", ".join(sorted(level.features - before)) or "–"
        cells = [str(level.number), *map(span, spans), str(level.nesting), f"{round(level.told * 100)} %", new]
        assert f"| {' | '.join(cells)} |" in page
        before |= level.features
    for purpose, first in FIRST_LEVEL.items():
        assert re.search(rf"^\| {purpose} \| .* \| {first} \|$", page, re.MULTILINE)


def test_no_name_is_a_word_of_the_language_in_any_dialect() -> None:
    for name in dialects.NAMES:
        words = set(dialects.dialect(name).words.values()) | set(dialects.dialect(name).words)
        assert not words & {*NAMES, *(each.capitalize() for each in NAMES)}
    assert len(set(NAMES) | set(TEXTS)) == len(NAMES) + len(TEXTS)


def test_the_command_writes_a_folder_and_refuses_one_that_is_there(tmp_path: Path) -> None:
    out = str(tmp_path / "fresh")
    given = ["generate", "--language", "faber", "--seed", "5", "--level", "2", "--count", "4", "--out", out]
    ran = CliRunner().invoke(command, [*given, "--json"])
    assert ran.exit_code == 0, ran.output
    assert '"tasks":4' in ran.output and '"disagreed":0' in ran.output
    assert len(load_suite(out).tasks) == 4
    again = CliRunner().invoke(command, given)
    assert isinstance(again.exception, UsageError) and "is there already" in str(again.exception)
    other = CliRunner().invoke(
        command, ["generate", "--language", "strues", "--level", "2", "--out", str(tmp_path / "x")]
    )
    assert isinstance(other.exception, UsageError) and "There are: faber" in str(other.exception)
