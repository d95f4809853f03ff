"""YAML files read into records, with errors that name the file, the place and the cure."""

from __future__ import annotations

import difflib
import functools
import re
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import yaml

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside, read_named

T = TypeVar("T")

MOST_BYTES = 16 * 1024 * 1024
MOST_NODES = 200_000
"""Values and keys of a file with aliases, each counted as all it stands for: ten lines of aliases of aliases
are a billion values. The largest built-in file has 3,000."""
MOST_WRITTEN = 1_000_000
"""Values and keys of a file without aliases: 20,000 tasks of a dozen fields are half of it."""
MOST_LEVELS = 64
"""The C parser builds its tree by recursion without a limit: 100,000 open brackets end the process."""
LONGEST_NUMBER = 100
"""Characters. 1:1:1:… is a number too, in base 60, and a megabyte of it takes minutes."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"[-+]?[0-9.][-+0-9_:.,a-fA-FxXoO]*")


def read_yaml(path: Path, shape: type[T], folder: Path | None = None) -> T:
    """The file as a record of `shape`. A file that leads out of `folder` is refused; None: the user named it.

    A key that looks like a misspelt one is an error: read past, it would silently change what is measured. A
    key that resembles none of ours is left alone, because other tools may keep their notes in the same file.
    """
    try:
        text = read_named(path, MOST_BYTES) if folder is None else read_inside(path, folder, MOST_BYTES)
        data = parse_yaml(text, path)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    return as_record(data, shape, str(path))


def as_record(data: object, shape: type[T], where: str) -> T:
    """Data that was read, as a record of `shape`. Errors call the place `where`."""
    _refuse_misspelt_keys(data, shape, where, "")
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        hint = " Put quotes round it." if "Expected `str" in str(error) else ""
        raise UsageError(f"{where}: {str(error).replace('$.', '')}.{hint}") from None


def parse_yaml(text: bytes | str, path: Path) -> Any:
    """The data of a text within our limits. Raises `yaml.YAMLError` for a text that is not YAML."""
    _refuse_excess(text, path)
    return yaml.load(text, Loader=_Loader)


def compose_yaml(text: str, path: Path) -> Any:
    """The same as nodes with their places in the text, for those who change it."""
    _refuse_excess(text, path)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _refuse_excess(text: bytes | str, path: Path) -> None:
    """Refuse what would take PyYAML, or a reader of its result, too much time or memory."""
    sizes: dict[str, int] = {}  # anchor → values in what it names
    open_nodes: list[tuple[str | None, int]] = []  # its anchor, and the count when it began
    count, most, cure = 0, MOST_WRITTEN, ". Split the file."
    for event in yaml.parse(text, Loader=_Loader):
        kind = type(event)
        if kind is yaml.ScalarEvent:
            count += 1
            if event.anchor:
                sizes[event.anchor] = 1
            size = len(event.value)
            if size > LONGEST_NUMBER and event.implicit[0] and _NUMBER.fullmatch(event.value):
                raise UsageError(
                    f"{_where(path, event)}: a number of {size} characters; the most is {LONGEST_NUMBER}."
                )
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            count += 1
            open_nodes.append((event.anchor, count))
            if len(open_nodes) > MOST_LEVELS:
                raise UsageError(f"{_where(path, event)}: nested more than {MOST_LEVELS} levels deep.")
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            anchor, began = open_nodes.pop()
            if anchor:
                sizes[anchor] = count - began + 1
        elif kind is yaml.AliasEvent:
            if any(event.anchor == anchor for anchor, _ in open_nodes):
                raise UsageError(
                    f"{_where(path, event)}: the alias *{event.anchor} stands inside what it names."
                )
            count += sizes.get(str(event.anchor), 1)
            most, cure = MOST_NODES, ", aliases written out. Take aliases or values out."
        if count > most:
            raise UsageError(f"{_where(path, event)}: more than {most:,} values{cure}")


def _where(path: Path, event: Any) -> str:
    return f"{path}, line {event.start_mark.line + 1}"


def _refuse_misspelt_keys(data: Any, shape: Any, file: str, place: str) -> None:
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        if not isinstance(data, dict):
            return
        hints = _hints(shape)
        for key, value in data.items():
            if key in hints:
                if isinstance(value, dict | list):  # nothing else has keys in it
                    _refuse_misspelt_keys(value, hints[key], file, f"{place}.{key}" if place else str(key))
            elif near := difflib.get_close_matches(
                str(key), [name for name in hints if name not in data], 1, 0.8
            ):
                raise UsageError(
                    f"{file}: unknown key `{key}`{f' in {place}' if place else ''}; did you mean `{near[0]}`?"
                )
    elif get_origin(shape) in (list, tuple) and isinstance(data, list):
        for number, item in enumerate(data):
            _refuse_misspelt_keys(item, get_args(shape)[0], file, f"{place}[{number}]")


@functools.cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)
