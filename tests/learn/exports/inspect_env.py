"""Inspect itself, installed once into a cache beside the user's other caches, for the tests that open logs
with it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

REQUIREMENTS = Path(__file__).with_name("inspect-requirements.txt")
SECONDS = 400
"""A slow network needs two minutes for the 60 MB."""


def inspect_path() -> Path:
    """The folder from which Inspect can be imported. Skips, with the reason, where it can't be installed."""
    if given := os.environ.get("PROBATIO_TEST_INSPECT"):
        return Path(given)
    name = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = Path(platformdirs.user_cache_dir("probatio")) / "tests" / f"inspect-{name}"
    if folder.exists():
        return folder
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-compile",
        "--only-binary=:all:",
    ]
    try:
        done = subprocess.run(
            [*command, "--target", str(part), "-r", str(REQUIREMENTS)],
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"Inspect could not be installed for this test: {done.stderr.strip()[-300:]}")
        part.rename(folder)
    except subprocess.TimeoutExpired:
        pytest.skip(f"Inspect could not be installed for this test within {SECONDS} s.")
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder
