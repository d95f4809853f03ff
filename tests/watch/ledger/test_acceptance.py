"""Accepting a new level: a record that names who and why, a new reference, and a chain that `verify`
follows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from statistics import fmean

import pytest
import yaml
from msgspec.structs import replace

from cli.test_suite_trust import converse
from commandline import Done, probatio
from double import Double
from probatio.core.errors import UsageError
from probatio.core.records import ModelVerdict
from probatio.runs.store.days import read_days
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.alerts.episodes import find_due
from probatio.watch.ledger.later import accept, judge_again, take_back
from probatio.watch.ledger.ledger import (
    find_acceptances,
    ledger_path,
    read_ledger,
    read_recorded_days,
    record_day,
    standing_records,
)
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verify.verification import verify
from watch.alerts.test_episodes import EVERYTHING
from watch.day.test_importing import TODAY, Team
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
        "m", "--why", "on purpose", "--by", "anna", "--yes"
    )
    when = ("--as-of", day_at(LAST))
    gate = probatio("verdict", "--results", str(fallen), "--fail-on", "suspicious", *when)
    assert gate.returncode == 0, gate.output


def _accept(results: Path, *words: str) -> Done:
    return probatio("verdict", "accept", "m", "--by", "anna", "--results", results, *words)


def test_the_level_before_is_that_of_the_reference_as_on_every_surface(tmp_path: Path) -> None:
    """The two weeks before the fall were better than the reference, which they never entered."""
    days = steady(FALL, ["m"], USE_CASES)
    for number in range(FALL, LAST + 14):
        score = 94.0 if number < FALL + 14 else 70.0
        days.append(made_up_day(number, {"m": dict.fromkeys(USE_CASES, score)}))
    write_days(tmp_path, days)
    for day in days:
        record_day(tmp_path, day.date, CONSTANTS, MADE)
    (verdict,) = standing_records(read_ledger(tmp_path))[days[-1].date].verdicts
    level = VerdictDescriber(tmp_path).find_level(verdict)
    assert level.reference
    usual = fmean(level.scores.values())
    assert (
        f"Usual level, of its reference: {usual:.1f} points. Now: 70.0"
        in _accept(tmp_path, "--why", "x").stdout
    )
    assert abs(usual - 94) > 1, "or the test tells nothing"


def test_what_is_accepted_is_shown_and_without_a_keyboard_nothing_is_recorded(fallen: Path) -> None:
    before = ledger_path(fallen).read_bytes()
    done = _accept(fallen, "--why", "we moved, on purpose")
    assert done.returncode == 2 and ledger_path(fallen).read_bytes() == before
    now = _verdict(fallen, LAST)
    assert f"m: COOKED, confirmed since {now.headline_since}, the verdict of {day_at(LAST)}" in done.stdout
    assert "Today it is STALE: its last answers are of" in done.stdout
    assert now.reference_days == CONSTANTS.evidence.reference_days
    assert "Usual level, of its reference: 90.0 points. Now: 70.0 points." in done.stdout
    (again,) = re.findall("To go on: probatio (.*)", done.stderr)
    pasted = probatio(*shlex.split(again))
    assert pasted.returncode == 0, pasted.output
    assert "by anna: we moved, on purpose" in pasted.stdout


@pytest.mark.parametrize("typed", ["y\n", "n\n"])
def test_at_a_keyboard_it_asks_before_it_records(fallen: Path, typed: str) -> None:
    before = ledger_path(fallen).read_bytes()
    words = ["verdict", "accept", "m", "--why", "x", "--results", str(fallen)]
    code, said = converse(words, typed, fallen)
    assert "Accept this level of m?" in said and code == (0 if typed == "y\n" else 3), said
    assert (ledger_path(fallen).read_bytes() == before) is (typed == "n\n")


def test_what_was_not_shown_is_not_accepted(fallen: Path) -> None:
    words = ["verdict", "accept", "m", "--why", "x", "--results", str(fallen)]
    code, said = converse(words, "y\n", fallen, lambda: _next_day(fallen, LAST + 1, 70.0))
    assert code == 2 and "changed since it was shown" in " ".join(said.split()), said
    assert find_acceptances(read_ledger(fallen)) == ()


def test_an_acceptance_that_is_taken_back_leaves_the_verdicts_as_they_were(fallen: Path) -> None:
    assert _accept(fallen, "--why", "on purpose", "--yes").returncode == 0
    assert _verdict(fallen, LAST).headline == "CALIBRATING"
    for number in range(LAST + 1, LAST + 3):
        _next_day(fallen, number, 70.0)
    lines = ledger_path(fallen).read_bytes()
    done = _accept(fallen, "--undo")
    assert done.returncode == 2 and ledger_path(fallen).read_bytes() == lines
    assert f"m: CALIBRATING since {day_at(LAST)}" in done.stdout
    assert f"Accepted as it is from {day_at(LAST)} on, by anna: on purpose" in done.stdout
    assert "Before that: COOKED, confirmed since" in done.stdout and "90.0 points. Now: 70.0" in done.stdout
    (again,) = re.findall("To go on: probatio (.*)", done.stderr)
    done = probatio(*shlex.split(again))
    assert done.returncode == 0 and "3 verdicts corrected" in done.stdout, done.output
    assert ledger_path(fallen).read_bytes().startswith(lines)
    assert find_acceptances(read_ledger(fallen)) == ()
    never = verdicts(Days(read_days(fallen)), CONSTANTS, dates={day_at(LAST + n) for n in range(3)})
    for number in range(3):
        theirs = [each for each in never if each.date == day_at(LAST + number)]
        assert list(standing_records(read_ledger(fallen))[day_at(LAST + number)].verdicts) == theirs
    assert _verdict(fallen, LAST + 2).label == "COOKED, confirmed"
    report = verify(fallen, grades=False)
    assert report.findings == []
    assert "by anna: on purpose; taken back by anna on 20" in report.notes[0]
    nothing = _accept(fallen, "--undo", "--yes")
    assert nothing.returncode == 2 and "nothing to take back" in nothing.stderr


def test_the_last_acceptance_is_taken_back_first(fallen: Path) -> None:
    accept(fallen, "m", "anna", "one", MADE)
    _next_day(fallen, LAST + 1, 70.0)
    accept(fallen, "m", "anna", "two", MADE)
    for left in (["one"], []):
        take_back(fallen, "m", "bob", "", MADE)
        assert [each.why for each in find_acceptances(read_ledger(fallen))] == left
        assert verify(fallen, grades=False).findings == []


def test_a_day_asked_under_an_acceptance_still_verifies_when_that_is_taken_back(
    tmp_path: Path,
) -> None:
    team = Team(tmp_path)
    with Double(reply=lambda body: team.gold[team.prompts[body["messages"][0]["content"]]]) as double:
        one = {"id": "one", "name": "one", "base_url": double.base_url}
        team.config.write_text(yaml.safe_dump({"models": [one]}))
        team.take([{**line, "provider": "DoubleCo"} for line in team.lines(6)])
        words = ("verdict", "accept", "one", "--yes", "--results", team.results)
        assert probatio(*words, "--why", "x").returncode == 0
        assert probatio("daily", *team.given, "--model", "one").returncode == 0
    (score,) = team.scores(TODAY.isoformat())
    assert score.trigger == "calibrating"  # it would not be, were the days before it known
    assert probatio(*words, "--undo").returncode == 0
    verified = probatio("verify", "--results", team.results)
    assert verified.returncode == 0, verified.output


def test_a_taking_back_that_is_taken_out_or_points_elsewhere_is_named(fallen: Path) -> None:
    accept(fallen, "m", "anna", "on purpose", MADE)
    take_back(fallen, "m", "anna", "a mistake", MADE)
    path = ledger_path(fallen)
    whole = path.read_text()
    kept = [line for line in whole.splitlines(keepends=True) if '"kind":"withdrawal"' not in line]
    path.write_text("".join(kept))
    assert any("status is" in str(each) for each in verify(fallen, grades=False).findings)
    given = next(str(number) for number, line in enumerate(kept) if '"kind":"acceptance"' in line)
    path.write_text(whole.replace(f'"withdrawal","corrects":{given}', '"withdrawal","corrects":3'))
    assert any("takes back record 3" in str(each) for each in verify(fallen, grades=False).findings)


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
