"""A model's story: the days of its fall, what else changed, the words that differ, and chances in words."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from itertools import pairwise

import msgspec
import pytest

from probatio.site.addresses import render
from probatio.site.facts.circumstances import list_circumstances
from probatio.site.facts.standing import explain, find_fall, find_past_fall, measure_usual
from probatio.site.facts.story import (
    Event,
    find_fallen_cases,
    find_proof,
    list_events,
    span_lines,
)
from probatio.site.pages.model_charts import MOST_DAYS, model_charts
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.odds import describe_odds, one_in, short_odds
from probatio.watch.verdict.words import CaseChange, VerdictText

pytestmark = pytest.mark.slow  # the whole story is read first


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (435_187_558_263_616.0, "less than a one in a million chance of a false alarm"),
        (12_345.0 * 365, "at most a one in 12,000 chance of a false alarm"),
        (36_500.0, "at most a one in 100 chance of a false alarm"),
        (365.0, "nothing unusual: a model that did not change gets here, too"),
        (float("nan"), "nothing unusual: a model that did not change gets here, too"),
        (float("inf"), "less than a one in a million chance of a false alarm"),
        (None, "not known yet"),
    ],
)
def test_the_evidence_is_a_chance_in_words(evidence: float | None, words: str) -> None:
    assert describe_odds(evidence) == words


def test_a_chance_is_never_told_as_rarer_than_it_is() -> None:
    values = [365.0 * 1.37**power for power in range(60)]
    assert all(one_in(value) <= value / 365 or one_in(value) == 1 for value in values)
    assert all(one_in(a) <= one_in(b) for a, b in pairwise(values))
    assert short_odds(3650) == "1 in 10"


def test_the_events_of_a_fall_go_from_its_date_to_its_proof(site: Site) -> None:
    model = site.tracked["demo-forgotten"]
    told = list_events(site, model)
    assert [each.date for each in told] == sorted(each.date for each in told)
    assert told[0].date == find_fall(model) == model.last.changed_on
    assert [line.rpartition(" ")[2] for line in span_lines(model)] == ["Mar", "Mar"]
    assert [len(line) <= 20 for line in span_lines(model)] == [True, True], "a phone has no room for more"
    assert told[-1] == msgspec.structs.replace(told[-1], date=find_proof(model), text="The fall was proven.")
    assert any(
        re.match(r"COOKED: clearly lower by the published rule in [A-Z].* and \d+ more\.$", each.text)
        for each in told
    )


def test_a_fall_that_is_not_proven_begins_with_its_first_bad_day(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    bad = [verdict.date for verdict in model.verdicts[-2:]]
    assert [verdict.shown for verdict in model.verdicts[-3:]] == ["OK", "SUSPICIOUS", "COOKED"]
    assert (find_fall(model), find_proof(model)) == (bad[0], None)
    assert span_lines(model) == ("suspicious 30 Mar", "cooked 31 Mar")
    assert [each.date for each in list_events(site, model)] == bad
    days = [
        score
        for verdict, each in model.series("web_design")[: model.last.reference_days]
        if each and (score := each.score) is not None and not verdict.barred
    ]
    assert model.last.reference_days < len(model.verdicts) - 2, "a day of suspicion is no usual day"
    assert measure_usual(model)["web_design"] == pytest.approx(sum(days) / len(days))
    assert model.teller is not None
    words = model.teller.describe(model.last, began=find_fall(model)).summary
    usual = {site.title(name): f"usually {score:.0f})" for name, score in measure_usual(model).items()}
    named = re.findall(r"([A-Z][\w& ]+) \(\d+ points, (usually \d+\))", words)
    assert len(named) == 3 and all(usual[title.removeprefix("and ")] == said for title, said in named)


def test_a_fall_that_is_over_is_told_whole_and_usual_is_what_was_before_it(site: Site) -> None:
    model = site.tracked["demo-recovered"]
    fell, last_low = find_past_fall(model) or ("", "")
    assert find_fall(model) is None and fell < last_low < model.last.date
    back = model.verdicts[[each.date for each in model.verdicts].index(last_low) + 1]
    assert model.last.headline_since == back.date == model.changes[-1].date, (
        "not the day from which the rule had followed it"
    )
    assert Event(back.date, "OK again: the fall is over.") in list_events(site, model)
    assert span_lines(model)[1] == f"well again {int(back.date[8:])} Mar"
    usual = measure_usual(model)["web_design"]
    lapsed = [
        score
        for verdict, each in model.series("web_design")
        if fell <= verdict.date <= "2026-03-20" and each and (score := each.score)
    ]
    assert usual > 1.15 * sum(lapsed) / len(lapsed)
    front = render(site, "")
    assert front is not None
    row = re.findall(r"<li data-status=.*?</li>", front.body.decode(), re.DOTALL)
    assert [each.count(">RECOVERED<") for each in row] == ["demo-recovered" in each for each in row]


def test_every_fall_of_the_demo_has_the_answers_before_it_however_long_ago(site: Site) -> None:
    for slug in ("demo-forgotten", "demo-slowly-worse", "demo-cooked", "demo-one-use-case"):
        model = site.tracked[slug]
        assert model.teller is not None
        told = model.teller.describe(model.last, excerpt=None, began=find_fall(model))
        assert len(told.cases) == 3
        for each in told.cases:
            assert each.answer_before and each.answer_now, (slug, each.case)
            assert each.day_before is not None and each.day_before < (find_fall(model) or "")


def test_a_new_series_says_what_was_before_it(site: Site) -> None:
    told = explain(site, site.tracked["demo-rerouted"])
    found = re.search(r"^Served by Faraway Cloud since \d+ March: (\d+) points, (\d+) before, beyond", told)
    assert found is not None and int(found[1]) < int(found[2]) - 5


def test_a_model_that_did_not_fall_has_no_fall_and_tells_its_outage(site: Site) -> None:
    model = site.tracked["demo-outage"]
    assert find_fall(model) is None and find_proof(model) is None
    assert "GAP: no score, because of an outage or too many errors." in {
        each.text for each in list_events(site, model)
    }


def test_what_else_changed_is_told_with_the_day_before(site: Site) -> None:
    model = site.tracked["demo-forgotten"]
    day = find_fall(model)
    assert day is not None
    alone = replace(site, tracked={model.slug: model})
    quiet = {each.name: each for each in list_circumstances(alone, model, day)}
    took = ["Speed", "Length", "Price"]
    assert list(quiet) == ["Route", "Judge", "Suite", "Grader", "Harness", *took, "Other models"]
    assert not any(each.changed for each in quiet.values())
    record = site.records[day]
    assert record.calibration is not None
    other = msgspec.structs.replace(
        record,
        grader_version="other",
        versions={"chromium": "2"},
        calibration=msgspec.structs.replace(record.calibration, barred=True, shift=-0.6),
    )
    rerouted = tuple(
        msgspec.structs.replace(each, route="Elsewhere") if each.date >= day else each
        for each in model.verdicts
    )
    moved = replace(model, verdicts=rerouted)
    changed = {
        each.name: each
        for each in list_circumstances(replace(alone, records=site.records | {day: other}), moved, day)
    }
    assert {name for name, each in changed.items() if each.changed} == {"Route", "Judge", "Grader", "Harness"}
    assert changed["Route"].text == f"{model.last.route} before, Elsewhere since"
    assert "had shifted, 0.60 marks harsher than usual" in changed["Judge"].text
    assert "grading as strictly as before" in quiet["Judge"].text
    assert changed["Harness"].text == "chromium – → 2"


def test_models_that_fall_together_are_told(site: Site) -> None:
    model = site.tracked["demo-forgotten"]
    twin = replace(model, id="twin", slug="twin")
    both = replace(site, tracked={model.slug: model, "twin": twin})
    last = list_circumstances(both, model, find_fall(model) or "")[-1]
    assert last.changed and "twin" in last.text


def test_a_fallen_case_has_its_answers_compared_and_leads_to_its_samples(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    title = site.title("math_reasoning")
    told = VerdictText(
        ("", ""),
        (CaseChange(title, "c", 0.9, 0.2, "it is 4", "it is 5"), CaseChange(title, "d", 1, 0)),
        (),
        (),
        "",
    )
    first, second = find_fallen_cases(site, told, model.last.date)
    assert first.answers is not None and first.use_case == "math_reasoning"
    assert (second.answers, second.use_case) == (None, None), "no answer is kept of it"


def test_a_page_shows_more_of_an_answer_than_an_alert(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    assert model.teller is not None
    (short, *_), (long, *_) = (model.teller.describe(model.last, excerpt=most).cases for most in (40, None))
    assert short.answer_now is not None and long.answer_now is not None
    assert len(short.answer_now) == 40
    assert " ".join(long.answer_now.split()).startswith(short.answer_now[:-1])
    assert len(long.answer_now) > 160 and "\n  " in long.answer_now, "as it was written"


def test_the_page_tells_the_story_in_its_order(site: Site) -> None:
    page = render(site, "models/demo-cooked/")
    assert page is not None
    text = page.body.decode()
    heads = re.findall(r"<h2>([^<]*)", text)
    assert heads[:6] == [
        "What happened", "What to do next", "Use cases", "Speed, length and price", "How sure is this?",
        "Last days in numbers",
    ]  # fmt: skip
    assert 'href="../../falls/demo-cooked-2026-03-30/"' in text, "the cases are told there"
    assert not re.search(r"\d{1,3}(,\d{3}){3,}", text), "no statistic that nobody can picture"


def _long(model: TrackedModel, days: int) -> TrackedModel:
    """The same model with a longer past: its first days over and over, before what there is."""
    first = dt.date.fromisoformat(model.verdicts[0].date)
    past = [
        msgspec.structs.replace(
            model.verdicts[number % 20], date=(first - dt.timedelta(days - number)).isoformat()
        )
        for number in range(days)
    ]
    return replace(model, verdicts=(*past, *model.verdicts))


def test_a_page_of_a_year_and_of_ten_stays_below_150_kb(site: Site) -> None:
    for days in (330, 3650):
        model = _long(site.tracked["demo-forgotten"], days)
        records = dict.fromkeys(model.by_date, site.records[site.last_date or ""])
        long = replace(site, tracked={model.slug: model}, records=records)
        page = render(long, f"models/{model.slug}/")
        assert page is not None
        assert len(page.body) < 150_000, days
        charts = model_charts(long, model)
        assert len(charts.dates) == len(charts.opens) == min(MOST_DAYS, days + 46)
