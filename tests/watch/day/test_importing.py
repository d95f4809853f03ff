"""Past days taken in from a file: graded anew, marked imported, used by baseline and reference; all of them
or none."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from authoring.test_rehearsal import judged_suite
from commandline import Done, probatio
from double import Double
from probatio.authoring.new import STARTERS
from probatio.core.records import DailyScore, DayRecord
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import load_daily
from probatio.watch.ledger.ledger import read_ledger

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

TODAY = datetime.now(UTC).date()


class Team:
    """A suite with one use case, two models, and what the team has kept of its past days."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, folder / "results"
        self.suite = shutil.copytree(STARTERS / "daily", folder / "suite")
        manifest = yaml.safe_load((self.suite / "suite.yml").read_text())
        manifest["use_cases"] = manifest["use_cases"][:1]
        (self.suite / "suite.yml").write_text(yaml.safe_dump(manifest))
        loaded = load_daily(self.suite)
        proofs = read_proofs(loaded, loaded.use_cases["orders"])
        self.gold = {proof.case: proof.answer for proof in proofs if proof.kind == "gold"}
        self.prompts = {case.prompt: case.id for case in loaded.cases.values()}
        self.config = folder / "models.yml"
        self.config.write_text("models: [{id: one, name: one}]\n")

    def lines(self, days: int = 8, model: str = "one", *, until: date | None = None) -> list[dict[str, Any]]:
        """Gold answers to every case on each of `days` days, the last one yesterday."""
        last = until or TODAY - timedelta(days=1)
        dates = [(last - timedelta(days=days - 1 - number)).isoformat() for number in range(days)]
        return [
            {"date": day, "model": model, "case": case, "answer": self.gold[case]}
            for day in dates
            for case in self.gold
        ]

    def take(self, lines: list[dict[str, Any]], *flags: str, name: str = "past.jsonl") -> Done:
        file = self.folder / name
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self.probatio("daily", "import", str(file), *self.given, *flags)

    def probatio(self, *words: str) -> Done:
        return probatio(*words)

    @property
    def given(self) -> tuple[str, ...]:
        return ("--suite", str(self.suite), "--config", str(self.config), "--results", str(self.results))

    def scores(self, day: str) -> list[DailyScore]:
        return list(read_lines(self.results / "daily" / day / "scores.jsonl", DailyScore))


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


def test_answers_are_graded_anew_and_the_days_are_marked_recorded_and_verified(team: Team) -> None:
    lines = team.lines()
    lines[-1]["answer"] = "no JSON"
    done = team.take(lines)
    assert done.returncode == 0, done.output
    assert "Imported: 8 dates, 1 model, 32 answers, 0 scores" in done.output
    folders = sorted((team.results / "daily").glob("20*"))
    records = [msgspec.json.decode((each / "day.json").read_bytes(), type=DayRecord) for each in folders]
    assert [record.date for record in records] == sorted({line["date"] for line in lines})
    assert all(record.imported.startswith("past.jsonl ") and not record.simulated for record in records)
    assert all(
        record.imported and record.kind == "day"
        for record in (line.record() for line in read_ledger(team.results))
    )
    (last,) = team.scores(records[-1].date)
    assert (last.score, last.n, last.asked_late) == (75.0, 4, None)
    verified = team.probatio("verify", "--results", str(team.results))
    assert verified.returncode == 0, verified.output
    assert "8 days are imported from a file" in verified.output


def test_scores_without_answers_are_taken_as_they_are(team: Team) -> None:
    lines = [
        {"date": line["date"], "model": "one", "case": line["case"], "score": 0.5} for line in team.lines(6)
    ]
    done = team.take(lines)
    assert done.returncode == 0, done.output
    assert [each.score for each in team.scores(lines[0]["date"])] == [50.0]
    assert team.probatio("verify", "--results", str(team.results)).returncode == 0
    shown = team.probatio("verdict", "--results", str(team.results))
    assert shown.returncode == 0, shown.output


