"""The files with which cron, systemd or GitHub Actions run the watch of one folder.

Templates with `@NAME@` for what differs. Lines between `# begin: WORD` and `# end: WORD` are there only where
the folder has what they are about.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, time
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "cron": ("crontab",),
    "systemd": ("probatio-daily.service", "probatio-daily.timer"),
    "actions": ("probatio-daily.yml",),
}
"""Scheduler → its files."""
KEPT = "kept"
"""The results folder of the workflow: a working tree of the branch that keeps the days."""

_FOLDER = Path(__file__).with_name("templates")
_BEGIN = re.compile(r" *# begin: (\w+)\n")


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What is run every day, and where. Paths are relative to the folder where they can be."""

    folder: Path
    program: tuple[str, ...]  # the command `probatio` of this machine
    at: time  # UTC
    config: str | None
    suite: str | None  # its folder; None: no folder
    results: str | None  # None: the default
    limits: tuple[str, ...]  # options of cost

    def words(self, results: str | None) -> tuple[str, ...]:
        """The options of `probatio daily`."""
        named = {"--config": self.config, "--suite": self.suite, "--results": results}
        return (*(word for flag, value in named.items() if value for word in (flag, value)), *self.limits)


def make_cron(watch: Watch, now: datetime) -> dict[str, str]:
    """Its line. cron reads the machine's clock, of which `now` has the zone."""
    local = datetime.combine(now.astimezone(UTC).date(), watch.at, UTC).astimezone(now.tzinfo)
    command = shlex.join((*watch.program, "daily", *watch.words(watch.results)))
    values = {
        "AT": f"{watch.at:%H:%M}",
        "LOCAL": f"{local:%H:%M}",
        "CRON_LOCAL": f"{local.minute} {local.hour} * * *",
        "FOLDER": _quote_for_cron(shlex.quote(str(watch.folder))),
        "COMMAND": _quote_for_cron(command),
    }
    return _fill("cron", values)


def make_systemd(watch: Watch) -> dict[str, str]:
    """The service and its timer."""
    command = (*watch.program, "daily", *watch.words(watch.results))
    values = {
        "AT": f"{watch.at:%H:%M}",
        "FOLDER": str(watch.folder).replace("%", "%%"),
        "COMMAND": " ".join(map(_quote_for_systemd, command)),
    }
    return _fill("systemd", values)


def make_actions(watch: Watch, package: str, secrets: Collection[str], *, publish: bool) -> dict[str, str]:
    """The workflow. `package`: what pip installs; `secrets`: variables that the day reads."""
    named = [path for path in (watch.config, watch.suite) if path]
    if outside := next((path for path in named if Path(path).is_absolute()), None):
        raise UsageError(f"{outside} is not in the repository {watch.folder}, so a workflow can't read it.")
    lines = [f"{name}: ${{{{ secrets.{name} }}}}" for name in secrets]
    config = f" --config {shlex.quote(watch.config)}" if watch.config else ""
    values = {
        "CRON": f"{watch.at.minute} {watch.at.hour} * * *",
        "SECRETS": "\n  ".join(lines),
        "PACKAGE": shlex.quote(package),
        "SUITE": shlex.quote(watch.suite or ""),
        "WORDS": shlex.join(watch.words(KEPT)),
        "CONFIG": config,
    }
    has = {"site": publish, "secrets": bool(secrets), "suite": bool(watch.suite)}
    return _fill("actions", values, [block for block, there in has.items() if there])


def _fill(scheduler: str, values: Mapping[str, str], blocks: Iterable[str] = ()) -> dict[str, str]:
    """File name → its text."""
    made = {}
    for name in TEMPLATES[scheduler]:
        text = read_inside(_FOLDER / name).decode()
        for block in _BEGIN.findall(text):
            kept = r"\1" if block in blocks else ""
            text = re.sub(rf" *# begin: {block}\n(.*?) *# end: {block}\n", kept, text, flags=re.DOTALL)
        made[name] = re.sub(r"@([A-Z_]+)@", lambda found: values[found[1]], text)
    return made


def _quote_for_cron(text: str) -> str:
    """cron ends a command at a percent sign, also within quotes."""
    return text.replace("%", r"\%")


def _quote_for_systemd(word: str) -> str:
    word = word.replace("%", "%%").replace("$", "$$")
    if re.fullmatch(r"[\w@%+=:,./$-]+", word):
        return word
    return '"' + word.replace("\\", r"\\").replace('"', r"\"") + '"'
