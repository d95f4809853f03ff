"""Files of prompts with what is expected of the answers: YAML, CSV and JSON Lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from probatio.authoring import promptfoo
from probatio.authoring.brought import Brought, BroughtCase
from probatio.core.errors import UsageError
from probatio.core.inside import read_named
from probatio.core.jsonfile import decode
from probatio.core.values import Name
from probatio.core.yamlfile import open_yaml, parse_value
from probatio.suites.daily_suite import load_daily
from probatio.suites.ready_graders import ALIASES, GRADERS, JUDGE, read_expectations
from probatio.suites.variables import fill, fill_all, find_variables, read_rows, show
from probatio.suites.written_cases import read_written

_OF_A_CASE = ("prompt", "system", "id", "use_case")
"""Columns that are no expectation and no variable."""
_OF_TEXT = ("exact", "contains", "icontains", "starts-with", "regex")
"""Graders whose cell is the text as it stands."""
_OF_TEXTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
"""Graders whose cell is texts between commas."""


def read_prompts(path: Path) -> Brought:
    """The cases of a file. Raises UsageError with file, line and key."""
    if path.suffix.lower() not in READERS:
        raise UsageError(f"{path} has to be a file with cases: {', '.join(READERS)}.")
    return READERS[path.suffix.lower()](path)


def _read_content(path: Path) -> bytes:
    try:
        return read_named(path)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None


def _read_text(path: Path) -> str:
    try:
        return _read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: byte {error.start}.") from None


def _read_yaml(path: Path) -> Brought:
    """A file suite, as it stands, or a config of promptfoo."""
    file = open_yaml(path)
    if not isinstance(file.data, dict) or file.data.keys().isdisjoint(("cases", "prompts", "tests")):
        raise UsageError(f"{path} has no `cases`, and no `prompts` and `tests` as promptfoo has them.")
    if "cases" not in file.data:
        return promptfoo.read_config(file)
    load_daily(path)  # refuses what is no suite, with its line
    (own,) = load_daily(path).use_cases.values()
    written = list(read_written(file, path.parent))
    cases = [
        BroughtCase(f"case {number + 1}", own.title, msgspec.to_builtins(case))
        for number, case in written
        if case.turns is msgspec.UNSET
    ]
    left_out = [
        f"case {number + 1}: it has `turns`; write it into cases.yml by hand"
        for number, case in written
        if case.turns is not msgspec.UNSET
    ]
    return Brought(cases, Counter(), left_out)


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a .jsonl file."""

    prompt: Name
    expect: Any
    system: Name | None = None
    id: Name | None = None
    use_case: Name | None = None
    vars: dict[str, str | int | float | bool] = {}


def _read_lines(path: Path) -> Brought:
    cases = []
    for number, text in enumerate(_read_text(path).split("\n"), 1):
        if not text.strip():
            continue
        try:
            line = decode(text, _Line)
            values = {name: show(value) for name, value in line.vars.items()}
            system = {"system": fill(line.system, values)} if line.system else {}
            written = {"id": line.id, **system, "prompt": fill(line.prompt, values), "expect": line.expect}
            written["expect"] = fill_all(line.expect, values) if values else line.expect
            read_expectations(written["expect"])
        except (msgspec.DecodeError, ValueError) as error:
            raise _explain(path, number, error) from None
        cases.append(BroughtCase(f"line {number}", line.use_case or path.stem, written))
    return Brought(cases, Counter(), ())


def _explain(path: Path, line: int, error: Exception | str) -> UsageError:
    return UsageError(f"{path}, line {line}: {str(error).rstrip('.')}.")


def _read_table(path: Path) -> Brought:
    """A table: `prompt`, `id`, `use_case`, a column for each expectation, and variables."""
    rows = read_rows(_read_content(path), path)
    at, names = next(rows, (1, []))
    if "prompt" not in names:
        there = f"; the columns are {', '.join(names)}" if names else ""
        raise _explain(path, at, f"there is no column `prompt`{there}")
    for name in names:
        if names.count(name) > 1 and not _is_expectation(name):
            raise _explain(path, at, f"the column `{name}` stands there twice")
    variables = [name for name in names if name not in _OF_A_CASE and not _is_expectation(name)]
    cases, not_taken, left_out, used = [], Counter[str](), [], set[str]()
    unused: Counter[str] = Counter()
    for line, row in rows:
        if len(row) != len(names):
            raise _explain(path, line, f"{len(row)} values for {len(names)} columns")
        of = dict(zip(names, row, strict=True))
        values = {name: of[name] for name in variables}
        unused.update(name for name in variables if of[name].strip())
        used.update(*map(find_variables, row))
        expect, asserts = [], []
        try:
            for name, cell in zip(names, row, strict=True):
                if _is_expectation(name) and cell.strip():
                    text = fill(cell, values) if variables else cell
                    if promptfoo.is_expected_column(name):
                        asserts.append(promptfoo.parse_assertion(text.strip()))
                    else:
                        expect.append(_read_cell(path, name, text))
            expect += promptfoo.take(asserts, None, not_taken)
            prompt = of.get("__prefix", "") + of["prompt"] + of.get("__suffix", "")
            system = {"system": fill(of["system"], values)} if of.get("system", "").strip() else {}
            written = {
                "id": of.get("id", "").strip(),
                **system,
                "prompt": fill(prompt, values),
                "expect": expect,
            }
            if not prompt.strip():
                raise ValueError("`prompt` is empty")
            if expect:
                read_expectations(expect)
        except ValueError as error:
            raise _explain(path, line, error) from None
        if expect:
            cases.append(BroughtCase(f"line {line}", of.get("use_case", "").strip() or path.stem, written))
        else:
            left_out.append(f"line {line}: no expectation is left")
    taken = used | {"__prefix", "__suffix"}
    not_taken.update({f"column `{name}`": count for name, count in unused.items() if name not in taken})
    return Brought(cases, not_taken, left_out)


def _is_expectation(name: str) -> bool:
    plain = name.removeprefix("not-")
    return plain in GRADERS or plain in ALIASES or name == JUDGE or promptfoo.is_expected_column(name)


def _read_cell(path: Path, name: str, cell: str) -> dict[str, Any]:
    """What the cell expects."""
    plain = ALIASES.get(name.removeprefix("not-"), name.removeprefix("not-"))
    if plain in _OF_TEXT or plain in ("similar", JUDGE):
        return {name: cell}
    if plain in _OF_TEXTS:
        return {name: promptfoo.split_texts(cell)}
    try:
        return {name: parse_value(cell, path)}
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from None


READERS: Mapping[str, Callable[[Path], Brought]] = MappingProxyType(
    {".yml": _read_yaml, ".yaml": _read_yaml, ".csv": _read_table, ".jsonl": _read_lines}
)
"""The end of a file's name → how it is read."""
