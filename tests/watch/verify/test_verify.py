"""`probatio verify` on days that were really run: nothing differs, and whatever is tampered with is found and
named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double
from probatio.core.trust import note_named
from probatio.grading.checked import CacheUsage, CheckedAnswers, CheckKey, close_checked, open_checked
from probatio.runs.store.days import read_days, suite_folder
from probatio.watch.day.preparation import suite_place
from probatio.watch.verify.verification import Verification, count_changed_grades, verify
from watch.day.days import EXTRACTION, MODEL, SUMMARY, environment, gold_script, run

pytestmark = pytest.mark.slow  # days that are really run

DAYS = ("2026-03-10", "2026-03-11", "2026-03-12")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three days of a small suite with a judge, carried out by the command itself."""
    root = tmp_path_factory.mktemp("recorded")
    with Double(reply=gold_script()) as double:
        for day in DAYS:
            done = run(root, double, day=day)
            assert done.returncode == 0, done.stderr
    yield root


@pytest.fixture
def results(recorded: Path, tmp_path: Path) -> Path:
    """A copy to tamper with, suite and all: what was recorded in one place is verified in another."""
    moved = Path(shutil.copytree(recorded, tmp_path / "moved"))
    note_named(moved / "suite")  # as `probatio suite trust results` does there
    return moved / "results"


