"""Alerts: which days are worth a message. A row of days goes in, the messages come out, each beside its
day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.core.records import ModelVerdict, RouteChange, UseCaseVerdict
from probatio.watch.alerts.episodes import AlertMessage, AlertRule, LayerStates, find_due
from probatio.watch.alerts.episodes import LayerState as State
from probatio.watch.verdict.headline import add_headline

RULE_WORDS = {"O": "OK", "S": "SUSPICIOUS", "C": "COOKED", "c": "CALIBRATING", "g": "GAP"}
EVIDENCE_WORDS = {"q": "QUIET", "s": "SUSPECTED", "C": "CONFIRMED", "r": "RECOVERED", "c": "CALIBRATING"}
FIRST = date(2026, 3, 1)
EVERYTHING = AlertRule(severities=("suspicious", "suspected"))


def verdict(
    number: int, status: str, evidence: str = "CALIBRATING", model: str = "m", **more: Any
) -> ModelVerdict:
    held = more.pop("held", (None, None))
    day = (FIRST + timedelta(days=number)).isoformat()
    use_cases = tuple(
        UseCaseVerdict(use_case=f"u{at}", status="OK", score=None if status == "GAP" else 90.0, held=why)
        for at, why in enumerate(held)
    )
    made = ModelVerdict(
        date=day,
        model=model,
        status=status,  # type: ignore[arg-type]
        evidence=evidence,  # type: ignore[arg-type]
        use_cases=use_cases,
        reason=f"reason of {day}.",
        **more,
    )
    return add_headline(made)


def messages_of(days: list[ModelVerdict], rule: AlertRule = EVERYTHING) -> list[tuple[int, str]]:
    """(day, title without the model) of every message that the days call for, one after the other."""
    states: LayerStates = {}
    titles = []
    for day in days:
        states, messages = find_due(rule, states, [day], {})
        titles += [
            ((date.fromisoformat(each.date) - FIRST).days, each.title.partition(": ")[2]) for each in messages
        ]
    return titles


def ruled(statuses: str, **rule: Any) -> list[tuple[int, str]]:
    """The same for a row of the rule's statuses: O, S, C, c(alibrating), g(ap), h(eld at what was before)."""
    days, last = [], "OK"
    for number, letter in enumerate(statuses):
        if letter == "h":
            days.append(verdict(number, last, held=("routing", "routing")))
        else:
            last = RULE_WORDS[letter]
            days.append(verdict(number, last))
    return messages_of(days, AlertRule(**{"severities": ("suspicious",), **rule}))


def days_of(messages: list[tuple[int, str]]) -> list[int]:
    return [day for day, _ in messages]


@pytest.mark.parametrize(
    ("statuses", "messages"),
    [
        ("OOOO", []),
        ("OSSS", [(1, "SUSPICIOUS")]),
        ("OSO", [(1, "SUSPICIOUS"), (2, "OK again, SUSPICIOUS since 2026-03-02")]),
        ("OSSCCO", [(1, "SUSPICIOUS"), (3, "COOKED"), (5, "OK again, COOKED since 2026-03-02")]),
        ("OCSCO", [(1, "COOKED"), (4, "OK again, COOKED since 2026-03-02")]),
        (
            "OSOSO",
            [
                (1, "SUSPICIOUS"), (2, "OK again, SUSPICIOUS since 2026-03-02"),
                (3, "SUSPICIOUS"), (4, "OK again, SUSPICIOUS since 2026-03-04"),
            ],
        ),
        ("S", [(0, "SUSPICIOUS")]),
    ],
)  # fmt: skip
def test_one_message_per_severity_of_an_episode_and_one_at_its_end(
    statuses: str, messages: list[tuple[int, str]]
) -> None:
    assert ruled(statuses) == messages


def test_a_message_of_one_model_and_one_of_several_carry_the_head() -> None:
    alone = [verdict(0, "COOKED", cause="MODEL")]
    together = [
        verdict(0, "COOKED", model=name, cause="HARNESS", cause_reason="all fell") for name in ("m", "n")
    ]
    for verdicts in (alone, together):
        _, (message,) = find_due(EVERYTHING, {}, verdicts, {"m": "https://x.example/m/"}, "d14a2872f5a3")
        assert "\nHead of the ledger: d14a2872f5a3" in message.body


