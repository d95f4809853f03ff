"""Two days of a model side by side, and the cases over all models."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, pairwise
from statistics import fmean

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from probatio.core.records import (
    Calibration,
    DailyScore,
    Day,
    DayRecord,
    Form,
    Model,
    Sampling,
)
from probatio.site.addresses import render
from probatio.site.facts.cases import BROKEN, EVERYBODY, NOBODY, measure_cases
from probatio.site.facts.diffs import (
    ALIKE,
    COMPARED,
    PASSED,
    PASSED_AT_MOST,
    chance_of_passing,
    compare_days,
    compare_words,
    measure_usual_change,
    shorten_pieces,
)
from probatio.site.pages.diffs import choose_pair, story_pairs
from probatio.site.snapshot import Site
from probatio.suites.daily_suite import read_manifest
from probatio.watch.simulate.days import simulate_days

pytestmark = pytest.mark.slow  # whole days, sites or processes

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


def test_two_days_in_different_forms_are_not_compared() -> None:
    form = Form("small", {"math": ("one",)}, 1)
    before = _day(0, {"a": {"one": 1.0}, "b": {"one": 1.0}}, forms={"a": form})
    after = _day(1, {"a": {"one": 1.0}, "b": {"one": 1.0}})
    found = compare_days("a", before, after, {})
    assert found.other_suite
    assert ("Form", "small form (one case, one sample)", "whole suite") in found.facts
    assert not compare_days("b", before, after, {}).other_suite


_WRITTEN = st.text(max_size=60) | st.lists(
    st.sampled_from(["a", "b", "cd", " ", "  ", "\n", "!"]), max_size=20
).map("".join)


@given(_WRITTEN, _WRITTEN)
def test_the_pieces_joined_are_the_texts_again(before: str, after: str) -> None:
    found = compare_words(before, after)
    for pieces, text in ((found.before, before), (found.after, after)):
        assert "".join(piece.text for piece in pieces) == text
        assert all(one.own != two.own for one, two in pairwise(pieces)), (
            "neighbours of one kind are one piece"
        )
    common = [
        "".join(piece.text for piece in pieces if not piece.own) for pieces in (found.before, found.after)
    ]
    assert common[0] == common[1] or not found.alike
    assert found.alike or not any(piece.own for piece in (*found.before, *found.after))


def test_only_the_words_that_differ_are_marked() -> None:
    found = compare_words("The answer is 42, as ever.", "The answer is 41, as ever.")
    assert [piece.text for piece in found.before if piece.own] == ["42"]
    assert [piece.text for piece in found.after if piece.own] == ["41"]
    assert compare_words("x" * (COMPARED + 1), "x").cut
    both = compare_words("The total is 42 euros in all", "The total is 40 euros and some in all")
    assert [piece.text.strip() for piece in both.after if piece.own] == ["40", "and some"]
    assert not both.same and compare_words("a  b\n", "a  b\n").same


def test_answers_with_nothing_in_common_are_shown_without_marks() -> None:
    both = compare_words("one two three four", "five six seven eight")
    assert not both.alike
    assert not any(piece.own for piece in (*both.before, *both.after))
    common = int(100 * ALIKE)
    words = [f"same{number}" for number in range(common)], [f"{number}" for number in range(100 - common)]
    assert compare_words(
        " ".join([*words[0], *words[1]]), " ".join([*words[0], *("x" + each for each in words[1])])
    ).alike


def test_an_answer_that_contains_the_whole_other_one_is_marked_as_such() -> None:
    old = "The total is 42 euros."
    found = compare_words(old, f"Let me think. {'First I add the numbers, then I check. ' * 40}{old} Done.")
    assert found.alike and not any(piece.own for piece in found.before)
    assert any(old in piece.text for piece in found.after if not piece.own)


INDEPENDENT = ("partial", "flips", "binomial-0.9", "borderline")
"""Profiles whose days are independent; in the others a failure lasts for days."""


@pytest.mark.parametrize(
    ("profiles", "stated", "tolerance"),
    [(INDEPENDENT, PASSED, 0.005), (("sticky", "weekly", "mixed"), PASSED_AT_MOST, 0.02)],
)
def test_steady_models_pass_the_usual_noise_as_often_as_the_page_says(
    profiles: tuple[str, ...], stated: float, tolerance: float
) -> None:
    manifest, names = read_manifest(), [f"m{number}" for number in range(12)]
    shares, some = [], []
    for profile in profiles:
        days = [
            Day(msgspec.structs.replace(_day(0, {}).record, date=day.isoformat()), tuple(lines))
            for day, lines in simulate_days(manifest, names, date(2026, 1, 1), 60, profile=profile, seed=5)
        ]
        for name in names:
            usual = measure_usual_change(name, days[:28])
            for before, after in combinations(days[28::3], 2):
                scores = compare_days(name, before, after, usual).scores
                shares.append(fmean(each.beyond for each in scores))
                some.append(any(each.beyond for each in scores))
    assert fmean(shares) == pytest.approx(stated, abs=tolerance)
    assert fmean(some) == pytest.approx(chance_of_passing(stated, 10), abs=0.12)


def test_a_long_answer_is_shortened_to_what_differs() -> None:
    same = "word " * 300
    found = compare_words(f"{same}42 {same}", f"{same}43 {same}")
    shown = shorten_pieces(found.before, 700)
    assert [piece.text for piece in shown if piece.own] == ["42"]
    text, left_out = "".join(piece.text for piece in shown), [each.left_out for each in shown]
    assert len(text) < 300 and left_out[0] and left_out[-1]
    assert len(text) + sum(left_out) == len(same) * 2 + 3, "all that is not shown is counted"
    begun = shorten_pieces(compare_words(same, "other").before, 700)
    assert ["".join(each.text for each in begun), begun[-1].left_out] == [same[:700], 800]
    assert shorten_pieces(compare_words("a b", "a c").before, 700) == compare_words("a b", "a c").before


def test_a_diff_tells_falls_first_and_what_chance_would_make() -> None:
    old = _day(0, {"a": {"one": 1.0, "two": 0.5, "three": 0.25, "gone": 1.0}})
    new = _day(1, {"a": {"one": 0.0, "two": 0.5, "three": 1.0, "new": 1.0}})
    diff = compare_days("a", old, new, {"math": 6.0})
    assert [(each.case, each.change) for each in diff.moved] == [("one", -1.0), ("three", 0.75)]
    assert (diff.same, diff.alone, diff.other_suite) == (1, 2, False)
    (score,) = diff.scores
    assert score.usual == 6.0
    assert score.change == pytest.approx(-6.25) and score.beyond
    assert not score._replace(after=score.before).beyond and not score._replace(after=None).beyond
    assert diff.facts == []


def test_a_diff_tells_what_else_changed() -> None:
    shares = {"a": dict.fromkeys(CASES, 1.0)}
    old = _day(0, shares, calibration=Calibration(judge="j"))
    new = _day(
        1,
        shares,
        calibration=Calibration(judge="j", barred=True),
        suite_fingerprint="y",
        versions={"node": "2"},
    )
    moved = msgspec.structs.replace(new.scores[0], providers={"elsewhere": 4}, tokens_out=90, errored=2)
    diff = compare_days("a", old, Day(new.record, (moved,)), {})
    assert diff.other_suite
    assert {each.name: (each.before, each.after) for each in diff.facts} == {
        "Content of the suite": ("x", "y"),
        "Judge barred": ("no", "yes"),
        "Served by": ("usual", "elsewhere"),
        "Version of node": ("–", "2"),
        "Samples without an answer": ("0", "2"),
    }


def test_tokens_and_cost_of_a_day_asked_twice_are_of_each_answer() -> None:
    """Its score is of all 15 answers; what it took may be that of the last round's five."""
    shares = {"a": dict.fromkeys(CASES, 1.0)}
    once, twice = _day(0, shares), _day(1, shares)
    (line,) = once.scores
    took = msgspec.structs.replace(line, n=5, providers={"p": 5}, tokens_out=500, cost=0.001)
    again = msgspec.structs.replace(took, date=twice.date, n=15)
    facts = {
        each.name
        for each in compare_days("a", Day(once.record, (took,)), Day(twice.record, (again,)), {}).facts
    }
    assert facts == {"Samples"}


