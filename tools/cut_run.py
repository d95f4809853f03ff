"""Cuts a small run out of a large one: the contexts and numbers of examples named, and nothing else changed.

    python tools/cut_run.py results/study-0.5b examples/runs/sample-0.5b examples-only,minimal,basic 0,3

The runs of `examples/runs` were made this way from those of docs/results.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from probatio.runs.store.layout import ANSWERS, GRADES


def cut(run: Path, target: Path, contexts: list[str], n_shots: list[int]) -> None:
    """Write the part of `run` with these contexts and numbers of examples to `target`, under its name."""
    target.mkdir(parents=True)
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    record["run_id"] = target.name
    record["plan"] |= {"contexts": contexts, "n_shots": n_shots}
    (target / "run.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    for name in (ANSWERS, GRADES):
        lines = map(json.loads, (run / name).read_text(encoding="utf-8").splitlines())
        kept = [line for line in lines if line["context"] in contexts and line["n_shot"] in n_shots]
        texts = [
            json.dumps(line | {"run_id": target.name}, ensure_ascii=False, separators=(",", ":"))
            for line in kept
        ]
        (target / name).write_text("\n".join(texts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    source, destination, named, shots = sys.argv[1:]
    cut(Path(source), Path(destination), named.split(","), [int(number) for number in shots.split(",")])