@pytest.mark.parametrize("quiet", ["g", "h", "gg", "gh"])
def test_a_gap_or_a_held_day_neither_starts_nor_ends_an_episode(quiet: str) -> None:
    assert ruled(f"O{quiet}O") == []
    assert days_of(ruled(f"OS{quiet}S")) == [1]
    assert days_of(ruled(f"OS{quiet}O")) == [1, 2 + len(quiet)]


def test_a_day_that_is_held_only_in_part_moves_by_the_other_use_cases_and_counts() -> None:
    days = [
        verdict(0, "OK"),
        verdict(1, "SUSPICIOUS", held=("barred", None)),
        verdict(2, "OK", held=("barred", None)),
    ]
    assert days_of(messages_of(days)) == [1, 2]


def test_calibrating_ends_no_episode_and_the_end_after_it_is_not_called_a_recovery() -> None:
    assert ruled("OScccO") == [
        (1, "SUSPICIOUS"),
        (5, "OK against a new past; SUSPICIOUS against the former one"),
    ]
    assert ruled("cccO") == []


def test_cooked_only_hears_nothing_of_suspicious_nor_of_its_end() -> None:
    assert ruled("OSSO", severities=("cooked",)) == []
    assert days_of(ruled("OSCSO", severities=("cooked",))) == [2, 4]


def test_of_two_severities_of_a_layer_the_lesser_counts() -> None:
    assert days_of(ruled("OSCO", severities=("cooked", "suspicious"))) == [1, 2, 3]


@pytest.mark.parametrize(
    ("statuses", "hold", "days"),
    [
        ("OSS", 2, [2]),
        ("OSOSO", 2, []),
        ("OSgS", 2, [3]),  # a gap is skipped, not counted
        ("OShS", 2, [3]),
        ("OCSS", 2, [2]),  # at SUSPICIOUS or beyond for two days; COOKED only for one
        ("OSCC", 2, [2, 3]),
        ("OSSS", 3, [3]),
        ("OSSO", 3, []),
        ("OSScS", 3, []),  # days before a new past do not count with those after it
    ],
)
def test_a_severity_must_hold_for_its_days(statuses: str, hold: int, days: list[int]) -> None:
    assert days_of(ruled(statuses, hold_days=hold)) == days


@pytest.mark.parametrize(
    ("statuses", "days"),
    [
        ("OSOSOS", [1, 2]),  # both later ones fall into the three days after day 2
        ("OSOOOOS", [1, 2, 6]),  # day 6 is the fourth
        ("OSOOOS", [1, 2]),  # day 5 is the third
        ("OSOSSSSO", [1, 2, 6, 7]),  # still there when the time is over: told then
        ("OSOC", [1, 2, 3]),  # worse than the last one: never kept quiet
        ("OCOS", [1, 2]),
    ],
)
def test_the_cool_down_keeps_a_new_episode_quiet_unless_it_is_worse(statuses: str, days: list[int]) -> None:
    assert days_of(ruled(statuses, cool_down_days=3)) == days


def test_the_cool_down_does_not_touch_an_escalation_or_a_recovery() -> None:
    assert days_of(ruled("OSCO", cool_down_days=30)) == [1, 2, 3]


def test_the_evidence_alone_makes_the_headline_and_its_messages() -> None:
    days = [verdict(n, "OK", EVIDENCE_WORDS[letter]) for n, letter in enumerate("cqqsCCrq")]
    assert messages_of(days) == [
        (3, "SUSPICIOUS"), (4, "COOKED, confirmed"), (6, "OK again, COOKED, confirmed since 2026-03-04"),
    ]  # fmt: skip
    assert days_of(messages_of(days, AlertRule(severities=("confirmed",)))) == [4, 6]
    assert days_of(messages_of(days, AlertRule(severities=("cooked",)))) == [4, 6]


def test_proof_is_told_after_the_rules_alarm_and_both_on_one_day_are_one_message() -> None:
    days = [verdict(0, "OK", "QUIET"), verdict(1, "COOKED", "QUIET"), verdict(2, "COOKED", "CONFIRMED")]
    assert messages_of(days) == [(1, "COOKED"), (2, "COOKED, confirmed")]
    days = [verdict(0, "OK", "QUIET"), verdict(1, "COOKED", "CONFIRMED"), verdict(2, "OK", "RECOVERED")]
    assert messages_of(days) == [
        (1, "COOKED, confirmed"),
        (2, "OK again, COOKED, confirmed since 2026-03-02"),
    ]


