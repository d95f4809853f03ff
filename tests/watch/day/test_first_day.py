"""A model's first day: a pin that nobody serves is a sentence before anything is asked; later days are not
held up by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commandline import probatio
from double import Double
from double.openrouter import GPT, LLAMA, catalogue
from double.server import RawReply
from probatio.core.records import Model
from probatio.suites.daily_suite import constants_of, load_daily
from probatio.watch.day.first_day import describe_first_day
from watch.day.days import EXTRACTION, argv, environment, gold_script, run, scores, small_suite

pytestmark = pytest.mark.slow  # whole days, sites or processes

FIRST = "The first day of llama. What can be said, and when: after 3 days a collapse"


def listed(root: Path, *models: dict[str, Any], **daily: Any) -> str:
    (root / "models.yml").write_text(json.dumps({"models": list(models), "daily": daily}))
    return "models.yml"


def planned(root: Path, double: Double, *flags: str) -> Any:
    """A dry run, in this process."""
    words = argv(root, "--dry-run", "--config", "models.yml", *flags, model=None)[3:]
    return probatio(*words, env=environment(double), cwd=root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    small_suite(tmp_path / "suite", EXTRACTION)
    return tmp_path


def test_a_provider_that_does_not_serve_the_model_is_a_sentence_before_anything_is_asked(root: Path) -> None:
    config = listed(
        root,
        {"id": "llama", "name": LLAMA, "route": "azure"},
        {"id": "gpt", "name": GPT, "route": "OpenAI"},
        {"id": "gone", "name": "v/gone", "route": "groq"},
    )
    with Double(reply=gold_script(), catalogue=catalogue()) as double:
        done = run(root, double, "--config", config, model=None)
        assert (double.served.total(), "results/daily" in str(list(root.rglob("day.json")))) == (0, False)
    assert done.returncode == 2
    assert (
        f"`llama`: azure does not serve {LLAMA}. It is served by deepinfra/bf16, deepinfra/fp8, groq."
        in done.stderr
    )
    assert "`gone`: openrouter (127.0.0.1) has no model v/gone." in done.stderr
    assert "`gpt`" not in done.stderr
    assert "Correct `route` in models.yml." in done.stderr


def test_the_check_can_be_left_out_and_one_idle_provider_of_several_is_only_told(root: Path) -> None:
    listed(root, {"id": "llama", "name": LLAMA, "route": ["azure", "groq"]})
    with Double(catalogue=catalogue()) as double:
        told = planned(root, double)
        assert double.gets == [f"/models/{LLAMA}/endpoints"]
    assert (told.returncode, "azure does not serve" in told.stdout, "no model was asked." in told.stdout) == (
        0,
        True,
        True,
    )
    listed(root, {"id": "llama", "name": LLAMA, "route": "azure"})
    with Double(catalogue=catalogue()) as double:
        told = planned(root, double, "--no-route-check")
        assert (told.returncode, double.gets, "no request was sent." in told.stdout) == (0, [], True)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (None, "The catalogue of openrouter (127.0.0.1) can't be read: there is none (status 404)."),
        (RawReply(b"<html>"), "can't be read: the reply is no list of models"),
        (RawReply(b"{}", 503), "can't be read: status 503"),
        (RawReply(b'{"data": {}}'), "can't be read: the reply is no list of a model's providers"),
    ],
)
def test_a_catalogue_that_can_not_be_asked_stops_no_day_and_is_told_once(
    root: Path, reply: RawReply | None, message: str
) -> None:
    listed(root, {"id": "a", "name": LLAMA, "route": "groq"}, {"id": "b", "name": GPT, "route": "openai"})
    with Double(catalogue=lambda path: reply) as double:
        told = planned(root, double)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("can't be read") == 1
    assert message in told.stdout


def test_a_model_that_is_listed_without_its_providers_is_told_and_asked(root: Path) -> None:
    listed(root, {"id": "llama", "name": LLAMA, "route": "groq"})
    with Double(catalogue=catalogue(served={})) as double:
        told = planned(root, double)
    assert (told.returncode, "does not tell who serves" in told.stdout) == (0, True)


def test_the_first_day_says_what_can_be_said_and_when_and_the_second_says_and_checks_nothing(
    root: Path,
) -> None:
    """The heartbeat is called after each; the month's cap ends the third day, and the next month goes on."""
    url = "http://127.0.0.1:{port}/ping/abc"
    with (
        Double(reply=gold_script(), catalogue=lambda path: RawReply(b"OK")) as beats,
        Double(reply=gold_script(), cost=1.0, catalogue=catalogue()) as double,
    ):
        config = listed(
            root,
            {"id": "llama", "name": LLAMA, "route": "groq"},
            {"id": "loose", "name": GPT},
            heartbeat=url.format(port=beats.port),
            max_month_cost=12.5,
        )
        first = run(root, double, "--config", config, "--model", "llama", model=None)
        assert first.returncode == 0, first.stderr
        assert FIRST in first.stdout
        assert "after 5 days the rule's verdict; after 28 days the evidence" in first.stdout
        assert (double.gets, beats.gets) == ([f"/models/{LLAMA}/endpoints"], ["/ping/abc"])
        second = run(root, double, "--config", config, "--model", "llama", model=None, day="2026-03-11")
        assert second.returncode == 0, second.stderr
        assert "The first day of" not in second.stdout
        assert (len(double.gets), beats.gets) == (1, ["/ping/abc"] * 2)
        asked = double.served["answer"]
        third = run(root, double, "--config", config, model=None, day="2026-03-12")
        assert third.returncode == 3
        assert "loose has no `route`" in third.stdout
        assert "llama has no" not in third.stdout
        assert "budget of $0.50 is reached" in third.stderr
        assert (
            "That is what was left of the month's cap of $12.50; a larger one is given with" in third.stderr
        )
        assert double.served["answer"] == asked + 1, "at most one answer passes the cap"
        fourth = run(root, double, "--config", config, model=None, day="2026-03-13")
        assert (fourth.returncode, double.served["answer"]) == (3, asked + 1)
        assert (
            "The month's cap of $12.50 is reached: the other days of 2026-03 have cost $13.00."
            in fourth.stderr
        )
        assert "Nothing is asked until 2026-04-01" in fourth.stderr
        assert beats.gets[2:] == ["/ping/abc/fail"] * 2
        april = run(root, double, "--config", config, "--model", "llama", model=None, day="2026-04-01")
        assert april.returncode == 0, april.stderr
        assert beats.gets[4:] == ["/ping/abc"]
    assert scores(root, "2026-04-01")[EXTRACTION].score == 100


def test_the_words_of_a_first_day_follow_the_suite(root: Path) -> None:
    constants = constants_of(load_daily(root / "suite").manifest)
    assert describe_first_day((), constants) is None
    words = describe_first_day((Model(id="a", name="a"), Model(id="b", name="b")), constants)
    assert words is not None
    assert words.startswith("The first day of 2 models.")
    assert "the loss of 35% of a use case's usual score or more (40% where a judge marks)" in words
