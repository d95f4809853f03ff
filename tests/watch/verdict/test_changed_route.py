"""CHANGED ROUTE: a note beside the state of a model that another provider serves since lately."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from probatio.core.records import Acceptance, Day, ModelVerdict
from probatio.watch.ledger.ledger import record_day
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, write_days

USE_CASES = ["a", "b", "c"]
MOVED = 30
MADE = "2026-12-31T00:00:00.000Z"


def _on(route: str, first: int, count: int, score: float, usual: str = "Host") -> list[Day]:
    more = {"route": route, "providers": {route: 5}, "routing_changed": route != usual}
    return [
        made_up_day(first + n, {"m": dict.fromkeys(USE_CASES, score)}, more, replayed=True)
        for n in range(count)
    ]


def _moved(count: int, score: float) -> list[Day]:
    """Thirty days at 90 points, then so many served by B."""
    return [
        *_on("Host", 0, MOVED, 90.0),
        *_on("B", MOVED, 3, score),
        *_on("B", MOVED + 3, count - 3, score, "B"),
    ]


def _last(days: list[Day], *accepted: Acceptance) -> ModelVerdict:
    return verdicts(Days(days, accepted), CONSTANTS, dates={days[-1].date})[-1]


def test_the_note_is_the_first_three_days_of_the_new_route_against_the_former() -> None:
    assert _last(_on("Host", 0, MOVED, 90.0)).changed_route is None
    verdict = _last(_moved(3, 82.0))
    change = verdict.changed_route
    assert change is not None
    assert (change.since, change.was, change.now) == (day_at(MOVED), "Host", "B")
    assert (change.before, change.after, change.level) == (90.0, 82.0, "COOKED")  # z −4 of three use cases
    assert (verdict.shown, verdict.label) == ("CALIBRATING", "CHANGED ROUTE −8")
    assert "CHANGED ROUTE −8: since 2026-01-31 it is served by B, before by Host" in verdict.reason


def test_the_state_stays_as_it_is_and_the_note_stands_for_four_weeks() -> None:
    first, last, after = (_last(_moved(count, 82.0)) for count in (8, 28, 29))
    assert (first.shown, first.label) == ("OK", "CHANGED ROUTE −8")
    assert last.label == "CHANGED ROUTE −8"
    assert (after.label, after.changed_route) == ("OK", None)


@pytest.mark.parametrize(
    ("score", "note", "level"),
    [
        (90.0, "±0", "OK"),
        (94.0, "+4", "OK"),
        (87.0, "−3", "OK"),
        (85.0, "−5", "SUSPICIOUS"),
        (60.0, "−30", "COOKED"),
    ],
)
def test_the_level_is_what_the_rule_says_of_so_large_a_difference(
    score: float, note: str, level: str
) -> None:
    change = _last(_moved(4, score)).changed_route
    assert change is not None and (change.note, change.level) == (f"CHANGED ROUTE {note}", level)


def test_a_second_change_is_measured_against_the_last_route_with_enough_days() -> None:
    days = [*_moved(3, 70.0), *_on("C", MOVED + 3, 3, 70.0, "B")]
    change = _last(days).changed_route
    assert change is not None and (change.was, change.now, change.note) == ("Host", "C", "CHANGED ROUTE −20")


def test_days_of_a_third_route_between_are_not_counted() -> None:
    days = [*_on("Host", 0, MOVED, 90.0), *_on("C", MOVED, 1, 10.0), *_on("B", MOVED + 1, 3, 86.0)]
    change = _last(days).changed_route
    assert change is not None and (change.since, change.note) == (day_at(MOVED + 1), "CHANGED ROUTE −4")


def test_a_model_without_a_usual_level_has_no_note() -> None:
    days = [*_on("Host", 0, 4, 90.0), *_on("B", 4, 3, 50.0)]
    assert _last(days).changed_route is None


def test_who_accepts_the_level_ends_the_note() -> None:
    given = Acceptance(model="m", begins=day_at(MOVED + 7), by="anna", why="x", made=MADE)
    assert _last(_moved(8, 60.0), given).changed_route is None


def test_a_stale_model_has_no_note(tmp_path: Path) -> None:
    write_days(tmp_path, _moved(8, 82.0))
    done = probatio("verdict", "--results", tmp_path, "--as-of", day_at(60), "--json")
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert (verdict["headline"], verdict["changed_route"]) == ("STALE", None)


def _verdict(results: Path, *words: str) -> Done:
    return probatio("verdict", "--results", results, *words)


def test_a_change_beyond_the_limits_fails_the_gate_with_the_reason(tmp_path: Path) -> None:
    write_days(tmp_path, _moved(8, 82.0))
    done = _verdict(tmp_path, "--fail-on", "cooked")
    assert done.returncode == 1
    assert "Gate: m: CHANGED ROUTE −8: since" in done.stdout and "limits for COOKED." in done.stdout
    assert _verdict(tmp_path, "--fail-on", "suspicious").returncode == 1
    assert _verdict(tmp_path, "--fail-on", "confirmed").returncode == 0
    told = json.loads(_verdict(tmp_path, "--fail-on", "cooked", "--json").stdout)
    assert told["gate"]["failed"] == ["m"] and "limits for COOKED" in told["gate"]["changed_route"]["m"]


def test_a_smaller_change_fails_the_gate_of_its_level_only(tmp_path: Path) -> None:
    write_days(tmp_path, _moved(8, 85.0))
    assert _verdict(tmp_path, "--fail-on", "cooked").returncode == 0
    assert _verdict(tmp_path, "--fail-on", "suspicious").returncode == 1


@pytest.mark.slow
def test_the_note_stands_on_every_surface(tmp_path: Path) -> None:
    results, out = tmp_path / "results", tmp_path / "site"
    for day in write_days(results, days := _moved(8, 82.0)).days:
        record_day(results, day.date, CONSTANTS, MADE)
    assert days
    note = "CHANGED ROUTE −8"
    text = _verdict(results).stdout
    assert note in text and "1 OK (1 with CHANGED ROUTE)" in text
    assert note in _verdict(results, "--explain", "m").stdout
    (verdict,) = json.loads(_verdict(results, "--json").stdout)["verdicts"]
    assert (verdict["headline"], verdict["changed_route"]["after"]) == ("OK", 82.0)
    built = probatio(
        "site", "build", "--results", results, "--out", out, "--base-url", "https://example.org/"
    )
    assert built.returncode == 0, built.output
    places = ["index.html", "models/m/index.html", "models/m/days/index.html", "embed/index.html"]
    places += ["badges/m.svg", "badges/m.json", "feed.atom", "api/leaderboard.json"]
    for place in places:
        assert note in (out / place).read_text(), place
    assert (
        "Is m worse? It looks so by its new route, since 31 Jan; not proven."
        in (out / "index.html").read_text()
    )
    series = json.loads((out / "api/models/m.json").read_text())
    assert series["last"]["changed_route"]["before"] == 90.0
    assert probatio("verify", "--quick", "--results", results).returncode == 0
