"""Text in tables for spreadsheets: what a spreadsheet would run as a formula gets an apostrophe in front.

This holds for cells and for the names of columns, since both may come from someone else's JSON.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from probatio.learn.database import quote_name, quote_text

if TYPE_CHECKING:
    import duckdb

FORMULA = r"^[\s\x00-\x1f]*[=+\-@\t\r\n＝＋－＠]"
"""How a formula begins; full-width signs are read as the others in some countries. Some programs skip what
stands before the sign and is not seen."""
_FORMULA = re.compile(FORMULA)
_NUMBERS = frozenset({"BOOLEAN", "TINYINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "DOUBLE", "DATE"})
"""Kinds of columns whose values are never text."""


def make_no_formula(text: str) -> str:
    return f"'{text}" if _FORMULA.search(text) else text


def select_harmless(db: duckdb.DuckDBPyConnection, query: str) -> str:
    """The query with no formula in its columns and their names."""
    taken: set[str] = set()
    chosen = []
    for name, kind, *_ in db.execute(f"describe {query}").fetchall():
        shown = make_no_formula(name)
        while shown.casefold() in taken:
            shown += "_"
        taken.add(shown.casefold())
        chosen.append(f"{_select(quote_name(name), kind)} as {quote_name(shown)}")
    return f"select {', '.join(chosen)} from ({query})"


def _select(column: str, kind: str) -> str:
    if kind in _NUMBERS or kind.startswith(("TIMESTAMP", "DECIMAL")):
        return column
    text = f"cast({column} as varchar)"
    return f"case when regexp_matches({text}, {quote_text(FORMULA)}) then '''' || {text} else {text} end"
