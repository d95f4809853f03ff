"""What the user trusts: a folder by its content or by its place, a value once; kept outside every folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from probatio.core import trust
from probatio.core.errors import UsageError
from probatio.core.trust import (
    TRUST,
    TrustRequest,
    Untrusted,
    address_request,
    adopt,
    digest_folder,
    find_unsaid,
    find_untrusted,
    is_known,
    key_request,
    note_named,
    read_trust,
    refuse,
    require_known,
    take_back,
    trust_file,
    trust_folder,
    trust_values,
)

pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    (folder / "triage").mkdir(parents=True)
    (folder / "suite.yml").write_text("name: theirs\n")
    (folder / "triage" / "grader.py").write_text("print(1)\n")
    return folder


def asked(folder: Path) -> list[TrustRequest]:
    return [TrustRequest("grader", "triage", str(folder))]


def is_refused(folder: Path) -> bool:
    return bool(find_untrusted(folder, asked(folder)))


def test_the_tests_are_not_the_developer() -> None:
    assert trust_file().is_relative_to(os.environ["XDG_CONFIG_HOME"])
    assert not trust_file().is_relative_to(Path.home() / ".config")


def test_a_stranger_is_refused_with_what_is_asked_and_the_command(theirs: Path) -> None:
    with pytest.raises(Untrusted) as refused:
        refuse(find_untrusted(theirs, asked(theirs)))
    assert refused.value.exit_code == 2
    assert "run the grader of `triage` outside the jail" in str(refused.value)
    assert f"probatio suite trust {theirs}" in str(refused.value)


def test_a_folder_that_asks_for_nothing_costs_nothing(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "read_trust", lambda: pytest.fail("the list was read"))
    monkeypatch.setattr(trust, "digest_folder", lambda folder: pytest.fail("the folder was read"))
    assert find_untrusted(theirs, []) == ()


def test_a_folder_trusted_by_its_place_is_not_read(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust_folder(theirs, mine=True)
    monkeypatch.setattr(trust, "digest_folder", lambda folder: pytest.fail("the folder was read"))
    assert not is_refused(theirs)


def change_a_byte(folder: Path) -> None:
    (folder / "triage" / "grader.py").write_text("print(2)\n")


def add_a_file(folder: Path) -> None:
    (folder / "triage" / "helper.py").write_text("")


def add_a_folder(folder: Path) -> None:
    (folder / "empty").mkdir()


def rename_a_file(folder: Path) -> None:
    (folder / "triage" / "grader.py").rename(folder / "triage" / "other.py")


def move_a_file_up(folder: Path) -> None:
    (folder / "triage" / "grader.py").rename(folder / "triagegrader.py")


def remove_a_file(folder: Path) -> None:
    (folder / "triage" / "grader.py").unlink()


def replace_by_a_link(folder: Path) -> None:
    text = (folder / "triage" / "grader.py").read_text()
    (folder.parent / "same.py").write_text(text)
    (folder / "triage" / "grader.py").unlink()
    (folder / "triage" / "grader.py").symlink_to(folder.parent / "same.py")


def make_it_executable(folder: Path) -> None:
    (folder / "triage" / "grader.py").chmod(0o755)


def add_compiled_code(folder: Path) -> None:
    (folder / "triage" / "__pycache__").mkdir()
    (folder / "triage" / "__pycache__" / "grader.cpython-311.pyc").write_bytes(b"x")


def add_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "triage" / "pipe")


def add_code_in_a_git_folder_below(folder: Path) -> None:
    (folder / "triage" / ".git").mkdir()
    (folder / "triage" / ".git" / "code.py").write_text("")


CHANGES = (
    change_a_byte, add_a_file, add_a_folder, rename_a_file, move_a_file_up, remove_a_file, replace_by_a_link,
    make_it_executable, add_compiled_code, add_a_pipe, add_code_in_a_git_folder_below,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_folder_asks_again_and_ones_own_does_not(
    theirs: Path, change: Callable[[Path], None]
) -> None:
    trust_folder(theirs)
    assert not is_refused(theirs)
    change(theirs)
    assert is_refused(theirs)
    trust_folder(theirs, mine=True)
    change_a_byte(theirs)
    assert not is_refused(theirs)


def test_a_moved_folder_is_trusted_by_its_content_and_not_by_its_place(theirs: Path) -> None:
    trust_folder(theirs)
    moved = theirs.rename(theirs.parent / "moved")
    assert not is_refused(moved)
    adopt(moved)
    again = moved.rename(theirs.parent / "again")
    change_a_byte(again)
    assert is_refused(again)


def test_a_link_to_a_trusted_folder_is_that_folder(theirs: Path) -> None:
    link = theirs.parent / "link"
    link.symlink_to(theirs)
    trust_folder(link, mine=True)
    assert not is_refused(theirs) and not is_refused(link)
    take_back(theirs)
    assert is_refused(link)


def put_back_anew(folder: Path) -> None:
    again = shutil.copytree(folder, folder.parent / "again")
    shutil.rmtree(folder)
    again.rename(folder)


def put_back_without_a_mark(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def put_a_link_there(folder: Path) -> None:
    folder.rename(folder.parent / "away")
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / ".probatio").symlink_to(folder.parent / "away" / ".probatio")
    folder.symlink_to("other")


@pytest.mark.parametrize("replace", [put_back_anew, put_back_without_a_mark, put_a_link_there])
def test_a_place_does_not_outlive_its_folder(theirs: Path, replace: Callable[[Path], None]) -> None:
    trust_folder(theirs, mine=True)
    assert is_known(theirs) and not is_refused(theirs)
    replace(theirs)
    assert is_refused(theirs) and not is_known(theirs)
    with pytest.raises(Untrusted):
        refuse(find_untrusted(theirs, asked(theirs)))


def test_a_folder_that_can_not_be_written_to_is_known_by_its_number(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (theirs / ".probatio").write_text("a file in the way of the mark")
    trust_folder(theirs, mine=True)
    assert not is_refused(theirs)
    theirs.rename(theirs.parent / "away")
    theirs.mkdir()
    assert is_refused(theirs)


def test_a_place_from_before_there_were_marks_gets_its_own_when_it_is_used(theirs: Path) -> None:
    trust_file().parent.mkdir(parents=True, exist_ok=True)
    trust_file().write_text(json.dumps({"folders": [{"path": str(theirs)}]}))
    assert not is_refused(theirs)
    assert len(read_trust().folders) == 1 and read_trust().folders[0].mark
    put_back_without_a_mark(theirs)
    assert is_refused(theirs)


@pytest.mark.parametrize("mine", [True, False])
def test_a_folder_inside_a_trusted_one_asks_for_itself(theirs: Path, mine: bool) -> None:
    trust_folder(theirs, mine=mine)
    assert is_refused(theirs / "triage")


def test_what_git_keeps_does_not_count(theirs: Path) -> None:
    trust_folder(theirs)
    (theirs / ".git").mkdir()
    (theirs / ".git" / "index").write_text("x")
    assert not is_refused(theirs)


def test_a_named_folder_may_be_read_and_nothing_else(theirs: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    with pytest.raises(Untrusted, match=r"asks to read .*theirs"):
        require_known(theirs, results)
    note_named(theirs)
    assert require_known(theirs, results) == theirs
    assert is_refused(theirs), "no grader outside the jail follows from --suite"
    change_a_byte(theirs)
    assert is_known(theirs)
    assert not is_known(theirs / "triage") and not is_known(theirs.parent)


def test_a_link_in_the_results_does_not_lead_out(theirs: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "suite").symlink_to(theirs)
    with pytest.raises(Untrusted):
        require_known(results / "suite", results)
    with pytest.raises(Untrusted):
        require_known(results / ".." / "theirs", results)


def test_a_record_can_not_have_the_machine_read_to_find_out(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust_folder(theirs)
    monkeypatch.setattr(trust, "digest_folder", lambda folder: pytest.fail(f"{folder} was read"))
    assert not is_known(Path("/"))


def test_a_value_is_confirmed_once_and_another_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = key_request("GPU_KEY", "https://gpu.example/v1", tmp_path)
    trust_values([said])
    assert find_unsaid([said, key_request("GPU_KEY", "https://gpu.example/other/path", tmp_path)]) == ()
    for other in (
        key_request("GITHUB_TOKEN", "https://gpu.example/v1", tmp_path),
        key_request("GPU_KEY", "http://gpu.example/v1", tmp_path),
        key_request("GPU_KEY", "https://gpu.example:8443/v1", tmp_path),
        key_request("GPU_KEY", "https://gpu.example.evil/v1", tmp_path),
        address_request("GPU_KEY to https://gpu.example", "x"),
    ):
        assert find_unsaid([other]) == (other,)


def test_a_secret_address_is_not_written_down(tmp_path: Path) -> None:
    trust_values([address_request("slack://secret-token/x", "the alert channel slack")])
    assert "secret-token" not in trust_file().read_text()


def test_a_file_in_the_environment_takes_the_place_of_the_users(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust_folder(theirs, mine=True)
    file = tmp_path / "trust.json"
    file.write_text("{}")
    monkeypatch.setenv(TRUST, str(file))
    assert is_refused(theirs)
    file.write_text(json.dumps({"folders": [{"path": str(theirs)}]}))
    assert not is_refused(theirs)
    with pytest.raises(UsageError, match="only read"):
        trust_folder(theirs)
    note_named(tmp_path)
    adopt(tmp_path)
    assert len(read_trust().folders) == 1


@pytest.mark.parametrize(
    "content",
    [None, "", "[]", '{"folders": [1]}', '{"folder": []}', "[" * 5000, '{"folders": "/"}', "folder"],
)
def test_a_broken_file_is_a_sentence(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    file = tmp_path / "trust.json"
    monkeypatch.setenv(TRUST, str(file))
    if content == "folder":
        file.mkdir()
    elif content is not None:
        file.write_text(content)
    with pytest.raises(UsageError) as told:
        is_refused(theirs)
    assert str(file) in str(told.value) and told.value.exit_code == 2


def test_the_file_may_be_a_link(theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "trust.json").write_text(json.dumps({"folders": [{"path": str(theirs)}]}))
    (tmp_path / "trust.json").symlink_to(tmp_path / "real" / "trust.json")
    monkeypatch.setenv(TRUST, str(tmp_path / "trust.json"))
    assert not is_refused(theirs)


@pytest.mark.parametrize("huge", ["files", "bytes"])
def test_a_folder_without_end_is_not_read_to_its_end(
    theirs: Path, monkeypatch: pytest.MonkeyPatch, huge: str
) -> None:
    if huge == "files":
        monkeypatch.setattr(trust, "MOST_FILES", 2)
    else:
        with (theirs / "sparse").open("wb") as file:
            file.truncate(1 << 40)
    with pytest.raises(UsageError, match="too large to be trusted by its content"):
        digest_folder(theirs)


def test_where_nothing_can_be_kept_a_new_suite_is_written_all_the_same(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/self/nothing")
    adopt(theirs)
    note_named(theirs)
    assert is_refused(theirs) and is_known(theirs)
