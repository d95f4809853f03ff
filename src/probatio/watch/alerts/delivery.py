"""Send alerts after a day: from the last verdicts of the ledger to the messages of each channel.

A failure never stops the day. A message is made from the ledger when it is sent, and `alerts.json` notes that
only after it was sent. So a crash in between sends a message twice and never loses it, and what could not be
sent is made again the next time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.core.clock import today
from probatio.core.errors import Say, UsageError
from probatio.core.files import hold
from probatio.core.jsonfile import decode
from probatio.core.records import ModelVerdict
from probatio.core.redact import know_address
from probatio.core.text.names import make_slugs
from probatio.runs.models import list_reasons
from probatio.runs.store.days import read_records
from probatio.runs.store.layout import ALERTS, DAILY
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.alerts.episodes import AlertMessage, DescribeVerdict, LayerStates, find_due, level_of
from probatio.watch.alerts.quoting import TITLE, make_harmless
from probatio.watch.alerts.sending import PAUSES, SendFailure, mask_address, send
from probatio.watch.alerts.state import ChannelState, Unsent, keep_borne_out, read_state, write_state
from probatio.watch.ledger.ledger import SHORT, LedgerLine, head_of, read_ledger
from probatio.watch.verdict.falls import BAD, list_falls
from probatio.watch.verdict.headline import add_headline

PENDING_DAYS = 14
"""Verdicts that are this many days older than the last day are not sent any more."""
LOCK_SECONDS = 60.0
"""Longer than a pass over a few dead channels."""


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


def alert_unasked(
    results: Path,
    date: str,
    skipped: Mapping[str, str],
    channels: Sequence[Channel],
    env: Mapping[str, str],
    say: Say,
) -> None:
    """Tell every channel which of its models can't be asked, on the first such day. Errors become
    sentences."""
    known: dict[str, str] = {}
    for record in read_records(results):
        known = record.skipped if record.date < date else known
    for channel in channels:
        covered = {model: why for model, why in skipped.items() if channel.rule.covers(model)}
        new = {model: why for model, why in covered.items() if model not in known}
        if not new:
            continue
        models = tuple(new)
        title = make_harmless(f"Not asked: {', '.join(models)}", TITLE)
        body = make_harmless(f"{date}: {list_reasons(new)}.")
        why_not, where = _deliver(channel, AlertMessage(date, models, title, body, "failure"), env, PAUSES)
        say(f"Alert to {channel.name}: {title}" if why_not is None else f"{channel.name}{where}: {why_not}")


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
        states = read_state(path, say)
        ledger, describe = _RecentDays(results), VerdictDescriber(results).message
        report = DeliveryReport()
        for channel in channels:
            state = keep_borne_out(states.get(channel.name, ChannelState()), ledger)
            dropped = sum(_days_between(each.date, ledger.last) > PENDING_DAYS for each in state.pending)
            if dropped:
                say(
                    f"{dropped} alerts to {channel.name} that could not be sent for {PENDING_DAYS} days are "
                    "dropped."
                )
            due = _list_due(channel, state, ledger, describe)

            def keep(after: ChannelState, name: str = channel.name) -> None:
                states[name] = after
                write_state(path, states)

            if shown is not None:
                for message in (each for day in due for each in day.messages):
                    shown(channel, message)
                keep(_after(state, due))
            else:
                report = _send_due(channel, state, due, keep, env, say, pauses, report)
    return report


def try_channels(channels: Sequence[Channel], env: Mapping[str, str], say: Say) -> dict[str, str]:
    """Send a test message to every channel, once. Gives the channels that failed, with the reason."""
    failed: dict[str, str] = {}
    for channel in channels:
        levels = " and ".join(channel.rule.severities)
        text = f"This channel works. It will hear of {levels} in the models {', '.join(channel.rule.models)}."
        why, where = _deliver(channel, AlertMessage("", (), "Probatio: a test", text, "info"), env, ())
        say(f"{channel.name}{where}: {'sent' if why is None else f'failed, {why}'}")
        if why is not None:
            failed[channel.name] = why
    return failed


class _DueDay(NamedTuple):
    """The messages that a day calls for, and the states once they are sent."""

    date: str
    states: LayerStates
    messages: list[AlertMessage]


def _list_due(
    channel: Channel, before: ChannelState, ledger: _RecentDays, describe: DescribeVerdict
) -> list[_DueDay]:
    """What is due since the last day that a channel was sent everything about."""
    due, states = [], before.states
    for day in ledger.since(before.day):
        pages = (
            {}
            if channel.link is None
            else {model: channel.link + ledger.page(day, model, slug) for model, slug in ledger.slugs}
        )
        states, messages = find_due(
            channel.rule, states, ledger.verdicts(day), pages, ledger.anchor, describe
        )
        if ledger.simulated:  # a message about a rehearsal begins with a clear mark
            messages = [
                msgspec.structs.replace(
                    message,
                    title=f"SIMULATED {message.title}",
                    body=f"SIMULATED: a rehearsal. No model was asked.\n{message.body}",
                )
                for message in messages
            ]
        due.append(_DueDay(day, states, messages))
    return due


def _after(before: ChannelState, due: Sequence[_DueDay]) -> ChannelState:
    """The state once everything due was sent."""
    return ChannelState(due[-1].date, due[-1].states) if due else ChannelState(before.day, before.states)


def _send_due(
    channel: Channel,
    state: ChannelState,
    due: Sequence[_DueDay],
    keep: Callable[[ChannelState], None],
    env: Mapping[str, str],
    say: Say,
    pauses: tuple[float, ...],
    report: DeliveryReport,
) -> DeliveryReport:
    """Send what is due for a channel, oldest first. Stop at the first failure: the next would fail too."""
    sent, states = report.sent, state.states
    waiting = deque(message for day in due for message in day.messages)
    for day in due:
        for message in day.messages:
            why, where = _deliver(channel, message, env, pauses)
            if why is not None:
                unsent = tuple(Unsent(each.date, each.model) for each in waiting)
                keep(ChannelState(day.date, states, unsent))
                kept = f"{len(unsent)} message{'s are' if len(unsent) > 1 else ' is'} kept"
                say(
                    f"The alert channel {channel.name}{where} failed: {why}; {kept} and tried again with the "
                    "next day or `probatio daily alerts send`."
                )
                failed = {**report.failed, channel.name: why}
                return DeliveryReport(sent, failed, report.pending + len(unsent))
            waiting.popleft()
            states = {**states, **{model: day.states[model] for model in message.models}}
            keep(ChannelState(day.date, states))
            say(f"Alert to {channel.name}: {message.title}")
            sent += 1
        states = day.states
    keep(_after(state, due))
    return DeliveryReport(sent, report.failed, report.pending)


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
    """The days of the ledger, as alerts need them."""

    def __init__(self, results: Path) -> None:
        self._lines: dict[str, list[LedgerLine]] = {}  # date → its lines; the last is the one that counts
        self._read: dict[str, tuple[ModelVerdict, ...]] = {}
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
                record = decode(line.data, _LineSummary)
                date.fromisoformat(record.date)
            except (msgspec.DecodeError, ValueError) as error:
                raise UsageError(f"The ledger's line {line.number} is not a record: {error}.") from None
            if record.kind == "acceptance":
                continue
            self._lines.setdefault(record.date, []).append(line)
            models.update(verdict.model for verdict in record.verdicts)
            replayed |= record.replayed
            self.simulated |= record.simulated
            simulated.update([record.date] if record.simulated else ())
        if replayed:
            self.anchor += " (replayed: dates were set)"
        # a day that a clock ahead has recorded is no news until its date comes, and must not hide the days
        # before it
        now = today()
        self.dates = sorted(day for day in self._lines if day <= now or day in simulated)
        self.slugs = list(make_slugs(sorted(models)).items())

    @property
    def last(self) -> str:
        return self.dates[-1] if self.dates else ""

    def since(self, day: str) -> list[str]:
        """The days to look at: the last one again, as it may have been corrected, and all later ones.

        A new channel starts with the last day. So does one whose last day lies in the future.
        """
        if not day or day > self.last:
            return self.dates[-1:]
        return [each for each in self.dates if each >= day and _days_between(each, self.last) <= PENDING_DAYS]

    def verdicts(self, day: str) -> tuple[ModelVerdict, ...]:
        if day not in self._read:
            self._read[day] = _read_verdicts(self._lines[day][-1])
        return self._read[day]

    def page(self, day: str, model: str, slug: str) -> str:
        """The page of the site that tells of a model on a day: that of its fall, also of one that ends on
        this day; else its own. Days are read back to the one before the fall."""
        if not any(verdict.model == model for verdict in self.verdicts(day)):
            return f"models/{slug}/"
        found: list[ModelVerdict] = []
        for each in reversed(self.dates[: bisect_right(self.dates, day)]):
            verdict = next((one for one in self.verdicts(each) if one.model == model), None)
            found += [verdict] if verdict else []
            if verdict and each < day and verdict.shown not in (*BAD, "GAP"):
                break
        falls = list_falls(found[::-1])
        return falls[-1].address(slug) if falls else f"models/{slug}/"

    def worst_level(self, day: str, model: str) -> int:
        """The worst level that any record of this day has for the model: a day may be recorded again."""
        verdicts = (each for line in self._lines.get(day, ()) for each in _read_verdicts(line))
        return max((level_of(each) for each in verdicts if each.model == model), default=-1)


def _read_verdicts(line: LedgerLine) -> tuple[ModelVerdict, ...]:
    try:
        return tuple(map(add_headline, decode(line.data, _Verdicts).verdicts))
    except msgspec.DecodeError as error:
        raise UsageError(f"The ledger's line {line.number} is not a record: {error}.") from None


def _days_between(earlier: str, later: str) -> int:
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days if later else 0
