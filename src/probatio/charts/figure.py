"""Pictures as files: PNG next to an analysis; SVG, PDF and PNG for a paper, as wide as a column or a page.

This needs no browser and no network.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

import msgspec

from probatio.core.errors import UsageError
from probatio.core.extras import require
from probatio.core.files import put

FigureFormat = Literal["svg", "pdf", "png"]
FORMATS: tuple[FigureFormat, ...] = get_args(FigureFormat)

DPI = 300
"""Of a PNG, as journals ask for."""
SCALE = 1.5
"""Of a PNG next to an analysis: sharp on a laptop's screen, at 100 to 200 kilobytes a picture."""
_PT_PER_MM = 72 / 25.4
_VIEW = re.compile(r'viewBox="0 0 (?P<width>[\d.]+) (?P<height>[\d.]+)"')


class Size(msgspec.Struct, frozen=True):
    """How wide a figure is printed, and how wide it is drawn: together they set the size of its letters."""

    millimetres: float
    pixels: float


SIZES = {"column": Size(84, 400), "page": Size(174, 720)}
"""By name. Letters of 11 pixels so become 6.5 and 7.5 points, which journals take."""


def size_of(name: str) -> Size:
    if name not in SIZES:
        raise UsageError(f"There is no figure size `{name}`; there are {' and '.join(SIZES)}.")
    return SIZES[name]


def write_figure(svg: str, target: Path, size: Size) -> None:
    """Write a picture of the fixed theme, in the format of the file's name and as wide as the size says."""
    kind = target.suffix.removeprefix(".")
    if kind == "svg":
        put(target, _set_size(svg, size, 1, "mm").encode())
        return
    sized = _set_size(svg, size, _PT_PER_MM)  # the converter makes a point of PDF of every bare unit
    require("vl_convert")
    import vl_convert

    if kind == "pdf":
        put(target, vl_convert.svg_to_pdf(sized))
    elif kind == "png":
        put(target, vl_convert.svg_to_png(sized, scale=DPI / 72, ppi=72))
    else:
        raise UsageError(f"{target}: a figure is written as {', '.join(FORMATS)}.")


def write_png(svg: str, target: Path) -> None:
    """Write a picture of the fixed theme: the converter knows no media queries and no page behind the
    picture."""
    put(target, convert_to_png(svg))


def convert_to_png(svg: str, scale: float = SCALE) -> bytes:
    require("vl_convert")
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=scale)


def _set_size(svg: str, size: Size, per_mm: float, unit: str = "") -> str:
    """Give the picture its own width and height."""
    view = _VIEW.search(svg)
    if view is None:
        raise ValueError("a picture of ours has a viewBox")
    scale = size.millimetres * per_mm / size.pixels
    width, height = float(view["width"]) * scale, float(view["height"]) * scale
    return f'{svg[: view.start()]}width="{width:.2f}{unit}" height="{height:.2f}{unit}" {svg[view.start() :]}'
