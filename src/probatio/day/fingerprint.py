"""The fingerprint of what checks the answers of a use case: its grader's code and the tools it uses."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec

from probatio.browser.chromium import executable
from probatio.builtin.daily.graders import graders_digest
from probatio.code_digest import digest_of, module_file, package_digest
from probatio.errors import ProbatioError
from probatio.grade.fingerprint import Digests, fingerprint, kept_digest, made_now
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Commands, LanguageSpec
from probatio.suite.grader_entry import OwnGrader
from probatio.workers import Same

_FUNCTION = "probatio.day.fingerprint:grader_fingerprint"
EVERYWHERE = ("probatio.day.examining", "probatio.grade.apart", "probatio.grade.length", "probatio.grade.check_result")
_FONTS = Path("/usr/share/fonts")

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_grader = msgspec.msgpack.Decoder(str | OwnGrader).decode


def of_grader(grader: str | OwnGrader) -> Same | None:
    """What checks with this grader here. None where that can't be told: a grader outside the jail may do anything, and a tool
    that is missing says so itself when it is needed."""
    if isinstance(grader, OwnGrader):
        if grader.says.isolation == "none":
            return None
        return _of(_encode(grader), tuple((name, _state(file)) for name, file in grader.files()))
    return _of(_encode(grader))


@functools.lru_cache(maxsize=64)
def _of(packed: bytes, files: tuple[tuple[str, tuple[int, int]], ...] = ()) -> Same | None:
    """`files` are its own files as they are now: one that was edited meanwhile is another grader."""
    try:
        return Same(_FUNCTION, packed, _fingerprint(packed, kept_digest))
    except (ProbatioError, OSError):
        return None


def _state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def grader_fingerprint(packed: bytes) -> bytes:
    """The same on another machine."""
    return _fingerprint(packed, made_now)


def _fingerprint(packed: bytes, digest: Digests) -> bytes:
    grader = _grader(packed)
    around = digest("examining", _around)
    if isinstance(grader, OwnGrader):
        code = digest("own graders", lambda: package_digest("probatio.grade"))
        return fingerprint(around, code, _command(grader))
    code = digest(f"grader {grader}", lambda: graders_digest((grader,)))
    return fingerprint(around, code, *(f"{name} {version()}" for name, version in TOOLS.get(grader, {}).items()))


def _around() -> str:
    """What is done with every answer, whoever grades it, and the shape of what comes back."""
    files = {module: module_file(module) for module in EVERYWHERE}
    return digest_of({module: file.read_text("utf-8") for module, file in files.items() if file})


def _command(grader: OwnGrader) -> str:
    """The command of a grader of one's own, its files and what they are run by, told as those of a language are."""
    says = grader.says
    commands = Commands(
        says.command, reads=says.reads, env=says.env, limits=says.limits, processes=says.processes, folder=grader.folder
    )
    return CommandLanguage(LanguageSpec(grader.use_case, (), commands=commands)).version()


def _package(name: str) -> Callable[[], str]:
    return functools.partial(importlib.metadata.version, name)


@functools.cache
def _chromium(program: str) -> str:
    """Its version; two of one version draw alike."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return told.stdout.strip() or str(_state(Path(program)))


def _fonts() -> str:
    """The fonts that a page can be drawn in: other letters have other widths."""
    files = sorted((path.name, path.stat().st_size) for path in _FONTS.rglob("*") if path.is_file())
    return hashlib.blake2b(msgspec.json.encode(files), digest_size=8).hexdigest()


TOOLS: dict[str, dict[str, Callable[[], str]]] = {
    "math_reasoning": {"mpmath": _package("mpmath"), "pint": _package("pint")},
    "code_generation": {"python": platform.python_version},
    "web_design": {"browser": lambda: _chromium(executable()), "fonts": _fonts},
}
"""Built-in grader → the tools that can move its grades."""
