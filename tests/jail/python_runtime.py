"""A Python interpreter as the runtime in the jail: an attacker that can make any system call."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from probatio.jail import Runtime, libraries


def python_runtime(*, scratch: bool = False) -> Runtime:
    interpreter = str(Path(sys.executable).resolve())
    stdlib = sysconfig.get_path("stdlib")
    modules = Path(stdlib, "lib-dynload").glob("*.so")
    shared = {path for module in modules for path in libraries(str(module))}
    env = (("PYTHONHOME", sys.base_prefix),)
    return Runtime((interpreter, "-S", "-B", "-"), (stdlib, *sorted(shared)), env, scratch=scratch)