@pytest.mark.parametrize("evidence", ["CONFIRMED", "SUSPECTED"])
def test_there_is_no_good_news_while_the_evidence_holds(evidence: str) -> None:
    days = [verdict(0, "COOKED", "CONFIRMED"), verdict(1, "OK", evidence), verdict(2, "OK", evidence)]
    assert days_of(messages_of(days)) == [0]


def test_a_collapse_at_full_count_is_told_while_the_evidence_calibrates() -> None:
    fallen: dict[str, Any] = {"collapsed": ("u0",)}
    for status in ("SUSPICIOUS", "CALIBRATING"):
        days = [verdict(0, "OK"), verdict(1, status, **fallen)]
        assert messages_of(days, AlertRule()) == [(1, "collapsed in a use case")]
    days = [verdict(0, "OK", "QUIET"), verdict(1, "SUSPICIOUS", "QUIET", **fallen)]
    assert messages_of(days, AlertRule()) == []  # the evidence will tell whether it lasts


def test_what_was_told_of_two_layers_is_not_told_again_as_a_headline() -> None:
    states: LayerStates = {
        "m": {
            "rule": State(day="2026-02-28", since="2026-02-20", worst_sent="COOKED"),
            "evidence": State(
                day="2026-02-28", since="2026-02-22", worst_sent="CONFIRMED", last_on="2026-02-24"
            ),
        }
    }
    states, messages = find_due(EVERYTHING, states, [verdict(0, "COOKED", "CONFIRMED")], {})
    assert messages == []
    _, (end,) = find_due(EVERYTHING, states, [verdict(1, "OK", "RECOVERED")], {})
    assert end.title == "m: OK again, COOKED, confirmed since 2026-02-20"


def test_the_same_verdicts_again_call_for_nothing() -> None:
    day = verdict(1, "COOKED", "CONFIRMED")
    states, first = find_due(EVERYTHING, {}, [day], {})
    again, second = find_due(EVERYTHING, states, [day], {})
    assert (len(first), second, again) == (1, [], states)


def test_a_day_told_twice_counts_once_towards_holding() -> None:
    days = [verdict(0, "OK"), verdict(1, "COOKED"), verdict(1, "COOKED"), verdict(1, "COOKED")]
    rule = AlertRule(hold_days=2)
    assert messages_of(days, rule) == []
    assert days_of(messages_of([*days, verdict(2, "COOKED")], rule)) == [2]


def test_a_day_that_is_corrected_takes_its_alarm_back() -> None:
    assert days_of(messages_of([verdict(0, "OK"), verdict(1, "COOKED"), verdict(1, "OK")])) == [1, 1]


def test_a_day_before_the_last_is_no_news() -> None:
    assert days_of(messages_of([verdict(5, "OK"), verdict(3, "COOKED"), verdict(6, "OK")])) == []


def test_a_channel_hears_of_its_models_only_and_each_has_its_own_episode() -> None:
    rule = AlertRule(models=("gpt-*",))
    day = [verdict(0, "COOKED", model=model) for model in ("gpt-a", "gpt-b", "claude")]
    states, messages = find_due(rule, {}, day, {})
    assert [each.model for each in messages] == ["gpt-a", "gpt-b"]
    assert set(states) == {"gpt-a", "gpt-b"}


def test_a_message_carries_the_reason_the_link_and_its_tone() -> None:
    _, messages = find_due(
        EVERYTHING, {}, [verdict(0, "SUSPICIOUS", cause="JUDGE")], {"m": "https://x.example/models/m/"}
    )
    assert messages == [
        AlertMessage(
            "2026-03-01",
            ("m",),
            "m: SUSPICIOUS (cause: JUDGE)",
            "2026-03-01: reason of 2026-03-01.\nhttps://x.example/models/m/",
            "warning",
        )
    ]


