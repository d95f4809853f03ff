"""Studying runs from Python: findings, comparisons, power, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from probatio.api.asking import Names, Place, Run
from probatio.api.reading import folders

if TYPE_CHECKING:
    from probatio.study.compare import Comparison
    from probatio.study.findings import Study
    from probatio.study.planning import Plan


def study(*runs: Place | Run, results: Place = "results", suite: Place | None = None) -> Study:
    """All there is to find in runs that asked the same suite: rates with intervals, learning curves, factors, hardest tasks.

    Nothing is written and no model is asked; `probatio.export` writes tables and figures.
    """
    from probatio.study.analysis import study_of

    return study_of(folders(runs, Path(results)), _path(suite))


@overload
def compare(a: str, b: str, /, *, results: Place = ..., suite: Place | None = ...) -> Comparison: ...
@overload
def compare(
    a: str, b: str, c: str, /, *more: str, results: Place = ..., suite: Place | None = ..., to_first: bool = ...
) -> list[Comparison]: ...
@overload
def compare(run: str, /, *, each: str, results: Place = ..., suite: Place | None = ...) -> list[Comparison]: ...
def compare(
    *sides: str, each: str | None = None, results: Place = "results", suite: Place | None = None, to_first: bool = False
) -> Comparison | list[Comparison]:
    """Compare sides paired by trial, as `probatio compare` does: `monday`, `monday:model=gpt-4o`, `monday:context=minimal`.

    Two sides give one comparison; `print` shows it as a sentence. More of them, or one run with `each="model"`, give a list whose
    p-values are corrected together (`p_holm`).
    """
    from probatio.study.compare import compare_all, sides_of

    where = Path(results)
    chosen = sides if each is None else sides_of(sides[0], each, where, _path(suite))
    compared = compare_all(chosen, where, _path(suite), to_first=to_first)
    return compared[0] if len(sides) == 2 else compared


def power(
    *pilot: str,
    delta: float,
    tasks: int | None = None,
    samples: int | None = None,
    conditions: int | None = None,
    between: str = "model",
    rate: float | None = None,
    chance: float = 80,
    results: Place = "results",
) -> Plan:
    """The chance that a comparison will show a difference of `delta` points, and how many tasks it takes; see `probatio power`.

    `pilot` is a run, or two sides as `compare` takes them; without one, `rate` states how often A passes, in percent.
    """
    from probatio.study.planning import plan_power

    return plan_power(
        pilot,
        delta=delta,
        results=Path(results),
        between=between,
        tasks=tasks,
        samples=samples,
        conditions=conditions,
        rate=rate,
        chance=chance,
    )


def export(
    *runs: Place | Run,
    out: Place,
    formats: Names = ("latex",),
    figures: Names = (),
    size: str = "column",
    compared: Comparison | Sequence[Comparison] = (),
    results: Place = "results",
    suite: Place | None = None,
) -> list[Path]:
    """Write the study of runs into a folder: tables as latex, csv, parquet, html or bibtex, figures as svg, pdf or png.

    `size` is `column` (84 mm) or `page` (174 mm). Comparisons get a table and a figure of their own. Gives the files.
    """
    from probatio import __version__
    from probatio.study.compare import Comparison
    from probatio.study.export import Exporting, export_study

    found = folders(runs, Path(results))
    wanted = Exporting(
        study=study(*found, suite=suite),
        framework=__version__,
        formats=_listed(formats),  # type: ignore[arg-type]
        figures=_listed(figures),  # type: ignore[arg-type]
        size=size,
        compared=(compared,) if isinstance(compared, Comparison) else tuple(compared),
        folders=tuple(found),
        suite=_path(suite),
    )
    return export_study(wanted, Path(out))


def figures(found: Study, compared: Sequence[Comparison] = (), *, size: str = "page") -> dict[str, str]:
    """The pictures of a study as SVG text, by name; a notebook shows one with `IPython.display.SVG`."""
    from probatio.charts.figure import size_of
    from probatio.charts.palette import FIXED
    from probatio.study.export import drawn

    return drawn(found, compared, FIXED, size_of(size).pixels, headings=True)


def bibtex(*runs: Place | Run, results: Place = "results") -> str:
    """BibTeX of the suite that these runs asked, in its version, and of Probatio."""
    from probatio import __version__
    from probatio.study.latex import bibtex
    from probatio.study.trials import open_trials

    with open_trials(folders(runs, Path(results))) as trials:
        return bibtex(trials.runs[0], __version__)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
