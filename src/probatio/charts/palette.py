"""Colours of the charts: a light and a dark palette, and the style sheet an SVG carries."""

from __future__ import annotations

import msgspec

from probatio.core.records import Status

FONT = "system-ui,-apple-system,'Segoe UI','Liberation Sans',sans-serif"


class Palette(msgspec.Struct, frozen=True):
    """The colours of one scheme."""

    ground: str
    ink: str
    text: str
    grid: str
    baseline: str  # band and mean of a baseline; bars
    limit: str  # a line that a value is compared with
    border: str  # a new suite version, a new route
    status: dict[Status, str]  # the colours of the pages
    series: tuple[str, ...]  # none like that of a verdict


LIGHT = Palette(
    ground="#ffffff",
    ink="#24292f",
    text="#4d5660",
    grid="#dce1e6",
    baseline="#2f6fb0",
    limit="#8a5a00",
    border="#6a4fb3",
    status={
        "OK": "#17636e",
        "SUSPICIOUS": "#7d4e00",
        "COOKED": "#a51d16",
        "CALIBRATING": "#57606a",
        "GAP": "#57606a",
        "STALE": "#57606a",
    },
    series=("#2f6fb0", "#bf3989", "#14145e", "#357a31", "#8250df", "#57063a"),
)

DARK = Palette(
    ground="#12161b",
    ink="#e6edf3",
    text="#aab4be",
    grid="#3b444d",
    baseline="#6cb6ff",
    limit="#e3b341",
    border="#b39df3",
    status={
        "OK": "#7cc9d4",
        "SUSPICIOUS": "#e9c06a",
        "COOKED": "#ff9a90",
        "CALIBRATING": "#9aa4ae",
        "GAP": "#9aa4ae",
        "STALE": "#9aa4ae",
    },
    series=("#6cb6ff", "#e07bd0", "#f6f6d8", "#5f9f43", "#7f74ff", "#b9f27c"),
)


class Theme(msgspec.Struct, frozen=True):
    """Which palettes a picture carries."""

    light: Palette = LIGHT
    dark: Palette | None = None  # shown where the reader prefers dark
    opaque: bool = True  # a ground of its own; else the page's ground shows through


ON_PAGE = Theme(LIGHT, DARK, opaque=False)
"""For the site: the picture follows the reader's colour scheme."""

FIXED = Theme(LIGHT)
"""For PNG: one palette on its own ground. The converter to PNG reads no media query."""


def style_sheet(theme: Theme) -> str:
    """The `<style>` element of a picture."""
    dark = "" if theme.dark is None else f"@media (prefers-color-scheme:dark){{{_colours(theme.dark)}}}"
    return f"<style>{_SHAPES}{_colours(theme.light)}{dark}{_HEAT_MAP}</style>"


_PALEST, _DARKEST = (236, 241, 247), (38, 74, 132)
"""The ends of the heat map's one colour: paler is fewer passed. It carries its own numbers, so both
schemes share it."""


def _shades() -> str:
    mixed = [
        [round(pale + (dark - pale) * at / 10) for pale, dark in zip(_PALEST, _DARKEST, strict=True)]
        for at in range(11)
    ]
    return "".join(f".shade{at}{{fill:#{bytes(colour).hex()}}}" for at, colour in enumerate(mixed))


_SHAPES = (
    f"text{{font-family:{FONT};font-size:11px}}.heading{{font-size:13px;font-weight:600}}text.name{{font-weight:600}}"
    "line{stroke-width:1}line.limit{stroke-dasharray:4 4}line.border{stroke-dasharray:5 3}"
    ".bar{opacity:.7}.band{opacity:.15;stroke:none}.usual{stroke-dasharray:3 3;fill:none}"
    "path.value{fill:none;stroke-width:1.5}.fit{fill:none;stroke-width:2}line.whisker{stroke-width:1.5}"
)
_HEAT_MAP = f"{_shades()}text.on-dark{{fill:#fff}}text.on-pale{{fill:#10151a}}"


_OUTLINED = ("GAP", "COOKED")
"""COOKED is solid only where it is proven."""


def _colours(palette: Palette) -> str:
    rules = [
        f".ground{{fill:{palette.ground}}}line{{stroke:{palette.grid}}}",
        f"text{{fill:{palette.text}}}.heading,text.value{{fill:{palette.ink}}}",
        f"line.limit{{stroke:{palette.limit}}}text.limit{{fill:{palette.limit}}}",
        # A name that stands on a line keeps clear of it.
        f".name,text.limit,text.border{{paint-order:stroke;stroke:{palette.ground};stroke-width:3px;stroke-linejoin:round}}",
        f"line.border{{stroke:{palette.border}}}text.border{{fill:{palette.border}}}",
        f".band,.bar{{fill:{palette.baseline}}}.track{{fill:{palette.grid};opacity:.55}}",
        f".usual{{stroke:{palette.baseline}}}path.value,line.whisker,line.stretch,.open{{stroke:{palette.ink}}}",
        f".dot,use{{fill:{palette.ink}}}",
    ]
    rules += [
        f".{name}{{{'fill:none;stroke' if name in _OUTLINED else 'fill'}:{colour}}}"
        for name, colour in palette.status.items()
    ]
    rules += [f".PROVEN{{fill:{palette.status['COOKED']}}}"]
    rules += [
        f".fit.c{number}{{stroke:{colour}}}.band.c{number},text.c{number},.c{number} use{{fill:{colour}}}"
        for number, colour in enumerate(palette.series)
    ]
    return "".join(rules)
