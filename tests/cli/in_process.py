"""The command line called in this process: for flags that are refused, where nothing is started and nothing is asked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from probatio.cli import main


def refused(
    command: list[str], variables: Mapping[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """The exit code and what is on stderr. `command` is the one of a process: Python, `-c`, its program, then our words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["probatio", *command[3:]])
        patch.chdir(folder)
        for name, value in variables.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().err
