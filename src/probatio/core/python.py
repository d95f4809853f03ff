"""Our own Python as a child process: the one place that forms its command.

`-P` keeps the working folder, which may be a stranger's, out of the places of imports. `-I` would also keep
out PYTHONPATH and what was installed with `pip install --user`: both are the user's own, and Probatio itself
or an extra may be there.
"""

from __future__ import annotations

import sys
from pathlib import Path


def python_command(*words: str) -> tuple[str, ...]:
    """This very interpreter with these words; it imports nothing from the working folder."""
    return (sys.executable, "-P", *words)


def own_command() -> tuple[str, ...]:
    """The command `probatio` of this installation, for who has no environment to find it in."""
    script = Path(sys.executable).with_name("probatio")
    return (str(script),) if script.exists() else python_command("-m", "probatio")
