"""The tables of a study, each defined once: analysis.md, the page of a run and all exports show these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import msgspec

from probatio.charts.curves import Point
from probatio.core.statistics.intervals import Rate
from probatio.learn.compare import Comparison
from probatio.learn.findings import Study, curve_name
from probatio.learn.report.comparison import shorten_names
from probatio.learn.report.wording import DASH, format_p

Kind = Literal[
    "text", "axis", "count", "passed", "through", "tokens", "share", "points", "ratio", "p", "yes"
]  # fmt: skip
"""What a column holds. `passed` and `through` are counts of the field `asked` next to it (8/20, 8 (40 %)), a
share is from 0 to 1, points are percentage points."""

INTERVAL = "95 % interval"


def name_axis(axis: str) -> str:
    """`n-shot` for `n_shot`."""
    return axis.replace("_", "-")


_FORMS: dict[Kind, Callable[[Any], str]] = {
    "axis": name_axis,
    "tokens": "{:,}".format,
    "share": lambda value: f"{100 * value:.0f} %",
    "points": "{:+.1f}".format,
    "ratio": "{:.2f}".format,
    "p": format_p,
    "yes": lambda value: "yes" if value else "no",
}


class Column(msgspec.Struct, frozen=True):
    """A column, and how it is shown in analysis.md (`report`), on the page of a run and in exports."""

    name: str  # in CSV and Parquet
    kind: Kind = "text"
    of: str = ""  # the field of a row, such as `rate.passed`, if it is not the name
    report: tuple[str, ...] = ()  # its heading, and that of its interval; none: it is not there
    page: tuple[str, ...] = ()  # the same; with one heading the interval follows the number
    exported: bool = True
    ends: tuple[str, ...] = ()  # the interval of its number: two fields next to it

    def value(self, row: object, beside: str = "") -> Any:
        """The number or text of a row, or the field `beside` it."""
        field = self.of or self.name
        return attrgetter(field[: field.rfind(".") + 1] + beside if beside else field)(row)

    @property
    def is_text(self) -> bool:
        return self.kind in ("text", "axis")

    def form(self, value: object) -> str:
        """A value of this kind for readers."""
        return DASH if value in (None, "") else _FORMS.get(self.kind, str)(value)


class StudyTable(msgspec.Struct, frozen=True):
    """One table. Its rows are records; the columns say which fields are shown."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Any] = ()

    @property
    def groups(self) -> dict[str, list[Any]]:
        """The rows by their first column."""
        return {key: list(rows) for key, rows in groupby(self.rows, self.columns[0].value)}

    @property
    def fields(self) -> dict[str, tuple[Column, str]]:
        """The columns of CSV and Parquet: the numbers, and the ends of their intervals."""
        return {
            end or column.name: (column, end)
            for column in self.shown("exported")
            for end in ("", *column.ends)
        }

    def cells(self, row: object) -> list[Any]:
        """What CSV and Parquet hold of a row."""
        return [column.value(row, beside) for column, beside in self.fields.values()]

    def shown(self, where: Literal["report", "page", "exported"]) -> list[Column]:
        return [column for column in self.columns if getattr(column, where)]


class LevelRow(NamedTuple):
    axis: str
    level: str
    rate: Rate
    unasked: int | None


class PointRow(NamedTuple):
    curve: str
    model: str
    dialect: str
    point: Point


def _rate(of: str) -> tuple[Column, ...]:
    return (
        Column("passed", "passed", f"{of}.passed", ("passed",)),
        Column("asked", "count", f"{of}.asked"),
        Column("rate", "share", f"{of}.share", ("rate", INTERVAL), ("Passed",), ends=("low", "high")),
    )


def _table(name: str, title: str, *columns: Column) -> StudyTable:
    return StudyTable(name, title, columns)