def test_several_answers_to_a_case_are_several_samples(team: Team) -> None:
    lines = team.lines(1)
    done = team.take(lines + [{**line, "answer": "nothing"} for line in lines])
    assert done.returncode == 0, done.output
    (score,) = team.scores(lines[0]["date"])
    assert (score.n, score.score) == (8, 50.0)
    assert team.probatio("verify", "--results", str(team.results)).returncode == 0


def test_the_first_day_that_is_asked_has_a_baseline_of_imported_ones(team: Team) -> None:
    reply: Callable[[dict[str, Any]], str] = lambda body: "I can't say."  # noqa: E731
    with Double(reply=reply) as double:
        team.config.write_text(
            yaml.safe_dump({"models": [{"id": "one", "name": "one", "base_url": double.base_url}]})
        )
        # The double names a provider of its own; the imported days have the same.
        lines = [{**line, "provider": "DoubleCo"} for line in team.lines(8)]
        assert team.take(lines).returncode == 0
        done = team.probatio("daily", *team.given, "--model", "one")
        assert done.returncode == 0, done.output
    event = json.loads(team.probatio("verdict", "--results", str(team.results), "--json").stdout)
    assert [(each["model"], each["headline"]) for each in event["verdicts"]] == [("one", "COOKED")]


def test_days_that_were_asked_before_are_corrected_where_they_follow(team: Team) -> None:
    week = TODAY - timedelta(days=3)
    later = team.take(team.lines(3), name="later.jsonl")
    assert later.returncode == 0, later.output
    done = team.take(team.lines(8, until=week - timedelta(days=1)), name="earlier.jsonl")
    assert done.returncode == 0, done.output
    assert "Later days whose verdicts follow from these: 3" in done.output
    assert team.probatio("verify", "--results", str(team.results)).returncode == 0


def test_a_day_that_was_asked_before_its_past_was_imported_still_verifies(team: Team) -> None:
    with Double(reply=lambda body: team.gold[team.prompts[body["messages"][0]["content"]]]) as double:
        team.config.write_text(
            yaml.safe_dump({"models": [{"id": "one", "name": "one", "base_url": double.base_url}]})
        )
        assert team.probatio("daily", *team.given, "--model", "one").returncode == 0
    done = team.take([{**line, "provider": "DoubleCo"} for line in team.lines(6)])
    assert "Later days whose verdicts follow from these: 1" in done.output
    verified = team.probatio("verify", "--results", str(team.results))
    assert verified.returncode == 0, verified.output


def _future(lines: list[dict[str, Any]]) -> None:
    lines[5]["date"] = (TODAY + timedelta(days=2)).isoformat()


def _today(lines: list[dict[str, Any]]) -> None:
    lines[5]["date"] = TODAY.isoformat()


def _case(lines: list[dict[str, Any]]) -> None:
    lines[5]["case"] = "order_chair"


def _nothing(lines: list[dict[str, Any]]) -> None:
    del lines[5]["answer"]


def _points(lines: list[dict[str, Any]]) -> None:
    lines[5]["score"] = 75


def _word(lines: list[dict[str, Any]]) -> None:
    lines[5]["date"] = "yesterday"


