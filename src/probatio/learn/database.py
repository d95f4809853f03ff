"""The one place where DuckDB is opened: in memory, without extensions and network, for files we hand to it.

A results folder may come from someone else. So the database reads files of the folders it is opened for and
writes into a private folder of its own, and no query can change that: a name in a file, a link or a glob
leads nowhere else. What it wrote is moved to its place by us.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from probatio.core.files import replacement
from probatio.core.inside import open_new, open_reader

if TYPE_CHECKING:
    import duckdb

MEMORY = 4 << 30
"""Bytes the database may take, or half of what the machine has; beyond that it works on the disk."""

CSV, PARQUET = "format csv, header", "format parquet"
"""Forms of a table that is written, as COPY takes them."""

_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "threads": 1,  # lines keep their order
}


@contextmanager
def open_database(*folders: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database that can read files of these folders, and no others."""
    import duckdb

    with (
        TemporaryDirectory(prefix="probatio-database-") as scratch,
        duckdb.connect(config=_SETTINGS) as db,
    ):
        # Progress would go to standard output, which belongs to `--json`. In a notebook DuckDB refuses the
        # setting if the package that would show progress is missing; then there is nothing to turn off.
        with suppress(duckdb.InvalidInputException):
            db.execute("set enable_progress_bar = false")
        db.execute(f"set memory_limit = '{_limit_memory() >> 20} MiB'")
        db.execute(f"set temp_directory = {quote_text(os.path.realpath(scratch))}")
        readable = ", ".join(quote_text(os.path.realpath(folder)) for folder in folders)
        db.execute(f"set allowed_directories = [{readable}]")
        db.execute("set enable_external_access = false")
        db.execute("set lock_configuration = true")
        yield db


def write_table(db: duckdb.DuckDBPyConnection, query: str, target: Path, form: str) -> None:
    """Write what a query finds to a file, in place whole or not at all. `form`: options of COPY."""
    (folder,) = db.execute("select current_setting('temp_directory')").fetchone() or ("",)
    made = Path(folder) / "table"
    db.execute(f"copy ({query}) to {quote_text(str(made))} ({form})")
    try:
        with (
            replacement(target) as part,
            open_reader(made) as table,
            os.fdopen(open_new(part), "wb") as file,
        ):
            shutil.copyfileobj(table, file)
    finally:
        made.unlink()


def quote_text(text: str) -> str:
    """A text of SQL, for the places where a statement takes no parameter."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """The name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def _limit_memory() -> int:
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return MEMORY
    return min(MEMORY, there // 2)
