"""Models of a catalogue become entries of models.yml.

The file is changed as text, so that comments and layout stay. The new text is parsed before it is written. It
must say what the old one said, plus the new models; else nothing is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml
from msgspec.structs import asdict

from probatio.ask.catalogue import (
    CatalogueSource,
    Listed,
    Offer,
    describe_not_served,
    find_dearest,
    list_models,
    list_offers,
    list_slugs,
    serves,
    source_of,
)
from probatio.ask.hosts import environment
from probatio.ask.providers import PROVIDERS, provider_named
from probatio.core.config import LOCAL_CONFIG, key_requests, load_config
from probatio.core.errors import UsageError
from probatio.core.files import replacement
from probatio.core.inside import open_new, read_named
from probatio.core.records import Auth, Model
from probatio.core.text.names import matches, refuse_unknown_name
from probatio.core.trust import adopt_file, allow_now, header_request, key_request, remember
from probatio.core.yamlfile import compose_yaml, parse_yaml

Entry = dict[str, Any]
"""A model as models.yml has it."""

NEW_FILE = """\
# The models you ask and watch. `probatio models find WORD` shows what a route has,
# `probatio models add ID` adds a line here.
# Prices are dollars per million tokens, for estimates and --max-cost where a reply does not say what it cost.
models:
"""


class Catalogue(NamedTuple):
    """A route's catalogue, and the server it belongs to as a model without a name."""

    place: Model
    source: CatalogueSource


class AddedModels(msgspec.Struct, frozen=True):
    """What was added to a models.yml."""

    file: str
    models: tuple[Entry, ...]
    remarks: tuple[str, ...]
    unwatched: tuple[str, ...]
    """Ids that `daily: models:` of the file does not name."""


def open_catalogue(
    config: Path | None,
    provider: str | None,
    base_url: str | None,
    api_key_env: str | None,
    auth_header: str | None,
    allow_hosts: Sequence[str],
) -> Catalogue:
    """Find out whose catalogue is asked. The model of the answer has no name: it stands for its server."""
    if base_url and api_key_env:  # both stand on the command line
        allow_now([key_request(api_key_env, base_url, Path.cwd())])
    auth = _read_header(auth_header)
    # A server at an address of the user's speaks OpenAI's form, unless --provider says otherwise.
    name = provider or ("openai" if base_url else "openrouter")
    if provider_named(name).local:
        raise UsageError(
            f"{name} models have no catalogue on the network; `probatio models list` shows them."
        )
    if name not in PROVIDERS and base_url is None:
        known = [each for each in load_config(config).models if each.provider == name and each.base_url]
        if not known:
            raise UsageError(
                f"--provider {name} is not known: use openrouter, openai, or the provider of a model in "
                f"your models.yml that has a `base_url`; or give --base-url."
            )
        base_url, api_key_env = known[0].base_url, api_key_env or known[0].api_key_env
        auth = auth or known[0].auth
    if auth_header and auth:
        allow_now([header_request(auth, base_url or name, Path.cwd())])
    place = Model(
        id=f"catalogue of {name}",
        name="",
        provider=name,
        base_url=base_url,
        api_key_env=api_key_env,
        auth=auth,
    )
    return Catalogue(place, source_of(place, environment(allow_hosts)))


