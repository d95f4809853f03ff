"""Packed lines: the JSON lines of a closed run as Parquet, about a tenth of the size, from which every byte can be had again.

Each field of a line is a column, so a question about rates reads no prompt. A line that its columns do not give back to the byte
(fields we do not know, another order, a torn end) is kept beside them as it stood. Before a file is replaced, all of it is made
again from the packed one and compared.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from probatio.errors import Incomplete, UsageError
from probatio.inside import name_of, open_new, reader
from probatio.records import Grade, Response
from probatio.store.files import replacement
from probatio.store.layout import ANSWERS, GRADES

if TYPE_CHECKING:
    import duckdb

SUFFIX = ".parquet"
SHAPES: dict[str, type[msgspec.Struct]] = {ANSWERS: Response, GRADES: Grade}
"""The files of a run that can be packed, and what a line of them is."""

OFFSET, VERBATIM, BYTES = "_offset", "_line", "_bytes"
"""Beside the fields: where the line stood, and the line itself where its fields do not give it back (as text, or in base64)."""

ROW_GROUP = 8192
"""Rows that are compressed together: enough that prompts which repeat cost nothing, few enough that one answer is found fast."""
_SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN", dict: "JSON"}
_encode = msgspec.json.Encoder().encode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Packed(msgspec.Struct, frozen=True):
    """What came of packing a file."""

    file: str
    lines: int
    bytes_before: int
    bytes_after: int
    verbatim: int  # lines that are also kept as they stood


def packed_of(path: Path) -> Path:
    """The packed form of a file of lines."""
    return path.with_suffix(SUFFIX)


def pack(source: Path) -> Packed:
    """Write the packed form beside the file, and prove that it gives every byte back. The file itself stays."""
    target = packed_of(source)
    verbatim, alone = frozenset[int](), frozenset[int]()
    while True:
        with replacement(target) as part:
            os.close(open_new(part))
            lines, kept = _write(source, part, verbatim, alone)
            differing = frozenset(_differing(source, part))
            if differing & alone:
                raise Incomplete(
                    f"{source} could not be packed: line {min(differing) + 1} does not come back as it stands."
                )
        if not differing:
            break
        alone |= differing & verbatim  # fields that the database can't read at all
        verbatim |= differing
    return Packed(source.name, lines, source.stat().st_size, target.stat().st_size, kept)


def unpack(source: Path) -> Path:
    """Write the lines of a packed file again as they stood; the packed one stays."""
    target = source.with_suffix(".jsonl")
    with _opened(source) as (db, table):
        told = dict(_metadata(db, table))
        digest = hashlib.sha256()
        with replacement(target) as part:
            with os.fdopen(open_new(part), "wb") as file:
                for line in _lines(db, table):
                    digest.update(line)
                    file.write(line)
            if digest.hexdigest() != told.get("sha256"):
                raise UsageError(
                    f"{source} is damaged: its lines do not have the SHA-256 it was packed with. Nothing was changed."
                )
    return target


def packed_lines(path: Path, folder: Path | None = None) -> Iterator[bytes]:
    """The lines of a packed file, byte for byte as they stood."""
    with _opened(path, folder) as (db, table):
        yield from _lines(db, table)


def packed_lines_at(path: Path, offsets: Sequence[int], folder: Path | None = None) -> dict[int, bytes]:
    """The lines that stood at these places of the file."""
    wanted = ", ".join(map(str, map(int, offsets)))
    with _opened(path, folder) as (db, table):
        return dict(_placed_lines(db, table, f"where {OFFSET} in ({wanted})"))


def ends_torn(path: Path) -> bool:
    """Whether the last line had no end."""
    with _opened(path) as (db, table):
        return dict(_metadata(db, table)).get("torn") == "1"


def _write(source: Path, target: Path, verbatim: frozenset[int], alone: frozenset[int]) -> tuple[int, int]:
    """The packed form of `source`; lines of these numbers are kept as they stand, too, or that alone. Gives the number of lines,
    and of those that are kept so."""
    import duckdb

    shape = SHAPES[source.name]
    columns = {field.name: _sql(field.type) for field in msgspec.structs.fields(shape)}
    columns |= {OFFSET: "BIGINT", VERBATIM: "VARCHAR", BYTES: "VARCHAR"}
    digest, offset, last, longest, count, kept, torn = hashlib.sha256(), 0, 0, 0, 0, 0, False
    with tempfile.NamedTemporaryFile(dir=source.parent, prefix=".pack-", suffix=".jsonl") as marked:
        with reader(source) as lines:
            for number, line in enumerate(lines):
                digest.update(line)
                torn = not line.endswith(b"\n")
                bare = line.removesuffix(b"\n")
                keep, fields = torn or number in verbatim, number not in alone and _is_object(bare)
                written, as_it_stands = _marked(bare, offset, keep=keep, fields=fields)
                kept += as_it_stands
                marked.write(written)
                longest, last, offset, count = max(longest, len(written)), offset, offset + len(line), number + 1
        marked.flush()
        told = f"{{sha256: '{digest.hexdigest()}', last: '{last}', torn: '{int(torn)}'}}"
        with duckdb.connect() as db:
            db.execute("set threads = 1")  # lines keep their order
            db.execute("set enable_progress_bar = false")
            db.execute(
                f"copy (select * from read_json('{marked.name}', format='newline_delimited', columns={columns}, "
                f"ignore_errors=true, maximum_object_size={max(1 << 20, longest + 1)})) to '{_quoted(str(target))}' "
                f"(format parquet, compression zstd, row_group_size {ROW_GROUP}, kv_metadata {told})"
            )
    return count, kept


def _marked(line: bytes, offset: int, *, keep: bool, fields: bool) -> tuple[bytes, bool]:
    """A line with its place in it, and with itself where it is to be kept as it stands; and whether it is."""
    marks: dict[str, Any] = {OFFSET: offset}
    if keep or not fields:
        try:
            marks[VERBATIM] = line.decode()
        except UnicodeDecodeError:
            marks[BYTES] = base64.b64encode(line).decode()
    told = _encode(marks)
    return (line[:-1] + b"," + told[1:] if fields else told) + b"\n", len(marks) > 1


def _is_object(line: bytes) -> bool:
    """Whether more fields can be put before the end of a line."""
    try:
        return line.endswith(b"}") and bool(line.decode()) and bool(_decode_object(line))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _differing(source: Path, part: Path) -> Iterator[int]:
    """Numbers of the lines that the packed file does not give back as they stand."""
    with _opened(part) as (db, table), reader(source) as lines:
        again = (
            each for each in _placed_lines(db, table) if each[0] >= 0
        )  # a line that could not be read has no place
        end = (sys.maxsize, b"")
        offset, (place, made) = 0, next(again, end)
        for number, line in enumerate(lines):
            if place != offset or made != line:
                yield number
            offset += len(line)
            while place < offset:
                place, made = next(again, end)


@contextmanager
def _opened(path: Path, folder: Path | None = None) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """A database and the packed file as a name in quotes. The file is open already: by its name a link would be followed."""
    import duckdb

    with reader(path, folder) as file, duckdb.connect() as db:
        db.execute("set threads = 1")
        db.execute("set enable_progress_bar = false")
        try:
            yield db, f"'{_quoted(name_of(file.fileno(), path))}'"
        except duckdb.Error as error:
            raise UsageError(f"{path} is not a packed file that can be read: {str(error).splitlines()[0]}") from None


def _lines(db: duckdb.DuckDBPyConnection, table: str, where: str = "") -> Iterator[bytes]:
    return (line for _, line in _placed_lines(db, table, where))


def _placed_lines(db: duckdb.DuckDBPyConnection, table: str, where: str = "") -> Iterator[tuple[int, bytes]]:
    """The lines and where they stood."""
    found = db.execute(f"select * from read_parquet({table}) {where}")
    names = [column[0] for column in found.description or ()]
    kinds = [str(column[1]) for column in found.description or ()]
    fields = [(place, name) for place, name in enumerate(names) if name not in (OFFSET, VERBATIM, BYTES)]
    nested = [name for name, kind in zip(names, kinds, strict=True) if kind == "JSON"]
    offset, verbatim, coded = (names.index(name) for name in (OFFSET, VERBATIM, BYTES))
    told = dict(_metadata(db.cursor(), table))
    torn_at = int(told["last"]) if told["torn"] == "1" else -1
    while rows := found.fetchmany(ROW_GROUP):
        for row in rows:
            if row[coded] is not None:
                line = base64.b64decode(row[coded])
            elif row[verbatim] is not None:
                line = row[verbatim].encode()
            else:
                values = {name: row[place] for place, name in fields}
                for name in nested:
                    values[name] = None if values[name] is None else msgspec.Raw(values[name].encode())
                line = _encode(values)
            yield (-1 if row[offset] is None else row[offset]), (line if row[offset] == torn_at else line + b"\n")


def _metadata(db: duckdb.DuckDBPyConnection, table: str) -> Iterator[tuple[str, str]]:
    for key, value in db.execute(f"select key, value from parquet_kv_metadata({table})").fetchall():
        yield bytes(key).decode(), bytes(value).decode()


def _sql(kind: Any) -> str:
    options = [each for each in (get_args(kind) if isinstance(kind, UnionType) else (kind,)) if each is not type(None)]
    return _SQL.get(get_origin(options[0]) or options[0], "VARCHAR")


def _quoted(text: str) -> str:
    return text.replace("'", "''")
