"""Retries: which failures are worth another try, and how long to wait before it.

Worked by hand: a reply 503 without a hint on attempt 1 waits 1 s, on attempt 2 2 s, then 4, 8 and 16 s; the
sixth failure ends the trial. Each wait is stretched by up to a quarter at random, so that a hundred requests
refused together do not come back together. With `Retry-After: 7` the wait is 7 s (stretched), never less than
what was asked for. Waits that a server asks for are obeyed as often as they come, up to `--max-wait` for one
trial in all; they are not among the five.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from probatio.core.jsonfile import decode
from probatio.core.redact import redact

BACKOFF_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""The waits of the first seed: five retries, then the trial is an `api_error`."""

JITTER = 0.25

MOST_WAIT = 30 * 86_400.0
"""Seconds. A server that asks for a longer wait does not mean it: it counts as if it had named none."""

STOP_THE_RUN = {
    401: "the key was refused (401)",
    402: "the account has no credit left (402)",
    407: "the proxy wants another name and password (407)",
}
"""Statuses after which every further request would fail the same way."""

MAX_DETAIL = 300
"""Characters of a server's own words on a failure."""

MAX_PLACE = 300
"""Characters of the address that a redirect names."""

RETRIED_4XX = frozenset({408, 409, 425, 429})
"""Time-out, conflict, too early, rate limit: the same request can succeed later. Every other 4xx can't."""


class Fault(msgspec.Struct, frozen=True):
    """Why a request gave no answer."""

    reason: str
    retry: bool
    status: int | None = None
    wait: float | None = None  # seconds the server asked us to wait
    stops_run: bool = False
    timed_out: bool = False

    @property
    def hinted(self) -> bool:
        """Whether the server says when it may be asked again."""
        return self.retry and bool(self.wait)

    @property
    def throttled(self) -> bool:
        """Whether the server says that we ask too fast, or when it may be asked again."""
        return self.status == 429 or self.hinted


def fault_of_status(
    status: int, headers: Mapping[str, str], body: bytes, now: float, *, inside_200: bool = False
) -> Fault:
    """What an unsuccessful reply means."""
    if 300 <= status < 400 and not inside_200:
        return _fault_of_redirect(status, headers)
    detail = _read_detail(body)
    where = " inside a 200 reply" if inside_200 else ""
    reason = STOP_THE_RUN.get(status, f"status {status}{where}")
    return Fault(
        reason=f"{reason}: {detail}" if detail else reason,
        retry=status in RETRIED_4XX or status >= 500 or status < 400,
        status=status,
        wait=wait if (wait := _read_wait(headers, body, now)) is not None and wait <= MOST_WAIT else None,
        stops_run=status in STOP_THE_RUN,
    )


def _fault_of_redirect(status: int, headers: Mapping[str, str]) -> Fault:
    """The server names another address, which is shown: nothing is sent there, it may be anyone's."""
    place = redact(headers.get("Location") or "not named")[:MAX_PLACE]
    return Fault(
        f"status {status}: the server names another address ({place}). Nothing was sent there; "
        "if it is the right one, set it as `base_url`",
        retry=False,
        status=status,
    )


def wait_before(retry_number: int, fault: Fault, chance: float) -> float | None:
    """Seconds before retry `retry_number`, from 1; None for no retry. `chance` is in [0, 1)."""
    if not fault.retry or retry_number > len(BACKOFF_SECONDS):
        return None
    return max(BACKOFF_SECONDS[retry_number - 1], fault.wait or 0.0) * (1 + JITTER * chance)


def wait_as_asked(tries: int, fault: Fault, chance: float) -> float:
    """Seconds before the next try where the server says when; never less than our own wait would be."""
    own = BACKOFF_SECONDS[min(tries, len(BACKOFF_SECONDS)) - 1] if BACKOFF_SECONDS else 0.0
    return max(own, fault.wait or 0.0) * (1 + JITTER * chance)


def format_wait(seconds: float) -> str:
    """A wait as a person says it: `25 seconds`, `an hour`, `2 hours`."""
    for size, one, many in (
        (86_400, "a day", "days"),
        (3600, "an hour", "hours"),
        (60, "a minute", "minutes"),
    ):
        if seconds >= size:
            number = round(seconds / size, 1)
            return one if number == 1 else f"{number:g} {many}"
    return "a second" if round(seconds) == 1 else f"{round(seconds)} seconds"


def _read_detail(body: bytes) -> str:
    """The sentence inside an error body, in whatever of the usual shapes it comes."""
    parsed = _parse(body)
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else parsed
    if isinstance(error, list):
        error = error[0] if error else None
    text: Any = error
    if isinstance(error, dict):
        text = error.get("message") or error.get("detail")
        raw = _as_object(error.get("metadata")).get("raw")
        if isinstance(raw, str) and raw not in str(text):
            text = f"{text} ({raw})" if text else raw
    if text is None:
        text = "" if isinstance(parsed, dict) else body.decode("utf-8", "replace")
    # Cut last: of a key that is cut, too little is left to be known by.
    return " ".join(redact(str(text)).split())[:MAX_DETAIL]


def _read_wait(headers: Mapping[str, str], body: bytes, now: float) -> float | None:
    """How long the server asks us to wait, from the header or from the body's own hint."""
    for name, value in headers.items():
        lower = name.lower()
        if lower == "retry-after":
            return _parse_seconds(value, now)
        if lower == "retry-after-ms" and _is_number(value):
            return float(value) / 1000
    parsed = _parse(body)
    error = parsed.get("error") if isinstance(parsed, dict) else None
    if not isinstance(error, dict):
        return None
    metadata = _as_object(error.get("metadata"))
    inner = _as_object(metadata.get("headers"))
    for source, name in (
        (error, "retry_after"),
        (error, "retry_after_seconds"),
        (metadata, "retry_after"),
        (metadata, "retry_after_seconds"),
        (inner, "Retry-After"),
        (inner, "retry-after"),
    ):
        if source.get(name) is not None:
            return _parse_seconds(str(source[name]), now)
    reset = inner.get("X-RateLimit-Reset") or inner.get("x-ratelimit-reset")
    if reset is not None and _is_number(str(reset)):
        moment = float(reset)
        return max(0.0, (moment / 1000 if moment > 1e11 else moment) - now)  # epoch milliseconds or seconds
    in_words = re.search(
        r"(?:try again|retry) (?:in|after) (\d{1,15}(?:\.\d{1,15})?)\s?(ms|s\b|sec)",
        str(error.get("message")),
        re.I,
    )
    return float(in_words[1]) / (1000 if in_words[2].lower() == "ms" else 1) if in_words else None


def _parse_seconds(value: str, now: float) -> float | None:
    """`Retry-After` as seconds or as an HTTP date."""
    if _is_number(value):
        return max(0.0, float(value))
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (
        TypeError,
        ValueError,
        OverflowError,
        IndexError,
        OSError,
    ):  # each seen from one odd date or another
        return None


def _is_number(value: str) -> bool:
    return bool(re.fullmatch(r"\d{1,15}(\.\d+)?", value.strip()))


def _as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parse(body: bytes) -> Any:
    try:
        return decode(body)
    except msgspec.DecodeError:
        return None
