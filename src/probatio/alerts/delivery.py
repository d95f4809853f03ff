"""Alerts after a day: the ledger's last verdicts against how each channel stood, and the messages out. Never stops the day.

`results/daily/alerts.json` keeps how each channel stands and what could not be sent. A message is in it before it is sent and
goes out of it after, so a crash in between sends one message twice rather than none.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import msgspec

from probatio.alerts.channels import Channel
from probatio.alerts.episodes import Message, Standings, due
from probatio.alerts.sending import PAUSES, Failure, send, shown
from probatio.errors import Incomplete, Say, UsageError
from probatio.ledger.ledger import read_ledger
from probatio.records import ModelVerdict
from probatio.slugs import slugs
from probatio.store.files import put
from probatio.store.layout import DAILY

STATE = "alerts.json"
CATCH_UP_DAYS = 7
"""Verdicts older than this against the last day are no news, even where nobody has been told of them."""
PENDING_DAYS = 14
"""A message that could not be sent for so long is dropped."""
LOCK_SECONDS = 60.0
"""Longer than a pass over a few dead channels."""


class ChannelState(msgspec.Struct, frozen=True):
    """How one channel stands after `day`."""

    day: str = ""
    standings: Standings = {}
    pending: tuple[Message, ...] = ()


class _State(msgspec.Struct, frozen=True):
    channels: dict[str, ChannelState] = {}


class Passed(msgspec.Struct, frozen=True):
    """What one pass over the channels came to."""

    sent: int = 0
    failed: dict[str, str] = {}  # channel → why, as a clause
    pending: int = 0


class _Told(msgspec.Struct):
    """As much of a ledger's line as says which models it is about."""

    date: str
    verdicts: tuple[_Named, ...]


class _Named(msgspec.Struct):
    model: str


class _Verdicts(msgspec.Struct):
    verdicts: tuple[ModelVerdict, ...]


def alert_after_day(results: Path, channels: Sequence[Channel], env: Mapping[str, str], say: Say) -> None:
    """Alert, whatever happens: a day that is closed stays closed, and every fault becomes a sentence."""
    if not channels:
        return
    try:
        alert(results, channels, env, say)
    except Exception as error:
        say(f"Alerts could not be looked after: {error or type(error).__name__}")


def alert(
    results: Path,
    channels: Sequence[Channel],
    env: Mapping[str, str],
    say: Say,
    *,
    pauses: tuple[float, ...] = PAUSES,
) -> Passed:
    """Find what is due since each channel's last day, and send it after what is still pending."""
    path = results / DAILY / STATE
    with _held(path):
        state = dict(_read(path).channels)
        known = _Ledger(results)
        for channel in channels:
            state[channel.name] = _looked(channel, state.get(channel.name, ChannelState()), known, say)
        _write(path, state)
        passed = Passed()
        for channel in channels:
            passed = _sent(path, state, channel, env, say, pauses, passed)
    return passed


def try_channels(channels: Sequence[Channel], env: Mapping[str, str], say: Say) -> dict[str, str]:
    """Send a test message to every channel, once; gives those that failed and why."""
    failed: dict[str, str] = {}
    for channel in channels:
        levels = " and ".join(channel.rule.severities)
        text = f"This channel works. It will hear of {levels} in the models {', '.join(channel.rule.models)}."
        why, where = _deliver(channel, Message("", "", "Probatio: a test", text, "info"), env, ())
        say(f"{channel.name}{where}: {'sent' if why is None else f'failed, {why}'}")
        if why is not None:
            failed[channel.name] = why
    return failed


