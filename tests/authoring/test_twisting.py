"""The tasks of a folder under a twist: made by the compiler, proven in the jail, and held to what the files
say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import faber
from authoring.folders import checked
from commandline import probatio
from probatio.authoring.check.report import Claim
from probatio.authoring.twist import SAME_ANSWER, TwistMaker, find_missing_part, format_twist, twist_path
from probatio.core.errors import UsageError
from probatio.languages.faber import LANGUAGE
from probatio.suites.language_suite import BUILT_IN, Suite, load_suite
from probatio.suites.task_types import KINDS

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

FABER = load_suite("faber")
TASKS = [
    {"id": "branch", "type": "predict_output", "material": 'si 1 < 2 { scribe "a" } secus { scribe "b" }',
     "expected_output": "a"},
    {"id": "plain", "type": "predict_output", "material": "scribe 7", "expected_output": "7"},
    {"id": "endless", "type": "predict_output", "expected_output": "2",
     "material": "varia i = 0\nex [1, 2] pro x {\n    si x > 5 { rumpe }\n    i += 1\n}\nscribe i"},
    {"id": "silent", "type": "predict_output", "material": 'si 1 < 2 { scribe "a" }', "expected_output": "a"},
    {"id": "write", "type": "write", "goal": "Print small.", "expected_output": "small",
     "solution": 'fixum n = 3\nsi n < 5 { scribe "small" }'},
    {"id": "blank", "type": "complete_code", "goal": "The blank is a condition.", "expected_output": "yes",
     "material": 'si ___ { scribe "yes" } secus { scribe "no" }', "solution": "2 > 1"},
    {"id": "round", "type": "complete_code", "goal": "The blank is a text.", "expected_output": "yes",
     "material": 'si 2 > 1 { scribe ___ } secus { scribe "no" }', "solution": '"yes"'},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "suite"
    (root / "tasks").mkdir(parents=True)
    about = yaml.safe_load((BUILT_IN / "faber" / "language.yml").read_text(encoding="utf-8"))
    kept = {key: value for key, value in about.items() if key not in ("contexts", "fingerprint")}
    (root / "language.yml").write_text(json.dumps(kept), encoding="utf-8")
    listed = [{"category": "c", "difficulty": 1, "goal": "", **task} for task in TASKS]
    (root / "tasks" / "all.yml").write_text(json.dumps({"tasks": listed}), encoding="utf-8")
    return root


def made(suite: Suite, twist: str) -> str:
    return format_twist(TwistMaker(suite, twist, "auto").make())


def test_what_is_read_keeps_its_text_and_what_is_written_its_output(folder: Path) -> None:
    content = TwistMaker(load_suite(folder), "si-unless", "auto").make()
    by_id = {task.id: task for task in content.tasks}
    assert by_id["branch"].expected_output == "b"
    assert by_id["branch"].material is None
    assert by_id["endless"].expected_output == "0"
    assert (
        by_id["silent"].material == 'si non (1 < 2) {\n    scribe "a"\n}'
    )  # it would print nothing as it is
    assert by_id["silent"].expected_output is None
    assert "si non (n < 5)" in (by_id["write"].solution or "")
    assert by_id["blank"].solution == "non (2 > 1)"
    assert by_id["blank"].material is None
    assert content.left_out == {"round": SAME_ANSWER}
    assert content.untouched == ("plain",)


def test_a_program_that_reads_the_same_either_way_measures_nothing(folder: Path) -> None:
    """As it is, it fails with + first. Rewritten it has brackets, and these mean the same to everybody."""
    program = 'fixum n = 2 * 3 + 1\nsi n > 7 { iace "large" }\nscribe n'
    task = {"id": "t", "type": "predict_output", "category": "c", "goal": "", "difficulty": 1,
            "material": program, "expected_output": "7"}  # fmt: skip
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": [task]}), encoding="utf-8")
    assert TwistMaker(load_suite(folder), "sums-first", "auto").make().left_out == {"t": SAME_ANSWER}


def test_a_blank_is_found_again_whatever_the_layout() -> None:
    assert find_missing_part("si ___ { a }", "si non (2 > 1) {\n  a\n}") == "non (2 > 1)"
    assert find_missing_part("si ___ { a }", "si x { b }") is None


@pytest.mark.slow
def test_the_folder_is_proven_with_its_twists_and_a_false_one_fails(folder: Path) -> None:
    done = probatio("suite", "twist", "suite", "--twist", "si-unless", "--json", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "twist": "si-unless", "touched": 5, "untouched": 1, "left_out": 1,
        "file": "suite/twists/si-unless.yml",
        "same": False,
    }  # fmt: skip
    again = probatio("suite", "twist", "suite", "--twist", "si-unless", "--check", cwd=folder.parent)
    assert (again.returncode, again.stdout) == (
        0,
        "si-unless: 5 tasks touched, 1 not touched, 1 left out; as it was.\n",
    )
    proofs = [proof for proof in checked(folder).proofs if proof.claim == Claim.TWISTED]
    assert {proof.state for proof in proofs} == {"proven"}
    assert {proof.subject for proof in proofs} >= {
        "task branch under si-unless",
        "task write under si-unless",
    }

    file = folder / "twists" / "si-unless.yml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("expected_output: b", "expected_output: a"), encoding="utf-8"
    )
    failed = [proof for proof in checked(folder).proofs if proof.state == "failed"]
    assert [proof.subject for proof in failed] == ["task branch under si-unless"]
    assert (
        probatio("suite", "twist", "suite", "--twist", "si-unless", "--check", cwd=folder.parent).returncode
        == 1
    )


def test_a_file_about_other_tasks_is_told(folder: Path) -> None:
    suite = load_suite(folder)
    path = twist_path(suite, "si-unless")
    path.parent.mkdir()
    path.write_text(made(suite, "si-unless").replace("id: branch", "id: gone"), encoding="utf-8")
    told = {
        proof.state: proof.detail
        for proof in checked(folder).proofs
        if proof.subject == "twists/si-unless.yml"
    }
    assert "not there: gone" in told["failed"]
    assert "does not know branch" in told["warning"]
    with pytest.raises(UsageError, match="`branch` is not asked under the twist"):
        load_suite(folder).task("branch", "latin+si-unless")


def test_a_language_without_twists_says_so(tmp_path: Path) -> None:
    done = probatio("suite", "twist", "strues", cwd=tmp_path)
    assert done.returncode == 2
    assert "Strues has no twists" in done.stderr


@pytest.mark.parametrize("twist", ["logic-swapped", "one-based"])
def test_the_files_of_the_built_in_suite_are_what_is_made(twist: str) -> None:
    assert twist_path(FABER, twist).read_text(encoding="utf-8") == made(FABER, twist)


@pytest.mark.soak  # the files are read and proven by every `suite check`; here they are made again
@pytest.mark.parametrize("twist", sorted(FABER.twists.keys() - {"logic-swapped", "one-based"}))
def test_all_files_of_the_built_in_suite_are_what_is_made(twist: str) -> None:
    assert twist_path(FABER, twist).read_text(encoding="utf-8") == made(FABER, twist)


def test_every_task_of_the_built_in_suite_is_known_to_every_twist_and_each_touches_some() -> None:
    for name, content in FABER.twists.items():
        assert content.asked.union(content.left_out) == FABER.tasks.keys(), name
        assert len(content.tasks) >= 3, name


@pytest.mark.parametrize("words", ["english", "symbols", "scrambled"])
def test_in_other_words_a_task_under_a_twist_is_the_same_program(words: str) -> None:
    for name, content in FABER.twists.items():
        for task in (content.task(FABER.tasks[each.id]) for each in content.tasks):
            kind = KINDS[task.type]
            program = task.material if kind.material == "program" else task.solution
            if program and kind.judged != "completion":
                respelt = LANGUAGE.respell(program.strip(), f"{words}+{name}")
                assert respelt != program.strip(), task.id
                assert faber.compile(respelt, f"{words}+{name}") == faber.compile(program, f"latin+{name}"), (
                    task.id
                )
