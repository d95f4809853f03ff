"""A clock that was once ahead: its day waits for its date and stands in nobody's way until then."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from commandline import probatio
from probatio.core.clock import now_text
from probatio.core.errors import UsageError
from probatio.core.records import Model
from probatio.learn.items.of_days import measure_days
from probatio.runs.store.days import days_ahead
from probatio.runs.store.layout import ALERTS
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.delivery import alert
from probatio.watch.alerts.episodes import AlertMessage, AlertRule
from probatio.watch.day.first_day import find_new_models
from probatio.watch.ledger.later import accept
from probatio.watch.ledger.ledger import record_day
from probatio.watch.verify.verification import verify
from watch.verdict.made_up import CONSTANTS, FIRST, day_at, made_up_day, steady, write_day, write_days

AHEAD = (date(2999, 1, 1) - FIRST).days


def run_day(results: Path, number: int, score: float) -> None:
    day = made_up_day(number, {"a": dict.fromkeys("uv", score), "b": dict.fromkeys("uv", 90.0)})
    write_day(results, day)
    record_day(results, day.date, CONSTANTS, now_text())


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Eight steady days, then one of the year 2999, and after it a bad one under its right date."""
    write_days(tmp_path, steady(8, ["a", "b"], ["u", "v"]))
    record_day(tmp_path, day_at(7), CONSTANTS, now_text())
    run_day(tmp_path, AHEAD, 90.0)
    run_day(tmp_path, 8, 30.0)
    return tmp_path


def test_the_verdict_is_that_of_the_last_day_that_has_come_and_says_what_is_left_out(results: Path) -> None:
    told = probatio("verdict", "--results", str(results), "--json")
    assert json.loads(told.stdout)["date"] == day_at(8)
    assert "2999-01-01 lies in the future" in told.stderr
    assert "left out until then" in told.stderr
    named = probatio("verdict", "--results", str(results), "--json", "--date", "2999-01-01")
    assert json.loads(named.stdout)["date"] == "2999-01-01"  # who names it, gets it


def test_alerts_go_on_even_where_a_channel_has_heard_of_the_future(results: Path) -> None:
    channel = Channel("team", "json://127.0.0.1:1", AlertRule(severities=("suspicious",)), None)
    state = {"channels": {"team": {"day": "2999-01-01", "standings": {}, "pending": []}}}
    (results / "daily" / ALERTS).write_text(json.dumps(state))
    sent: list[AlertMessage] = []
    alert(results, [channel], {}, lambda sentence: None, shown=lambda _, message: sent.append(message))
    assert [message.title for message in sent] == ["a: COOKED"]
    assert json.loads((results / "daily" / ALERTS).read_bytes())["channels"]["team"]["day"] == day_at(8)


def test_the_site_shows_the_last_day_that_has_come(results: Path) -> None:
    pytest.importorskip("jinja2")
    from probatio.site.snapshot import load_site

    site = load_site(results)
    assert list(site.records)[-1] == day_at(8)
    assert {model.verdicts[-1].date for model in site.tracked.values()} == {day_at(8)}


def test_what_is_accepted_is_the_level_of_the_last_day_that_has_come(results: Path) -> None:
    assert accept(results, "a", "me", "smaller on purpose", now_text())[0].date == day_at(8)


def test_items_and_new_models_look_at_the_days_that_have_come(results: Path) -> None:
    with pytest.raises(UsageError, match=f"to {day_at(8)} under"):  # made-up days have no grades to measure
        measure_days(results)
    write_day(results, made_up_day(AHEAD + 1, {"c": dict.fromkeys("uv", 90.0)}))
    asked = [Model(id=name, name=name) for name in ("a", "c")]
    assert [model.id for model in find_new_models(results, day_at(9), asked)] == ["c"]


def test_verify_notes_it_and_finds_no_fault(results: Path) -> None:
    report = verify(results, grades=False)
    assert any("2999-01-01 lies in the future" in note for note in report.notes)


def test_a_rehearsal_may_have_any_dates(results: Path) -> None:
    record = results / "daily" / "2999-01-01" / "day.json"
    stored = json.loads(record.read_bytes())
    assert days_ahead(results, day_at(9)) == ("2999-01-01",)
    record.write_text(json.dumps({**stored, "simulated": True}))
    assert days_ahead(results, day_at(9)) == ()
