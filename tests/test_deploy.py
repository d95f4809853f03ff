"""`daily schedule`: the files for cron, systemd and GitHub Actions are valid, and what they call works."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from commandline import probatio
from double import Double
from probatio.cli import root
from probatio.watch.alerts.channels import read_channels
from probatio.watch.schedule.files import Watch, make_cron, make_systemd
from watch.day.days import EXTRACTION, environment, gold_script, small_suite

REPOSITORY = Path(__file__).parent.parent
DOCS = [REPOSITORY / "docs" / name for name in ("alerts.md", "deploy.md", "models.md")]
CALL = re.compile(r"(?:^|[\s=/`])probatio ((?:[a-z-]+)(?: [^\n`|>&#]*)?)", re.MULTILINE)
MODELS = """
models:
  - {id: a, name: v/a, provider: openrouter, cost_per_1m_input: 0.1, cost_per_1m_output: 0.1}
alerts:
  - {name: chat, url: "json://${ALERT_HOST}/"}
"""


def schedule(folder: Path, *flags: str) -> dict[str, str]:
    """File name → its text, as the command writes them into `out`."""
    done = probatio("daily", "schedule", *flags, "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_text(encoding="utf-8") for path in (folder / "out").iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A watch of one's own, at a place that needs quoting."""
    made = tmp_path / "my 100% watch"
    (made / "config").mkdir(parents=True)
    (made / "config" / "models.yml").write_text(MODELS)
    return made


CONFIG = ("--config", "config/models.yml", "--max-cost", "5")


