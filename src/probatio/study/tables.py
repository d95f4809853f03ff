"""A study as plain tables, one per subject: a row per level, a column per fact. All exports are written from these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from probatio.study.compare import Comparison
from probatio.study.comparison_words import short_names
from probatio.study.findings import Effect, Point, Study, curve_name
from probatio.study.intervals import Rate

Kind = Literal["text", "count", "share", "points", "ratio", "p", "yes"]
"""What a column holds. A share is from 0 to 1, points are percentage points."""

Cell = str | int | float | bool | None


class Column(msgspec.Struct, frozen=True):
    """A column; `ends` names the two columns that are the interval of its number."""

    name: str
    kind: Kind = "text"
    ends: tuple[str, str] | None = None


class Table(msgspec.Struct, frozen=True):
    """A subject of the study."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]


_RATE = (
    Column("passed", "count"),
    Column("asked", "count"),
    Column("rate", "share", ("low", "high")),
    Column("low", "share"),
    Column("high", "share"),
)


def tables_of(study: Study, compared: Sequence[Comparison] = ()) -> list[Table]:
    """Those that have rows."""
    made = (_rates(study), _funnel(study), _curves(study), _factors(study), _hardest(study), _comparisons(compared))
    return [table for table in made if table.rows]


def _rates(study: Study) -> Table:
    rows: list[tuple[Cell, ...]] = []
    if study.overall.asked:
        rows.append(("all", "all", *_rate(study.overall), study.overall.tasks, study.unasked))
    rows += [
        (axis.name, level.name, *_rate(level.rate), level.rate.tasks, level.unasked)
        for axis in study.axes
        for level in axis.levels
    ]
    columns = (Column("axis"), Column("level"), *_RATE, Column("tasks", "count"), Column("unasked", "count"))
    return Table("rates", "Pass rates with 95 % intervals", columns, rows)


def _funnel(study: Study) -> Table:
    names = ("asked", "level_a", "level_b", "level_c", "unasked")
    rows: list[tuple[Cell, ...]] = [(one.model, *(getattr(one, name) for name in names)) for one in study.funnels]
    columns = (Column("model"), *(Column(name, "count") for name in names))
    return Table("funnel", "Answers that came through each level and all before it", columns, rows)


def _curves(study: Study) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (curve_name(curve, study.curves), point.context, point.n_shot, point.tokens, *_rate(point.rate), *_fit(point))
        for curve in study.curves
        for point in curve.points
    ]
    columns = (
        Column("model"),
        Column("context"),
        Column("n_shot", "count"),
        Column("tokens", "count"),
        *_RATE,
        Column("fit", "share", ("band_low", "band_high")),
        Column("band_low", "share"),
        Column("band_high", "share"),
    )
    return Table("curves", "Pass rate against the prompt tokens of context and examples", columns, rows)


def _factors(study: Study) -> Table:
    effects = study.factors.effects if study.factors else []
    rows: list[tuple[Cell, ...]] = [
        (one.factor, one.level, one.reference, *_points(one), one.odds_ratio, one.odds_low, one.odds_high, one.p)
        for one in effects
    ]
    columns = (
        Column("factor"),
        Column("level"),
        Column("reference"),
        Column("points", "points", ("points_low", "points_high")),
        Column("points_low", "points"),
        Column("points_high", "points"),
        Column("odds_ratio", "ratio", ("odds_low", "odds_high")),
        Column("odds_low", "ratio"),
        Column("odds_high", "ratio"),
        Column("p", "p"),
    )
    return Table("factors", "What each factor is worth, in percentage points and as odds ratio", columns, rows)


def _hardest(study: Study) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (one.task_id, one.type, one.category, one.difficulty, *_rate(one.rate)) for one in study.hardest
    ]
    columns = (Column("task"), Column("type"), Column("category"), Column("difficulty"), *_RATE)
    return Table("hardest", "The tasks that fail most often", columns, rows)


def _comparisons(compared: Sequence[Comparison]) -> Table:
    names = short_names([side for one in compared for side in (one.a, one.b)])
    several = len(compared) > 1
    rows: list[tuple[Cell, ...]] = [
        (names[one.a], names[one.b], *_differing(one), one.p, *((one.p_holm,) if several else ()), one.shown)
        for one in compared
    ]
    columns = (
        Column("a"),
        Column("b"),
        Column("rate_a", "share"),
        Column("rate_b", "share"),
        Column("difference", "points", ("low", "high")),
        Column("low", "points"),
        Column("high", "points"),
        Column("pairs", "count"),
        Column("tasks", "count"),
        Column("p", "p"),
        *((Column("p_holm", "p"),) if several else ()),
        Column("shown", "yes"),
    )
    corrected = "; p holm is corrected for all of them (Holm)" if several else ""
    return Table("comparisons", f"B against A, paired by trial, in percentage points{corrected}", columns, rows)


def _rate(rate: Rate) -> tuple[Cell, ...]:
    return rate.passed, rate.asked, rate.share, rate.low, rate.high


def _fit(point: Point) -> tuple[Cell, ...]:
    return point.fit, point.band_low, point.band_high


def _points(effect: Effect) -> tuple[Cell, ...]:
    return effect.points, effect.points_low, effect.points_high


def _differing(one: Comparison) -> tuple[Cell, ...]:
    return one.rate_a.share, one.rate_b.share, one.difference, one.low, one.high, one.pairs, one.tasks


def shown_columns(table: Table) -> Iterator[tuple[int, Column]]:
    """The columns of a table for readers, with their place: the ends of an interval stand with their number."""
    ends = {end for column in table.columns for end in column.ends or ()}
    for place, column in enumerate(table.columns):
        if column.name not in ends:
            yield place, column


def shown_cell(table: Table, row: Sequence[Cell], place: int, dash: str = "–") -> str:
    """A cell for readers: `80 % [74, 84]`."""
    column, value = table.columns[place], row[place]
    if value is None:
        return dash
    if column.kind == "yes":
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    told = _FORMS[column.kind](float(value))
    if column.ends:
        places = [each.name for each in table.columns]
        low, high = (row[places.index(end)] for end in column.ends)
        if isinstance(low, float) and isinstance(high, float):
            bare = _BARE.get(column.kind, _FORMS[column.kind])
            told += f" [{bare(low)}, {bare(high)}]"
    return told


_FORMS: dict[Kind, Callable[[float], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "share": lambda value: f"{100 * value:.0f} %",
    "points": lambda value: f"{value:+.1f}",
    "ratio": lambda value: f"{value:.2f}",
    "p": lambda value: "< 0.001" if value < 0.001 else f"{value:.3f}",
}
_BARE: dict[Kind, Callable[[float], str]] = {"share": lambda value: f"{100 * value:.0f}"}
