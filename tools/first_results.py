"""Makes a part of docs/results.md: answers that real models gave in January 2026, graded by us, next to what
its authors state.

    .venv/bin/python tools/first_results.py ../shared/recorded

The answers are those of the first harness (26 models, 73 tasks, prompts left out), kept in the folder
`shared` beside the repository: `raw_responses.jsonl`, `tasks/recorded.yml`, and `reference.jsonl` with the
levels that the harness's own cleaning and the reference compiler gave. They are others' work and are not in
the repository; only the figures are. No model is asked.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from probatio.core.statistics.intervals import Rate, estimate_paired_difference, rate_of
from probatio.learn.analysis import study_of
from probatio.learn.findings import Factors
from probatio.runs.regrade import regrade
from probatio.runs.store.layout import ANSWERS, GRADES

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
BEGIN, END = "<!-- first results -->", "<!-- end of first results -->"
CONTEXTS = ("examples-only", "grammar-only", "minimal", "basic", "complete")
STATED = {
    "1B": ("1B models: about 20 %", ("llama-3.2-1b",), (20, 20)),
    "8B": ("8B models: about 85 %", ("llama-3.1-8b",), (85, 85)),
    "GPT-3.5": ("GPT-3.5: 90–95 %", ("gpt-3.5-turbo",), (90, 95)),
    "Haiku": ("Haiku: 90–95 %", ("claude-3-haiku",), (90, 95)),
}
"""What the authors of the first harness state: their words, the recorded models meant, and the rate in
percent."""
TINY = ("llama-3.2-1b",)
BARE = ("examples-only", "grammar-only")
"""Contexts that do not describe the language in words."""


class Answer(NamedTuple):
    """One recorded answer with both grades."""

    model: str
    context: str
    n_shot: int
    task: str
    kind: str
    ours: bool
    theirs: bool | None  # None: the harness's cleaning left nothing of the answer


def main(recorded: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        regrade(str(recorded / ANSWERS), recorded, recorded, folder / GRADES)
        answers = list(_answers(folder / GRADES, recorded / "reference.jsonl"))
        effects = study_of([folder], recorded).factors
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else f"{BEGIN}{END}"
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    text = "\n".join(_page(answers, effects))
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    print(f"{len(answers)} answers: {PAGE}")


def _answers(grades: Path, reference: Path) -> Iterable[Answer]:
    """Both files have one line per answer, in the same order."""
    ours = [json.loads(line) for line in grades.read_text(encoding="utf-8").splitlines()]
    theirs = [json.loads(line) for line in reference.read_text(encoding="utf-8").splitlines()]
    for one, other in zip(ours, theirs, strict=True):
        assert (one["task_id"], one["model"]) == (other["task_id"], other["model"])
        levels = other["levels"]
        yield Answer(
            one["model"], one["context"], one["n_shot"], one["task_id"], other["type"], one["correct"],
            None if levels is None else all(levels),
        )  # fmt: skip


def _rate(answers: Iterable[Answer], *, theirs: bool = False) -> Rate:
    """The rate with its interval, clustered by task. What the harness's cleaning left nothing of, it counts
    as wrong."""
    tasks: dict[str, list[bool]] = {}
    for each in answers:
        tasks.setdefault(each.task, []).append(bool(each.theirs) if theirs else each.ours)
    return rate_of((sum(right), len(right)) for right in tasks.values())


def _told(rate: Rate) -> str:
    return (
        f"{100 * (rate.share or 0):.0f} % ({100 * rate.low:.0f}–{100 * rate.high:.0f})" if rate.asked else "–"
    )


def _page(answers: list[Answer], effects: Factors | None) -> Iterable[str]:
    yield from (
        "## The first harness's answers, graded again",
        "",
        f"{len(answers):,} answers of {len({each.model for each in answers})} models to "
        f"{len({each.task for each in answers})} Faber tasks, recorded by the "
        "first harness in January 2026 and graded by us. Figures only: the answers are others' work. "
        "Made by `tools/first_results.py`, which says where they come from. "
        "A rate is in percent, with its 95 % interval, clustered by task.",
        "",
        "### Next to what its authors state",
        "",
        "| its authors state | all conditions | with a description of the language | and 3 examples "
        "| the harness's own cleaning, all conditions | is the stated rate in the interval? |",
        "|---|---|---|---|---|---|",
    )
    for said, models, (least, most) in STATED.values():
        mine = [each for each in answers if each.model in models]
        rates = {name: _rate(part) for name, part in _parts(mine).items()}
        cells = " | ".join(f"{_told(rate)}, {rate.asked} answers" for rate in rates.values())
        inside = [name for name, rate in rates.items() if 100 * rate.low <= most and 100 * rate.high >= least]
        verdict = ", ".join(inside) if inside else "no"
        yield f"| {said} | {cells} | {_told(_rate(mine, theirs=True))} | {verdict} |"
    yield from ("", "#### More context: +10–15 points for capable models, nothing for tiny ones", "")
    yield from _contexts(answers)
    yield from ("", *_held_equal(effects))
    yield from ("", "#### N-shot: 3 a good balance, 10 diminishing", "")
    yield from _steps(answers, "n_shot", (0, 1, 3, 10), "-shot")
    yield from ("", "### Where they differ, and why", "", *_why(answers))
    yield from (
        "",
        "### By model",
        "",
        "| model | all | " + " | ".join(CONTEXTS) + " | answers |",
        "|---|" + "---|" * 7,
    )
    for model in sorted(
        {each.model for each in answers}, key=lambda name: (-(_rate(_of(answers, name)).share or 0), name)
    ):
        mine = _of(answers, model)
        cells = " | ".join(
            _told(_rate(each for each in mine if each.context == context)) for context in CONTEXTS
        )
        yield f"| {model} | {_told(_rate(mine))} | {cells} | {len(mine)} |"
    shots = (0, 1, 3, 10)
    yield from (
        "",
        "### By n-shot",
        "",
        "| model | " + " | ".join(f"{n}-shot" for n in shots) + " |",
        "|---|" + "---|" * 4,
    )
    for model in ("all", *sorted({each.model for each in answers if len(_of(answers, each.model)) >= 100})):
        mine = answers if model == "all" else _of(answers, model)
        yield (
            f"| {model} | "
            f"{' | '.join(_told(_rate(each for each in mine if each.n_shot == n)) for n in shots)} |"
        )
    yield from (
        "",
        "### By type of task",
        "",
        "| type | our grade | the harness's own cleaning | answers |",
        "|---|---|---|---|",
    )
    for kind in sorted({each.kind for each in answers}):
        mine = [each for each in answers if each.kind == kind]
        yield f"| {kind} | {_told(_rate(mine))} | {_told(_rate(mine, theirs=True))} | {len(mine)} |"


def _of(answers: list[Answer], model: str) -> list[Answer]:
    return [each for each in answers if each.model == model]


def _parts(answers: list[Answer]) -> dict[str, list[Answer]]:
    """All answers, those with a description of the language, and those with three examples besides."""
    told = [each for each in answers if each.context not in BARE]
    return {
        "all conditions": answers,
        "with a description": told,
        "and 3 examples": [each for each in told if each.n_shot == 3],
    }


def _contexts(answers: list[Answer]) -> Iterable[str]:
    yield "Paired: the same model, task and n-shot under both contexts. Capable: all but the 1B model."
    yield ""
    capable = [each for each in answers if each.model not in TINY]
    yield "| from → to | capable models | pairs | 1B | pairs |"
    yield "|---|---|---|---|---|"
    tiny = [each for each in answers if each.model in TINY]
    for one, two in (
        ("examples-only", "minimal"), ("minimal", "basic"), ("minimal", "complete"), ("basic", "complete"),
        ("examples-only", "complete"), ("examples-only", "grammar-only"),
    ):  # fmt: skip
        cells = " | ".join(_paired(group, "context", one, two) for group in (capable, tiny))
        yield f"| {one} → {two} | {cells} |"


def _held_equal(effects: Factors | None) -> Iterable[str]:
    """What a context is worth by the logistic model of the study, which holds models and n-shot equal."""
    if effects is None:
        return
    yield "All answers, with models and n-shot held equal by a logistic model (average marginal effect):"
    yield ""
    yield "| context | points against examples-only |"
    yield "|---|---|"
    for each in effects.effects:
        if each.factor == "context":
            low, high = each.points_low, each.points_high
            interval = "" if low is None or high is None else f" ({low:+.0f} to {high:+.0f})"
            yield f"| {each.level} | {each.points:+.0f}{interval} |"


def _steps(answers: list[Answer], axis: str, levels: tuple[int, ...], unit: str) -> Iterable[str]:
    yield "Paired: the same model, task and context."
    yield ""
    yield "| from → to | capable models | pairs | 1B | pairs |"
    yield "|---|---|---|---|---|"
    capable = [each for each in answers if each.model not in TINY]
    tiny = [each for each in answers if each.model in TINY]
    for one, two in pairwise(levels):
        cells = " | ".join(_paired(group, axis, one, two) for group in (capable, tiny))
        yield f"| {one}{unit} → {two}{unit} | {cells} |"


def _paired(answers: list[Answer], axis: str, one: object, two: object) -> str:
    """The difference in points over trials that were asked under both levels; repeated trials are paired in
    their order."""
    sides: dict[object, dict[tuple[object, ...], list[bool]]] = {one: {}, two: {}}
    for each in answers:
        level = getattr(each, axis)
        if level in sides:
            rest = (each.model, each.task, each.n_shot if axis == "context" else each.context)
            sides[level].setdefault(rest, []).append(each.ours)
    tasks: dict[object, list[int]] = {}
    for key in sides[one].keys() & sides[two].keys():
        for before, after in zip(sides[one][key], sides[two][key], strict=False):
            counts = tasks.setdefault(key[1], [0, 0, 0])
            counts[0] += after and not before
            counts[1] += before and not after
            counts[2] += 1
    pairs = sum(counts[2] for counts in tasks.values())
    if pairs < 10:
        return f"– | {pairs}"
    difference, low, high, _ = estimate_paired_difference(
        (gained, lost, of) for gained, lost, of in tasks.values()
    )
    return f"{100 * difference:+.0f} ({100 * low:+.0f} to {100 * high:+.0f}) | {pairs}"


def _why(answers: list[Answer]) -> Iterable[str]:
    gained = [each for each in answers if each.ours and not each.theirs]
    lost = [each for each in answers if each.theirs and not each.ours]
    share = {
        kind: sum(each.kind == kind for each in gained) for kind in sorted({each.kind for each in gained})
    }
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(share.items(), key=lambda pair: -pair[1]))
    yield (
        f"- **Extraction.** {len(gained)} answers are right by us and wrong by the harness's cleaning "
        f"({kinds}): "
        f"fenced predictions, completions given as whole programs, reasoning before the answer. {len(lost)} "
        "the other way round."
    )
    for name, (_, models, _) in STATED.items():
        mine = [each for each in answers if each.model in models]
        few = [each for each in mine if each.context in BARE]
        rest = [each for each in mine if each.context not in BARE]
        yield (
            f"- **Conditions, {name}.** {len(few)} of {len(mine)} answers were asked with no description of "
            "the language "
            f"({', '.join(BARE)}): {_told(_rate(few))} there, {_told(_rate(rest))} with one."
        )
    for name, (_, models, _) in STATED.items():
        mine = [each for each in answers if each.model in models]
        by_kind = ", ".join(
            f"{kind} {_told(_rate([each for each in mine if each.kind == kind]))}"
            for kind in sorted({e.kind for e in mine})
        )
        yield f"- **Kinds of task, {name}.** {by_kind}."


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "shared" / "recorded")
