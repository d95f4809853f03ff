"""docs/story.md: its table is what the ledger of the recorded days says, and the ledger is what the days give."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from probatio.audit.verify import verify
from probatio.ledger.ledger import read_ledger, standing_records
from probatio.store.days import read_days
from scripts import script

pytestmark = pytest.mark.slow  # all days of the story are verified

REPOSITORY = Path(__file__).parent.parent
RECORDED = REPOSITORY / "results" / "story"
PAGE = REPOSITORY / "docs" / "story.md"


@pytest.fixture(scope="module")
def story() -> ModuleType:
    return script("story")


def test_the_page_tells_what_the_ledger_says(story: ModuleType) -> None:
    table = PAGE.read_text(encoding="utf-8").partition(story.BEGIN)[2].partition(story.END)[0].strip()
    assert table == story.table(story.daily_rows(RECORDED)), (
        "run `python config/story.py tell results/story docs/story.md`"
    )


def test_the_recorded_days_give_the_verdicts_of_the_ledger() -> None:
    report = verify(RECORDED, grades=False)
    assert report.findings == []
    assert report.verdicts == report.days


def test_the_healthy_days_raise_no_alarm_and_the_worse_copy_is_cooked_and_confirmed(story: ModuleType) -> None:
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
