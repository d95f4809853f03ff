"""What is studied or compared, in one grammar: `PATH[:key=value,key=value…]`.

    monday                                     a run, by its id, folder or address
    monday:model=gpt-4o,context=minimal        some trials of it
    results/daily:date=2026-10-01..2026-10-14  days, with their date
    before-update:model=gpt-4o                 a baseline: a name that was given to one of the above

A key given twice selects both values, and globs are allowed. `daily` alone means the days in the results.
A path that exists goes before a baseline of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.core.text.names import matches, refuse_unknown_name
from probatio.learn.baselines import (
    Baseline,
    describe_change,
    digest_folders,
    read_baselines,
    write_baselines,
)
from probatio.runs.store.address import is_address, run_at
from probatio.runs.store.days import list_closed
from probatio.runs.store.layout import ANSWERS, DAILY, DAY_FILE, GRADES, RUN_FILE
from probatio.runs.store.lines import has_lines

AXES = ("model", "context", "n_shot", "dialect", "type", "category", "difficulty", "task", "sample")
"""What the trials of a run can be narrowed by."""

DAY_AXES = ("model", "use_case", "task", "sample", "date")
"""What the answers of days can be narrowed by."""

SPELLINGS = {"n-shot": "n_shot", "task_id": "task", "case": "task", "use-case": "use_case"}
_KEYS = tuple(dict.fromkeys((*AXES, *DAY_AXES, *SPELLINGS)))
_SELECTION = re.compile(r"(?P<path>.+?)(?::(?P<filters>(?P<key>[A-Za-z_-]+)=.*))?", re.DOTALL)
_FILTER = re.compile(rf"(?:^|,)(?P<key>{'|'.join(_KEYS)})=")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class NotFound(UsageError):
    """Neither a run nor days nor a baseline."""


class Selection(msgspec.Struct, frozen=True):
    """A selection as it was written. `filters` has the values of each key."""

    text: str
    path: str
    filters: dict[str, tuple[str, ...]] = {}

    def narrow(self, key: str, value: str) -> Selection:
        """The same selection with this one value of a key."""
        filters = {**{name: values for name, values in self.filters.items() if name != key}, key: (value,)}
        return Selection(_write(self.path, filters), self.path, filters)


class Side(msgspec.Struct, frozen=True):
    """Where the answers of a selection are: one run, or some days. `filters` are those still to be
    applied."""

    text: str
    kind: Literal["run", "days"]
    folders: tuple[Path, ...]
    filters: dict[str, tuple[str, ...]] = {}
    name: str = ""
    baseline: Baseline | None = None  # of that name, if one was named

    def describe_change(self) -> str | None:
        """The sentence about a baseline that is not what was pinned; None if it is, or if none was named."""
        return describe_change(self.name, self.baseline, self.folders) if self.baseline else None


def parse_selection(text: str) -> Selection:
    """`monday`, or `monday:model=x,context=y`. A value may hold colons and commas; a key given twice has
    two values."""
    match = _SELECTION.fullmatch(text)
    if match is None:
        raise UsageError("An empty text selects nothing; write PATH or PATH:model=NAME,context=NAME.")
    filters: dict[str, tuple[str, ...]] = {}
    if given := match["filters"]:
        if match["key"] not in _KEYS:
            raise refuse_unknown_name(
                "key", match["key"], list(dict.fromkeys((*AXES, *DAY_AXES))), f"to select by in `{text}`"
            )
        keys = list(_FILTER.finditer(given))
        for key, end in zip(keys, [key.start() for key in keys[1:]] + [len(given)], strict=True):
            name, value = SPELLINGS.get(key["key"], key["key"]), given[key.end() : end]
            if not value:
                raise UsageError(f"`{text}` gives no value for {name}; write {name}=VALUE.")
            filters[name] = (*filters.get(name, ()), value)
    return Selection(text, match["path"], filters)


def locate(selection: Selection, results: Path) -> Side:
    """Find the answers. A baseline is looked up; filters of the selection replace its own."""
    source = _locate_path(selection, results)
    if source is None:
        baselines = read_baselines(results)
        if selection.path not in baselines:
            raise _describe_missing(selection, results, baselines)
        baseline = baselines[selection.path]
        named = parse_selection(baseline.selection)
        source = _locate_path(
            Selection(selection.text, named.path, {**named.filters, **selection.filters}), results
        )
        if source is None:
            raise UsageError(
                f"The baseline `{selection.path}` stands for {named.text}, and that is neither a run nor "
                "days any more."
            )
        source = msgspec.structs.replace(source, name=selection.path, baseline=baseline)
    allowed = AXES if source.kind == "run" else DAY_AXES
    for key in source.filters:
        if key not in allowed:
            what = "a run" if source.kind == "run" else "days"
            raise UsageError(
                f"{selection.text}: {what} can't be narrowed by {key}, only by {', '.join(allowed)}."
            )
    return source


def find_folders(texts: Iterable[str], results: Path) -> list[Path]:
    """The folders of whole runs, each once. For commands that read runs and do not narrow them."""
    found: dict[Path, Path] = {}
    for text in texts:
        selection = parse_selection(text)
        source = locate(selection, results)
        if source.kind == "days":
            raise UsageError(
                f"{text} are days; a run is read here. For days, `probatio verdict` says which model got "
                f"worse and `probatio study compare {selection.path} --each model` which one is better."
            )
        if source.filters:
            raise UsageError(
                f"{text}: a whole run is read here; leave out `:{_write('', selection.filters)[1:]}`."
            )
        found |= {folder.resolve(): folder for folder in source.folders}
    return list(found.values())


def pin_baseline(name: str, text: str, results: Path, today: str) -> Baseline:
    """Name a selection, with a digest of what it holds now. It must exist, and the name must not be that of a
    run or a folder. Days are pinned by their dates: later ones do not come in."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"A baseline's name has letters, digits, dots, dashes and underscores (at most 100): {name!r}."
        )
    if _locate_path(Selection(name, name), results) is not None:
        raise UsageError(f"`{name}` is a run or a folder of days already; give the baseline another name.")
    selection = parse_selection(text)
    side = locate(selection, results)
    if side.baseline is not None:
        raise UsageError(f"`{selection.path}` is a baseline itself; name the run or the days it stands for.")
    if side.kind == "days":
        dates = tuple(folder.name for folder in side.folders)
        text = _write(selection.path, {**selection.filters, "date": dates})
    pinned = Baseline(text, digest_folders(side.folders), today)
    write_baselines({**read_baselines(results), name: pinned}, results)
    return pinned


