"""Languages side by side: the learning curves of several suites on one page, model by model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.alike import RunSeen
from probatio.learn.analysis import fill_folder, study_of, write_pictures
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve
from probatio.learn.gains import Gain, GainComparison, TaughtCurve, compare_gains, read_answers
from probatio.learn.report.wording import format_rate, list_reached
from probatio.learn.trials import describe_run

PAGE = "languages.md"
PICTURE = "languages-{name}.png"

CAUTION = (
    "Each language has tasks of its own, so that one rate is higher than another does not make its language "
    "easier. What can be compared is how much a model gains between the same two numbers of tokens, with its "
    "interval. Where two languages were not asked with the same tokens, their gains are not compared."
)


class LanguageSeen(msgspec.Struct, frozen=True):
    """A suite and all its curves."""

    suite: str
    version: str | None
    runs: list[str]
    curves: list[Curve]


class SideBySide(msgspec.Struct, frozen=True):
    """Several suites, and what models gain in them between equal numbers of tokens."""

    languages: list[LanguageSeen]
    gains: list[GainComparison]


def read_languages(folders: Sequence[Path]) -> SideBySide:
    """The suites of these runs, in the order given. Runs of the same suite with the same content are read
    together."""
    groups: dict[tuple[str, str | None], list[tuple[Path, RunSeen]]] = {}
    for folder in folders:
        run = describe_run(folder)
        groups.setdefault((run.suite, run.suite_fingerprint), []).append((folder, run))
    names = [suite for suite, _ in groups]
    seen: list[LanguageSeen] = []
    taught: list[TaughtCurve] = []
    for (suite, fingerprint), runs in groups.items():
        study = study_of([folder for folder, _ in runs])
        if study.no_curves:
            raise UsageError(f"{', '.join(run.run for _, run in runs)}: {study.no_curves}")
        name = suite if names.count(suite) == 1 else f"{suite} ({(fingerprint or 'unknown')[:8]})"
        language = LanguageSeen(name, runs[0][1].suite_version, [run.run for _, run in runs], study.curves)
        answers = read_answers([folder for folder, _ in runs])
        taught += [
            TaughtCurve(name, title, curve, answers)
            for model in _models([language])
            for title, curve in _of_model([language], model)
        ]
        seen.append(language)
    return SideBySide(seen, compare_gains(taught))


def write_side_by_side(found: SideBySide, target: Path) -> Path:
    """Write the page with its pictures."""
    with fill_folder(target):
        put(target / PAGE, format_languages(found, _pictures(found.languages, target)).encode())
    return target / PAGE


def describe_gain(one: GainComparison) -> str:
    """`m: from about 320 to about 3,100 tokens it gains 21.1 points in alpha (95 % 2.0 to 38.1) and …`"""
    gains = " and ".join(
        f"{gain.points:+.1f} in {gain.language} (95 % {gain.low:+.1f} to {gain.high:+.1f})"
        for gain in (one.a, one.b)
    )
    shown = "" if one.shown else "; no difference is shown"
    return (
        f"{one.model}: from about {one.start:,} to about {one.end:,} tokens it gains {gains}, points: "
        f"{one.points:+.1f} apart (95 % {one.low:+.1f} to {one.high:+.1f}){shown}."
    )


def format_languages(found: SideBySide, pictures: dict[str, str]) -> str:
    languages = found.languages
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
        lines += ["", f"## {escape_markdown(model)}", ""]
        if model in pictures:
            caption = f"Pass rate against tokens of context, {escape_markdown(model)}"
            lines += [f"![{caption}]({pictures[model]})", ""]
        lines += format_table(
            ["language", *(f"reaches {100 * share:.0f} %" for share in SHARES)],
            [[name, *list_reached(curve)] for name, curve in _of_model(languages, model)],
        )
        lines += ["", *_format_gains([one for one in found.gains if one.model == model])]
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


def _format_gains(gains: Sequence[GainComparison]) -> list[str]:
    if not gains:
        return ["No two languages were asked with the same numbers of tokens: no gains to compare."]
    return [
        "Gains between the same numbers of tokens, in percentage points with 95 % intervals, each paired "
        "over the tasks of its language:",
        "",
        *format_table(
            ["language", "from", "to", "tasks", "gain", "first less second"],
            [
                [
                    gain.language,
                    *(
                        f"{place.tokens:,} tokens ({place.context}, {place.n_shot}-shot)"
                        for place in (gain.start, gain.end)
                    ),
                    gain.tasks,
                    _points(gain),
                    "" if gain is one.a else _points(one),
                ]
                for one in gains
                for gain in (one.a, one.b)
            ],
        ),
    ]


def _points(gain: Gain | GainComparison) -> str:
    return f"{gain.points:+.1f} ({gain.low:+.1f} to {gain.high:+.1f})"