def calls(text: str) -> list[str]:
    """The calls of `probatio` in a text, but for those in comments."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [call.strip() for call in CALL.findall(text)]


def calls_of_page(path: Path) -> list[str]:
    """Those in backquotes or code blocks."""
    text = path.read_text(encoding="utf-8")
    quoted = re.findall(r"`(probatio [^`]+)`", text)
    return calls("\n".join([*quoted, *re.findall(r"^    (probatio .+)$", text, re.MULTILINE)]))


def parse(line: str) -> click.Context:
    """The line parsed by the real commands; nothing is run."""
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}", "value", line))
    with click.Context(root, info_name="probatio") as ctx:
        name, command, rest = root.resolve_command(ctx, words)
        assert command is not None, f"there is no command in: {line}"
        return command.make_context(name, rest, parent=ctx)


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_command_in_the_docs_exists_with_these_options(path: Path) -> None:
    lines = calls_of_page(path)
    assert lines
    for line in lines:
        parse(line)


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "actions"])
def test_every_command_in_it_exists_with_these_options(folder: Path, scheduler: str) -> None:
    small_suite(folder / "suite", EXTRACTION)
    made = schedule(folder, "--as", scheduler, "--suite", "suite", *CONFIG)
    lines = [line for text in made.values() for line in calls(text)]
    assert lines
    for line in lines:
        parse(line)


def test_an_outdated_command_is_detected() -> None:
    for line in ("daily --max-price 5", "dayly", "site build --into site", "alert trial"):
        with pytest.raises((click.UsageError, AssertionError)):
            parse(line)


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "actions"])
def test_each_file_says_first_how_to_use_it(folder: Path, scheduler: str) -> None:
    for text in schedule(folder, "--as", scheduler, *CONFIG).values():
        lines = text.splitlines()
        assert all(line.startswith("# ") for line in lines[:2])
        assert not lines[2].startswith("#")
        assert not re.search(r"@[A-Z_]+@|# (begin|end):", text)


CRON_LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
"""Minute, hour, day of the month, month, day of the week."""
CRON_PART = re.compile(r"(?:\*|(\d+)(?:-(\d+))?)(?:/[1-9]\d*)?")


def require_cron(line: str) -> None:
    """Five fields, each a list of `*`, numbers and ranges within its limits, with or without a step."""
    for field, (low, high) in zip(line.split(), CRON_LIMITS, strict=True):
        for part in field.split(","):
            read = CRON_PART.fullmatch(part)
            assert read, f"{line}: cron can't read {part}"
            assert all(low <= int(number) <= high for number in read.groups() if number), (
                f"{line}: {part} is no such time"
            )


def test_a_line_that_cron_refuses_would_be_found() -> None:
    for line in (
        "60 6 * * *",
        "17 6 * *",
        "17 6 * * * *",
        "17 24 * * *",
        "x 6 * * *",
        "17 6 0 * *",
        "17 6 * 13 *",
        "*/0 6 * * *",
    ):
        with pytest.raises((AssertionError, ValueError)):
            require_cron(line)


def test_the_line_for_cron_runs_the_day_in_this_folder(folder: Path) -> None:
    """As cron does: `\\\\%` is a percent sign, and `sh` runs the rest, with next to no environment."""
    made = schedule(folder, "--as", "cron", *CONFIG)["crontab"]
    (line,) = [line for line in made.splitlines() if not line.startswith("#")]
    fields = line.split(None, 5)
    require_cron(" ".join(fields[:5]))
    assert not re.search(r"(?<!\\)%", fields[5]), "cron would end the line there"
    script = fields[5].replace("\\%", "%").replace(" >> daily.log", " --dry-run >> daily.log")
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "OPENROUTER_API_KEY": "key",
        "ALERT_HOST": "localhost",
    }
    done = subprocess.run(["/bin/sh", "-c", script], env=env, cwd="/", check=False)
    told = (folder / "daily.log").read_text()
    assert done.returncode == 0, told
    assert "a: " in told and "no request was sent" in told


def test_cron_gets_the_hour_of_the_machines_clock(tmp_path: Path) -> None:
    at = datetime(2026, 3, 1, 6, 17, tzinfo=UTC)
    watch = Watch(
        folder=tmp_path, program=("p",), at=at.time(), config=None, suite=None, results=None, limits=()
    )
    here = timezone(timedelta(hours=-7, minutes=-30))
    assert "\n47 22 * * *  cd " in make_cron(watch, at.astimezone(here))["crontab"]


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(
        interpolation=None, strict=True, delimiters=("=",), comment_prefixes=("#", ";")
    )
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(text)
    return parser


def test_the_units_belong_together(folder: Path) -> None:
    made = schedule(folder, "--as", "systemd", "--at", "05:30", *CONFIG)
    service, timer = unit(made["probatio-daily.service"]), unit(made["probatio-daily.timer"])
    assert service["Service"]["Type"] == "oneshot"
    assert service["Service"]["WorkingDirectory"] == str(folder).replace("%", "%%")
    assert "Install" not in service  # started by its timer, not at boot
    assert timer["Install"]["WantedBy"] == "timers.target"
    assert timer["Timer"]["OnCalendar"] == "*-*-* 05:30:00 UTC"
    assert timer["Timer"]["Persistent"] == "true"


def test_what_systemd_reads_as_its_own_is_quoted(tmp_path: Path) -> None:
    watch = Watch(
        folder=tmp_path,
        program=("/a b/probatio",),
        at=datetime(2026, 1, 1).time(),
        config='c"%h$x\\.yml',
        suite=None,
        results=None,
        limits=(),
    )
    line = unit(make_systemd(watch)["probatio-daily.service"])["Service"]["ExecStart"]
    assert line == '"/a b/probatio" daily --config "c\\"%%h$$x\\\\.yml"'


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not on this machine")
def test_systemd_itself_accepts_the_units(folder: Path) -> None:
    made = schedule(folder, "--as", "systemd", *CONFIG)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", *(str(folder / "out" / name) for name in made)],
        env={"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    ours = [line for line in done.stderr.splitlines() if "probatio-daily" in line]
    assert (done.returncode, ours) == (0, []), done.stderr
    calendar = unit(made["probatio-daily.timer"])["Timer"]["OnCalendar"]
    read = subprocess.run(["systemd-analyze", "calendar", calendar], capture_output=True, check=False)
    assert read.returncode == 0


def workflow(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
    return content


def test_the_workflow_runs_daily_and_never_beside_itself(folder: Path) -> None:
    flow = workflow(schedule(folder, "--as", "actions", *CONFIG)["probatio-daily.yml"])
    require_cron(flow["on"]["schedule"][0]["cron"])
    assert flow["concurrency"] == {"group": "probatio-daily", "cancel-in-progress": "false"}
    assert all("uses" in step or "run" in step for step in flow["jobs"]["day"]["steps"])


def test_a_workflow_publishes_only_where_it_was_told_to(folder: Path) -> None:
    silent = schedule(folder, "--as", "actions", *CONFIG)["probatio-daily.yml"]
    assert "pages" not in silent and "site" not in silent
    assert workflow(silent)["permissions"] == {"contents": "write"}
    shutil.rmtree(folder / "out")
    loud = schedule(folder, "--as", "actions", "--publish", *CONFIG)["probatio-daily.yml"]
    assert "anyone can read it" in loud
    flow = workflow(loud)
    assert flow["permissions"] == {"contents": "write", "pages": "write", "id-token": "write"}
    steps = flow["jobs"]["day"]["steps"]
    used = [step["uses"].partition("@")[0] for step in steps if "uses" in step]
    assert used[-2:] == ["actions/upload-pages-artifact", "actions/deploy-pages"]
    assert set(re.findall(r"steps\.(\w+)\.", loud)) <= {step["id"] for step in steps if "id" in step}
    names = [step.get("name", step.get("uses")) for step in steps]
    after = steps[names.index("Run the day") + 1 :]
    assert len(after) == 6, "an incomplete day is kept and published, too"
    assert all(step["if"] == "${{ !cancelled() }}" for step in after)


def test_keys_come_from_secrets_and_from_nowhere_else(folder: Path) -> None:
    flow = workflow(schedule(folder, "--as", "actions", *CONFIG)["probatio-daily.yml"])
    assert {"OPENROUTER_API_KEY", "ALERT_HOST"} <= flow["env"].keys()
    for name, value in flow["env"].items():
        assert value == f"${{{{ secrets.{name} }}}}"


@pytest.mark.slow
def test_the_steps_of_the_workflow_keep_days_and_fail_at_the_gate(tmp_path: Path) -> None:
    """The shell lines themselves, in a clean clone each time, against a real repository and a loopback
    provider."""
    top = tmp_path / "first"
    origin = tmp_path / "origin.git"
    _sh(tmp_path, f"git init -q --bare --initial-branch main {origin} && git clone -q {origin} first")
    (top / "config").mkdir()
    (top / "config" / "models.yml").write_text(MODELS.partition("alerts:")[0])
    small_suite(top / "suite", EXTRACTION)
    done = probatio("daily", "schedule", "--as", "actions", "--suite", "suite", *CONFIG, "--out",
                    ".github/workflows", cwd=top)  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = (top / ".github" / "workflows" / "probatio-daily.yml").read_text()
    steps = {step["name"]: step for step in workflow(text)["jobs"]["day"]["steps"] if "name" in step}
    _sh(top, "git config user.name a && git config user.email a@b && git add . && git commit -qm watch")
    _sh(top, "git push -q origin HEAD:main")
    asked = 0
    with Double(reply=gold_script(EXTRACTION)) as double:
        for number in range(2):  # the second run goes on with the day of the first
            clone = tmp_path / f"run-{number}"
            _sh(tmp_path, f"git clone -q --depth 1 file://{origin} {clone}")
            env = {**environment(double), "HOME": str(clone.parent / f"home-{number}")}
            env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
            for name in ("Trust the suite, which is your own", "Fetch the days so far", "Run the day"):
                _sh(clone, steps[name]["run"], env)
            _sh(clone / "kept", steps["Keep the day, complete or not"]["run"], env)
            _sh(clone, steps["The gate"]["run"], env)
            asked = asked or double.served.total()
        assert double.served.total() == asked, "the second run asked nothing again"
        answers = next((clone / "kept" / "daily").glob("*/scores.jsonl"))
        answers.unlink()
        with pytest.raises(AssertionError):
            _sh(clone, steps["The gate"]["run"], env)
    listed = _sh(top, "git fetch -q && git ls-tree -r --name-only origin/days")
    assert "daily/ledger.jsonl" in listed and ".lock" not in listed
    assert _sh(top, "git rev-list --count origin/days").strip() == "1"


def _sh(folder: Path, script: str, env: dict[str, str] | None = None) -> str:
    """Like a step on Actions: bash, which stops at the first failure."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--as", "cron", "--publish"), "--as actions"),
        (("--as", "cron", "--config", "no.yml"), "does not exist"),
        (("--as", "cron", "--suite", "no"), "no/suite.yml"),
        (("--as", "cron", "--at", "25:00"), "25:00"),
    ],
)
def test_a_wrong_flag_is_a_sentence_and_writes_nothing(
    folder: Path, flags: tuple[str, ...], message: str
) -> None:
    done = probatio("daily", "schedule", *flags, "--out", "out", cwd=folder)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (folder / "out").exists()