def _lines(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _of(report: Verification, name: str) -> list[str]:
    return [str(finding) for finding in report.findings if finding.file.endswith(name)]


def test_days_as_they_were_run_differ_in_nothing(results: Path) -> None:
    report = verify(results)
    assert report.findings == []
    assert (report.records, report.days, report.grades) == (3, 3, 3 * 26)
    assert report.scores == 9
    assert report.verdicts == 3
    assert report.notes == []


def test_one_byte_of_a_raw_answer_is_found_by_its_file_and_by_the_sample_it_grades_otherwise(
    results: Path,
) -> None:
    path = results / "daily" / DAYS[1] / "raw_responses.jsonl"
    data = path.read_bytes()
    number, line = next(
        (number, line) for number, line in enumerate(data.splitlines(), 1) if b'"case":"extract' in line
    )
    answer = json.loads(line)["response"]
    before, after = (
        json.dumps(text, ensure_ascii=False)[1:-1].encode()
        for text in (answer, "{" + answer[1:].replace(":", ";", 1))
    )
    changed = line.replace(before, after)
    assert len(changed) == len(line)
    assert changed != line
    path.write_bytes(data.replace(line, changed, 1))
    report = verify(results)
    assert f"daily/{DAYS[1]}/raw_responses.jsonl: its hash is" in str(report.findings[0])
    grade = _of(report, "graded_results.jsonl")[0]
    assert f"(the answer is line {number} of raw_responses.jsonl)" in grade
    assert f"{MODEL} · {json.loads(line)['case']}" in grade
    assert "computed again it is" in grade


def test_a_changed_grade_is_found_and_named_with_what_it_should_be(results: Path) -> None:
    path = results / "daily" / DAYS[1] / "graded_results.jsonl"
    _lines(path, lambda lines: lines[0].update(score=0.25))
    report = verify(results)
    assert f"daily/{DAYS[1]}/graded_results.jsonl: its hash is" in str(report.findings[0])
    assert f"graded_results.jsonl, line 1 ({MODEL} · " in _of(report, "graded_results.jsonl")[1]
    assert "score is 0.25, computed again it is 1" in _of(report, "graded_results.jsonl")[1]
    assert any(
        "score is 100" in finding for finding in _of(report, "scores.jsonl")
    )  # the score no longer follows from it


def test_a_changed_reply_of_the_judge_is_found(results: Path) -> None:
    path = results / "daily" / DAYS[1] / "judge_responses.jsonl"

    def lower(lines: list[dict[str, Any]]) -> None:
        place = next(place for place, line in enumerate(lines) if line["case"].startswith("story_1"))
        lines[place]["response"] = (
            lines[place]["response"].replace('"mark": 4', '"mark": 1').replace('"mark": 5', '"mark": 1')
        )

    _lines(path, lower)
    report = verify(results)
    assert "judge_responses.jsonl: its hash is" in str(report.findings[0])
    assert "score is 1.0, computed again it is 0.0" in _of(report, "graded_results.jsonl")[0]


def test_a_changed_standing_of_the_judge_is_found(results: Path) -> None:
    path = results / "daily" / DAYS[1] / "day.json"
    path.write_text(path.read_text().replace('"shift": 0.0', '"shift": 0.1'))
    found = _of(verify(results), "day.json")
    assert "its hash is" in found[0]
    assert "(calibration): shift is 0.1, computed again it is 0.0" in found[1]


def test_a_changed_score_is_found_even_where_the_ledger_was_made_to_fit(results: Path) -> None:
    """Someone who rewrites the score, the verdicts and the whole chain after it is caught by the grades."""
    path = results / "daily" / DAYS[2] / "scores.jsonl"
    _lines(path, lambda lines: lines[0].update(score=55.0))
    (results / "daily" / "ledger.jsonl").unlink()
    from probatio.suites.daily_suite import constants_of, read_manifest
    from probatio.watch.ledger.ledger import record_day

    for day in DAYS:
        record_day(results, day, constants_of(read_manifest(results.parent / "suite")), "now")
    report = verify(results)
    assert len(report.findings) == 1
    assert f"scores.jsonl, line 1 ({MODEL} · {EXTRACTION}): score is 55.0, computed again it is 100.0" in str(
        report.findings[0]
    )


def test_a_changed_past_verdict_is_found_in_the_chain_and_by_computing_it_again(results: Path) -> None:
    path = results / "daily" / "ledger.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second.replace(b'"status":"CALIBRATING"', b'"status":"COOKED"', 1) + third)
    report = verify(results, grades=False)
    assert "ledger.jsonl, line 3" in str(report.findings[0])
    assert "line 2 was changed" in str(report.findings[0])
    assert any(
        'status is "COOKED", computed again it is "CALIBRATING"' in str(finding)
        for finding in report.findings
    )


def test_a_changed_last_verdict_which_no_later_line_vouches_for_is_found_by_computing_it_again(
    results: Path,
) -> None:
    path = results / "daily" / "ledger.jsonl"
    data = path.read_bytes()
    path.write_bytes(
        data[: data.rindex(b'"status":"CALIBRATING"')]
        + data[data.rindex(b'"status":"CALIBRATING"') :].replace(b"CALIBRATING", b"SUSPICIOUS", 1)
    )
    (found,) = verify(results, grades=False).findings
    assert f"ledger.jsonl, line 3 ({DAYS[2]} · {MODEL})" in str(found)
    assert 'is "SUSPICIOUS", computed again it is "CALIBRATING"' in str(found)


def test_a_deleted_day_is_found(results: Path) -> None:
    shutil.rmtree(results / "daily" / DAYS[0])
    assert "the day is gone" in str(verify(results).findings[0])


def test_a_re_ordered_line_is_found(results: Path) -> None:
    path = results / "daily" / "ledger.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(second + first + third)
    assert "record 1 where record 0 belongs" in str(verify(results, grades=False).findings[0])


def test_a_cut_tail_is_found_by_the_day_it_leaves_and_by_a_noted_head(results: Path) -> None:
    head = verify(results, grades=False).head
    path = results / "daily" / "ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    report = verify(results, grades=False, head=head)
    assert "cut or rewritten" in str(report.findings[0])
    assert f"daily/{DAYS[2]}: the day is closed but not in the ledger" in str(report.findings[1])


def test_an_answer_that_was_taken_out_is_found(results: Path) -> None:
    path = results / "daily" / DAYS[0] / "raw_responses.jsonl"
    _lines(path, lambda lines: lines.pop(0))
    report = verify(results)
    assert any("the grade has no answer" in finding for finding in _of(report, "graded_results.jsonl"))


def test_only_the_days_asked_for_are_graded_again(results: Path) -> None:
    path = results / "daily" / DAYS[0] / "graded_results.jsonl"
    _lines(path, lambda lines: lines[0].update(score=0.25))
    assert verify(results, dates=[DAYS[2]]).findings == []
    assert verify(results, dates=[DAYS[2]]).grades == 26


def test_graders_that_changed_are_told_by_use_case(results: Path) -> None:
    day = read_days(results)[-1]
    assert count_changed_grades(results, day) == {}
    path = results / "daily" / DAYS[2] / "graded_results.jsonl"
    _lines(
        path,
        lambda lines: [line.update(score=0.5) for line in lines if line["breakdown"]["use_case"] == SUMMARY],
    )
    assert count_changed_grades(results, day) == {SUMMARY: 10}


@pytest.mark.slow
def test_the_command_exits_with_one_on_a_difference_and_prints_the_head(
    results: Path, tmp_path: Path
) -> None:
    def command(*flags: str) -> Done:
        with Double() as double:
            return probatio("verify", "--results", results, *flags, env=environment(double), cwd=tmp_path)

    done = command()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 records, 3 days: 15 files, 78 grades, 9 scores, 3 verdicts" in done.stdout
    assert "Head of the ledger: " in done.stdout
    assert "No difference." in done.stdout
    (results / "daily" / DAYS[0] / "day.json").write_text("{}")
    done = command("--quick")
    assert done.returncode == 1
    assert f"First difference: daily/{DAYS[0]}/day.json" in done.stdout
    told = json.loads(command("--quick", "--json").stdout)
    assert told["event"] == "verified"
    assert told["findings"][0]["file"] == f"daily/{DAYS[0]}/day.json"


def test_without_a_ledger_there_is_a_sentence(tmp_path: Path) -> None:
    with Double() as double:
        done = probatio("verify", "--results", tmp_path, env=environment(double))
    assert done.returncode == 2
    assert "no day has been recorded yet" in done.stderr


def test_a_day_knows_its_suite_from_where_its_runs_are_and_names_no_folder_of_the_machine(
    results: Path,
) -> None:
    text = (results / "daily" / DAYS[0] / "day.json").read_text(encoding="utf-8")
    assert json.loads(text)["suite"] == "../suite"
    assert suite_folder(results, read_days(results)[0].record) == results / "../suite"


@pytest.mark.parametrize(
    ("suite", "place"),
    [
        ("project/suite", "../suite"),
        ("project/results/mine", "./mine"),
        ("elsewhere/suite", "{root}/elsewhere/suite"),
    ],
)
def test_a_suite_in_the_project_is_recorded_from_the_runs_and_another_in_full(
    suite: str, place: str, tmp_path: Path
) -> None:
    assert suite_place(tmp_path / suite, tmp_path / "project/results") == place.format(
        root=tmp_path.resolve()
    )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CheckedAnswers]:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "10")
    found = open_checked()
    found.share = 0.0
    yield found
    close_checked()


