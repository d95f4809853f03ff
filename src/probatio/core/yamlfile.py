"""YAML files read into records, with errors that name the file, the place and the cure."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
import yaml

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside, read_named
from probatio.core.values import SET_WHEN_READ

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

NOTE = "x-"
"""Keys that begin so are the user's: notes, or the anchors of aliases."""
CLOSE = 0.7
"""From this ratio of difflib on a key is taken for a slip. `max_cost` and `max_month_cost` have 0.73."""
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"[-+]?[0-9.][-+0-9_:.,a-fA-FxXoO]*")


class _LoaderOfToday(_Loader):  # type: ignore[misc]
    """YAML 1.2, whose plain words and numbers are fewer than those of 1.1."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [each for each in known if each[0].rpartition(":")[2] in ("null", "timestamp", "merge")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


for _kind, _pattern, _first in (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"(?:[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+)$", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
):
    _LoaderOfToday.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(_pattern), list(_first))


Steps = tuple[str | int, ...]
"""The way from the top of a file to a place in it: keys, and numbers of items."""


class YamlFile(NamedTuple):
    """A file that was read. Its text tells the lines of what is wrong in it."""

    path: Path
    text: bytes
    data: Any


def read_yaml(path: Path, shape: type[T], folder: Path | None = None) -> T:
    """The file as a record of `shape`. A file that leads out of `folder` is refused; None: the user named
    it."""
    return as_record(open_yaml(path, folder), shape)


def open_yaml(path: Path, folder: Path | None = None) -> YamlFile:
    """The file with its data, before they are a record."""
    try:
        text = read_named(path, MOST_BYTES) if folder is None else read_inside(path, folder, MOST_BYTES)
        return YamlFile(path, text, parse_yaml(text, path))
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None


def as_record(
    file: YamlFile, shape: type[T], at: Steps = (), of: str = "", other_names: Collection[str] = ()
) -> T:
    """The data of a file as a record of `shape`.

    A key that no record has is an error: read past, it would be a setting without effect. Keys that begin
    with `x-` are the user's and are taken out. Mappings without a record of ours are free. `at`: where in the
    file the data stand; `of`: whose they are, for the sentence; `other_names`: names of fields that the
    caller has replaced.
    """
    if unknown := _find_unknown(file.data, shape, ()):
        inside, key, known = unknown
        raise _explain_unknown(file, (*at, *inside), key, known if inside else [*known, *other_names], of)
    try:
        return msgspec.convert(file.data, shape)
    except msgspec.ValidationError as error:
        raise _explain_wrong(file, shape, at, str(error), of) from None


def explain_fault(file: YamlFile, at: Steps, sentence: str, of: str = "") -> UsageError:
    """The error for a place in a file, with its line."""
    return UsageError(f"{file.path}, line {_find_line(file, at)[0]}{of}: {sentence}")


def insert_key(file: YamlFile, at: Steps, key: str, text: str) -> bytes | None:
    """The file with a further key in the mapping at a place; None where that can't be done, as for a mapping
    in braces. Comments and all else stay as they are."""
    node = yaml.compose(file.text, Loader=_Loader)
    for step in at:
        node = next(_find_pairs(node, step))[1]
    if not isinstance(node, yaml.MappingNode) or node.flow_style or len(node.value) < 2:
        return None
    second = node.value[1][0].start_mark
    indent = " " * second.column
    rows = text.split("\n")
    is_block = len(rows) > 1 and rows[0] != "" and rows[-1] != "" and not text.startswith((" ", "\t"))
    if is_block and all(row.isprintable() and row == row.rstrip() for row in rows):
        added = [f"{indent}{key}: |-\n", *(f"{indent}  {row}".rstrip() + "\n" for row in rows)]
    else:
        added = [f"{indent}{key}: {msgspec.json.encode(text).decode()}\n"]
    before = file.text.decode().splitlines(keepends=True)
    written = "".join([*before[: second.line], *added, *before[second.line :]]).encode()
    try:
        place = parse_yaml(written, file.path)
        for step in at:
            place = place[step]
    except (yaml.YAMLError, ValueError, LookupError):
        return None
    return written if place.get(key) == text else None


def format_steps(at: Steps) -> str:
    """As people write it: models[0].route."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at).removeprefix(".")


