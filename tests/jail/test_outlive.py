"""Nothing of a program outlives its grader, at whatever moment the grader is killed."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time

import pytest

from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.jail.attack import _find_marked

pytestmark = pytest.mark.slow  # a grader is started and killed a dozen times

GRADER = """
import msgspec, sys
from probatio.languages.python.home import runtime
from probatio.jail import Limits, isolation, run
kind, mark = sys.argv[1:]
isolation(kind)
waits = runtime("import sys; exec(sys.stdin.read())")
marked = msgspec.structs.replace(waits, env=(*waits.env, ("MARK", mark)))
print("now", flush=True)
run(marked, b"import time; time.sleep(60)", Limits(seconds=60), kind)
"""


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_grader_killed_while_the_jail_is_built_leaves_nothing(kind: Choice) -> None:
    try:
        find_isolation(kind)
    except NoIsolation as error:
        pytest.skip(str(error))
    for milliseconds in (1, 3, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 40):
        mark = f"mark-{secrets.token_hex(8)}"
        grader = subprocess.Popen([sys.executable, "-c", GRADER, kind, mark], stdout=subprocess.PIPE)
        assert grader.stdout is not None
        with grader.stdout:
            grader.stdout.readline()
            time.sleep(milliseconds / 1000)
            grader.kill()
            grader.wait()
        deadline = time.monotonic() + 60
        while _find_marked(mark) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert _find_marked(mark) == [], f"killed after {milliseconds} ms"
