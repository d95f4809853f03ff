"""YAML files read into records, with errors that name the file, the place and the cure."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import yaml

from probatio.errors import UsageError

T = TypeVar("T")

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, shape: type[T]) -> T:
    """The file as a record of `shape`.

    A key that looks like a misspelt one is an error: read past, it would silently change what is measured. A key that
    resembles none of ours is left alone, because other tools may keep their notes in the same file.
    """
    try:
        data = yaml.load(path.read_bytes(), Loader=_Loader)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    _refuse_misspelt_keys(data, shape, str(path), "")
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        hint = " Put quotes round it." if "Expected `str" in str(error) else ""
        raise UsageError(f"{path}: {str(error).replace('$.', '')}.{hint}") from None


def _refuse_misspelt_keys(data: Any, shape: Any, file: str, place: str) -> None:
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        if not isinstance(data, dict):
            return
        hints = get_type_hints(shape)
        for key, value in data.items():
            if key in hints:
                _refuse_misspelt_keys(value, hints[key], file, f"{place}.{key}" if place else str(key))
            elif near := difflib.get_close_matches(str(key), [name for name in hints if name not in data], 1, 0.8):
                raise UsageError(
                    f"{file}: unknown key `{key}`{f' in {place}' if place else ''}; did you mean `{near[0]}`?"
                )
    elif get_origin(shape) in (list, tuple) and isinstance(data, list):
        for number, item in enumerate(data):
            _refuse_misspelt_keys(item, get_args(shape)[0], file, f"{place}[{number}]")
