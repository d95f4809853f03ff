"""Attribution, before blaming the model: every row of the table, and what keeps a row from applying."""

from __future__ import annotations

from typing import Any

import pytest

from probatio.core.records import Calibration, Day, ModelVerdict
from probatio.watch.verdict.cause.attribution import at_least
from probatio.watch.verdict.cause.symptoms import measure_jump
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, line, made_up_day, record, steady

USE_CASES = ["a", "b", "j1", "j2"]
FLEET = ["openai/x", "openai/y", "mistral/z", "qwen/w"]


def _verdict(days: list[Day], model: str = "openai/x", **more: Any) -> ModelVerdict:
    return next(
        each for each in verdicts(Days(days), CONSTANTS, dates={days[-1].date}, **more) if each.model == model
    )


def _after_steady(scores: dict[str, dict[str, float | None]], **of_day: Any) -> list[Day]:
    return [*steady(20, list(scores), list(next(iter(scores.values())))), made_up_day(20, scores, **of_day)]


def _scores(models: list[str], low: dict[str, float]) -> dict[str, dict[str, float | None]]:
    return {model: {use_case: low.get(use_case, 90.0) for use_case in USE_CASES} for model in models}


def test_nothing_moved_needs_no_cause() -> None:
    verdict = _verdict(_after_steady(_scores(["openai/x"], {})))
    assert (verdict.status, verdict.cause) == ("OK", None)


def test_what_nothing_else_explains_is_the_model() -> None:
    verdict = _verdict(_after_steady(_scores(["openai/x"], {"a": 50.0})))
    assert verdict.cause == "MODEL"


def test_a_judge_beyond_its_gate_holds_judged_use_cases_and_is_the_cause_of_what_they_said() -> None:
    days = _after_steady(_scores(["openai/x"], {"j1": 50.0}))
    shifted = Calibration(judge="judge", shift=-0.5, barred=True)
    days.append(made_up_day(21, _scores(["openai/x"], {"j1": 50.0}), {"barred": True}, calibration=shifted))
    verdict = _verdict(days)
    assert verdict.cause == "JUDGE"
    assert "−0.50" in (verdict.cause_reason or "") or "-0.50" in (verdict.cause_reason or "")
    assert next(each for each in verdict.use_cases if each.use_case == "j1").held == "barred"


def test_a_shifted_judge_does_not_excuse_deterministic_use_cases() -> None:
    shifted = Calibration(judge="judge", shift=-0.5, barred=True)
    days = [*_after_steady(_scores(["openai/x"], {"j1": 50.0}))]
    days.append(
        made_up_day(21, _scores(["openai/x"], {"a": 50.0, "j1": 50.0}), {"barred": True}, calibration=shifted)
    )
    assert _verdict(days).cause == "MODEL"


def test_a_judge_that_drifts_below_the_gate_bars_judged_use_cases_as_well() -> None:
    quiet = [made_up_day(n, _scores(["openai/x"], {})) for n in range(28)]
    drift = Calibration(judge="judge", shift=-0.2)
    drifted = [made_up_day(28 + n, _scores(["openai/x"], {}), calibration=drift) for n in range(8)]
    last = made_up_day(36, _scores(["openai/x"], {"j1": 40.0, "j2": 40.0}), calibration=drift)
    verdict = _verdict([*quiet, *drifted, last])
    assert verdict.status == "OK"
    assert verdict.barred
    only_checked = [made_up_day(36, {"openai/x": {"a": 90.0}}, calibration=drift)]
    assert not _verdict(
        [*quiet, *drifted, *only_checked]
    ).barred  # who has no judged score has none that is barred
    assert {each.held for each in verdict.use_cases if each.use_case.startswith("j")} == {"barred"}


def test_a_fleet_that_falls_in_judged_use_cases_alone_is_the_judge() -> None:
    verdict = _verdict(_after_steady(_scores(FLEET, {"j1": 50.0})))
    assert verdict.cause == "JUDGE"
    assert "4 of 4 models fell in judged use cases" in (verdict.cause_reason or "")


