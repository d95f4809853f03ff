"""The header of a GGUF file: what the file says about its model before anything is loaded."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import IO, Any

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import open_named


class Header(msgspec.Struct, frozen=True):
    """The two facts of a GGUF file that we use."""

    architecture: str
    context_length: int | None


def read_header(path: Path) -> Header:
    """The architecture and the trained context length of a GGUF file. Raises for any other file."""
    try:
        with open_named(path) as file:
            if file.read(4) != b"GGUF":
                raise UsageError(f"{path} is not a GGUF file: it does not begin with the letters GGUF.")
            version, _, pairs = _read_numbers(file, "<IQQ")
            if version not in (2, 3):
                raise UsageError(
                    f"{path} is GGUF version {version}; versions 2 and 3 can be read. Convert it again."
                )
            values: dict[str, Any] = {}
            for _ in range(pairs):
                name = _read_text(file)
                values[name] = _read_value(file, _read_numbers(file, "<I")[0])
                architecture = values.get("general.architecture")
                if architecture and f"{architecture}.context_length" in values:
                    return Header(architecture, values[f"{architecture}.context_length"])
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except (struct.error, KeyError, UnicodeDecodeError, OverflowError, RecursionError, OSError):
        raise UsageError(
            f"{path} begins like a GGUF file, but its header is damaged. Fetch it again."
        ) from None
    return Header(values.get("general.architecture", "unknown"), None)


_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
"""GGUF type number → how struct reads it. 8 is a text and 9 an array."""


def _read_numbers(file: IO[bytes], form: str) -> tuple[Any, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _read_text(file: IO[bytes]) -> str:
    length = _read_numbers(file, "<Q")[0]
    # No name or template is that long: a damaged length must not reserve gigabytes.
    if length > 1 << 24 or len(text := file.read(length)) < length:
        raise struct.error("the text is cut off")
    return text.decode()


def _read_value(file: IO[bytes], kind: int) -> Any:
    if kind == 8:
        return _read_text(file)
    if kind != 9:
        return _read_numbers(file, _SCALARS[kind])[0]
    inner, count = _read_numbers(file, "<IQ")
    if inner in _SCALARS:
        file.seek(count * struct.calcsize(_SCALARS[inner]), os.SEEK_CUR)
    else:
        for _ in range(count):
            _read_value(file, inner)
    return None
