"""Answers that were paid for once: a new run takes them over from earlier runs that asked the same.

The same is: the prompt as sent, the model by name and route, and how the answer was drawn. The answer is laid
into the new run and graded there again, so a changed task, checker or grader costs no new question. Only
first attempts are taken over: what follows a wrong answer depends on its grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.ask.providers import provider_of
from probatio.ask.published import publish_models
from probatio.core.errors import UsageError
from probatio.core.records import Model, Response, Sampling, TrialKey
from probatio.core.trust import WEIGHTS
from probatio.runs.plan import Plan
from probatio.runs.record import RunRecord, find_run, read_run
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import Span, line_at, read_placed
from probatio.runs.store.packed import is_packed
from probatio.suites.language_suite import Suite, digest
from probatio.suites.prompt import render
from probatio.suites.questions import digest_text


class Kept(NamedTuple):
    """Where an answer stands."""

    run: str
    file: Path
    span: Span

    def read(self) -> Response:
        return line_at(self.file, self.span, Response)


def find_answers(
    runs: Sequence[str],
    results: Path,
    suite: Suite,
    plan: Plan,
    models: Iterable[Model],
    sampling: Sampling,
) -> dict[TrialKey, Kept]:
    """The trials of a plan whose answers these runs hold."""
    kept: dict[str, Kept] = {}
    for name in runs:
        folder = find_beside(name, results)
        for asked_digest, there in _list_answers(folder):
            kept.setdefault(asked_digest, there)
    asked = _digest_models(models, sampling)
    found = {}
    for key in plan if kept else ():
        if key.model not in asked:
            continue
        prompt = render(suite, suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect)
        if place := kept.get(_digest_asked(asked[key.model], prompt, seed_of(sampling, key.sample))):
            found[key] = place
    return found


def lay(response: Response, key: TrialKey, record: RunRecord, run: str) -> Response:
    """The line of the new run for an answer that `run` paid for."""
    return msgspec.structs.replace(
        response,
        run_id=record.run_id,
        framework_version=record.framework_version,
        **key._asdict(),
        cost=0.0,
        reused=response.reused or run,
    )


def find_beside(run: str, results: Path) -> Path:
    """A run in the same results folder: a record that names it can't lead elsewhere."""
    folder = find_run(run, results)
    if folder.resolve().parent != results.resolve():
        raise UsageError(f"--reuse {run}: only a run under {results} can be taken over; copy it there first.")
    if is_packed(folder):
        raise UsageError(f"{folder} is packed. First: probatio study pack {folder} --unpack")
    return folder


def seed_of(sampling: Sampling, sample: int) -> int | None:
    """Each sample has its own seed: the same one again would draw the same answer."""
    return None if sampling.seed is None else sampling.seed + sample


def _list_answers(folder: Path) -> Iterable[tuple[str, Kept]]:
    """The digest of what was asked for each answer of a run, and its place. A failed request is no answer."""
    record = read_run(folder)
    asked = _digest_models(record.models, record.sampling)
    for span, line in read_placed(folder / ANSWERS, Response):
        if line.response is not None and line.error is None and line.attempt == 1 and line.model in asked:
            seed = seed_of(record.sampling, line.sample)
            yield (
                _digest_asked(asked[line.model], line.prompt, seed),
                Kept(folder.name, folder / ANSWERS, span),
            )


def _digest_models(models: Iterable[Model], sampling: Sampling) -> Mapping[str, str]:
    """Model id → who is asked, and how. Without weights named by their file: another file may lie there."""
    return {
        model.id: digest(
            model.name, provider_of(model).name, model.base_url, model.route, model.reasoning,
            sampling.temperature, sampling.max_tokens,
        )
        for model in publish_models(models)
        if not model.name.startswith(WEIGHTS)
    }  # fmt: skip


def _digest_asked(model: str, prompt: str, seed: int | None) -> str:
    return f"{model} {digest_text(prompt)} {seed}"
