"""`suite new` and `suite export`: folders that are proven as they are written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from authoring.folders import checked
from commandline import probatio
from probatio.authoring.check.daily import check as check_daily
from probatio.authoring.new import STARTERS, copy_suite, list_starters, write_new
from probatio.authoring.yaml_text import format_language
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import UsageError
from probatio.core.records import Assessment
from probatio.grading import GRADER_VERSION
from probatio.suites.daily_proofs import DailyProof
from probatio.suites.daily_suite import DAILY, constants_of_its_own, load_daily
from probatio.suites.language_file import read_language_file
from probatio.suites.language_suite import BUILT_IN, list_built_in_suites, load_suite
from probatio.suites.prompt import fingerprint


def test_a_new_folder_can_begin_from_every_built_in_suite(tmp_path: Path) -> None:
    assert list_starters() == ("command", *list_built_in_suites())
    for name in list_built_in_suites():
        whole = load_suite(name)
        tasks = write_new(tmp_path / name, name)
        part = load_suite(tmp_path / name)
        assert 0 < tasks < len(whole.tasks)
        assert {task.type for task in part.tasks.values()} == {task.type for task in whole.tasks.values()}
        assert (part.contexts, part.examples) == (whole.contexts, whole.examples)
        assert (part.version, part.pinned) == ("0.1.0", None)
        for task in part.tasks.values():
            assert task == whole.tasks[task.id]


@pytest.mark.parametrize(
    "folder", [STARTERS / "command", *(BUILT_IN / name for name in list_built_in_suites())], ids=str
)
def test_a_language_file_that_is_written_anew_says_the_same(tmp_path: Path, folder: Path) -> None:
    about = read_language_file(folder)
    (tmp_path / "language.yml").write_text(format_language(about, "written anew"), encoding="utf-8")
    assert read_language_file(tmp_path) == about


@pytest.mark.slow
def test_a_part_of_a_built_in_suite_is_proven(tmp_path: Path) -> None:
    write_new(tmp_path / "part", list_built_in_suites()[0])
    assert checked(tmp_path / "part").passed


@pytest.mark.parametrize("name", list_built_in_suites())
def test_a_copy_asks_and_grades_what_the_original_does(tmp_path: Path, name: str) -> None:
    copy_suite(name, tmp_path / "copy")
    copy, original = load_suite(tmp_path / "copy"), load_suite(name)
    assert fingerprint(copy, GRADER_VERSION) == fingerprint(original, GRADER_VERSION)
    assert (copy.version, copy.pinned) == (original.version, None)
    assert not [file for file in (tmp_path / "copy").rglob("*") if "__pycache__" in str(file)]


def test_a_copy_of_the_daily_suite_is_the_suite_until_it_is_changed(tmp_path: Path) -> None:
    code, out, _ = probatio("suite", "export", "daily", "copy", cwd=tmp_path)
    proof = "probatio suite check copy"
    assert (code, out) == (0, f"Written: copy, a copy of daily with 50 cases. Prove it with: {proof}\n")
    folder = tmp_path / "copy"
    copy, original = load_daily(folder), load_daily()
    assert daily_fingerprint(copy) == daily_fingerprint(original) == original.manifest.fingerprint
    assert copy.manifest == msgspec.structs.replace(original.manifest, fingerprint=None)
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {*copy.use_cases, ".probatio"}
    assert not [*folder.rglob("*.py"), *folder.rglob("*.js")]
    assert constants_of_its_own(folder) == ()
    assert "nowhere else" not in (folder / "suite.yml").read_text(encoding="utf-8")
    cases = folder / "math_reasoning" / "cases.yml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("difficulty: 1", "difficulty: 2", 1))
    assert daily_fingerprint(load_daily(folder)) != original.manifest.fingerprint


@pytest.mark.slow
def test_a_copy_of_the_daily_suite_is_proven_with_the_grades_of_the_original(tmp_path: Path) -> None:
    copy_suite("daily", tmp_path / "copy")
    use_cases = ("structured_extraction", "instruction_following", "game_design")

    def grade(folder: Path) -> list[str]:
        seen: list[str] = []

        def note(proof: DailyProof, grade: Assessment) -> None:
            seen.append(f"{proof.case} {proof.answer} {grade.breakdown}")

        assert check_daily(folder, "auto", lambda done, total: None, only=use_cases, seen=note).passed
        return sorted(seen)

    assert grade(tmp_path / "copy") == grade(DAILY) != []


def test_other_names_are_kept_only_where_files_use_them(tmp_path: Path) -> None:
    name = next(
        each for each in list_built_in_suites() if read_language_file(load_suite(each).folder).aliases
    )
    copy_suite(name, tmp_path / "copy")
    assert read_language_file(tmp_path / "copy").aliases == {}


@pytest.mark.parametrize("words", [["new", "full"], ["export", list_built_in_suites()[0], "full"]])
def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("kept", encoding="utf-8")
    code, _, err = probatio("suite", *words, cwd=tmp_path)
    assert (code, err) == (2, "probatio: full is not empty; name a new folder, or empty this one.\n")
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["mine"]


def test_a_start_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no start `comand`.*Near matches: command"):
        write_new(tmp_path / "l", "comand")
    with pytest.raises(UsageError, match="no built-in suite `nowhere`"):
        copy_suite("nowhere", tmp_path / "l")


def test_new_tells_what_comes_next(tmp_path: Path) -> None:
    code, out, _ = probatio("suite", "new", "mine", cwd=tmp_path)
    assert code == 0
    assert out.splitlines()[0] == "Written: mine, with 9 tasks. Next:"
    assert [line.split("  ")[1] for line in out.splitlines()[1:]] == [
        "probatio suite check mine",
        "probatio trial --suite mine --dry-run",
        "probatio trial --suite mine",
    ]


def test_list_tells_of_every_built_in_suite() -> None:
    code, out, _ = probatio("suite", "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["NAME", *list_built_in_suites()]
