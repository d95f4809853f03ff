"""The fingerprint of whatever grades an answer: two that are the same grade every answer alike.

It is made of what our code means, of the versions of the tools, and of the content of a grader's own files. It is part of the
key of a kept check, and must be the same on every machine that checks for this one.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Callable

import msgspec

from probatio.code_digest import PACKAGE, package_digest
from probatio.grade import GRADER_VERSION
from probatio.languages.contract import LanguageSpec
from probatio.languages.finding import language
from probatio.store.checked import checked_answers
from probatio.suite.task_types import KINDS
from probatio.workers import Same

CODE = frozenset({".py", ".js", ".css", ".html", ".ts"})
GRADES = ("probatio.grade", "probatio.languages", "probatio.records")
"""The packages that grade the answers of a trial."""
_OF_LANGUAGE = "probatio.grade.fingerprint:language_fingerprint"

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_spec = msgspec.msgpack.Decoder(LanguageSpec).decode

Digests = Callable[[str, Callable[[], str]], str]
"""Gives a digest by its name: one that is kept, or what is made now."""


def of_language(spec: LanguageSpec) -> Same:
    """What grades the programs of a language here."""
    return _of_language(_encode(spec), language(spec).version())


@functools.lru_cache(maxsize=64)
def _of_language(packed: bytes, version: str) -> Same:
    return Same(_OF_LANGUAGE, packed, _language_fingerprint(packed, kept_digest))


def language_fingerprint(packed: bytes) -> bytes:
    """The same on another machine."""
    return _language_fingerprint(packed, made_now)


def _language_fingerprint(packed: bytes, digest: Digests) -> bytes:
    code = [digest(package, functools.partial(package_digest, package)) for package in GRADES]
    judged = [f"{name} {kind.judged}" for name, kind in sorted(KINDS.items())]
    return fingerprint(GRADER_VERSION, *code, *judged, language(_spec(packed)).version())


def fingerprint(*parts: str) -> bytes:
    """The parts together, and what every check depends on: tables of characters come with Python, rounding with the machine."""
    here = (platform.python_implementation(), ".".join(platform.python_version_tuple()[:2]), platform.machine())
    return hashlib.blake2b(msgspec.json.encode((*here, *parts)), digest_size=16).digest()


def made_now(name: str, make: Callable[[], str]) -> str:
    return make()


def kept_digest(name: str, make: Callable[[], str]) -> str:
    """What code means takes a while to digest; where no file of ours has changed, it is what it was."""
    kept = checked_answers()
    return make() if kept is None else kept.digest(f"{name} {code_state()}", make)


@functools.cache
def code_state() -> str:
    """A digest of the bytes of our code. It changes with a comment, too."""
    summed = hashlib.blake2b(digest_size=16)
    for file in sorted(path for path in PACKAGE.rglob("*") if path.suffix in CODE):
        summed.update(f"{file.relative_to(PACKAGE)}\0".encode())
        summed.update(file.read_bytes())
    return summed.hexdigest()
