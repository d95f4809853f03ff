"""The items of days: what counts, what does not, and a real day of a ladder from the server's answer to the
site's page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml

from commandline import probatio
from double import Double
from probatio.core.errors import UsageError
from probatio.core.records import DailyScore, DayRecord, Grade, Grading, Model, Response, Sampling
from probatio.core.statistics.intervals import wilson
from probatio.learn.items.measuring import measure_discrimination
from probatio.learn.items.of_days import measure_days
from probatio.learn.items.records import Items
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.site.addresses import addresses, render
from probatio.site.snapshot import load_site
from probatio.suites.daily_suite import DAILY
from probatio.watch.day.folder import day_folder, write_record, write_scores
from watch.day.days import built_in, environment

pytestmark = pytest.mark.slow  # whole days, sites or processes

LADDER, MATH = "math_products", "math_reasoning"


def write_day(
    results: Path,
    date: str,
    samples: Sequence[dict[str, Any]],
    *,
    version: str = "1",
    grading: Grading = "deterministic",
    temperature: float = 0.0,
) -> None:
    """A day whose grades are these: `model`, `score`, and what else a grade or its breakdown is to say;
    `answer`: its text, None for a day without texts."""
    folder = day_folder(results, date)
    folder.mkdir(parents=True)
    models = tuple(Model(name, name) for name in dict.fromkeys(str(sample["model"]) for sample in samples))
    write_record(
        folder,
        DayRecord(
            date=date, created=f"{date}T00:00:00Z", suite_version=version, suite_fingerprint=(
                "x"
            ), grader_version="x",
            models=models, sampling=Sampling(temperature=temperature),
        ),
    )  # fmt: skip
    write_scores(
        folder,
        [
            DailyScore(date=date, model=m.id, use_case="u", grading=grading, suite_version=version, score=0.0)
            for m in models
        ],
    )
    with (folder / ANSWERS).open("wb") as raw, (folder / GRADES).open("wb") as graded:
        for number, sample in enumerate(samples):
            common: dict[str, Any] = {
                "timestamp": date, "run_id": date, "framework_version": "x",
                "task_id": sample.get("case", "c"),
                "model": sample["model"],
                "n_shot": 0, "dialect": "none", "context": "base", "sample": sample.get("sample", number),
            }  # fmt: skip
            answer = Response(**common, response=sample.get("answer", "r"), tokens_in=300, tokens_out=100)
            if answer.response is not None:
                raw.write(msgspec.json.encode(answer) + b"\n")
            breakdown = {"use_case": "u", "judged": sample.get("judged"), "parts": sample.get("parts", [])}
            grade = Grade(
                **common, level_a=True, level_b=True, level_c=True, correct=False, score=sample["score"],
                error_type=sample.get("error_type"), breakdown=breakdown,
            )  # fmt: skip
            graded.write(msgspec.json.encode(grade) + b"\n")


def parts(*credits: tuple[int, float, float]) -> list[dict[str, Any]]:
    """(rung, score, weight) each."""
    return [{"name": "n", "score": s, "weight": w, "detail": "", "rung": r} for r, s, w in credits]


def shares(found: Items, model: str) -> dict[str, float]:
    return {
        item.id: round(item.credits[model].share, 6)
        for item in (*found.items, *found.rungs)
        if model in item.credits
    }


def test_a_rung_is_the_weighted_mean_of_its_parts_and_silence_got_no_rung(tmp_path: Path) -> None:
    said = {"model": "m", "score": 0.5, "parts": parts((1, 1, 1), (2, 1, 3), (2, 0, 1), (3, 0, 1), (0, 1, 1))}
    write_day(tmp_path, "2026-03-01", [said, {"model": "m", "score": 0.0}])
    found = measure_days(tmp_path)
    assert shares(found, "m") == {"c": 0.25, "c/1": 0.5, "c/2": 0.375, "c/3": 0.0}
    assert {item.credits["m"].answers for item in (*found.items, *found.rungs)} == {2}
    assert [item.tokens for item in (*found.items, *found.rungs)] == [400.0] + 3 * [pytest.approx(400 / 3)]


def test_what_was_not_asked_checked_or_judged_is_in_no_share(tmp_path: Path) -> None:
    errors = [
        {"model": "m", "score": 0.0, "error_type": kind} for kind in ("api_error", "timeout", "unchecked")
    ]
    write_day(tmp_path / "one", "2026-03-01", [{"model": "m", "score": 0.75}, *errors])
    assert shares(measure_days(tmp_path / "one"), "m") == {"c": 0.75}
    unjudged = [{"model": "m", "score": 0.6}, {"model": "m", "score": 0.8, "judged": 0.5}]
    write_day(tmp_path / "two", "2026-03-01", unjudged, grading="hybrid")
    assert shares(measure_days(tmp_path / "two"), "m") == {"c": 0.8}


def write_days(
    results: Path, *, change: float, texts: bool, rungs: int, means: tuple[float, float], cases: int = 150
) -> None:
    """28 days of two models. An answer stays from day to day; with this chance a new one is drawn instead."""
    chance = np.random.default_rng(50)
    heights, drawn = np.zeros((2, cases)), np.zeros((2, cases), dtype=int)
    for day in range(28):
        new = (chance.random((2, cases)) < change) | (day == 0)
        heights = np.where(new, chance.binomial(rungs, np.array(means)[:, None], (2, cases)), heights)
        drawn = np.where(new, day, drawn)
        samples = [
            {
                "model": f"m{model}",
                "case": f"c{case}",
                "sample": 0,
                "score": float(heights[model, case]) / rungs,
                "answer": f"of day {drawn[model, case]}" if texts else None,
                "parts": parts(
                    *((rung, float(rung <= heights[model, case]), 1) for rung in range(1, rungs + 1))
                )
                if rungs > 1
                else [],
            }
            for case in range(cases)
            for model in range(2)
        ]
        write_day(results, f"2026-02-{day + 1:02}", samples)


def share_told_apart(found: Items) -> float:
    pairs = [
        measure_discrimination(item.credits, {"m0": 1.0, "m1": 0.0}).index or 0.0 for item in found.items
    ]
    return float(np.mean(np.abs(pairs)))


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize("rungs", [1, 12])
def test_frozen_answers_do_not_tell_alike_models_apart(tmp_path: Path, rungs: int, texts: bool) -> None:
    """52 to 75 % were told apart when each day counted as one more answer."""
    write_days(tmp_path, change=0.03, texts=texts, rungs=rungs, means=(0.5, 0.5))
    assert max(share_told_apart(measure_days(tmp_path, days)) for days in (14, 28)) <= 0.05


@pytest.mark.parametrize(("rungs", "means", "power"), [(1, (0.8, 0.3), 0.75), (12, (0.7, 0.4), 0.98)])
def test_fresh_answers_tell_models_apart_as_before(
    tmp_path: Path, rungs: int, means: tuple[float, float], power: float
) -> None:
    write_days(tmp_path, change=1, texts=True, rungs=rungs, means=means)
    found = measure_days(tmp_path, 28)
    assert share_told_apart(found) >= power
    assert all(credit.draws == credit.answers for item in found.items for credit in item.credits.values())


def test_a_text_that_comes_back_is_one_draw_only_on_consecutive_days_and_at_temperature_0(
    tmp_path: Path,
) -> None:
    for temperature, draws in ((0.0, 6**2 / (3**2 + 1 + 2**2)), (0.7, 6)):
        results = tmp_path / str(temperature)
        for day, answer in enumerate("aaabaa", 1):
            sample = {"model": "m", "score": 1.0, "answer": answer}
            write_day(results, f"2026-03-{day:02}", [sample], temperature=temperature)
        (item,) = measure_days(results).items
        credit = item.credits["m"]
        assert credit.answers == 6 and credit.draws == pytest.approx(draws)
        assert credit.low == pytest.approx(wilson(draws, draws)[0])


def test_the_samples_of_a_day_are_draws_of_their_own(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        samples = [{"model": "m", "score": 1.0, "answer": answer} for answer in ("a", "a", f"b{day}")]
        write_day(tmp_path, f"2026-03-{day:02}", samples)
    (item,) = measure_days(tmp_path).items
    assert item.credits["m"].draws == pytest.approx(9**2 / (3**2 + 3**2 + 3))


def test_only_the_last_days_of_the_newest_suite_are_read(tmp_path: Path) -> None:
    for day, version in (("01", "1"), ("02", "1"), ("03", "2"), ("04", "2")):
        write_day(tmp_path, f"2026-03-{day}", [{"model": "m", "score": float(day == "04")}], version=version)
    found = measure_days(tmp_path)
    assert (found.source, found.answers) == ("2 days, 2026-03-03 to 2026-03-04", 2)
    assert found.notes == ("2 of these 4 days asked another suite and were left out.",)
    (day_folder(tmp_path, "2026-03-03") / GRADES).write_text("not a grade\n")
    assert shares(measure_days(tmp_path, 1), "m") == {"c": 1.0}
    with pytest.raises(UsageError, match=rf"2026-03-03.{GRADES}, line 1"):
        measure_days(tmp_path, 2)
    assert measure_days(tmp_path, 2, lenient=True).answers == 1
    (day_folder(tmp_path, "2026-03-04") / GRADES).unlink()
    with pytest.raises(UsageError, match="no graded answer to measure"):
        measure_days(tmp_path, 1)


def test_of_a_long_time_so_many_days_are_opened_and_no_more(tmp_path: Path) -> None:
    for day in range(1, 32):
        write_day(tmp_path, f"2026-03-{day:02}", [{"model": "m", "score": 1.0}])
    found = measure_days(tmp_path, 31)
    assert (found.source, found.answers) == ("28 days, 2026-03-01 to 2026-03-31", 28)
    assert found.notes == ("Of 31 days 28 were read, evenly spread.",)
    assert measure_days(tmp_path, 28).notes == ()


def test_suite_check_warns_where_the_stored_days_show_no_headroom(tmp_path: Path) -> None:
    from probatio.authoring.check.measured import format_headroom, headroom_of_days

    assert headroom_of_days("x", tmp_path) is None  # no day
    write_day(tmp_path, "2026-03-01", 10 * [{"model": "m", "score": 1.0}, {"model": "n", "score": 0.5}])
    assert headroom_of_days("another suite", tmp_path) is None
    first, *others = format_headroom(headroom_of_days("x", tmp_path))
    assert first == "Headroom, measured on 2026-03-01 (2 models):"
    assert any("u: no headroom. m has 100.0 %" in line for line in others)


def test_a_real_day_of_a_ladder_is_measured_and_shown(tmp_path: Path) -> None:
    """Three models: one right, one that leaves the top third out, one that is silent."""
    cases = [case for case in built_in(MATH, "cases") if case["id"] == LADDER]
    if not cases:
        pytest.skip(f"this suite has no case {LADDER}")
    proofs = {proof["why"]: proof for proof in built_in(MATH, "proofs") if proof["case"] == LADDER}
    lesser = proofs["the top third is left out"]
    replies = {"gold": proofs["as asked"]["answer"], "lesser": lesser["answer"], "silent": " "}
    suite = tmp_path / "suite"
    (suite / MATH).mkdir(parents=True)
    (suite / MATH / "cases.yml").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    manifest = yaml.safe_load((DAILY / "suite.yml").read_text(encoding="utf-8"))
    del manifest["forms"]
    manifest |= {"name": "one", "version": "0.1.0", "fingerprint": "unpinned"}
    manifest["use_cases"] = [
        {**{key: value for key, value in entry.items() if key != "cases"}}
        for entry in manifest["use_cases"]
        if entry["id"] == MATH
    ]
    (suite / "suite.yml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    with Double(reply=lambda body: replies[body["model"]]) as double:
        variables = environment(double)
        flags = ["--suite", "suite", "--date", "2026-03-10", "--replay"]
        for name in replies:
            flags += ["--model", f"openrouter:{name}"]
        done = probatio("daily", *flags, env=variables, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    told = json.loads(probatio("study", "items", "--daily", "--json", env=variables, cwd=tmp_path).stdout)
    models = {name: next(model for model in told["models"] if name in model) for name in replies}
    (case,) = told["items"]
    assert [case["credits"][models[name]]["share"] for name in replies] == pytest.approx(
        [1, lesser["score"], 0], abs=1e-6
    )
    rungs = {
        item["rung"]: [item["credits"][models[name]]["share"] for name in replies] for item in told["rungs"]
    }
    assert rungs == {rung: [1.0, float(rung <= 10), 0.0] for rung in range(1, 16)}
    text = probatio("study", "items", "--daily", "--rungs", env=variables, cwd=tmp_path).stdout
    assert f"{models['lesser']}: {100 * lesser['score']:.1f} %" in text and f"{LADDER}/15" in text
    site = load_site(tmp_path / "results")
    (address,) = [path for path in addresses(site) if path.startswith(f"cases/{MATH}/")]
    page = render(site, address)
    assert page is not None and b"What it tells (10 Mar 2026): not known yet" in page.body