def add_models(
    ids: Sequence[str], catalogue: Catalogue, config: Path | None, *, route: str | None, own_id: str | None
) -> AddedModels:
    """Add these models of the catalogue to models.yml. Nothing is written unless all of them can be added."""
    place, source = catalogue
    if route and not source.names_routes:
        raise UsageError(f"--route: {source.name} serves its models itself, so there is no provider to pin.")
    path = config or LOCAL_CONFIG
    before = load_config(config) if path.exists() else None
    by_id = {each.id: each for each in list_models(source)}
    for each in ids:
        if each not in by_id:
            raise refuse_unknown_name("model", each, list(by_id), f"at {source.place}")
    offers = list_offers(source, ids) if source.names_routes else {}
    entries: list[Entry] = []
    remarks: list[str] = []
    for each in dict.fromkeys(ids):
        entry, said = _make_entry(by_id[each], own_id, place, source, offers.get(each), route)
        for model in before.models if before else ():
            if model.id == entry["id"]:
                cure = "change it there" if model.name == entry["name"] else "give this one another with --id"
                raise UsageError(
                    f"{path} has a model with the id `{model.id}` already ({model.name}); {cure}."
                )
        entries.append(entry)
        remarks += said
    seen: dict[str, str] = {}
    for entry in entries:
        if (other := seen.setdefault(entry["id"], entry["name"])) != entry["name"]:
            raise UsageError(
                f"{other} and {entry['name']} would both be `{entry['id']}`; add one of them with --id."
            )
    _write(path, add_entries(_read(path) if before else "", entries, str(path)))
    if before is None and config is None:
        adopt_file(path)
    if place.base_url and place.api_key_env:
        remember(key_requests(place))
    load_config(config)
    watched = before.daily.models if before else ()
    added = [entry["id"] for entry in entries] if watched else []
    unwatched = [each for each in added if not any(matches(pattern, each) for pattern in watched)]
    return AddedModels(str(path), tuple(entries), tuple(remarks), tuple(unwatched))


def format_prices(cost_in: float | None, cost_out: float | None) -> str:
    return "–" if cost_in is None or cost_out is None else f"{_amount(cost_in)} / {_amount(cost_out)}"


def _amount(dollars: float) -> str:
    return f"{dollars:.2f}" if dollars == round(dollars, 2) else f"{dollars:.6f}".rstrip("0")


def _read_header(name: str | None) -> Auth | None:
    try:
        return Auth(name) if name else None
    except ValueError as error:
        raise UsageError(f"--auth-header: {error}.") from None


def _make_entry(
    listed: Listed,
    own_id: str | None,
    place: Model,
    source: CatalogueSource,
    offers: Sequence[Offer] | None,
    route: str | None,
) -> tuple[Entry, list[str]]:
    """The model as models.yml has it, and remarks for the user."""
    own_id = own_id or listed.id.rpartition("/")[2].replace(":", "-")
    entry: Entry = {"id": own_id, "provider": place.provider, "name": listed.id}
    entry |= {key: value for key in ("base_url", "api_key_env") if (value := getattr(place, key))}
    if place.auth:
        entry["auth"] = {key: value for key, value in asdict(place.auth).items() if value is not None}
    prices = (listed.cost_per_1m_input, listed.cost_per_1m_output)
    offers = offers or ()
    served, remarks = "", []
    if source.names_routes and (pinned := _choose_route(listed.id, offers, route)):
        entry["route"], prices = pinned, find_dearest([offer for offer in offers if serves(offer, pinned)])
        served = f" by {pinned}"
    elif source.names_routes:
        them = f" Pin one of {', '.join(list_slugs(offers))} with `route:` in the file." if offers else ""
        remarks.append(
            f"{own_id} has no pinned provider: any may serve it. Another provider can look like another "
            f"model, so days are flagged when it changes.{them}"
        )
    price, (cost_in, cost_out) = "price unknown", prices
    if cost_in is not None and cost_out is not None:
        price = f"${format_prices(cost_in, cost_out)} per 1M tokens in / out"
        for key, dollars in (("cost_per_1m_input", cost_in), ("cost_per_1m_output", cost_out)):
            entry[key] = int(dollars) if dollars == int(dollars) else dollars  # 10 rather than 10.0
    context = "context unknown" if listed.context is None else f"context {listed.context:,}"
    return entry, [f"{own_id}: {listed.id}{served}, {price}, {context}.", *remarks]


