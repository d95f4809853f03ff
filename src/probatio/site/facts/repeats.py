"""How many of a model's answers are word for word those of the day before. Where most are, many days tell
little more than one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.day.samples import digest_answer

LATEST_DAYS = 28

Texts = Mapping[str, Sequence[str]]
"""Case → the digests of its answers on a day. One without a text is not among them."""


class Repeats(NamedTuple):
    """Answers of some days, and how many of them the day before had given, too."""

    asked: int
    same: int
    days: int = 1

    @property
    def share(self) -> float:
        return self.same / self.asked


def compare_texts(now: Texts, before: Texts) -> Repeats | None:
    """Of the cases that both days have. None if there is none."""
    both = now.keys() & before.keys()
    asked = sum(len(now[case]) for case in both)
    same = sum(text in before[case] for case in both for text in now[case])
    return Repeats(asked, same) if asked else None


def list_repeats(site: Site, model: TrackedModel) -> dict[str, Repeats]:
    """Day → how much of it repeats the calendar day before, oldest first; days that can't tell are left
    out."""
    texts = {day: _read_texts(site, model.id, day) for day in model.by_date}
    found: dict[str, Repeats] = {}
    for day, now in texts.items():
        eve = (date.fromisoformat(day) - timedelta(days=1)).isoformat()
        if (repeats := compare_texts(now, texts.get(eve, {}))) is not None:
            found[day] = repeats
    return found


def sum_repeats(site: Site, model: TrackedModel) -> Repeats | None:
    """Over the last days that can tell. Days recorded before answers had digests are read from their raw
    answers, and of these the last two only."""
    latest = list(list_repeats(site, model).values())[-LATEST_DAYS:]
    if latest:
        return Repeats(sum(each.asked for each in latest), sum(each.same for each in latest), len(latest))
    last = model.verdicts[-1].date
    eve = (date.fromisoformat(last) - timedelta(days=1)).isoformat()
    if eve not in model.by_date or last not in site.sampled_dates:
        return None
    return compare_texts(*(_read_samples(site, model.id, day) for day in (last, eve)))


def _read_texts(site: Site, model: str, day: str) -> Texts:
    lines = site.days[day].lines.get(model, {}).values() if day in site.days else ()
    return {
        case: texts
        for line in lines
        for case, answers in line.answers.items()
        if (texts := [digest for digest, _ in answers if digest])
    }


def _read_samples(site: Site, model: str, day: str) -> Texts:
    texts: dict[str, list[str]] = {}
    for samples in site.samples.of(day, model).values():
        for response in (each.response for each in samples):
            if response.response is not None:
                texts.setdefault(response.case, []).append(digest_answer(response.response))
    return texts
