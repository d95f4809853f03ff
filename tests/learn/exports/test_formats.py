"""JUnit XML: counts are those of the run, and what can't be asked is no failure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from commandline import probatio
from learn.runs import make_run
from probatio.core.records import ErrorType, Response, TrialKey
from probatio.learn.exports.conditions import RecordedRun
from probatio.learn.exports.inspect_log import write_inspect
from probatio.learn.exports.junit import write_junit
from probatio.runs.store.layout import ANSWERS


def _outcome(key: TrialKey) -> bool | ErrorType:
    number = int(key.task_id[-2:])
    return "api_error" if number == 0 else "unchecked" if number == 1 else number % 3 == 0


@pytest.fixture
def run(tmp_path: Path) -> RecordedRun:
    return RecordedRun(make_run(tmp_path, 8, _outcome, models=("a", "b"), contexts=("minimal", "basic")))


def test_junit_counts_what_failed_and_what_could_not_be_asked(run: RecordedRun, tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.xml"
    assert write_junit(run, target) == {"tests": 32, "failures": 16, "errors": 8}
    root = ElementTree.parse(target).getroot()
    assert [suite.get("name") for suite in root] == [
        f"{model}: {context}, 0-shot, latin" for model in ("a", "b") for context in ("minimal", "basic")
    ]
    for suite in root.iter("testsuite"):
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        assert len(cases) == int(suite.get("tests", "0")) == 8
        errors = [name for name, case in cases.items() if case.find("error") is not None]
        assert errors == ["task_00", "task_01"]
        assert [name for name, case in cases.items() if len(case) == 0] == ["task_03", "task_06"]
        failure = cases["task_02"].find("failure")
        assert (
            failure is not None
            and failure.get("type") == "wrong_output"
            and "answer to task_02" in (failure.text or "")
        )


def test_junit_is_xml_whatever_a_model_wrote(run: RecordedRun, tmp_path: Path) -> None:
    path = run.folder / ANSWERS
    lines = [msgspec.json.decode(line, type=Response) for line in path.read_bytes().splitlines()]
    odd = "]]>&<\x00\x1b[31m\ufffe\u202e</failure>"
    path.write_bytes(
        b"".join(msgspec.json.encode(msgspec.structs.replace(line, response=odd)) + b"\n" for line in lines)
    )
    write_junit(RecordedRun(run.folder), tmp_path / "report.xml")
    text = next(ElementTree.parse(tmp_path / "report.xml").getroot().iter("failure")).text
    assert text is not None and "]]>&<\\u0000\\u001b[31m" in text and "</failure>" in text


def test_an_unfinished_run_is_exported_as_far_as_it_goes(run: RecordedRun, tmp_path: Path) -> None:
    answers = run.folder / ANSWERS
    answers.write_bytes(b"".join(answers.read_bytes().splitlines(keepends=True)[:20]))
    part = RecordedRun(run.folder)
    assert [len(list(part.trials(each))) for each in part.conditions] == [8, 8, 4]
    assert len(write_inspect(part, None, tmp_path / "logs")) == 3


def test_the_command_writes_both_and_tells_where(run: RecordedRun, tmp_path: Path) -> None:
    targets = ["--inspect", str(tmp_path / "i"), "--junit", str(tmp_path / "j.xml")]
    done = probatio("study", "export", str(run.folder), *targets, "--json")
    told = json.loads(done.stdout)
    assert len(told["inspect"]["logs"]) == 4 and told["junit"]["tests"] == 32
    assert all(Path(path).is_file() for path in (*told["inspect"]["logs"], told["junit"]["file"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["r"], "Say what to write"),
        (["--junit", "x.xml"], "Missing argument"),
        (["nowhere", "--junit", "x.xml"], "There is no run `nowhere`"),
    ],
)
def test_what_can_not_be_exported_is_a_sentence(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = probatio("study", "export", *arguments)
    assert done.returncode == 2
    assert re.search(message, done.stderr)
