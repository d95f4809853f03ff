"""Which key may go to which host: a provider's key goes to that provider, any key where the user says.

The user's word is the command line (`--allow-host`, `--config`), what they trust (`core/trust.py`) and the
process environment (PROBATIO_ALLOW_HOSTS, and the variables that move a provider, such as OPENAI_BASE_URL).
What a folder says is not: a `.env` or a models.yml may come from someone else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from probatio.ask.providers import PROVIDERS, Provider
from probatio.ask.proxies import is_this_machine
from probatio.ask.published import publish_address
from probatio.core.errors import UsageError
from probatio.core.inside import MOST_SETTINGS, read_inside, read_named
from probatio.core.records import Model
from probatio.core.trust import find_unsaid, header_request, is_trusted_place, key_request, refuse

ALLOW = "PROBATIO_ALLOW_HOSTS"
"""Hosts, separated by commas, that may have a key. Counts in the process environment
only."""

DOTENV = Path(".env")

_PORTS = {"http": 80, "https": 443}


class Environment(dict[str, str]):
    """The process environment and, below it, a `.env`. `from_file`: names that only the file has."""

    from_file: frozenset[str] = frozenset()


def environment(allow_hosts: Iterable[str] = (), file: Path | None = None) -> Environment:
    """The environment of a command. A `.env` gives keys and addresses to what asks for them by name. It is
    not put into the process environment: there it could say which programs we start and what they load."""
    found = _read_dotenv(file or Path.cwd() / DOTENV)
    env = Environment({**found, **os.environ})
    env.from_file = frozenset(found) - frozenset(os.environ)
    if hosts := [*filter(None, [os.environ.get(ALLOW)]), *allow_hosts]:
        env[ALLOW] = ",".join(hosts)
    return env


def require_host(
    model: Model, key_env: str, base_url: str, env: Mapping[str, str], served_by: Provider
) -> None:
    """Refuse to send a key (in `key_env`) to a host that it is not for: a built-in provider's key goes to
    that provider, any other one to the provider of the model (`served_by`) or where the user says. A header
    that is not the provider's own needs the user's word wherever it goes."""
    owner = owner_of(key_env, env)
    provider, url = owner or served_by, _split(base_url)
    home = provider.base_url and _origin_of(_split(provider.base_url))
    host, named = _format_host(url), f"--config FILE with the models.yml that names `{model.id}`"
    if model.auth not in (None, served_by.auth):
        asked = header_request(model.auth, model.base_url or model.provider, Path.cwd())
        refuse(find_unsaid([asked]), f" (or {named})")
    if home == _origin_of(url) or _is_allowed(provider, url, env):
        return
    if owner is None:
        request = key_request(key_env, base_url, Path.cwd())
        refuse(find_unsaid([request]), f" (or --allow-host {host}, or {named})")
        return
    raise UsageError(
        f"Model `{model.id}` would send the key {provider.api_key_env} of {provider.name} to {host}. "
        f"If you mean it, say so: --allow-host {host}, or set {ALLOW}={host} in the environment "
        "(not in .env). If not, correct `base_url` in models.yml or the address in .env."
    )


def owner_of(key_env: str, env: Mapping[str, str]) -> Provider | None:
    """The built-in provider whose key this is, by its name or by the same value."""
    for provider in PROVIDERS.values():
        name = provider.api_key_env
        if name and (name == key_env or (env.get(name) and env.get(name) == env.get(key_env))):
            return provider
    return None


def _read_dotenv(path: Path) -> dict[str, str]:
    """The variables of a `.env`; none where there is no such file."""
    from dotenv import dotenv_values
    from dotenv.variables import parse_variables

    try:
        if path.is_dir():  # some name their virtual environment `.env`
            return {}
        own_link = path.is_symlink() and is_trusted_place(path.parent)
        read = read_named if own_link else read_inside
        text = read(path, most=MOST_SETTINGS).decode()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text.") from None
    found: dict[str, str] = {}
    for name, value in dotenv_values(stream=StringIO(text), interpolate=False).items():
        if value is not None and name != ALLOW:
            # ${NAME} is a name of the same file: one of the environment could carry a key into an address.
            found[name] = "".join(atom.resolve(found) for atom in parse_variables(value))
    return found


def _is_allowed(provider: Provider, url: SplitResult, env: Mapping[str, str]) -> bool:
    """Whether the user allows the provider's key to go there."""
    names = {_format_host(url), url.hostname or "", f"{url.hostname}:{url.port or _PORTS.get(url.scheme)}"}
    if names & {host.strip().casefold() for host in env.get(ALLOW, "").split(",") if host.strip()}:
        return True
    moved = env.get(provider.base_url_env) if provider.base_url_env else None
    if not moved or _origin_of(_split(moved)) != _origin_of(url):
        return False
    from_file = env.from_file if isinstance(env, Environment) else frozenset()
    if provider.base_url_env not in from_file:
        return True
    # A server on this machine with its key next to its address: the file gives away only its own key.
    return is_this_machine(url.hostname or "") and provider.api_key_env in from_file


def _split(address: str) -> SplitResult:
    """Split an address. One that another parser could read differently is refused."""
    try:
        url = urlsplit(address)
        plain = url.scheme in _PORTS and url.hostname and "@" not in url.netloc and url.port != 0
    except ValueError:
        plain = False
    if not plain or re.search(r"[\s\\\x00-\x1f\x7f]", address):
        shown = publish_address(address)
        raise UsageError(f"{shown!r} is not an address such as https://host/v1 (`base_url`).")
    return url


def _origin_of(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port or _PORTS.get(url.scheme)


def _format_host(url: SplitResult) -> str:
    """The host as a user writes it, with its port where it is not the usual one."""
    name = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname or ""
    return name if url.port in (None, _PORTS.get(url.scheme)) else f"{name}:{url.port}"
