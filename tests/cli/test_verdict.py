"""`probatio verdict` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from probatio.core.records import Day
from watch.verdict.made_up import day_at, line, made_up_day, steady, write_days

USE_CASES = ["a", "b", "c", "j1"]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty steady days of three models, then one of them collapses and another is suspicious."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    usual = dict.fromkeys(USE_CASES, 90.0)
    last = {"fine": usual, "odd": {**usual, "a": 86.0}, "bad": {**usual, "a": 20.0, "b": 20.0}}
    write_days(tmp_path, [*steady(20, list(last), USE_CASES), made_up_day(20, last)])
    return tmp_path


def _verdict(results: Path, *flags: str) -> Done:
    """As of the last day, unless the flags say otherwise."""
    last = max((path.name for path in results.glob("daily/????-??-??")), default="")
    moment = ["--as-of", last] if last and "--as-of" not in flags else []
    return probatio("verdict", "--results", str(results), *moment, *flags, cwd=results)


def test_the_table_names_every_model_worst_first_in_plain_words(results: Path) -> None:
    done = _verdict(results)
    assert done.returncode == 0
    places = [done.output.index(word) for word in ("✖ COOKED", "▲ SUSPICIOUS", "● OK")]
    assert places == sorted(places)
    words = " ".join(done.output.split())
    assert (
        "bad answers worse since 2026-01-21 in a (20 points, 90 on the days before) and b (20 points, 90 on "
        "the days before)." in words
    )
    assert "This is what the published rule says, and not proven yet" in words
    assert "Next: wait: it is confirmed" in words
    assert "• a, a_0: 90 % before, 20 % now" in words
    assert "−78%" in words
    assert f"{day_at(20)}, suite" in done.output


def test_an_earlier_day_is_judged_from_the_days_up_to_it(results: Path) -> None:
    event = json.loads(_verdict(results, "--date", day_at(19), "--json").stdout)
    assert {each["status"] for each in event["verdicts"]} == {"OK"}
    assert event["date"] == day_at(19)


@pytest.mark.parametrize(
    ("flags", "code", "failed"),
    [
        (["--fail-on", "cooked"], 1, ["bad"]),
        (["--fail-on", "suspicious"], 1, ["odd", "bad"]),
        (["--fail-on", "cooked", "--model", "odd"], 0, []),
        (["--fail-on", "suspicious", "--model", "fine"], 0, []),
        (["--fail-on", "suspicious", "--date", "2026-01-20"], 0, []),
    ],
)
def test_the_gate_fails_at_the_status_named(
    results: Path, flags: list[str], code: int, failed: list[str]
) -> None:
    done = _verdict(results, *flags, "--json")
    assert done.returncode == code
    assert json.loads(done.stdout)["gate"]["failed"] == failed
    assert _verdict(results, *flags).returncode == code


UNGRADED = {
    "gap": "5 of 5 answers could not be graded, more than 20%: could not be checked: no memory",
    "latency_ms": 900.0,  # answers came
    "errored": 5,
    "unchecked": 5,
}


def with_a_use_case_missing(root: Path, **fields: object) -> Path:
    """Twenty steady days, and one on which a use case of `quiet` has no score."""
    last = made_up_day(20, {model: dict.fromkeys(USE_CASES, 90.0) for model in ("fine", "quiet")})
    lines = [
        line(each.date, each.model, "a", None, **fields)
        if (each.model, each.use_case) == ("quiet", "a")
        else each
        for each in last.scores
    ]
    write_days(root, [*steady(20, ["fine", "quiet"], USE_CASES), Day(last.record, tuple(lines))])
    return root


@pytest.mark.parametrize("gate", ["suspicious", "cooked", "confirmed"])
def test_a_use_case_that_is_missing_though_its_answers_came_is_told_and_passes_no_gate(
    tmp_path: Path, gate: str
) -> None:
    results = with_a_use_case_missing(tmp_path, **UNGRADED)
    done = _verdict(results, "--fail-on", gate, "--json")
    assert done.returncode == 1
    event = json.loads(done.stdout)
    assert event["gate"] == {
        "fail_on": [gate],
        "failed": ["quiet"],
        "changed_route": {},
        "unknown": {"quiet": f"it was not fully scored on {day_at(20)}"},
    }
    quiet = next(each for each in event["verdicts"] if each["model"] == "quiet")
    assert quiet["headline"] == "GAP"
    assert quiet["ungraded"] == ["a"]
    assert quiet["reason"].startswith("GAP: answers came in a and have no score (5 of 5 answers could not be")
    shown = _verdict(results, "--fail-on", gate)
    words = " ".join(shown.output.split())
    assert shown.returncode == 1
    assert "quiet can't be called as usual on 2026-01-21: answers came in a and have no score." in words
    assert "probatio daily --date 2026-01-21` grades the answers again" in words
    assert f"Gate: quiet: it was not fully scored on {day_at(20)}. That passes no gate." in words
    assert _verdict(results, "--fail-on", gate, "--model", "fine").returncode == 0


def test_a_day_without_any_score_passes_no_gate(tmp_path: Path) -> None:
    last = made_up_day(20, {"fine": dict.fromkeys(USE_CASES, 90.0), "away": dict.fromkeys(USE_CASES)})
    write_days(tmp_path, [*steady(20, ["fine", "away"], USE_CASES), last])
    done = _verdict(tmp_path, "--fail-on", "confirmed", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["gate"]["unknown"] == {"away": f"it was not fully scored on {day_at(20)}"}


def test_a_use_case_that_no_answer_came_in_is_a_gap_as_before(tmp_path: Path) -> None:
    results = with_a_use_case_missing(tmp_path)
    assert _verdict(results, "--fail-on", "suspicious").returncode == 0


def test_the_gate_reads_the_headline_and_cooked_includes_confirmed(tmp_path: Path) -> None:
    """Fallen and stayed there: OK by the rule, which has followed it down, and CONFIRMED by the evidence."""
    low = {"m": dict.fromkeys(USE_CASES, 70.0)}
    write_days(tmp_path, [*steady(30, ["m"], USE_CASES), *(made_up_day(30 + n, low) for n in range(25))])
    for gate in ("suspicious", "cooked", "confirmed"):
        assert _verdict(tmp_path, "--fail-on", gate).returncode == 1
    (last,) = json.loads(_verdict(tmp_path, "--json").stdout)["verdicts"]
    assert (last["status"], last["evidence"], last["headline"], last["confirmed"]) == (
        "OK",
        "CONFIRMED",
        "COOKED",
        True,
    )
    assert "✖ COOKED" in _verdict(tmp_path).output
    assert "● OK" not in _verdict(tmp_path).output


def test_cooked_by_the_rule_alone_does_not_fail_the_gate_of_proof(results: Path) -> None:
    assert _verdict(results, "--fail-on", "confirmed").returncode == 0


def test_explain_shows_every_number(results: Path) -> None:
    shown = " ".join(_verdict(results, "--explain", "bad").output.split())
    for number in (
        "20.0 against 90.0 ± 2.0 of 14 days",
        "cooked drop 77.8 % ≥ 20 % YES",
        "collapse 77.8 % ≥ 35 % YES",
    ):
        assert number in shown
    assert "suspicious z 0.00 ≤ −2 no" in shown  # the use cases that are fine, too
    assert "days before: 01-07 90.0" in shown
    assert "cause MODEL" in shown
    assert "route Host" in shown


def test_after_a_fall_nothing_is_said_of_what_could_have_been_seen(tmp_path: Path) -> None:
    low = {"m": {"a": 40.0, "b": 40.0}}
    write_days(tmp_path, [*steady(30, ["m"], ["a", "b"]), *(made_up_day(number, low) for number in (30, 31))])
    told = " ".join(_verdict(tmp_path, "--explain", "m").output.split())
    assert "COOKED" in told
    assert "evidence in this use case" in told
    assert "would detect" not in told


def test_models_are_chosen_by_name_or_glob(results: Path) -> None:
    event = json.loads(_verdict(results, "--model", "*d*", "--json").stdout)
    assert [each["model"] for each in event["verdicts"]] == ["odd", "bad"]
    done = probatio("verdict", "--results", str(results), "--model", "od")
    assert "There is no model `od` on 2026-01-21. Near matches: odd" in done.stderr


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [([], "There is no recorded day under"), (["--date", "2026-01-01"], "up to 2026-01-01")],
)
def test_without_days_there_is_a_sentence(tmp_path: Path, flags: list[str], sentence: str) -> None:
    assert sentence in _verdict(tmp_path, *flags).stderr


def test_colour_is_never_the_only_signal(results: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("click.utils.should_strip_ansi", lambda *_: False)  # as on a terminal
        assert "\x1b[31m✖ COOKED" in _verdict(results).output
    assert "✖ COOKED" in _verdict(results).output
    assert "\x1b" not in _verdict(results).output


def gate(results: Path, *flags: str) -> tuple[int, dict[str, str]]:
    """The exit code of a gate, and of what nothing is known."""
    done = _verdict(results, "--fail-on", "confirmed", "--json", *flags)
    return done.returncode, json.loads(done.stdout)["gate"]["unknown"]


def test_a_watch_that_stopped_is_stale_on_every_line_and_passes_no_gate(tmp_path: Path) -> None:
    write_days(tmp_path, steady(30, ["fine", "well"], USE_CASES))
    assert gate(tmp_path, "--as-of", f"{day_at(30)}T12:00") == (0, {})
    assert gate(tmp_path, "--as-of", f"{day_at(31)}T12:01")[0] == 1
    done = _verdict(tmp_path, "--as-of", day_at(130))
    words = " ".join(done.output.split())
    assert done.output.count("⧗ STALE") == 2 and "● OK" not in done.output
    assert f"Nothing is known of fine today: its last answers are of {day_at(29)}." in words
    assert "2 STALE." in words
    code, unknown = gate(tmp_path, "--as-of", day_at(130))
    assert code == 1 and unknown == dict.fromkeys(["fine", "well"], f"its last answers are of {day_at(29)}")
    assert gate(tmp_path, "--as-of", day_at(130), "--max-age", "200d") == (0, {})
    assert _verdict(tmp_path, "--fail-on", "stale", "--as-of", day_at(130)).returncode == 1
    assert _verdict(tmp_path, "--fail-on", "stale").returncode == 0


def test_now_is_the_moment_unless_no_model_was_asked_on_these_dates(tmp_path: Path) -> None:
    write_days(tmp_path, steady(10, ["fine"], USE_CASES))
    words = ("verdict", "--results", tmp_path, "--fail-on", "confirmed", "--json")
    assert probatio(*words, cwd=tmp_path).returncode == 1  # these days are long ago
    for file in (tmp_path / "daily").glob("*/day.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "replayed": True}))
    assert probatio(*words, cwd=tmp_path).returncode == 0


def test_a_model_that_was_left_out_today_passes_no_gate_and_is_stale_when_its_answers_are_old(
    tmp_path: Path,
) -> None:
    both, one = steady(10, ["fine", "away"], USE_CASES), dict.fromkeys(USE_CASES, 90.0)
    write_days(tmp_path, [*both, made_up_day(10, {"fine": one})])
    assert gate(tmp_path) == (1, {"away": f"it was not asked on {day_at(10)}"})
    write_days(tmp_path, [made_up_day(11, {"fine": one}), made_up_day(12, {"fine": one})])
    assert gate(tmp_path) == (1, {"away": f"its last answers are of {day_at(9)}"})
    assert "⧗ STALE" in _verdict(tmp_path).output
    assert gate(tmp_path, "--model", "fine") == (0, {})
    write_days(tmp_path, [made_up_day(number, {"fine": one}) for number in range(13, 45)])
    assert gate(tmp_path) == (0, {})  # forgotten after four weeks, where no list says that it is watched


def test_a_model_of_the_list_without_a_day_passes_no_gate(tmp_path: Path) -> None:
    write_days(tmp_path, steady(10, ["fine", "old"], USE_CASES))
    (tmp_path / "config").mkdir()
    listed = [{"id": name, "name": name, "provider": "openai"} for name in ("fine", "new")]
    (tmp_path / "config" / "models.yml").write_text(json.dumps({"models": listed}))
    assert gate(tmp_path) == (1, {"new": "it has no day yet"})


def test_a_day_that_is_not_complete_passes_no_gate(tmp_path: Path) -> None:
    write_days(tmp_path, steady(10, ["fine"], USE_CASES))
    folder = tmp_path / "daily" / day_at(10)
    folder.mkdir()
    record = json.loads((tmp_path / "daily" / day_at(9) / "day.json").read_text())
    (folder / "day.json").write_text(json.dumps({**record, "date": day_at(10)}))
    assert gate(tmp_path) == (1, {day_at(10): "the day is not complete; `probatio daily` goes on with it"})
    assert gate(tmp_path, "--date", day_at(9)) == (0, {})


def test_a_calibrating_model_fails_the_gate_that_asks_for_it(tmp_path: Path) -> None:
    write_days(tmp_path, steady(3, ["young"], USE_CASES))
    assert _verdict(tmp_path, "--fail-on", "cooked").returncode == 0
    assert _verdict(tmp_path, "--fail-on", "cooked", "--fail-on", "calibrating").returncode == 1