@pytest.mark.parametrize("low", [{"a": 50.0}, {"a": 50.0, "j1": 50.0}])
def test_a_fleet_that_falls_in_deterministic_use_cases_is_the_harness(low: dict[str, float]) -> None:
    verdict = _verdict(_after_steady(_scores(FLEET, low)))
    assert verdict.cause == "HARNESS"
    assert "either something on our side changed, or each of them did" in (verdict.cause_reason or "")


@pytest.mark.parametrize(
    ("fallen", "cause"),
    [
        (["openai/x", "mistral/z"], "MODEL"),  # two models
        (["openai/x", "openai/y", "mistral/z"], "HARNESS"),  # three of two vendors
        (["openai/x", "openai/y", "openai/v"], "MODEL"),  # three of one: that vendor's doing
    ],
)
def test_a_fleet_is_three_models_of_two_vendors(fallen: list[str], cause: str) -> None:
    everyone = [*FLEET, "openai/v"]
    scores = {model: _scores([model], {"a": 50.0} if model in fallen else {})[model] for model in everyone}
    assert _verdict(_after_steady(scores)).cause == cause


def test_models_that_fell_on_other_days_are_no_fleet() -> None:
    days = steady(20, FLEET, USE_CASES)
    for number, low in enumerate(FLEET):
        scores = {model: _scores([model], {"a": 50.0} if model == low else {})[model] for model in FLEET}
        days.append(made_up_day(20 + number, scores))
    assert _verdict(days, FLEET[-1]).cause == "MODEL"


@pytest.mark.parametrize(
    ("restless", "low", "cause"),
    [(50.0, 50.0, "MODEL"), (20.0, 20.0, "MODEL"), (50.0, 20.0, "HARNESS"), (90.0, 20.0, "HARNESS")],
)
def test_where_models_fall_every_third_day_three_together_are_chance_unless_they_fall_deeper(
    restless: float, low: float, cause: str
) -> None:
    days = []
    for number in range(41):
        turn = {model: (number + place) % 3 == 0 for place, model in enumerate(FLEET)}
        days.append(
            made_up_day(
                number, {model: {"a": restless if turn[model] else 90.0, "b": 90.0} for model in FLEET}
            )
        )
    together = {model: {"a": 90.0 if model == "mistral/z" else low, "b": 90.0} for model in FLEET}
    assert _verdict([*days, made_up_day(41, together)]).cause == cause


def test_the_cause_of_an_episode_is_sought_on_the_day_it_began() -> None:
    days = _after_steady(_scores(FLEET, {"a": 50.0}))
    days.append(made_up_day(21, _scores(FLEET, {"a": 40.0})))
    verdict = _verdict(days)
    assert verdict.cause == "HARNESS"
    assert days[20].date in (verdict.cause_reason or "")


def test_frozen_answers_that_grade_otherwise_are_the_grader() -> None:
    days = _after_steady(_scores(["openai/x"], {"a": 50.0}))
    assert _verdict(days, regraded={"a": 3}).cause == "GRADER"
    assert (
        _verdict(days, regraded={"b": 3}).cause == "MODEL"
    )  # another use case's grader explains nothing here


@pytest.mark.parametrize(
    "changed",
    [{"providers": {"Elsewhere": 5}}, {"resolved_models": {"x-2027": 5}}, {"fingerprints": {"fp_2": 5}}],
)
@pytest.mark.parametrize(("before", "cause"), [(0, "ROUTE"), (3, "ROUTE"), (4, "MODEL")])
def test_a_change_of_who_serves_in_the_three_days_before_is_the_route(
    changed: dict[str, Any], before: int, cause: str
) -> None:
    days = []
    for number in range(21):
        more = changed if number >= 20 - before else {}
        days.append(made_up_day(number, _scores(["openai/x"], {"a": 50.0} if number == 20 else {}), more))
    assert _verdict(days).cause == cause


