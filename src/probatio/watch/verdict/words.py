"""A verdict for people: two plain sentences, what else changed, and what to do next. The numbers come last.

Pure: made from the verdict's record, the titles of the use cases and the constants. The command, the alert
and the site show the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import floor

import msgspec

from probatio.core.records import Cause, Constants, ModelVerdict, UseCaseVerdict
from probatio.watch.verdict.changed_route import describe_change
from probatio.watch.verdict.odds import YEAR, describe_chance
from probatio.watch.verdict.reason import describe_not_asked
from probatio.watch.verdict.reference_level import NO_LEVEL, LevelBefore

MOST = 3
"""Use cases named in a sentence; the others are counted."""
MANY = 3
"""Use cases that are low on the same day are more than the usual noise; the rule, too, counts to three."""
RARELY = 0.05
"""A rule that calls fewer healthy models COOKED within a year is rarely wrong."""
_HUGE = re.compile(r"\d{1,3}(?:,\d{3}){3,}")


class Rarity(msgspec.Struct, frozen=True):
    """The share of healthy models that the published rule calls COOKED within a year, over the noises it was
    tried on."""

    least: float
    most: float


class ExpectedFalse(msgspec.Struct, frozen=True):
    """How many of so many healthy models chance alone would flag in a month."""

    models: int
    confirmed: float  # at most
    cooked: tuple[float, float] | None  # by the rule, over the noises it was tried on; None if not measured

    @property
    def sentence(self) -> str:
        rule = ""
        if self.cooked is not None:
            least, most = (_count(MONTHS * each) for each in self.cooked)
            rule = f"; by the rule alone {least} to {most} COOKED a year"
        many = "the model was" if self.models == 1 else f"all {self.models} models were"
        often = _describe_rate(MONTHS * self.confirmed)
        return f"False alarms to expect if {many} healthy: at most {often}{rule}."


def expect_false(models: int, constants: Constants, rarity: Rarity | None) -> ExpectedFalse:
    """Over a twelfth of a year."""
    month = models / MONTHS
    cooked = None if rarity is None else (month * rarity.least, month * rarity.most)
    return ExpectedFalse(models, month * YEAR / constants.evidence.confirmed, cooked)


MONTHS = 12


def _describe_rate(a_year: float) -> str:
    """`one CONFIRMED in 11 years`: no more years than its rate allows."""
    if a_year >= 1:
        return f"{_count(a_year)} CONFIRMED a year"
    years = floor(1 / a_year + ROUNDING) if a_year > 0 else 0
    return f"one CONFIRMED in {years:,} years" if years > 1 else "one CONFIRMED a year" if years else "none"


ROUNDING = 1e-6
"""A rate of 0.01 in floats is a hair more than one in 100."""


def _count(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


class AnswerGrade(msgspec.Struct, frozen=True):
    """What a grader said of one answer."""

    score: float | None  # 0–1
    said: str  # what cost most of its points
    cut: bool  # it ended at a limit of length


class CaseChange(msgspec.Struct, frozen=True):
    """One case that fell: its credit, 0–1, and what was answered, before and now. With whole answers come
    their prompt and their grades."""

    use_case: str  # its title
    case: str
    before: float
    now: float
    answer_before: str | None = None
    answer_now: str | None = None
    day_before: str | None = None  # of the answer before
    lost: str = ""  # what cost the answer now most of its points, in the grader's words
    prompt: str | None = None
    grade_before: AnswerGrade | None = None
    grade_now: AnswerGrade | None = None


class VerdictText(msgspec.Struct, frozen=True):
    """A verdict in words."""

    sentences: tuple[str, str]
    cases: tuple[CaseChange, ...]
    around: tuple[str, ...]
    advice: tuple[str, ...]
    details: str

    @property
    def summary(self) -> str:
        return " ".join(self.sentences)

    def lines(self, show: Callable[[str], str] = str, quote: Callable[[str], str] = str) -> list[str]:
        """As text: the sentences first, the numbers last. `show`: how a line is shown; `quote`: an answer."""
        made = list(map(show, self.sentences))
        for each in self.cases:
            made.append(
                show(
                    f"• {each.use_case}, {each.case}: {100 * each.before:.0f} % before, "
                    f"{100 * each.now:.0f} % now"
                )
            )
            made += [
                f"    {when}: {quote(text)}"
                for when, text in (
                    ("before", each.answer_before),
                    ("now", each.answer_now),
                    ("lost", each.lost),
                )
                if text
            ]
        made += [show(f"Also different: {each}.") for each in self.around]
        made += [show(f"Next: {each}") for each in self.advice]
        return [*made, show(f"Details: {self.details}")]


def describe(
    verdict: ModelVerdict,
    titles: Mapping[str, str],
    constants: Constants,
    rarity: Rarity | None = None,
    cases: Sequence[CaseChange] = (),
    level: LevelBefore = NO_LEVEL,
    began: str | None = None,
    drifting: str | None = None,
) -> VerdictText:
    """The verdict in words. `rarity`: None if not measured for this suite. `level`: what its scores are
    compared with. `began`: the first day of a fall that is not dated yet; the verdict alone knows only the
    day of its status. `drifting`: the day on which a slow fall began, if it was no step."""
    what = _describe_status(verdict, titles, constants, level) or _describe_fall(
        verdict, titles, level, began
    )
    if drifting:
        what = f"{what} It did not fall at once: it has been drifting down since {_format_month(drifting)}."
    # what the simulator measured is of the whole suite
    sure = _how_sure(verdict, constants, None if verdict.form else rarity)
    if verdict.look == "ROUTE" and verdict.changed_route:  # the answer first
        moved = f"{verdict.model} scores lower on its new route. {describe_change(verdict.changed_route)}."
        what, sure = moved, f"There {what} {sure}"
    elif verdict.changed_route:
        sure = f"{sure} {describe_change(verdict.changed_route)}."
    if verdict.form and verdict.shown != "STALE":
        sure = f"{sure} Asked the {verdict.form}."
    if verdict.not_asked and verdict.shown != "STALE":
        left_out = describe_not_asked(verdict.not_asked, titles)
        sure = f"{sure} {left_out[0].upper()}{left_out[1:]}."
    return VerdictText(
        (what, sure),
        tuple(cases),
        around(verdict),
        advice(verdict, cases_listed=bool(cases)),
        _HUGE.sub("over a billion", verdict.reason),
    )


def around(verdict: ModelVerdict) -> tuple[str, ...]:
    """What else was different, as clauses; causes first."""
    outside = [verdict.cause_reason] if verdict.cause not in (None, "MODEL") and verdict.cause_reason else []
    route = (
        [f"the route changed{f' to {verdict.route}' if verdict.route else ''}"]
        if verdict.routing_changed
        else []
    )
    judge = ["the judge's marks had shifted, so judged use cases are held"] if verdict.barred else []
    lower = [NOTE] if verdict.lower and verdict.shown != "OK" else []
    missing = (
        [f"answers in {', '.join(verdict.ungraded)} came and have no score"]
        if verdict.ungraded and verdict.shown != "GAP"
        else []
    )
    return tuple(dict.fromkeys([*outside, *verdict.symptoms, *route, *judge, *lower, *missing]))


NOTE = "its scores have been lower than in the reference for four weeks or more"


def advice(verdict: ModelVerdict, *, cases_listed: bool = False) -> tuple[str, ...]:
    """What to do next. `cases_listed`: the reader has just seen the cases that fell."""
    again = (UNGRADED.format(date=verdict.date),) if verdict.ungraded else ()
    if verdict.shown not in ("SUSPICIOUS", "COOKED"):
        return again
    look = (
        "look at the cases above"
        if cases_listed
        else "compare its answers before the fall with those of today"
    )
    after = PROVEN.format(model=verdict.model) if verdict.confirmed else OPEN
    return (*(each.format(look=look) for each in ADVICE[verdict.cause or "MODEL"]), after, *again)


ADVICE: dict[Cause, tuple[str, ...]] = {
    "MODEL": ("{look}; try another provider, or the previous version.",),
    "ROUTE": ("pin the former provider or version (`route:` in models.yml) and compare the two.",),
    "INFRA": (
        "ask the provider for its own limit on answers, or take another route; the model itself is not to "
        "blame.",
    ),
    "JUDGE": ("nothing about the model; `probatio daily calibrate` shows what the judge does now.",),
    "HARNESS": (
        "look at this machine, its network and the suite first: several models fell together. "
        "`probatio verdict --regrade` tells whether the graders changed; if nothing here did, the models "
        "did.",
    ),
    "GRADER": ("`probatio verify` names the grades that changed; the model itself is not to blame.",),
}
"""Cause → what to do about it."""

PROVEN = (
    "roll back or pin another version; if the new level is wanted, say so: "
    'probatio verdict accept {model} --why "…"'
)
UNGRADED = "`probatio daily --date {date}` grades the answers again that have no grade; none is asked again."
OPEN = "wait: it is confirmed if it lasts and clears if not."


def _describe_fall(
    verdict: ModelVerdict, titles: Mapping[str, str], level: LevelBefore, began: str | None
) -> str:
    flagged = [each for each in verdict.use_cases if each.status in ("COOKED", "SUSPICIOUS")]
    named = [each for each in verdict.use_cases if each.use_case in verdict.named]
    since = verdict.changed_on or began or verdict.headline_since or verdict.date
    about = "about " if verdict.changed_on else ""
    if verdict.confirmed and not flagged:
        where = _list_use_cases(named, titles) or "its scores as a whole"
        return (
            f"{verdict.model} has been lower than in its reference since {about}{since}, in {where}, and has "
            "stayed low."
        )
    worst = sorted(flagged, key=lambda each: -(each.drop or 0.0))
    if not worst:
        where = _list_use_cases(named, titles)
        return (
            f"{verdict.model} looks lower than usual since about {since}{f', in {where}' if where else ''}."
        )
    where = _list_use_cases(worst, titles, level)
    return f"{verdict.model} answers worse since {about}{since} in {where}."


def _describe_status(
    verdict: ModelVerdict, titles: Mapping[str, str], constants: Constants, level: LevelBefore
) -> str | None:
    """What a model is like that has not fallen, or None for one that has."""
    if verdict.shown == "STALE":
        since = verdict.headline_since
        return (
            f"Nothing is known of {verdict.model} today: its last answers are of {since}."
            if since
            else f"Nothing is known of {verdict.model}: no answer of it was ever scored."
        )
    if verdict.shown == "GAP" and verdict.ungraded:
        without = [each for each in verdict.use_cases if each.use_case in verdict.ungraded]
        return (
            f"{verdict.model} can't be called as usual on {verdict.date}: answers came in "
            f"{_list_use_cases(without, titles)} and have no score."
        )
    if verdict.shown == "GAP":
        why = verdict.reason.partition(": ")[2].partition(";")[0].rstrip(".")
        return f"{verdict.model} has no score on {verdict.date}: {why}."
    if verdict.shown == "OK":
        again = f" again since {verdict.headline_since}" if verdict.well_again else ""
        young = verdict.series_why and verdict.evidence == "CALIBRATING"
        since = (
            f", compared only with days since {verdict.series_since}: {verdict.series_why}" if young else ""
        )
        held = describe_held(verdict, titles, level)
        scored = sum(each.score is not None for each in verdict.use_cases)
        compared = sum(each.score is not None and each.held is None for each in verdict.use_cases)
        if not compared:
            return f"{verdict.model} can't be called as usual on {verdict.date}: {held}."
        which = f"{compared} of {scored}" if held else f"all {scored}"
        return (
            f"{verdict.model} is as usual{again}: {which} scored use cases are in their usual range{since}"
            f"{f'; {held}' if held else ''}."
        )
    if verdict.shown != "CALIBRATING":
        return None
    days = max((each.days for each in verdict.use_cases), default=0)
    if verdict.collapsed:
        lost = [each for each in verdict.use_cases if each.use_case in verdict.collapsed]
        where = _list_use_cases(lost, titles, level)
        return f"{verdict.model} collapsed in {where}, though there are only {days} days to compare with."
    began = (
        f" A new series began on {verdict.series_since}: {verdict.series_why}." if verdict.series_why else ""
    )
    return (
        f"{verdict.model} can't be judged yet: it needs at least {constants.rule.baseline_min} days to "
        f"compare with, and has {days}.{began}"
    )


HELD = {
    "barred": "the judge changed",
    "routing": "the route changed",
    "asked late": "they were asked on another date",
}
"""Why scores are held back, by the word of the record."""


def describe_held(verdict: ModelVerdict, titles: Mapping[str, str], level: LevelBefore) -> str:
    """`Replies 41.7, usually 90.6: held back, because the judge changed`; empty if nothing is held back."""
    told = []
    for why in dict.fromkeys(each.held for each in verdict.use_cases if each.held):
        held = [each for each in verdict.use_cases if each.held == why and each.score is not None]
        lowest = sorted(held, key=lambda each: -(each.drop or 0.0))
        if held:
            told.append(f"{_list_use_cases(lowest, titles, level)}: held back, because {HELD[why or '']}")
    return "; ".join(told)


def _how_sure(verdict: ModelVerdict, constants: Constants, rarity: Rarity | None) -> str:
    """The chance of a false alarm, not the statistic."""
    limits = constants.evidence
    if verdict.shown == "STALE":
        if not verdict.headline_since:
            return "It was asked in vain, or could not be asked: `probatio daily` says why."
        return "What was said of it then is too old to be said now."
    healthy = "a model that did not change has"
    if verdict.confirmed:
        return (
            f"This is proven: {healthy} {describe_chance(limits.confirmed)} of being called so within a year."
        )
    if verdict.evidence == "LOWER" or (verdict.evidence == "SUSPECTED" and verdict.proof is not None):
        return f"This is not proven: {UNPROVEN}."
    if verdict.evidence == "SUSPECTED":
        chance = (
            f"{healthy} {describe_chance(max(limits.suspected, verdict.evidence_value or 0.0))} of looking "
            "like this within a year"
        )
        if verdict.shown == "COOKED":
            return f"This is not proven yet, but it is unlikely to be chance: {chance}."
        return f"This is not proven: {chance}."
    if verdict.shown == "COOKED":
        return f"This is what the published rule says, and not proven yet: {_describe_rarity(rarity)}."
    if verdict.shown == "SUSPICIOUS":
        flagged = sum(each.status in ("COOKED", "SUSPICIOUS") for each in verdict.use_cases)
        if flagged >= MANY:
            return (
                f"Nothing is proven, but {flagged} use cases are low at once: the next days will show "
                "whether it lasts or was a "
                f"bad day of its provider."
            )
        return "This may well be chance: a low day in one or two use cases is common, and nothing is proven."
    if verdict.collapsed:
        return "So large a fall is rarely chance, but nothing is proven before the reference is complete."
    if verdict.evidence == "CALIBRATING":
        days = f"{verdict.reference_days} of {limits.reference_days} days"
        return f"Small or slow changes can't be seen yet: the reference has {days}."
    if verdict.lower:
        return LOWER
    if verdict.shown == "OK" and verdict.smallest_drop is not None:
        return (
            f"A lasting drop of {100 * verdict.smallest_drop:.2g} % or more would have been proven within "
            f"{limits.detectable_days} days with a chance of {_percent(limits.detectable_probability)}."
        )
    return "No sign of a lasting change."


UNPROVEN = (
    "at temperature 0 answers repeat, and the answers that changed are lower by not much more than a new "
    "draw of the same answers could be"
)
LOWER = (
    "It has scored lower than in its reference for four weeks or more. That may be a new draw of the same "
    "answers, so it is not proven; it is shown until it ends."
)


def _describe_rarity(rarity: Rarity | None) -> str:
    """How far to trust the rule alone."""
    if rarity is None:
        return "how often the rule is wrong was not measured for this suite"
    if rarity.most <= RARELY:
        return (
            f"the rule alone is rarely wrong, about {_percent(rarity.most)} of healthy models within a year"
        )
    if rarity.least <= RARELY:
        return (
            "the rule alone is rarely wrong about a steady model, but often about one whose scores jump "
            "from day to day; if the fall lasts, the evidence will show it"
        )
    return (
        f"the rule alone is often wrong, about at least {_percent(rarity.least)} of healthy models within a "
        "year"
    )


def _list_use_cases(
    group: Sequence[UseCaseVerdict], titles: Mapping[str, str], level: LevelBefore = NO_LEVEL
) -> str:
    """Their titles; with a level also their scores."""
    shown = []
    for each in group[:MOST]:
        before = level.describe(each.use_case)
        points = f" ({each.score:.0f} points, {before})" if before and each.score is not None else ""
        shown.append(f"{titles.get(each.use_case, each.use_case.replace('_', ' '))}{points}")
    if len(group) > MOST:
        shown.append(f"{len(group) - MOST} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def _format_month(day: str) -> str:
    return "{0:%B} {0.year}".format(date.fromisoformat(day))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
