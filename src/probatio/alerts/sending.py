"""Sending one message to one channel by Apprise, within a time limit. A failure comes back as a phrase of ours.

Apprise says only in its log why a message did not arrive, and the log may hold tokens. It is read here and shown to nobody.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from typing import TYPE_CHECKING

from probatio.alerts.episodes import Message
from probatio.extras import require
from probatio.redact import redact
from probatio.visible import one_line, visible

if TYPE_CHECKING:
    from apprise import NotifyBase

TRY_SECONDS = 20.0
"""Apprise's own limit is 4 s of silence (`?rto=` in the URL changes it); this one is for a server that drips."""
PAUSES = (1.0, 4.0)
"""Seconds before the second and the third try: one lost packet should not delay an alert until tomorrow."""

REASONS: tuple[tuple[str, str], ...] = (
    (r"timed out|timeout", "it did not answer in time"),
    (r"refused", "the connection was refused"),
    (r"resolve|not known|getaddrinfo|nodename", "its host name can't be resolved"),
    (r"certificate|SSL", "its certificate was not accepted"),
    (r"unreachable", "its network can't be reached"),
    (r"\b535\b|authenticat", "it did not accept the user or the password"),
    (r"reset by peer|aborted|disconnected", "it closed the connection"),
)
"""A pattern in Apprise's log → what we say."""
_STATUS = re.compile(r"error=(\d{3})")


class Failure(str):
    """Why a message did not go out, as a clause."""

    __slots__ = ()


class Slow(Failure):
    """No end came in time, so the message may still arrive: trying again at once could send it twice."""

    __slots__ = ()


def send(
    url: str, message: Message, *, pauses: tuple[float, ...] = PAUSES, limit: float = TRY_SECONDS
) -> Failure | None:
    """Send; a failure is tried again after each of the pauses. None when it went out."""
    for pause in (*pauses, None):
        failed = _try(url, message, limit)
        if failed is None or isinstance(failed, Slow) or pause is None:
            return failed
        time.sleep(pause)
    return None


def shown(url: str) -> str:
    """As much of an address as is no secret: the scheme, and the host where all the service's addresses have one there."""
    service = _service(url)
    if service is None:
        return ""
    scheme = url.partition(":")[0].lower()
    templates: tuple[str, ...] = service.templates
    hosted = all("{host}" in each.partition("://")[2].partition("/")[0] for each in templates)
    if not hosted or not service.host:
        return f"{scheme}://"
    return f"{scheme}://{service.host}{f':{service.port}' if service.port else ''}"


def _try(url: str, message: Message, limit: float) -> Failure | None:
    service = _service(url)
    if service is None:
        return Failure("Apprise can't read its URL")
    lines: list[str] = []
    ended: list[bool] = []
    worker = threading.Thread(target=_notify, args=(service, message, lines, ended), name="alert", daemon=True)
    worker.start()
    worker.join(limit)
    if worker.is_alive():
        return Slow(f"it had not answered after {limit:.0f} s")
    return None if ended == [True] else Failure(_reason(lines))


def _notify(service: NotifyBase, message: Message, lines: list[str], ended: list[bool]) -> None:
    import apprise

    with _Kept(lines):
        try:
            sender = apprise.Apprise()
            sender.add(service)
            sent = sender.notify(
                title=one_line(redact(message.title)),
                body=visible(redact(message.body)),
                notify_type=apprise.NotifyType(message.tone),
                body_format="text",
            )
            ended.append(bool(sent))
        except Exception as error:  # a hundred services, each with faults of its own: none of them may end the day
            lines.append(f"{type(error).__name__}: {error}")


def _service(url: str) -> NotifyBase | None:
    """The service a URL names; None where Apprise knows none."""
    require("apprise")
    import apprise

    _hush()
    service: NotifyBase | None = apprise.Apprise.instantiate(
        url, asset=apprise.AppriseAsset(app_id="Probatio", app_desc="Probatio"), suppress_exceptions=True
    )
    return service


def _reason(lines: list[str]) -> str:
    log = "\n".join(lines)
    if status := _STATUS.search(log):
        return f"it answered with the status {status[1]}"
    for pattern, phrase in REASONS:
        if re.search(pattern, log, re.IGNORECASE):
            return phrase
    return "Apprise could not deliver it"


def _hush() -> None:
    """Apprise's log stays with us for good: a try that was given up may still write to it."""
    log = logging.getLogger("apprise")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())


class _Kept(logging.Handler):
    """Keeps Apprise's lines while it is open, those of level DEBUG too: they name the cause."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines
        self._log = logging.getLogger("apprise")

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())

    def __enter__(self) -> None:
        self._log.setLevel(logging.DEBUG)
        self._log.addHandler(self)

    def __exit__(self, *_: object) -> None:
        self._log.removeHandler(self)
