"""Proxies: through which one a request goes. One rule for chat calls, catalogues, downloads and heartbeats.

`HTTPS_PROXY` is for https addresses and `HTTP_PROXY` for http ones; `NO_PROXY` lists hosts that are asked
directly:

    NO_PROXY=gpu.internal,.corp.example,10.0.0.0/8,vllm.lab:8000

are gpu.internal and all hosts under it, corp.example and all hosts under it, a network, and one port of a
host; `*` is every host. Names in lower case count first, as for curl. This machine itself is never asked
through a proxy.

Only the process environment counts: a `.env` may come from someone else, and a proxy sees every key that goes
to an http address.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from probatio.core.errors import UsageError
from probatio.core.redact import know, know_address

_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("127.0.0.0/8", "::1")


def find_proxy(url: str, env: Mapping[str, str] = os.environ) -> str | None:
    """The address of the proxy for `url`, with its name and password; None for a direct connection."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None  # the request itself says what is wrong with the address
    name = f"{parts.scheme}_proxy"
    given = _read(name, env)
    if not given or is_this_machine(host) or _is_excepted(host, port, _read("no_proxy", env)):
        return None
    return _check(given, name.upper())


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine, by a name or an address that can be no other."""
    return host.casefold() == "localhost" or any(_is_under(host, network) for network in _LOOPBACK)


def strip_login(proxy: str) -> str:
    """The host and port of a proxy, as a message may name it."""
    return urlsplit(proxy).netloc.rpartition("@")[2]


def _read(name: str, env: Mapping[str, str]) -> str:
    return (env[name] if name in env else env.get(name.upper(), "")).strip()


def _check(given: str, name: str) -> str:
    """A proxy's address in full: `proxy.corp:3128` is http. Its password is shown nowhere from now on."""
    address = given if "://" in given else f"http://{given}"
    try:
        parts = urlsplit(address)
        if parts.scheme not in _PORTS or not parts.hostname or parts.port == 0:
            raise ValueError
    except ValueError:
        raise UsageError(
            f"{name} is no proxy that can be used. Set it to an address such as http://host:3128 or "
            "http://name:password@host:3128, or unset it."
        ) from None
    know_address(address)
    know(parts.password)
    return address


def _is_excepted(host: str, port: int | None, no_proxy: str) -> bool:
    host = host.casefold()
    for entry in filter(None, (each.strip().casefold() for each in no_proxy.split(","))):
        name, only = _split_port(entry)
        name = name.removeprefix("*").removeprefix(".").rstrip(".")
        if entry == "*" or (only in ("", str(port)) and (host == name or _is_under(host, name))):
            return True
    return False


def _split_port(entry: str) -> tuple[str, str]:
    """`host:8000` → host and 8000; an IPv6 address has its port behind brackets."""
    if entry.startswith("["):
        name, _, rest = entry[1:].partition("]")
        return name, rest.removeprefix(":")
    name, _, port = entry.partition(":")
    return (name, port) if ":" not in port else (entry, "")


def _is_under(host: str, name: str) -> bool:
    """Whether a host is in a domain, or an address in a network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(name) and host.endswith(f".{name}")
    try:
        return address in ipaddress.ip_network(name, strict=False)
    except ValueError:
        return False
