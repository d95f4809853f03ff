"""Packed runs: a tenth of the size, every byte kept, and read by everything that reads a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commandline import probatio
from learn.runs import by_chance, make_run
from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import take_lock
from probatio.core.records import Response
from probatio.learn.analysis import study_of
from probatio.learn.compare import compare
from probatio.runs.preparation import prepare_again
from probatio.runs.regrade import regrade
from probatio.runs.store.layout import ANSWERS, GRADES, LOCK
from probatio.runs.store.packed import (
    is_packed,
    pack,
    pack_run,
    path_of_packed,
    read_packed,
    unpack,
    unpack_run,
)
from probatio.runs.store.run_folder import RunFolder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("packed")
    chances = {"a": 0.8, "b": 0.4}
    make_run(
        root,
        20,
        by_chance(lambda key: chances[key.model]),
        "run",
        models=("a", "b"),
        contexts=("minimal", "complete"),
        samples=2,
    )
    return root


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "run", tmp_path / "results" / "run"))


def test_a_packed_run_is_a_tenth_of_the_size_and_comes_back_to_the_byte(run: Path) -> None:
    before = {name: (run / name).read_bytes() for name in (ANSWERS, GRADES)}
    done = pack_run(run)
    assert is_packed(run)
    assert not any((run / name).exists() for name in before)
    assert sum(each.bytes_after for each in done) < sum(map(len, before.values())) / 10
    assert [each.lines for each in done] == [160, 160]
    unpack_run(run)
    assert {name: (run / name).read_bytes() for name in before} == before
    assert not is_packed(run)


def test_study_compare_and_the_reader_say_the_same_of_a_packed_run(run: Path, made: Path) -> None:
    def said(folder: Path) -> tuple[object, ...]:
        files = RunFolder(folder)
        spans = files.answer_spans()
        return (
            study_of([folder], made / "suite"),
            compare(f"{folder}:model=a", f"{folder}:model=b", folder.parent, made / "suite").difference,
            list(files.answers()),
            files.grades(),
            [files.answer_at(spans[key]) for key in list(spans)[::50]],
        )

    before = said(run)
    pack_run(run)
    assert said(run) == before


def test_lines_that_are_no_json_or_torn_come_back_as_they_stand(tmp_path: Path) -> None:
    file = tmp_path / ANSWERS
    odd = [
        b'{"task_id": "t", "model": "m", "n_shot": 0, "context": "c", "response": "spaces and another '
        b'order"}\n',
        b'{"task_id":"t","model":"m","n_shot":0,"context":"c","response":"\\ud83d\\ude00","unknown":{"field":[1.50]}}\n',
        b"\n",
        b"not JSON at all\n",
        b'{"task_id":"t","n_shot":"many"}\n',
        b'{"response":"\xff\xfe is no UTF-8"}\n',
        b'{"response":1e400}\n',
        b'{"task_id":"t","model":"torn',
    ]
    file.write_bytes(b"".join(odd))
    assert pack(file).lines == len(odd)
    file.unlink()
    assert list(read_packed(path_of_packed(file))) == odd
    assert unpack(path_of_packed(file)).read_bytes() == b"".join(odd)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.binary(max_size=30)
        | st.text(max_size=30).map(lambda text: json.dumps({"response": text}).encode())
    )
)
def test_whatever_a_file_holds_comes_back(tmp_path: Path, lines: list[bytes]) -> None:
    file = tmp_path / GRADES
    data = b"\n".join(lines)
    file.write_bytes(data)
    pack(file)
    assert b"".join(read_packed(path_of_packed(file))) == data


def test_a_damaged_packed_file_is_named_and_not_unpacked(run: Path) -> None:
    pack_run(run)
    other = path_of_packed(run / ANSWERS)
    other.write_bytes(path_of_packed(run / GRADES).read_bytes()[:-100])
    with pytest.raises(UsageError, match=r"raw_responses\.jsonl\.zst is not a packed file that can be read"):
        unpack_run(run)
    assert other.exists()
    assert not (run / ANSWERS).exists()


def test_a_packed_run_is_not_resumed_and_a_run_that_is_written_to_is_not_packed(run: Path) -> None:
    import os

    lock = take_lock(run / LOCK)
    with pytest.raises(Incomplete, match="Another process is writing"):
        pack_run(run)
    os.close(lock)
    pack_run(run)
    with pytest.raises(UsageError, match=r"is packed.*probatio study pack .* --unpack"):
        prepare_again(str(run), run.parent, {}, print)


def test_a_packed_run_is_graded_again_and_its_new_grades_count(run: Path, made: Path) -> None:
    pack_run(run)
    report = regrade("run", run.parent, made / "suite", None)
    assert report.compared == 160
    assert report.flips  # made-up answers pass nothing
    assert (run / GRADES).exists()
    assert (run / "graded_results.before-1.jsonl.zst").exists()
    assert not any(grade.correct for grade in RunFolder(run).grades().values())
    assert len(list(RunFolder(run).answers_as(Response))) == 160


def test_the_command_packs_and_unpacks_and_says_so_in_json(run: Path) -> None:
    size = (run / ANSWERS).stat().st_size
    packed = probatio("study", "pack", "run", "--results", str(run.parent), "--json")
    told = json.loads(packed.stdout)
    assert told["event"] == "packed"
    assert told["files"][0]["bytes_before"] == size
    assert told["bytes_after"] < told["bytes_before"] / 10
    again = probatio("study", "pack", "run", "--results", str(run.parent))
    assert "it is packed already" in again.stderr
    back = probatio("study", "pack", "run", "--results", str(run.parent), "--unpack")
    assert "Unpacked: raw_responses.jsonl, graded_results.jsonl" in back.output
