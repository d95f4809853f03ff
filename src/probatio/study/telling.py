"""Told or inferred: the pass rate where a prompt shows all that its task needs, and where something must be guessed."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from probatio.errors import ProbatioError
from probatio.study.findings import Study, Told
from probatio.study.intervals import rate_of
from probatio.study.markdown import table
from probatio.study.trials import Trials
from probatio.study.wording import DASH, interval, share

if TYPE_CHECKING:
    from probatio.suite.language_suite import Suite

_MOST = 5
"""Names listed per row."""


def told(trials: Trials) -> list[Told]:
    """Per model and context; nothing for a suite that is not there or a language that can't tell what a program needs."""
    suite = trials.suite
    if suite is None:
        return []
    counts: dict[tuple[str, str], dict[bool, dict[str, tuple[int, int]]]] = defaultdict(lambda: defaultdict(dict))
    lacking: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    known: dict[tuple[str, int, str], frozenset[str] | None] = {}
    for model, context, n_shot, task, passed, asked in trials.rows(
        "select model, context, n_shot, task_id, count(*) filter (correct), count(*) "
        "from trials where asked and not control group by all order by all"
    ):
        if task not in suite.tasks or context not in suite.contexts:
            continue
        place = context, n_shot, task
        if place not in known:
            known[place] = _missing(suite, *place)
        missing = known[place]
        if missing is None:
            continue
        before = counts[model, context][not missing].get(task, (0, 0))
        counts[model, context][not missing][task] = before[0] + passed, before[1] + asked
        lacking[model, context].update(dict.fromkeys(missing, asked))
    return [
        Told(
            model,
            context,
            rate_of(counts[model, context][True].values()),
            rate_of(counts[model, context][False].values()),
            dict(sorted(lacking[model, context].items(), key=lambda item: (-item[1], item[0]))),
        )
        for model in trials.levels("model")
        for context in trials.levels("context")
        if (model, context) in counts
    ]


def _missing(suite: Suite, context: str, n_shot: int, task: str) -> frozenset[str] | None:
    from probatio.suite.inference import not_told

    try:
        return not_told(suite, suite.tasks[task], context, n_shot)
    except ProbatioError:  # a context that can't be filled in any more
        return None


def told_section(study: Study) -> list[str]:
    if not study.told:
        return []
    rows = [
        [
            one.model,
            one.context,
            *(
                f"{rate.passed}/{rate.asked} ({share(rate)}, {interval(rate)})" if rate.asked else DASH
                for rate in (one.shown, one.inferred)
            ),
            ", ".join(list(one.lacking)[:_MOST]) or DASH,
        ]
        for one in study.told
    ]
    return [
        "## Told or inferred",
        "",
        "A prompt shows all that a task needs where every word, library name and rule of its program stands in the context or "
        "the examples. Elsewhere the model must infer.",
        "",
        *table(["model", "context", "all is shown", "something must be inferred", "lacking most"], rows),
        "",
    ]
