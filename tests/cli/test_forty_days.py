"""Forty days of a team's own watch, one model damaged, and the five ways in which such a watch could fool it:
a forgotten suite, a key that is gone, a watch that stopped, half a day, and some of the models."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double
from watch.alerts.hooks import Hook
from watch.day.days import EXTRACTION, built_in, gold_script, small_suite

pytestmark = pytest.mark.slow

OURS = (EXTRACTION, "math_reasoning", "instruction_following", "report_analysis")
PAST = 39
WORSE = 2
"""Days before today on which the damaged model was already damaged."""
GATE = ("verdict", "--fail-on", "cooked", "--config", "config/models.yml")
TODAY = ("daily", "--config", "config/models.yml")


class Watch:
    """The team's folder, its provider and its chat."""

    def __init__(self, folder: Path, double: Double, hook: Hook) -> None:
        self.folder, self.double, self.hook = folder, double, hook
        suite = small_suite(folder / "helpdesk", *OURS, cases=5)
        manifest = suite / "suite.yml"
        manifest.write_text(manifest.read_text().replace("name: small", "name: helpdesk"))
        (folder / "config").mkdir()
        self.list_models("sound", "damaged")

    def list_models(self, *models: str, without_key: str | None = None) -> None:
        ours: dict[str, object] = {"provider": "ours", "base_url": self.double.base_url}
        ours |= {"cost_per_1m_input": 1.0, "cost_per_1m_output": 1.0}
        listed: list[dict[str, object]] = [{"id": each, "name": f"v/{each}", **ours} for each in models]
        if without_key:
            listed.append({"id": without_key, "name": f"v/{without_key}", "provider": "openrouter"})
        chat = {"name": "chat", "url": self.hook.url}
        (self.folder / "config" / "models.yml").write_text(json.dumps({"models": listed, "alerts": [chat]}))

    def __call__(self, *words: object) -> Done:
        return probatio(*words, cwd=self.folder, env={"JUDGE_KEY": ""})

    @property
    def series_of(self) -> dict[str, str]:
        """Model → the first day of its series: a baseline that starts again is one of today."""
        told = json.loads(self("verdict", "--json").stdout)
        return {each["model"]: each["series_since"] for each in told["verdicts"]}


def answer(model: str, gold: str, back: int, chance: random.Random) -> str:
    """The sound model fails one answer in ten, as ever; the damaged one eight of ten for three days."""
    wrong = 0.8 if model == "damaged" and back <= WORSE else 0.1
    return "I don't know." if chance.random() < wrong else gold


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """Thirty-nine days that are past; today no model was asked yet."""
    chance, gold = random.Random(5), gold_script(*OURS)

    def reply(body: dict[str, Any]) -> str:
        return answer(body["model"].removeprefix("v/"), gold(body), 0, chance)

    folder, today = tmp_path_factory.mktemp("forty-days"), datetime.now(UTC).date()
    with Double(reply=reply) as double, Hook() as hook:
        made = Watch(folder, double, hook)
        golds = {
            proof["case"]: proof["answer"]
            for use_case in OURS
            for proof in built_in(use_case, "proofs")
            if proof["kind"] == "gold"
        }
        cases = [case["id"] for use_case in OURS for case in built_in(use_case, "cases")[:5]]
        lines = [
            {
                "date": (today - timedelta(days=back)).isoformat(),
                "model": model,
                "case": case,
                "answer": answer(model, golds[case], back, chance),
            }
            for back in range(PAST, 0, -1)
            for model in ("sound", "damaged")
            for case in cases
        ]
        (folder / "past.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        done = made("daily", "import", "past.jsonl", "--suite", "helpdesk", "--config", "config/models.yml")
        assert done.returncode == 0, done.stderr
        yield made


def test_forty_days_and_five_ways_to_be_fooled(watch: Watch) -> None:
    began = watch.series_of
    first = (datetime.now(UTC).date() - timedelta(days=PAST)).isoformat()
    assert began == {"sound": first, "damaged": first}

    # Some of the models: the other one was not asked today, and passes no gate.
    assert watch(*TODAY, "--model", "damaged").returncode == 0
    gate = watch(*GATE)
    assert gate.returncode == 1 and "sound: it was not asked on" in gate.stdout, gate.output

    # Half a day: the answers of the other are begun and not complete.
    half = watch(*TODAY, "--model", "sound", "--max-cost", "0.0000001")
    assert half.returncode == 3, half.output
    gate = watch(*GATE)
    assert gate.returncode == 1 and "sound: it was not fully scored on" in gate.stdout, gate.output

    # A forgotten suite: the folder knows its own. Another one is refused before anything is asked.
    asked = watch.double.served.total()
    other = watch(*TODAY, "--suite", "daily")
    assert other.returncode == 2 and watch.double.served.total() == asked, other.output
    assert "`helpdesk`" in other.stderr and "--new-series" in other.stderr
    whole = watch(*TODAY)
    assert whole.returncode == 0, whole.output
    assert watch.series_of == began

    # The damage is found and proven; the sound model is as usual.
    told = json.loads(watch("verdict", "--json").stdout)["verdicts"]
    found = {each["model"]: (each["headline"], each["confirmed"]) for each in told}
    assert found == {"sound": ("OK", False), "damaged": ("COOKED", True)}
    gate = watch(*GATE)
    assert gate.returncode == 1 and "Gate: damaged at or beyond COOKED." in gate.stdout
    assert any("damaged" in title for title in watch.hook.titles)
    assert not any("sound" in title for title in watch.hook.titles)

    # A watch that stopped: a hundred days later nothing is OK.
    later = (datetime.now(UTC) + timedelta(days=100)).date().isoformat()
    gate = watch(*GATE, "--as-of", later, "--model", "sound")
    assert gate.returncode == 1 and "STALE" in gate.stdout and " OK " not in gate.stdout, gate.output

    # A key that is gone: the listed model fails the day and every gate, and the channels hear of it.
    watch.list_models("sound", "damaged", without_key="third")
    keyless = watch(*TODAY)
    assert keyless.returncode == 3 and "OPENROUTER_API_KEY" in keyless.output, keyless.output
    gate = watch(*GATE, "--model", "sound", "--model", "third")
    assert gate.returncode == 1 and "third: no answer of it was ever scored" in gate.stdout, gate.output
    assert "could not be asked: `probatio daily` says why" in gate.stdout
    assert any("third" in json.dumps(message) for message in watch.hook.on_message)

    assert watch("verify").returncode == 0
    built = watch("site", "build", "--out", "site")
    assert built.returncode == 0, built.output
    page = (watch.folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "damaged" in page and "CONFIRMED" in page.upper()


def test_a_copy_of_the_results_says_the_same(watch: Watch, tmp_path: Path) -> None:
    """The suite is not copied: what a verdict needs of it is kept with the days."""
    shutil.copytree(watch.folder / "results", tmp_path / "results")
    here, there = (probatio("verdict", "--json", cwd=folder) for folder in (watch.folder, tmp_path))
    assert there.returncode == 0, there.stderr
    told = [json.loads(each.stdout)["verdicts"] for each in (here, there)]
    assert [each["headline"] for each in told[0]] == [each["headline"] for each in told[1]]
