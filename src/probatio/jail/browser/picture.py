"""A screenshot as pixels. Chromium writes PNG with eight bits a channel; its rows are undone by numpy."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Rows, columns, and red, green, blue."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}  # the kinds of PNG that Chromium writes → bytes of a pixel


def read_png(text: str) -> Pixels:
    """The pixels of a PNG in Base64. Raises ValueError for one that Chromium does not write."""
    data = base64.b64decode(text)
    if not data.startswith(_SIGNATURE):
        raise ValueError("no PNG")
    width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    if bits != 8 or kind not in _CHANNELS or interlaced:
        raise ValueError(f"a PNG of kind {kind} with {bits} bits")
    parts, at = [], len(_SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            parts.append(data[at + 8 : at + 8 + size])
        at += size + 12
    channels = _CHANNELS[kind]
    rows = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(height, 1 + width * channels)
    return _undo_filters(rows[:, 0], rows[:, 1:].reshape(height, width, channels))[:, :, :3]


def _undo_filters(filters: NDArray[np.uint8], rows: Pixels) -> Pixels:
    made = rows.copy()
    above = np.zeros_like(made[0])
    for number, filtered in enumerate(filters):
        row = made[number]
        if filtered == 1:
            np.cumsum(row, axis=0, dtype=np.uint8, out=row)
        elif filtered == 2:
            row += above
        elif filtered > 2:
            _undo_neighbours(int(filtered), row, above)
        above = row
    return made


def _undo_neighbours(filtered: int, row: Pixels, above: Pixels) -> None:
    """Average (3) and Paeth (4), where each pixel needs the one on its left."""
    left = corner = [0] * row.shape[1]
    done = []
    for pixel, upper in zip(row.tolist(), above.tolist(), strict=True):
        if filtered == 3:
            pixel = [(p + (a + b) // 2) & 255 for p, a, b in zip(pixel, left, upper, strict=True)]
        else:
            pixel = [
                (p + _paeth(a, b, c)) & 255 for p, a, b, c in zip(pixel, left, upper, corner, strict=True)
            ]
        left, corner = pixel, upper
        done.append(pixel)
    row[:] = done


def _paeth(left: int, upper: int, corner: int) -> int:
    guess = left + upper - corner
    near = (abs(guess - left), abs(guess - upper), abs(guess - corner))
    return (left, upper, corner)[near.index(min(near))]
