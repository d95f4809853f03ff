"""Falls: what begins and ends one, how the site's own record counts them, and the page that each has for
ever."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from probatio.core.records import ModelVerdict, Status
from probatio.runs.store.layout import ANSWERS
from probatio.site.addresses import render
from probatio.site.facts.circumstances import find_cause, list_circumstances
from probatio.site.facts.falls import FallRecord, measure_falls
from probatio.site.facts.story import FallenCase, find_fallen_cases, tell_fall
from probatio.site.snapshot import Site, TrackedModel, load_site
from probatio.watch.verdict.falls import Fall, list_falls
from probatio.watch.verdict.words import AnswerGrade, CaseChange, VerdictText

SIGNS: dict[str, Status] = {
    ".": "OK", "s": "SUSPICIOUS", "c": "COOKED", "P": "COOKED", "-": "GAP", "n": "CALIBRATING",
}  # fmt: skip
"""One sign a day; P is proven, dated to the day before it was first seen."""


def _verdicts(signs: str) -> list[ModelVerdict]:
    return [
        ModelVerdict(
            date=f"2026-03-{day:02d}",
            model="m",
            status=SIGNS[sign],
            headline=SIGNS[sign],
            confirmed=sign == "P",
            changed_on="2026-03-02" if sign == "P" else None,
            series_why="the suite is another one" if sign == "n" else None,
        )
        for day, sign in enumerate(signs, 1)
    ]


def _falls(signs: str) -> list[tuple[int | None, int | None, int | None, str]]:
    """First seen, proven and ended, as days of the month; and the state."""

    def day(date: str | None) -> int | None:
        return int(date[8:]) if date else None

    return [
        (day(each.first_seen), day(each.proven), day(each.ended), each.state)
        for each in list_falls(_verdicts(signs))
    ]


@pytest.mark.parametrize(
    ("signs", "falls"),
    [
        ("....", []),
        ("..s", [(3, None, None, "open")]),
        ("..scc", [(3, None, None, "open")]),
        ("..sPP", [(3, 4, None, "confirmed")]),
        ("..sc..", [(3, None, 5, "withdrawn")]),
        ("..scPc.", [(3, 5, 7, "recovered")]),
        ("..s-s-.", [(3, None, 7, "withdrawn")]),  # a gap neither begins nor ends a fall
        ("-..s-", [(4, None, None, "open")]),
        ("..s.s", [(3, None, 4, "withdrawn"), (5, None, None, "open")]),
        ("..Pn.", [(3, 3, 4, "replaced")]),  # a new series says nothing of the former one
        ("..sn.", [(3, None, 4, "replaced")]),
    ],
)
def test_a_fall_lasts_from_its_first_bad_day_to_the_first_day_that_is_well(
    signs: str, falls: list[tuple[int | None, int | None, int | None, str]]
) -> None:
    assert _falls(signs) == falls


def test_the_day_that_shows_a_fall_stays_however_long_it_lasts() -> None:
    for signs in ("..scP", "..scPP", "..scPPc", "..scPPPP.", "..scPPPP.s"):
        first = list_falls(_verdicts(signs))[0]
        assert (first.first_seen, first.shown_on, first.began) == ("2026-03-03", "2026-03-05", "2026-03-02")
    assert list_falls(_verdicts("..sscs"))[0].shown_on == "2026-03-05", "not proven: when it looked worst"
    assert list_falls(_verdicts("..ss."))[0].shown_on == "2026-03-03"


def test_the_record_counts_each_alarm_once_and_its_days_to_proof() -> None:
    falls = [
        fall
        for signs in ("..scP", "..sP.", "..s..c..", "..s", "..Pn", "....")
        for fall in list_falls(_verdicts(signs))
    ]
    record = measure_falls(falls)
    assert record == FallRecord(
        raised=6,
        confirmed=3,
        withdrawn=2,
        recovered=1,
        open=1,
        replaced=1,
        days_to_proof=1.0,
    )
    assert record.raised == record.withdrawn + record.recovered + record.open + record.replaced + 1
    assert measure_falls([]) == FallRecord(0, 0, 0, 0, 0)


def _text(site: Site, path: str) -> str:
    page = render(site, path)
    assert page is not None, path
    return page.body.decode()


def test_every_fall_of_the_record_has_a_page_that_front_model_feed_and_api_lead_to(
    site: Site, paths: list[str]
) -> None:
    every = {model.fall_address(fall) for model, fall in site.falls}
    assert every == {path for path in paths if re.fullmatch(r"falls/.+-\d{4}-\d\d-\d\d/", path)}
    assert len(every) > 5
    listed = _text(site, "falls/")
    assert set(re.findall(r'href="\.\./(falls/.+?/)"', listed)) == every
    assert {each["page"] for each in json.loads(_text(site, "api/falls.json"))["falls"]} == every
    for model, fall in site.falls:
        assert f"{model.fall_address(fall)}" in _text(site, f"models/{model.slug}/")
        if fall.ended is None:
            for surface in ("", "embed/", f"embed/{model.slug}/", "feed.atom"):
                assert model.fall_address(fall) in _text(site, surface), surface
    assert render(site, "falls/demo-cooked-2026-03-29/") is None
    assert render(site, "falls/nothing-2026-03-30/") is None


def test_a_fall_is_told_with_its_cause_first_and_how_sure_it_is(site: Site) -> None:
    page = html.unescape(_text(site, "falls/demo-recovered-2026-03-12/"))
    head = re.findall(r"<h1>(.*?)</h1>", page)[0]
    assert head == "demo-recovered: the model itself got worse; no cause outside it was found"
    assert "Recovered: it was proven, and is over, since 29 Mar 2026." in page
    assert "first seen on 12 Mar 2026, proven on 17 Mar 2026" in page
    open_page = html.unescape(_text(site, "falls/demo-cooked-2026-03-30/"))
    assert "Open: it lasts, and is not proven." in open_page and "not proven: at temperature 0" in open_page
    assert 'og:description" content="demo-cooked: its answers got worse' in open_page
    withdrawn = html.unescape(_text(site, "falls/demo-slowly-worse-2026-03-09/"))
    assert "Withdrawn: it cleared without proof, since 10 Mar 2026." in withdrawn
    assert "What to do next" not in withdrawn


def test_a_fall_shows_three_cases_with_prompt_both_answers_and_their_grades(site: Site) -> None:
    page = _text(site, "falls/demo-cooked-2026-03-30/")
    assert page.count('<pre class="answer"') == 6
    assert page.count('<details class="prompt"') == 3
    assert page.count('<p class="grade">Grade ') == 6
    assert page.count("Not cut off.") + page.count("Cut off at the limit of its length.") == 6
    assert "<del>" in page and "<ins>" in page
    assert "No change: route, judge, suite, grader, harness" in page


def test_a_fall_that_is_over_is_told_by_the_answers_of_its_own_days(site: Site) -> None:
    model = site.tracked["demo-recovered"]
    story = tell_fall(site, model, model.falls[0])
    assert story.verdict.date == model.falls[0].proven == "2026-03-17"
    assert len(story.cases) == 3
    for each in story.cases:
        assert (each.before.day or "") < story.fall.first_seen < (each.now.day or "") == "2026-03-17"
    assert story.events[-1].text == "OK again: the fall is over."
    assert {each.date for each in story.events} <= {
        day for day in model.by_date if "2026-03-10" < day <= "2026-03-29"
    }


def test_the_weights_behind_a_name_are_the_headline(site: Site) -> None:
    model = site.tracked["demo-forgotten"]
    fall = model.falls[0]
    moved = "2026-03-16"
    assert moved < fall.first_seen

    def record(day: str) -> object:
        kept = {"sha256": ("b" if day >= moved else "a") * 64}
        return msgspec.structs.replace(site.records[day], embedded={model.id: kept})

    embedded = replace(site, records={day: record(day) for day in site.records})  # type: ignore[misc]
    story = tell_fall(embedded, model, fall)
    assert story.cause == "the weights behind this name changed on 16 Mar 2026"
    assert story.changed[0].text == f"{'a' * 12} before, {'b' * 12} since 16 Mar 2026"
    strange = msgspec.structs.replace(site.records[moved], embedded={model.id: "x"})
    found = list_circumstances(replace(site, records=site.records | {moved: strange}), model, fall.began)
    assert "Weights" not in {each.name for each in found}


def test_a_cause_outside_the_model_is_the_headline_with_its_day() -> None:
    verdict = msgspec.structs.replace(
        _verdicts("c")[0], cause="ROUTE", cause_reason="the served provider changed to X on 2026-03-02"
    )
    assert find_cause(verdict, []) == "the served provider changed to X on 2 Mar 2026"


def _case(site: Site, before: str, now: str) -> FallenCase:
    change = CaseChange(
        "Coding", "c", 1.0, 0.0, before, now, "2026-03-01", "", "Say it.",
        AnswerGrade(1.0, "", False), AnswerGrade(0.0, "lost it", True),
    )  # fmt: skip
    told = VerdictText(("", ""), (change,), (), (), "")
    return find_fallen_cases(site, told, "2026-03-31")[0]


def test_every_quoted_character_is_as_it_was(site: Site) -> None:
    before = f"```\n  if x:\n\treturn  {Path('/tmp')}/a … b\n```\n\n  end  "
    case = _case(site, before, before.replace("a …", "b …"))
    assert "".join(piece.text for piece in case.before.pieces) == before
    bent = _case(site, "a\u202eb", "c\x1b[2J")
    shown = ["".join(piece.text for piece in quoted.pieces) for quoted in (bent.before, bent.now)]
    assert shown == ["a\\u202eb", "c\\u001b[2J"], "what can't be seen is written out"


def test_what_is_not_shown_of_an_answer_is_counted(site: Site) -> None:
    long = "".join(f"word{number} " for number in range(2000))
    case = _case(site, long, f"{long}more")
    for quoted, text in ((case.before, long), (case.now, f"{long}more")):
        shown = sum(len(piece.text) + piece.left_out for piece in quoted.pieces)
        assert shown == len(text)
        assert sum(len(piece.text) for piece in quoted.pieces) <= 1200


def test_an_answer_that_was_cut_off_says_so(
    site: Site, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = site.tracked["demo-cooked"]
    story = tell_fall(site, model, model.falls[0])
    told = [grade for each in story.cases for grade in (each.change.grade_before, each.change.grade_now)]
    assert {grade.cut for grade in told if grade} == {True, False}, "the demo shows some answers in part"
    monkeypatch.setattr(
        "probatio.site.pages.falls.tell_fall",
        lambda *_: story._replace(cases=[_case(site, "all of it", "all of")]),
    )
    page = _text(site, "falls/demo-cooked-2026-03-30/")
    assert "Grade 0. Lost most: lost it. <strong>Cut off at the limit of its length.</strong>" in page
    assert "Grade 100, nothing lost. Not cut off." in page


@pytest.fixture
def hostile_fall(tmp_path: Path, hostile_day: Callable[..., None]) -> Site:
    """A model that attacks its reader, and fell on the second day."""
    for day, score in (("2026-03-01", 80.0), ("2026-03-02", 20.0)):
        hostile_day(tmp_path, day, score)
    site = load_site(tmp_path)
    (slug, model), *_ = site.tracked.items()
    last = msgspec.structs.replace(
        model.verdicts[-1],
        headline="COOKED",
        status="COOKED",
        cause="ROUTE",
        cause_reason=f"it is {model.id}",
    )
    return replace(site, tracked={slug: replace(model, verdicts=(model.verdicts[0], last))})


def test_a_hostile_model_acts_on_no_page_of_its_fall(
    hostile_fall: Site, hostile_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (model, fall), *_ = hostile_fall.falls
    case = _case(hostile_fall, f"{hostile_text} one", f"{hostile_text} two")
    bad = msgspec.structs.replace(
        case, change=msgspec.structs.replace(
            case.change, use_case=hostile_text, case=hostile_text, prompt=hostile_text,
            grade_now=AnswerGrade(0.5, f"{hostile_text}\x00 {Path.home()}", False),
        )
    )  # fmt: skip
    story = tell_fall(hostile_fall, model, fall)._replace(cases=[bad])
    monkeypatch.setattr("probatio.site.pages.falls.tell_fall", lambda *_: story)
    for path in (model.fall_address(fall), "falls/", "api/falls.json", "", f"models/{model.slug}/"):
        page = _text(hostile_fall, path)
        assert path.endswith(".json") or ("<script>top" not in page and "<img src=x" not in page), path
        assert str(Path.home()) not in page and "\x00" not in page, path


def test_a_fall_whose_answers_are_gone_is_told_without_them(site: Site, demo: Path, tmp_path: Path) -> None:
    for day in (demo / "daily").iterdir():
        if day.is_dir():
            (tmp_path / "daily" / day.name).mkdir(parents=True)
            for file in day.iterdir():
                if file.name != ANSWERS:
                    (tmp_path / "daily" / day.name / file.name).write_bytes(file.read_bytes())
        else:
            (tmp_path / "daily" / day.name).write_bytes(day.read_bytes())
    page = _text(load_site(tmp_path, sample_days=2), "falls/demo-cooked-2026-03-30/")
    assert '<pre class="answer"' not in page and "It earned" in page


def test_the_list_of_falls_is_paged_and_small(site: Site) -> None:
    model = site.tracked["demo-steady"]
    one = model.verdicts[-1]
    days = [
        msgspec.structs.replace(
            one, date=f"20{10 + number // 336:02d}-{1 + number // 28 % 12:02d}-{1 + number % 28:02d}",
            headline="SUSPICIOUS" if number % 2 else "OK", headline_since=None,
        )
        for number in range(1400)
    ]  # fmt: skip
    many: TrackedModel = replace(model, verdicts=tuple(days))
    busy = replace(site, tracked={model.slug: many})
    assert len(busy.falls) == 700
    pages = [_text(busy, path) for path in ("falls/", "falls/2/", "falls/3/")]
    assert render(busy, "falls/4/") is None and render(busy, "falls/1/") is None
    assert max(map(len, pages)) < 150_000
    assert sum(page.count('<th scope="row">') for page in pages) == 700
    assert len(_text(busy, f"models/{model.slug}/")) < 150_000
    assert isinstance(many.falls[0], Fall)
