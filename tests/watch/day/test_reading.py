"""A day reads what it needs once: its own files, and every day before it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from double import Double
from watch.day.days import DAY, EXTRACTION, argv, environment, gold_script, history, scores, small_suite

pytestmark = pytest.mark.slow  # whole days, sites or processes

COUNTED = """
import atexit, collections, json, os, sys
opened = collections.Counter()
def hook(event, args):
    is_path = event == "open" and isinstance(args[0], (str, bytes, os.PathLike))
    if is_path and os.path.isabs(os.fsdecode(args[0])):
        opened[os.fsdecode(args[0])] += 1
sys.addaudithook(hook)
atexit.register(lambda: open(os.environ["OPENED"], "w").write(json.dumps(opened)))
from probatio.cli import main
main()
"""


def opened(root: Path, double: Double) -> dict[str, int]:
    """Path under the folder of days → how often `probatio daily` opened it."""
    command = [sys.executable, "-c", COUNTED, *argv(root)[3:]]
    log = root / "opened.json"
    done = subprocess.run(
        command, env={**environment(double), "OPENED": str(log)}, cwd=root, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    days = f"{root / 'results' / 'daily'}/"
    counts = json.loads(log.read_text())
    files = {
        path: count for path, count in counts.items() if path.startswith(days) and not Path(path).is_dir()
    }
    return {path.removeprefix(days): count for path, count in files.items()}


def test_a_closed_day_opens_its_answers_its_grades_and_every_earlier_day_once(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    history(tmp_path, {EXTRACTION: [100.0, 99.0, 100.0, 99.0, 100.0]})
    with Double(reply=gold_script(EXTRACTION)) as double:
        counts = opened(tmp_path, double)
    assert scores(tmp_path)[EXTRACTION].score == 100
    assert counts[f"{DAY}/raw_responses.jsonl"] == 1
    assert counts[f"{DAY}/graded_results.jsonl"] == 1
    earlier = {path: count for path, count in counts.items() if path[:10] < DAY}
    assert len(earlier) == 2 * 5
    newest = f"{max(path[:10] for path in earlier)}/day.json"  # once more, before: which suite is it of?
    assert {path: count for path, count in earlier.items() if count != 1} == {newest: 2}


def test_the_digests_of_the_ledger_are_those_of_the_files(tmp_path: Path) -> None:
    import hashlib

    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        opened(tmp_path, double)
    (line,) = (tmp_path / "results" / "daily" / "ledger.jsonl").read_text().splitlines()
    files = json.loads(line)["files"]
    assert f"daily/{DAY}/raw_responses.jsonl" in files
    for name, digest in files.items():
        assert hashlib.sha256((tmp_path / "results" / name).read_bytes()).hexdigest() == digest, name