def _verified(results: Path, *flags: str) -> tuple[int, str]:
    done = probatio("verify", "--results", str(results), *flags)
    return done.returncode, done.output


def test_answers_checked_before_are_not_checked_again_and_the_report_says_so(
    results: Path, cache: CheckedAnswers
) -> None:
    def used(*flags: str) -> tuple[CacheUsage, str]:
        cache.usage = CacheUsage()
        code, out = _verified(results, *flags)
        assert code == 0
        return cache.usage, out

    first, _ = used()
    assert first.checked > 0
    second, out = used()
    assert second == CacheUsage(kept=first.kept + first.checked)
    assert (
        f"{second.kept} checks from the cache of checked answers, 0 made now. --fresh checks all again."
        in out
    )
    third, out = used("--fresh")
    assert third == CacheUsage(sampled=second.kept)
    assert f"({second.kept} more were checked again: no difference)" in out


def test_a_cache_that_says_otherwise_is_found_out_and_everything_is_checked(
    results: Path, cache: CheckedAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[CheckKey, bytes]] = []
    put = CheckedAnswers.put

    def noted(self: CheckedAnswers, key: CheckKey, reply: bytes) -> None:
        kept.append((key, reply))
        put(self, key, reply)

    monkeypatch.setattr(CheckedAnswers, "put", noted)
    assert _verified(results)[0] == 0
    key, reply = kept[0]
    put(
        cache, key, reply.replace(b"\xa7penalty\xcb\x00", b"\xa7penalty\xcb\x3f", 1)
    )  # a little off the score
    poisoned = cache.get(key)
    assert poisoned not in (None, reply)
    code, _ = _verified(results)
    assert code == 1, "undrawn, it would be believed, and the recorded grade is another"
    monkeypatch.setattr(cache, "draw", lambda: True)
    code, out = _verified(results)
    assert "WARNING: the cache of checked answers differs" in out
    assert "All answers are checked again." in out
    assert code == 0
    assert "No difference." in out
