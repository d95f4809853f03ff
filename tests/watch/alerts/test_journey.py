"""The journey of a new user: an own suite, three models, 40 dates, one model damaged from day 35, to the
alert's text.

Everything is real but the models: `probatio daily` in full, a webhook and a mail server on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from probatio.site.rendering import format_dates
from probatio.watch.simulate.figures import FIGURES
from watch.alerts.hooks import Hook
from watch.alerts.mail import MailServer
from watch.day.days import EXTRACTION, built_in, environment, gold_script, small_suite

pytestmark = pytest.mark.slow  # 40 days are run

MODELS = ("steady", "damaged", "other")
FIRST, DAYS, DAMAGED = date(2026, 2, 1), 40, 35


def _date(number: int) -> str:
    """The date of day `number`, from 1."""
    return (FIRST + timedelta(days=number - 1)).isoformat()


class Journey:
    """What a user does and sees, day by day."""

    def __init__(self, folder: Path, hook: Hook, mail: MailServer) -> None:
        self.folder, self.hook, self.mail = folder, hook, mail
        self.suite = small_suite(folder / "suite", EXTRACTION, cases=5)
        self.config = folder / "models.yml"
        alerts = [
            {"url": hook.url, "name": "hook", "link": "https://x.example/watch/"},
            {"url": mail.url, "name": "mail"},
        ]
        models = [{"id": model, "name": f"vendor-{model}/{model}"} for model in MODELS]
        self.config.write_text(yaml.safe_dump({"models": models, "alerts": alerts}))
        self.outputs: list[str] = []

    def run(self, *words: str) -> Done:
        return probatio(*words, "--results", str(self.folder / "results"))

    def day(self, number: int, models: Sequence[str] = MODELS) -> None:
        flags = [
            "--suite",
            str(self.suite),
            "--config",
            str(self.config),
            "--date",
            _date(number),
            "--replay",
        ]
        done = self.run("daily", *flags, *(word for model in models for word in ("--model", model)))
        assert done.returncode == 0, done.output
        self.outputs.append(done.output)


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("journey")
    gold = gold_script(EXTRACTION)
    places = {case["prompt"]: place for place, case in enumerate(built_in(EXTRACTION, "cases"))}
    today = 0

    def reply(body: dict[str, Any]) -> str:
        """The damaged model fails three of five cases, other ones every day."""
        damaged = "damaged" in body["model"] and today >= DAMAGED
        fails = damaged and (places[body["messages"][0]["content"]] + 2 * today) % 5 < 3
        return "I can't say." if fails else gold(body)

    with (
        Double(reply=reply) as double,
        Hook() as hook,
        MailServer() as mail,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in environment(double).items():
            patch.setenv(name, value)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        made = Journey(folder, hook, mail)
        for today in range(1, DAYS + 1):
            made.day(today)
            if today == DAMAGED:
                assert hook.titles == [
                    "damaged: COOKED"
                ]  # on the first day of the fall, from a suite of one use case
        yield made


def test_the_first_alert_says_what_happened_how_sure_it_is_and_what_to_do(journey: Journey) -> None:
    lines = journey.hook.on_message[0]["message"].splitlines()
    assert lines[0] == (
        f"{_date(DAMAGED)}: damaged answers worse since {_date(DAMAGED)} in Structured Extraction (40 "
        "points, usually 100)."
    )
    assert lines[1].startswith(
        "This is what the published rule says, and not proven yet: how often the rule is wrong"
    )
    cases = [line for line in lines if line.startswith("• Structured Extraction, ")]
    assert len(cases) == 3
    assert all(line.endswith("100 % before, 0 % now") for line in cases)
    assert lines.count("    now: `I can't say.`") == 3
    assert sum(line.startswith("    before: ") for line in lines) == 3
    assert sum(line.startswith("Next: ") for line in lines) == 2
    assert any(line.startswith("Details: COOKED since") for line in lines)
    assert lines[-2].startswith("Head of the ledger: ")
    assert lines[-1] == "https://x.example/watch/falls/damaged-2026-03-07/"


def test_proof_follows_and_nothing_is_told_of_the_others_nor_taken_back(journey: Journey) -> None:
    assert journey.hook.titles == ["damaged: COOKED", "damaged: COOKED, confirmed"]
    proof = journey.hook.on_message[1]["message"]
    assert "This is proven: a model that did not change has at most a one in 100 chance" in proof
    assert 'probatio verdict accept damaged --why "…"' in proof
    assert "It would have seen" not in proof
    assert "A lasting drop of" not in proof


def test_the_mail_says_the_same_as_the_webhook(journey: Journey) -> None:
    assert journey.mail.subjects == journey.hook.titles
    for text, message in zip(
        journey.mail.texts, (each["message"] for each in journey.hook.on_message), strict=True
    ):
        told = message.partition("\nhttps://")[0].splitlines()
        assert [line.strip() for line in text.splitlines() if line.strip()][-len(told) :] == [
            line.strip() for line in told
        ]


@pytest.fixture(scope="module")
def site(journey: Journey) -> Path:
    """The journey as a built site, with figures of its suite."""
    assert probatio("suite", "simulate", journey.suite, "--models", "8").returncode == 0
    out = journey.folder / "site"
    done = probatio("site", "build", "--results", str(journey.folder / "results"), "--out", str(out))
    assert done.returncode == 0, done.output
    return out


def test_the_command_its_gates_and_the_site_say_the_same(journey: Journey, site: Path) -> None:
    for gate in ("suspicious", "cooked", "confirmed"):
        assert journey.run("verdict", "--fail-on", gate).returncode == 1
        assert journey.run("verdict", "--fail-on", gate, "--model", "steady").returncode == 0
    event = json.loads(journey.run("verdict", "--json").stdout)
    shown = {each["model"]: (each["headline"], each["confirmed"]) for each in event["verdicts"]}
    assert shown == {"steady": ("OK", False), "damaged": ("COOKED", True), "other": ("OK", False)}
    page = (site / "models" / "damaged" / "index.html").read_text()
    assert "COOKED, confirmed" in page
    assert format_dates(event["told"]["damaged"]["sentences"][0]) in page
    assert "COOKED, confirmed" in (site / "badges" / "damaged.svg").read_text()
    assert "COOKED, confirmed" in (site / "feed.atom").read_text()
    board = (site / "index.html").read_text()
    assert board.index("models/damaged/") < board.index("models/other/")


def test_an_own_suites_methodology_shows_its_own_figures_and_no_other_suites(
    journey: Journey, site: Path, tmp_path: Path
) -> None:
    """Those of the built-in suite, which are in the package, have other numbers of models, use cases and
    noises."""
    page = (site / "methodology" / "index.html").read_text()
    assert "Simulated for this suite: 1 use case with 5 cases each." in page
    assert "8 healthy models watched" in page
    assert page.count("<details") == 2 + 2, "no fault of the built-in suite's figures"
    assert "measures them again" not in page

    def build() -> str:
        results = str(journey.folder / "results")
        probatio("site", "build", "--results", results, "--out", str(tmp_path / "site"))
        return (tmp_path / "site" / "methodology" / "index.html").read_text()

    saved = journey.suite / FIGURES
    kept = saved.read_bytes()
    try:
        saved.write_bytes(kept.replace(b": 5\n", b": 4\n"))
        page = build()
        assert "1 use case with 4 cases each" in page
        assert "measures them again" in page, "the suite has other cases now"
        saved.unlink()
        page = build()
    finally:
        saved.write_bytes(kept)
    assert "has not been measured for this suite" in page
    assert "probatio suite simulate SUITE" in page
    assert "From the simulator" not in page


def test_the_signs_of_the_progress_have_a_legend(journey: Journey) -> None:
    assert all(". full credit   o some   x none" in output for output in journey.outputs)


def test_a_missing_route_is_one_line_on_the_first_day(journey: Journey) -> None:
    told = [output.count("no `route` in models.yml") for output in journey.outputs]
    assert told == [1] + [0] * (len(journey.outputs) - 1)


def test_what_was_recorded_verifies(journey: Journey) -> None:
    done = journey.run("verify", "--quick")
    assert done.returncode == 0, done.output


YOUNG, BROKEN = 8, 7  # healthy days before total damage, and days of it: the evidence still calibrates


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A young watch of one model, which then fails all cases but one for a week."""
    folder = tmp_path_factory.mktemp("broken")
    gold = gold_script(EXTRACTION)
    right = built_in(EXTRACTION, "cases")[0]["prompt"]
    today = 0

    def reply(body: dict[str, Any]) -> str:
        healthy = today <= YOUNG or body["messages"][0]["content"] == right
        return gold(body) if healthy else "I can't say."

    with (
        Double(reply=reply) as double,
        Hook() as hook,
        MailServer() as mail,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in environment(double).items():
            patch.setenv(name, value)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        made = Journey(folder, hook, mail)
        for today in range(1, YOUNG + BROKEN + 1):
            made.day(today, ["damaged"])
            assert len(hook.titles) == (today > YOUNG)  # told on the first day, and once
        yield made


def test_total_damage_is_cooked_and_told_while_the_evidence_calibrates(broken: Journey) -> None:
    assert broken.hook.titles == broken.mail.subjects == ["damaged: COOKED"]
    first = broken.hook.on_message[0]["message"].splitlines()[0]
    assert first == (
        f"{_date(YOUNG + 1)}: damaged answers worse since {_date(YOUNG + 1)} in Structured Extraction (20 "
        "points, 100 on the days before)."
    )
    days = [
        json.loads(broken.run("verdict", "--json", "--date", _date(number)).stdout)["verdicts"][0]
        for number in range(YOUNG, YOUNG + BROKEN + 1)
    ]
    assert [each["evidence"] for each in days] == ["CALIBRATING"] * len(days)
    assert [each["headline"] for each in days[:3]] == ["OK", "COOKED", "COOKED"]
    assert all(each["use_cases"][0]["score"] == 20.0 for each in days[1:])


def test_total_damage_fails_the_gate_on_its_first_days(broken: Journey) -> None:
    gates = {"suspicious": 1, "cooked": 1, "confirmed": 0}
    for gate, code in gates.items():
        assert broken.run("verdict", "--fail-on", gate, "--date", _date(YOUNG + 2)).returncode == code
