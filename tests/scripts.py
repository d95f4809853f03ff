"""The scripts of `tools/`, which are no package, as modules for the tests that hold them to their word."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).parents[1] / "tools"


def script(name: str) -> ModuleType:
    known_as = f"tools_{name}"  # no test's own name
    spec = importlib.util.spec_from_file_location(known_as, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[known_as] = module  # records look their own module up
    spec.loader.exec_module(module)
    return module