def _looked(channel: Channel, before: ChannelState, known: _Ledger, say: Say) -> ChannelState:
    """The channel's state with everything due added to what is pending."""
    after, pending = before, before.pending
    pages = {} if channel.link is None else {model: f"{channel.link}models/{slug}/" for model, slug in known.slugs}
    for day in known.since(before.day):
        standings, messages = due(channel.rule, after.standings, known.verdicts(day), pages)
        after = ChannelState(day, standings)
        pending += tuple(messages)
    fresh = tuple(message for message in pending if _days(message.date, known.last) <= PENDING_DAYS)
    if len(fresh) < len(pending):
        say(
            f"{len(pending) - len(fresh)} alerts to {channel.name} that could not be sent for {PENDING_DAYS} days are dropped."
        )
    return msgspec.structs.replace(after, pending=fresh)


def _sent(
    path: Path,
    state: dict[str, ChannelState],
    channel: Channel,
    env: Mapping[str, str],
    say: Say,
    pauses: tuple[float, ...],
    passed: Passed,
) -> Passed:
    """Send what is pending for a channel, oldest first. The first failure ends it: the next would only wait as long."""
    sent, failed = passed.sent, passed.failed
    while pending := state[channel.name].pending:
        why, where = _deliver(channel, pending[0], env, pauses)
        if why is not None:
            kept = f"{len(pending)} message{'s are' if len(pending) > 1 else ' is'} kept"
            say(
                f"The alert channel {channel.name}{where} failed: {why}; {kept} and tried again with the next day or "
                f"`probatio alert send`."
            )
            failed = {**failed, channel.name: why}
            break
        state[channel.name] = msgspec.structs.replace(state[channel.name], pending=pending[1:])
        _write(path, state)
        say(f"Alert to {channel.name}: {pending[0].title}")
        sent += 1
    return Passed(sent, failed, passed.pending + len(state[channel.name].pending))


def _deliver(
    channel: Channel, message: Message, env: Mapping[str, str], pauses: tuple[float, ...]
) -> tuple[Failure | None, str]:
    """Why it did not go out, if so, and where it went as far as that may be told."""
    try:
        url = channel.address(env)
    except KeyError as missing:
        return Failure(f"its URL needs the variable {missing.args[0]}, which is not set"), ""
    where = shown(url)
    return send(url, message, pauses=pauses), f" ({where})" if where else ""


class _Ledger:
    """The last days of the ledger, as far as alerts need them."""

    def __init__(self, results: Path) -> None:
        self._lines = {}  # the last line of a date is the one that counts
        models: set[str] = set()
        for line in read_ledger(results):
            if not line.whole:
                continue
            try:
                told = msgspec.json.decode(line.data, type=_Told)
            except msgspec.DecodeError as error:
                raise UsageError(f"The ledger's line {line.number} is not a record: {error}.") from None
            self._lines[told.date] = line
            models.update(verdict.model for verdict in told.verdicts)
        self._dates = sorted(self._lines)
        self.slugs = list(slugs(sorted(models)).items())

    @property
    def last(self) -> str:
        return self._dates[-1] if self._dates else ""

    def since(self, day: str) -> list[str]:
        """The days a channel has to be told of: its last one again, which may have been corrected, and those after it. A new
        channel starts with the last day."""
        if not day:
            return self._dates[-1:]
        return [each for each in self._dates if each >= day and _days(each, self.last) <= CATCH_UP_DAYS]

    def verdicts(self, day: str) -> tuple[ModelVerdict, ...]:
        return msgspec.json.decode(self._lines[day].data, type=_Verdicts).verdicts


def _days(earlier: str, later: str) -> int:
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _read(path: Path) -> _State:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_State)
    except FileNotFoundError:
        return _State()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is not a state of alerts: {error}. Move it away, and alerts start anew with the next day."
        ) from None


def _write(path: Path, channels: Mapping[str, ChannelState]) -> None:
    put(path, msgspec.json.format(msgspec.json.encode(_State(dict(channels))), indent=2) + b"\n")


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """The state in this process's hands alone: two days that end together must not send the same message."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    until = time.monotonic() + LOCK_SECONDS
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise Incomplete(f"Another process has held {path} for {LOCK_SECONDS:.0f} s.") from None
                time.sleep(0.1)
        yield
    finally:
        os.close(lock)
