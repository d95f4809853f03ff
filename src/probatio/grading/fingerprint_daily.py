"""The fingerprint of what checks the answers of a use case: its grader's code and the tools it uses."""

from __future__ import annotations

import functools
import hashlib
import platform
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import msgspec

from probatio.builtin.daily.graders import facts_of
from probatio.core.code_digest import code_digest
from probatio.core.errors import ProbatioError
from probatio.grading.fingerprint import fingerprint
from probatio.jail.browser.chromium import executable
from probatio.jail.workers import GraderFingerprint
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Commands, LanguageSpec
from probatio.suites.grader_entry import OwnGrader

_FUNCTION = "probatio.grading.fingerprint_daily:grader_fingerprint"
_OWN = ("probatio.grading.daily_answers", "probatio.grading")
"""The code that takes part in every check, and all that starts a user's own grader."""
_BUILT_IN = (
    "probatio.builtin.daily",
    "probatio.suites.ready_graders",
    "probatio.suites.ready_json",
    "probatio.jail.browser",
    "probatio.languages",
    "probatio.grading.judge.protocol",
)
_FONTS = Path("/usr/share/fonts")

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_grader = msgspec.msgpack.Decoder(str | OwnGrader).decode


def fingerprint_grader(grader: str | OwnGrader) -> GraderFingerprint | None:
    """What checks with this grader on this machine. None if unknown: a grader outside the jail may do
    anything, and a missing tool is reported when it is needed."""
    if isinstance(grader, OwnGrader):
        if grader.says.isolation == "none":
            return None
        return _fingerprint_files(
            _encode(grader), tuple((name, _file_state(file)) for name, file in grader.files())
        )
    return _fingerprint_files(_encode(grader))


@functools.lru_cache(maxsize=64)
def _fingerprint_files(
    packed: bytes, files: tuple[tuple[str, tuple[int, int]], ...] = ()
) -> GraderFingerprint | None:
    """`files`: its own files as they are now. An edited file makes another grader."""
    try:
        return GraderFingerprint(_FUNCTION, packed, grader_fingerprint(packed))
    except (ProbatioError, OSError):
        return None


def _file_state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def grader_fingerprint(packed: bytes) -> bytes:
    """The fingerprint of a grader, equal on all machines with the same code and tools."""
    grader = _grader(packed)
    if isinstance(grader, OwnGrader):
        return fingerprint(code_digest(*_OWN), _describe_command(grader))
    tools = (f"{tool} {TOOLS[tool]() if tool in TOOLS else version(tool)}" for tool in facts_of(grader).tools)
    return fingerprint(grader, code_digest(*_OWN, *_BUILT_IN), *tools)


def _describe_command(grader: OwnGrader) -> str:
    """The command of a user's own grader, its files and its runtime, in the form used for a language."""
    says = grader.says
    commands = Commands(
        says.command,
        reads=says.reads,
        env=says.env,
        limits=says.limits,
        processes=says.processes,
        folder=grader.folder,
    )
    return CommandLanguage(LanguageSpec(grader.use_case, (), commands=commands)).version()


@functools.cache
def _chromium_version(program: str) -> str:
    """The version of Chromium. Two of one version draw alike."""
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return printed.stdout.strip() or str(_file_state(Path(program)))


def _fonts_digest() -> str:
    """A digest of the fonts: other letters have other widths."""
    files = sorted((path.name, path.stat().st_size) for path in _FONTS.rglob("*") if path.is_file())
    return hashlib.blake2b(msgspec.json.encode(files), digest_size=8).hexdigest()


TOOLS: dict[str, Callable[[], str]] = {
    "interpreter": platform.python_version,
    "browser": lambda: _chromium_version(executable()),
    "fonts": _fonts_digest,
}
"""Tool of a built-in grader → how its version is found; any other is a package."""
