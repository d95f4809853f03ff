"""Lines for journald, read from the very stream that it would read."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

MAIN = [sys.executable, "-c", "from probatio.cli import main; main()"]


def output(root: Path, *words: str, journal: bool, **env: str) -> tuple[int, list[str], list[str]]:
    """What a command writes to two files, one of which may be the journal's."""
    with (root / "out").open("w") as out, (root / "err").open("w") as err:
        at = os.fstat(out.fileno())
        told = {"JOURNAL_STREAM": f"{at.st_dev}:{at.st_ino}"} if journal else {"JOURNAL_STREAM": "1:1"}
        files = {"stdout": out, "stderr": out if journal else err}
        done = subprocess.run(
            [*MAIN, *words], cwd=root, env={**os.environ, **told, **env}, timeout=60, check=False, **files
        )  # type: ignore[call-overload]
    return done.returncode, (root / "out").read_text().splitlines(), (root / "err").read_text().splitlines()


def test_a_line_has_its_level_where_journald_reads_it_and_none_elsewhere(tmp_path: Path) -> None:
    code, lines, _ = output(tmp_path, "models", "list", journal=True)
    assert code == 0
    assert lines
    assert all(line.startswith("<6>") for line in lines)
    code, lines, _ = output(tmp_path, "models", "path", "no-such-model", journal=True)
    assert (code, [line[:13] for line in lines]) == (2, ["<3>probatio: "])
    code, lines, errors = output(tmp_path, "models", "path", "no-such-model", journal=False)
    assert (code, lines, errors[0][:10]) == (2, [], "probatio: ")


def test_a_server_can_not_choose_the_level_of_its_words(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text('models: [{id: "a\\n<0>panic", name: "b\\e[31m"}]\n')
    _, lines, _ = output(tmp_path, "models", "list", "--config", "models.yml", journal=True)
    assert all(line.startswith("<6>") for line in lines)
    assert any("<0>panic" in line for line in lines)
    assert not any("\x1b" in line for line in lines)


@pytest.mark.slow
def test_the_watch_leaves_the_clock_to_the_journal_and_warns_of_a_day_that_failed(tmp_path: Path) -> None:
    """The day fails because the month is used up: a day folder of this month says so, and no model is
    asked."""
    month = datetime.now(UTC).strftime("%Y-%m")
    other = "02" if datetime.now(UTC).day == 1 else "01"
    folder = tmp_path / "results" / "daily" / f"{month}-{other}"
    folder.mkdir(parents=True)
    (folder / "raw_responses.jsonl").write_text('{"cost": 5.0}\n')
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "models.yml").write_text(
        "models: [{id: a, name: v/a}]\ndaily: {max_month_cost: 4}\n"
    )
    words = ("daily", "--every", "00:00", "--once", "--use-case", "structured_extraction")
    code, lines, _ = output(
        tmp_path, *words, journal=True, OPENROUTER_API_KEY="k", OPENROUTER_BASE_URL="http://127.0.0.1:1/v1"
    )
    assert code == 3, lines
    assert all(line[:3] in ("<3>", "<4>", "<6>") for line in lines)
    cost = f"<6>{month} has cost $5.00 so far, of at most $4.00."
    assert lines.count(cost) == 2, "at the start and after the day"
    today = datetime.now(UTC).date()
    assert f"<6>The day {today} begins." in lines
    assert f"<4>The day {today} could not be completed." in lines
    (why,) = [line for line in lines if line.startswith("<3>probatio: The month's cap of $4.00 is reached")]
    assert f"the other days of {month} have cost $5.00. Nothing is asked until " in why
