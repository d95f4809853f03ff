"""The page of two days of a model side by side: what moved, by how much, the answers before and after, and what else changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import zip_longest

from probatio.records import ModelVerdict
from probatio.site.answer_diff import WordDiff, word_diff
from probatio.site.day_diff import CaseDiff, day_diff
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.snapshot import Site, TrackedModel
from probatio.site.standing import BAD, since

SHOWN = 6
"""Cases whose answers are shown side by side, the largest falls first."""
LISTED = 60
"""Cases in the table, from both ends. A suite may have hundreds."""
AGO = {"a week before": 7, "four weeks before": 28}


def diff_page(request: PageRequest) -> PageReply | None:
    """Any two days of a model, the earlier one first."""
    site, model = request.site, request.tracked
    before, after = request.names["before"], request.names["after"]
    if model is None or before >= after:
        return None
    old, new = model.by_date.get(before), model.by_date.get(after)
    if old is None or new is None or before not in site.days or after not in site.days:
        return None
    diff = day_diff(model.id, site.days[before], site.days[after], new)
    moved = diff.moved if len(diff.moved) <= LISTED else diff.moved[: LISTED // 2] + diff.moved[-LISTED // 2 :]
    return html(
        request,
        "diff.html",
        model=model,
        before=before,
        after=after,
        old=old,
        new=new,
        diff=diff,
        moved=moved,
        left_out=len(diff.moved) - len(moved),
        shown=[(each, words) for each in diff.moved[:SHOWN] if (words := _words(site, model, before, after, each))],
        others={name: day for name, day in comparisons(site, model, new).items() if day != before},
    )


def comparisons(site: Site, model: TrackedModel, verdict: ModelVerdict) -> dict[str, str]:
    """What a day can be compared with, and the day that is: each of them has a page."""
    found = fixed_comparisons(model, verdict)
    if site.sample_days is None:
        found |= {name: day for name, ago in AGO.items() if (day := _earlier(verdict.date, ago)) in model.by_date}
    return {name: day for name, day in found.items() if day in site.days}


def every_diff(site: Site) -> Iterator[dict[str, str]]:
    """In the static build: each day that has pages, against the day before it and the last day before the fall."""
    for day in sorted(site.sampled_dates & site.days.keys()):
        for name in (PREVIOUS, USUAL):
            for slug, model in site.tracked.items():
                verdict = model.by_date.get(day)
                found = fixed_comparisons(model, verdict) if verdict else {}
                if found.get(name) in site.days:
                    yield {"slug": slug, "before": found[name], "after": day}


PREVIOUS = "the day before"
USUAL = "the last day before it fell"


def fixed_comparisons(model: TrackedModel, verdict: ModelVerdict) -> dict[str, str]:
    """Those that have a page in the static build, too."""
    earlier = [each.date for each in model.verdicts if each.date < verdict.date]
    found = {PREVIOUS: earlier[-1]} if earlier else {}
    began = since(verdict) if verdict.shown in BAD else None
    usual = [day for day in earlier if began and day < began]
    return found | ({USUAL: usual[-1]} if usual and usual[-1] != earlier[-1] else {})


def _earlier(day: str, ago: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=ago)).isoformat()


def _words(site: Site, model: TrackedModel, before: str, after: str, each: CaseDiff) -> WordDiff | None:
    """The pair of answers to a case that are furthest apart in their grades; None where a day has none."""
    sides = [
        [
            (sample.grade.score if sample.grade else 0.0, sample.response.response)
            for sample in site.samples.of(day, model.id)
            if sample.response.task_id == each.case and sample.use_case == each.use_case and sample.response.response
        ]
        for day in (before, after)
    ]
    pairs = [(old, new) for old, new in zip_longest(*sides) if old and new]
    if not pairs:
        return None
    old, new = min(pairs, key=lambda pair: pair[1][0] - pair[0][0])
    return word_diff(old[1], new[1])