def _standings(now: dict[str, dict[str, float]]) -> dict[str, str]:
    steady = {model: dict.fromkeys(CASES, 0.8) for model in MODELS}
    days = [_day(number, now if number >= 28 else steady) for number in range(35)]
    found = measure_cases({day.date: day for day in days})
    assert set(found) == {("math", case) for case in CASES}
    return {case: found["math", case].finding for case in CASES}


def test_a_case_in_which_most_models_fall_alone_looks_broken() -> None:
    broken = {model: {**dict.fromkeys(CASES, 0.8), "two": 0.1} for model in MODELS}
    assert _standings(broken) == {"one": "", "two": BROKEN, "three": "", "four": ""}


@pytest.mark.parametrize("days_ago", [0, 1, 4])
def test_a_case_looks_broken_from_the_very_day_on_which_all_models_fall_in_it(days_ago: int) -> None:
    steady = {model: dict.fromkeys(CASES, 0.8) for model in MODELS}
    broken = {model: {**shares, "two": 0.1} for model, shares in steady.items()}
    days = [_day(number, broken if number >= 34 - days_ago else steady) for number in range(35)]
    found = measure_cases({day.date: day for day in days})
    assert {case: found["math", case].finding for case in CASES} == dict.fromkeys(CASES, "") | {"two": BROKEN}
    case = found["math", "two"]
    assert case.since == days[34 - days_ago].date
    assert case.fell == list(MODELS) and case.change == pytest.approx(-0.7)


