"""The fingerprint of what grades an answer: if it is the same, every answer gets the same grade.

It is made of the bytes of our code, of the versions of the tools, and of the content of a user's own grader.
It is part of the key of a kept check, and must be the same on every machine that checks for this one.
"""

from __future__ import annotations

import functools
import hashlib
import platform

import msgspec

from probatio.core.code_digest import code_digest
from probatio.grading import GRADER_VERSION
from probatio.jail.workers import GraderFingerprint
from probatio.languages.contract import LanguageSpec
from probatio.languages.finding import COMPILERS, find_language
from probatio.suites.task_types import KINDS

_GRADES = ("probatio.grading", "probatio.languages", "probatio.core.records", *COMPILERS)
"""The packages that grade the answers of a trial."""
_OF_LANGUAGE = "probatio.grading.fingerprint:language_fingerprint"

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_spec = msgspec.msgpack.Decoder(LanguageSpec).decode


def of_language(spec: LanguageSpec) -> GraderFingerprint:
    """What grades the programs of a language here."""
    return _of_language(_encode(spec), find_language(spec).version())


@functools.lru_cache(maxsize=64)
def _of_language(packed: bytes, version: str) -> GraderFingerprint:
    return GraderFingerprint(_OF_LANGUAGE, packed, language_fingerprint(packed))


def language_fingerprint(packed: bytes) -> bytes:
    """The same on another machine."""
    judged = [f"{name} {kind.judged}" for name, kind in sorted(KINDS.items())]
    spec = _spec(packed)
    # What finds the program in an answer: the version is of what checks and runs it.
    read = msgspec.json.encode((spec.fences, spec.keywords, spec.whole, spec.shown or {})).decode()
    return fingerprint(GRADER_VERSION, code_digest(*_GRADES), *judged, read, find_language(spec).version())


def fingerprint(*parts: str) -> bytes:
    """The digest of the parts, of Python (tables of characters) and of the machine (rounding)."""
    here = (
        platform.python_implementation(),
        ".".join(platform.python_version_tuple()[:2]),
        platform.machine(),
    )
    return hashlib.blake2b(msgspec.json.encode((*here, *parts)), digest_size=16).digest()
