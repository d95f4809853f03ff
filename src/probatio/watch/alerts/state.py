"""`alerts.json`: what each channel was sent. It holds no text.

The results folder may come from someone else, and this file with it. A forged one can at most repeat or delay
an alert: every message is made from the verdicts of the ledger, and entries the ledger does not confirm are
ignored: the day is not there, or no verdict called for the alarm.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Protocol

import msgspec

from probatio.core.errors import Say
from probatio.core.files import put
from probatio.core.inside import read_inside
from probatio.core.jsonfile import decode
from probatio.watch.alerts.episodes import LEVELS, Layer, LayerState, LayerStates, merge_layers


class Unsent(msgspec.Struct, frozen=True):
    """A message that could not be sent; it is made again from the ledger. `model`: several with commas."""

    date: str
    model: str


class ChannelState(msgspec.Struct, frozen=True):
    """What one channel was sent up to `day`, and what is pending. A part of `alerts.json`: its names there
    stay."""

    day: str = ""
    states: LayerStates = msgspec.field(default={}, name="standings")
    pending: tuple[Unsent, ...] = ()


class _AlertsFile(msgspec.Struct, frozen=True):
    channels: dict[str, ChannelState] = {}


class RecordedDays(Protocol):
    """What the ledger says, as far as a state is compared with it."""

    @property
    def dates(self) -> list[str]:
        """The days on record, oldest first."""

    def worst_level(self, day: str, model: str) -> int:
        """The worst level on record of a model's day, as a place in LEVELS; −1 if it was not bad."""


def read_state(path: Path, say: Say) -> dict[str, ChannelState]:
    """The states by channel. A file that can't be read counts as none: then an alert may come twice."""
    try:
        return decode(read_inside(path), _AlertsFile).channels
    except FileNotFoundError:
        return {}
    except msgspec.DecodeError as error:
        say(f"{path} is not a state of alerts: {error}. Alerts start again with the last day.")
        return {}


def write_state(path: Path, channels: Mapping[str, ChannelState]) -> None:
    put(path, msgspec.json.format(msgspec.json.encode(_AlertsFile(dict(channels))), indent=2) + b"\n")


def keep_borne_out(state: ChannelState, ledger: RecordedDays) -> ChannelState:
    """The state without what the ledger does not bear out."""
    states: LayerStates = {}
    for model, layers in state.states.items():
        if (merged := _merge(layers)) is not None and _is_borne_out(merged, model, ledger):
            states[model] = {"headline": merged}
    pending = tuple(each for each in state.pending if _is_date(each.date))
    return ChannelState(state.day if _is_date(state.day) else "", states, pending)


def _merge(layers: Mapping[Layer, LayerState]) -> LayerState | None:
    try:
        return merge_layers(layers)
    except (KeyError, ValueError):  # a level that there is not
        return None


def _is_borne_out(state: LayerState, model: str, ledger: RecordedDays) -> bool:
    last = ledger.dates[-1] if ledger.dates else ""
    if any(
        day and not (_is_date(day) and day <= last)
        for day in (state.day, state.since, state.last_on, state.route)
    ):
        return False
    counts = [*state.days.values(), *state.before.values()]
    if any(not 0 <= count <= len(ledger.dates) for count in counts) or state.last not in (None, *LEVELS):
        return False
    if state.worst_sent is None:
        return True
    told = LEVELS.index(state.worst_sent) if state.worst_sent in LEVELS else len(LEVELS)
    return bool(state.since and state.last_on) and ledger.worst_level(state.last_on or "", model) >= told


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