def test_cases_that_are_right_by_chance_break_never() -> None:
    """One answer a day, right or wrong: single days differ as far as days can."""
    draw = random.Random(1)
    chances = dict(zip("abcdefgh", (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99), strict=True))
    for _ in range(15):
        drawn = [
            _day(
                number,
                {model: {case: float(draw.random() < p) for case, p in chances.items()} for model in "mnop"},
            )
            for number in range(35)
        ]
        found = measure_cases({day.date: day for day in drawn})
        assert BROKEN not in {each.finding for each in found.values()}


def test_a_bad_last_day_of_the_whole_use_case_breaks_no_case() -> None:
    steady = {model: dict.fromkeys(CASES, 0.8) for model in MODELS}
    bad = {model: dict.fromkeys(CASES, 0.1) for model in MODELS}
    days = [_day(number, bad if number == 34 else steady) for number in range(35)]
    assert {each.finding for each in measure_cases({day.date: day for day in days}).values()} == {""}


def test_a_model_that_falls_everywhere_breaks_no_case() -> None:
    fallen = {model: dict.fromkeys(CASES, 0.1 if model == "a" else 0.8) for model in MODELS}
    everything = {model: dict.fromkeys(CASES, 0.1) for model in MODELS}
    assert set(_standings(fallen).values()) == set(_standings(everything).values()) == {""}


def test_cases_that_tell_nothing_are_named() -> None:
    dead = {model: {"one": 1.0, "two": 0.0, "three": 0.8, "four": 0.8} for model in MODELS}
    days = {day.date: day for day in (_day(number, dead) for number in range(20))}
    found = {key[1]: each.finding for key, each in measure_cases(days).items()}
    assert found == {"one": EVERYBODY, "two": NOBODY, "three": "", "four": ""}
    assert measure_cases({}) == {}


def test_days_of_another_suite_are_not_compared() -> None:
    days = [_day(number, {"a": dict.fromkeys(CASES, 0.8)}) for number in range(28)]
    days += [_day(number, {"a": dict.fromkeys(CASES, 0.1)}, suite_version="2") for number in range(28, 35)]
    standing = measure_cases({day.date: day for day in days})["math", "one"]
    assert standing.before == {} and standing.now == {"a": pytest.approx(0.1)}


def test_each_sampled_day_has_its_diff_and_a_fall_the_one_with_the_day_before_it(
    site: Site, paths: list[str]
) -> None:
    listed = [path for path in paths if "/diff/" in path]
    last = site.last_date
    assert f"models/demo-steady/diff/2026-03-30..{last}/" in listed
    (usual,) = [path for path in listed if path.endswith(f"..{last}/") and "demo-forgotten" in path][1:]
    page = render(site, usual)
    assert page is not None
    text = page.body.decode()
    assert re.search(r"\d+ of 10 use cases fell more than day-to-day noise", text)
    assert len(page.body) < 150_000
    day = render(site, f"models/demo-forgotten/{last}/")
    assert day is not None and usual.encode() in day.body
    previous, fall = [path for path in listed if path.endswith(f"..{last}/") and "demo-cooked" in path]
    assert "2026-03-30.." in previous and "2026-03-29.." in fall, "it was first seen on the 30th"
    sides = render(site, fall)
    assert sides is not None
    answers = re.findall(r'class="answer[^>]*>(.*?)</pre>', sides.body.decode(), re.DOTALL)
    assert any("<del>" in each for each in answers), "the words that differ are marked"
    assert any("<ins>" in each for each in answers)
    lower = re.findall(r"(\d+) of 10 use cases fell more than day-to-day noise", sides.body.decode())
    assert int(*lower) >= 8, (
        "chance is that of the usual days: the spread of the later one has the fall in it"
    )


