"""The alert channels: the section `alerts:` of models.yml. A channel's address may be a secret, and nothing here prints it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from probatio.alerts.episodes import SEVERITIES, AlertRule
from probatio.ask.hosts import owner_of
from probatio.config import LOCAL_CONFIG, folder_of
from probatio.errors import UsageError
from probatio.names import unknown
from probatio.redact import know_address
from probatio.yamlfile import read_yaml

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_DEFAULT = AlertRule()


class _Entry(msgspec.Struct):
    url: str
    name: str | None = None
    severity: str | tuple[str, ...] = _DEFAULT.severities  # not `on`: YAML takes that word for true
    hold_days: Annotated[int, msgspec.Meta(ge=1)] = _DEFAULT.hold_days
    cool_down_days: Annotated[int, msgspec.Meta(ge=0)] = _DEFAULT.cool_down_days
    models: str | tuple[str, ...] = _DEFAULT.models
    link: str | None = None


class _File(msgspec.Struct):
    """As much of models.yml as is about alerts."""

    alerts: list[_Entry] = []


class Channel(msgspec.Struct, frozen=True):
    """One address to send to, and which alerts it gets."""

    name: str
    url: str  # as written: ${NAME} stands for an environment variable
    rule: AlertRule = AlertRule()
    link: str | None = None  # the address of the site

    def __repr__(self) -> str:
        return f"Channel({self.name!r})"

    def address(self, env: Mapping[str, str]) -> str:
        """The URL with its variables filled in. A variable that is not set raises KeyError with its name."""
        for name in _VARIABLE.findall(self.url):
            if owner := owner_of(name, env):
                raise UsageError(
                    f"The alert channel {self.name} would send the key of {owner.name} (${{{name}}}); take it out of `url`."
                )
        return _VARIABLE.sub(lambda variable: env[variable[1]], self.url)


def read_channels(config: Path | None) -> tuple[Channel, ...]:
    """The channels of `config`, else of config/models.yml where there is one, else none."""
    source = config or (LOCAL_CONFIG if LOCAL_CONFIG.exists() else None)
    if source is None:
        return ()
    channels: dict[str, Channel] = {}
    for number, entry in enumerate(read_yaml(source, _File, folder_of(config)).alerts):
        channel = _channel(entry, f"{source}, alerts[{number}]")
        if channel.name in channels:
            raise UsageError(
                f"{source}: two alert channels are called `{channel.name}`; give each a `name` of its own."
            )
        channels[channel.name] = channel
    return tuple(channels.values())


def know_addresses(channels: Iterable[Channel], env: Mapping[str, str]) -> None:
    """Tell what is secret in the addresses, so that it gets into no file."""
    for channel in channels:
        with contextlib.suppress(KeyError):  # a variable that is not set is told when something is to be sent
            know_address(channel.address(env))


def _channel(entry: _Entry, where: str) -> Channel:
    url = entry.url.strip()
    if not _VARIABLE.fullmatch(url) and not re.match(r"[a-z][\w+.-]*://?\S", url, re.IGNORECASE):
        raise UsageError(
            f"{where}: `url` is neither an Apprise URL (scheme://…) nor the name of a variable (${{NAME}})."
        )
    severities = _listed(entry.severity)
    for severity in severities:
        if severity not in SEVERITIES:
            raise unknown("severity", severity, list(SEVERITIES), f"in {where}")
    models = _listed(entry.models)
    for key, given in (("severity", severities), ("models", models)):
        if not given:
            raise UsageError(f"{where}: `{key}` is empty, so the channel would never hear of anything.")
    rule = AlertRule(severities, entry.hold_days, entry.cool_down_days, models)
    return Channel(entry.name or _plain_name(url), url, rule, entry.link and entry.link.rstrip("/") + "/")


def _plain_name(url: str) -> str:
    """The part of a URL that is never a secret: its scheme, or its variable. What looks like a host is often a token."""
    whole = _VARIABLE.fullmatch(url)
    return whole[1] if whole else url.partition(":")[0].lower()


def _listed(given: str | tuple[str, ...]) -> tuple[str, ...]:
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(part.strip() for part in parts if part.strip())
