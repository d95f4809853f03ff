"""The question of the site and its answer: of one model, and of all of them in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import takewhile

from probatio.core.records import Look, ModelVerdict
from probatio.site.facts.standing import ModelStanding, find_asked, find_since, format_day
from probatio.site.rendering import format_date
from probatio.site.snapshot import Site, TrackedModel

QUESTION = "Did your AI model get worse?"
LEARNING = "Can a model learn this language?"
"""The question of a site that has runs and no day."""
NAMED = 3
"""Languages named in its sentence; the others are counted."""

ANSWERS: dict[str, str] = {
    "PROVEN": "Yes, since {since} (proven)",
    "COOKED": "It looks so, since {since}; not proven",
    "SUSPICIOUS": "It looks so, since {since}; not proven",
    "ROUTE": "It looks so by its new route, since {since}; not proven",
    "OK": "No sign of it",
    "RECOVERED": "Not any more, since {since}",
    "LOWER": "Perhaps: lower for four weeks or more; not proven",
    "HELD": "Not known: its scores of {date} are held back",
    "CALIBRATING": "Too early to say: {days} of {needed} days to compare with",
    "COLLAPSED": "It looks so, but it is too early to prove",
    "STALE": "Not known: last asked {asked}",
    "NEVER": "Not known: no answer of it was ever scored",
    "GAP": "Not known: no score on {date}",
}
"""How a model looks → the answer to "Is it worse?". Looks that say too little are split in `_find_case`."""


def ask(site: Site, model: TrackedModel) -> str:
    """`Is gpt-x worse? Yes, since 3 Nov (proven)`"""
    last = model.last
    return _ask(site, model, ANSWERS[_find_case(last)])


def ask_when_stale(site: Site, model: TrackedModel) -> str:
    """The same once its last answers are too old: a static copy is not made again."""
    return _ask(site, model, ANSWERS["STALE"])


def _ask(site: Site, model: TrackedModel, answer: str) -> str:
    def shorten(day: str | None) -> str:
        same_year = day and site.last_date and day[:4] == site.last_date[:4]
        return format_date(
            day, "{0.day} {0:%b}" if same_year else "{0.day} {0:%b} {0.year}", "an unknown day"
        )

    last = model.last
    told = answer.format(
        since=shorten(find_since(model)),
        asked=shorten(find_asked(model)),
        date=shorten(last.date),
        days=max((each.days for each in last.use_cases), default=0),
        needed=site.manifest.rule.baseline_min,
    )
    return f"Is {model.id} worse? {told}"


def _find_case(last: ModelVerdict) -> str:
    """The key of its answer. OK without a score to go by, or with a doubt, is no plain no."""
    if last.look == "OK":
        scored = [each for each in last.use_cases if each.score is not None]
        if scored and all(each.held for each in scored):
            return "HELD"
        return "LOWER" if last.lower else "RECOVERED" if last.well_again else "OK"
    if last.look == "CALIBRATING" and last.collapsed:
        return "COLLAPSED"
    if last.look == "STALE" and last.headline_since is None:
        return "NEVER"
    return last.look


GROUPS: dict[Look, tuple[str, str]] = {
    "PROVEN": ("proven worse", "proven worse"),
    "COOKED": ("looks worse", "look worse"),
    "SUSPICIOUS": ("looks worse", "look worse"),
    "ROUTE": ("worse by a new route", "worse by a new route"),
    "OK": ("as usual", "as usual"),
    "CALIBRATING": ("too new to judge", "too new to judge"),
    "STALE": ("not known", "not known"),
    "GAP": ("not known", "not known"),
}
"""What is said of one model with this look, and of several."""
PROVEN, LOOKING, MOVED, WELL, YOUNG, UNKNOWN = (
    GROUPS[look] for look in ("PROVEN", "COOKED", "ROUTE", "OK", "CALIBRATING", "STALE")
)


def summarise(site: Site, rows: Sequence[ModelStanding]) -> str:
    """What is new, then how all stand; of a single model its answer. Names stand in the list below."""
    if silence := describe_silence(site):
        return silence
    if all(row.verdict.shown == "STALE" for row in rows):
        newest = max(find_asked(row.model) for row in rows)
        return f"Nothing is known of today: the newest answers are of {format_day(newest, site.last_date)}."
    if len(rows) == 1:
        return f"{ask(site, rows[0].model)}."
    many = Counter(GROUPS[row.verdict.look] for row in rows)
    if many[YOUNG] == len(rows):
        return "No model can be judged yet."
    clauses = []
    if any(many[group] for group in (PROVEN, LOOKING, MOVED)):
        new = Counter(GROUPS[row.verdict.look] for row in rows if row.new)
        since = _describe_before(site)
        if since:
            told = [_count(new[group], group) for group in (PROVEN, LOOKING, MOVED) if new[group]]
            clauses.append(f"{' and '.join(told) or 'nothing new'} since {since}")
        clauses.append(f"{many[PROVEN] or 'none'} of {len(rows)} proven worse")
        clauses += [
            _count(many[group], group)
            for group in (LOOKING, MOVED)
            if many[group] and not (since and many[group] == new[group])
        ]
        clauses += [_count(many[WELL], WELL)] if many[WELL] else []
    else:
        clauses.append(f"no model got worse: {many[WELL] or 'none'} of {len(rows)} as usual")
    clauses += [_count(many[group], group) for group in (YOUNG, UNKNOWN) if many[group]]
    sentence = "; ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def describe_silence(site: Site) -> str:
    """`No answers since 8 October: every request failed.`, of all models; empty if on the newest day one was
    scored, or has answers that wait for a score."""
    waiting = {
        verdict.date for model in site.tracked.values() for verdict in model.verdicts if verdict.ungraded
    }
    lines = {
        date: [line for of_model in day.lines.values() for line in of_model.values()]
        for date, day in site.days.items()
        if date not in waiting
    }
    silent = list(
        takewhile(
            lambda date: lines.get(date) and all(line.score is None for line in lines[date]),
            reversed(site.records),
        )
    )
    if not silent:
        return ""
    first = format_day(silent[-1], site.last_date)
    if len(silent) < len(site.records):
        since = f"since {first}"
    else:
        since = f"for {len(silent)} days" if len(silent) > 1 else f"on {first}"
    failed = all(line.errored and not line.n for date in silent for line in lines[date])
    return f"No answers {since}{': every request failed' if failed else ''}."


def describe_runs(site: Site) -> str:
    """What has been asked, where there are runs and no day: `2 models were asked to learn Esperanto.`"""
    models = {model for run in site.runs.values() for model in run.record.plan.models}
    suites = sorted({run.record.suite_name or run.record.suite for run in site.runs.values()})
    more = f" and {len(suites) - NAMED} more" if len(suites) > NAMED else ""
    who = f"{len(models)} models were" if len(models) > 1 else "One model was"
    return f"{who} asked to learn {', '.join(suites[:NAMED])}{more}."


def describe_asked(site: Site, rows: Sequence[ModelStanding]) -> str:
    """`30 models are asked the same 50 questions every day.`, by the newest day."""
    asked = [row for row in rows if row.verdict.shown != "STALE"] or list(rows)
    day = site.days.get(site.last_date or "")
    counts = (
        {sum(len(line.cases) for line in lines.values()) for lines in day.lines.values()} if day else set()
    )
    most = max(counts, default=0)
    smaller = "up to " if any(row.verdict.form for row in asked) and len(counts) > 1 else ""
    questions = (
        "the same question" if most == 1 else f"the same {smaller}{most or ''} questions".replace("  ", " ")
    )
    who = (
        f"{asked[0].model.id} is"
        if len(rows) == 1
        else f"{len(asked)} model{'s are' if len(asked) > 1 else ' is'}"
    )
    return f"{who} asked {questions} every day."


def _count(many: int, group: tuple[str, str]) -> str:
    return f"{many} {group[many > 1]}"


def _describe_before(site: Site) -> str | None:
    """The recorded day before the last one; None if there is none."""
    days = list(site.records)[-2:]
    if len(days) < 2:
        return None
    before, last = days
    yesterday = date.fromisoformat(last) - timedelta(days=1)
    return "yesterday" if before == yesterday.isoformat() else format_day(before, last)
