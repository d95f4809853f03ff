"""A day that was recorded by mistake is withdrawn: it is kept, marked in the ledger, and counts nowhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from cli.test_suite_trust import converse
from commandline import Done, probatio
from double import Double
from probatio.core.errors import UsageError
from probatio.core.records import ModelVerdict
from probatio.runs.store.days import read_days
from probatio.watch.ledger.later import accept, take_back, withdraw
from probatio.watch.ledger.ledger import (
    ledger_path,
    read_ledger,
    read_recorded_days,
    record_day,
    standing_records,
)
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verify.verification import verify
from watch.day.test_importing import TODAY, Team
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_days

pytestmark = pytest.mark.slow  # whole days, sites or processes

USE_CASES = ["a", "b", "c"]
MADE = "2026-12-31T00:00:00.000Z"
BAD, LAST = 20, 22


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model at 90 that was asked wrongly on one day: 40. Two days later it still is SUSPICIOUS or more."""
    results = tmp_path_factory.mktemp("recorded")
    days = steady(BAD, ["m"], USE_CASES)
    days.append(made_up_day(BAD, {"m": dict.fromkeys(USE_CASES, 40.0)}))
    days += [made_up_day(number, {"m": dict.fromkeys(USE_CASES, 90.0)}) for number in (BAD + 1, LAST)]
    write_days(results, days)
    for day in days:
        record_day(results, day.date, CONSTANTS, MADE)
    return results


