"""Text that a file can hold: half a surrogate pair, which a program can make, becomes a question mark."""

from __future__ import annotations

from typing import Any

import msgspec

_encode = msgspec.msgpack.Encoder().encode


def make_writable(value: Any) -> Any:
    """The same plain value (texts, numbers, lists, dicts) with every text in it fit for UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list | tuple):
        return [make_writable(one) for one in value]
    if isinstance(value, dict):
        return {make_writable(key): make_writable(one) for key, one in value.items()}
    return value


def pack_record(record: msgspec.Struct) -> bytes:
    """A record as a worker sends it back. Texts of a program may hold half a surrogate pair."""
    try:
        return _encode(record)
    except UnicodeEncodeError:
        return _encode(make_writable(msgspec.to_builtins(record, builtin_types=(bytes,))))
