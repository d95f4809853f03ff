"""PNG: a picture drawn from its SVG, without a browser and without the network."""

from __future__ import annotations

from pathlib import Path

from probatio.extras import require

SCALE = 1.5
"""Sharp on a laptop's screen, at 100 to 200 kilobytes a picture."""


def write_png(svg: str, target: Path) -> None:
    """Draw an SVG of the fixed theme; the converter knows neither media queries nor a page behind the picture."""
    target.write_bytes(png_of(svg))


def png_of(svg: str, scale: float = SCALE) -> bytes:
    require("vl_convert")
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=scale)