@pytest.fixture
def mistaken(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _withdraw(results: Path, *words: str, day: int = BAD, why: str = "the wrong prompt") -> Done:
    return probatio(
        "daily", "withdraw", day_at(day), "--by", "anna", "--why", why, "--results", results, *words
    )


def _never(results: Path) -> dict[str, list[ModelVerdict]]:
    """The verdicts had the day not been asked."""
    days = Days(each for each in read_days(results) if each.date != day_at(BAD))
    made: dict[str, list[ModelVerdict]] = {}
    for verdict in verdicts(days, CONSTANTS):
        made.setdefault(verdict.date, []).append(verdict)
    return made


def _files(results: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in (results / "daily" / day_at(BAD)).iterdir()}


def test_a_withdrawn_day_is_kept_and_counts_as_if_it_had_not_been_asked(mistaken: Path) -> None:
    before, files = ledger_path(mistaken).read_bytes(), _files(mistaken)
    done = _withdraw(mistaken, "--yes")
    assert done.returncode == 0, done.output
    assert ledger_path(mistaken).read_bytes().startswith(before) and _files(mistaken) == files
    never = _never(mistaken)
    standing = standing_records(read_ledger(mistaken))
    assert {date: list(record.verdicts) for date, record in standing.items()} == never
    assert read_recorded_days(mistaken).dates == list(never)
    report = verify(mistaken, grades=False)
    assert report.findings == []
    assert any(f"{day_at(BAD)} was withdrawn on" in each and "wrong prompt" in each for each in report.notes)


def test_it_is_shown_and_without_a_keyboard_nothing_is_recorded(mistaken: Path) -> None:
    before = ledger_path(mistaken).read_bytes()
    done = _withdraw(mistaken)
    assert done.returncode == 2 and ledger_path(mistaken).read_bytes() == before
    assert f"{day_at(BAD)}, recorded on 2026-12-31: m COOKED, not proven." in done.stdout
    assert "also of the 2 days after it" in done.stdout and "the wrong prompt" in done.stdout
    (again,) = re.findall("To go on: probatio (.*)", done.stderr)
    pasted = probatio(*shlex.split(again))
    assert pasted.returncode == 0 and f"{day_at(BAD)} is withdrawn." in pasted.stdout, pasted.output


def test_at_a_keyboard_it_asks(mistaken: Path) -> None:
    before = ledger_path(mistaken).read_bytes()
    words = ["daily", "withdraw", day_at(BAD), "--why", "x", "--results", str(mistaken)]
    code, said = converse(words, "n\n", mistaken)
    assert (code, ledger_path(mistaken).read_bytes()) == (3, before) and "Withdraw 2026" in said, said


def test_the_same_for_a_script(mistaken: Path) -> None:
    told = json.loads(_withdraw(mistaken, "--yes", "--json").stdout)
    assert (told["event"], told["date"], told["by"]) == ("withdrawn", day_at(BAD), "anna")
    assert (told["why"], told["record"], told["corrected"]) == ("the wrong prompt", LAST + 1, 2)


def test_what_can_t_be_withdrawn_is_said(mistaken: Path) -> None:
    unknown = _withdraw(mistaken, "--yes", day=LAST + 5)
    assert unknown.returncode == 2 and "only a recorded day" in unknown.stderr
    empty = _withdraw(mistaken, "--yes", why=" ")
    assert empty.returncode == 2 and "must not be empty" in empty.stderr
    assert _withdraw(mistaken, "--yes").returncode == 0
    twice = _withdraw(mistaken, "--yes")
    assert twice.returncode == 2 and "withdrawn already" in twice.stderr


def test_the_verdict_of_a_withdrawn_day_says_why_there_is_none(mistaken: Path) -> None:
    _withdraw(mistaken, "--yes")
    done = probatio("verdict", "--results", mistaken, "--date", day_at(BAD))
    assert done.returncode == 2 and "by anna: the wrong prompt. It has no verdict." in done.stderr


def test_a_withdrawn_day_that_is_deleted_or_changed_is_found(mistaken: Path) -> None:
    withdraw(mistaken, day_at(BAD), "anna", "x", MADE)
    folder = mistaken / "daily" / day_at(BAD)
    (folder / "scores.jsonl").write_bytes((folder / "scores.jsonl").read_bytes() + b"\n")
    assert any("was changed since" in str(each) for each in verify(mistaken, grades=False).findings)
    shutil.rmtree(folder)
    assert any("the day is gone" in str(each) for each in verify(mistaken, grades=False).findings)


def test_a_withdrawal_that_is_taken_out_or_written_over_is_named(mistaken: Path) -> None:
    withdraw(mistaken, day_at(BAD), "anna", "x", MADE)
    path = ledger_path(mistaken)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"kind":"withdrawal"' not in line))
    assert verify(mistaken, grades=False).findings  # later verdicts do not follow without it
    path.write_text("".join([*lines, lines[BAD]]))
    assert any("it stays withdrawn" in str(each) for each in verify(mistaken, grades=False).findings)


def test_a_withdrawn_day_is_not_recorded_again(mistaken: Path) -> None:
    withdraw(mistaken, day_at(BAD), "anna", "x", MADE)
    with pytest.raises(UsageError, match="stays withdrawn"):
        record_day(mistaken, day_at(BAD), CONSTANTS, MADE)


def test_an_acceptance_that_began_on_it_begins_on_the_next_day_and_can_be_taken_back(mistaken: Path) -> None:
    accept(mistaken, "m", "anna", "x", MADE)
    withdraw(mistaken, day_at(LAST), "anna", "x", MADE)
    assert verify(mistaken, grades=False).findings == []
    take_back(mistaken, "m", "anna", "", MADE)
    assert verify(mistaken, grades=False).findings == []


def test_pages_say_that_a_day_was_withdrawn_and_why(mistaken: Path, tmp_path: Path) -> None:
    _withdraw(mistaken, "--yes")
    out = tmp_path / "site"
    built = probatio("site", "build", "--results", mistaken, "--out", out)
    assert built.returncode == 0, built.output
    for page in ("index.html", "models/m/index.html", "models/m/days/index.html"):
        assert "by anna: the wrong prompt. No verdict" in (out / page).read_text(), page
    assert not (out / "models/m" / day_at(BAD)).exists()
    board = json.loads((out / "api/leaderboard.json").read_text())
    assert list(board["withdrawn"]) == [day_at(BAD)]


def test_days_asked_before_a_withdrawal_still_verify_and_the_day_is_not_asked_again(tmp_path: Path) -> None:
    team = Team(tmp_path)
    with Double(reply=lambda body: team.gold[team.prompts[body["messages"][0]["content"]]]) as double:
        one = {"id": "one", "name": "one", "base_url": double.base_url}
        team.config.write_text(yaml.safe_dump({"models": [one]}))
        past = [{**line, "provider": "DoubleCo"} for line in team.lines(7)]
        mistake = past[-1]["date"]
        team.take([{**each, "answer": "nothing"} if each["date"] == mistake else each for each in past])
        assert probatio("daily", *team.given, "--model", "one").returncode == 0
        (score,) = team.scores(TODAY.isoformat())
        words = ("daily", "withdraw", mistake, "--why", "x", "--by", "anna", "--yes")
        assert probatio(*words, "--results", team.results).returncode == 0
        verified = probatio("verify", "--results", team.results)
        assert verified.returncode == 0, verified.output
        words = ("daily", "withdraw", TODAY.isoformat(), "--why", "x", "--by", "anna", "--yes")
        assert probatio(*words, "--results", team.results).returncode == 0
        double.bodies.clear()
        again = probatio("daily", *team.given, "--model", "one")
        assert again.returncode == 2 and "A withdrawn day is not asked again" in again.stderr, again.output
        assert not double.bodies
    assert score.trigger == "flagged yesterday"  # it would not be without the mistake
