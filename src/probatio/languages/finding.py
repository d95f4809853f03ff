"""Finding a language: the object that checks and runs its programs, from what its folder says."""

from __future__ import annotations

import importlib
from functools import lru_cache

import msgspec

from probatio.languages.contract import Language, LanguageSpec
from probatio.names import unknown

IMPLEMENTED = {
    "faber": "probatio.languages.faber.language:LANGUAGE",
    "typescript": "probatio.languages.typescript.language:LANGUAGE",
}


def language(spec: LanguageSpec) -> Language:
    return _language(msgspec.msgpack.encode(spec))


@lru_cache(maxsize=64)
def _language(encoded: bytes) -> Language:
    spec = msgspec.msgpack.decode(encoded, type=LanguageSpec)
    place = IMPLEMENTED.get(spec.implementation or "")
    if place is None:
        raise unknown("implementation of a language", spec.implementation or "", list(IMPLEMENTED))
    module, _, name = place.partition(":")
    found: Language = getattr(importlib.import_module(module), name)
    return found


def load_implemented() -> None:
    """Import every language of ours, and have each look at a first program, so that workers forked later need not."""
    for place in IMPLEMENTED.values():
        module, _, name = place.partition(":")
        found: Language = getattr(importlib.import_module(module), name)
        found.template_in("", found.dialects[-1])
