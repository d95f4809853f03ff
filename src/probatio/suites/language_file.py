"""`language.yml`: what a language is, how its programs are checked and run, and the order of its contexts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.records import Compare
from probatio.core.values import Name, Positive
from probatio.core.yamlfile import read_yaml
from probatio.languages.contract import Commands, LanguageSpec, WholeProgram
from probatio.languages.notation import Signs, find_fault
from probatio.suites.rules import require_rule_names

FILE = "language.yml"


class HostFile(LanguageSpec, frozen=True, forbid_unknown_fields=True):
    """The language that programs are translated from and to."""


class LanguageFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    name: Name
    introduction: str
    fences: tuple[str, ...]
    version: str | None = None
    contexts: tuple[str, ...] = ()
    context_tokens: dict[str, Positive] = {}
    """The most tokens a context may have, by its name; `probatio suite check` holds it to that."""
    implementation: str | None = None
    commands: Commands | None = None
    keywords: tuple[str, ...] = ()
    """Words that begin a statement: they help to find a program in an answer that has no fences."""
    program: WholeProgram = msgspec.UNSET
    """`whole`: the answer is the program, every character of it."""
    shown: Signs = msgspec.UNSET
    """Signs that stand for characters that can't be seen, in prompts, answers and grades."""
    compare: Compare = msgspec.UNSET
    """When an output counts as the expected one, in tasks that do not say."""
    host: HostFile | None = None
    rules: dict[str, str] = {}
    """The language's decisions, with a sentence each, for tasks, examples and contexts to name."""
    aliases: dict[str, str] = {}
    """Other names of task types and fields that files of this language use."""
    fingerprint: str | None = None
    """Pins the content of the folder to its version, for a test."""

    def spec(self, folder: Path) -> LanguageSpec:
        return _make_spec(self, folder)

    def host_spec(self, folder: Path) -> LanguageSpec | None:
        return _make_spec(self.host, folder) if self.host else None


def read_language_file(folder: Path) -> LanguageFile:
    path = folder / FILE
    language = read_yaml(path, LanguageFile, folder)
    for each, what in ((language, "the language"), (language.host, "its host")):
        if each is None:
            continue
        if not each.fences:
            raise UsageError(
                f"{path}: `fences` of {what} is empty; name at least one word that stands after ```."
            )
        if (each.implementation is None) == (each.commands is None):
            raise UsageError(f"{path}: {what} needs either `implementation` or `commands` (and not both).")
    require_rule_names(language.rules, path)
    if language.host and language.host.shown:
        raise UsageError(f"{path}: `shown` is for the language under test, not for its host; take it out.")
    if language.shown and language.commands is None:
        raise UsageError(
            f"{path}: `shown` works with `commands` only; an implementation reads its own signs."
        )
    if language.shown and (fault := find_fault(language.shown)):
        raise UsageError(f'{path}: `shown`: {fault}. Write each as {{" ": "[S]"}}.')
    return language


def _make_spec(language: LanguageFile | HostFile, folder: Path) -> LanguageSpec:
    fields = {name: getattr(language, name) for name in LanguageSpec.__struct_fields__}
    if language.commands is not None:
        fields["commands"] = msgspec.structs.replace(language.commands, folder=str(folder.resolve()))
    return LanguageSpec(**fields)
