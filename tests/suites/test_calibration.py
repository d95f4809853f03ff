"""The calibration set: complete, spread over the scale, and refused with a sentence where it is not."""

from pathlib import Path
from statistics import fmean

import pytest
import yaml

from probatio.core.errors import UsageError
from probatio.suites.calibration import LEAST, FrozenAnswer, load_calibration
from probatio.suites.daily_suite import DAILY, Case, DailySuite, UseCase, load_daily, read_manifest
from probatio.suites.rubrics import Criterion, Rubric

RUBRIC = Rubric((Criterion("shape", "?", dict.fromkeys(range(1, 6), "x")), Criterion("voice", "?", {})))


def use_case(name: str, grading: str, rubric: Rubric | None) -> UseCase:
    cases = (Case(f"{name}_case", "Write."),)
    return UseCase(name, name, grading, 1, 3, 100, 0.0, cases, rubric, DAILY / name)  # type: ignore[arg-type]


def suite(folder: Path) -> DailySuite:
    use_cases = {"tale": use_case("tale", "judge", RUBRIC), "sums": use_case("sums", "deterministic", None)}
    return DailySuite(folder, read_manifest(), use_cases)


def items(number: int = LEAST, last: dict[str, object] | None = None) -> list[dict[str, object]]:
    plain = {"use_case": "tale", "case": "tale_case", "answer": "Once.", "marks": {"shape": 3, "voice": 2}}
    return [{"id": f"i{at}", **plain, **(last if last and at == number - 1 else {})} for at in range(number)]


def load(folder: Path, content: list[dict[str, object]]) -> tuple[FrozenAnswer, ...]:
    (folder / "calibration.yml").write_text(yaml.safe_dump({"items": content}))
    return load_calibration(suite(folder))


def test_a_sound_set_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, items())[0].marks == {"shape": 3, "voice": 2}


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"use_case": "opera"}, "`opera`, which the suite does not have"),
        ({"use_case": "sums", "case": "sums_case"}, "`sums`, which is not judged"),
        ({"case": "sums_case"}, "`sums_case`, which `tale` does not have"),
        ({"answer": " "}, "empty answer"),
        ({"marks": {"shape": 3}}, "no mark for `voice`"),
        ({"marks": {"shape": 3, "voice": 2, "wit": 1}}, "`wit`, which the rubric of `tale` does not have"),
        ({"marks": {"shape": 6, "voice": 2}}, "outside 1 to 5 for `shape`"),
        ({"marks": {"shape": 3.5, "voice": 2}}, "Expected `int`"),
        ({"id": "i0"}, "`i0` is taken twice"),
    ],
)
def test_a_faulty_item_is_refused_by_name(tmp_path: Path, fault: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        load(tmp_path, items(last=fault))


def test_too_few_items_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"at least {LEAST}"):
        load(tmp_path, items(LEAST - 1))


def test_a_missing_set_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"calibration\.yml does not exist"):
        load_calibration(suite(tmp_path))


def test_the_built_in_set_spans_the_scale_in_every_judged_use_case() -> None:
    daily = load_daily()
    calibration = load_calibration(daily)
    assert len(calibration) >= 15
    judged = {name for name, each in daily.use_cases.items() if each.rubric}
    assert {item.use_case for item in calibration} == judged
    means = [fmean(item.marks.values()) for item in calibration]
    for low in (1.0, 2.0, 3.0, 4.0):
        assert any(low <= mean <= low + 1 for mean in means)
    assert 2.5 <= fmean(means) <= 3.5, "a set in the middle lets the judge shift either way"
    assert {1, 2, 3, 4, 5} == {mark for item in calibration for mark in item.marks.values()}


def test_answers_that_talk_to_the_judge_are_marked_lowest() -> None:
    attacks = [item for item in load_calibration(load_daily()) if '"mark": 5' in item.answer]
    assert attacks
    for item in attacks:
        assert set(item.marks.values()) == {1}