def test_a_change_for_a_single_day_three_days_before_is_one_too() -> None:
    days = [
        made_up_day(
            number,
            _scores(["openai/x"], {"a": 50.0} if number == 20 else {}),
            {"fingerprints": {"fp_2" if number == 17 else "fp_1": 5}},
        )
        for number in range(21)
    ]
    assert _verdict(days).cause == "ROUTE"


def test_a_fingerprint_that_was_seen_before_explains_nothing() -> None:
    days = [
        made_up_day(
            number,
            _scores(["openai/x"], {"a": 50.0} if number == 20 else {}),
            {"fingerprints": {f"fp_{number % 2}": 5}},
        )
        for number in range(21)
    ]
    assert _verdict(days).cause == "MODEL"


@pytest.mark.parametrize(
    ("jump", "told"),
    [
        ({"errored": 1, "n": 4, "base_n": 4}, "20 % of its samples errored"),
        ({"truncated": 1}, "20 % of its answers ran into our own limit on 2026-01-21, usually 0 %"),
        ({"latency_ms": 2000.0}, "it took 2.0 times as long"),
        ({"latency_ms": 1900.0}, None),
        ({"latency_ms": 500.0}, "it took 0.5 times as long"),
        ({"tokens_out": 750}, "its answers were 1.5 times as long"),
        ({"tokens_out": 740}, None),
        ({"tokens_out": 333}, "its answers were 0.7 times as long"),
        ({"tokens_out": 1500, "tokens_in": 3000}, None),  # a day at full count reads and writes more
        ({"strays": 2}, "2 samples came from another provider"),
    ],
)
def test_errors_truncations_latency_and_length_are_symptoms_and_never_a_cause(
    jump: dict[str, Any], told: str | None
) -> None:
    days = steady(20, ["openai/x"], ["a", "b"])
    lines = (line(day := "2026-01-21", "openai/x", "a", 50.0, **jump), line(day, "openai/x", "b", 90.0))
    days.append(Day(record(day, ["openai/x"]), lines))
    verdict = _verdict(days)
    assert verdict.cause == "MODEL"
    assert [each.startswith(told or "") for each in verdict.symptoms] == ([True] if told else [])


@pytest.mark.parametrize(
    ("usual", "now", "of_day", "told"),
    [
        ("03", {"15": 4, "16": 1}, {}, True),
        ("23", {"01": 5}, {}, False),  # two hours apart, across midnight
        ("03", {"15": 5}, {"replayed": True}, False),  # its date was set, so its hour says nothing
        ("03", {}, {}, False),  # recorded before hours were
        ("03", {"no hour": 5}, {}, False),  # a stranger's file
    ],
)
def test_an_hour_far_from_those_of_all_days_before_is_told_where_a_fall_is_explained(
    usual: str, now: dict[str, int], of_day: dict[str, Any], told: bool
) -> None:
    past = [
        made_up_day(number, _scores(["openai/x"], {}), {"hours": {usual: 5}}, **of_day)
        for number in range(20)
    ]
    verdict = _verdict([*past, made_up_day(20, _scores(["openai/x"], {"a": 50.0}), {"hours": now}, **of_day)])
    assert verdict.cause == "MODEL"
    clause = "it was asked at about 03:00 UTC until 2026-01-20, at about 15:00 on 2026-01-21"
    assert verdict.symptoms == ((clause,) if told else ())


def test_another_file_behind_an_embedded_models_name_is_a_symptom_and_not_a_route() -> None:
    def day(number: int, low: dict[str, float], file: str) -> Day:
        more = {"resolved_models": {f"{file}.gguf": 5}}
        return made_up_day(
            number, _scores(["openai/x"], low), more, embedded={"openai/x": {"sha256": file * 16}}
        )

    verdict = _verdict([*(day(number, {}, "good") for number in range(20)), day(20, {"a": 50.0}, "worse")])
    assert verdict.cause == "MODEL"
    assert verdict.symptoms == (
        "another file answers under its name since 2026-01-21 (goodgoodgood… before, worseworsewo… now)",
    )