def _locate_path(selection: Selection, results: Path) -> Side | None:
    """The run or the days at a path: in the results folder, or where the path says."""
    text, path, filters = selection.text, selection.path, dict(selection.filters)
    if is_address(path):
        return Side(text, "run", (run_at(path),), filters)
    places = (results / path, Path(path))
    for folder in places:
        if (folder / RUN_FILE).exists():
            return Side(text, "run", (folder,), filters)
    for folder in places:
        if (folder / DAY_FILE).exists():
            return Side(text, "days", (folder,), _without_dates(text, [folder], filters)[1])
        root = results if results in folder.parents else folder
        if days := list_closed(folder, root) or list_closed(folder / DAILY, root):
            chosen, rest = _without_dates(text, days, filters)
            return Side(text, "days", tuple(chosen), rest)
    for folder in places:
        if has_lines(folder / GRADES):  # a run of another harness
            return Side(text, "run", (folder,), filters)
        if has_lines(folder / ANSWERS):
            raise UsageError(
                f"{folder} holds answers but no grades; grade them first: probatio grade {folder / ANSWERS}"
            )
    return None


def _without_dates(
    text: str, days: Sequence[Path], filters: Mapping[str, tuple[str, ...]]
) -> tuple[list[Path], dict[str, tuple[str, ...]]]:
    """The days of the wanted dates, and the other filters."""
    rest = {key: values for key, values in filters.items() if key != "date"}
    wanted = filters.get("date")
    if wanted is None:
        return list(days), rest
    chosen = [day for day in days if any(_in_range(day.name, value) for value in wanted)]
    if not chosen:
        raise UsageError(
            f"{text} selects no day; there are {len(days)}, from {days[0].name} to {days[-1].name}."
        )
    return chosen, rest


def _in_range(date: str, wanted: str) -> bool:
    """`2026-10-03`, `2026-10-*`, or `2026-10-01..2026-10-14`; either end may be missing."""
    first, dots, last = wanted.partition("..")
    return (first or date) <= date <= (last or date) if dots else matches(wanted, date)


def _describe_missing(selection: Selection, results: Path, baselines: Mapping[str, Baseline]) -> NotFound:
    known = sorted(folder.parent.name for folder in results.glob(f"*/{RUN_FILE}"))
    recent = f" Runs there: {', '.join(known[-5:])}." if known else ""
    named = f" Baselines there: {', '.join(sorted(baselines))}." if baselines else ""
    return NotFound(
        f"There is no run `{selection.path}`, no days and no baseline of that name, neither as a folder nor "
        f"under {results}.{recent}{named}"
    )


def _write(path: str, filters: Mapping[str, tuple[str, ...]]) -> str:
    pairs = ",".join(f"{key}={value}" for key, values in filters.items() for value in values)
    return f"{path}:{pairs}" if pairs else path