@given(st.text("OSCcgh", max_size=40), st.integers(1, 4), st.integers(0, 6))
def test_messages_take_turns_alarms_then_one_end(statuses: str, hold: int, cool: int) -> None:
    """Whatever happens: never an end without an alarm before it, never two ends or the same severity twice in
    an episode."""
    open_at = 0
    for _, title in ruled(statuses, hold_days=hold, cool_down_days=cool):
        rank = {"SUSPICIOUS": 1, "COOKED": 2}.get(title, 0)
        assert rank > open_at or (rank == 0 and open_at > 0)
        open_at = rank


@given(st.text("OSCcg", max_size=30), st.integers(1, 3))
def test_every_day_told_twice_gives_what_every_day_told_once_gives(statuses: str, hold: int) -> None:
    days = [verdict(n, RULE_WORDS[letter]) for n, letter in enumerate(statuses)]
    rule = AlertRule(severities=("suspicious",), hold_days=hold)
    assert messages_of([each for day in days for each in (day, day)], rule) == messages_of(days, rule)


def many(
    number: int, status: str, causes: dict[str, str | None], rule: AlertRule, before: LayerStates
) -> Any:
    """The messages of a day on which all models have the same status, each with its own cause."""
    verdicts = [verdict(number, status, model=model, cause=cause) for model, cause in causes.items()]
    pages = {model: f"https://x.example/models/{model}/" for model in causes}
    return find_due(rule, before, verdicts, pages)


def test_one_cause_outside_the_models_is_one_message_that_names_them_all() -> None:
    _, messages = many(0, "COOKED", {"a": "HARNESS", "b": "MODEL", "c": "HARNESS"}, AlertRule(), {})
    assert [message.model for message in messages] == ["a, c", "b"]
    together = messages[0]
    assert together.title == "HARNESS, 2 models, alarms that are not the models' own: a, c"
    for model in "ac":
        assert (
            f"{model}: COOKED (cause: HARNESS). reason of 2026-03-01. https://x.example/models/{model}/"
            in together.body
        )
    assert together.tone == "failure"


@pytest.mark.parametrize("cause", ["MODEL", "ROUTE", "INFRA"])
def test_what_is_a_models_own_is_told_model_by_model(cause: str) -> None:
    _, messages = many(0, "COOKED", {"a": cause, "b": cause}, AlertRule(), {})
    assert [message.model for message in messages] == ["a", "b"]


def test_alarms_told_together_end_together_and_others_by_themselves() -> None:
    states, _ = many(0, "COOKED", {"a": "JUDGE", "b": "MODEL", "c": "JUDGE"}, AlertRule(), {})
    states, messages = many(1, "OK", {"a": None, "b": None, "c": None}, AlertRule(), states)
    assert [message.model for message in messages] == ["a, c", "b"]
    assert messages[0].title == "JUDGE, 2 models, alarms end: a, c"
    assert messages[0].tone == "success"
    assert all(each.cause is None for layers in states.values() for each in layers.values())


def test_a_shared_cause_that_strikes_one_model_reads_as_any_other() -> None:
    _, (message,) = many(0, "COOKED", {"a": "JUDGE"}, AlertRule(), {})
    assert message.title == "a: COOKED (cause: JUDGE)"


def _moved(number: int, level: str) -> ModelVerdict:
    change = RouteChange(since="2026-03-02", was="A", now="B", before=90.0, after=82.0, level=level)  # type: ignore[arg-type]
    return verdict(number, "OK", changed_route=change)


def test_a_loss_by_a_new_route_is_one_message_if_its_level_is_asked_for() -> None:
    cooked, milder, none = (
        [_moved(number, level) for number in range(5)] for level in ("COOKED", "SUSPICIOUS", "OK")
    )
    assert messages_of(cooked, AlertRule()) == [(0, "CHANGED ROUTE −8")]
    assert messages_of(milder, AlertRule()) == []
    assert messages_of(milder) == [(0, "CHANGED ROUTE −8")]
    assert messages_of(none) == []


def test_a_fall_does_not_end_while_a_worse_route_stands() -> None:
    days = [
        verdict(0, "OK"),
        verdict(1, "COOKED"),
        _moved(2, "COOKED"),
        _moved(3, "COOKED"),
        verdict(4, "OK"),
    ]
    assert messages_of(days) == [
        (1, "COOKED"), (2, "CHANGED ROUTE −8"), (4, "OK again, COOKED since 2026-03-02"),
    ]  # fmt: skip
