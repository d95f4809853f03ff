"""A day that is killed with `kill -9` at exact points: while the server makes its n-th reply, of the models
or of the judge."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from commandline import Done
from double import Double
from watch.day.days import DAY, argv, environment, files, gold_script, judged, run

REPLIES = 70
"""Of a whole day of the small suite: 24 frozen answers judged, 26 samples, 20 of them judged."""

MEASURED = ("latency_ms",)


def killed(root: Path, points: Iterable[int]) -> tuple[Done, int]:
    """A day killed at each of the points (replies since the day began), then run to its end; and how many
    replies that took."""
    count, until, child = 0, 0, None  # type: int, int, subprocess.Popen[bytes] | None
    gold = gold_script()

    def reply(body: dict[str, Any]) -> str:
        nonlocal count
        count += 1
        if child and count >= until:
            child.send_signal(signal.SIGKILL)
        return gold(body)

    root.mkdir(exist_ok=True)
    with Double(reply=reply) as double:
        for until in points:
            command = argv(root, "--max-connections", "3")
            child = subprocess.Popen(command, env=environment(double), cwd=root, stdout=subprocess.DEVNULL)
            assert child.wait(300) == -signal.SIGKILL, f"the day ended before its reply {until}"
        child = None
        return run(root, double), count


def outcome(root: Path) -> dict[str, Any]:
    """What a day ends with: scores and verdicts, without what differs between any two days (clock, latency,
    digests of files)."""
    kept = files(root)
    lines = {
        name: [json.loads(line) for line in kept[name].splitlines()]
        for name in ("scores.jsonl", "ledger.jsonl")
    }
    for line in lines["scores.jsonl"]:
        for name in MEASURED:
            line.pop(name, None)
    replies = sorted((reply.key, reply.attempt, reply.response) for reply in judged(root, DAY))
    verdicts = [line.get("verdicts") for line in lines["ledger.jsonl"]]
    return {"scores": lines["scores.jsonl"], "verdicts": verdicts, "judge": replies}
