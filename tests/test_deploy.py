"""The files for cron, systemd and GitHub Actions: each has valid syntax and calls commands that exist."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from probatio.cli import root
from probatio.watch.alerts.channels import read_channels

REPOSITORY = Path(__file__).parent.parent
DEPLOY = REPOSITORY / "deploy"
FILES = sorted(DEPLOY.iterdir())
DOCS = [REPOSITORY / "docs" / name for name in ("alerts.md", "deploy.md", "models.md")]
CALL = re.compile(r"(?:^|[\s=/`])probatio ((?:[a-z-]+)(?: [^\n`|>&#]*)?)", re.MULTILINE)


def calls(path: Path) -> list[str]:
    """The calls of `probatio` in a file. In Markdown only those in backquotes or code blocks; never those in
    comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = "\n".join(
            [
                *re.findall(r"`(probatio [^`]+)`", text),
                *re.findall(r"^    (probatio .+)$", text, re.MULTILINE),
            ]
        )
    else:
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [call.strip() for call in CALL.findall(text)]


def parse(line: str) -> click.Context:
    """The line parsed by the real commands; nothing is run."""
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}", "value", line))
    with click.Context(root, info_name="probatio") as ctx:
        name, command, rest = root.resolve_command(ctx, words)
        assert command is not None, f"there is no command in: {line}"
        return command.make_context(name, rest, parent=ctx)


@pytest.mark.parametrize("path", [*FILES, *DOCS], ids=lambda path: path.name)
def test_every_command_in_it_exists_with_these_options(path: Path) -> None:
    lines = calls(path)
    assert lines or path.suffix == ".timer"
    for line in lines:
        parse(line)


def test_an_outdated_command_is_detected() -> None:
    for line in ("daily --max-price 5", "dayly", "site build --into site", "alert trial"):
        with pytest.raises((click.UsageError, AssertionError)):
            parse(line)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_says_first_how_to_use_it_and_has_no_path_of_this_machine(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("# ") for line in lines[:2])
    assert not lines[2].startswith("#")
    assert not re.search(r"/(home|root|work|tmp|usr|opt)/", path.read_text(encoding="utf-8"))


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


def test_the_line_for_cron_has_five_fields_that_cron_takes() -> None:
    (line,) = [
        line for line in (DEPLOY / "crontab").read_text().splitlines() if line and not line.startswith("#")
    ]
    fields = line.split(None, 5)
    require_cron(" ".join(fields[:5]))
    assert fields[5].startswith('cd "$HOME/watch" && .venv/bin/probatio daily')
    assert "%" not in fields[5]  # cron would end the line there


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(
        interpolation=None, strict=True, delimiters=("=",), comment_prefixes=("#", ";")
    )
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string((DEPLOY / name).read_text())
    return parser


def test_the_units_belong_together() -> None:
    service, timer = unit("probatio-daily.service"), unit("probatio-daily.timer")
    assert service["Service"]["Type"] == "oneshot"
    assert service["Service"]["ExecStart"].startswith(service["Service"]["WorkingDirectory"] + "/")
    assert "Install" not in service  # started by its timer, not at boot
    assert timer["Install"]["WantedBy"] == "timers.target"
    assert timer["Timer"]["OnCalendar"].endswith(" UTC")
    assert timer["Timer"]["Persistent"] == "true"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not on this machine")
def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    for name in ("probatio-daily.service", "probatio-daily.timer"):
        text = (DEPLOY / name).read_text().replace("%h/watch/.venv/bin/probatio", shutil.which("true") or "")
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", *map(str, tmp_path.iterdir())],
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    ours = [line for line in done.stderr.splitlines() if "probatio-daily" in line]
    assert (done.returncode, ours) == (0, []), done.stderr
    calendar = unit("probatio-daily.timer")["Timer"]["OnCalendar"]
    assert (
        subprocess.run(["systemd-analyze", "calendar", calendar], capture_output=True, check=False).returncode
        == 0
    )


def workflow() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load((DEPLOY / "github-actions.yml").read_text(), Loader=yaml.BaseLoader)
    return content


def steps() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = workflow()["jobs"]["day"]["steps"]
    return listed


def test_the_workflow_runs_daily_never_beside_itself_and_publishes() -> None:
    flow = workflow()
    require_cron(flow["on"]["schedule"][0]["cron"])
    assert flow["concurrency"] == {"group": "daily", "cancel-in-progress": "false"}
    assert flow["permissions"] == {"contents": "write", "pages": "write", "id-token": "write"}
    used = [step["uses"].partition("@")[0] for step in steps() if "uses" in step]
    assert used[-2:] == ["actions/upload-pages-artifact", "actions/deploy-pages"]
    assert all("uses" in step or "run" in step for step in steps())
    ids = {step["id"] for step in steps() if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.", (DEPLOY / "github-actions.yml").read_text())) <= ids


def test_keys_come_from_secrets_and_from_nowhere_else() -> None:
    for name, value in workflow()["env"].items():
        assert value == f"${{{{ secrets.{name} }}}}"


def test_an_incomplete_day_is_also_stored_and_published() -> None:
    names = [step.get("name", step.get("uses")) for step in steps()]
    after = steps()[names.index("Run the day") + 1 :]
    assert len(after) == 5
    assert all(step["if"] == "${{ !cancelled() }}" for step in after)


def test_days_are_stored_from_run_to_run_on_their_own_branch(tmp_path: Path) -> None:
    """The shell lines of the workflow itself, run three times against a real repository."""
    scripts = {step["name"]: step["run"] for step in steps() if "name" in step and "run" in step}
    origin = tmp_path / "origin.git"
    _sh(
        tmp_path,
        f"git init --quiet --bare --initial-branch main {origin} && git clone --quiet {origin} first",
    )
    _sh(
        tmp_path / "first",
        "git config user.name a && git config user.email a@b && echo code > code && git add code",
    )
    _sh(tmp_path / "first", "git commit --quiet -m code && git push --quiet origin HEAD:main")
    for number, day in enumerate(("2026-03-01", "2026-03-02", "2026-03-02")):
        clone = tmp_path / f"run-{number}"
        _sh(tmp_path, f"git clone --quiet --depth 1 file://{origin} {clone}")
        _sh(clone, scripts["Fetch the days so far"])
        folder = clone / "kept" / "daily" / day
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("scores.jsonl", ".lock"):
            (folder / name).write_text(day)
        _sh(clone / "kept", scripts["Keep the day, complete or not"])
    listed = _sh(tmp_path / "first", "git fetch --quiet && git ls-tree -r --name-only origin/days")
    assert listed.split() == ["daily/2026-03-01/scores.jsonl", "daily/2026-03-02/scores.jsonl"]
    assert _sh(tmp_path / "first", "git rev-list --count origin/days").strip() == "2"


def _sh(folder: Path, script: str) -> str:
    """Like a step on Actions: bash, which stops at the first failure."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
