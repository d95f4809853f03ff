"""Models added to a models.yml: as text, so that comments and layout stay, and only where the result reads as it should.

The new text is parsed before it is written. It must say what the old one said, plus the new models; else nothing is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from probatio.errors import UsageError

Entry = dict[str, Any]

NEW_FILE = """\
# The models you ask and watch. `probatio models find WORD` shows what a route has, `probatio models add ID` adds a line here.
# Prices are dollars per million tokens, for estimates and --max-cost where a reply does not say what it cost.
models:
"""


def added(text: str, entries: Sequence[Entry], name: str) -> str:
    """The text of a models.yml with these entries at the end of its list of models."""
    before = yaml.safe_load(text) or {}
    listed = before.get("models") or []
    after = _inserted(text, entries) if text.strip() else NEW_FILE + _block(entries, 2, "\n", flow=True)
    try:
        now = yaml.safe_load(after)
    except yaml.YAMLError:
        now = None
    if now != {**before, "models": [*listed, *entries]}:
        lines = "".join(f"\n  - {_flow(entry)}" for entry in entries)
        raise UsageError(
            f"{name} is laid out in a way that can't be added to safely. Put this into its `models:`:{lines}"
        )
    return after


def read(path: Path) -> str:
    """The text as it stands, ends of lines included."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not written in UTF-8; save it so, and try again.") from None


def write(path: Path, text: str) -> None:
    """Put the file in place whole or not at all, with the rights it had. Where it is a link, what it leads to is replaced."""
    from probatio.inside import open_new
    from probatio.store.files import replacement

    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacement(path) as part, os.fdopen(open_new(part), "wb") as file:
        if path.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        file.write(text.encode())


def _inserted(text: str, entries: Sequence[Entry]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    models = _models_node(text)
    if models is None:
        return "".join((*lines, f"models:{end}", _block(entries, 2, end, flow=True)))
    if not isinstance(models, yaml.SequenceNode) or not models.value:  # `models:` alone, or `models: []`
        line, column = models.start_mark.line, models.start_mark.column
        rest = lines[line][column:].removeprefix("[]").strip()
        begin = f"{lines[line][:column].rstrip()}{f'  {rest}' if rest else ''}{end}"
        return "".join((*lines[:line], begin, _block(entries, 2, end, flow=True), *lines[line + 1 :]))
    if models.flow_style:  # [ … ]: before its closing bracket
        line, column = models.end_mark.line, models.end_mark.column - 1
        more = ", ".join(_flow(entry) for entry in entries)
        lines[line] = f"{lines[line][:column].rstrip()}, {more}{lines[line][column:]}"
        return "".join(lines)
    last = models.value[-1]
    at = _last_line(last) + 1
    flow = bool(getattr(last, "flow_style", True))
    return "".join((*lines[:at], _block(entries, models.start_mark.column, end, flow=flow), *lines[at:]))


def _models_node(text: str) -> yaml.Node | None:
    """What stands under `models:`; None where there is no such key."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return next((value for key, value in pairs if key.value == "models"), None)


def _last_line(node: yaml.Node) -> int:
    """The line a node ends on. A block's own mark is past the comments after it; that of its last value is not."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    mark = node.end_mark
    return int(mark.line) - (mark.column == 0 and mark.line > node.start_mark.line)


def _block(entries: Sequence[Entry], indent: int, end: str, *, flow: bool) -> str:
    """The entries as items of a list, written as its last item is: on one line each, or one line per key."""
    margin = " " * indent
    if flow:
        return "".join(f"{margin}- {_flow(entry)}{end}" for entry in entries)
    lines: list[str] = []
    for entry in entries:
        written = yaml.safe_dump(entry, sort_keys=False, width=10_000, allow_unicode=True).splitlines()
        lines += [f"{margin}{'- ' if not number else '  '}{line}{end}" for number, line in enumerate(written)]
    return "".join(lines)


def _flow(entry: Entry) -> str:
    return str(
        yaml.safe_dump(entry, sort_keys=False, width=10_000, default_flow_style=True, allow_unicode=True)
    ).strip()
