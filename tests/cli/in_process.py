"""The command line called in this process: for flags that are refused, where nothing is started and nothing is asked."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from probatio.cli import main
from probatio.redact import forget_all


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


def called(words: list[str], variables: Mapping[str, str], folder: Path) -> CompletedProcess[str]:
    """A whole call with these variables and no other key or address of a provider: a process costs a second more each."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("OPENROUTER", "OPENAI")):
                patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["probatio", *words])
        patch.chdir(folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as ended:
                code = ended.code
        forget_all()
    assert isinstance(code, int)
    return CompletedProcess(words, code, out.getvalue(), err.getvalue())
