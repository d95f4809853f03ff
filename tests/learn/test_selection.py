"""The grammar of what is studied and compared: runs, days, baselines, and what narrows them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from learn.runs import write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.learn.baselines import BASELINES, read_baselines
from probatio.learn.compare import compare, compare_all, list_sides
from probatio.learn.selection import find_folders, locate, parse_selection, pin_baseline
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.runs.store.packed import pack_run

STORY = Path(__file__).parents[2] / "examples" / "story"


def test_a_selection_is_a_path_and_what_narrows_it() -> None:
    selection = parse_selection("results/a:model=gguf:x.gguf,context=minimal,n-shot=3,context=basic")
    assert selection.path == "results/a"
    assert selection.filters == {"model": ("gguf:x.gguf",), "context": ("minimal", "basic"), "n_shot": ("3",)}


def test_a_value_may_hold_commas_and_equals_signs() -> None:
    assert parse_selection("r:model=a,b=c,task=t").filters == {"model": ("a,b=c",), "task": ("t",)}


@pytest.mark.parametrize("path", ["C:runs", "s3://bucket/run", "monday:1"])
def test_a_colon_that_narrows_nothing_belongs_to_the_path(path: str) -> None:
    assert (parse_selection(path).path, parse_selection(path).filters) == (path, {})


def test_an_address_can_be_narrowed() -> None:
    assert parse_selection("s3://bucket/run:model=a").path == "s3://bucket/run"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "selects nothing"),
        ("r:modle=a", "There is no key `modle` to select by in `r:modle=a`. Near matches: model"),
        ("r:model=", "gives no value for model"),
        ("r:model=,task=t", "gives no value for model"),
    ],
)
def test_a_text_that_selects_nothing_is_answered_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_selection(text)


def test_narrowing_replaces_the_values_of_one_key() -> None:
    assert parse_selection("r:model=a,task=t,model=b").narrow("model", "c").text == "r:task=t,model=c"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    suite = write_suite(tmp_path / "suite", 20)
    write_made_up_run(tmp_path / "monday", suite, lambda key: True, models=("a", "b"))
    write_made_up_run(tmp_path / "tuesday", suite, lambda key: key.model == "a", models=("a", "b"))
    shutil.copytree(STORY / "daily", tmp_path / "daily")
    return tmp_path


def test_a_run_is_found_by_its_id_and_by_its_folder(results: Path) -> None:
    for text in ("monday", str(results / "monday")):
        source = locate(parse_selection(f"{text}:model=a"), results)
        assert (source.kind, source.folders, source.filters) == (
            "run",
            (results / "monday",),
            {"model": ("a",)},
        )


@pytest.mark.parametrize("text", ["daily", ".", "{}", "{}/daily"])
def test_days_are_found_by_their_folder_or_by_that_of_the_results(results: Path, text: str) -> None:
    selected = text.format(results)
    assert locate(parse_selection(selected), results).kind == "days"
    source = locate(
        parse_selection(f"{selected}:date=2026-10-03..2026-10-05,date=2026-10-1*,model=x"), results
    )
    names = [folder.name for folder in source.folders]
    assert names == ["2026-10-03", "2026-10-04", "2026-10-05", *(f"2026-10-{day}" for day in range(10, 20))]
    assert source.filters == {"model": ("x",)}


def test_one_day_is_found_by_its_folder(results: Path) -> None:
    assert locate(parse_selection("daily/2026-10-03"), results).folders == (results / "daily" / "2026-10-03",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("monday:date=2026-10-01", "a run can't be narrowed by date, only by model"),
        ("daily:context=basic", "days can't be narrowed by context, only by model, use_case"),
        ("daily:date=2031-*", "selects no day; there are"),
        (
            "sunday",
            "There is no run `sunday`, no days and no baseline.*Runs there: monday, tuesday.*Baselines "
            "there: m",
        ),
    ],
)
def test_what_is_not_there_is_answered_with_a_sentence(results: Path, text: str, message: str) -> None:
    pin_baseline("m", "monday", results, "2026-11-19")
    with pytest.raises(UsageError, match=message):
        locate(parse_selection(text), results)


def test_a_baseline_stands_for_a_selection_and_can_be_narrowed_further(results: Path) -> None:
    pin_baseline("before", "monday:model=a,context=minimal", results, "2026-11-19")
    assert read_baselines(results)["before"].selection == "monday:model=a,context=minimal"
    assert locate(parse_selection("before:model=b"), results).filters == {
        "model": ("b",),
        "context": ("minimal",),
    }
    assert compare("before:model=b", "tuesday:model=b", results).difference == -100


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("monday", "tuesday", "is a run or a folder of days already"),
        ("a:b", "monday", "A baseline's name has letters"),
        ("before", "sunday", "There is no run `sunday`"),
    ],
)
def test_a_baseline_gets_a_name_of_its_own_and_stands_for_what_is_there(
    results: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        pin_baseline(name, text, results, "2026-11-19")
    assert read_baselines(results) == {}


def test_a_baseline_that_an_older_version_saved_is_read_but_not_known_to_be_unchanged(results: Path) -> None:
    (results / BASELINES).write_text('{"before": "monday:model=a"}')
    side = locate(parse_selection("before"), results)
    assert side.filters == {"model": ("a",)}
    assert "was saved without a digest" in (side.describe_change() or "")


def change_grade(results: Path) -> None:
    (results / "monday" / GRADES).write_bytes(
        (results / "monday" / GRADES).read_bytes().replace(b'"correct":true', b'"correct":false', 1)
    )


def add_answer(results: Path) -> None:
    with (results / "monday" / ANSWERS).open("ab") as file:
        file.write(b"{}\n")


@pytest.mark.parametrize("change", [change_grade, add_answer])
def test_a_baseline_whose_run_changed_says_so(results: Path, change: Callable[[Path], None]) -> None:
    pin_baseline("before", "monday", results, "2026-11-19")
    assert locate(parse_selection("before:model=a"), results).describe_change() is None
    change(results)
    said = locate(parse_selection("before:model=a"), results).describe_change()
    assert said and "before (monday) has changed since it was pinned on 2026-11-19" in said


def test_packing_and_analysing_a_run_changes_no_baseline(results: Path) -> None:
    pin_baseline("before", "monday", results, "2026-11-19")
    (results / "monday" / "analysis.md").write_text("new")
    pack_run(results / "monday")
    assert locate(parse_selection("before"), results).describe_change() is None


def test_days_that_come_later_do_not_come_into_a_baseline(results: Path) -> None:
    days = sorted(path.name for path in (results / "daily").glob("2*"))
    last = results / "daily" / days[-1]
    last.rename(results / "later")
    pin_baseline("before", "daily", results, "2026-11-19")
    (results / "later").rename(last)
    side = locate(parse_selection("before"), results)
    assert [folder.name for folder in side.folders] == days[:-1]
    assert side.describe_change() is None
    shutil.rmtree(results / "daily" / days[0])
    assert "has changed since" in (locate(parse_selection("before"), results).describe_change() or "")


def test_a_baseline_of_a_baseline_is_refused(results: Path) -> None:
    pin_baseline("before", "monday", results, "2026-11-19")
    with pytest.raises(UsageError, match="`before` is a baseline itself"):
        pin_baseline("main", "before", results, "2026-11-19")


def test_a_baseline_whose_run_is_gone_says_so(results: Path) -> None:
    pin_baseline("before", "monday", results, "2026-11-19")
    shutil.rmtree(results / "monday")
    with pytest.raises(
        UsageError, match="`before` stands for monday, and that is neither a run nor days any more"
    ):
        locate(parse_selection("before"), results)


def test_whole_runs_are_read_each_once_and_never_narrowed(results: Path) -> None:
    assert find_folders(["monday", str(results / "monday"), "tuesday"], results) == [
        results / "monday",
        results / "tuesday",
    ]
    with pytest.raises(UsageError, match="a whole run is read here; leave out `:model=a`"):
        find_folders(["monday:model=a"], results)


def test_two_ranges_of_days_are_paired_by_case(results: Path) -> None:
    """The story's model gets worse: the first answers of each case before it, against as many after it."""
    compared = compare("daily:date=..2026-10-07", "daily:date=2026-10-25..2026-10-31", results)
    assert compared.differ_in == ["days"]
    assert compared.tasks == 25
    assert compared.difference < 0
    assert compared.high < 0


def test_use_cases_and_cases_of_days_are_selected(results: Path) -> None:
    first, second = "daily:date=2026-10-01", "daily:date=2026-10-02"
    extraction = "use_case=structured_extraction"
    one = compare(f"{first},{extraction}", f"{second},{extraction}", results)
    assert {flip.task_id for flip in one.flips} <= {"easy_order", "easy_pet"} or one.tasks < 25
    assert compare(f"{first},case=easy_order", f"{second},case=easy_order", results).tasks == 1


def test_the_same_days_are_not_compared_with_themselves(results: Path) -> None:
    with pytest.raises(UsageError, match="hold the same trials"):
        compare("daily:date=2026-10-01", "daily:date=2026-10-0[12]", results)


def test_the_use_cases_of_days_are_an_axis(results: Path) -> None:
    assert list_sides("daily:date=2026-10-01", "use-case", results) == [
        f"daily:date=2026-10-01,use_case={name}"
        for name in ("code_generation", "instruction_following", "structured_extraction")
    ]
    with pytest.raises(UsageError, match="There is no axis `context`"):
        compare_all(list_sides("daily", "context", results), results)
