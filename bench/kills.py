"""A day under `kill -9` at 70 points, one day for each: does it end as the day that was left alone? Prints a
Markdown table.

python bench/kills.py             while the server makes reply 1, 2, … 70, of the models or of the judge
POINTS=5 python bench/kills.py    only every so manieth
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from watch.day.days import asked
from watch.day.kills import REPLIES, killed, outcome


def main() -> None:
    step = int(os.environ.get("POINTS", "1"))
    points = range(1, REPLIES + 1, step)
    with tempfile.TemporaryDirectory(prefix="probatio-kills-") as folder:
        done, replies = killed(Path(folder) / "alone", ())
        assert (done.returncode, replies) == (0, REPLIES), done.stderr
        expected = outcome(Path(folder) / "alone")
        same = twice = again = 0
        for point in points:
            root = Path(folder) / str(point)
            done, replies = killed(root, (point,))
            same += done.returncode == 0 and outcome(root) == expected
            twice += sum(count > 1 for count in asked(root).values())
            again += replies - REPLIES
            print(f"reply {point}: code {done.returncode}, {replies} replies", file=sys.stderr)
    print("| killed at | ended the same | kept twice | replies paid for again |")
    print("|---|---|---|---|")
    print(f"| {len(points)} points | {same} | {twice} | {again / len(points):.1f} per kill, 3 in flight |")


if __name__ == "__main__":
    main()
