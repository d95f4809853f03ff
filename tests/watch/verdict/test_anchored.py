"""What the evidence reads of a recorded day: base samples, all samples where it asked for them, and no shift
of the judge."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from probatio.core.records import Calibration, Day
from probatio.suites.daily_suite import load_daily
from probatio.watch.day.samples import BASE, FULL, DaySamples
from probatio.watch.day.sampling import AdaptiveSampling
from probatio.watch.verdict.days import Days, find_judged_share
from probatio.watch.verdict.evidence.evidence import CONFIRMED, EvidenceDay, EvidenceOutcome
from probatio.watch.verdict.expectation import Expectation
from probatio.watch.verdict.fold import fold, fold_both
from probatio.watch.verdict.rule.baseline import rule_for
from probatio.watch.verdict.rule.sampling import EVIDENCE, FLAGGED
from watch.verdict.made_up import CONSTANTS, MANIFEST, day_at, line, made_up_day, steady

REFERENCE = CONSTANTS.evidence.reference_days


def read(days: list[Day]) -> list[tuple[EvidenceDay, EvidenceOutcome]]:
    series = Days(days)
    rule = rule_for(CONSTANTS.rule, series.columns.gradings)
    return [(bets, outcome) for _, bets, outcome, _ in fold_both(rule, series, CONSTANTS)]


def test_the_judges_shift_is_taken_off_what_it_gave() -> None:
    harsh = made_up_day(1, {"m": {"a": 90.0, "j": 85.0}}, calibration=Calibration(judge="judge", shift=-0.2))
    first, second = (bets for bets, _ in read([*steady(1, ["m"], ["a", "j"]), harsh]))
    assert first.judged.tolist() == [[90.0]]
    assert second.judged.tolist() == [[90.0]], "85 from a judge that marks 0.2 of 25 points lower"
    assert second.cases.tolist() == [[0.9] * 5], "what is checked by code has no judge"


def test_a_day_without_a_calibration_is_read_by_the_last_one() -> None:
    shifted = made_up_day(0, {"m": {"j": 85.0}}, calibration=Calibration(judge="judge", shift=0.1))
    unknown = made_up_day(1, {"m": {"j": 85.0}}, calibration=None)
    assert [bets.judged[0, 0] for bets, _ in read([shifted, unknown])] == [82.5, 82.5]


@pytest.mark.parametrize(
    ("parts", "share"),
    [
        ({"grading": "deterministic"}, 0.0),
        ({"grading": "judge"}, 1.0),
        ({"grading": "hybrid", "judged_share": 0.4}, 0.4),
        ({"grading": "hybrid", "checked": 60.0, "judged": 85.0}, 0.4),
    ],
)
def test_how_much_of_a_score_is_the_judges(parts: dict[str, object], share: float) -> None:
    assert find_judged_share(line("2026-01-01", "m", "a", 70.0, **parts)) == pytest.approx(share)


def test_a_harsher_judge_under_its_gate_confirms_nothing_and_a_worse_model_is_confirmed() -> None:
    rng = np.random.default_rng(1)

    def day(number: int, score: float, shift: float) -> Day:
        scores = {f"j{at}": score + float(rng.normal(0, 2)) for at in range(4)}
        return made_up_day(number, {"m": scores}, calibration=Calibration(judge="judge", shift=shift))

    quiet = [day(number, 85.0, float(rng.normal(0, 0.02))) for number in range(REFERENCE + 5)]
    later = range(REFERENCE + 5, REFERENCE + 12)
    harsh = [day(number, 80.0, -0.2) for number in later]
    worse = [day(number, 70.0, 0.0) for number in later]
    assert list(fold(Days([*quiet, *harsh]), CONSTANTS))[-1].evidence.status[0] != CONFIRMED
    assert list(fold(Days([*quiet, *worse]), CONSTANTS))[-1].evidence.status[0] == CONFIRMED


def noisy_days(fallen: int) -> list[Day]:
    rng = np.random.default_rng(2)
    use_cases = [f"a{at}" for at in range(5)]
    days = []
    for number in range(REFERENCE + fallen):
        mean = 90.0 if number < REFERENCE else 78.0
        scores = {use_case: mean + float(rng.normal(0, 1)) for use_case in use_cases}
        days.append(made_up_day(number, {"m": scores}))
    return days


def test_the_day_after_much_was_won_is_asked_at_full_count_for_the_evidences_sake() -> None:
    days = noisy_days(fallen=1)
    before = Expectation(Days(days[:-1]), CONSTANTS, (MANIFEST.version, "made up"), day_at(REFERENCE))
    assert before.trigger("m", "a0", "deterministic") is None
    today = Expectation(Days(days), CONSTANTS, (MANIFEST.version, "made up"), day_at(REFERENCE + 1))
    assert today.trigger("m", "a0", "deterministic") == EVIDENCE, "before the rule's own reason"


def test_a_smaller_form_has_no_more_samples_for_the_evidence_and_is_not_asked_twice() -> None:
    suite = load_daily()
    use_case = next(iter(suite.use_cases.values()))
    suite_of_days = (MANIFEST.version, "made up")
    today = Expectation(Days(noisy_days(1)), CONSTANTS, suite_of_days, day_at(REFERENCE + 1))
    asked = msgspec.structs.replace(use_case, id="a0")
    whole = AdaptiveSampling(today, DaySamples(suite), {}, barred=False)
    small = AdaptiveSampling(today, DaySamples(suite), {"m"}, barred=False)
    assert (whole.first_round("m", asked), small.first_round("m", asked)) == (FULL, BASE)
    assert (whole.triggers, small.triggers) == ({("m", "a0"): EVIDENCE}, {})


@pytest.mark.parametrize(("trigger", "judged"), [(EVIDENCE, 70.0), (FLAGGED, 60.0)])
def test_only_where_it_asked_for_them_the_evidence_reads_all_samples(trigger: str, judged: float) -> None:
    day = made_up_day(0, {"m": {"j": 70.0}}, {"base_score": 60.0, "trigger": trigger})
    [(bets, _)] = read([day])
    assert bets.judged[0, 0] == judged
    assert bets.full is not None and bool(bets.full[0]) == (trigger == EVIDENCE)


def test_lines_without_the_new_fields_are_read() -> None:
    old = msgspec.json.decode(msgspec.json.encode(line("2026-01-01", "m", "a", 70.0)))
    del old["judged_share"]
    assert msgspec.convert(old, type=type(line("2026-01-01", "m", "a", 70.0))).judged_share is None
