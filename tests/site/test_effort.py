"""What an answer takes: time, tokens, money; in charts, in the story and in the API."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatio.core.records import DailyScore, Day, DayRecord, Model, Sampling
from probatio.site.addresses import render
from probatio.site.facts.effort import DayEffort, list_effort, list_effort_changes, measure_effort
from probatio.site.snapshot import Site, load_site
from probatio.suites.daily_suite import read_manifest
from probatio.watch.day.folder import day_folder, write_record, write_scores

LAST = date(2026, 3, 31)
MODEL = "vendor/one"


def _line(use_case: str, **fields: Any) -> DailyScore:
    given = {"latency_ms": 800.0, "tokens_in": 900, "tokens_out": 1000, "cost": 0.002, "n": 5, "base_n": 5}
    entry = next(each for each in read_manifest().use_cases if each.id == use_case)
    return DailyScore(
        date="2026-03-31",
        model=MODEL,
        use_case=use_case,
        grading=entry.grading,
        suite_version=read_manifest().version,
        **{"score": 80.0, **given, **fields},
    )


def _day(*lines: DailyScore, **fields: Any) -> Day:
    record = DayRecord(
        **{
            "date": "2026-03-31",
            "created": "2026-03-31T06:00:00Z",
            "suite_version": read_manifest().version,
            "suite_fingerprint": "x",
            "grader_version": "x",
            "models": (Model(id=MODEL, name=MODEL),),
            "sampling": Sampling(),
            **fields,
        }
    )
    return Day(record, lines)


def _write(results: Path, ago: int, **fields: Any) -> None:
    day = (LAST - timedelta(days=ago)).isoformat()
    lines = [
        msgspec.structs.replace(_line(use_case, **fields), date=day)
        for use_case in ("math_reasoning", "summarization")
    ]
    folder = day_folder(results, day)
    folder.mkdir(parents=True)
    write_record(folder, _day(date=day, created=f"{day}T06:00:00Z").record)
    write_scores(folder, lines)


def test_a_day_is_the_mean_of_its_use_cases_however_often_they_were_asked() -> None:
    base = _line("math_reasoning", tokens_out=500)
    again = _line(
        "summarization", n=15, base_n=5, full_power=True, trigger="z", tokens_out=20 * 300, cost=20 * 0.001
    )
    effort = measure_effort(_day(base, again), MODEL)
    assert effort.tokens == pytest.approx((100 + 300) / 2), "a re-run's base samples count, too"
    assert effort.dollars == pytest.approx((0.0004 + 0.001) / 2)
    assert effort.seconds == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("without", "figure"),
    [
        ({"latency_ms": None}, "seconds"),
        ({"latency_ms": 0.0}, "seconds"),
        ({"tokens_out": 0}, "tokens"),
        ({"tokens_out": 10**400}, "tokens"),
        ({"cost": None}, "dollars"),
        ({"cost": -1.0}, "dollars"),
    ],
)
def test_a_day_without_a_figure_is_a_gap_and_never_zero(without: dict[str, Any], figure: str) -> None:
    effort = measure_effort(_day(_line("math_reasoning"), _line("summarization", **without)), MODEL)
    assert getattr(effort, figure) is None
    others = {"seconds", "tokens", "dollars"} - {figure}
    assert all(getattr(effort, each) is not None for each in others)


def test_a_free_route_costs_nothing_and_a_use_case_that_no_one_was_asked_is_no_gap() -> None:
    unasked = _line("summarization", score=None, n=0, base_n=0, latency_ms=None, tokens_out=0, cost=None)
    day = _day(_line("math_reasoning", cost=0.0), unasked, not_asked={"summarization": "no judge"})
    assert measure_effort(day, MODEL) == DayEffort(0.8, 200.0, 0.0)
    assert measure_effort(day, "another") == DayEffort()


def _shorter(results: Path, share: float, wobble: int = 0) -> Site:
    for ago in range(20, -1, -1):
        usual = 1000 + wobble * ((ago + 2) % 3 - 1)
        _write(results, ago, tokens_out=round(usual * (share if ago < 3 else 1)))
    return load_site(results)


def _changes(site: Site) -> dict[str, tuple[bool, str]]:
    (model,) = site.tracked.values()
    start = (LAST - timedelta(days=2)).isoformat()
    return {each.kind.name: (each.changed, each.words) for each in list_effort_changes(site, model, start)}


def test_answers_that_became_shorter_are_said_to_be(tmp_path: Path) -> None:
    found = _changes(_shorter(tmp_path, 0.6, wobble=50))
    assert found["Length"] == (True, "answers 40 % shorter: 120 tokens, usually 200 tokens")
    assert found["Speed"] == (False, "0.80 s per answer, usually 0.80 s")
    assert not found["Price"][0]


@pytest.mark.parametrize(("share", "wobble"), [(0.85, 0), (0.6, 500)])
def test_a_small_step_or_one_within_the_noise_is_no_change(share: float, wobble: int, tmp_path: Path) -> None:
    assert not _changes(_shorter(tmp_path, share, wobble))["Length"][0]


def test_days_of_another_suite_say_nothing_of_what_is_usual(tmp_path: Path) -> None:
    site = _shorter(tmp_path, 0.6)
    for when, day in site.days.items():
        if when < "2026-03-29":
            record = msgspec.structs.replace(day.record, suite_fingerprint="other")
            site.days[when] = Day(record, day.scores)  # type: ignore[index]
    assert not _changes(site)


def test_the_model_page_shows_the_three_and_a_gap_is_a_break(tmp_path: Path) -> None:
    for ago in range(6, -1, -1):
        _write(tmp_path, ago, **({"latency_ms": None} if ago == 3 else {}), cost=None)
    site = load_site(tmp_path)
    (model,) = site.tracked.values()
    assert list_effort(site, model)["2026-03-28"] == DayEffort(None, 200.0, None)
    page = render(site, f"models/{model.slug}/")
    assert page is not None
    text = page.body.decode()
    assert "Median time of an answer, seconds" in text and "Tokens written per answer" in text
    assert "Cost of 1,000 answers" not in text, "no day has a price"
    chart = re.search(r'data-kind="seconds".*?data-values="([^"]*)"', text)
    assert chart and chart[1] == "0.8;0.8;0.8;;0.8;0.8;0.8"
    drawn = re.search(r'data-kind="seconds".*?<path class="value" d="([^"]*)"', text, re.S)
    assert drawn and drawn[1].count("M") == 2, "two pieces"


def test_the_second_view_and_the_api_tell_the_last_day_and_all_days(tmp_path: Path) -> None:
    for ago in range(3, -1, -1):
        _write(tmp_path, ago, **({"cost": None} if ago == 1 else {}))
    site = load_site(tmp_path)
    (slug,) = site.tracked
    table = render(site, "use-cases/")
    assert table is not None and "<td>0.80 s, 200 tokens, $0.0004</td>" in table.body.decode()
    reply = render(site, f"api/models/{slug}.json")
    assert reply is not None
    series = msgspec.json.decode(reply.body)
    assert [each["dollars"] for each in series["effort"]] == [0.0004, 0.0004, None, 0.0004]
    assert {each["seconds"] for each in series["effort"]} == {0.8}