def _key(lines: list[dict[str, Any]]) -> None:
    lines[5]["temperature"] = 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_future, "line 6: .* is in the future"),
        (_today, "line 6: .* is today: it is asked, not imported"),
        (_case, "line 6: There is no case `order_chair` in the suite my-watch. Near matches: order_chairs"),
        (_nothing, "line 6: give `answer`, or `score` from 0 to 1"),
        (_points, "line 6: Expected `float` <= 1.0 - at `score`"),
        (_word, "line 6: yesterday: write a day as YYYY-MM-DD"),
        (_key, "line 6: Object contains unknown field `temperature`"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(
    team: Team, spoil: Callable[[list[dict[str, Any]]], None], said: str
) -> None:
    lines = team.lines(3)
    spoil(lines)
    done = team.take(lines)
    assert done.returncode == 2
    assert re.search(said, done.stderr), done.stderr
    assert not team.results.exists()


def test_dates_that_are_there_are_refused_and_stay_as_they_are(team: Team) -> None:
    assert team.take(team.lines(3)).returncode == 0
    before = {path: path.read_bytes() for path in team.results.rglob("*") if path.is_file()}
    done = team.take(team.lines(5), name="other.jsonl")
    assert "already; take its lines out of the file" in done.stderr
    assert {path: path.read_bytes() for path in team.results.rglob("*") if path.is_file()} == before
    asked = team.probatio("daily", *team.given, "--date", team.lines(1)[0]["date"], "--model", "one")
    assert asked.returncode != 0


def test_an_import_that_was_killed_before_it_was_recorded_is_finished(team: Team) -> None:
    lines = team.lines(3)
    assert team.take(lines).returncode == 0
    ledger = team.results / "daily" / "ledger.jsonl"
    (team.results / ".import-left").mkdir()
    dates = sorted({line["date"] for line in lines})
    shutil.rmtree(team.results / "daily" / dates[0])
    ledger.unlink()
    done = team.take(lines)
    assert done.returncode == 0, done.output
    assert [line.record().date for line in read_ledger(team.results)] == dates
    assert not list(team.results.glob(".import-*"))


def test_an_answer_that_cannot_be_graded_stops_the_import(team: Team) -> None:
    (team.suite / "orders" / "grader.py").write_text("1 / 0\n")
    manifest = yaml.safe_load((team.suite / "suite.yml").read_text())
    (team.suite / "suite.yml").write_text(yaml.safe_dump({**manifest, "use_cases": ["orders"]}))
    done = team.take(team.lines(2))
    assert "Nothing was imported: " in done.stderr
    assert (
        "4 answers have no grade: could not be checked: the grader of `orders` ended with exit 1"
        in done.stderr
    )
    assert not list(team.results.rglob("day.json"))


def test_answers_of_a_judged_use_case_are_marked_by_the_judge_of_today(team: Team) -> None:
    suite = judged_suite(team.folder / "letters")
    assert team.probatio("suite", "trust", str(suite), "--mine", "--yes").returncode == 0
    yesterday = (TODAY - timedelta(days=1)).isoformat()
    lines = [
        {"date": yesterday, "model": "one", "case": f"letter_{n}", "answer": f"Dear reader {8 + n}."}
        for n in range(3)
    ]
    judge: Callable[[dict[str, Any]], str] = lambda body: json.dumps(  # noqa: E731
        {"tone": {"mark": _frozen_mark(body["messages"][0]["content"]), "reason": "so"}}
    )
    with Double(reply=judge) as double:
        with (suite / "suite.yml").open("a") as manifest:
            manifest.write(f"judge: {{name: house-judge, base_url: '{double.base_url}'}}\n")
        team.suite = suite
        done = team.take(lines)
        assert done.returncode == 0, done.output
    (score,) = team.scores(yesterday)
    assert (score.grading, score.score) == ("judge", round(100 * (0.75 + 1 + 1) / 3, 4))
    assert team.probatio("verify", "--results", str(team.results)).returncode == 0
    (suite / "suite.yml").write_text(
        (suite / "suite.yml").read_text().replace("base_url", "api_key_env: NO_SUCH_KEY, base_url")
    )
    shutil.rmtree(team.results)
    refused = team.take(lines)
    assert "there is no judge, and it has answers that need one" in refused.stderr
    assert not list(team.results.rglob("day.json"))


def _frozen_mark(prompt: str) -> int:
    found = re.search(r"Dear reader (\d+)\.", prompt)
    assert found is not None
    return (1, 1, 1, 2, 2, 2, 4, 4, 4, 5, 5, 5)[int(found[1])]


def test_a_dry_run_only_checks(team: Team) -> None:
    done = team.take(team.lines(2), "--dry-run", "--json")
    assert json.loads(done.stdout) == {"event": "plan", "dates": 2, "models": 1, "answers": 8, "scores": 0}
    assert not team.results.exists()
