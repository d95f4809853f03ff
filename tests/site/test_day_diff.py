"""Two days of a model side by side, and the cases over all models."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from probatio.records import Calibration, DailyScore, Day, DayRecord, Model, ModelVerdict, Sampling, UseCaseVerdict
from probatio.site.addresses import addresses, render
from probatio.site.answer_diff import COMPARED, word_diff
from probatio.site.cases import BROKEN, EVERYBODY, NOBODY, case_standings
from probatio.site.day_diff import BEYOND, day_diff
from probatio.site.snapshot import Site

MODELS = ("a", "b", "c")
CASES = ("one", "two", "three", "four")


def _day(number: int, shares: dict[str, dict[str, float]], **record: object) -> Day:
    """A day of one use case: model → case → share."""
    day = (date(2026, 1, 1) + timedelta(days=number)).isoformat()
    made = DayRecord(
        date=day,
        created=day,
        suite_version="1",
        suite_fingerprint="x",
        grader_version="x",
        models=tuple(Model(id=model, name=model) for model in shares),
        sampling=Sampling(),
    )
    lines = tuple(
        DailyScore(
            date=day,
            model=model,
            use_case="math",
            grading="deterministic",
            suite_version="1",
            score=100 * sum(cases.values()) / len(cases),
            cases=cases,
            providers={"usual": 4},
        )
        for model, cases in shares.items()
    )
    return Day(msgspec.structs.replace(made, **record), lines)


def _verdict(day: Day) -> ModelVerdict:
    use_case = UseCaseVerdict(use_case="math", status="OK", score=day.scores[0].score, mean=70.0, sd=2.0)
    return ModelVerdict(date=day.date, model="a", status="OK", use_cases=(use_case,))


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_joined_are_the_texts_again(before: str, after: str) -> None:
    found = word_diff(before, after)
    for pieces, text in ((found.before, before), (found.after, after)):
        assert "".join(piece.text for piece in pieces) == text
    common = ["".join(piece.text for piece in pieces if not piece.own) for pieces in (found.before, found.after)]
    assert common[0] == common[1]


def test_only_the_words_that_differ_are_marked() -> None:
    found = word_diff("The answer is 42, as ever.", "The answer is 41, as ever.")
    assert [piece.text for piece in found.before if piece.own] == ["42"]
    assert [piece.text for piece in found.after if piece.own] == ["41"]
    assert word_diff("x" * (COMPARED + 1), "x").cut


def test_a_diff_tells_falls_first_and_what_chance_would_make() -> None:
    old = _day(0, {"a": {"one": 1.0, "two": 0.5, "three": 0.25, "gone": 1.0}})
    new = _day(1, {"a": {"one": 0.0, "two": 0.5, "three": 1.0, "new": 1.0}})
    diff = day_diff("a", old, new, _verdict(new))
    assert [(each.case, each.change) for each in diff.moved] == [("one", -1.0), ("three", 0.75)]
    assert (diff.same, diff.alone, diff.other_suite) == (1, 2, False)
    (score,) = diff.scores
    assert score.usual == BEYOND * 2.0
    assert score.change == pytest.approx(-6.25) and score.beyond
    assert not score._replace(after=score.before).beyond and not score._replace(after=None).beyond
    assert diff.facts == []


def test_a_diff_tells_what_else_changed() -> None:
    shares = {"a": dict.fromkeys(CASES, 1.0)}
    old = _day(0, shares, calibration=Calibration(judge="j"))
    new = _day(
        1, shares, calibration=Calibration(judge="j", barred=True), suite_fingerprint="y", versions={"node": "2"}
    )
    moved = msgspec.structs.replace(new.scores[0], providers={"elsewhere": 4}, tokens_out=90, errored=2)
    diff = day_diff("a", old, Day(new.record, (moved,)), _verdict(new))
    assert diff.other_suite
    assert {each.name: (each.before, each.after) for each in diff.facts} == {
        "Content of the suite": ("x", "y"),
        "Judge barred": ("no", "yes"),
        "Served by": ("usual", "elsewhere"),
        "Version of node": ("–", "2"),
        "Samples without an answer": ("0", "2"),
        "Tokens of all answers": ("0", "90"),
    }


def _standings(now: dict[str, dict[str, float]]) -> dict[str, str]:
    steady = {model: dict.fromkeys(CASES, 0.8) for model in MODELS}
    days = [_day(number, now if number >= 28 else steady) for number in range(35)]
    found = case_standings({day.date: day for day in days})
    assert set(found) == {("math", case) for case in CASES}
    return {case: found["math", case].finding for case in CASES}


def test_a_case_in_which_most_models_fall_alone_looks_broken() -> None:
    broken = {model: {**dict.fromkeys(CASES, 0.8), "two": 0.1} for model in MODELS}
    assert _standings(broken) == {"one": "", "two": BROKEN, "three": "", "four": ""}


def test_a_model_that_falls_everywhere_breaks_no_case() -> None:
    fallen = {model: dict.fromkeys(CASES, 0.1 if model == "a" else 0.8) for model in MODELS}
    everything = {model: dict.fromkeys(CASES, 0.1) for model in MODELS}
    assert set(_standings(fallen).values()) == set(_standings(everything).values()) == {""}


def test_cases_that_tell_nothing_are_named() -> None:
    dead = {model: {"one": 1.0, "two": 0.0, "three": 0.8, "four": 0.8} for model in MODELS}
    days = {day.date: day for day in (_day(number, dead) for number in range(20))}
    found = {key[1]: each.finding for key, each in case_standings(days).items()}
    assert found == {"one": EVERYBODY, "two": NOBODY, "three": "", "four": ""}
    assert case_standings({}) == {}


def test_days_of_another_suite_are_not_compared() -> None:
    days = [_day(number, {"a": dict.fromkeys(CASES, 0.8)}) for number in range(28)]
    days += [_day(number, {"a": dict.fromkeys(CASES, 0.1)}, suite_version="2") for number in range(28, 35)]
    standing = case_standings({day.date: day for day in days})["math", "one"]
    assert standing.before == {} and standing.now == {"a": pytest.approx(0.1)}


@pytest.mark.slow
def test_each_sampled_day_has_its_diff_and_a_fall_the_one_with_the_day_before_it(site: Site) -> None:
    listed = [path for path in addresses(site) if "/diff/" in path]
    last = site.last_date
    assert f"models/demo-steady/diff/2026-03-30..{last}/" in listed
    (usual,) = [path for path in listed if path.endswith(f"..{last}/") and "demo-forgotten" in path][1:]
    page = render(site, usual)
    assert page is not None
    text = page.body.decode()
    assert re.search(r"Lower than chance would make it in \d+ of 10 use cases", text)
    assert len(page.body) < 150_000
    day = render(site, f"models/demo-forgotten/{last}/")
    assert day is not None and usual.encode() in day.body
    (fall,) = [path for path in listed if path.endswith(f"..{last}/") and "demo-cooked" in path]
    sides = render(site, fall)
    assert sides is not None
    assert re.search(r"worth <del>\d+</del> of 100", sides.body.decode()), "the words that differ are marked"
    assert re.search(r"worth <ins>\d+</ins> of 100", sides.body.decode())


@pytest.mark.slow
def test_any_two_days_can_be_compared_on_the_live_server(client: TestClient) -> None:
    page = client.get("/models/demo-rerouted/diff/2026-03-01..2026-03-31/")
    assert page.status_code == 200
    assert "<td>Delphi</td><td>Faraway Cloud</td>" in page.text
    assert '<input type="date" name="before" value="2026-03-01"' in page.text
    for none in (
        "2026-03-31..2026-03-01",
        "2026-03-31..2026-03-31",
        "2020-01-01..2026-03-31",
        "2026-99-99..2026-03-31",
    ):
        assert client.get(f"/models/demo-rerouted/diff/{none}/").status_code == 404


@pytest.mark.slow
def test_every_case_has_a_page_with_every_model_that_was_asked(site: Site) -> None:
    asked = {(line.use_case, case) for day in site.days.values() for line in day.scores for case in line.cases}
    assert len([path for path in addresses(site) if path.startswith("cases/")]) == 1 + len(asked) > 20
    page = render(site, "cases/math_reasoning/math-trace/")
    assert page is not None
    assert page.body.count(b'<svg class="history"') == len(site.tracked)
    assert len(page.body) < 150_000
    assert render(replace(site, days={}), "cases/math_reasoning/math-trace/") is None
