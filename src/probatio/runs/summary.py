"""What a person or a script sees of a run of trials: the plan before it, the summary after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from probatio.core.redact import redact
from probatio.core.text.visible import make_one_line
from probatio.runs.estimate import plan_rows
from probatio.runs.preparation import PreparedRun
from probatio.runs.progress import Events, Quiet, summary_line
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.prompt import render

if TYPE_CHECKING:
    from probatio.runs.session import Ending


def show_plan(prepared: PreparedRun, *, as_json: bool, verbose: bool) -> None:
    """A dry run: counts, tokens and estimated cost per model, with -v every prompt. Nothing is asked."""
    record, suite = prepared.record, prepared.suite
    rows = plan_rows(record, suite, map(record.model, record.plan.models), prepared.kept, measure=True)
    if as_json:
        for row in rows:
            print(msgspec.json.encode({"event": "plan", **msgspec.structs.asdict(row)}).decode())
        total = {
            "event": "plan_total",
            "trials": len(record.plan),
            "attempts": record.plan.attempts,
            "kept": len(prepared.kept),
        }
        print(msgspec.json.encode(total).decode())
    else:
        for row in rows:
            print(f"{row.model}: {row.trials} trials, about {row.tokens_in:,} tokens in, {row.in_words}")
        print(
            f"{len(record.plan)} trials in all, at most {record.max_connections} in flight; no request was "
            f"sent."
        )
        if prepared.kept:
            print(f"Of these, {len(prepared.kept)} answers are taken over from {', '.join(record.reuse)}.")
        if record.plan.attempts > 1:
            most = len(record.plan) * record.plan.attempts
            print(
                f"Counted are first attempts. If every answer were wrong, {most} would be asked, with "
                f"longer prompts."
            )
    if verbose:
        for key in record.plan:
            prompt = render(suite, suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect)
            if as_json:
                print(msgspec.json.encode({"event": "prompt", **key._asdict(), "prompt": prompt}).decode())
            else:
                print(f"\n--- {key}\n{prompt}")


def show_end(view: Quiet | None, folder: Path, ending: Ending, analysis: Path | None, again: str) -> None:
    """The summary, and where everything is. `again` is the command that goes on with the run."""
    tally = ending.tally
    if view is None:
        return
    if isinstance(view, Events):
        view.event(
            "end",
            run=folder.name,
            passed=tally.passed,
            failed=tally.failed,
            errors=tally.errors,
            unchecked=tally.unchecked,
            **({"tried": tally.tried, "solved": tally.solved} if tally.solved else {}),
            total=tally.total,
            asked=tally.asked,
            cost=tally.spent,
            seconds=round(ending.seconds, 3),
            stopped=ending.stop_reason,
            refused=ending.refused,
            failures=msgspec.to_builtins(ending.failed),
            analysis=None if analysis is None else str(analysis),
        )
        return
    rest = tally.total - tally.done
    print(
        f"\n{summary_line(tally, ending.seconds)}"
        + (f", {rest} of {tally.total} not yet asked" if rest else "")
    )
    if view.first_unchecked:  # marks alone do not say why
        print(f"The first of them: {make_one_line(redact(view.first_unchecked))}")
    for failed in ending.failed:
        if not failed.whole:  # what could not be asked at all is the last word, not one of many
            print(f"{make_one_line(redact(failed.sentence))} Ask them again with: {again} --retry-errors")
    print(f"Analysis: {analysis or 'not written'}")
    print(f"Answers:  {folder / ANSWERS}")
    print(f"Grades:   {folder / GRADES}")
