"""YAML files read into records, with errors that name the file, the place and the cure."""

from __future__ import annotations

import difflib
import functools
import re
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import yaml

from probatio.errors import UsageError
from probatio.inside import reader

T = TypeVar("T")

MOST_BYTES = 16 * 1024 * 1024
MOST_NODES = 200_000
"""Values and keys, each alias counted as all it stands for: ten lines of aliases of aliases are a billion values. The largest
built-in file has 3,000."""
MOST_WRITTEN = 1_000_000
"""Values and keys of a file without aliases: 20,000 tasks of a dozen fields are half of it."""
MOST_LEVELS = 64
"""The C parser builds its tree by recursion without a limit: 100,000 open brackets end the process."""
LONGEST_NUMBER = 100
"""Characters. 1:1:1:… is a number too, in base 60, and a megabyte of it takes minutes."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"[-+]?[0-9.][-+0-9_:.,a-fA-FxXoO]*")
_STREAMS = ("/dev/", "/proc/self/fd/")


def read_yaml(path: Path, shape: type[T], folder: Path | None = None) -> T:
    """The file as a record of `shape`. A file that leads out of `folder` is refused; None: the user named the file itself.

    A key that looks like a misspelt one is an error: read past, it would silently change what is measured. A key that
    resembles none of ours is left alone, because other tools may keep their notes in the same file.
    """
    try:
        data = _data(_read(path, folder), path)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    return as_record(data, shape, str(path))


def as_record(data: object, shape: type[T], where: str) -> T:
    """What was read, as a record of `shape`; `where` is what an error calls the place."""
    _refuse_misspelt_keys(data, shape, where, "")
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        hint = " Put quotes round it." if "Expected `str" in str(error) else ""
        raise UsageError(f"{where}: {str(error).replace('$.', '')}.{hint}") from None


def _read(path: Path, folder: Path | None) -> bytes:
    if folder is not None:
        source = reader(path, folder)
    elif str(path).startswith(_STREAMS):  # `--config <(…)`
        source = path.open("rb")
    else:
        source = reader(path.resolve())
    with source:
        text = source.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES >> 20} MB: that is no file of ours.")
    return text


def _data(text: bytes, path: Path) -> Any:
    """What the text says. Nearly every file is plain and read in one pass; the others are looked at first, then read."""
    try:
        return _plain_data(text, path)
    except _NotPlain:
        _refuse_excess(text, path)
        return yaml.load(text, Loader=_Loader)


class _NotPlain(Exception):
    """The text has an anchor, a tag, a merge, a key that is no scalar, or not exactly one document."""


_TEXT, *_OTHERS = (f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp"))
_SCALARS = frozenset((_TEXT, *_OTHERS))


def _plain_data(text: bytes, path: Path) -> Any:
    """What PyYAML makes of a plain text, built from its events as they come: a third of the time, and no tree of nodes."""
    loader = _Loader(text)
    words: dict[str, Any] = {}  # values without quotes: most come again and again
    documents: list[Any] = []
    into: Any = documents  # the list or mapping that takes the next value
    outer: list[tuple[Any, Any]] = []  # what it stands in, and under which key
    key: Any = _NO_KEY
    written = 0
    try:
        while not isinstance(event := loader.get_event(), yaml.StreamEndEvent):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value = event.value
                if event.tag is not None or event.anchor is not None:
                    raise _NotPlain
                written += 1
                if event.implicit[0]:
                    if value not in words:
                        _refuse_number(event, path)
                        words[value] = _scalar(loader, value)
                    value = words[value]
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if event.tag is not None or event.anchor is not None or (type(into) is dict and key is _NO_KEY):
                    raise _NotPlain
                outer.append((into, key))
                into, key = {} if kind is yaml.MappingStartEvent else [], _NO_KEY
                if len(outer) > MOST_LEVELS:
                    raise _nested(path, event)
                written += 1
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                value = into
                into, key = outer.pop()
            elif kind is yaml.AliasEvent or (kind is yaml.DocumentStartEvent and documents):
                raise _NotPlain
            else:
                continue
            if written > MOST_WRITTEN:
                raise UsageError(f"{_where(path, event)}: more than {MOST_WRITTEN:,} values. Split the file.")
            if type(into) is list:
                into.append(value)
            elif key is _NO_KEY:
                key = value
            else:
                into[key], key = value, _NO_KEY
    finally:
        loader.dispose()
    return documents[0] if documents else None


_NO_KEY: Any = object()


def _scalar(loader: Any, value: str) -> Any:
    """What PyYAML takes a value without quotes for."""
    tag = loader.resolve(yaml.ScalarNode, value, (True, False))
    if tag not in _SCALARS:
        raise _NotPlain
    return value if tag == _TEXT else loader.construct_object(yaml.ScalarNode(tag, value))


def _refuse_excess(text: bytes, path: Path) -> None:
    """Refuse what would take the parser, or whoever reads its result, too much time or memory."""
    sizes: dict[str, int] = {}  # anchor → values in what it names
    open_nodes: list[tuple[str | None, int]] = []  # its anchor, and the count when it began
    count = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.NodeEvent):
            count += 1
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, count))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, began = open_nodes.pop()
            if anchor:
                sizes[anchor] = count - began + 1
        elif isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in open_nodes):
                raise UsageError(f"{_where(path, event)}: the alias *{event.anchor} stands inside what it names.")
            count += sizes.get(str(event.anchor), 1) - 1
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor:
                sizes[event.anchor] = 1
            _refuse_number(event, path)
        if count > MOST_NODES:
            raise UsageError(
                f"{_where(path, event)}: more than {MOST_NODES:,} values, aliases written out. Take aliases or values out."
            )
        if len(open_nodes) > MOST_LEVELS:
            raise _nested(path, event)


def _refuse_number(event: Any, path: Path) -> None:
    if len(event.value) > LONGEST_NUMBER and event.implicit[0] and _NUMBER.fullmatch(event.value):
        raise UsageError(
            f"{_where(path, event)}: a number of {len(event.value)} characters; the most is {LONGEST_NUMBER}."
        )


def _nested(path: Path, event: Any) -> UsageError:
    return UsageError(f"{_where(path, event)}: nested more than {MOST_LEVELS} levels deep.")


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
            elif near := difflib.get_close_matches(str(key), [name for name in hints if name not in data], 1, 0.8):
                raise UsageError(
                    f"{file}: unknown key `{key}`{f' in {place}' if place else ''}; did you mean `{near[0]}`?"
                )
    elif get_origin(shape) in (list, tuple) and isinstance(data, list):
        for number, item in enumerate(data):
            _refuse_misspelt_keys(item, get_args(shape)[0], file, f"{place}[{number}]")


@functools.cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)