RATES = _table(
    "rates",
    "Pass rates with 95 % intervals",
    Column("axis"),
    Column("level", report=("level",), page=("level",)),
    *_rate("rate"),
    Column("asked", "count", "rate.asked", page=("Answers",), exported=False),
    Column("tasks", "count", "rate.tasks", ("tasks",)),
    Column("unasked", "count", report=("not asked or checked",)),
)
FUNNEL = _table(
    "funnel",
    "Answers that came through each level and all before it",
    Column("model", report=("model",), page=("Model",)),
    Column("asked", "count", report=("asked",), page=("Asked",)),
    Column("level_a", "through", report=("A typechecks",), page=("A typechecks",)),
    Column("level_b", "through", report=("B runs",), page=("B runs",)),
    Column("level_c", "through", report=("C right output",), page=("C right output",)),
    Column("unasked", "count", report=("not asked or checked",)),
)
CURVES = _table(
    "curves",
    "Pass rate against the prompt tokens of context and examples",
    Column("model", of="curve"),
    Column("model", page=("Model",), exported=False),
    Column("dialect", page=("Dialect",), exported=False),
    Column("context", of="point.context", report=("context",), page=("Context",)),
    Column("n_shot", "count", "point.n_shot", ("n-shot",), ("Examples",)),
    Column("tokens", "tokens", "point.tokens", ("tokens",), ("Tokens",)),
    *_rate("point.rate"),
    Column("asked", "count", "point.rate.asked", page=("Answers",), exported=False),
    Column("tasks", "count", "point.rate.tasks", page=("Tasks",)),
    Column("fit", "share", "point.fit", ("fit", "band"), ("Fit", "Band"), ends=("band_low", "band_high")),
)
FACTORS = _table(
    "factors",
    "What each factor is worth, in percentage points and as odds ratio",
    Column("factor", "axis", report=("factor",)),
    Column("level", report=("level",)),
    Column("reference", report=("against",)),
    Column("points", "points", report=("points", INTERVAL), ends=("points_low", "points_high")),
    Column("odds_ratio", "ratio", report=("odds ratio", INTERVAL), ends=("odds_low", "odds_high")),
    Column("p", "p", report=("p",)),
)
HARDEST = _table(
    "hardest",
    "The tasks that fail most often",
    Column("task", of="task_id", report=("task",), page=("Task",)),
    Column("type", report=("type",), page=("Kind",)),
    Column("category", report=("category",), page=("Category",)),
    Column("difficulty", report=("difficulty",)),
    *_rate("rate"),
)
COMPARISONS = (
    Column("a"),
    Column("b"),
    Column("rate_a", "share", "rate_a.share"),
    Column("rate_b", "share", "rate_b.share"),
    Column("difference", "points", ends=("low", "high")),
    Column("pairs", "count"),
    Column("tasks", "count"),
    Column("p", "p"),
    Column("p_holm", "p"),
    Column("shown", "yes"),
)


def make_tables(study: Study) -> dict[str, StudyTable]:
    """Name → table, with or without rows."""
    levels = [LevelRow("all", "all", study.overall, study.unasked)] if study.overall.asked else []
    levels += [LevelRow("controls", "all", study.control_rate, None)] if study.control_rate else []
    levels += [
        LevelRow(axis.name, level.name, level.rate, level.unasked)
        for axis in study.axes
        for level in axis.levels
    ]
    points = [
        PointRow(curve_name(curve, study.curves), curve.model, curve.dialect, point)
        for curve in study.curves
        for point in curve.points
    ]
    effects = study.factors.effects if study.factors else []
    rows = {RATES: levels, FUNNEL: study.funnels, CURVES: points, FACTORS: effects, HARDEST: study.hardest}
    return {table.name: msgspec.structs.replace(table, rows=each) for table, each in rows.items()}


def tabulate_comparisons(compared: Sequence[Comparison]) -> StudyTable:
    names = shorten_names([side for one in compared for side in (one.a, one.b)])
    several = len(compared) > 1
    corrected = "; p holm is corrected for all of them (Holm)" if several else ""
    return StudyTable(
        "comparisons",
        f"B against A, paired by trial, in percentage points{corrected}",
        tuple(column for column in COMPARISONS if several or column.name != "p_holm"),
        [msgspec.structs.replace(one, a=names[one.a], b=names[one.b]) for one in compared],
    )


def format_cell(column: Column, row: object) -> str:
    """A cell of an export for readers: `80 % [74, 84]`."""
    value = column.value(row)
    if value is None or isinstance(value, str):
        return DASH if value is None else value
    text = f"{value:,}" if column.kind in ("count", "through", "passed") else column.form(value)
    ends = [column.value(row, end) for end in column.ends]
    if any(end is not None for end in ends):
        text += f" [{', '.join(column.form(end).removesuffix(' %') for end in ends)}]"
    return text
