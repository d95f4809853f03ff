"""Send alerts after a day: from the last verdicts of the ledger to the messages of each channel.

A failure never stops the day. `results/daily/alerts.json` keeps what each channel was sent and what could not
be sent. A message is written there before it is sent and removed after it. So a crash in between sends a
message twice and never loses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec

from probatio.core.clock import today
from probatio.core.errors import Say, UsageError
from probatio.core.files import hold, put
from probatio.core.inside import read_inside
from probatio.core.records import ModelVerdict
from probatio.core.redact import know_address
from probatio.core.text.names import make_slugs
from probatio.runs.store.layout import ALERTS, DAILY
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.alerts.episodes import AlertMessage, DescribeVerdict, LayerStates, find_due
from probatio.watch.alerts.sending import PAUSES, SendFailure, mask_address, send
from probatio.watch.ledger.ledger import SHORT, head_of, read_ledger
from probatio.watch.verdict.headline import add_headline

CATCH_UP_DAYS = 7
"""Verdicts that are this many days older than the last day are not sent."""
PENDING_DAYS = 14
"""A message that could not be sent for this many days is dropped."""
LOCK_SECONDS = 60.0
"""Longer than a pass over a few dead channels."""


class ChannelState(msgspec.Struct, frozen=True):
    """What one channel was sent up to `day`, and what is pending. A part of `alerts.json`: its names there
    stay."""

    day: str = ""
    states: LayerStates = msgspec.field(default={}, name="standings")
    pending: tuple[AlertMessage, ...] = ()


class _AlertsFile(msgspec.Struct, frozen=True):
    channels: dict[str, ChannelState] = {}


class DeliveryReport(msgspec.Struct, frozen=True):
    """What was sent to the channels, and what was not."""

    sent: int = 0
    failed: dict[str, str] = {}  # channel → why, as a clause
    pending: int = 0


class _LineSummary(msgspec.Struct):
    """The date and the models of a line of the ledger."""

    date: str
    verdicts: tuple[_LineModel, ...]
    replayed: bool = False
    simulated: bool = False
    kind: str = "day"


class _LineModel(msgspec.Struct):
    model: str


class _Verdicts(msgspec.Struct):
    verdicts: tuple[ModelVerdict, ...]


def alert_after_day(results: Path, channels: Sequence[Channel], env: Mapping[str, str], say: Say) -> None:
    """Send alerts after a closed day. Every error becomes a sentence: the day stays closed."""
    if not channels:
        return
    try:
        alert(results, channels, env, say)
    except Exception as error:
        say(f"Alerts could not be sent: {error or type(error).__name__}")


def alert(
    results: Path,
    channels: Sequence[Channel],
    env: Mapping[str, str],
    say: Say,
    *,
    pauses: tuple[float, ...] = PAUSES,
    shown: Callable[[Channel, AlertMessage], None] | None = None,
) -> DeliveryReport:
    """Send what is pending, then what is due since each channel's last day.

    With `shown`, that function gets the messages and nothing is sent.
    """
    path = results / DAILY / ALERTS
    # two days that end together must not send the same message
    with hold(path.with_name(f".{path.name}.lock"), LOCK_SECONDS, path, results):
        state = dict(_read_state(path).channels)
        ledger, describe = _RecentDays(results), VerdictDescriber(results).text
        for channel in channels:
            state[channel.name] = _add_due(
                channel, state.get(channel.name, ChannelState()), ledger, describe, say
            )
        _write_state(path, state)
        report = DeliveryReport()
        for channel in channels:
            if shown is not None:
                for message in state[channel.name].pending:
                    shown(channel, message)
                state[channel.name] = msgspec.structs.replace(state[channel.name], pending=())
                _write_state(path, state)
                continue
            report = _send_pending(path, state, channel, env, say, pauses, report)
    return report


def try_channels(channels: Sequence[Channel], env: Mapping[str, str], say: Say) -> dict[str, str]:
    """Send a test message to every channel, once. Gives the channels that failed, with the reason."""
    failed: dict[str, str] = {}
    for channel in channels:
        levels = " and ".join(channel.rule.severities)
        text = f"This channel works. It will hear of {levels} in the models {', '.join(channel.rule.models)}."
        why, where = _deliver(channel, AlertMessage("", "", "Probatio: a test", text, "info"), env, ())
        say(f"{channel.name}{where}: {'sent' if why is None else f'failed, {why}'}")
        if why is not None:
            failed[channel.name] = why
    return failed


def _add_due(
    channel: Channel, before: ChannelState, ledger: _RecentDays, describe: DescribeVerdict, say: Say
) -> ChannelState:
    """Add everything due to what is pending."""
    after, pending = before, before.pending
    pages = (
        {}
        if channel.link is None
        else {model: f"{channel.link}models/{slug}/" for model, slug in ledger.slugs}
    )
    for day in ledger.since(before.day):
        states, messages = find_due(
            channel.rule, after.states, ledger.verdicts(day), pages, ledger.anchor, describe
        )
        after = ChannelState(day, states)
        if ledger.simulated:  # a message about a rehearsal begins with a clear mark
            messages = [
                msgspec.structs.replace(
                    message,
                    title=f"SIMULATED {message.title}",
                    body=f"SIMULATED: a rehearsal. No model was asked.\n{message.body}",
                )
                for message in messages
            ]
        pending += tuple(messages)
    fresh = tuple(message for message in pending if _days_between(message.date, ledger.last) <= PENDING_DAYS)
    if len(fresh) < len(pending):
        say(
            f"{len(pending) - len(fresh)} alerts to {channel.name} that could not be sent for "
            f"{PENDING_DAYS} days are dropped."
        )
    return msgspec.structs.replace(after, pending=fresh)


def _send_pending(
    path: Path,
    state: dict[str, ChannelState],
    channel: Channel,
    env: Mapping[str, str],
    say: Say,
    pauses: tuple[float, ...],
    report: DeliveryReport,
) -> DeliveryReport:
    """Send what is pending for a channel, oldest first. Stop at the first failure: the next would fail
    too."""
    sent, failed = report.sent, report.failed
    while pending := state[channel.name].pending:
        why, where = _deliver(channel, pending[0], env, pauses)
        if why is not None:
            kept = f"{len(pending)} message{'s are' if len(pending) > 1 else ' is'} kept"
            say(
                f"The alert channel {channel.name}{where} failed: {why}; {kept} and tried again with the "
                "next day or `probatio daily alerts send`."
            )
            failed = {**failed, channel.name: why}
            break
        state[channel.name] = msgspec.structs.replace(state[channel.name], pending=pending[1:])
        _write_state(path, state)
        say(f"Alert to {channel.name}: {pending[0].title}")
        sent += 1
    return DeliveryReport(sent, failed, report.pending + len(state[channel.name].pending))


def _deliver(
    channel: Channel, message: AlertMessage, env: Mapping[str, str], pauses: tuple[float, ...]
) -> tuple[SendFailure | None, str]:
    """Send one message. Gives the reason if that failed, and the part of the address that is no secret."""
    try:
        url = channel.address(env)
    except KeyError as missing:
        return SendFailure(f"its URL needs the variable {missing.args[0]}, which is not set"), ""
    know_address(url)
    where = mask_address(url)
    return send(url, message, pauses=pauses), f" ({where})" if where else ""


class _RecentDays:
    """The last days of the ledger, as alerts need them."""

    def __init__(self, results: Path) -> None:
        self._lines = {}  # the last line of a date is the one that counts
        models: set[str] = set()
        simulated: set[str] = set()
        replayed = False
        self.simulated = False
        lines = read_ledger(results)
        self.anchor = (head_of(lines) or "")[:SHORT]
        for line in lines:
            if not line.whole:
                continue
            try:
                record = msgspec.json.decode(line.data, type=_LineSummary)
            except msgspec.DecodeError as error:
                raise UsageError(f"The ledger's line {line.number} is not a record: {error}.") from None
            if record.kind == "acceptance":
                continue
            self._lines[record.date] = line
            models.update(verdict.model for verdict in record.verdicts)
            replayed |= record.replayed
            self.simulated |= record.simulated
            simulated.update([record.date] if record.simulated else ())
        if replayed:
            self.anchor += " (replayed: dates were set)"
        # a day that a clock ahead has recorded is no news until its date comes, and must not hide the days
        # before it
        now = today()
        self._dates = sorted(date for date in self._lines if date <= now or date in simulated)
        self.slugs = list(make_slugs(sorted(models)).items())

    @property
    def last(self) -> str:
        return self._dates[-1] if self._dates else ""

    def since(self, day: str) -> list[str]:
        """The days to look at: the last one again, as it may have been corrected, and all later ones.

        A new channel starts with the last day. So does one whose last day lies in the future.
        """
        if not day or day > self.last:
            return self._dates[-1:]
        return [
            each for each in self._dates if each >= day and _days_between(each, self.last) <= CATCH_UP_DAYS
        ]

    def verdicts(self, day: str) -> tuple[ModelVerdict, ...]:
        return tuple(map(add_headline, msgspec.json.decode(self._lines[day].data, type=_Verdicts).verdicts))


def _days_between(earlier: str, later: str) -> int:
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _read_state(path: Path) -> _AlertsFile:
    try:
        return msgspec.json.decode(read_inside(path), type=_AlertsFile)
    except FileNotFoundError:
        return _AlertsFile()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is not a state of alerts: {error}. Move it away, and alerts start again with the next "
            "day."
        ) from None


def _write_state(path: Path, channels: Mapping[str, ChannelState]) -> None:
    put(path, msgspec.json.format(msgspec.json.encode(_AlertsFile(dict(channels))), indent=2) + b"\n")
