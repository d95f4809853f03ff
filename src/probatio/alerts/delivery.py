"""Sending alerts after a day: from the ledger's last verdicts to each channel's messages. A failure never stops the day.

`results/daily/alerts.json` keeps what each channel was sent and what could not be sent. A message is in it before it is sent and
taken out after, so a crash in between sends one message twice rather than none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec

from probatio.alerts.channels import Channel
from probatio.alerts.episodes import LayerStates, Message, Tell, due
from probatio.alerts.sending import PAUSES, Failure, send, shown
from probatio.alerts.telling import Teller
from probatio.errors import Say, UsageError
from probatio.inside import read_inside
from probatio.ledger.ledger import SHORT, head_of, read_ledger
from probatio.records import ModelVerdict
from probatio.redact import know_address
from probatio.run.clock import today
from probatio.slugs import slugs
from probatio.store.files import held, put
from probatio.store.layout import ALERTS, DAILY
from probatio.verdict.headline import completed

CATCH_UP_DAYS = 7
"""Verdicts so much older than the last day are not sent any more."""
PENDING_DAYS = 14
"""A message that could not be sent for so long is dropped."""
LOCK_SECONDS = 60.0
"""Longer than a pass over a few dead channels."""


class ChannelState(msgspec.Struct, frozen=True):
    """What one channel was sent up to `day`, and what is still to be sent."""

    day: str = ""
    standings: LayerStates = {}
    pending: tuple[Message, ...] = ()


class _State(msgspec.Struct, frozen=True):
    channels: dict[str, ChannelState] = {}


class DeliveryReport(msgspec.Struct, frozen=True):
    """What was sent to the channels, and what was not."""

    sent: int = 0
    failed: dict[str, str] = {}  # channel → why, as a clause
    pending: int = 0


class _LineModels(msgspec.Struct):
    """The date and the models of a ledger's line, without the rest."""

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
    """Alert, whatever happens: a day that is closed stays closed, and every fault becomes a sentence."""
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
    shown: Callable[[Channel, Message], None] | None = None,
) -> DeliveryReport:
    """Find what is due since each channel's last day, and send it after what is still pending. `shown` is given the messages in
    place of the channels: nothing leaves."""
    path = results / DAILY / ALERTS
    # two days that end together must not send the same message
    with held(path.with_name(f".{path.name}.lock"), LOCK_SECONDS, path, results):
        state = dict(_read(path).channels)
        ledger, teller = _Ledger(results), Teller(results)
        for channel in channels:
            state[channel.name] = _with_due(channel, state.get(channel.name, ChannelState()), ledger, teller.text, say)
        _write(path, state)
        report = DeliveryReport()
        for channel in channels:
            if shown is not None:
                for message in state[channel.name].pending:
                    shown(channel, message)
                state[channel.name] = msgspec.structs.replace(state[channel.name], pending=())
                _write(path, state)
                continue
            report = _send_pending(path, state, channel, env, say, pauses, report)
    return report


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


def _with_due(channel: Channel, before: ChannelState, ledger: _Ledger, tell: Tell, say: Say) -> ChannelState:
    """The channel's state with everything due added to what is pending."""
    after, pending = before, before.pending
    pages = {} if channel.link is None else {model: f"{channel.link}models/{slug}/" for model, slug in ledger.slugs}
    for day in ledger.since(before.day):
        states, messages = due(channel.rule, after.standings, ledger.verdicts(day), pages, ledger.anchor, tell)
        after = ChannelState(day, states)
        pending += tuple(map(_marked, messages) if ledger.simulated else messages)
    fresh = tuple(message for message in pending if _days(message.date, ledger.last) <= PENDING_DAYS)
    if len(fresh) < len(pending):
        say(
            f"{len(pending) - len(fresh)} alerts to {channel.name} that could not be sent for {PENDING_DAYS} days are dropped."
        )
    return msgspec.structs.replace(after, pending=fresh)


def _marked(message: Message) -> Message:
    """A message about a rehearsal says so before anything else."""
    text = f"SIMULATED: a rehearsal. No model was asked.\n{message.body}"
    return msgspec.structs.replace(message, title=f"SIMULATED {message.title}", body=text)


def _send_pending(
    path: Path,
    state: dict[str, ChannelState],
    channel: Channel,
    env: Mapping[str, str],
    say: Say,
    pauses: tuple[float, ...],
    report: DeliveryReport,
) -> DeliveryReport:
    """Send what is pending for a channel, oldest first. The first failure ends it: the next would only wait as long."""
    sent, failed = report.sent, report.failed
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
    return DeliveryReport(sent, failed, report.pending + len(state[channel.name].pending))


def _deliver(
    channel: Channel, message: Message, env: Mapping[str, str], pauses: tuple[float, ...]
) -> tuple[Failure | None, str]:
    """Why it was not sent, if so; and the address, as much of it as is no secret."""
    try:
        url = channel.address(env)
    except KeyError as missing:
        return Failure(f"its URL needs the variable {missing.args[0]}, which is not set"), ""
    know_address(url)
    where = shown(url)
    return send(url, message, pauses=pauses), f" ({where})" if where else ""


class _Ledger:
    """The last days of the ledger, as far as alerts need them."""

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
                record = msgspec.json.decode(line.data, type=_LineModels)
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
        # a day that a clock ahead has recorded is no news until its date comes, and must not hide the days before it
        now = today()
        self._dates = sorted(date for date in self._lines if date <= now or date in simulated)
        self.slugs = list(slugs(sorted(models)).items())

    @property
    def last(self) -> str:
        return self._dates[-1] if self._dates else ""

    def since(self, day: str) -> list[str]:
        """The days a channel has to hear of: its last one again, which may have been corrected, and those after it. A new channel
        starts with the last day, and so does one that has heard of a day whose date has not come."""
        if not day or day > self.last:
            return self._dates[-1:]
        return [each for each in self._dates if each >= day and _days(each, self.last) <= CATCH_UP_DAYS]

    def verdicts(self, day: str) -> tuple[ModelVerdict, ...]:
        return tuple(map(completed, msgspec.json.decode(self._lines[day].data, type=_Verdicts).verdicts))


def _days(earlier: str, later: str) -> int:
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _read(path: Path) -> _State:
    try:
        return msgspec.json.decode(read_inside(path), type=_State)
    except FileNotFoundError:
        return _State()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is not a state of alerts: {error}. Move it away, and alerts start anew with the next day."
        ) from None


def _write(path: Path, channels: Mapping[str, ChannelState]) -> None:
    put(path, msgspec.json.format(msgspec.json.encode(_State(dict(channels))), indent=2) + b"\n")
