"""`probatio daily`: its flags, its sentences and its exit codes."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commandline import probatio
from double import Double, Faults, RawReply
from watch.alerts.hooks import Hook
from watch.day.days import (
    DAY,
    EXTRACTION,
    JUDGE,
    MODEL,
    STORY,
    SUMMARY,
    argv,
    asked,
    environment,
    gold_script,
    record,
    run,
    scores,
    small_suite,
)

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site


@pytest.fixture
def double() -> Iterator[Double]:
    with Double(reply=gold_script()) as server:
        yield server


def config(root: Path, *models: dict[str, object], **daily: object) -> str:
    path = root / "models.yml"
    path.write_text(
        json.dumps({"models": [{"name": f"v/{model['id']}", **model} for model in models], "daily": daily})
    )
    return str(path)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--date", "yesterday"], "YYYY-MM-DD"),
        (["--date", "2026-02-30"], "YYYY-MM-DD"),
        (["--date", "20260301"], "YYYY-MM-DD"),
        (["--date", (datetime.now(UTC) + timedelta(days=2)).date().isoformat()], "in the future"),
        (["--model", "gpt-4o-min"], "gpt-4o-mini"),
        (["--use-case", "structured"], "structured_extraction"),
        (["--config", "/nowhere.yml"], "does not exist"),
    ],
)
def test_a_wrong_flag_is_a_sentence_before_anything_is_asked(
    tmp_path: Path, double: Double, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run(tmp_path, double, *flags)
    code, sentence = done.returncode, done.stderr
    assert code == 2
    assert message in sentence
    assert not double.served
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_a_use_case_nobody_can_grade_is_refused(tmp_path: Path, double: Double) -> None:
    suite = small_suite(tmp_path / "suite", EXTRACTION)
    (suite / EXTRACTION).rename(suite / "chess")
    (suite / "suite.yml").write_text(
        (suite / "suite.yml").read_text().replace(f"id: {EXTRACTION}", "id: chess")
    )
    done = run(tmp_path, double)
    assert (done.returncode, "the use case `chess` has no grader: put a grader.py into" in done.stderr) == (
        2,
        True,
    )


@pytest.mark.slow
def test_the_default_date_is_today_in_utc(tmp_path: Path, double: Double) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    command = argv(tmp_path)
    at = command.index("--date")
    done = subprocess.run(
        command[:at] + command[at + 2 :],
        env={**environment(double), "TZ": "Pacific/Kiritimati"},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    days = [path.name for path in (tmp_path / "results" / "daily").iterdir() if path.is_dir()]
    assert days == [datetime.now(UTC).date().isoformat()]


@pytest.mark.slow
def test_use_cases_can_be_run_one_by_one_and_make_one_day(tmp_path: Path, double: Double) -> None:
    run(tmp_path, double, "--use-case", "structured_*")
    assert set(scores(tmp_path)) == {EXTRACTION}
    run(tmp_path, double)
    assert set(scores(tmp_path)) == {EXTRACTION, SUMMARY, STORY}
    assert set(asked(tmp_path).values()) == {1}


@pytest.mark.slow
def test_a_model_can_join_a_day_and_the_first_keeps_its_scores(tmp_path: Path, double: Double) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    models = config(tmp_path, {"id": "a"}, {"id": "b"})
    for model in ("a", "b"):
        assert run(tmp_path, double, "--config", models, model=model).returncode == 0
    lines = (tmp_path / "results" / "daily" / DAY / "scores.jsonl").read_text().splitlines()
    assert [json.loads(line)["model"] for line in lines] == ["a", "b"]
    assert [model.id for model in record(tmp_path).models] == ["a", "b"]


@pytest.mark.slow
def test_a_model_without_a_key_fails_the_day_and_the_others_run(tmp_path: Path, double: Double) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    models = config(tmp_path, {"id": "a", "api_key_env": "NO_SUCH_KEY"}, {"id": "b"}, models=["a", "b"])
    done = run(tmp_path, double, "--config", models, model=None)
    assert done.returncode == 3, done.stderr
    assert "Not asked: a: NO_SUCH_KEY is not set." in done.stderr
    assert "Skipping a: NO_SUCH_KEY is not set." in done.stdout
    assert {key.model for key in asked(tmp_path)} == {"b"}
    assert record(tmp_path).skipped == {"a": "NO_SUCH_KEY is not set"}
    alone = run(tmp_path, double, "--config", models, model="a", day="2026-03-09")
    assert (alone.returncode, "NO_SUCH_KEY" in alone.stderr) == (3, True)


@pytest.mark.slow
@pytest.mark.parametrize("others", [True, False], ids=["one of two", "all"])
def test_a_model_that_can_not_be_asked_is_told_to_the_channels_once_and_to_the_heartbeat(
    tmp_path: Path, double: Double, others: bool
) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    listed = [
        {"id": "a", "name": "v/a", "api_key_env": "NO_SUCH_KEY"},
        *([{"id": "b", "name": "v/b"}] * others),
    ]
    with Hook() as hook, Double(catalogue=lambda path: RawReply(b"OK")) as beat:
        address = f"http://127.0.0.1:{beat.port}"
        daily = {"heartbeat": {"url": f"{address}/ok", "fail": f"{address}/fail"}}
        alerts = [{"name": "team", "url": hook.url}]
        file = tmp_path / "models.yml"
        file.write_text(json.dumps({"models": listed, "daily": daily, "alerts": alerts}))
        for day in ("2026-03-09", DAY, DAY):
            done = run(tmp_path, double, "--config", str(file), model=None, day=day)
            assert done.returncode == 3, done.output
            assert "a: NO_SUCH_KEY is not set" in done.stderr
        assert beat.gets == ["/fail"] * 3
    assert set(hook.titles) == {"Not asked: a"}
    assert len(hook.titles) == (1 if others else 3)  # a day on which no one could be asked has no record
    assert "NO_SUCH_KEY is not set" in hook.on_message[0]["message"]


@pytest.mark.slow
def test_no_other_model_stands_in_for_a_list(tmp_path: Path, double: Double) -> None:
    """The embedded model is asked where there is no list at all."""
    models = config(tmp_path, {"id": "a", "api_key_env": "NO_SUCH_KEY"})
    for verb in (["daily"], ["trial"]):
        done = probatio(*verb, "--config", models, "--results", tmp_path / "results", env=environment(double))
        assert done.returncode in (2, 3) and "None of these models can be asked" in done.stderr, done.output
        assert "To ask an embedded model, name it" in done.stderr


@pytest.mark.slow
def test_a_refused_key_ends_its_own_model_only(tmp_path: Path, double: Double) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(Faults(status={401: 1.0})) as refusing:
        models = config(tmp_path, {"id": "a", "base_url": refusing.base_url}, {"id": "b"}, models=["*"])
        done = run(tmp_path, double, "--config", models, model=None)
    assert done.returncode == 3
    assert "the key was refused" in done.stderr
    lines = [
        json.loads(line)
        for line in (tmp_path / "results/daily" / DAY / "scores.jsonl").read_text().splitlines()
    ]
    assert {line["model"]: line["score"] for line in lines} == {"a": None, "b": 100.0}
    assert "the key was refused" in lines[0]["gap"]
    joined = run(tmp_path, double, "--config", config(tmp_path, {"id": "c"}), model="c")
    assert joined.returncode == 0, (
        joined.stderr
    )  # the model that could not be asked keeps its gap and holds nobody up
    lines = [
        json.loads(line)
        for line in (tmp_path / "results/daily" / DAY / "scores.jsonl").read_text().splitlines()
    ]
    assert {line["model"]: line["score"] for line in lines} == {"a": None, "b": 100.0, "c": 100.0}
    again = run(tmp_path, double, "--config", config(tmp_path, {"id": "a"}, {"id": "b"}), model="a,b")
    assert again.returncode == 0, again.stderr
    assert {key.model for key in asked(tmp_path)} == {"a", "b", "c"}


@pytest.mark.slow
def test_an_id_stands_for_one_model_throughout_a_day(tmp_path: Path, double: Double) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    run(tmp_path, double, "--config", config(tmp_path, {"id": "a", "name": "v/old"}), model="a")
    done = run(tmp_path, double, "--config", config(tmp_path, {"id": "a", "name": "v/new"}), model="a")
    assert (done.returncode, "`a` is v/old by any route" in done.stderr) == (2, True)


def test_the_first_line_comes_before_any_answer(tmp_path: Path) -> None:
    with Double(faults=Faults(hang=1.0)) as silent:
        day = subprocess.Popen(
            argv(tmp_path, "--max-wait", "1"),
            env=environment(silent),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert day.stdout
        lines = iter(day.stdout.readline, "")
        first = next(line for line in lines if line.startswith(DAY))
        day.kill()
        day.wait()
        day.stdout.close()
    assert first == f"{DAY}, suite small 0.1.0: {MODEL}, 14 samples, at most 26 at full count.\n"


def test_a_day_ends_with_a_line_per_model(tmp_path: Path, double: Double) -> None:
    listed = config(tmp_path, {"id": "a"}, {"id": "b"})
    done = run(tmp_path, double, "--config", listed, model=None)
    last = done.stdout[done.stdout.index("Files:") :].splitlines()[1:3]
    told = [line.partition(" can't be ")[0] for line in last]
    assert told == ["◌ CALIBRATING  a", "◌ CALIBRATING  b"]


@pytest.mark.slow
def test_json_is_one_event_per_line(tmp_path: Path, double: Double) -> None:
    done = run(tmp_path, double, "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = ["trial"] * 26 + ["score"] * 3 + ["verdict", "end"]
    assert [event["event"] for event in events] == kinds
    told = events[-2]
    assert (told["date"], told["model"], told["status"], told["label"]) == (
        DAY,
        MODEL,
        "CALIBRATING",
        "CALIBRATING",
    )
    assert "CALIBRATING" not in told["summary"] and told["summary"].endswith(".")
    assert (events[-1]["closed"], events[-1]["asked"], events[-1]["date"]) == (True, 26, DAY)
    assert {event["use_case"]: event["score"] for event in events if event["event"] == "score"}[
        EXTRACTION
    ] == 100


def test_a_dry_run_counts_and_asks_nothing(tmp_path: Path, double: Double) -> None:
    done = run(tmp_path, double, "--dry-run")
    assert "14 samples, 26 at full count, about $" in done.stdout
    assert not double.served
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("named", [True, False])
def test_a_dry_run_needs_no_key_and_says_which_one_is_missing(
    tmp_path: Path, double: Double, named: bool
) -> None:
    models = config(tmp_path, {"id": "a"}, {"id": "b", "api_key_env": "MINE", "base_url": double.base_url})
    words = argv(
        tmp_path, "--config", models, "--dry-run", "--no-route-check", model="a,b" if named else None
    )
    done = probatio(*words, env={}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stdout + done.stderr
    assert "a: OPENROUTER_API_KEY is not set." in told
    assert "b: MINE is not set." in told
    assert "a: 14 samples" in done.stdout
    assert "b: 14 samples" in done.stdout
    assert not double.served


def test_a_watch_that_looks_ahead_needs_the_keys(tmp_path: Path) -> None:
    models = config(tmp_path, {"id": "a"})
    words = argv(tmp_path, "--config", models, "--dry-run", "--unattended", model="a")
    done = probatio(*words, env={}, cwd=tmp_path)
    assert (done.returncode, "OPENROUTER_API_KEY is not set" in done.stderr) == (2, True)


def test_the_estimate_includes_the_judge_where_its_price_is_known(tmp_path: Path, double: Double) -> None:
    prices = {"cost_per_1m_input": 10.0, "cost_per_1m_output": 20.0}
    models = config(
        tmp_path, {"id": "a", **prices}, {"id": "judge", "name": JUDGE.removesuffix("-2026-01-01"), **prices}
    )

    def planned(*flags: str) -> str:
        words = argv(tmp_path, "--config", models, "--dry-run", *flags, model="a")
        return probatio(*words, env=environment(double), cwd=tmp_path).stdout

    row, judge = (json.loads(line) for line in planned("--json").splitlines()[-2:])
    assert (row["event"], judge["event"], judge["name"]) == ("plan", "plan_judge", JUDGE)
    # 24 frozen answers and 12 or 20 samples, each asked with its rubric and answered with two marks of 40
    # tokens.
    assert judge["cost_base"] > 36 * 80 * 20 / 1e6
    assert judge["cost_full"] - judge["cost_base"] > 8 * 80 * 20 / 1e6
    assert f"judge {JUDGE}: about ${judge['cost_base']:.4f} to ${judge['cost_full']:.4f}" in planned()
    assert not double.served


@pytest.mark.slow
def test_every_model_of_a_day_failed_so_the_day_ends_with_code_3(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(Faults(status={403: 0.5, 404: 0.5})) as double:
        models = config(tmp_path, {"id": "a"}, {"id": "b"}, models=["*"])
        done = probatio(
            *argv(tmp_path, "--config", models, model=None), env=environment(double), cwd=tmp_path
        )
        assert sum(double.served.values()) <= 12
    assert done.returncode == 3
    assert "status 40" in done.stderr
    _, _, again = done.stderr.partition("Continue with: probatio daily ")
    words = shlex.split(again)
    assert words[:2] == ["--date", DAY]
    with Double(reply=gold_script()) as healthy:
        pasted = probatio("daily", *words, env=environment(healthy), cwd=tmp_path)
    assert pasted.returncode == 0, pasted.stderr
    assert {score.score for score in scores(tmp_path).values()} == {100.0}


@pytest.mark.slow
def test_the_budget_counts_the_judge_and_stops_cleanly(tmp_path: Path) -> None:
    with Double(reply=gold_script(), cost=0.01) as double:
        done = run(tmp_path, double, "--max-cost", "0.40")
        assert done.returncode == 3
        assert "budget of $0.40 is reached" in done.stderr
        assert "--max-cost" not in done.stderr.partition("Continue with: ")[2], "it would stop at once"
        assert double.served["answer"] < 55
        assert not (tmp_path / "results" / "daily" / DAY / "scores.jsonl").exists()
        assert run(tmp_path, double, "--max-cost", "9").returncode == 0
    assert set(asked(tmp_path).values()) == {1}
    assert scores(tmp_path)[STORY].score == 100


@pytest.mark.slow
def test_models_without_a_pinned_route_are_pointed_out_on_their_first_day_only(
    tmp_path: Path, double: Double
) -> None:
    assert f"{MODEL} has no `route`" in run(tmp_path, double).stdout
    later = probatio(*argv(tmp_path, "--dry-run", day="2026-03-11"), env=environment(double), cwd=tmp_path)
    assert (later.returncode, "has no `route`" in later.stdout) == (0, False)