def test_a_workflow_can_name_nothing_outside_the_repository(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other.yml").write_text(MODELS)
    done = probatio("daily", "schedule", "--as", "actions", "--config", "../other.yml", cwd=folder)
    assert (done.returncode, "is not in the repository" in done.stderr) == (2, True)


def test_files_of_another_watch_are_not_overwritten(folder: Path) -> None:
    schedule(folder, "--as", "systemd", *CONFIG)
    before = (folder / "out" / "probatio-daily.timer").read_bytes()
    schedule(folder, "--as", "systemd", *CONFIG)  # the same again is no matter
    done = probatio(
        "daily", "schedule", "--as", "systemd", "--at", "07:00", *CONFIG, "--out", "out", cwd=folder
    )
    assert (done.returncode, "says otherwise" in done.stderr) == (2, True)
    assert (folder / "out" / "probatio-daily.timer").read_bytes() == before


def test_a_schedule_without_a_limit_of_cost_is_pointed_out(folder: Path) -> None:
    done = probatio("daily", "schedule", "--as", "cron", "--config", "config/models.yml", cwd=folder)
    assert "No limit of cost is set." in done.stderr
    assert done.stdout.startswith("# Add the last line")


def test_the_example_in_the_docs_is_read_as_the_docs_say(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", (REPOSITORY / "docs" / "alerts.md").read_text(), re.DOTALL)
    path = tmp_path / "models.yml"
    path.write_text(example)
    slack, post = read_channels(path)
    assert (slack.name, slack.rule.severities, slack.link) == (
        "SLACK_URL",
        ("cooked", "confirmed"),
        "https://example.org/watch/",
    )
    assert (post.name, post.rule.hold_days, post.rule.cool_down_days, post.rule.models) == (
        "post",
        2,
        7,
        ("gpt-*",),
    )
