"""Variables: `{{name}}` in a text, and the tables with their values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from probatio.core.errors import UsageError

_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def find_variables(text: str) -> list[str]:
    """The names of the variables in a text."""
    return _VARIABLE.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each `{{name}}` in it filled. Raises ValueError for what has no value."""
    for name in find_variables(text):
        if name not in values:
            raise ValueError(f"`{{{{{name}}}}}` has no value")
    if "{{" in _VARIABLE.sub("", text):
        raise ValueError("only {{name}} is filled, no other template")
    return _VARIABLE.sub(lambda match: values[match[1]], text)


def fill_all(value: Any, values: Mapping[str, str]) -> Any:
    """Every text in a value, filled."""
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, list):
        return [fill_all(each, values) for each in value]
    if isinstance(value, dict):
        return {key: fill_all(each, values) for key, each in value.items()}
    return value


def show(value: Any) -> str:
    """A value of a variable as JavaScript writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    raise ValueError("a variable has to be a text or a number")


def read_rows(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a .csv file with the lines at which they begin; empty ones are no rows."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: byte {error.start}.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, [cell.strip() for cell in row] if begins == 1 else row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path}, line {begins}: no CSV: {error}.") from None
