"""Accepting a new level: a record that names who and why, a new reference, and a chain that `verify`
follows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from commandline import probatio
from probatio.core.errors import UsageError
from probatio.core.records import ModelVerdict
from probatio.watch.alerts.episodes import find_due
from probatio.watch.ledger.later import accept, judge_again
from probatio.watch.ledger.ledger import (
    find_acceptances,
    ledger_path,
    read_ledger,
    read_recorded_days,
    record_day,
    standing_records,
)
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verify.verification import verify
from watch.alerts.test_episodes import EVERYTHING
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_day, write_days

pytestmark = pytest.mark.slow  # whole days, sites or processes

USE_CASES = ["a", "b", "c"]
MADE = "2026-12-31T00:00:00.000Z"
FALL, LAST = 30, 40


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models; one fell from 90 to 70 after 30 days, and is CONFIRMED ten days later."""
    results = tmp_path_factory.mktemp("recorded")
    days = steady(FALL, ["m", "n"], USE_CASES)
    low = {"m": dict.fromkeys(USE_CASES, 70.0), "n": dict.fromkeys(USE_CASES, 90.0)}
    days += [made_up_day(number, low) for number in range(FALL, LAST + 1)]
    write_days(results, days)
    for day in days:
        record_day(results, day.date, CONSTANTS, MADE)
    return results


