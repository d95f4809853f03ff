"""docs/your-language.md: its blocks are a folder that loads and is proven, and every command in it is one of
ours."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from authoring.folders import checked, made
from cli.test_help import find
from probatio.authoring.check.report import Claim
from probatio.jail import Limits
from probatio.suites.language_file import HostFile, LanguageFile
from probatio.suites.language_suite import Suite, load_suite
from probatio.suites.task_types import FIELDS, KINDS

PAGE = Path(__file__).parents[2] / "docs" / "your-language.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILE = re.compile(r"<!-- file: (\S+) -->\n(`{3,})\w+\n(.*?)\n\2", re.DOTALL)
CALL = re.compile(r"(^\$ |`)probatio ([^`|\n]+)", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that the blocks of the page are."""
    for name, _, text in FILE.findall(TEXT):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "contexts" / "examples-only.md").touch()
    return tmp_path


def test_every_yaml_block_is_a_file_of_the_folder_and_loads(folder: Path) -> None:
    named = [text for name, _, text in FILE.findall(TEXT) if name.endswith(".yml")]
    assert re.findall(r"```yaml\n(.*?)\n```\n(?! )", TEXT, re.DOTALL) == named
    for text in named:
        assert yaml.safe_load(text)
    suite: Suite = load_suite(folder)
    assert {task.type for task in suite.tasks.values()} == KINDS.keys()
    assert suite.questions["predict_output"].startswith("Read this")


@pytest.mark.soak
@pytest.mark.skipif(
    not all(map(shutil.which, ("lua", "luac"))), reason="lua is not installed here (apt package lua5.4)"
)
def test_the_folder_is_proven(folder: Path) -> None:
    report = checked(folder)
    assert {proof.state for proof in report.proofs} == {"proven"}


def test_every_command_is_one_that_the_command_line_accepts() -> None:
    calls = CALL.findall(TEXT)
    assert len(calls) >= 10
    for typed, call in calls:
        command, arguments, name = find(shlex.split(call))
        if typed == "$ " or arguments:  # in a sentence, a command may stand for itself
            command.make_context(name, arguments)


def test_the_reference_names_every_key_and_every_limit() -> None:
    keys = {
        *LanguageFile.__struct_fields__,
        *HostFile.__struct_fields__,
        *Limits.__struct_fields__,
        *FIELDS,
        *KINDS,
    }
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", TEXT)] == []
    for name, value in zip(Limits.__struct_fields__, Limits.__struct_defaults__, strict=True):
        assert f"`{name}` {value:g}" in TEXT or f"`{name}` {value}" in TEXT


def test_the_transcript_has_every_claim_of_a_new_folder(tmp_path: Path) -> None:
    """The table on the page is the one that the command prints: a claim that is renamed or added must be
    shown anew."""
    shown = set(re.findall(r"^  (.+?) {2,}\d+ +· +· +·$", TEXT, re.MULTILINE))
    assert shown <= set(Claim)
    assert shown == {proof.claim for proof in checked(made(tmp_path / "l")).proofs}
