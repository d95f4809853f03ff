"""A study as plain tables: a row per level, a column per fact. All exports are written from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from probatio.core.statistics.intervals import Rate
from probatio.learn.compare import Comparison
from probatio.learn.findings import Study, curve_name
from probatio.learn.report.comparison import shorten_names

ColumnKind = Literal["text", "count", "share", "points", "ratio", "p", "yes"]
"""What a column holds. A share is from 0 to 1, points are percentage points."""

Cell = str | int | float | bool | None


class Column(msgspec.Struct, frozen=True):
    """A column; `ends` names the two columns that are the interval of its number."""

    name: str
    kind: ColumnKind = "text"
    ends: tuple[str, str] | None = None


class StudyTable(msgspec.Struct, frozen=True):
    """One table of the study."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]


def _with_ends(name: str, kind: ColumnKind, low: str, high: str) -> tuple[Column, ...]:
    return Column(name, kind, (low, high)), Column(low, kind), Column(high, kind)


_RATE = (Column("passed", "count"), Column("asked", "count"), *_with_ends("rate", "share", "low", "high"))


def make_tables(study: Study, compared: Sequence[Comparison] = ()) -> list[StudyTable]:
    """The tables that have rows."""
    made = (
        _rates(study),
        _funnel(study),
        _curves(study),
        _factors(study),
        _hardest(study),
        _comparisons(compared),
    )
    return [table for table in made if table.rows]


def _rates(study: Study) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    if study.overall.asked:
        rows.append(("all", "all", *_rate(study.overall), study.overall.tasks, study.unasked))
    if study.control_rate:
        rows.append(("controls", "all", *_rate(study.control_rate), study.control_rate.tasks, None))
    rows += [
        (axis.name, level.name, *_rate(level.rate), level.rate.tasks, level.unasked)
        for axis in study.axes
        for level in axis.levels
    ]
    columns = (Column("axis"), Column("level"), *_RATE, Column("tasks", "count"), Column("unasked", "count"))
    return StudyTable("rates", "Pass rates with 95 % intervals", columns, rows)


def _funnel(study: Study) -> StudyTable:
    counts = ("asked", "level_a", "level_b", "level_c", "unasked")
    columns = (Column("model"), *(Column(name, "count") for name in counts))
    rows = [_fields(one, columns) for one in study.funnels]
    return StudyTable("funnel", "Answers that came through each level and all before it", columns, rows)


def _curves(study: Study) -> StudyTable:
    place = (Column("context"), Column("n_shot", "count"), Column("tokens", "count"))
    fit = _with_ends("fit", "share", "band_low", "band_high")
    rows = [
        (
            curve_name(curve, study.curves),
            *_fields(point, place),
            *_rate(point.rate),
            *_fields(point, fit),
        )
        for curve in study.curves
        for point in curve.points
    ]
    columns = (Column("model"), *place, *_RATE, *fit)
    return StudyTable("curves", "Pass rate against the prompt tokens of context and examples", columns, rows)


def _factors(study: Study) -> StudyTable:
    columns = (
        Column("factor"),
        Column("level"),
        Column("reference"),
        *_with_ends("points", "points", "points_low", "points_high"),
        *_with_ends("odds_ratio", "ratio", "odds_low", "odds_high"),
        Column("p", "p"),
    )
    rows = [_fields(one, columns) for one in (study.factors.effects if study.factors else ())]
    return StudyTable(
        "factors", "What each factor is worth, in percentage points and as odds ratio", columns, rows
    )


def _hardest(study: Study) -> StudyTable:
    about = (Column("type"), Column("category"), Column("difficulty"))
    rows = [(one.task_id, *_fields(one, about), *_rate(one.rate)) for one in study.hardest]
    return StudyTable("hardest", "The tasks that fail most often", (Column("task"), *about, *_RATE), rows)


def _comparisons(compared: Sequence[Comparison]) -> StudyTable:
    names = shorten_names([side for one in compared for side in (one.a, one.b)])
    several = len(compared) > 1
    sides = (Column("a"), Column("b"), Column("rate_a", "share"), Column("rate_b", "share"))
    found = (
        *_with_ends("difference", "points", "low", "high"),
        Column("pairs", "count"),
        Column("tasks", "count"),
        Column("p", "p"),
        *((Column("p_holm", "p"),) if several else ()),
        Column("shown", "yes"),
    )
    rows = [
        (names[one.a], names[one.b], one.rate_a.share, one.rate_b.share, *_fields(one, found))
        for one in compared
    ]
    corrected = "; p holm is corrected for all of them (Holm)" if several else ""
    title = f"B against A, paired by trial, in percentage points{corrected}"
    return StudyTable("comparisons", title, (*sides, *found), rows)


def _rate(rate: Rate) -> tuple[Cell, ...]:
    return rate.passed, rate.asked, rate.share, rate.low, rate.high


def _fields(record: object, columns: Sequence[Column]) -> tuple[Cell, ...]:
    """The fields of a record that have the names of these columns."""
    return tuple(getattr(record, column.name) for column in columns)


def list_shown_columns(table: StudyTable) -> Iterator[tuple[int, Column]]:
    """The columns for readers, with their place. The ends of an interval are shown with their number."""
    ends = {end for column in table.columns for end in column.ends or ()}
    for place, column in enumerate(table.columns):
        if column.name not in ends:
            yield place, column


def format_cell(table: StudyTable, row: Sequence[Cell], place: int, dash: str = "–") -> str:
    """A cell for readers: `80 % [74, 84]`."""
    column, value = table.columns[place], row[place]
    if value is None:
        return dash
    if column.kind == "yes":
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    text = _FORMS[column.kind](float(value))
    if column.ends:
        places = [each.name for each in table.columns]
        low, high = (row[places.index(end)] for end in column.ends)
        if isinstance(low, float) or isinstance(high, float):
            bare = _BARE.get(column.kind, _FORMS[column.kind])
            ends = (bare(end) if isinstance(end, float) else dash for end in (low, high))
            text += f" [{', '.join(ends)}]"
    return text


_FORMS: dict[ColumnKind, Callable[[float], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "share": lambda value: f"{100 * value:.0f} %",
    "points": lambda value: f"{value:+.1f}",
    "ratio": lambda value: f"{value:.2f}",
    "p": lambda value: "< 0.001" if value < 0.001 else f"{value:.3f}",
}
_BARE: dict[ColumnKind, Callable[[float], str]] = {"share": lambda value: f"{100 * value:.0f}"}
