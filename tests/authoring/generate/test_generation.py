"""Generated tasks: verified, every part of them counts, no two alike, and the same seed gives the same
folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest

import faber
from authoring.generate.goal_reader import printed_by
from commandline import probatio
from faber import dialects
from faber.analysis import analyse
from probatio.authoring.check.language import check
from probatio.authoring.generate.faber.draft import NAMES, TEXTS
from probatio.authoring.generate.faber.folder import write_folder
from probatio.authoring.generate.faber.generation import VERSION, Generated, generate
from probatio.authoring.generate.faber.levels import FIRST_LEVEL, LEVELS, MIX, purposes
from probatio.authoring.generate.faber.runs import NotRun, Ran, Runs, emit_counted
from probatio.languages.typescript import run
from probatio.suites.language_suite import BLANK, load_suite, without_filing

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

COUNT = 20  # of each level: every type of task once or more


@cache
def made(level: int, seed: int = 1) -> Generated:
    return generate(seed, level, COUNT)


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_of_its_level_and_prints_what_is_expected(level: int) -> None:
    about, tasks = LEVELS[level], made(level)
    assert sorted(task.type for task in tasks.tasks) == sorted(MIX[:COUNT])
    assert {task.category for task in tasks.tasks} <= set(purposes(level))
    for program in tasks.programs:
        assert about.lines[0] <= program.count("\n") + 1 <= about.lines[1], program
    for task, ran in zip(tasks.tasks, run_all(tasks.programs), strict=True):
        assert ran is not None and ran.stdout.strip() == task.expected_output
        assert about.steps[0] <= ran.steps <= about.steps[1]


def run_all(programs: Sequence[str]) -> list[Ran | None]:
    """How programs end that the check accepts, run together."""
    runs = Runs("auto")
    compiled = [emit_counted(analyse(program, thorough=True).program) for program in programs]
    for each in compiled:
        runs.note(each)
    runs.run_waiting()
    return [runs.find(each) for each in compiled]


def test_what_is_expected_is_printed_by_the_program_run_alone_in_the_jail() -> None:
    for level in (2, 6):
        task, program = made(level).tasks[0], made(level).programs[0]
        assert run(faber.compile(program)).stdout.strip() == task.expected_output
        translation = next(each for each in made(level).tasks if each.type == "translate_to")
        assert run(translation.material or "").stdout.strip() == translation.expected_output


@pytest.mark.parametrize("level", LEVELS)
def test_a_line_less_prints_something_else(level: int) -> None:
    """By the text, on the real runtime: apart from how the generator looks for idle parts."""
    statement = re.compile(r" *(?:[\w.]+ [-+*]?= .*|[\w.]+\.adde\(.*|scribe .*|perge|rumpe|iace .*)")
    for program in made(level).programs[:6]:
        lines = program.split("\n")
        places = [place for place, line in enumerate(lines) if statement.fullmatch(line)]
        shorter = ["\n".join(lines[:place] + lines[place + 1 :]) for place in places]
        first, *others = run_all([program, *(each for each in shorter if not faber.check(each))])
        assert places and first is not None
        assert not [other for other in others if other is not None and other.stdout == first.stdout], program


def test_what_a_program_prints_is_found_for_many_at_once() -> None:
    endless, failing, broken = "while (true) { $step(); }", "throw new Error()", "let let = 1"
    caught = "try { while (true) { $step(); } } catch { console.log(1); }"
    programs = ["$step(); console.log(7);", endless, failing, broken, caught, "console.log(8);"]
    runs = Runs("auto")
    for each in programs:
        with pytest.raises(NotRun):
            runs.find(each)
    assert runs.run_waiting() and not runs.run_waiting()
    assert [runs.find(each) for each in programs] == [Ran("7\n", 1), None, None, None, None, Ran("8\n", 0)]


DIGESTS = {
    1: "ddc4d84e66e06f6c", 2: "d08d4fe111484f40", 3: "47cb3bcca21299f9",
    4: "c71dcfad8c97f9b5", 5: "70d9f4736bde099b", 6: "a8da8891c222e088",
}  # fmt: skip
"""Of the tasks of seed 1. Another digest means other tasks for the same seed: then the generator's version is
raised."""


@pytest.mark.parametrize("level", LEVELS)
def test_a_seed_gives_the_tasks_it_always_gave(level: int) -> None:
    assert VERSION == "1.0.0"
    asked = [without_filing(task) for task in made(level).tasks]  # rules are in no prompt and no grade
    assert hashlib.sha256(msgspec.json.encode(asked)).hexdigest()[:16] == DIGESTS[level]


def test_no_two_programs_are_alike_and_another_seed_shares_none() -> None:
    for level in LEVELS:
        assert len(set(made(level).shapes)) == len(set(made(level).programs)) == COUNT
    for level in (1, 3):  # the smallest programs are the likeliest to meet
        assert not set(made(level).programs) & set(made(level, seed=2).programs)


def test_the_same_seed_gives_the_same_folder_byte_by_byte(tmp_path: Path) -> None:
    for name, generated in (("one", made(3)), ("two", generate(1, 3, COUNT))):
        write_folder(tmp_path / name, generated, 1, 3)
    files = sorted(
        file.relative_to(tmp_path / "one") for file in (tmp_path / "one").rglob("*") if file.is_file()
    )
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
    assert {rule for task in made(6).tasks for rule in task.rules or ()} > {"type first", "collection first"}


@pytest.mark.parametrize("level", LEVELS)
def test_who_follows_the_words_of_a_goal_prints_what_is_expected(level: int) -> None:
    goals = [task for task in made(level).tasks if task.type in ("write", "write_host", "repair")]
    assert len(goals) == 6
    for task in goals:
        assert printed_by(task.goal) == task.expected_output, task.goal


def test_the_question_of_a_program_to_be_written_does_not_show_its_output(tmp_path: Path) -> None:
    from probatio.suites.prompt import render_question

    write_folder(tmp_path / "fresh", made(4), 1, 4)
    suite = load_suite(tmp_path / "fresh")
    for task in suite.tasks.values():
        asked = render_question(suite, task, "latin")
        if task.type in ("write", "write_host", "predict_output", "translate_to", "translate_from"):
            assert task.expected_output not in asked
        if task.type == "complete_code":
            assert asked.count(BLANK) == 3  # in the sentence about it twice, and once in the program


def test_the_page_shows_the_table_of_levels() -> None:
    page = (Path(__file__).parents[3] / "docs" / "generate.md").read_text(encoding="utf-8")

    def span(pair: tuple[int, int]) -> str:
        return f"{pair[0]}–{pair[1]}" if pair[0] != pair[1] else str(pair[0])

    before: frozenset[str] = frozenset()
    for level in LEVELS.values():
        spans = (
            level.lines,
            level.steps,
            level.registers,
            level.parts,
            level.functions,
            level.turns,
            level.rules,
        )
        new = ", ".join(sorted(level.features - before)) or "–"
        cells = [
            str(level.number),
            *map(span, spans),
            str(level.nesting),
            f"{round(level.told * 100)} %",
            new,
        ]
        assert f"| {' | '.join(cells)} |" in page
        before |= level.features
    for purpose, first in FIRST_LEVEL.items():
        assert re.search(rf"^\| {purpose} \| .* \| {first} \|$", page, re.MULTILINE)


def test_no_name_is_a_word_of_the_language_in_any_dialect() -> None:
    for name in dialects.NAMES:
        words = set(dialects.find_dialect(name).words.values()) | set(dialects.find_dialect(name).words)
        assert not words & {*NAMES, *(each.capitalize() for each in NAMES)}
    assert len(set(NAMES) | set(TEXTS)) == len(NAMES) + len(TEXTS)


def test_the_command_writes_a_folder_and_refuses_one_that_is_there(tmp_path: Path) -> None:
    out = str(tmp_path / "fresh")
    given = ["generate", "--language", "faber", "--seed", "5", "--level", "2", "--count", "4", "--out", out]
    ran = probatio("suite", *given, "--json")
    assert ran.returncode == 0, ran.output
    assert '"tasks":4' in ran.output and '"disagreed":0' in ran.output
    assert len(load_suite(out).tasks) == 4
    again = probatio("suite", *given)
    assert again.returncode == 2 and "is there already" in again.stderr
    other = probatio(
        "suite", "generate", "--language", "strues", "--level", "2", "--out", str(tmp_path / "x")
    )
    assert other.returncode == 2 and "There are: faber" in other.stderr
