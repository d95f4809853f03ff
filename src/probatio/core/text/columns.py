"""Rows of words in columns, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator


def align_columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns; the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  " + "  ".join(cells).rstrip()
