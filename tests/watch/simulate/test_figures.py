"""The saved figures are read without the simulator that makes them."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow  # a process of its own
def test_describing_a_verdict_loads_no_simulator() -> None:
    code = "import sys, probatio.watch.alerts.describing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    simulator = {name for name in done.stdout.split() if name.startswith("probatio.watch.simulate.")}
    assert simulator == {"probatio.watch.simulate.figures"}
