"""Frames of one grade: how deep our own calls nest when the program of one Faber answer is started in its
jail.

Counted are frames of `src/probatio` on both sides of the border between processes: in the engine from the
function that it calls to grade (`assess…`) to the one that sends the check to a worker, in the worker from
its loop (`serve`) to the one that starts the jail. Coroutines that wait for each other count as calls. Run it
with `PYTHONPATH` set to count another edition.

    python bench/frames.py
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

TASK, ANSWER = "frames", 'scribe "salve"'
SENT = "PROBATIO_FRAMES"


def frames(frame: FrameType | None) -> list[str]:
    """Our frames from the outermost to this one."""
    found: list[str] = []
    while frame is not None:
        file = frame.f_code.co_filename
        if f"{os.sep}probatio{os.sep}" in file and "bench" not in file:
            found.append(f"{Path(file).parent.name}/{Path(file).name}:{frame.f_code.co_name}")
        frame = frame.f_back
    return found[::-1]


def spy_in_worker() -> None:
    """Called in every worker before its first check: notes the frames when a jail is started."""
    start = subprocess.Popen.__init__

    def noted(self: Any, *args: Any, **rest: Any) -> None:
        found = frames(sys._getframe(1))
        if any("jail/build.py" in each for each in found):
            Path(os.environ[SENT]).write_text("\n".join(found), "utf-8")
        start(self, *args, **rest)

    subprocess.Popen.__init__ = noted  # type: ignore[method-assign]


async def grade() -> list[str]:
    """Grade the answer in a worker; our frames in the engine when the check is sent."""
    from probatio.core.records import Response, Task
    from probatio.grading.trial_answers import assess_trial
    from probatio.jail.workers import Pool
    from probatio.languages.contract import LanguageSpec

    task = Task(id=TASK, type="write", category="c", goal="g", expected_output="salve")
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=TASK, model=(
            "m"
        ), n_shot=0, context="", response=ANSWER,
        dialect="latin",
    )  # fmt: skip
    found: list[str] = []
    send = socket.socket.send

    class Noted(socket.socket):
        def send(self, *args: Any) -> int:
            found[:] = frames(sys._getframe(1))
            return send(self, *args)

    socket.socket = Noted  # type: ignore[misc]
    pool = Pool()
    try:
        spec = LanguageSpec("Faber", ("faber",), "faber")
        assessment = await assess_trial(pool, task, response, spec, "auto", keep=True)
    finally:
        pool.close()
    assert assessment.correct, assessment
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        hook = Path(folder, "sitecustomize.py")
        here = Path(__file__).resolve().parent
        hook.write_text(
            f"import sys; sys.path.append({str(here)!r})\nimport frames; frames.spy_in_worker()\n", "utf-8"
        )
        os.environ |= {SENT: str(Path(folder, "worker")), "PROBATIO_CACHE": folder}
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        engine = asyncio.run(grade())
        worker = Path(folder, "worker").read_text("utf-8").split("\n")
    worker = worker[next(at for at, each in enumerate(worker) if each.endswith(":serve")) :]
    print("engine", *engine, "worker", *worker, sep="\n  ")
    print(f"{len(engine)} + {len(worker)} = {len(engine) + len(worker)} frames")


if __name__ == "__main__":
    main()
