"""Two days of a model side by side: what moved, the answers before and after, what else changed; and where
the form that chooses them leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import zip_longest
from typing import NamedTuple

from probatio.core.records import ModelVerdict
from probatio.site.facts.diffs import (
    PASSED,
    PASSED_AT_MOST,
    CaseDiff,
    WordDiff,
    chance_of_passing,
    compare_days,
    compare_words,
    measure_usual_change,
)
from probatio.site.facts.standing import find_level, find_past_fall
from probatio.site.rendering import NoPage, PageReply, PageRequest, html
from probatio.site.snapshot import Site, TrackedModel

SHOWN = 6
"""Cases whose answers are shown side by side, the largest falls first."""
LISTED = 60
"""Cases in the table, from both ends. A suite may have hundreds."""
PREVIOUS = "the day before"
USUAL = "the last day before it fell"
AGO = {"a week before": 7, "four weeks before": 28}


class DayPair(NamedTuple):
    """Two days that have a page, and what they are to each other."""

    name: str
    before: str
    after: str

    @property
    def address(self) -> str:
        """Relative to the model's own address."""
        return f"diff/{self.before}..{self.after}/"


def diff_page(request: PageRequest) -> PageReply:
    """Any two days of a model, the earlier one first."""
    site, model = request.site, request.tracked
    before, after = request.names["before"], request.names["after"]
    old, new = request.find("before", model.by_date), request.find("after", model.by_date)
    if before >= after or before not in site.days or after not in site.days:
        raise NoPage
    level = find_level(model, new)
    reference = [site.days[date] for date in level.days if level.reference and date in site.days]
    usual = measure_usual_change(model.id, reference)
    diff = compare_days(model.id, site.days[before], site.days[after], usual)
    moved = (
        diff.moved if len(diff.moved) <= LISTED else diff.moved[: LISTED // 2] + diff.moved[-LISTED // 2 :]
    )
    return html(
        request,
        "diff.html",
        model=model,
        before=before,
        after=after,
        old=old,
        new=new,
        diff=diff,
        level=level,
        chances=[chance_of_passing(share, len(diff.scores)) for share in (PASSED, PASSED_AT_MOST)],
        moved=moved,
        left_out=len(diff.moved) - len(moved),
        shown=[
            (each, words)
            for each in diff.moved[:SHOWN]
            if (words := _words(site, model, before, after, each))
        ],
        others={name: day for name, day in comparisons(site, model, new).items() if day != before},
    )


def choice_page(request: PageRequest) -> PageReply:
    """Where the form that chooses two days is sent. Without days it leads to the form."""
    return PageReply(moved=f"../../{request.tracked.slug}/#compare")


def choose_pair(site: Site, slug: str, query: Mapping[str, str]) -> str | None:
    """The address of the two days asked for, relative to the choice. For a day without a record the last
    recorded one before it is taken. None if two days were not asked for or do not exist."""
    model = site.tracked.get(slug)
    wanted = sorted(query.get(name, "") for name in ("before", "after"))
    days = [each.date for each in model.verdicts if each.date in site.days] if model else []
    if len(days) < 2 or not wanted[0]:
        return None
    first, second = (max((each for each in days if each <= day), default=days[0]) for day in wanted)
    if first == second:
        at = max(1, days.index(second))
        first, second = days[at - 1], days[at]
    return f"{first}..{second}/"


def story_pairs(site: Site, model: TrackedModel) -> list[DayPair]:
    """The pairs that the model's own page links to: the fall (also one just over), what is left of it today,
    and today with yesterday."""
    days = [each.date for each in model.verdicts if each.date in site.days]
    over = find_past_fall(model)
    fell, last = over[0] if over else model.fell_on(model.last), model.last.date
    usual = [day for day in days if fell and day < fell]
    since_then = [day for day in days if fell and day >= fell]
    found = []
    if usual and since_then:
        found.append(DayPair("the last day before the fall and the day it began", usual[-1], since_then[0]))
        found.append(DayPair("the last day before the fall and the latest day", usual[-1], last))
    if len(days) > 1 and days[-1] == last:
        found.append(DayPair("the latest two days", days[-2], last))
    return _once(found)


def comparisons(site: Site, model: TrackedModel, verdict: ModelVerdict) -> dict[str, str]:
    """What a day can be compared with, and which day that is. Each pair has a page."""
    found = {name: day for name, day in list_fixed(model, verdict).items() if day in site.days}
    if site.sample_days is None:
        ago = {
            name: (date.fromisoformat(verdict.date) - timedelta(days=days)).isoformat()
            for name, days in AGO.items()
        }
        return found | {name: day for name, day in ago.items() if day in model.by_date and day in site.days}
    if verdict.date in site.sampled_dates:
        return found
    built = {(each.before, each.after) for each in story_pairs(site, model)}
    return {name: day for name, day in found.items() if (day, verdict.date) in built}


def list_pairs(site: Site, model: TrackedModel, date: str) -> list[DayPair]:
    """The pairs of the static build that end with a day: those that the model's page links to, and, if the
    day has pages, with the day before it and with the last day before the fall."""
    found = [each for each in story_pairs(site, model) if each.after == date]
    verdict = model.by_date.get(date)
    if verdict is not None and date in site.sampled_dates and date in site.days:
        found += [
            DayPair(name, each, date)
            for name, each in list_fixed(model, verdict).items()
            if each in site.days
        ]
    return _once(found)


def every_diff(site: Site, date: str) -> Iterator[dict[str, str]]:
    """Those that end with this day, the nearest first, so that the samples of a day are read once."""
    pairs = [
        (each.before, slug) for slug, model in site.tracked.items() for each in list_pairs(site, model, date)
    ]
    for before, slug in sorted(pairs, reverse=True):
        yield {"slug": slug, "before": before, "after": date}


def list_fixed(model: TrackedModel, verdict: ModelVerdict) -> dict[str, str]:
    """The pairs that also have a page in the static build."""
    earlier = [each.date for each in model.verdicts if each.date < verdict.date]
    found = {PREVIOUS: earlier[-1]} if earlier else {}
    fell = model.fell_on(verdict)
    usual = [day for day in earlier if fell and day < fell]
    return found | ({USUAL: usual[-1]} if usual and usual[-1] != earlier[-1] else {})


def _once(pairs: list[DayPair]) -> list[DayPair]:
    """Each pair under its first name."""
    found: dict[tuple[str, str], DayPair] = {}
    for each in pairs:
        found.setdefault((each.before, each.after), each)
    return list(found.values())


def _words(site: Site, model: TrackedModel, before: str, after: str, each: CaseDiff) -> WordDiff | None:
    """The pair of answers to a case whose grades differ most; None if a day has none."""
    sides = [
        [
            (sample.grade.score if sample.grade else 0.0, sample.response.response)
            for sample in site.samples.of(day, model.id).get(each.use_case, [])
            if sample.response.case == each.case and sample.response.response
        ]
        for day in (before, after)
    ]
    pairs = [(old, new) for old, new in zip_longest(*sides) if old and new]
    if not pairs:
        return None
    old, new = min(pairs, key=lambda pair: pair[1][0] - pair[0][0])
    return compare_words(old[1], new[1])
