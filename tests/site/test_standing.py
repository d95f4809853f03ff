"""How a model stands in one line: the sentence of the front page and the reason beside each badge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatio.core.records import Day, DayRecord, ModelVerdict, RouteChange, Sampling, Status, UseCaseVerdict
from probatio.site.addresses import render
from probatio.site.facts.answers import ask, summarise
from probatio.site.facts.lower import find_lower
from probatio.site.facts.standing import explain, format_day, list_standings
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


def _site(empty: Site, *models: TrackedModel) -> Site:
    """Asked on two days, the last of which is that of the verdicts."""
    records = {
        date: DayRecord(
            date=date,
            created=f"{date}T00:00:00Z",
            suite_version="1",
            suite_fingerprint="x",
            grader_version="x",
            models=(),
            sampling=Sampling(),
        )
        for date in ("2026-03-30", TODAY)
    }
    return replace(empty, tracked={model.slug: model for model in models}, records=records)


FALLEN: dict[str, Any] = {
    "headline": "COOKED",
    "confirmed": True,
    "changed_on": "2026-03-20",
    "evidence": "CONFIRMED",
}
LOOKING: dict[str, Any] = {"headline": "SUSPICIOUS", "headline_since": "2026-03-29"}


def _before(model: TrackedModel, **yesterday: Any) -> TrackedModel:
    """The model as it also was on the day before the last."""
    last = model.verdicts[-1]
    earlier = msgspec.structs.replace(last, date="2026-03-30", **yesterday)
    return replace(model, verdicts=(*model.verdicts[:-1], earlier, last))


MOVED: dict[str, Any] = {
    "changed_route": RouteChange(
        since="2026-03-22", was="a", now="b", before=90.0, after=80.0, level="COOKED"
    )
}


@pytest.mark.parametrize(
    ("models", "told"),
    [
        (
            [_before(_model("a", **FALLEN)), _model("b", **LOOKING), _model("c")],
            "1 looks worse since yesterday; 1 of 3 proven worse; 1 as usual.",
        ),
        (
            [_before(_model("a", **FALLEN)), _before(_model("b", **LOOKING)), _model("c")],
            "Nothing new since yesterday; 1 of 3 proven worse; 1 looks worse; 1 as usual.",
        ),
        (
            [_before(_model("a", **FALLEN), **LOOKING, confirmed=False), _before(_model("b", **MOVED))],
            "1 proven worse since yesterday; 1 of 2 proven worse; 1 worse by a new route.",
        ),
        ([_model("c"), _model("d")], "No model got worse: 2 of 2 as usual."),
        (
            [_model("c"), _model("d", status="GAP"), _model("e", status="CALIBRATING")],
            "No model got worse: 1 of 3 as usual; 1 too new to judge; 1 not known.",
        ),
        (
            [_model("c", status="CALIBRATING"), _model("d", status="CALIBRATING")],
            "No model can be judged yet.",
        ),
        ([_model("a", **FALLEN)], "Is a worse? Yes, since 20 Mar (proven)."),
    ],
)
def test_the_sentence_says_what_is_new_and_then_how_all_stand(
    empty: Site, models: list[TrackedModel], told: str
) -> None:
    site = _site(empty, *models)
    assert summarise(site, list_standings(site)) == told


WELL = _use_case("math", 90.0)


@pytest.mark.parametrize(
    ("use_case", "last", "answer"),
    [
        (WELL, FALLEN, "Yes, since 20 Mar (proven)"),
        (WELL, FALLEN | {"changed_on": "2025-12-30"}, "Yes, since 30 Dec 2025 (proven)"),
        (WELL, LOOKING, "It looks so, since 29 Mar; not proven"),
        (WELL, LOOKING | {"headline": "COOKED"}, "It looks so, since 29 Mar; not proven"),
        (WELL, MOVED, "It looks so by its new route, since 22 Mar; not proven"),
        (WELL, {}, "No sign of it"),
        (WELL, {"recovered": True, "headline_since": TODAY}, "Not any more, since 31 Mar"),
        (WELL, {"lower": True}, "Perhaps: lower for four weeks or more; not proven"),
        (
            _use_case("math", 40.0, held="barred"),
            {},
            "Not known: its scores of 31 Mar are held back",
        ),
        (
            _use_case("math", 80.0, "CALIBRATING"),
            {"status": "CALIBRATING"},
            "Too early to say: 4 of 5 days to compare with",
        ),
        (
            WELL,
            {"status": "CALIBRATING", "collapsed": ("math",)},
            "It looks so, but it is too early to prove",
        ),
        (WELL, {"status": "STALE", "headline_since": "2026-03-06"}, "Not known: last asked 6 Mar"),
        (WELL, {"status": "STALE"}, "Not known: no answer of it was ever scored"),
        (WELL, {"status": "GAP"}, "Not known: no score on 31 Mar"),
    ],
)
def test_the_question_of_a_model_has_an_answer_for_every_look(
    empty: Site, use_case: UseCaseVerdict, last: dict[str, Any], answer: str
) -> None:
    model = _model("a", use_case, **last)
    assert ask(_site(empty, model), model) == f"Is a worse? {answer}"


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


def test_what_fell_today_stands_above_what_fell_long_ago(empty: Site) -> None:
    old = _before(_model("a", **FALLEN))
    site = _site(empty, old, _model("b", **LOOKING), _before(_model("c", **FALLEN)))
    assert [(row.model.id, row.new) for row in list_standings(site)] == [
        ("b", True),
        ("a", False),
        ("c", False),
    ]


def test_a_gap_does_not_make_an_old_fall_new(empty: Site) -> None:
    model = _model("a", **FALLEN)
    gap = ModelVerdict(date="2026-03-30", model="a", status="GAP")
    earlier = msgspec.structs.replace(model.last, date="2026-03-29")
    model = replace(model, verdicts=(*model.verdicts[:-1], earlier, gap, model.last))
    assert [row.new for row in list_standings(_site(empty, model))] == [False]


@pytest.mark.parametrize(
    ("day", "words"),
    [("2026-03-08", "8 March"), ("2025-12-31", "31 December 2025"), (None, "an unknown day"), ("<b>", "<b>")],
)
def test_dates_are_written_as_people_write_them(day: str | None, words: str) -> None:
    assert format_day(day, TODAY) == words


def test_an_unreadable_date_of_a_ledger_breaks_no_page(empty: Site) -> None:
    model = _model("a", _use_case("math", 60.0), **(FALLEN | {"changed_on": "yesterday"}))
    assert "yesterday" in explain(empty, model)


@pytest.mark.parametrize("unproven", [{"evidence": "LOWER"}, {"lower": True}])
def test_what_is_lower_without_proof_says_on_how_many_answers(site: Site, unproven: dict[str, Any]) -> None:
    model = site.tracked["demo-one-use-case"]
    last = msgspec.structs.replace(model.last, confirmed=False, **unproven)
    lower = replace(model, verdicts=(*model.verdicts[:-1], last), present=None)
    shown = replace(site, tracked={**site.tracked, model.slug: lower})
    counted = find_lower(shown, lower)
    assert counted is not None and 5 <= counted.lower < counted.compared == 50
    assert f"{counted.short}." in explain(shown, lower), "in its row"
    assert counted.sentence.startswith(f"Lower on {counted.lower} of 50 answers, one draw each; not provable")
    for path, told in (("", f"{counted.short}."), (f"models/{model.slug}/", counted.sentence)):
        page = render(shown, path)
        assert page is not None and told in page.body.decode(), path
    api = render(shown, f"api/models/{model.slug}.json")
    assert api is not None and b'"lower":{"lower":%d,"compared":50}' % counted.lower in api.body


def test_what_is_proven_or_well_says_nothing_of_it(site: Site) -> None:
    for slug in ("demo-forgotten", "demo-steady", "demo-cooked"):
        model = site.tracked[slug]
        assert (
            find_lower(
                site,
                replace(model, present=msgspec.structs.replace(model.last, lower=slug == "demo-forgotten")),
            )
            is None
        )
