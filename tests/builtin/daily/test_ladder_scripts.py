"""The ladders of the suite are what their scripts make: nobody has changed a case by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "tools" / "ladders"


@pytest.mark.parametrize("use_case", ["math_reasoning", "report_analysis"])
def test_a_script_makes_the_cases_that_are_there(use_case: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / f"{use_case}.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
