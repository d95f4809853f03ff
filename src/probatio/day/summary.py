"""What a person or a script sees of a day: the plan before it, the table of scores after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.day.estimate import expected_day
from probatio.day.preparation import PreparedDay
from probatio.day.work import DayEnding
from probatio.records import DailyScore
from probatio.redact import redact
from probatio.run.estimate import on_this_machine
from probatio.run.progress import SIGNS, Events, Quiet, spell, unchecked_share
from probatio.suite.daily_suite import DailySuite, constants_of_its_own
from probatio.visible import one_line


def show_plan(prepared: PreparedDay, *, as_json: bool) -> None:
    """A dry run: samples and estimated cost per model, for base samples alone and with every use case at full count."""
    expected = expected_day(prepared, measure=True)
    judge = expected.judge
    if as_json:
        for row in expected.models:
            print(_event({"event": "plan", "date": prepared.record.date, **msgspec.structs.asdict(row)}))
        if judge:
            print(_event({"event": "plan_judge", "date": prepared.record.date, **msgspec.structs.asdict(judge)}))
    else:
        for row in expected.models:
            cost = _dollars(row.cost_base, row.cost_full)
            if row.seconds_full is not None:
                cost = f"{on_this_machine(row.seconds_full)} at full count"
            print(f"{row.model}: {row.base} samples, {row.full} at full count, {cost}")
        if judge:
            print(f"judge {judge.name}: {_dollars(judge.cost_base, judge.cost_full)}, its calibration included")
        cases = sum(len(use_case.cases) for use_case in prepared.use_cases)
        print(
            f"{prepared.record.date}: {cases} cases in {len(prepared.use_cases)} use cases, suite "
            f"{prepared.suite.manifest.name} {prepared.suite.version}; "
            f"{'no model was asked' if prepared.looked_up else 'no request was sent'}."
        )
        if own := constants_of_its_own(prepared.suite.folder):
            print(
                "Constants of its own: " + ", ".join(f"{one.key} {one.value} (built-in {one.built_in})" for one in own)
            )


def _dollars(base: float | None, full: float | None) -> str:
    return "price unknown" if base is None or full is None else f"about ${base:.4f} to ${full:.4f}"


def _event(fields: dict[str, object]) -> str:
    return msgspec.json.encode(fields).decode()


def show_end(view: Quiet | None, folder: Path, ending: DayEnding, suite: DailySuite) -> None:
    """The table of scores, what is missing, and where everything is."""
    if isinstance(view, Events):
        for score in ending.scores:
            view.event("score", **msgspec.to_builtins(score))
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
    if ending.session.tally.asked:
        print(f"{SIGNS}\n")
    for line in table(ending.scores, suite):
        print(line)
    for failed in ending.session.failed:
        if not failed.whole:
            print(f"{one_line(redact(failed.sentence))} Run the day again to ask them again.")
    for model, samples in ending.missing.items():
        print(f"{model}: {samples} samples are still missing")
    tally = ending.session.tally
    if tally.unchecked:
        answers = tally.passed + tally.failed + tally.unchecked
        print(f"{unchecked_share(tally.unchecked, answers)}; they are in no score. Run the day again to try again.")
    asked = f"{ending.session.tally.asked} samples asked" if ending.session.tally.asked else "nothing was missing"
    print(f"\n{folder.name}: {asked} in {spell(ending.session.seconds)} — ${ending.session.tally.spent:.4f}")
    print(f"Files: {folder}")


def table(scores: Sequence[DailyScore], suite: DailySuite) -> Iterator[str]:
    """Model, use case, score, n, flags; one row each."""
    if not scores:
        return
    titles = {use_case.id: use_case.title for use_case in suite.use_cases.values()}
    wide = max(len(score.model) for score in scores)
    width = max(len(titles[score.use_case]) for score in scores)
    yield f"{'model':<{wide}}  {'use case':<{width}}  score    n  flags"
    for score in scores:
        number = "  gap" if score.score is None else f"{score.score:5.1f}"
        flags = "; ".join(_flags(score))
        yield f"{score.model:<{wide}}  {titles[score.use_case]:<{width}}  {number}  {score.n:3d}  {flags}".rstrip()


def _flags(score: DailyScore) -> Iterator[str]:
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
