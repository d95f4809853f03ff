"""How fast Faber programs are checked, compiled and formatted, on one core.

    python bench/faber_check.py [FILE.jsonl]

Without a file it takes the reference corpus beside this clone, or else the probes of the tests. Each line has
a `code`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import faber

ROOT = Path(__file__).parent.parent
CORPUS = ROOT.parent / "shared" / "faber" / "reference-corpus.jsonl"
PROBES = ROOT / "tests" / "faber_programs" / "probes.jsonl"
ROUNDS = 5
TARGET = 1_000


def compiled(source: str) -> None:
    with suppress(faber.Rejected):
        faber.compile(source)


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS if CORPUS.exists() else PROBES
    programs = [json.loads(line)["code"] for line in path.read_text(encoding="utf-8").splitlines()]
    characters = sum(map(len, programs))
    print(
        f"{len(programs)} programs, {characters / len(programs):.0f} characters on average, {ROUNDS} "
        "rounds, one core\n"
    )
    print(f"{'':22}{'per second':>12}{'CPU ms each':>14}{'wall ms each':>14}")
    work: list[tuple[str, Callable[[str], object]]] = [
        ("check", faber.check),
        ("check, strict", lambda source: faber.check(source, strict=True)),
        ("check and compile", compiled),
        ("format", faber.format),
        ("latin → english", lambda source: faber.format(source, "latin", "english")),
    ]
    for name, function in work:
        function(programs[0])
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(ROUNDS):
            for source in programs:
                function(source)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        count = ROUNDS * len(programs)
        print(f"{name:22}{count / cpu:12,.0f}{1000 * cpu / count:14.3f}{1000 * wall / count:14.3f}")
    print(f"\nWanted: at least {TARGET:,} checks per second.")


if __name__ == "__main__":
    main()
