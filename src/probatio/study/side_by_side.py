"""Languages side by side: the learning curves of several suites on one page, model by model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.extras import installed_extras
from probatio.store.files import put
from probatio.study.analysis import study_of
from probatio.study.findings import Curve, RunSeen
from probatio.study.markdown import cell, table
from probatio.study.report import reached
from probatio.study.trials import run_seen
from probatio.study.wording import interval, share

PAGE = "languages.md"
PICTURE = "languages-{number}.png"

CAUTION = (
    "Each language has tasks of its own, so that one rate is higher than another does not make its language easier. What can be "
    "compared is how much a model gains from being told more: how a curve rises, and where it ends."
)


class LanguageSeen(msgspec.Struct, frozen=True):
    """A suite, and the curves of everything asked of it."""

    suite: str
    version: str | None
    runs: list[str]
    curves: list[Curve]


def side_by_side(folders: Sequence[Path]) -> list[LanguageSeen]:
    """The suites of these runs, in the order they are named. Runs of one suite's same content are read together."""
    groups: dict[tuple[str, str | None], list[tuple[Path, RunSeen]]] = {}
    for folder in folders:
        run = run_seen(folder)
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
    try:
        target.mkdir(parents=True, exist_ok=True)
        put(target / PAGE, page(languages, _pictures(languages, target)).encode())
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}; name another folder with --out.") from None
    return target / PAGE


def page(languages: Sequence[LanguageSeen], pictures: dict[str, str]) -> str:
    lines = ["# Languages side by side", "", CAUTION, ""]
    lines += table(
        ["suite", "version", "runs", "tasks"],
        [
            [one.suite, one.version or "unversioned", ", ".join(one.runs), max(curve.tasks for curve in one.curves)]
            for one in languages
        ],
    )
    for model in _models(languages):
        lines += ["", f"## {cell(model)}", ""]
        if model in pictures:
            lines += [f"![Pass rate against tokens of context, {cell(model)}]({pictures[model]})", ""]
        lines += table(
            ["language", "least told", "most told", *(f"reaches {mark:.0f} %" for mark in _shares(languages))],
            [_ends(name, curve) for name, curve in _of_model(languages, model)],
        )
        lines += ["", "Every condition:", ""]
        lines += table(
            ["language", "context", "n-shot", "tokens", "passed", "rate", "95 % interval"],
            [
                [name, point.context, point.n_shot, f"{point.tokens:,}", f"{point.rate.passed}/{point.rate.asked}",
                 share(point.rate), interval(point.rate)]
                for name, curve in _of_model(languages, model)
                for point in curve.points
            ],
        )  # fmt: skip
    return "\n".join([*lines, ""])


def _pictures(languages: Sequence[LanguageSeen], target: Path) -> dict[str, str]:
    """A picture per model: file names by model."""
    for stale in target.glob(PICTURE.format(number="*")):
        stale.unlink()
    if not installed_extras()["charts"]:
        return {}
    from probatio.charts.palette import FIXED
    from probatio.charts.png import write_png
    from probatio.study.pictures import curves_picture

    names = {}
    for number, model in enumerate(_models(languages), 1):
        curves = [
            msgspec.structs.replace(curve, model=name, dialect="", contexts=())
            for name, curve in _of_model(languages, model)
        ]
        heading = f"Pass rate against what a model is told, {model}, with 95 % bands over tasks"
        names[model] = PICTURE.format(number=number)
        write_png(curves_picture(curves, "Languages side by side", FIXED, heading), target / names[model])
    return names


def _models(languages: Sequence[LanguageSeen]) -> list[str]:
    return list(dict.fromkeys(curve.model for one in languages for curve in one.curves))


def _of_model(languages: Sequence[LanguageSeen], model: str) -> list[tuple[str, Curve]]:
    """The curves of a model by what they are called: the suite, and the dialect where it has several."""
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
        *(f"{share(point.rate)} at {point.tokens:,} tokens ({point.context})" for point in (first, last)),
        *(reached(reach, curve.estimated) for reach in curve.reach),
    ]


def _shares(languages: Sequence[LanguageSeen]) -> list[float]:
    return [100 * reach.share for reach in languages[0].curves[0].reach]
