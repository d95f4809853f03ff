"""What the ladder scripts share: fields of a ladder, their even weights by rung, and YAML that a reader can follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import yaml

DAILY = Path(__file__).parents[2] / "src" / "probatio" / "builtin" / "daily"
RUNGS = 12
WIDTH = 118

T = TypeVar("T")


class Asked(NamedTuple):
    """One field of an extraction ladder."""

    rung: int
    key: str
    kind: str
    value: Any
    form: str = ""  # as the prompt says it; empty where a sentence speaks of several keys
    extra: dict[str, Any] = {}  # noqa: RUF012  (further keys of the gold: `of`, `also`, `fields`)


def weights(rungs: Sequence[int]) -> list[float]:
    """Every rung weighs the same, however many parts it has."""
    count = Counter(rungs)
    return [round(RUNGS / count[rung], 3) for rung in rungs]


def interleaved(rng: Random, rows: Sequence[Sequence[T]]) -> list[T]:
    """The rows shuffled into one list; each keeps its own order."""
    turns = [number for number, row in enumerate(rows) for _ in row]
    rng.shuffle(turns)
    feeds = [iter(row) for row in rows]
    return [next(feeds[number]) for number in turns]


def walked(start: T, steps: int, change: Callable[[T], str]) -> tuple[list[str], T]:
    """So many changes, made and told one after the other. One that changes nothing, or takes back the last, is drawn again."""
    states, told = [start], list[str]()
    while len(told) < steps:
        state = deepcopy(states[-1])
        text = change(state)
        if state not in states[-2:]:
            states.append(state)
            told.append(text)
    return told, states[-1]


def quoted(keys: Iterable[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


class _Dumper(yaml.SafeDumper):
    pass


class Flow(dict[str, Any]):
    """A mapping written on one line."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)
_Dumper.add_representer(
    Flow,
    lambda dumper, value: dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=True),
)


def write(path: Path, head: str, value: dict[str, Any]) -> None:
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6)
    path.write_text(f"{head}{text}", encoding="utf-8")
