"""Send one message to one channel, within a time limit. A failure is returned as a phrase of ours.

Apprise says only in its log why a message did not arrive. The log may hold tokens, so it is read here and
never shown.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from typing import TYPE_CHECKING

from probatio.core.extras import require
from probatio.core.redact import redact
from probatio.core.text.visible import make_one_line, make_visible
from probatio.watch.alerts.episodes import AlertMessage

if TYPE_CHECKING:
    from apprise import NotifyBase

TRY_SECONDS = 20.0
"""For a server that sends byte by byte. Apprise's own limit is 4 s of silence (`?rto=` in the URL changes
it)."""
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


class SendFailure(str):
    """Why a message was not sent, as a clause."""

    __slots__ = ()


class SlowSend(SendFailure):
    """There was no reply in time, so the message may still arrive. Trying again at once could send it
    twice."""

    __slots__ = ()


def send(
    url: str, message: AlertMessage, *, pauses: tuple[float, ...] = PAUSES, limit: float = TRY_SECONDS
) -> SendFailure | None:
    """Send a message; try again after each of the pauses. Gives None if it was sent."""
    failed: SendFailure | None = None
    for pause in (0.0, *pauses):
        time.sleep(pause)
        failed = _try(url, message, limit)
        if failed is None or isinstance(failed, SlowSend):
            break
    return failed


def mask_address(url: str) -> str:
    """The part of an address that is no secret: the scheme, and the host if every address of the service has
    one there."""
    service = _make_service(url)
    if service is None:
        return ""
    scheme = url.partition(":")[0].lower()
    templates: tuple[str, ...] = service.templates
    hosted = all("{host}" in each.partition("://")[2].partition("/")[0] for each in templates)
    if not hosted or not service.host:
        return f"{scheme}://"
    return f"{scheme}://{service.host}{f':{service.port}' if service.port else ''}"


def explain_failure(lines: list[str]) -> str:
    """Say why a message was not sent, from the lines of Apprise's log."""
    log = "\n".join(lines)
    if status := _STATUS.search(log):
        return f"it answered with the status {status[1]}"
    for pattern, phrase in REASONS:
        if re.search(pattern, log, re.IGNORECASE):
            return phrase
    return "Apprise could not deliver it"


def _try(url: str, message: AlertMessage, limit: float) -> SendFailure | None:
    service = _make_service(url)
    if service is None:
        return SendFailure("Apprise can't read its URL")
    lines: list[str] = []
    ended: list[bool] = []
    worker = threading.Thread(
        target=_notify, args=(service, message, lines, ended), name="alert", daemon=True
    )
    worker.start()
    worker.join(limit)
    if worker.is_alive():
        return SlowSend(f"it had not answered after {limit:.0f} s")
    return None if ended == [True] else SendFailure(explain_failure(lines))


def _notify(service: NotifyBase, message: AlertMessage, lines: list[str], ended: list[bool]) -> None:
    import apprise

    with _LogCapture(lines):
        try:
            sender = apprise.Apprise()
            sender.add(service)
            sent = sender.notify(
                title=make_one_line(redact(message.title)),
                body=make_visible(redact(message.body)),
                notify_type=apprise.NotifyType(message.tone),
                body_format="text",
            )
            ended.append(bool(sent))
        except Exception as error:  # whatever fails in one of a hundred services must not end the day
            lines.append(f"{type(error).__name__}: {error}")


def _make_service(url: str) -> NotifyBase | None:
    """The service that a URL names, or None if Apprise does not know it."""
    require("apprise")
    import apprise

    # Apprise's log is kept to ourselves for good: an abandoned try may still write to it
    log = logging.getLogger("apprise")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    asset = apprise.AppriseAsset(
        app_id="Probatio",
        app_desc="Probatio",
        http_redirects=False,  # a message goes to the address that the user gave and to no other
    )
    service: NotifyBase | None = apprise.Apprise.instantiate(url, asset=asset, suppress_exceptions=True)
    return service


def list_schemes() -> list[str]:
    """The schemes of the services that Apprise has."""
    from apprise.manager_plugins import NotificationManager

    return sorted(NotificationManager().schemas())  # type: ignore[no-untyped-call]


class _LogCapture(logging.Handler):
    """Collects Apprise's log lines while it is open, with those of level DEBUG, which name the cause."""

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
