"""JSON read into records within limits: the one place where JSON that someone else wrote is parsed.

A file is read as `inside` reads it: regular, inside its folder, and not longer than a limit. A text that is
nested too deep is a `DecodeError` like any other broken text: the parser's own RecursionError would end the
reading of all other runs with it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import MOST_BYTES, read_inside

T = TypeVar("T")

TOO_DEEP = "it is nested too deep"
NOT_TEXT = "it is not UTF-8 text"


class Decoder(Generic[T]):
    """A decoder of one shape, kept where many lines are read."""

    def __init__(self, shape: type[T], *, strict: bool = True) -> None:
        self._decoder = msgspec.json.Decoder(shape, strict=strict)

    def decode(self, data: bytes | str) -> T:
        """One value. Raises `msgspec.DecodeError` for a text that is not one."""
        try:
            return self._decoder.decode(data)
        except RecursionError:
            raise msgspec.DecodeError(TOO_DEEP) from None
        except UnicodeDecodeError:
            raise msgspec.DecodeError(NOT_TEXT) from None

    def decode_lines(self, data: bytes | str) -> list[T]:
        """One value for each line."""
        try:
            return self._decoder.decode_lines(data)
        except RecursionError:
            raise msgspec.DecodeError(TOO_DEEP) from None
        except UnicodeDecodeError:
            raise msgspec.DecodeError(NOT_TEXT) from None


@overload
def decode(data: bytes | str, shape: type[T], *, strict: bool = True) -> T: ...
@overload
def decode(data: bytes | str, shape: Any = Any, *, strict: bool = True) -> Any: ...
def decode(data: bytes | str, shape: Any = Any, *, strict: bool = True) -> Any:
    """One value of a shape. Raises `msgspec.DecodeError` for a text that is not one."""
    try:
        return msgspec.json.decode(data, type=shape, strict=strict)
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None
    except UnicodeDecodeError:
        raise msgspec.DecodeError(NOT_TEXT) from None


def decode_mended(data: bytes, shape: type[T]) -> T:
    """As `decode`, where the writer may put half a surrogate pair anywhere: a web page can, and no text can
    hold it."""
    try:
        return decode(data, shape)
    except msgspec.DecodeError as error:
        try:
            mended = json.dumps(json.loads(data), ensure_ascii=False).encode("utf-8", "replace")
        except (ValueError, RecursionError):
            raise error from None
        return decode(mended, shape)


def read_json(path: Path, shape: type[T], what: str, folder: Path | None = None, most: int = MOST_BYTES) -> T:
    """The file as a record of `shape`. Raises UsageError: `PATH is not WHAT: …`; FileNotFoundError stays."""
    try:
        return decode(read_inside(path, folder, most), shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not {what}: {error}.") from None
