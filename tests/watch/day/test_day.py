"""A day as its users meet it: `probatio daily` in a process of its own, against a server that answers by
script."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commandline import PROCESS, Done, probatio
from double import Double, Faults
from probatio.core.records import SampleAnswer
from probatio.runs.store.layout import ANSWERS, SET_ASIDE
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import load_daily
from watch.day.days import (
    DAY,
    EXTRACTION,
    FROZEN,
    JUDGE,
    MODEL,
    STORY,
    SUMMARY,
    argv,
    asked,
    environment,
    files,
    gold_script,
    grades,
    history,
    is_judge,
    judged,
    marks_as_worth,
    record,
    run,
    scores,
    small_suite,
)
from watch.day.kills import REPLIES, killed, outcome

pytestmark = pytest.mark.slow  # whole days, sites or processes


class GoldDay(NamedTuple):
    """One day of gold answers, for the tests that only look at it."""

    root: Path
    double: Double
    done: Done


@pytest.fixture(scope="module")
def gold_day(tmp_path_factory: pytest.TempPathFactory) -> GoldDay:
    root = tmp_path_factory.mktemp("gold")
    with Double(reply=gold_script()) as double:
        return GoldDay(root, double, run(root, double))


def test_gold_answers_give_full_scores_and_every_sample_is_kept(gold_day: GoldDay) -> None:
    tmp_path, _, done = gold_day
    assert done.returncode == 0, done.stderr
    found = scores(tmp_path)
    assert {use_case: score.score for use_case, score in found.items()} == {
        EXTRACTION: 100,
        SUMMARY: 90,
        STORY: 100,
    }
    assert (found[SUMMARY].checked, found[SUMMARY].judged) == (100, 75)
    assert {score.trigger for score in found.values()} == {"calibrating"}
    assert [found[name].n for name in (EXTRACTION, SUMMARY, STORY)] == [6, 10, 10]
    assert [found[name].base_n for name in (EXTRACTION, SUMMARY, STORY)] == [2, 6, 6]
    assert set(asked(tmp_path).values()) == {1}
    assert len(grades(tmp_path)) == 26
    assert {grade.breakdown["use_case"] for grade in grades(tmp_path)} == {EXTRACTION, SUMMARY, STORY}
    assert len(judged(tmp_path)) == 20 + 2 * FROZEN  # each judged sample once, and the frozen answers
    assert "Structured Extraction" in done.stdout
    assert "100.0" in done.stdout


def test_a_day_says_what_it_truly_cost_with_what_the_judge_took(gold_day: GoldDay) -> None:
    paid = [
        line.cost for line in read_lines(gold_day.root / "results" / "daily" / DAY / ANSWERS, SampleAnswer)
    ]
    paid += [reply.cost for reply in judged(gold_day.root)]
    assert len(paid) == 26 + 20 + 2 * FROZEN
    assert f"— ${sum(cost or 0 for cost in paid):.4f}" in gold_day.done.stdout


def test_verbose_prints_each_sample_with_its_score(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        lines = [
            line
            for line in run(tmp_path, double, "-v").stdout.splitlines()
            if f"[{MODEL} · full · sample " in line
        ]
    assert len(lines) == 26
    assert {line.partition(", score ")[2] for line in lines} == {"100", "90"}


def test_calls_are_drawn_as_the_manifest_says(gold_day: GoldDay) -> None:
    bodies = [body for body in gold_day.double.bodies if not is_judge(body)]
    assert {body["temperature"] for body in gold_day.double.bodies} == {0.0}
    assert all(body["reasoning"] == {"effort": "low"} for body in bodies)
    assert {body["seed"] for body in bodies} == {
        1042,
        1043,
        1044,
        1045,
        1046,
    }  # full round: far from those of the base
    limits = {
        use_case.max_tokens
        for name, use_case in load_daily().use_cases.items()
        if name in (EXTRACTION, SUMMARY, STORY)
    }
    assert {body["max_tokens"] for body in bodies} == limits


def test_the_judge_sees_no_name_of_a_model(gold_day: GoldDay) -> None:
    prompts = [body["messages"][0]["content"] for body in gold_day.double.bodies if is_judge(body)]
    assert len(prompts) == 20 + 2 * FROZEN
    assert not [prompt for prompt in prompts if "gpt" in prompt or "openai" in prompt or MODEL in prompt]


def test_a_second_run_of_a_day_asks_nothing_and_changes_nothing(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        run(tmp_path, double)
        before, served = files(tmp_path), double.served.copy()
        done = run(tmp_path, double)
        assert double.served == served
    assert done.returncode == 0, done.stderr
    assert "nothing was missing" in done.stdout
    assert files(tmp_path) == before
    ledger = [json.loads(line) for line in before["ledger.jsonl"].splitlines()]
    assert [(line["date"], line["kind"]) for line in ledger] == [(DAY, "day")]  # the day is recorded once


def test_an_outage_is_a_gap_never_a_zero_and_a_later_run_asks_what_failed(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION, cases=4)
    with Double(Faults(status={404: 0.3}), gold_script(EXTRACTION), seed=3) as double:
        done = run(tmp_path, double)
    failed = double.served["status:404"]
    assert 12 * 0.2 < failed < 12
    gap = scores(tmp_path)[EXTRACTION]
    assert done.returncode == 0, done.stderr
    assert (gap.score, gap.errored) == (None, failed)
    assert f"{failed} of 12 samples errored" in str(gap.gap)
    with Double(reply=gold_script(EXTRACTION)) as double:
        done = run(tmp_path, double)
        assert double.served["answer"] == failed
    assert scores(tmp_path)[EXTRACTION].score == 100
    assert set(asked(tmp_path).values()) == {1}
    folder = tmp_path / "results" / "daily" / DAY
    assert len(list(read_lines(folder / SET_ASIDE, SampleAnswer))) == failed


def test_a_judge_half_a_mark_lower_bars_judged_use_cases_which_are_scored_all_the_same(
    tmp_path: Path,
) -> None:
    stern = gold_script(judge=lambda prompt: marks_as_worth(prompt, {"clarity": -1}))
    with Double(reply=stern) as double:
        done = run(tmp_path, double)
    standing = record(tmp_path).calibration
    assert standing is not None
    assert (standing.shift, standing.barred) == (-0.5, True)
    assert {item.mark and item.mark - item.reference for item in standing.items} == {-0.5}
    found = scores(tmp_path)
    assert [found[name].barred for name in (EXTRACTION, SUMMARY, STORY)] == [False, True, True]
    assert found[STORY].score == 87.5
    assert "barred" in done.stdout


def test_what_only_a_judge_can_score_is_not_asked_until_there_is_one(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        done = run(tmp_path, double, judge=False)
        assert done.returncode == 0, done.stderr
        assert not [body for body in double.bodies if is_judge(body)]
        assert double.served["answer"] == 6, "the samples of the use case that code grades, and no other"
        assert list(scores(tmp_path)) == [EXTRACTION], "what was not asked has no gap"
        assert record(tmp_path).not_asked == {SUMMARY: "no judge", STORY: "no judge"}
        said = "Not asked, because only a judge can score them: Summarization, Creative Writing."
        assert (done.stdout + done.stderr).count(said) == 1
        assert "gap" not in done.stdout
        verdict = verdict_of(tmp_path, double)
        assert verdict["not_asked"] == {SUMMARY: "no judge", STORY: "no judge"}
        assert "not asked: no judge (summarization, creative_writing)" in verdict["reason"]
        assert not verdict["ungraded"]

        # Later that day there is one: the rest is asked, and nothing twice.
        assert run(tmp_path, double).returncode == 0
        assert verdict_of(tmp_path, double)["not_asked"] == {}
        assert probatio(*PROCESS, "verify", "--results", str(tmp_path / "results")).returncode == 0
    assert {use_case: score.score for use_case, score in scores(tmp_path).items()} == {
        EXTRACTION: 100, SUMMARY: 90, STORY: 100,
    }  # fmt: skip
    assert set(asked(tmp_path).values()) == {1}


def test_use_cases_whose_judge_comes_on_a_later_day_begin_calibrating_then(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite")
    history(tmp_path, {EXTRACTION: [100.0] * 8})
    with Double(reply=gold_script()) as double:
        assert run(tmp_path, double).returncode == 0
        verdict = verdict_of(tmp_path, double)
    found = {each["use_case"]: (each["status"], each["days"]) for each in verdict["use_cases"]}
    assert found == {EXTRACTION: ("OK", 8), SUMMARY: ("CALIBRATING", 0), STORY: ("CALIBRATING", 0)}


def test_a_judge_that_is_gone_is_missed_and_its_use_cases_are_a_gap(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        assert run(tmp_path, double, day="2026-03-09").returncode == 0
        done = run(tmp_path, double, judge=False)
        assert done.returncode == 0, done.stderr
        found = scores(tmp_path)
        assert found[EXTRACTION].score == 100
        assert (found[SUMMARY].score, found[SUMMARY].checked, found[SUMMARY].judged) == (None, 100, None)
        assert (found[STORY].score, found[STORY].n) == (None, 0)
        assert "JUDGE_KEY" in str(found[STORY].gap)
        assert str(found[SUMMARY].gap).startswith("no judge: ")
        assert record(tmp_path).not_asked == {}
        answered = double.served["answer"]

        # Later that day it is there again: answers are judged, none is asked again.
        assert run(tmp_path, double).returncode == 0
        again = [body for body in double.bodies[answered:] if not is_judge(body)]
        assert len(again) == 10  # the stories, which nobody could have scored before
    assert {use_case: score.score for use_case, score in scores(tmp_path).items()} == {
        EXTRACTION: 100, SUMMARY: 90, STORY: 100,
    }  # fmt: skip


def test_a_suite_that_only_a_judge_can_score_is_refused_without_one(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", SUMMARY)
    with Double(reply=gold_script()) as double:
        done = run(tmp_path, double, judge=False)
        assert not double.served
    assert done.returncode == 2
    assert "needs the key JUDGE_KEY, which is not set" in done.stderr


def verdict_of(root: Path, double: Double) -> dict[str, Any]:
    words = [*PROCESS, "verdict", "--results", str(root / "results"), "--json"]
    done = probatio(*words, env=environment(double), cwd=root)
    verdict: dict[str, Any] = json.loads(done.stdout)["verdicts"][0]
    return verdict


def test_an_unreadable_judgement_is_repaired_once_and_then_an_error_never_a_number(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", STORY)

    def muddled(prompt: str) -> str:
        return (
            marks_as_worth(prompt) if "worth [mark" in prompt else "I would say it is quite good, 4 out of 5!"
        )

    with Double(reply=gold_script(judge=muddled)) as double:
        done = run(tmp_path, double)
    story = scores(tmp_path)[STORY]
    assert (story.score, story.errored) == (None, 10)
    assert "could not be graded" in str(story.gap)
    replies = [reply for reply in judged(tmp_path) if reply.round != "calibration"]
    assert sorted(reply.attempt for reply in replies) == [0] * 10 + [1] * 10
    assert {grade.error_type for grade in grades(tmp_path)} == {"api_error"}
    assert done.returncode == 0
    with Double(reply=gold_script()) as double:
        run(tmp_path, double)
        assert all(map(is_judge, double.bodies))  # the answers are there; only their assessment is missing
        assert len(double.bodies) == 10
    assert scores(tmp_path)[STORY].score == 100


def test_a_repaired_judgement_counts(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", STORY)

    def late(prompt: str) -> str:
        return (
            marks_as_worth(prompt)
            if "worth [mark" in prompt or "earlier reply" in prompt
            else '{"clarity": 5}'
        )

    with Double(reply=gold_script(judge=late)) as double:
        run(tmp_path, double)
    assert scores(tmp_path)[STORY].score == 100


def test_a_judge_that_fails_its_calibration_is_no_judge_today(tmp_path: Path) -> None:
    with Double(reply=gold_script(judge=lambda prompt: "no idea")) as double:
        done = run(tmp_path, double)
    assert done.returncode == 0, done.stderr
    found = scores(tmp_path)
    assert found[EXTRACTION].score == 100
    assert "calibration answers could not be judged" in str(found[SUMMARY].gap)
    assert len([body for body in double.bodies if is_judge(body)]) == 4 * FROZEN  # each with its repair


@pytest.mark.parametrize("moment", ["calibration", "answers", "judgements"])
def test_killed_and_run_again_nothing_is_lost_or_asked_twice(tmp_path: Path, moment: str) -> None:
    begun = {"calibration": 3, "answers": 30, "judgements": 55}[moment]
    with Double(reply=gold_script(), latency=0.05) as double:
        for _ in range(3):
            process = subprocess.Popen(
                argv(tmp_path, "--max-connections", "3"),
                env=environment(double),
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
            )
            while double.served["answer"] < begun and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            begun += 4
        while double.in_flight:
            time.sleep(0.01)
        kept = len(asked(tmp_path)) + len(judged(tmp_path))
        before = double.served["answer"]
        done = run(tmp_path, double)
        assert done.returncode == 0, done.stderr
        assert (
            double.served["answer"] - before == 26 + 20 + 2 * FROZEN - kept
        )  # what was on disk is not asked again
    assert set(asked(tmp_path).values()) == {1}
    assert {use_case: score.score for use_case, score in scores(tmp_path).items()} == {
        EXTRACTION: 100, SUMMARY: 90, STORY: 100,
    }  # fmt: skip
    counts = [(reply.key, reply.attempt) for reply in judged(tmp_path)]
    assert len(counts) == len(set(counts)) == 20 + 2 * FROZEN


def test_killed_at_exact_points_a_day_ends_as_one_that_was_left_alone(
    gold_day: GoldDay, tmp_path: Path
) -> None:
    """`bench/kills.py` does this at each of the 70 replies."""
    done, replies = killed(tmp_path, (2, 26, 52, 74))
    assert done.returncode == 0, done.stderr
    assert set(asked(tmp_path).values()) == {1}
    assert replies <= REPLIES + 4 * 3  # what was in flight is asked again, and nothing else
    assert outcome(tmp_path) == outcome(gold_day.root)


def test_a_second_process_on_the_same_day_is_refused(tmp_path: Path) -> None:
    with Double(reply=gold_script(), latency=5) as double:
        first = subprocess.Popen(
            argv(tmp_path), env=environment(double), cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        while not double.in_flight:
            assert first.poll() is None
            time.sleep(0.01)
        second = run(tmp_path, double)
        first.send_signal(signal.SIGKILL)
        first.wait(300)
    assert second.returncode == 3
    assert "Another process is writing to" in second.stderr


def test_an_interrupted_day_has_no_scores_and_says_how_to_go_on(tmp_path: Path) -> None:
    with Double(reply=gold_script(), latency=0.1) as double:
        process = subprocess.Popen(
            argv(tmp_path, "--max-connections", "2"), env=environment(double), cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not any(not is_judge(body) for body in double.bodies):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 3, out
        assert f"probatio daily --date {DAY}" in err
        assert "still missing" in out
        assert not (tmp_path / "results" / "daily" / DAY / "scores.jsonl").exists()
        assert run(tmp_path, double).returncode == 0
    assert scores(tmp_path)[STORY].score == 100
    assert set(asked(tmp_path).values()) == {1}


def test_a_suite_that_changed_within_a_day_is_refused(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        run(tmp_path, double)
        before = files(tmp_path)
        cases = tmp_path / "suite" / STORY / "cases.yml"
        cases.write_text(cases.read_text().replace("story number 2", "story number 3"))
        done = run(tmp_path, double)
    assert done.returncode == 2
    assert "has changed since" in done.stderr
    assert files(tmp_path) == before


def test_the_days_of_a_suite_with_another_temperature_or_judge_have_a_version_of_their_own(
    tmp_path: Path,
) -> None:
    models = [{"id": MODEL, "name": "v/m", "base_url": None}]
    changes: list[dict[str, Any]] = [
        {"temperature": 0.7},
        {"judge": {"name": "v/other"}},
        {"judge": {"name": JUDGE}},
    ]
    for number, daily in enumerate(changes):
        config = tmp_path / f"models{number}.yml"
        config.write_text(json.dumps({"models": models, "daily": {"models": [MODEL], **daily}}))
        with Double(reply=lambda body: "?") as double:
            done = run(
                tmp_path,
                double,
                "--config",
                str(config),
                "--use-case",
                EXTRACTION,
                day=f"2026-03-0{number + 1}",
                model=None,
            )
        assert done.returncode == 0, done.stderr
    assert record(tmp_path, "2026-03-01").suite_version == "0.1.0+temperature-0.7"
    assert record(tmp_path, "2026-03-02").suite_version.startswith("0.1.0+judge-")
    assert record(tmp_path, "2026-03-03").suite_version == "0.1.0"


def test_an_answer_that_refuses_or_is_cut_off_is_scored_and_labelled(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    gold = gold_script(EXTRACTION)

    def script(body: dict[str, Any]) -> str:
        return {1042: "I'm sorry, but I can't help with that.", 1043: "", 1044: gold(body)}[body["seed"]]

    with Double(reply=script) as double:
        run(tmp_path, double)
    found = scores(tmp_path)[EXTRACTION]
    assert (round(found.score or 0), found.n, found.refused, found.errored) == (33, 6, 2, 0)
    assert {grade.error_type for grade in grades(tmp_path)} == {"refusal", "no_response", None}


def test_answers_go_into_the_raw_file_before_they_are_graded(gold_day: GoldDay) -> None:
    lines = list(read_lines(gold_day.root / "results" / "daily" / DAY / ANSWERS, SampleAnswer))
    assert {(line.date, line.suite_version) for line in lines} == {(DAY, "0.1.0")}
    first = next(read_lines(gold_day.root / "results" / "daily" / DAY / ANSWERS, dict[str, Any]))
    assert not {"n_shot", "dialect", "context", "task_id", "attempt"} & first.keys()
    assert {line.provider for line in lines} == {"DoubleCo"}
    assert {line.system_fingerprint for line in lines} == {"fp_double"}


def test_a_day_that_is_asked_on_another_date_is_marked_and_its_verdict_held(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        done = run(tmp_path, double, replay=False)
    assert done.returncode == 0, done.stderr
    asked_on = next(read_lines(tmp_path / "results" / "daily" / DAY / ANSWERS, SampleAnswer)).timestamp[:10]
    assert record(tmp_path).asked_late == {MODEL: asked_on}
    assert (
        f"{DAY} is over: a model that is first asked now is marked as asked late" in done.stdout + done.stderr
    )
    assert scores(tmp_path)[EXTRACTION].asked_late == asked_on
    (verdict,) = json.loads(files(tmp_path)["ledger.jsonl"])["verdicts"]
    assert verdict["use_cases"][0]["held"] == "asked late"
    assert "asked late" in verdict["reason"]


def test_a_day_of_today_and_a_day_that_was_begun_on_its_date_are_not_late_but_a_model_added_later_is(
    tmp_path: Path,
) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(tmp_path, double, day=None, replay=False).returncode == 0
        daily = tmp_path / "results" / "daily"
        (begun,) = [path for path in daily.iterdir() if path.is_dir()]
        assert record(tmp_path, begun.name).asked_late == {}
        # As if it had all happened on a day of March, and had stopped before its end.
        (daily / "ledger.jsonl").unlink()
        (begun / "scores.jsonl").unlink()
        for path in begun.glob("*.json*"):
            path.write_text(path.read_text().replace(begun.name, DAY))
        for name in (ANSWERS, "graded_results.jsonl"):
            lines = (begun / name).read_text().splitlines(keepends=True)
            (begun / name).write_text("".join(line for line in lines if json.loads(line)["sample"] == 0))
        begun.rename(daily / DAY)
        assert run(tmp_path, double, replay=False).returncode == 0
        assert len({line.timestamp[:10] for line in read_lines(daily / DAY / ANSWERS, SampleAnswer)}) > 1
        assert record(tmp_path).asked_late == {}
        assert scores(tmp_path)[EXTRACTION].asked_late is None
        assert run(tmp_path, double, replay=False, model="llama-3.1-8b").returncode == 0
    assert list(record(tmp_path).asked_late) == ["llama-3.1-8b"]
    from probatio.watch.verify.verification import verify

    report = verify(tmp_path / "results")
    assert report.findings == []
    assert f"{DAY}: asked late and in no baseline: llama-3.1-8b on " in report.notes[0]
    assert "completed later by 4 of 6 answers" in report.notes[0]


def test_a_day_is_replayed_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(tmp_path, double).returncode == 0
        assert record(tmp_path).replayed
        done = run(tmp_path, double, replay=False)
    assert done.returncode == 2
    assert f"{DAY} was begun with --replay" in done.stderr
