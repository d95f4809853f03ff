"""The cases of a daily suite as their file has them, before they are records.

What stands once at the top of the file is given to each case, a case with a table becomes one for each row,
and one with several turns one for each turn.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import MOST_TEXT, read_inside
from probatio.core.values import SET_WHEN_READ, Count, Name
from probatio.core.yamlfile import YamlFile, as_record, explain_fault
from probatio.suites.ready_graders import read_expectations
from probatio.suites.variables import fill, fill_all, find_variables, read_rows, show

MOST_ROWS = 10_000
"""Of one table: each is a case that is asked every day."""


class EarlierTurn(msgspec.Struct, frozen=True):
    """A turn that is asked before another."""

    id: str
    prompt: str


class _WrittenTurn(msgspec.Struct):
    prompt: Name
    expect: Any = msgspec.UNSET


class WrittenCase(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One case of the file."""

    id: Name | None = None
    system: Name | msgspec.UnsetType = msgspec.UNSET
    prompt: Name | None = None
    difficulty: int = 2
    gold: dict[str, Any] = {}
    rungs: Count = 0
    expect: Any = msgspec.UNSET
    table: list[dict[str, Any]] | str | msgspec.UnsetType = msgspec.UNSET
    """Rows, or the .csv file beside this one that has them: the case is asked once for each, filled. Without
    a table nothing is filled."""
    # No `Name`: with a list and a text with a pattern in one union, one process in six ended by SIGSEGV when
    # it was done (msgspec 0.22, CPython 3.11); with a plain text none of sixty did.
    turns: list[str | _WrittenTurn] | msgspec.UnsetType = msgspec.UNSET
    """Messages that are sent one after the other, in place of one prompt; the model's own answers stand
    between them. What the case expects is expected of the answer to the last."""
    earlier: Annotated[tuple[EarlierTurn, ...] | msgspec.UnsetType, SET_WHEN_READ] = msgspec.UNSET
    unscored: Annotated[bool | msgspec.UnsetType, SET_WHEN_READ] = msgspec.UNSET


class _CaseFile(msgspec.Struct):
    cases: list[WrittenCase]
    system: Name | msgspec.UnsetType = msgspec.UNSET
    """The system prompt of each case without one of its own."""


def read_written(file: YamlFile, folder: Path) -> Iterator[tuple[int, WrittenCase]]:
    """Each case with its place in the list. A table is read from inside `folder`."""
    written = as_record(file, _CaseFile)
    if not written.cases:
        raise UsageError(f"{file.path} holds no case.")
    for number, case in enumerate(written.cases):
        if case.system is msgspec.UNSET:
            case.system = written.system
        if (case.prompt is None) == (case.turns is msgspec.UNSET):
            raise explain_fault(file, ("cases", number), "a case has a `prompt`, or `turns` in its place.")
        if case.table is msgspec.UNSET:
            yield number, case
        else:
            yield from ((number, each) for each in _fill_case(file, folder, number, case))


class _Row(NamedTuple):
    """One row of a table, and the place that an error in it names."""

    values: Mapping[str, str]
    path: Path
    line: int | None  # None: it stands in the file of the cases
    number: int


def _fill_case(file: YamlFile, folder: Path, number: int, case: WrittenCase) -> Iterator[WrittenCase]:
    """A case for each row."""
    at = ("cases", number, "table")
    rows = list(_list_rows(file, folder, at, case.table))
    if not rows or len(rows) > MOST_ROWS:
        said = f"has {len(rows):,} rows; the most is {MOST_ROWS:,}" if rows else "has no row"
        raise explain_fault(file, at, f"the table {said}.")
    for row in rows:
        try:
            yield _fill_row(case, row.values)
        except ValueError as error:
            said = f"{str(error).rstrip('.')}."
            if row.line is None:
                raise explain_fault(file, (*at, row.number), said) from None
            raise UsageError(f"{row.path}, line {row.line}: {said}") from None


