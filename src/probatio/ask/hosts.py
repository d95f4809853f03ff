"""Which key may go to which host: the key of a built-in provider goes to that provider, or where the user says.

The user's word is the command line (`--allow-host`) and the process environment (PROBATIO_ALLOW_HOSTS, and the variables that
move a provider, such as OPENAI_BASE_URL). What a folder says is not: a `.env` or a models.yml may come from someone else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from probatio.ask.providers import PROVIDERS, Provider
from probatio.errors import UsageError

ALLOW = "PROBATIO_ALLOW_HOSTS"
"""Hosts, separated by commas, that may have the key of a built-in provider. Counts in the process environment only."""

DOTENV = Path(".env")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


class Environment(dict[str, str]):
    """The process environment, and below it what a `.env` adds. `from_file`: the names that only the file has."""

    from_file: frozenset[str] = frozenset()


def environment(allow_hosts: Iterable[str] = (), file: Path | None = None) -> Environment:
    """The environment of a command. A `.env` gives keys and addresses to what asks for them by name. It is not put into the
    process environment: there it could say which programs we start and what they load."""
    from dotenv import dotenv_values
    from dotenv.variables import parse_variables

    found: dict[str, str] = {}
    for name, value in dotenv_values(file or Path.cwd() / DOTENV, interpolate=False).items():
        if value is not None and name != ALLOW:
            # ${NAME} is a name of the same file: one of the environment could carry a key into an address.
            found[name] = "".join(atom.resolve(found) for atom in parse_variables(value))
    env = Environment({**found, **os.environ})
    env.from_file = frozenset(found) - frozenset(os.environ)
    if hosts := [*filter(None, [os.environ.get(ALLOW)]), *allow_hosts]:
        env[ALLOW] = ",".join(hosts)
    return env


def require_host(model_id: str, key_env: str, base_url: str, env: Mapping[str, str]) -> None:
    """Refuse to send the key in `key_env` to `base_url`, where it is a built-in provider's key and that is another's host."""
    provider = owner_of(key_env, env)
    if provider is None or provider.base_url is None:
        return
    url = _parts(base_url)
    if _origin(url) == _origin(_parts(provider.base_url)) or _is_said(provider, url, env):
        return
    host = _host(url)
    raise UsageError(
        f"Model `{model_id}` would send the key {provider.api_key_env} of {provider.name} to {host}. "
        f"If you mean it, say so: --allow-host {host}, or set {ALLOW}={host} in the environment "
        "(not in .env). If not, correct `base_url` in models.yml or the address in .env."
    )


def owner_of(key_env: str, env: Mapping[str, str]) -> Provider | None:
    """The built-in provider whose key this is, by its name or because it is the same key under another name."""
    for provider in PROVIDERS.values():
        name = provider.api_key_env
        if name and (name == key_env or (env.get(name) and env.get(name) == env.get(key_env))):
            return provider
    return None


def _is_said(provider: Provider, url: SplitResult, env: Mapping[str, str]) -> bool:
    """Whether the user has said that the provider's key may go there."""
    names = {_host(url), url.hostname or "", f"{url.hostname}:{url.port or _PORTS.get(url.scheme)}"}
    if names & {host.strip().casefold() for host in env.get(ALLOW, "").split(",") if host.strip()}:
        return True
    moved = env.get(provider.base_url_env) if provider.base_url_env else None
    if not moved or _origin(_parts(moved)) != _origin(url):
        return False
    from_file = env.from_file if isinstance(env, Environment) else frozenset()
    if provider.base_url_env not in from_file:
        return True
    # A server on this machine with its key beside its address: the file gives away no key but its own.
    return bool(_LOOPBACK.fullmatch(url.hostname or "")) and provider.api_key_env in from_file


def _parts(address: str) -> SplitResult:
    """An address in its parts. One that two readers could read differently is refused: the other reader sends the key."""
    try:
        url = urlsplit(address)
        plain = url.scheme in _PORTS and url.hostname and "@" not in url.netloc and url.port != 0
    except ValueError:
        plain = False
    if not plain or re.search(r"[\s\\\x00-\x1f\x7f]", address):
        raise UsageError(f"{address!r} is not an address such as https://host/v1 (`base_url`).")
    return url


def _origin(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port or _PORTS.get(url.scheme)


def _host(url: SplitResult) -> str:
    """The host as a user writes it, with its port where it is not the usual one."""
    name = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname or ""
    return name if url.port in (None, _PORTS.get(url.scheme)) else f"{name}:{url.port}"