@pytest.fixture
def fallen(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _verdict(results: Path, number: int, model: str = "m") -> ModelVerdict:
    (found,) = (
        each
        for each in standing_records(read_ledger(results))[day_at(number)].verdicts
        if each.model == model
    )
    return found


def _next_day(results: Path, number: int, score: float) -> None:
    scores = {"m": dict.fromkeys(USE_CASES, score), "n": dict.fromkeys(USE_CASES, 90.0)}
    write_day(results, made_up_day(number, scores))
    record_day(results, day_at(number), CONSTANTS, MADE)


def test_an_acceptance_ends_the_alarm_and_begins_a_new_reference(fallen: Path) -> None:
    assert _verdict(fallen, LAST).label == "COOKED, confirmed"
    record, *corrections = accept(fallen, "m", "anna", "the smaller model is what we want", MADE)
    assert (record.kind, record.files, record.verdicts) == ("acceptance", {}, ())
    assert [(each.date, each.kind, each.why) for each in corrections] == [
        (day_at(LAST), "correction", "accepted by anna")
    ]
    now = _verdict(fallen, LAST)
    assert (now.headline, now.confirmed, now.evidence, now.reference_days) == (
        "CALIBRATING",
        False,
        "CALIBRATING",
        1,
    )
    assert now.series_since == day_at(LAST)
    assert "anna accepted the new level: the smaller model is what we want" in now.reason
    assert _verdict(fallen, LAST - 1).label == "COOKED, confirmed"  # what was published before stays
    assert _verdict(fallen, LAST, "n").headline == "OK"  # and so does the other model
    for number in range(LAST + 1, LAST + 7):
        _next_day(fallen, number, 70.0)
    assert _verdict(fallen, LAST + 6).headline == "OK"
    _next_day(fallen, LAST + 7, 35.0)
    assert _verdict(fallen, LAST + 7).headline == "COOKED"  # against the level that was accepted


def test_verify_follows_an_acceptance_and_tells_of_it(fallen: Path) -> None:
    accept(fallen, "m", "anna", "on purpose", MADE)
    _next_day(fallen, LAST + 1, 70.0)
    report = verify(fallen, grades=False)
    assert report.findings == []
    assert report.notes == [f"m was accepted as it is from {day_at(LAST)} on, by anna: on purpose"]


def test_an_acceptance_that_is_taken_out_or_changed_is_named(fallen: Path) -> None:
    accept(fallen, "m", "anna", "on purpose", MADE)
    path = ledger_path(fallen)
    whole = path.read_text()
    path.write_text(whole.replace("on purpose", "by mistake"))
    assert any("was changed after this record" in str(each) for each in verify(fallen, grades=False).findings)
    path.write_text(
        "".join(line for line in whole.splitlines(keepends=True) if '"kind":"acceptance"' not in line)
    )
    named = [str(each) for each in verify(fallen, grades=False).findings]
    assert any("status is" in each for each in named)  # the verdicts do not follow without it


def test_the_verdict_is_a_pure_function_of_days_and_acceptances(fallen: Path) -> None:
    accept(fallen, "m", "anna", "on purpose", MADE)
    days = read_recorded_days(fallen)
    assert [each.by for each in find_acceptances(read_ledger(fallen))] == ["anna"]
    made = verdicts(days, CONSTANTS, dates={day_at(LAST)}, models=["m"])
    assert made == [_verdict(fallen, LAST)]


def test_an_acceptance_ends_an_alert_and_names_who_and_why(fallen: Path) -> None:
    states, (alarm,) = find_due(EVERYTHING, {}, [_verdict(fallen, LAST)], {})
    accept(fallen, "m", "anna", "on purpose", MADE)
    states, (end,) = find_due(EVERYTHING, states, [_verdict(fallen, LAST)], {})
    assert alarm.title == "m: COOKED, confirmed"
    assert end.title == f"m: COOKED, confirmed since {day_at(LAST)}, accepted by anna: on purpose"
    assert find_due(EVERYTHING, states, [_verdict(fallen, LAST)], {})[1] == []


def test_the_command_needs_a_model_and_a_reason(fallen: Path) -> None:
    def run(*words: str) -> str:
        return probatio("verdict", "accept", *words, "--results", fallen).output

    assert "There is no model `k`" in run("k", "--why", "x")
    assert "must not be empty" in run("m", "--why", "  ")
    assert "--why" in run("m")
    assert "stands for 2 models" in run("*", "--why", "x")
    assert f"m is accepted as it is from {day_at(LAST)} on, by anna: on purpose" in run(
        "m", "--why", "on purpose", "--by", "anna"
    )
    when = ("--as-of", day_at(LAST))
    gate = probatio("verdict", "--results", str(fallen), "--fail-on", "suspicious", *when)
    assert gate.returncode == 0, gate.output


def test_a_model_without_a_verdict_can_t_be_accepted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to accept"):
        accept(tmp_path, "m", "anna", "why", MADE)


def _older_code(monkeypatch: pytest.MonkeyPatch, results: Path) -> None:
    """The last day recorded as code of before had it: by another reason."""
    made = verdicts
    with monkeypatch.context() as older:
        older.setattr(
            "probatio.watch.ledger.ledger.verdicts",
            lambda *given, **more: [replace(each, cause_reason="as it was") for each in made(*given, **more)],
        )
        older.setattr("probatio.watch.ledger.ledger.code_version", lambda: "0.0.1+older")
        _next_day(results, LAST + 1, 70.0)


def test_after_an_upgrade_verdicts_are_corrected_with_a_reason_and_nothing_is_rewritten(
    fallen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _older_code(monkeypatch, fallen)
    before = ledger_path(fallen).read_bytes()
    words = ["verify", "--quick", "--results", str(fallen)]
    first = probatio(*words)
    assert first.returncode == 1
    assert "recorded by 0.0.1+older" in first.output
    done = probatio(*words, "--correct", "causes are named otherwise")
    assert "Corrected: the verdicts of 1 day." in done.output
    assert "recorded by" not in done.output
    assert ledger_path(fallen).read_bytes().startswith(before)
    last = read_ledger(fallen)[-1].record()
    assert (last.kind, last.why, last.date) == ("correction", "causes are named otherwise", day_at(LAST + 1))
    again = probatio(*words, "--correct", "once more")
    assert "Corrected: the verdicts of 0 days." in again.output


def test_a_day_whose_files_were_changed_is_not_corrected(
    fallen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _older_code(monkeypatch, fallen)
    write_day(
        fallen,
        made_up_day(LAST + 1, {"m": dict.fromkeys(USE_CASES, 95.0), "n": dict.fromkeys(USE_CASES, 90.0)}),
    )
    assert judge_again(fallen, MADE, "x") == []


@pytest.mark.parametrize("words", [["--correct", " "], ["--correct", "x", "--date", "2026-01-05"]])
def test_a_correction_says_why_and_is_of_all_days(fallen: Path, words: list[str]) -> None:
    done = probatio("verify", "--results", fallen, *words)
    assert done.returncode == 2 and "--correct" in done.stderr


def test_nothing_is_corrected_in_a_broken_chain(fallen: Path) -> None:
    path = ledger_path(fallen)
    path.write_bytes(path.read_bytes().replace(b'"seq":3,', b'"seq":4,', 1))
    with pytest.raises(UsageError, match="chain does not hold"):
        judge_again(fallen, MADE, "x")
