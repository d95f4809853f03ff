"""`probatio`, called by a test: in this process, or as a process of its own where that is the claim (signals,
pipes, kills)."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from probatio.cli import main
from probatio.core.redact import forget_all

PROCESS = [sys.executable, "-c", "from probatio.cli import main; main()"]
"""A process of its own. It costs a second more than a call in this one."""


class Done(NamedTuple):
    """How a call ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def probatio(
    *words: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, stdin: str = ""
) -> Done:
    """Call the command line in this process. With `env` it has these variables and no other key or address of
    a provider.

    The words may be those of a process, too.
    """
    given = [str(word) for word in words]
    given = given[len(PROCESS) :] if given[: len(PROCESS)] == PROCESS else given
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if env is not None and name.startswith(("OPENROUTER", "OPENAI")):
                patch.delenv(name)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["probatio", *given])
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        if cwd is not None:
            patch.chdir(cwd)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as ended:
                code = ended.code
        forget_all()
    assert isinstance(code, int)
    return Done(code, out.getvalue(), err.getvalue())
