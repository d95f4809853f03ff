"""docs/watch.md, step by step: from an empty folder to a verdict on three models, with two own use cases.

One grader is built in and one is a command in the jail. The days are simulated and one model is damaged;
webhook, mail server, alerts and gates are real. The commands are those of the page, in its order.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.test_help import find
from commandline import Done, probatio
from double import Double
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import load_daily
from watch.alerts.hooks import Hook
from watch.alerts.mail import MailServer

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "watch.md").read_text(encoding="utf-8")
KEYS = (DOCS / "your-watch.md").read_text(encoding="utf-8")
TEN_MINUTES = TEXT.partition("\n## Ten minutes\n")[2].partition("\n## ")[0]
STEPS = re.findall(r"^\$ probatio (.+)$", TEN_MINUTES, re.MULTILINE)
CONFIG = re.search(r"<!-- file: config/models.yml -->\n```yaml\n(.*?)\n```", TEXT, re.DOTALL)
SECONDS = 600


def spent() -> float:
    """CPU seconds of this process and of those it started: a busy machine is no slow product."""
    return sum(os.times()[:4])


@pytest.mark.parametrize("text", [TEXT, KEYS], ids=["watch", "your-watch"])
def test_every_command_of_the_page_is_one_that_the_command_line_accepts(text: str) -> None:
    for call in re.findall(r"(?:^\$ |^    |`|run: )probatio ([^`|#\n]+)", text, re.MULTILINE):
        command, arguments, name = find(shlex.split(call))
        command.make_context(name, arguments, resilient_parsing=True)


def test_the_tables_of_the_page_name_every_key() -> None:
    from probatio.suites.daily_suite import DailyManifest, _UseCaseEntry
    from probatio.suites.grader_entry import GraderCommand
    from probatio.watch.day.importing import ImportLine

    for shape in (DailyManifest, ImportLine):
        for name in shape.__struct_fields__:
            assert f"`{name}`" in KEYS, name
    for name in _UseCaseEntry.__struct_fields__:
        assert f"`{name}`" in KEYS or name == "cases", name
    for name in GraderCommand.__struct_fields__:
        assert f"{name}:" in KEYS, name


class Reader:
    """Follows the page: every step is a command in the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: dict[str, Done] = {}

    def step(self, words: str) -> Done:
        self.done[words] = probatio(*shlex.split(words))
        return self.done[words]

    @cached_property
    def answers(self) -> dict[str, dict[str, str]]:
        """Case → its prompt and its gold. The suite is made by the first step and stays as it is."""
        suite = load_daily(self.folder / "my-watch")
        proofs = [proof for use_case in suite.use_cases.values() for proof in read_proofs(suite, use_case)]
        gold = {proof.case: proof.answer for proof in proofs if proof.kind == "gold"}
        return {case.id: {"prompt": case.prompt, "gold": gold[case.id]} for case in suite.cases.values()}

    def write_past(self, models: list[str]) -> None:
        today = datetime.now(UTC).date()
        lines = [
            {
                "date": (today - timedelta(days=back)).isoformat(),
                "model": model,
                "case": case,
                "answer": each["gold"],
            }
            for back in range(28, 0, -1)
            for model in models
            for case, each in self.answers.items()
        ]
        text = "".join(json.dumps({**line, "provider": "DoubleCo"}) + "\n" for line in lines)
        (self.folder / "past.jsonl").write_text(text)


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Reader, Hook, MailServer, float]]:
    folder = tmp_path_factory.mktemp("your-watch")
    reader = Reader(folder)

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        return next(each["gold"] for each in reader.answers.values() if each["prompt"] == prompt)

    with (
        Double(reply=reply) as double,
        Hook() as hook,
        MailServer() as mail,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.chdir(folder)
        for name in ("OPENROUTER_API_KEY", "OPENAI_API_KEY"):
            patch.delenv(name, raising=False)
        patch.setenv("OPENAI_BASE_URL", double.base_url)
        patch.setenv("CHAT_HOOK", hook.url)
        patch.setenv("TEAM_MAIL", mail.url)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.delenv("PROBATIO_CHECKED_MB")  # as a reader has it: an answer is checked once
        began = spent()
        assert CONFIG is not None
        (folder / "config").mkdir()
        (folder / "config" / "models.yml").write_text(CONFIG[1])
        for words in STEPS:
            if words.startswith("daily import "):
                reader.write_past([model["id"] for model in yaml.safe_load(CONFIG[1])["models"]])
            reader.step(words)
        yield reader, hook, mail, spent() - began


@pytest.mark.slow  # 40 simulated days and 28 imported ones
def test_from_an_empty_folder_to_a_verdict_of_three_models(
    journey: tuple[Reader, Hook, MailServer, float],
) -> None:
    reader, hook, mail, seconds = journey
    done = reader.done
    failing = "verdict --results rehearsal --fail-on cooked"
    assert {words: result.returncode for words, result in done.items()} == {
        words: int(words == failing) for words in STEPS
    }, [result.output for words, result in done.items() if result.returncode]
    assert seconds < SECONDS

    checked = done["suite check my-watch"].output
    assert "structured_extraction" in checked
    assert "grader.py (own)" in checked

    rehearsed = done["suite rehearse my-watch --send"].output
    for said in TEN_MINUTES.splitlines():
        if said.startswith(("day  ", "Alert to")):
            assert re.sub(r"\d{4}-\d\d-\d\d", "", said) in re.sub(r"\d{4}-\d\d-\d\d", "", rehearsed)
    told = ["Probatio: a test", "SIMULATED model-3: COOKED", "SIMULATED model-3: COOKED, confirmed"]
    assert hook.titles == told
    assert mail.subjects == told
    assert "Gate: model-3 at or beyond COOKED." in done[failing].output
    healthy = reader.step(f"{failing} --model model-1")
    assert (healthy.returncode, "Gate: no model" in healthy.output) == (0, True)

    last = reader.step("verdict --json")
    verdicts = json.loads(last.stdout)["verdicts"]
    assert {each["model"]: each["headline"] for each in verdicts} == {
        "small": "OK",
        "large": "OK",
        "other": "OK",
    }
    for results in ("results", "rehearsal"):
        verified = reader.step(f"verify --results {results}")
        assert verified.returncode == 0, verified.output
