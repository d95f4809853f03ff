"""How a model stands in one line: the sentence of the front page and the reason beside each badge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from probatio.core.records import Day, ModelVerdict, Status, UseCaseVerdict
from probatio.site.facts.standing import ModelStanding, explain, format_day, list_standings, summarise
from probatio.site.snapshot import Site, TrackedModel, load_site
from probatio.watch.alerts.describing import VerdictDescriber
from watch.verdict.made_up import day_at, made_up_day

TODAY = "2026-03-31"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return load_site(tmp_path_factory.mktemp("none"))


def _use_case(name: str, score: float | None, status: Status = "OK", **more: Any) -> UseCaseVerdict:
    return UseCaseVerdict(use_case=name, status=status, score=score, days=4, **more)


def _model(name: str, *use_cases: UseCaseVerdict, before: float = 90.0, **last: Any) -> TrackedModel:
    """Ten days before 20 March at one level, and the last day."""
    days = [
        ModelVerdict(
            date=f"2026-03-{10 + day}",
            model=name,
            status="OK",
            use_cases=tuple(_use_case(each.use_case, before) for each in use_cases),
        )
        for day in range(10)
    ]
    today = {"date": TODAY, "model": name, "status": "OK", "use_cases": use_cases} | last
    verdicts = (*days, ModelVerdict(**today))
    return TrackedModel(name, name, verdicts, teller=VerdictDescriber(Path(), _days(verdicts), verdicts))


def _days(verdicts: Iterable[ModelVerdict]) -> dict[str, Day]:
    """The days whose scores these verdicts tell."""
    return {
        verdict.date: made_up_day(
            (date.fromisoformat(verdict.date) - date.fromisoformat(day_at(0))).days,
            {verdict.model: {each.use_case: each.score for each in verdict.use_cases}},
        )
        for verdict in verdicts
    }


def _rows(*models: TrackedModel) -> list[ModelStanding]:
    return [ModelStanding(model, "") for model in models]


FALLEN: dict[str, Any] = {
    "headline": "COOKED",
    "confirmed": True,
    "changed_on": "2026-03-20",
    "evidence": "CONFIRMED",
}
LOOKING: dict[str, Any] = {"headline": "SUSPICIOUS", "headline_since": "2026-03-29"}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([_model("a", **FALLEN)], "a (since about 20 March) got worse (proven)."),
        (
            [_model("a", **FALLEN), _model("b", **LOOKING)],
            "a (since about 20 March) got worse (proven); b (first seen 29 March) looks worse, not proven.",
        ),
        ([_model("b", **LOOKING)], "b (first seen 29 March) looks worse; not proven."),
        ([_model("c"), _model("d")], "No model got worse: all 2 that can be judged are as usual."),
        (
            [_model("c"), _model("d", status="GAP")],
            "No model got worse: the one that can be judged is as usual.",
        ),
        ([_model("d", status="CALIBRATING")], "No model can be judged yet."),
    ],
)
def test_the_sentence_says_who_since_when_and_how_sure(rows: list[TrackedModel], told: str) -> None:
    assert summarise(_rows(*rows), TODAY) == told


def test_many_fallen_models_are_counted_after_three_names() -> None:
    told = summarise(_rows(*(_model(name, **FALLEN) for name in "abcde")), TODAY)
    named = ", ".join(f"{name} (since about 20 March)" for name in "abc")
    assert told == f"{named} and 2 more got worse (proven)."


def test_usual_is_what_was_before_the_fall_though_the_baseline_followed_it(empty: Site) -> None:
    followed = _use_case("math", 60.0, mean=60.0)
    told = explain(
        empty, _model("a", followed, _use_case("code", 59.0, mean=60.0), named=("math", "code"), **FALLEN)
    )
    assert told == (
        "Lower since about 20 March in all 2 use cases, most in code: 59 points, 90 on the days before."
    )


def test_one_fallen_use_case_is_named_and_another_cause_is_told(empty: Site) -> None:
    low, well = _use_case("math", 70.0, "SUSPICIOUS"), _use_case("code", 90.0)
    told = explain(empty, _model("a", low, well, cause="ROUTE", **LOOKING))
    assert told == "Lower since 29 March in math: 70 points, 90 on the days before. Likely cause: the route."


def test_a_model_without_a_score_or_past_says_why(empty: Site) -> None:
    gap = _model(
        "a", _use_case("math", None, "GAP"), status="GAP", reason="GAP: 9 of 10 samples errored; more."
    )
    assert explain(empty, gap) == "No score: 9 of 10 samples errored."
    young = _model("a", _use_case("math", 80.0, "CALIBRATING"), status="CALIBRATING")
    assert (
        explain(empty, young)
        == f"Can't be judged yet: 4 of {empty.manifest.rule.baseline_min} days to compare with."
    )


def test_the_proven_fall_comes_before_the_rule_s_and_ok_last(empty: Site) -> None:
    models = {
        name: _model(name, **more) for name, more in (("a", {}), ("b", {"headline": "COOKED"}), ("c", FALLEN))
    }
    assert [row.model.id for row in list_standings(replace(empty, tracked=models))] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("day", "words"),
    [("2026-03-08", "8 March"), ("2025-12-31", "31 December 2025"), (None, "an unknown day"), ("<b>", "<b>")],
)
def test_dates_are_written_as_people_write_them(day: str | None, words: str) -> None:
    assert format_day(day, TODAY) == words


def test_an_unreadable_date_of_a_ledger_breaks_no_page(empty: Site) -> None:
    model = _model("a", _use_case("math", 60.0), **(FALLEN | {"changed_on": "yesterday"}))
    assert "yesterday" in explain(empty, model)
