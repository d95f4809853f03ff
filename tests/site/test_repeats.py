"""How many answers repeat those of the day before: on the page of a model and in the API."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from probatio.core.records import Day
from probatio.site.addresses import render
from probatio.site.facts.repeats import Repeats, Texts, compare_texts, list_repeats, sum_repeats
from probatio.site.snapshot import Site, load_site
from watch.verdict.made_up import made_up_day

STORY = Path(__file__).parents[2] / "examples" / "story"


@pytest.mark.parametrize(
    ("now", "before", "found"),
    [
        ({"a": ["1"], "b": ["2"]}, {"a": ["1"], "b": ["3"]}, Repeats(2, 1)),
        ({"a": ["1", "1", "2"]}, {"a": ["1", "4", "5"]}, Repeats(3, 2)),  # each sample counts
        ({"a": ["1"], "new": ["2"]}, {"a": ["1"], "gone": ["2"]}, Repeats(1, 1)),
        ({"a": ["1"]}, {}, None),
        ({}, {"a": ["1"]}, None),
    ],
)
def test_answers_are_compared_case_by_case_with_those_of_the_day_before(
    now: Texts, before: Texts, found: Repeats | None
) -> None:
    assert compare_texts(now, before) == found


def test_a_frozen_and_a_fresh_model_are_told_apart_and_a_missing_day_is_skipped(site: Site) -> None:
    model = site.tracked["demo-steady"]
    dates = list(model.by_date)

    def answered(text: str, date: str) -> Day:
        day = made_up_day(0, {model.id: {"a": 90.0}}, {"answers": {"case": ((text, 0.9),)}})
        return msgspec.structs.replace(day, record=msgspec.structs.replace(day.record, date=date))

    gone = dates[-3]
    frozen = {date: answered("same", date) for date in dates if date != gone}
    fresh = {date: answered(date, date) for date in dates}
    for days, share in ((frozen, 1.0), (fresh, 0.0)):
        told = replace(site, days=days)
        found = list_repeats(told, model)
        assert {each.share for each in found.values()} == {share}
        assert (dates[-2] in found) == (gone in days), "after a day without a record nothing is compared"
        summed = sum_repeats(told, model)
        assert summed is not None and (summed.share, summed.days) == (share, 28)


def test_days_older_than_the_digests_are_read_from_their_answers() -> None:
    story = load_site(STORY)
    page = render(story, "models/qwen2-5-coder-0-5b/")
    assert page is not None
    text = page.body.decode()
    assert "Repeated answers" in text and "(75 answers of 1 day)" in text
    (model,) = story.tracked.values()
    repeats = sum_repeats(story, model)
    assert repeats is not None and 0 < repeats.share < 1, "asked at temperature 0.4"