def _choose_route(model: str, offers: Sequence[Offer], route: str | None) -> str | None:
    """The slug to pin: that of the one offer that `route` means, or of its provider if it means several."""
    if route is None:
        maker = model.partition("/")[0].lstrip("~")
        own = [offer.slug for offer in offers if offer.slug == maker]
        return offers[0].slug if len(offers) == 1 else own[0] if own else None
    matching = [offer for offer in offers if serves(offer, route)]
    if not matching:
        raise UsageError(describe_not_served(model, (route,), offers))
    named = list_slugs(matching)
    return named[0] if len(named) == 1 else named[0].partition("/")[0]


def add_entries(text: str, entries: Sequence[Entry], name: str) -> str:
    """The text of a models.yml with these entries at the end of its list of models."""
    before = parse_yaml(text, Path(name)) or {}
    listed = before.get("models") or []
    after = _insert(text, entries, name) if text.strip() else NEW_FILE + _block(entries, 2, "\n", flow=True)
    try:
        now = parse_yaml(after, Path(name))
    except (yaml.YAMLError, UsageError):
        now = None
    if now != {**before, "models": [*listed, *entries]}:
        lines = "".join(f"\n  - {_dump(entry, flow=True)}" for entry in entries)
        raise UsageError(
            f"{name} is laid out in a way that can't be added to safely. Put this into its `models:`:{lines}"
        )
    return after


def _read(path: Path) -> str:
    """The text with its own ends of lines."""
    try:
        return read_named(path).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not written in UTF-8; save it so, and try again.") from None


def _write(path: Path, text: str) -> None:
    """Replace the file as a whole, with the rights it had. If it is a link, its target is replaced."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacement(path) as part, os.fdopen(open_new(part), "wb") as file:
        if path.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        file.write(text.encode())


def _insert(text: str, entries: Sequence[Entry], name: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    root = compose_yaml(text, Path(name))
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    models = next((value for key, value in pairs if key.value == "models"), None)
    if models is None:
        return "".join((*lines, f"models:{end}", _block(entries, 2, end, flow=True)))
    if not isinstance(models, yaml.SequenceNode) or not models.value:  # `models:` alone, or `models: []`
        line, column = models.start_mark.line, models.start_mark.column
        rest = lines[line][column:].removeprefix("[]").strip()
        begin = f"{lines[line][:column].rstrip()}{f'  {rest}' if rest else ''}{end}"
        return "".join((*lines[:line], begin, _block(entries, 2, end, flow=True), *lines[line + 1 :]))
    if models.flow_style:  # [ … ]: before its closing bracket
        line, column = models.end_mark.line, models.end_mark.column - 1
        more = ", ".join(_dump(entry, flow=True) for entry in entries)
        lines[line] = f"{lines[line][:column].rstrip()}, {more}{lines[line][column:]}"
        return "".join(lines)
    last = models.value[-1]
    at = _last_line(last) + 1
    flow = bool(getattr(last, "flow_style", True))
    return "".join((*lines[:at], _block(entries, models.start_mark.column, end, flow=flow), *lines[at:]))


def _last_line(node: yaml.Node) -> int:
    """The line a node ends on. A block's own mark is past the comments after it; that of its last value is
    not."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    mark = node.end_mark
    return int(mark.line) - (mark.column == 0 and mark.line > node.start_mark.line)


def _block(entries: Sequence[Entry], indent: int, end: str, *, flow: bool) -> str:
    """The entries as items of a list, written as its last item is: on one line each, or one line per key."""
    margin = " " * indent
    lines: list[str] = []
    for entry in entries:
        written = _dump(entry, flow=flow).splitlines()
        lines += [f"{margin}{'- ' if not number else '  '}{line}{end}" for number, line in enumerate(written)]
    return "".join(lines)


def _dump(entry: Entry, *, flow: bool) -> str:
    dumped = yaml.safe_dump(entry, sort_keys=False, width=10_000, default_flow_style=flow, allow_unicode=True)
    return str(dumped).strip()
