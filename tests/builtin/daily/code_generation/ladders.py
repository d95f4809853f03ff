"""What the tests of Code Generation's ladders share: the cases, the gold answers, and the script that makes
them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from builtin.daily.cases import cases
from watch.day.days import built_in

CASES = cases("code_generation")
SCRIPTS = Path(__file__).parents[4] / "tools" / "ladders"


def rungs(case: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = CASES[case].gold["rungs"]
    return found


def gold(case: str) -> str:
    """The gold answer to a case, without its fence."""
    answers = [
        each
        for each in built_in("code_generation", "proofs")
        if each["case"] == case and each["kind"] == "gold"
    ]
    return "\n".join(str(answers[0]["answer"]).strip().split("\n")[1:-1])


def script(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)
