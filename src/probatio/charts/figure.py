"""Figures for a paper: the pictures of the site as SVG, PDF and PNG files, in the size of a column or of a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

import msgspec

from probatio.errors import UsageError
from probatio.extras import require

FigureFormat = Literal["svg", "pdf", "png"]
FORMATS: tuple[FigureFormat, ...] = get_args(FigureFormat)

DPI = 300
"""Of a PNG, as journals ask for."""
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
    """Write a picture of the fixed theme, in the format that the file's name ends with, so wide as the size says."""
    kind = target.suffix.removeprefix(".")
    if kind == "svg":
        target.write_text(_sized(svg, size, 1, "mm"), encoding="utf-8")
        return
    sized = _sized(svg, size, _PT_PER_MM)  # the converter makes a point of PDF of every bare unit
    require("vl_convert")
    import vl_convert

    if kind == "pdf":
        target.write_bytes(vl_convert.svg_to_pdf(sized))
    elif kind == "png":
        target.write_bytes(vl_convert.svg_to_png(sized, scale=DPI / 72, ppi=72))
    else:
        raise UsageError(f"{target}: a figure is written as {', '.join(FORMATS)}.")


def _sized(svg: str, size: Size, per_mm: float, unit: str = "") -> str:
    """The picture with a width and a height of its own."""
    view = _VIEW.search(svg)
    if view is None:
        raise ValueError("a picture of ours has a viewBox")
    scale = size.millimetres * per_mm / size.pixels
    width, height = float(view["width"]) * scale, float(view["height"]) * scale
    return f'{svg[: view.start()]}width="{width:.2f}{unit}" height="{height:.2f}{unit}" {svg[view.start() :]}'
