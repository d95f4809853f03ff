"""What a person or a script sees of a run: the plan before it, the progress during it, the summary after it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from probatio.ask.prices import cost_of
from probatio.records import Grade
from probatio.run.engine import Engine
from probatio.run.progress import Events, Quiet, Verbose, mark, summary_line
from probatio.run.record import RunRecord
from probatio.run.session import Ending
from probatio.store.layout import ANSWERS, GRADES
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import CHARACTERS_PER_TOKEN, render

ANSWER_TOKENS = 150
"""What a typical answer takes of max_tokens; programs of this suite are short."""


class Show:
    """Opens the view that the flags ask for, and closes it with the summary."""

    def __init__(self, *, as_json: bool, verbose: bool, mark: Callable[[Grade], str] = mark) -> None:
        self._kind = Events if as_json else Verbose if verbose else Quiet
        self._mark = mark
        self._view: Quiet | None = None

    def open(self, engine: Engine) -> Quiet:
        gate = engine.gate
        self._view = self._kind(engine.tally, lambda: (gate.in_flight, gate.limit), mark=self._mark)
        return self._view

    def say(self, sentence: str) -> None:
        if self._view:
            self._view.say(sentence)
        else:
            print(sentence, file=sys.stderr)

    def close(self) -> Quiet | None:
        """End the progress; what comes after it is the caller's."""
        if self._view:
            self._view.close()
        return self._view

    def end(self, folder: Path, ending: Ending, analysis: Path | None) -> None:
        tally, view = ending.tally, self.close()
        if view is None:
            return
        if isinstance(view, Events):
            view.event(
                "end",
                run=folder.name,
                passed=tally.passed,
                failed=tally.failed,
                errors=tally.errors,
                total=tally.total,
                asked=tally.asked,
                cost=tally.spent,
                seconds=round(ending.seconds, 3),
                stopped=ending.stop_reason,
                analysis=None if analysis is None else str(analysis),
            )
            return
        rest = tally.total - tally.done
        print(f"\n{summary_line(tally, ending.seconds)}" + (f", {rest} of {tally.total} not yet asked" if rest else ""))
        print(f"Analysis: {analysis or 'not written'}")
        print(f"Answers:  {folder / ANSWERS}")
        print(f"Grades:   {folder / GRADES}")


def show_plan(record: RunRecord, suite: Suite, *, as_json: bool, verbose: bool) -> None:
    """A dry run: counts, tokens and estimated cost per model, with -v every prompt. Nothing is asked."""
    rows = [_estimate(record, suite, model_id) for model_id in record.plan.models]
    if as_json:
        for row in rows:
            print(msgspec.json.encode({"event": "plan", **row}).decode())
        print(msgspec.json.encode({"event": "plan_total", "trials": len(record.plan)}).decode())
    else:
        for row in rows:
            cost = "price unknown" if row["cost"] is None else f"about ${row['cost']:.4f}"
            print(f"{row['model']}: {row['trials']} trials, about {row['tokens_in']:,} tokens in, {cost}")
        print(f"{len(record.plan)} trials in all, at most {record.max_connections} in flight; nothing was asked.")
    if verbose:
        for key in record.plan:
            prompt = render(suite, suite.tasks[key.task_id], key.context, key.n_shot, key.dialect)
            if as_json:
                print(msgspec.json.encode({"event": "prompt", **key._asdict(), "prompt": prompt}).decode())
            else:
                print(f"\n--- {' · '.join(str(part) for part in key)}\n{prompt}")


def _estimate(record: RunRecord, suite: Suite, model_id: str) -> dict[str, str | int | float | None]:
    characters = 0
    places = record.plan.of_model(model_id)
    for place in places:
        key = record.plan[place]
        characters += len(render(suite, suite.tasks[key.task_id], key.context, key.n_shot, key.dialect))
    tokens_in = round(characters / CHARACTERS_PER_TOKEN)
    cost = cost_of(record.model(model_id), tokens_in, len(places) * ANSWER_TOKENS)
    return {"model": model_id, "trials": len(places), "tokens_in": tokens_in, "cost": cost}
