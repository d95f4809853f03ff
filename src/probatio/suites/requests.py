"""What a suite asks for besides being read: files and programs of the machine, a grader outside the jail, an
address and a key of its judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from probatio.ask.providers import provider_named
from probatio.core.trust import TrustRequest, find_untrusted, host_of, key_request, weights_requests
from probatio.languages.contract import Commands, LanguageSpec
from probatio.languages.toolchain import find_outside, refuse_left_out
from probatio.suites.grader_entry import OwnGrader

_PACKAGE = Path(__file__).parent.parent
"""What came with Probatio asks for nothing."""


class Judging(Protocol):
    """The judge of a suite, as far as it says where requests go."""

    @property
    def name(self) -> str: ...
    @property
    def provider(self) -> str: ...
    @property
    def base_url(self) -> str | None: ...
    @property
    def api_key_env(self) -> str | None: ...


def requests_of_commands(commands: Iterable[Commands | None], root: Path) -> Iterator[TrustRequest]:
    """What the commands of the suite in `root` name outside of it."""
    folder = str(root.resolve())
    if Path(folder).is_relative_to(_PACKAGE):
        return
    for each in filter(None, commands):
        refuse_left_out(each, root)
        files, programs = find_outside(each, root)
        yield from (TrustRequest("file", path, folder) for path in files)
        yield from (TrustRequest("program", path, folder) for path in programs)


def requests_of_language(spec: LanguageSpec, host: LanguageSpec | None, root: Path) -> Iterator[TrustRequest]:
    """What the commands of a language and of its host name outside of the folder."""
    return requests_of_commands((spec.commands, host.commands if host else None), root)


def requests_of_grader(grader: OwnGrader, root: Path) -> Iterator[TrustRequest]:
    """What a grader of the suite asks for."""
    says = grader.says
    if says.isolation == "none":
        yield TrustRequest("grader", grader.use_case, str(root.resolve()))
    commands = Commands(run=says.command, reads=says.reads, env=says.env, folder=grader.folder)
    yield from requests_of_commands([commands], root)


def requests_of_judge(judge: Judging, root: Path) -> Iterator[TrustRequest]:
    """Where the judge of the suite would be asked, if that is not its provider's own address, and with which
    key, if that is not the provider's own."""
    folder = str(root.resolve())
    if Path(folder).is_relative_to(_PACKAGE):
        return
    provider = provider_named(judge.provider)
    if provider.local:
        yield from weights_requests([judge.name], root)
    if judge.base_url is not None:
        yield TrustRequest("address", judge.base_url, folder, f"its judge at {host_of(judge.base_url)}")
    if judge.api_key_env is not None and (judge.base_url or judge.api_key_env != provider.api_key_env):
        yield key_request(judge.api_key_env, judge.base_url or provider.base_url or "", root)


def mark_untrusted(grader: OwnGrader, root: Path) -> OwnGrader:
    """The grader with what the user has not allowed it. It goes to the workers with every answer, so none of
    them has to know what is trusted."""
    untrusted = find_untrusted(root, requests_of_grader(grader, root))
    return msgspec.structs.replace(grader, untrusted=untrusted) if untrusted else grader