def parse_yaml(text: bytes | str, path: Path) -> Any:
    """The data of a text within our limits. Raises `yaml.YAMLError` for a text that is not YAML."""
    _refuse_excess(text, path)
    return yaml.load(text, Loader=_Loader)


def parse_value(text: str, path: Path) -> Any:
    """A value within a text that is not YAML itself. Raises ValueError."""
    try:
        return parse_yaml(text, path)
    except yaml.YAMLError:
        raise ValueError(f"{text!r} is neither a value nor a table such as {{value: 90}}") from None


def read_again(file: YamlFile) -> YamlFile:
    """The same file as YAML 1.2, which other programs read: yes and 1:30 are texts there."""
    return file._replace(data=yaml.load(file.text, Loader=_LoaderOfToday))


def compose_yaml(text: str, path: Path) -> Any:
    """The same as nodes with their places in the text, for those who change it."""
    _refuse_excess(text, path)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _refuse_excess(text: bytes | str, path: Path) -> None:
    """Refuse what would take PyYAML, or a reader of its result, too much time or memory; and a key that is
    there twice in one mapping, of which PyYAML takes the last in silence."""
    keys = _Keys()
    sizes: dict[str, int] = {}  # anchor → values in what it names
    open_nodes: list[tuple[str | None, int]] = []  # its anchor, and the count when it began
    count, most, cure = 0, MOST_WRITTEN, ". Split the file."
    for event in yaml.parse(text, Loader=_Loader):
        kind = type(event)
        if twice := keys.take(kind, event):
            raise UsageError(f"{_where(path, event)}: the key `{twice}` stands there twice.")
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


class _Keys:
    """The keys of the mappings that are open, event by event."""

    def __init__(self) -> None:
        self._open: list[set[str] | None] = [None]  # None for a sequence
        self._awaited = [False]  # whether the next node is a key

    def take(self, kind: type, event: Any) -> str | None:
        """One event further. The key, if it is one that was there."""
        if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._open.pop()
            self._awaited.pop()
            return None
        found = None
        if (known := self._open[-1]) is not None:
            if self._awaited[-1] and kind is yaml.ScalarEvent and event.value != "<<":
                found = event.value if event.value in known else None
                known.add(event.value)
            self._awaited[-1] = not self._awaited[-1]
        if kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._open.append(set() if kind is yaml.MappingStartEvent else None)
            self._awaited.append(kind is yaml.MappingStartEvent)
        return found


def _where(path: Path, event: Any) -> str:
    return f"{path}, line {event.start_mark.line + 1}"


class _Inside(NamedTuple):
    """What keys a shape has in it, and of what shape the values behind them are."""

    fields: Mapping[str, Any] | None = None
    """Of a record."""
    values: Any = None
    """Of a mapping with names of the user's."""
    items: Any = None


@functools.cache
def _look_inside(shape: Any) -> _Inside:
    origin, parts = get_origin(shape), get_args(shape)
    if origin is Annotated:
        return _look_inside(parts[0])
    if origin in (Union, UnionType):
        found = [_look_inside(part) for part in parts]
        return _Inside(
            *(next((one for one in kind if one is not None), None) for kind in zip(*found, strict=True))
        )
    if origin in (list, tuple):
        return _Inside(items=parts[0])
    if origin is dict:
        return _Inside(values=parts[1])
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
        return _Inside({name: kind for name, kind in fields.items() if SET_WHEN_READ not in get_args(kind)})
    return _Inside()


