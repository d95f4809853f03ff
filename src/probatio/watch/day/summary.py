"""What a person or a script sees of a day: the plan before it, the table of scores after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from probatio.core.records import LOOKS, DailyScore, ModelVerdict
from probatio.core.redact import redact
from probatio.core.text.visible import make_one_line
from probatio.runs.consent import on_this_machine
from probatio.runs.progress import SIGNS, Events, Quiet, describe_unchecked, spell
from probatio.suites.daily_suite import DailySuite, constants_of_its_own
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.day.estimate import estimate_day
from probatio.watch.day.preparation import PreparedDay
from probatio.watch.ledger.ledger import read_verdicts

if TYPE_CHECKING:
    from probatio.watch.day.job import DayEnding


def show_plan(prepared: PreparedDay, *, as_json: bool) -> None:
    """Print a dry run: samples and estimated cost per model, for base samples alone and at full count."""
    expected = estimate_day(prepared, measure=True)
    judge = expected.judge
    if as_json:
        events = [("plan", row) for row in expected.models] + ([("plan_judge", judge)] if judge else [])
        for event, row in events:
            fields = {"event": event, "date": prepared.record.date, **msgspec.structs.asdict(row)}
            print(msgspec.json.encode(fields).decode())
    else:
        for row in expected.models:
            cost = _format_costs(row.cost_base, row.cost_full)
            if row.seconds_full is not None:
                cost = on_this_machine(row.seconds_full) + (" at full count" if row.full > row.base else "")
            who = f"{row.model} ({row.form})" if row.form else row.model
            print(f"{who}: {row.base} samples, {row.full} at full count, {cost}")
        if judge:
            print(
                f"judge {judge.name}: {_format_costs(judge.cost_base, judge.cost_full)}, its calibration "
                "included"
            )
        asked = [use_case for own in prepared.asked.values() for use_case in own]
        cases = {case.id for use_case in asked for case in use_case.cases}
        use_cases = {use_case.id for use_case in asked}
        print(
            f"{prepared.record.date}: {len(cases)} cases in {len(use_cases)} use cases, suite "
            f"{prepared.suite.manifest.name} {prepared.suite.version}; "
            f"{'no model was asked' if prepared.looked_up else 'no request was sent'}."
        )
        systems = {case.id for use_case in asked for case in use_case.cases if case.system}
        turns = {case.id for use_case in asked for case in use_case.asked if case.earlier}
        if turns:
            print(f"{len(turns)} questions are later turns: each is sent with what was said before it.")
        if systems:
            print(f"{len(systems)} of the {len(cases)} cases are asked with a system prompt.")
        if own := constants_of_its_own(prepared.suite.folder):
            print(
                "Constants of its own: "
                + ", ".join(f"{one.key} {one.value} (built-in {one.built_in})" for one in own)
            )


def _format_costs(base: float | None, full: float | None) -> str:
    return "price unknown" if base is None or full is None else f"about ${base:.4f} to ${full:.4f}"


def describe_start(prepared: PreparedDay) -> str:
    """What will be asked, before anything is: the first line that a person sees."""
    rows = estimate_day(prepared).models
    whom = rows[0].model if len(rows) == 1 else f"{len(rows)} models"
    base, full = sum(row.base for row in rows), sum(row.full for row in rows)
    manifest = prepared.suite.manifest
    return (
        f"{prepared.record.date}, suite {manifest.name} {manifest.version}: {whom}, {base:,} samples"
        f"{f', at most {full:,} at full count' if full > base else ''}."
    )


def show_end(view: Quiet | None, prepared: PreparedDay, ending: DayEnding) -> None:
    """Print the scores, what is missing, where the files are, and the verdict of each model."""
    folder = prepared.folder
    verdicts = list(_tell_verdicts(prepared, ending))
    if isinstance(view, Events):
        for score in ending.scores:
            view.event("score", **msgspec.to_builtins(score))
        for verdict, sentence in verdicts:
            view.event(
                "verdict",
                date=verdict.date,
                model=verdict.model,
                status=verdict.shown,
                label=verdict.label,
                summary=sentence,
            )
        view.event(
            "end",
            date=folder.name,
            folder=str(folder),
            closed=ending.closed,
            missing=ending.missing,
            refused=ending.session.refused,
            failures=msgspec.to_builtins(ending.session.failed),
            asked=ending.session.tally.asked,
            unchecked=ending.session.tally.unchecked,
            cost=ending.session.tally.spent,
            seconds=round(ending.session.seconds, 3),
            stopped=ending.session.stop_reason,
        )
        return
    tally = ending.session.tally
    if tally.asked:
        print(f"{SIGNS}\n")
    scores = [
        msgspec.structs.replace(each, trigger=None) if each.model in prepared.record.forms else each
        for each in ending.scores  # a smaller form has one count
    ]
    for line in format_table(scores, prepared.suite):
        print(line)
    for failed in ending.session.failed:
        if not failed.whole:
            print(f"{make_one_line(redact(failed.sentence))} Run the day again to ask them again.")
    for model, samples in ending.missing.items():
        print(f"{model}: {samples} samples are still missing")
    if tally.unchecked:
        answers = tally.passed + tally.failed + tally.unchecked
        print(
            f"{describe_unchecked(tally.unchecked, answers)}; they are in no score. Run the day again to try "
            "again."
        )
    asked = f"{tally.asked} samples asked" if tally.asked else "nothing was missing"
    print(f"\n{folder.name}: {asked} in {spell(ending.session.seconds)} — ${tally.spent:.4f}")
    print(f"Files: {folder}")
    width = max((len(verdict.label) for verdict, _ in verdicts), default=0)
    for verdict, sentence in verdicts:
        print(f"{LOOKS[verdict.look]} {verdict.label:<{width}}  {sentence}")


def _tell_verdicts(prepared: PreparedDay, ending: DayEnding) -> Iterator[tuple[ModelVerdict, str]]:
    """What the ledger says of each model on this day, each in a sentence."""
    if not ending.closed:
        return
    teller = VerdictDescriber(prepared.results, ending.days)
    for verdict in read_verdicts(prepared.results, prepared.record.date):
        yield verdict, make_one_line(teller.describe(verdict, answers=False).sentences[0])


def format_table(scores: Sequence[DailyScore], suite: DailySuite) -> Iterator[str]:
    """Model, use case, score, n, flags; one row each."""
    if not scores:
        return
    titles = {use_case.id: use_case.title for use_case in suite.use_cases.values()}
    wide = max(len(score.model) for score in scores)
    width = max(len(titles[score.use_case]) for score in scores)
    yield f"{'model':<{wide}}  {'use case':<{width}}  score    n  flags"
    for score in scores:
        number = "  gap" if score.score is None else f"{score.score:5.1f}"
        flags = "; ".join(_list_flags(score))
        yield (
            f"{score.model:<{wide}}  {titles[score.use_case]:<{width}}  {number}  {score.n:3d}  {flags}"
        ).rstrip()


def _list_flags(score: DailyScore) -> Iterator[str]:
    if score.gap:
        part = f" (checked part {score.checked:.1f})" if score.checked is not None else ""
        yield f"{score.gap}{part}"
    if score.trigger:
        yield f"full count: {score.trigger}"
    if score.barred:
        yield "barred: the judge has shifted"
    if score.routing_changed:
        yield f"routing changed: {', '.join(score.providers)}"
    if score.errored > score.unchecked:
        yield f"{score.errored - score.unchecked} errored"
    if score.unchecked:
        yield f"{score.unchecked} could not be checked"
    if score.filled:
        yield f"{len(score.filled)} cases without a score count with their usual mean"
    if score.strays:
        yield f"{score.strays} samples of another provider left out"
    if score.cut:
        yield f"{score.cut} cut off below the limit"
    if score.truncated:
        yield f"{score.truncated} truncated"
    if score.refused:
        yield f"{score.refused} refused"