@pytest.mark.parametrize(
    ("uncut", "cause"),
    [
        ({"a": 90.0, "b": 90.0}, "INFRA"),  # without the cut answers nothing fell
        ({"a": 90.0, "b": 60.0}, "MODEL"),  # one use case would have fallen all the same
        ({"a": 86.1, "b": 90.0}, "INFRA"),
        ({"a": 86.0, "b": 90.0}, "MODEL"),  # z of exactly −2
    ],
)
def test_answers_cut_below_our_limit_are_the_cause_only_if_without_them_nothing_fell(
    uncut: dict[str, float], cause: str
) -> None:
    days = steady(20, ["openai/x"], ["a", "b", "j1"])
    for number in (20, 21):
        day = f"2026-01-{number + 1}"
        lines = [line(day, "openai/x", each, 50.0, cut=2, uncut_score=uncut[each]) for each in ("a", "b")]
        days.append(
            Day(record(day, ["openai/x"]), (*lines, line(day, "openai/x", "j1", 90.0, grading="judge")))
        )
        assert _verdict(days).cause == cause


def test_a_model_that_falls_further_while_its_answers_are_cut_is_blamed_again() -> None:
    days = steady(20, ["openai/x"], ["a", "b"])
    for number, uncut in ((20, 90.0), (21, 55.0)):
        day = f"2026-01-{number + 1}"
        lines = [line(day, "openai/x", each, 50.0, cut=2, uncut_score=uncut) for each in ("a", "b")]
        days.append(Day(record(day, ["openai/x"]), tuple(lines)))
    assert [_verdict(days[:21]).cause, _verdict(days).cause] == ["INFRA", "MODEL"]


@pytest.mark.parametrize(
    ("hosts", "cause"),
    [
        ({"openai/x": "P", "openai/y": "P", "mistral/z": "P", "qwen/w": "Q"}, "ROUTE"),
        (
            {"openai/x": "P", "openai/y": "P", "mistral/z": "Q", "qwen/w": "Q"},
            "HARNESS",
        ),  # two providers' models fell
        (dict.fromkeys(FLEET, "P"), "HARNESS"),  # nobody else to compare with
    ],
)
def test_a_fleet_behind_one_provider_is_the_route_where_others_are_not_touched(
    hosts: dict[str, str], cause: str
) -> None:
    days = []
    for number in range(21):
        lines = [
            line(
                f"2026-01-{number + 1:02}",
                model,
                use_case,
                _low(model, number),
                providers={host: 5},
                route=host,
            )
            for model, host in hosts.items()
            for use_case in ("a", "b")
        ]
        days.append(Day(record(f"2026-01-{number + 1:02}", list(hosts)), tuple(lines)))
    assert _verdict(days).cause == cause


def _low(model: str, number: int) -> float:
    return 50.0 if number == 20 and model != "qwen/w" else 90.0


def test_a_jump_is_far_outside_the_usual_scatter_too() -> None:
    wild = [100.0, 400.0, 900.0, 200.0, 700.0, 1000.0, 300.0]
    assert measure_jump(1000.0, wild, 2.0, 6.0) is None
    assert measure_jump(1000.0, [400.0] * 7, 2.0, 6.0) == 2.5
    assert (
        measure_jump(1000.0, [400.0] * 6 + [9000.0], 2.0, 6.0) == 2.5
    )  # one bad day in the past hides nothing


def test_the_chance_of_falling_together_is_the_binomial_tail() -> None:
    assert at_least(0, 5, 0.3) == pytest.approx(1)
    assert at_least(3, 3, 0.1) == pytest.approx(0.001)
    assert at_least(2, 3, 0.5) == pytest.approx(0.5)
