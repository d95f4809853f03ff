"""From graded samples to scores: what counts, what is left out, what is a gap and what is only a flag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatio.core.records import DailyScore, Model
from probatio.suites.daily_suite import Case, DailySuite, UseCase, read_manifest
from probatio.suites.rubrics import Rubric
from probatio.watch.day.samples import DaySamples, GradedLine, Sample, ServedLine
from probatio.watch.day.scoring import DayFacts, ModelFacts, find_route, score_base, score_model
from probatio.watch.verdict.rule.sampling import EVIDENCE, FLAGGED

DAY = DayFacts("2026-03-01", "2.0.0")
MODEL = Model(id="m", name="v/m")


def use_case(name: str, grading: str, samples: tuple[int, int], cases: int = 5) -> UseCase:
    return UseCase(
        id=name,
        title=name,
        grading=grading,  # type: ignore[arg-type]
        base_samples=samples[0],
        full_samples=samples[1],
        max_tokens=100,
        checked_weight={"deterministic": 1.0, "hybrid": 0.6, "judge": 0.0}[grading],
        cases=tuple(Case(f"{name}_{n}", "?", name) for n in range(cases)),
        rubric=Rubric(()),
        folder=Path(),
    )


MATH = use_case("math", "deterministic", (1, 3))
SUMMARY = use_case("summary", "hybrid", (3, 5))
STORY = use_case("story", "judge", (3, 5))
SUITE = DailySuite(Path(), read_manifest(), {each.id: each for each in (MATH, SUMMARY, STORY)})


def sample(
    case: str,
    score: float = 1.0,
    *,
    which: str = "base",
    number: int = 0,
    error: str | None = None,
    answered: bool = True,
    label: str | None = None,
    checked: float | None = None,
    judged: float | None = None,
    provider: str | None = ("A"),
    finish: str = "stop",
) -> Sample:
    if error:
        label = "api_error"
    served = ServedLine(
        case=case,
        model="m",
        round=which,
        sample=number,
        tokens_in=10,
        tokens_out=5,
        latency_ms=100.0 + number,
        finish_reason=finish,
        provider=None if error and not answered else provider,
        cost=0.001,
        error=None if answered else error,
    )
    graded = GradedLine(
        case=case,
        model="m",
        round=which,
        sample=number,
        level_a=answered,
        error_type=label,  # type: ignore[arg-type]
        error_detail=error,
        score=0.0 if error else score,
        breakdown={} if error else {"checked": checked, "judged": judged},
    )
    return Sample(served, graded)


def round_of(of: UseCase, score: float = 1.0, which: str = "base", **more: float) -> list[Sample]:
    count = of.base_samples if which == "base" else of.full_samples
    parts = {} if of.grading == "deterministic" else {"judged": score}
    if of.grading != "judge":
        parts["checked"] = score
    return [
        sample(case.id, score, which=which, number=n, **(parts | more))  # type: ignore[arg-type]
        for n in range(count)
        for case in of.cases
    ]


def scored(
    samples: list[Sample], day: DayFacts = DAY, facts: ModelFacts | None = None
) -> dict[str, DailyScore]:
    found = score_model(SUITE, list(SUITE.use_cases.values()), samples, day, facts or ModelFacts(MODEL))
    return {score.use_case: score for score in found}


def test_a_score_is_the_mean_over_cases_of_their_samples() -> None:
    samples = [sample(f"math_{n}", credit) for n, credit in enumerate((1.0, 0.5, 0.0, 1.0, 1.0))]
    score = scored(samples)["math"]
    assert (score.score, score.base_score, score.n, score.base_n) == (70.0, 70.0, 5, 5)
    assert score.cases == {"math_0": 1.0, "math_1": 0.5, "math_2": 0.0, "math_3": 1.0, "math_4": 1.0}


def test_the_re_run_counts_alone_and_the_base_score_stands_beside_it() -> None:
    samples = round_of(MATH, 0.2) + round_of(MATH, 0.8, "full")
    score = scored(samples, facts=ModelFacts(MODEL, {"math": "z −9"}))["math"]
    assert (score.score, score.base_score, score.n, score.base_n) == (80.0, 20.0, 15, 5)
    assert (score.full_power, score.trigger) == (True, "z −9")
    assert set(score.cases.values()) == {0.2}


def test_a_full_round_alone_has_its_first_samples_as_its_base() -> None:
    samples = [
        sample(f"math_{c}", 1.0 if n == 0 else 0.4, which="full", number=n)
        for n in range(3)
        for c in range(5)
    ]
    score = scored(samples, facts=ModelFacts(MODEL, {"math": "calibrating"}))["math"]
    assert (score.score, score.base_score, score.n, score.base_n) == (60.0, 100.0, 15, 5)
    assert set(score.cases.values()) == {1.0}


def test_errored_samples_are_left_out_and_never_count_as_zero() -> None:
    samples = [*round_of(MATH)[1:], sample("math_0", error="status 503", answered=False), *round_of(SUMMARY)]
    score = scored(samples)["math"]
    assert (score.score, score.n, score.errored) == (100.0, 4, 1)
    assert "math_0" not in score.cases


def test_one_fifth_errored_is_borne_and_one_more_is_a_gap_for_all_use_cases() -> None:
    def day(errored: int) -> dict[str, DailyScore]:
        samples = round_of(MATH) + round_of(SUMMARY) + round_of(STORY)
        assert len(samples) == 35
        broken = [
            sample(one.graded.case, number=one.graded.sample, error="503", answered=False) for one in samples
        ]
        return scored(samples[errored:] + broken[:errored])

    assert all(score.score is not None for score in (day(7)[name] for name in ("summary", "story")))
    gap = day(8)
    assert {score.score for score in gap.values()} == {None}
    assert all("8 of 35 samples errored" in str(score.gap) for score in gap.values())


def test_a_use_case_with_no_sample_left_is_a_gap_of_its_own() -> None:
    broken = [sample(case.id, error="503", answered=False) for case in MATH.cases]
    found = scored(broken + round_of(SUMMARY) + round_of(STORY))
    assert (found["math"].score, found["summary"].score) == (None, 100.0)
    assert "every sample errored" in str(found["math"].gap)


def test_a_judge_that_fails_costs_its_own_use_cases_and_not_the_models_day() -> None:
    failed = [
        sample(one.graded.case, number=one.graded.sample, error="judge: 503") for one in round_of(STORY)
    ]
    found = scored(round_of(MATH) + round_of(SUMMARY) + failed)
    assert (found["math"].score, found["summary"].score, found["story"].score) == (100.0, 100.0, None)
    assert "could not be graded" in str(found["story"].gap)
    assert found["story"].errored == 15


def test_without_a_judge_a_hybrid_keeps_its_checked_part_and_has_no_score() -> None:
    samples = [sample(case.id, 0.48, number=n, checked=0.8) for n in range(3) for case in SUMMARY.cases]
    found = scored(samples, DayFacts("2026-03-01", "2.0.0", no_judge="the key is not set"))
    assert (found["summary"].score, found["summary"].checked, found["summary"].judged) == (None, 80.0, None)
    assert found["summary"].cases == {}
    assert found["summary"].gap == found["story"].gap == "no judge: the key is not set"


def test_both_parts_of_a_hybrid_score_are_kept() -> None:
    samples = [
        sample(case.id, 0.6, number=n, checked=0.5, judged=0.75) for n in range(3) for case in SUMMARY.cases
    ]
    score = scored(samples)["summary"]
    assert (score.score, score.checked, score.judged) == (60.0, 50.0, 75.0)


def test_refusals_and_truncations_are_answers_and_counted() -> None:
    samples = [
        sample("math_0", 0.0, label="refusal"),
        sample("math_1", 0.5, label="truncated", finish="length"),
        *round_of(MATH)[2:],
    ]
    score = scored(samples)["math"]
    assert (score.score, score.refused, score.truncated, score.errored) == (70.0, 1, 1, 0)


def test_a_barred_day_marks_judged_and_hybrid_scores_only() -> None:
    found = scored(
        round_of(MATH) + round_of(SUMMARY) + round_of(STORY), DayFacts("2026-03-01", "2.0.0", barred=True)
    )
    assert [found[name].barred for name in ("math", "summary", "story")] == [False, True, True]
    assert found["story"].score == 100.0


def test_a_model_that_could_not_be_asked_to_the_end_is_a_gap_with_the_reason() -> None:
    score = scored(round_of(MATH)[:2], facts=ModelFacts(MODEL, refused="m: the key was refused (401)."))[
        "math"
    ]
    assert (score.score, score.gap) == (None, "m: the key was refused (401).")


def test_the_last_grade_of_a_sample_counts() -> None:
    one = sample("math_0", 0.0)
    later = sample("math_0", 1.0).graded
    samples = DaySamples(SUITE)
    samples.add_answer(one.served)
    for grade in (one.graded, later):
        samples.add_grade(grade)
    assert samples.of_model("m") == [Sample(one.served, later)]


@pytest.mark.parametrize(
    ("providers", "pinned", "usual", "changed"),
    [
        ({"DeepInfra": 50}, ("deepinfra/fp8",), None, False),
        ({"Google": 50}, ("google-vertex",), None, False),
        ({"DeepInfra": 49, "Together": 1}, ("deepinfra",), "Together", True),
        ({"Together": 50}, ("deepinfra", "together"), None, False),
        ({"Azure": 50}, (), "OpenAI", True),
        ({"OpenAI": 50}, (), "OpenAI", False),
        ({"OpenAI": 50}, (), None, False),
        ({"OpenAI": 49, "Azure": 1}, (), None, True),
        ({}, ("openai",), "OpenAI", False),
    ],
)
def test_routing_changed_means_another_than_the_pinned_or_usual_provider(
    providers: dict[str, int], pinned: tuple[str, ...], usual: str | None, changed: bool
) -> None:
    assert find_route(Counter(providers), pinned, usual, 0.2).changed is changed


@pytest.mark.parametrize(
    ("providers", "pinned", "usual", "route", "mixed", "at_home"),
    [
        ({"A": 19, "B": 1}, (), "A", "A", False, True),  # a stray is left out, and the day is A's
        ({"A": 8, "B": 2}, (), "A", "A", False, True),  # up to a fifth
        ({"A": 79, "B": 21}, (), "A", "A", True, True),  # beyond that the day is nobody's
        ({"A": 1, "B": 19}, (), "A", "B", False, False),  # another route, with a stray of the old one
        ({"A": 5, "B": 5}, ("a", "b"), None, "A", False, True),  # pinned to both
        ({"A": 5, "B": 4, "C": 1}, ("a", "b"), None, "A", False, True),
        ({"A": 30, "B": 30, "C": 40}, ("a", "b"), None, "A", True, True),
        ({}, (), "A", None, False, True),
    ],
)
def test_the_route_of_a_day_is_the_provider_of_most_samples(
    providers: dict[str, int],
    pinned: tuple[str, ...],
    usual: str | None,
    route: str | None,
    mixed: bool,
    at_home: bool,
) -> None:
    found = find_route(Counter(providers), pinned, usual, 0.2)
    assert (found.name, found.mixed, found.usual) == (route, mixed, at_home)


def test_a_stray_sample_is_left_out_and_flagged() -> None:
    one, *others = round_of(MATH, 0.5) + round_of(SUMMARY)
    stray = sample(one.graded.case, 0.0, provider="Elsewhere")
    found = scored([stray, *others], facts=ModelFacts(MODEL, usual_route="A"))
    score = found["math"]
    assert (score.score, score.n, score.strays, score.errored) == (50.0, 4, 1, 0)
    assert (score.route, score.routing_changed, score.stray_only, score.mixed) == ("A", True, True, False)
    assert stray.graded.case not in score.cases
    assert score.providers == {"A": 4, "Elsewhere": 1}


def test_a_day_of_two_providers_is_mixed_and_scored_whole() -> None:
    samples = [sample(case.id, 0.5, provider="AB"[n % 2]) for n, case in enumerate(MATH.cases)]
    score = scored(samples, facts=ModelFacts(MODEL, usual_route="A"))["math"]
    assert (score.mixed, score.n, score.strays, score.stray_only) == (True, 5, 0, False)


LARGE = use_case("large", "deterministic", (1, 3), cases=10)
USUAL = {f"large_{n}": 1.0 if n < 8 else 0.0 for n in range(10)}


def _large(samples: list[Sample], **facts: Any) -> DailyScore:
    suite = DailySuite(Path(), read_manifest(), {"large": LARGE})
    known = ModelFacts(MODEL, usual_cases={"large": USUAL}, **facts)
    return score_model(suite, [LARGE], samples, DAY, known)[0]


def _as_usual(numbers: Iterable[int], which: str = "base") -> list[Sample]:
    return [sample(f"large_{n}", USUAL[f"large_{n}"], which=which) for n in numbers]


def _errored(numbers: Iterable[int], which: str = "base", number: int = 0) -> list[Sample]:
    return [sample(f"large_{n}", error="503", answered=False, which=which, number=number) for n in numbers]


def test_a_missing_case_counts_with_its_own_usual_mean_so_an_outage_moves_no_score() -> None:
    for lost in (range(2), range(8, 10)):  # two easy ones, two hard ones
        kept = [n for n in range(10) if n not in lost]
        score = _large(_as_usual(kept) + _errored(lost))
        assert (score.score, score.base_score, score.n) == (80.0, 80.0, 8)
        assert score.filled == tuple(f"large_{n}" for n in lost)
        assert set(score.cases) == {
            f"large_{n}" for n in kept
        }  # the evidence bets on what was answered alone
        graded = [each.graded for each in _as_usual(kept)]
        assert score_base(LARGE, graded, USUAL) == 80.0


def test_more_than_a_fifth_of_the_cases_missing_is_a_gap() -> None:
    found = score_model(
        DailySuite(Path(), read_manifest(), {"large": LARGE, "math": MATH}),
        [LARGE, MATH],
        _as_usual(range(7)) + _errored(range(7, 10)) + round_of(MATH),
        DAY,
        ModelFacts(MODEL, usual_cases={"large": USUAL}),
    )
    assert [line.score for line in found] == [None, 100.0]
    assert "3 of 10 cases have no score, more than 20%" in str(found[0].gap)


def test_a_re_run_that_failed_leaves_the_day_its_base_score_and_is_no_full_power() -> None:
    """20 of 21 errored re-runs made a COOKED of one sample."""
    base = round_of(MATH, 0.4)
    fresh = [sample(f"math_{c}", 0.0, which="full", number=n) for n in range(3) for c in range(5)]
    for errors, power in ((3, True), (4, False)):
        failed = [
            sample(one.graded.case, which="full", number=one.graded.sample, error="503", answered=True)
            for one in fresh
        ]
        samples = base + failed[:errors] + fresh[errors:] + round_of(SUMMARY) + round_of(STORY)
        score = scored(samples, facts=ModelFacts(MODEL, {"math": "z −9"}))["math"]
        assert score.full_power is power
        assert score.score == (0.0 if power else 40.0)
        assert score.base_score == 40.0


def test_answers_cut_below_our_own_limit_are_counted_and_the_score_without_them_is_kept() -> None:
    def cut(case: str, written: int) -> Sample:
        one = sample(case, 0.0, finish="length")
        return Sample(msgspec.structs.replace(one.served, tokens_out=written), one.graded)

    below = [cut(f"large_{n}", 60) for n in range(2)]  # the use case's limit is 100
    score = _large(below + _as_usual(range(2, 10)))
    assert (score.score, score.cut, score.uncut_score, score.truncated) == (60.0, 2, 80.0, 2)
    rambling = [cut(f"large_{n}", 100) for n in range(2)]
    score = _large(rambling + _as_usual(range(2, 10)))
    assert (score.score, score.cut, score.uncut_score, score.truncated) == (60.0, 0, None, 2)
    unknown = _large([cut("large_0", 0), *_as_usual(range(1, 10))])  # a server that counts nothing
    assert unknown.cut == 0


def test_where_the_evidence_asked_for_more_its_cases_are_means_of_all_samples() -> None:
    samples = [
        sample(f"math_{case}", float(number > 0 or case > 0), which="full", number=number)
        for number in range(3)
        for case in range(5)
    ]
    asked = ModelFacts(MODEL, {"math": EVIDENCE})
    assert scored(samples, facts=asked)["math"].cases["math_0"] == pytest.approx(2 / 3, abs=1e-6)
    flagged = ModelFacts(MODEL, {"math": FLAGGED})
    assert scored(samples, facts=flagged)["math"].cases["math_0"] == 0.0, "base samples only"


def test_a_hybrid_score_says_how_much_of_it_is_the_judges() -> None:
    lines = scored([*round_of(MATH), *round_of(SUMMARY), *round_of(STORY)])
    assert [lines[name].judged_share for name in ("math", "summary", "story")] == [None, 0.4, None]


LADDERS = msgspec.structs.replace(
    MATH, cases=tuple(msgspec.structs.replace(case, rungs=14) for case in MATH.cases)
)


def said(text: str | None, each: Sample) -> Sample:
    """The same sample with this text as its answer."""
    served = ServedLine(case=each.served.case, model="m", round=each.served.round, response=text)
    return Sample(msgspec.structs.replace(each.served, answer=served.answer), each.graded)


def test_each_base_sample_is_known_by_the_digest_of_its_text_and_its_score() -> None:
    samples = [
        said(text, sample(case.id, score, number=number, checked=score, judged=score))
        for case in SUMMARY.cases
        for number, (text, score) in enumerate([("Yes.", 0.5), (" Yes.\n", 0.75), ("No.", 0.25)])
    ]
    samples += [
        said("later", sample(case.id, 1.0, which="full", number=number, checked=1.0, judged=1.0))
        for case in SUMMARY.cases
        for number in range(5)
    ]
    (line,) = score_model(SUITE, [SUMMARY], samples, DAY, ModelFacts(MODEL))
    (first, _), (second, _), (third, _) = line.answers["summary_0"]
    assert [score for _, score in line.answers["summary_0"]] == [0.5, 0.75, 0.25]
    assert first == second != third and len(first) == 12


def test_an_answer_without_a_text_has_no_digest() -> None:
    samples = [said(None, sample(case.id)) for case in MATH.cases]
    (line,) = score_model(SUITE, [MATH], samples, DAY, ModelFacts(MODEL))
    assert line.answers == {case.id: (("", 1.0),) for case in MATH.cases}


@pytest.mark.parametrize(("which", "further", "other"), [(LADDERS, 10, 5), (MATH, 0, 0)])
def test_further_samples_are_counted_where_a_case_has_many_possible_answers(
    which: UseCase, further: int, other: int
) -> None:
    """The second of two further samples of a ladder reaches another rung. A yes/no answer that comes again
    tells nothing of freezing."""
    samples = [
        said("x", sample(case.id, score, which="full", number=number))
        for case in which.cases
        for number, score in enumerate((1.0, 1.0, 0.5))
    ]
    facts = ModelFacts(MODEL, {"math": EVIDENCE})
    (line,) = score_model(SUITE, [which], samples, DAY, facts)
    assert (line.further, line.further_other) == (further, other)
    assert line.answers["math_0"] == ((said("x", sample("math_0")).served.answer, 1.0),)
    assert line.cases["math_0"] == pytest.approx(2.5 / 3, abs=1e-6)
