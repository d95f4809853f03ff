"""Find what checks and runs the programs of a language: an implementation by its name, or its commands."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata

import msgspec

from probatio.core.errors import UsageError
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Language, LanguageSpec
from probatio.languages.twisted_command import TwistedCommandLanguage

GROUP = "probatio.languages"
"""The group of entry points by which an installed package brings a language."""

BUILT_IN = {
    "faber": "probatio.languages.faber:LANGUAGE",
    "typescript": "probatio.languages.typescript.language:LANGUAGE",
}
"""Found even where the metadata of an installation is older than its files."""

COMPILERS = ("faber",)
"""Other packages that these are made of: their code is part of what grades an answer."""

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


def find_language(spec: LanguageSpec) -> Language:
    """The language, made once. Raises UsageError for an implementation that is not there, and lists those
    that are."""
    return _language(_encode(spec))


def find_runtime() -> str:
    """The program that runs compiled answers. Raises where it is not installed."""
    from probatio.languages.typescript.engines import deno

    return deno()


def require_toolchain(spec: LanguageSpec) -> None:
    """Raise UsageError, naming the command and language.yml, where a language can't be checked or run on this
    machine."""
    found = find_language(spec)
    if isinstance(found, CommandLanguage):
        for stage in ("check", "run", "version"):
            found.tool(stage)
        found.version()


_spec = msgspec.msgpack.Decoder(LanguageSpec).decode


@functools.lru_cache(maxsize=64)
def _language(packed: bytes) -> Language:
    spec = _spec(packed)
    if spec.implementation is not None:
        return _implementation(spec.implementation, spec.name)
    twisted = spec.commands is not None and spec.commands.twists
    return TwistedCommandLanguage(spec) if twisted else CommandLanguage(spec)


def list_implementations() -> tuple[str, ...]:
    """The names of all implementations that are installed."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in importlib.metadata.entry_points(group=GROUP))}))


def _implementation(name: str, language: str) -> Language:
    place = BUILT_IN.get(name)
    if place is None:
        points = [point for point in importlib.metadata.entry_points(group=GROUP) if point.name == name]
        if not points:
            raise UsageError(
                f"language.yml of {language}: there is no implementation `{name}`; there are: "
                f"{', '.join(list_implementations())}."
            )
        place = points[0].value
    module, _, attribute = place.partition(":")
    try:
        found: Language = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"language.yml of {language}: the implementation `{name}` can't be loaded: {error}."
        ) from error
    return found


def load_built_in() -> None:
    """Import our own implementations, and have each look at a first program, so that workers forked later
    need not."""
    for name in BUILT_IN:
        found = _implementation(name, name)
        found.template_in("", found.dialects[-1])