def test_any_two_days_can_be_compared_on_the_live_server(client: TestClient) -> None:
    page = client.get("/models/demo-rerouted/diff/2026-03-01..2026-03-31/")
    assert page.status_code == 200
    assert "<td>Delphi</td><td>Faraway Cloud</td>" in page.text
    assert '<input type="date" name="before" value="2026-03-01"' in page.text
    sent = client.get(
        "/models/demo-rerouted/diff/?before=2026-03-31&after=2026-03-01", follow_redirects=False
    )
    assert (sent.status_code, sent.headers["location"]) == (307, "2026-03-01..2026-03-31/"), (
        "without any script"
    )
    form = client.get("/models/demo-rerouted/diff/")
    assert str(form.url).endswith("/models/demo-rerouted/#compare"), "without days, the form"
    assert 'method="get" action="../../models/demo-rerouted/diff/"' in form.text
    for none in (
        "2026-03-31..2026-03-01",
        "2026-03-31..2026-03-31",
        "2020-01-01..2026-03-31",
        "2026-99-99..2026-03-31",
    ):
        assert client.get(f"/models/demo-rerouted/diff/{none}/").status_code == 404


@pytest.mark.parametrize(
    ("before", "after", "address"),
    [
        ("2026-03-01", "2026-03-20", "2026-03-01..2026-03-20/"),
        ("2026-03-20", "2026-03-01", "2026-03-01..2026-03-20/"),
        ("2020-01-01", "2030-01-01", "2026-02-14..2026-03-31/"),
        ("2026-03-31", "2026-03-31", "2026-03-30..2026-03-31/"),
        ("2020-01-01", "2020-01-02", "2026-02-14..2026-02-15/"),
        ("", "2026-03-31", None),
    ],
)
def test_two_days_asked_for_are_the_recorded_ones_nearest(
    site: Site, before: str, after: str, address: str
) -> None:
    assert choose_pair(site, "demo-steady", {"before": before, "after": after}) == address


def test_a_model_s_page_leads_to_its_fall_side_by_side_and_to_every_pair_there_is(
    site: Site, paths: list[str]
) -> None:
    model = site.tracked["demo-forgotten"]
    fall, now, latest = story_pairs(site, model)
    assert (fall.before, fall.after) == ("2026-03-17", "2026-03-18")
    assert (now.before, now.after) == ("2026-03-17", site.last_date)
    assert (latest.before, latest.after) == ("2026-03-30", site.last_date)
    page = render(site, "models/demo-forgotten/")
    assert page is not None
    assert all(f'href="{each.address}"'.encode() in page.body for each in (fall, now, latest))
    assert b'href="diff/"' not in page.body and b'<form class="tools"' not in page.body
    listed = {path for path in paths if path.startswith("models/demo-forgotten/diff/")}
    days = [render(site, path) for path in paths if re.fullmatch(r"models/demo-forgotten/[\d-]{10}/", path)]
    text = page.body.decode() + "".join(day.body.decode() for day in days if day)
    assert all(path.removeprefix("models/demo-forgotten/") in text for path in listed) and len(listed) > 3


def test_every_case_has_a_page_with_every_model_that_was_asked(site: Site, paths: list[str]) -> None:
    asked = {
        (line.use_case, case) for day in site.days.values() for line in day.scores for case in line.cases
    }
    assert len([path for path in paths if path.startswith("cases/")]) == 1 + len(asked) > 20
    page = render(site, "cases/math_reasoning/math-trace/")
    assert page is not None
    assert page.body.count(b'<svg class="history"') == len(site.tracked)
    assert len(page.body) < 150_000
    assert render(replace(site, days={}), "cases/math_reasoning/math-trace/") is None