def _list_rows(file: YamlFile, folder: Path, at: tuple[str | int, ...], table: Any) -> Iterator[_Row]:
    if isinstance(table, list):
        for number, row in enumerate(table):
            for name, value in row.items():
                if isinstance(value, bool) or not isinstance(value, str | int | float):
                    said = f"`{name}` has to be a text or a number; put quotes round it."
                    raise explain_fault(file, (*at, number, name), said)
            yield _Row({name: show(value) for name, value in row.items()}, file.path, None, number)
        return
    path = file.path.parent / table
    if path.suffix.lower() != ".csv":
        raise explain_fault(file, at, "`table` has to be rows, or the name of a .csv file beside this one.")
    try:
        content = read_inside(path, folder, MOST_TEXT)
    except FileNotFoundError:
        raise explain_fault(file, at, f"{path} does not exist.") from None
    except OSError as error:
        raise explain_fault(file, at, f"{path} can't be read: {error.strerror}.") from None
    rows = read_rows(content, path)
    line, names = next(rows, (1, []))
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{path}, line {line}: the column `{twice}` stands there twice.")
    for number, (line, row) in enumerate(rows):
        if len(row) != len(names):
            raise UsageError(f"{path}, line {line}: {len(row)} values for {len(names)} columns.")
        yield _Row(dict(zip(names, row, strict=True)), path, line, number)


def _fill_row(case: WrittenCase, values: Mapping[str, str]) -> WrittenCase:
    """The case of a row. Raises ValueError with what is wrong."""
    name = values.get("id", "").strip()
    if not name and case.id is not None:
        if not find_variables(case.id):
            raise ValueError(
                f"each row would have the id `{case.id}`: put a variable in it, or add a column `id`"
            )
        name = fill(case.id, values)
    filled = msgspec.structs.replace(
        case,
        id=name or None,
        system=fill_all(case.system, values),
        prompt=fill_all(case.prompt, values),
        turns=msgspec.UNSET
        if case.turns is msgspec.UNSET
        else [_fill_turn(each, values) for each in case.turns],
        gold=fill_all(case.gold, values),
        expect=fill_all(case.expect, values),
        table=msgspec.UNSET,
    )
    if filled.prompt is not None and not filled.prompt.strip():
        raise ValueError("its prompt is empty")
    if filled.expect is not msgspec.UNSET:
        read_expectations(filled.expect)  # here its row can be named
    return filled


def _fill_turn(turn: str | _WrittenTurn, values: Mapping[str, str]) -> str | _WrittenTurn:
    if isinstance(turn, str):
        return fill(turn, values)
    return _WrittenTurn(fill(turn.prompt, values), fill_all(turn.expect, values))


def list_turns(file: YamlFile, number: int, case: WrittenCase) -> Iterator[WrittenCase]:
    """A case for each turn: `trip.1`, `trip.2`, …; the case itself where it has no turns. A turn of which
    nothing is expected is not scored, but for the last."""
    if case.turns is msgspec.UNSET:
        yield case
        return
    at = ("cases", number, "turns")
    turns = [each if isinstance(each, _WrittenTurn) else _WrittenTurn(each) for each in case.turns]
    if len(turns) < 2 or not all(each.prompt.strip() for each in turns):
        raise explain_fault(file, at, "`turns` are two or more texts, none of them empty.")
    if case.expect is not msgspec.UNSET:
        if turns[-1].expect is not msgspec.UNSET:
            raise explain_fault(file, at, "the last turn and the case both have `expect`; leave one out.")
        turns[-1] = _WrittenTurn(turns[-1].prompt, case.expect)
    name, earlier = case.id or name_case(turns[0].prompt), tuple[EarlierTurn, ...]()
    for place, turn in enumerate(turns, 1):
        is_last = place == len(turns)
        yield msgspec.structs.replace(
            case,
            id=f"{name}.{place}",
            prompt=turn.prompt,
            turns=msgspec.UNSET,
            gold=case.gold if is_last else {},
            expect=turn.expect,
            rungs=case.rungs if is_last else 0,
            earlier=earlier or msgspec.UNSET,
            unscored=msgspec.UNSET if is_last or turn.expect is not msgspec.UNSET else True,
        )
        earlier = (*earlier, EarlierTurn(f"{name}.{place}", turn.prompt))


def name_case(prompt: str) -> str:
    """The id of a case that has none: its first words, and a digest of all of them."""
    words = "_".join(re.findall(r"[a-z0-9]+", prompt.casefold())[:5])[:40]
    return "_".join((*filter(None, [words]), hashlib.blake2b(prompt.encode(), digest_size=4).hexdigest()))
