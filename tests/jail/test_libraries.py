"""What a binary needs is found from the binary itself."""

from __future__ import annotations

import sys
from pathlib import Path

from probatio.jail.libraries import libraries, library_path, loader


def test_the_libraries_of_a_binary_are_files_of_this_machine() -> None:
    paths = libraries(str(Path(sys.executable).resolve()))
    assert any("libc" in path for path in paths)
    assert all(Path(path).is_file() for path in paths)
    assert all(str(Path(path).parent) in library_path(paths).split(":") for path in paths)


def test_what_is_not_a_binary_needs_nothing(tmp_path: Path) -> None:
    text = tmp_path / "script"
    text.write_text("#!/bin/sh\n")
    assert loader(text) is None
    assert libraries(str(text)) == ()
