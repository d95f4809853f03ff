"""Languages side by side: the learning curves of several suites on one page, model by model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.text.markdown import escape_cell, format_table
from probatio.learn.analysis import fill_folder, study_of, write_pictures
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve
from probatio.learn.report.sections import list_reached
from probatio.learn.report.wording import format_rate, format_share
from probatio.learn.trials import RunSeen, describe_run

PAGE = "languages.md"
PICTURE = "languages-{name}.png"

CAUTION = (
    "Each language has tasks of its own, so that one rate is higher than another does not make its language "
    "easier. What can be compared is how much a model gains from being told more: how a curve rises, and "
    "where it ends."
)


class LanguageSeen(msgspec.Struct, frozen=True):
    """A suite and all its curves."""

    suite: str
    version: str | None
    runs: list[str]
    curves: list[Curve]


def read_languages(folders: Sequence[Path]) -> list[LanguageSeen]:
    """The suites of these runs, in the order given. Runs of the same suite with the same content are read
    together."""
    groups: dict[tuple[str, str | None], list[tuple[Path, RunSeen]]] = {}
    for folder in folders:
        run = describe_run(folder)
        groups.setdefault((run.suite, run.suite_fingerprint), []).append((folder, run))
    names = [suite for suite, _ in groups]
    seen = []
    for (suite, fingerprint), runs in groups.items():
        study = study_of([folder for folder, _ in runs])
        if study.no_curves:
            raise UsageError(f"{', '.join(run.run for _, run in runs)}: {study.no_curves}")
        name = suite if names.count(suite) == 1 else f"{suite} ({(fingerprint or 'unknown')[:8]})"
        seen.append(LanguageSeen(name, runs[0][1].suite_version, [run.run for _, run in runs], study.curves))
    return seen


def write_side_by_side(languages: Sequence[LanguageSeen], target: Path) -> Path:
    """Write the page with its pictures."""
    with fill_folder(target):
        put(target / PAGE, format_languages(languages, _pictures(languages, target)).encode())
    return target / PAGE


def format_languages(languages: Sequence[LanguageSeen], pictures: dict[str, str]) -> str:
    lines = ["# Languages side by side", "", CAUTION, ""]
    lines += format_table(
        ["suite", "version", "runs", "tasks"],
        [
            [
                one.suite,
                one.version or "unversioned",
                ", ".join(one.runs),
                max(curve.tasks for curve in one.curves),
            ]
            for one in languages
        ],
    )
    for model in _models(languages):
        lines += ["", f"## {escape_cell(model)}", ""]
        if model in pictures:
            lines += [f"![Pass rate against tokens of context, {escape_cell(model)}]({pictures[model]})", ""]
        lines += format_table(
            [
                "language",
                "least told",
                "most told",
                *(f"reaches {100 * share:.0f} %" for share in SHARES),
            ],
            [_ends(name, curve) for name, curve in _of_model(languages, model)],
        )
        lines += ["", "Every condition:", ""]
        lines += format_table(
            ["language", "context", "n-shot", "tokens", "passed", "rate", "95 % interval"],
            [
                [name, point.context, point.n_shot, f"{point.tokens:,}", *format_rate(point.rate)]
                for name, curve in _of_model(languages, model)
                for point in curve.points
            ],
        )
    return "\n".join([*lines, ""])


def _pictures(languages: Sequence[LanguageSeen], target: Path) -> dict[str, str]:
    """A picture per model. Model → file name."""
    numbers = {f"{number}": model for number, model in enumerate(_models(languages), 1)}

    def draw(model: str) -> str:
        from probatio.charts.palette import FIXED
        from probatio.learn.report.pictures import draw_study_curves

        curves = [
            msgspec.structs.replace(curve, model=name, dialect="", contexts=())
            for name, curve in _of_model(languages, model)
        ]
        heading = f"Pass rate against what a model is told, {model}, with 95 % bands over tasks"
        return draw_study_curves(curves, "Languages side by side", FIXED, heading)

    files = write_pictures(target, PICTURE, lambda: {name: draw(model) for name, model in numbers.items()})
    return {numbers[name]: file for name, file in files.items()}


def _models(languages: Sequence[LanguageSeen]) -> list[str]:
    return list(dict.fromkeys(curve.model for one in languages for curve in one.curves))


def _of_model(languages: Sequence[LanguageSeen], model: str) -> list[tuple[str, Curve]]:
    """The curves of a model by their names: the suite, and the dialect if the suite has several."""
    found = []
    for one in languages:
        several = len({curve.dialect for curve in one.curves}) > 1
        found += [
            (f"{one.suite}, {curve.dialect}" if several else one.suite, curve)
            for curve in one.curves
            if curve.model == model
        ]
    return found


def _ends(name: str, curve: Curve) -> list[str]:
    first, last = curve.points[0], curve.points[-1]
    return [
        name,
        *(
            f"{format_share(point.rate)} at {point.tokens:,} tokens ({point.context})"
            for point in (first, last)
        ),
        *list_reached(curve),
    ]