def _find_unknown(data: Any, shape: Any, at: Steps) -> tuple[Steps, Any, list[str]] | None:
    """The first unknown key: where, which, and the known ones beside it. The user's notes are taken out."""
    inside = _look_inside(shape)
    pairs: Iterable[tuple[str | int, Any, Any]] = ()
    if isinstance(data, list):
        if inside.items is not None:
            pairs = ((number, item, inside.items) for number, item in enumerate(data))
    elif isinstance(data, dict) and inside.fields is not None:
        for key in [key for key in data if key not in inside.fields]:
            if not str(key).startswith(NOTE):
                return at, key, list(inside.fields)
            del data[key]
        pairs = ((key, value, inside.fields[key]) for key, value in data.items())
    elif isinstance(data, dict) and inside.values is not None:
        pairs = ((key, value, inside.values) for key, value in data.items())
    for step, value, kind in pairs:
        # nothing else has keys in it
        if isinstance(value, dict | list) and (found := _find_unknown(value, kind, (*at, step))):
            return found
    return None


def _explain_unknown(file: YamlFile, at: Steps, key: Any, known: list[str], of: str) -> UsageError:
    line, written = _find_line(file, (*at, key))
    near = difflib.get_close_matches(written.casefold(), known, 3, CLOSE)
    hint = (
        f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
        if near
        else f"the keys are {', '.join(known)}. A key of your own begins with `{NOTE}`."
    )
    place = f" in `{format_steps(at)}`" if at else ""
    return UsageError(f"{file.path}, line {line}{of}: unknown key `{written}`{place}; {hint}")


def _explain_wrong(file: YamlFile, shape: Any, at: Steps, error: str, of: str) -> UsageError:
    """The sentence of msgspec with the line; or that of the field's own description."""
    said, _, place = error.partition(" - at `$")
    steps: list[Any] = []
    wanted: str | None = None
    for name, number, _any in _STEP.findall(place):
        inside = _look_inside(shape)
        step = name or (int(number) if number else None)
        shape = (inside.fields or {}).get(name) if name else inside.items if number else inside.values
        if step is None:
            break
        steps.append(step)
    if said.startswith(("Expected", "Invalid")) and not _NO_TEXT.match(said):
        wanted = _describe(shape)
    if wanted:
        return explain_fault(file, (*at, *steps), f"`{format_steps((*at, *steps))}` has to be {wanted}.", of)
    hint = " Put quotes round it." if "Expected `str" in said else ""
    sentence = f"{error.replace('`$.', f'`{format_steps(at)}.' if at else '`')}.{hint}"
    return explain_fault(file, (*at, *steps), sentence, of)


_NO_TEXT = re.compile(r"Expected `(object|str.*, got)")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])")


def _describe(shape: Any) -> str | None:
    """What a value has to be, by the description of its type or the list of its words."""
    parts = get_args(shape)
    for part in parts:
        if isinstance(part, msgspec.Meta) and part.description:
            return part.description
    if get_origin(shape) is Literal:
        return f"one of {', '.join(map(str, parts))}"
    if get_origin(shape) in (Union, UnionType):
        return next(filter(None, map(_describe, parts)), None)
    return None


def _find_line(file: YamlFile, at: Steps) -> tuple[int, str]:
    """The line of a place, or of the last one on the way to it, and the last key as it is written. The text
    is read once more for that: only a file with an error has to tell its lines."""
    node = yaml.compose(file.text, Loader=_Loader)
    line, written = (node.start_mark.line if node else 0), str(at[-1]) if at else ""
    for number, step in enumerate(at):
        found = next(_find_pairs(node, step), None)
        if found is None:
            break
        key, node = found
        line = key.start_mark.line
        if number == len(at) - 1 and isinstance(key.value, str):
            written = key.value
    return line + 1, written


def _find_pairs(node: Any, step: str | int) -> Iterator[tuple[Any, Any]]:
    """The key and the value of a step from a node, the last one first; then those that are merged into it."""
    if isinstance(node, yaml.SequenceNode):
        if isinstance(step, int) and step < len(node.value):
            yield node.value[step], node.value[step]
    elif isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and _read_key(key) == step:
                yield key, value
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                for each in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    yield from _find_pairs(each, step)


def _read_key(key: yaml.ScalarNode) -> Any:
    if key.tag == "tag:yaml.org,2002:str":
        return key.value
    return None if key.tag.endswith(":merge") else yaml.constructor.SafeConstructor().construct_object(key)
