"""docs/story.md: its table is what the ledger of the recorded days says, and the ledger is what the days
give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from probatio.runs.store.days import read_days
from probatio.watch.ledger.ledger import read_ledger, standing_records
from probatio.watch.verdict.evidence.evidence import EDITION
from probatio.watch.verify.scores import scoring_constants
from scripts import script

pytestmark = pytest.mark.slow  # all days of the story are verified

REPOSITORY = Path(__file__).parent.parent
RECORDED = REPOSITORY / "examples" / "story"
PAGE = REPOSITORY / "docs" / "story.md"


@pytest.fixture(scope="module")
def story() -> ModuleType:
    return script("story")


def test_the_page_tells_what_the_ledger_says(story: ModuleType) -> None:
    table = PAGE.read_text(encoding="utf-8").partition(story.BEGIN)[2].partition(story.END)[0].strip()
    assert table == story.table(story.daily_rows(RECORDED)), (
        "run `python tools/story.py tell examples/story docs/story.md`"
    )


def test_the_story_verifies_as_its_page_says() -> None:
    """Grades, scores and verdicts: the command that docs/story.md names."""
    command = [sys.executable, "-m", "probatio", "verify", "--results", str(RECORDED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Checked 152 records, 38 days: 152 files, 1773 grades, 114 scores, 38 verdicts."
    assert lines[-1] == "No difference."


def test_what_a_day_sampled_is_replayed_with_the_constants_it_was_asked_with() -> None:
    """The story was asked under an earlier edition of the evidence and judged again under today's: the wish
    for samples is the one recorded."""
    lines = [line for line in read_ledger(RECORDED) if line.record().date == "2026-10-30"]
    first, last = lines[0], lines[-1]
    assert (first.record().constants.evidence.edition, last.record().constants.evidence.edition) == (
        2,
        EDITION,
    )
    asked_with = scoring_constants((line, line.record()) for line in lines)
    assert asked_with == {"2026-10-30": first.record().constants}


def test_the_healthy_days_raise_no_alarm_and_the_worse_copy_is_cooked_and_confirmed(
    story: ModuleType,
) -> None:
    records = standing_records(read_ledger(RECORDED))
    verdicts = [record.verdicts[0] for _, record in sorted(records.items())]
    healthy, worse = verdicts[: story.HEALTHY], verdicts[story.HEALTHY :]
    assert (len(healthy), len(worse)) == (story.HEALTHY, story.WORSE)
    assert {verdict.status for verdict in healthy} == {"CALIBRATING", "OK"}
    assert not {verdict.evidence for verdict in healthy} & {"SUSPECTED", "CONFIRMED"}
    assert "COOKED" in {verdict.status for verdict in worse}
    assert worse[-1].evidence == "CONFIRMED"
    assert worse[-1].changed_on == worse[0].date


def test_two_files_answered_under_one_name(story: ModuleType) -> None:
    files = [str(day.record.embedded[story.MODEL]["sha256"]) for day in read_days(RECORDED)]
    assert len(set(files[: story.HEALTHY])) == len(set(files[story.HEALTHY :])) == 1
    assert files[0] != files[-1]
