"""The alert channels: the section `alerts:` of models.yml.

A channel's address may be a secret, so nothing here prints it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from probatio.ask.hosts import owner_of
from probatio.core.config import LOCAL_CONFIG, ModelsFile, folder_of, is_word
from probatio.core.errors import UsageError
from probatio.core.redact import know_address
from probatio.core.text.names import refuse_unknown_name
from probatio.core.trust import NAME_FILE, TrustRequest, address_request, allow_now, find_unsaid, refuse
from probatio.core.values import Address, Name
from probatio.core.yamlfile import as_record, explain_fault, open_yaml
from probatio.watch.alerts.episodes import SEVERITIES, AlertRule
from probatio.watch.alerts.sending import list_schemes

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_DEFAULT = AlertRule()


class _ChannelEntry(msgspec.Struct):
    url: str
    name: Name | None = None
    severity: str | tuple[str, ...] = _DEFAULT.severities  # not `on`: YAML takes that word for true
    hold_days: Annotated[int, msgspec.Meta(ge=1)] = _DEFAULT.hold_days
    cool_down_days: Annotated[int, msgspec.Meta(ge=0)] = _DEFAULT.cool_down_days
    models: str | tuple[str, ...] = _DEFAULT.models
    link: Address | None = None


class _ModelsFile(ModelsFile):
    """models.yml with the entries of its alerts. Its models are read where they are asked."""

    models: Any = None
    alerts: list[_ChannelEntry] = msgspec.field(default_factory=list)


class Channel(msgspec.Struct, frozen=True):
    """One address to send to, and which alerts it gets."""

    name: str
    url: str  # as written: ${NAME} stands for an environment variable
    rule: AlertRule = AlertRule()
    link: str | None = None  # the address of the site

    def __repr__(self) -> str:
        return f"Channel({self.name!r})"

    @property
    def request(self) -> TrustRequest:
        """What the user has to allow before anything is sent here."""
        scheme = "" if _VARIABLE.match(self.url) else f" ({self.url.partition(':')[0]})"
        return address_request(self.url, f"the alert channel {self.name}{scheme}")

    def address(self, env: Mapping[str, str]) -> str:
        """The URL with its variables filled in, to send something there. Raises KeyError with the name of a
        variable that is not set."""
        address = self.fill(env)
        refuse(find_unsaid([self.request]), NAME_FILE)
        return address

    def fill(self, env: Mapping[str, str]) -> str:
        for name in _VARIABLE.findall(self.url):
            if owner := owner_of(name, env):
                raise UsageError(
                    f"The alert channel {self.name} would send the key of {owner.name} (${{{name}}}); take "
                    "it out of `url`."
                )
        return _VARIABLE.sub(lambda variable: env[variable[1]], self.url)


def read_channels(config: Path | None) -> tuple[Channel, ...]:
    """Read the channels of `config`, or of config/models.yml. Without a file there are none."""
    source = config or (LOCAL_CONFIG if LOCAL_CONFIG.exists() else None)
    if source is None:
        return ()
    channels: dict[str, Channel] = {}
    file = open_yaml(source, folder_of(config))
    for number, entry in enumerate(as_record(file, _ModelsFile).alerts):
        try:
            channel = _make_channel(entry)
        except UsageError as error:
            raise explain_fault(file, ("alerts", number), str(error), f", alerts[{number}]") from None
        if channel.name in channels:
            sentence = f"two alert channels are called `{channel.name}`; give each a `name` of its own."
            raise explain_fault(file, ("alerts", number), sentence)
        channels[channel.name] = channel
    found = tuple(channels.values())
    if is_word(config):
        allow_now(channel.request for channel in found)
    return found


def redact_addresses(channels: Iterable[Channel], env: Mapping[str, str]) -> None:
    """Register what is secret in the addresses, so that no file or message shows it."""
    for channel in channels:
        with contextlib.suppress(KeyError):  # a missing variable is named when something is sent
            know_address(channel.fill(env))


def _make_channel(entry: _ChannelEntry) -> Channel:
    url = entry.url.strip()
    if not _VARIABLE.fullmatch(url) and not re.match(r"[a-z][\w+.-]*://?\S", url, re.IGNORECASE):
        raise UsageError("`url` is neither an Apprise URL (scheme://…) nor the name of a variable (${NAME}).")
    _require_scheme(url)
    severities = _as_tuple(entry.severity)
    for severity in severities:
        if severity not in SEVERITIES:
            raise refuse_unknown_name("severity", severity, list(SEVERITIES))
    models = _as_tuple(entry.models)
    for key, given in (("severity", severities), ("models", models)):
        if not given:
            raise UsageError(f"`{key}` is empty, so the channel would never hear of anything.")
    rule = AlertRule(severities, entry.hold_days, entry.cool_down_days, models)
    return Channel(entry.name or _name_of_url(url), url, rule, entry.link and entry.link.rstrip("/") + "/")


def _require_scheme(url: str) -> None:
    """Refuse a scheme that Apprise has no service for. Web addresses are checked when something is sent:
    some services are named by their own."""
    scheme = url.partition(":")[0].lower()
    if _VARIABLE.match(url) or scheme in ("http", "https") or importlib.util.find_spec("apprise") is None:
        return
    known = list_schemes()
    if scheme not in known:
        raise refuse_unknown_name("service with the scheme", scheme, known, "in Apprise")


def _name_of_url(url: str) -> str:
    """The part of a URL that is never a secret: its scheme or its variable. A host is often a token."""
    whole = _VARIABLE.fullmatch(url)
    return whole[1] if whole else url.partition(":")[0].lower()


def _as_tuple(given: str | tuple[str, ...]) -> tuple[str, ...]:
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(part.strip() for part in parts if part.strip())
