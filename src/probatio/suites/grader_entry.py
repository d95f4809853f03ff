"""The grader of a user's use case: a built-in one by its name, `grader.py` in its folder, or any command."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import MOST_TEXT, read_inside, require_file, walk_inside
from probatio.core.records import Grading
from probatio.core.text.names import refuse_unknown_name
from probatio.core.trust import TrustRequest, refuse
from probatio.jail import Choice, Limits

PYTHON_FILE = "grader.py"
LONGEST_SECONDS = 60
"""A day has hundreds of answers, and each is graded on the day."""
_OF_FOLDER = re.compile(r"\{folder\}(/[^:;,=\s]*)?")


class GraderCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command under `grader:` of suite.yml. `{folder}` is the use case's folder, `{python}` our
    interpreter."""

    command: tuple[str, ...]
    reads: tuple[str, ...] = ()
    """More files and folders that it needs in the jail."""
    env: dict[str, str] = {}
    limits: Limits = Limits()
    processes: bool = False
    """Whether it starts processes of its own."""
    isolation: Literal["jail", "none"] = "jail"
    """`none`: it runs outside the jail and can read, write and reach what the user can."""


class OwnGrader(msgspec.Struct, frozen=True):
    """A user's grader, with all that a worker needs to start it."""

    use_case: str
    folder: str
    says: GraderCommand
    untrusted: tuple[TrustRequest, ...] = ()
    """What it asks for and the user has not allowed; set when it is read."""

    def is_outside(self, sandbox: Choice) -> bool:
        """Whether it runs outside the jail. A jail that the command line names holds it all the same."""
        return self.says.isolation == "none" and sandbox in ("auto", "none")

    def require_trust(self, sandbox: Choice) -> None:
        """Refuse to start what the user has not allowed. `--sandbox none` allows what is outside the jail,
        for one command."""
        unjailed = self.is_outside(sandbox)
        spoken = ("grader",) if sandbox != "auto" else ()
        asked = [
            request
            for request in self.untrusted
            if request.kind not in spoken and (request.kind == "grader" or not unjailed)
        ]
        refuse(asked, " (or hold it in a jail: --sandbox bubblewrap)" if unjailed else "")

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every file of the use case's folder that the grader is or reads, by its name there: they move
        grades."""
        named = [*self.says.command, *self.says.reads, *self.says.env.values()]
        places = dict.fromkeys(match[1] or "" for word in named for match in _OF_FOLDER.finditer(word))
        for place in places:
            path = Path(os.path.normpath(f"{self.folder}{place}"))
            if not path.exists():
                raise UsageError(f"The grader of `{self.use_case}` needs {path}, which is not there.")
            for file in walk_inside(path, Path(self.folder)):
                if "__pycache__" not in file.parts:
                    yield str(file.relative_to(self.folder)), file


def grader_of_entry(
    root: Path, use_case: str, grading: Grading, entry: str | GraderCommand | None, built_in: Path
) -> str | OwnGrader | None:
    """The grader of a use case in a user's suite; None for the judge alone. Refuses an ambiguous entry."""
    if grading == "judge":
        return None
    folder, where = root / use_case, f"{root / 'suite.yml'}: the use case `{use_case}`"
    if isinstance(entry, GraderCommand):
        return _own(use_case, folder, entry, where)
    if isinstance(entry, str) and entry.endswith(".py"):
        if not (folder / entry).exists():
            raise UsageError(f"{where} names the grader {entry}, which is not in {folder}.")
        return _own(use_case, folder, _python(folder, entry), where)
    known = sorted(path.parent.name for path in built_in.glob(f"*/{PYTHON_FILE}"))
    if isinstance(entry, str):
        if entry not in known:
            raise refuse_unknown_name(f"grader (in {root / 'suite.yml'}, of `{use_case}`)", entry, known)
        return entry
    theirs, ours = folder / PYTHON_FILE, built_in / use_case / PYTHON_FILE
    if use_case in known:
        if theirs.exists() and read_inside(theirs, root, MOST_TEXT) != read_inside(ours):
            raise UsageError(
                f"{where} has a {PYTHON_FILE} and the name of a built-in one. Say which is meant: `grader: "
                f"{PYTHON_FILE}` or `grader: {use_case}`."
            )
        return use_case
    if theirs.exists():
        return _own(use_case, folder, _python(folder, PYTHON_FILE), where)
    raise UsageError(
        f"{where} has no grader: put a {PYTHON_FILE} into {folder}, give each case an `expect:`, or name one "
        f"with `grader:`, of your own or one of {', '.join(known)}."
    )


def _python(folder: Path, name: str) -> GraderCommand:
    """A Python file as a command; it may import the other Python files of its folder."""
    require_file(folder / name, folder)
    beside = sorted(path.name for path in folder.glob("*.py") if path.name != name)
    return GraderCommand(("{python}", f"{{folder}}/{name}"), tuple(f"{{folder}}/{each}" for each in beside))


def _own(use_case: str, folder: Path, says: GraderCommand, where: str) -> OwnGrader:
    if not says.command:
        raise UsageError(f"{where}: `grader.command` is empty; give the command and its arguments.")
    if not 0 < says.limits.seconds <= LONGEST_SECONDS:
        raise UsageError(
            f"{where}: `grader.limits.seconds` is {says.limits.seconds:g}; at most {LONGEST_SECONDS}."
        )
    return OwnGrader(use_case, str(folder.resolve()), says)
