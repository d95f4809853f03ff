"""Any command line as a language: its programs are checked and run by the commands of language.yml, in the
jail."""

from __future__ import annotations

import functools
import hashlib
import itertools
import platform
import re
import signal
import tempfile
import threading
from pathlib import Path

import msgspec

from probatio import jail
from probatio.core.errors import CannotCheck, UsageError
from probatio.core.inside import MOST_FILES, open_named, walk_inside
from probatio.core.records import CRASHED_CHECKER, UNASKED_ERRORS, ErrorType
from probatio.jail import Choice, NoIsolation, ProgramOutcome, Runtime
from probatio.jail.isolation import runs_warm
from probatio.jail.program import NOT_STARTED, SIGNALLED
from probatio.languages.contract import STANDARD, Checked, ErrorRule, LanguageSpec, explain_stop
from probatio.languages.notation import read_signs, write_signs
from probatio.languages.toolchain import Tool, program_name, require_forkable, tool

LONGEST_MESSAGE = 1000
"""Characters of what a checker says that a reader or a model is shown."""
LONGEST_ERRORS = 20_000
"""Characters of standard error that are kept of a run."""
_LINES = 12
_BLOCK = 1 << 20
# Engines with a heap of their own set that much aside; what is really used is looked at every 20 ms.
_RESERVED_MB = 1024
_STAGES = (None, "check", "run")
_NEVER_BEGAN: tuple[ErrorType, ...] = ("syntax_error", "type_error")
PASSED = {
    "time": "did not end within {seconds:g} s",
    "cpu": "did not end within {cpu_seconds} s of CPU",
    "memory": "needs more than {memory_mb} MB",
    "output": "printed more than {output_bytes:,} bytes",
    "processes": "started more than {processes} threads or processes",
    "files": "wrote more than {file_mb} MB",
}


class CommandLanguage:
    """A language whose programs are files for commands."""

    dialects: tuple[str, ...] = (STANDARD,)
    takes_input = True

    def __init__(self, spec: LanguageSpec) -> None:
        if spec.commands is None:
            raise UsageError(f"language.yml of {spec.name}: give `commands` or an `implementation`.")
        self.name, self.commands, self._signs = spec.name, spec.commands, spec.shown
        self._lock = threading.Lock()
        self._tools: dict[str, Tool] = {}
        self._version: str | None = None
        for rule in self.commands.errors:
            _check_rule(self.name, rule)

    def tool(self, stage: str) -> Tool | None:
        """The command of a stage, found once; None where the language has none."""
        words: tuple[str, ...] | msgspec.UnsetType | None = getattr(self.commands, stage)
        if words is None or words is msgspec.UNSET:
            return None
        with self._lock:
            if stage not in self._tools:
                found = tool(self.name, stage, self.commands, words)
                self._tools[stage] = require_forkable(self.name, found, words) if stage == "serve" else found
            return self._tools[stage]

    def version(self) -> str:
        """What `commands.version` says, with a digest of all else that can move a grade; found once."""
        if self._version is None:
            said = self._read_version()
            self._version = f"{said} [{self._digest(said is None)}]" if said else self._digest(True)
        return self._version

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        """What the checker says; where it says nothing because it breaks, how it broke."""
        checker = self.tool("check")
        if checker is None:
            return Checked()
        outcome = self._run(checker, program, "", isolation)
        # Some checkers say what they have to say on standard output.
        outcome = msgspec.structs.replace(
            outcome, stdout=self._neutral(outcome.stdout[:LONGEST_ERRORS], checker)
        )
        if outcome.exit == 0:
            return Checked(timely=outcome.timely)
        said = _message(outcome)
        error = self._apply_rules("check", outcome)
        if error is None and (how := self._describe_break(outcome)):
            return Checked(CRASHED_CHECKER, f"the checker of {self.name} {how}", outcome.timely, doubt=True)
        return Checked(error or "syntax_error", said, outcome.timely, outcome.doubtful)

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        runner = self.tool("run")
        assert runner is not None
        server = self.tool("serve")
        if server and runs_warm(jail.find_isolation(isolation).kind):
            outcome = self._run_warm(server, program, stdin)
        else:
            outcome = self._run(runner, program, stdin, isolation)
        began = self.commands.check is not None or self._apply_rules("run", outcome) not in _NEVER_BEGAN
        return outcome if began else msgspec.structs.replace(outcome, started=False)

    def explain_failure(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        """The class of error of a run that ended badly, by the rules of language.yml where one fits."""
        if stopped := explain_stop(outcome):
            return stopped
        how = f"ended by {signal_name(outcome.exit)}" if outcome.exit in SIGNALLED else f"exit {outcome.exit}"
        return self._apply_rules("run", outcome) or "runtime_error", f"{how}: {error_line(outcome)}"

    def program_in(self, program: str, dialect: str) -> str:
        return write_signs(program, self._signs)

    def template_in(self, template: str, dialect: str) -> str:
        return write_signs(template, self._signs)

    def describe(self, what: str, argument: str, dialect: str) -> str:
        raise KeyError(what)

    def _run(self, what: Tool, program: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        commands = self.commands
        if commands.processes and (
            reason := jail.explain_unheld_processes(jail.find_isolation(isolation).kind)
        ):
            raise UsageError(
                f"language.yml of {self.name}: commands.processes asks for new processes, and {reason}."
            )
        text = read_signs(program, self._signs)
        runtime = Runtime(
            what.argv, what.reads, what.env, _RESERVED_MB, "command",
            scratch=commands.processes or what.scratch,
            file=(program_name(commands), text.encode("utf-8", "surrogatepass")),
            processes=commands.processes,
        )  # fmt: skip
        given = stdin.encode("utf-8", "surrogatepass")
        outcome = jail.run(runtime, given, commands.limits, isolation)
        return msgspec.structs.replace(outcome, stderr=self._neutral(outcome.stderr[:LONGEST_ERRORS], what))

    def _run_warm(self, what: Tool, program: str, stdin: str) -> ProgramOutcome:
        from probatio.jail import warm  # only Linux can import it

        text = read_signs(program, self._signs).encode("utf-8", "surrogatepass")
        runtime = Runtime(what.argv, what.reads, what.env, _RESERVED_MB, "command")
        outcome = warm.run(runtime, text, stdin.encode("utf-8", "surrogatepass"), self.commands.limits)
        return msgspec.structs.replace(outcome, stderr=self._neutral(outcome.stderr[:LONGEST_ERRORS], what))

    def _describe_break(self, outcome: ProgramOutcome) -> str | None:
        """How a checker broke that said nothing of the program; None where it came to its end."""
        if outcome.stopped:
            return PASSED[outcome.stopped].format(**msgspec.to_builtins(self.commands.limits))
        if outcome.exit in SIGNALLED:
            return f"was ended by {signal_name(outcome.exit)}: {_message(outcome)}"
        if outcome.exit in NOT_STARTED:
            return f"did not start (exit {outcome.exit}): {_message(outcome)}"
        return None

    def _neutral(self, text: str, what: Tool) -> str:
        """A message without places of this machine or of the jail: the program is called by its name
        alone."""
        if "/" not in text:
            return text
        name = program_name(self.commands)
        text = _own_folder().sub("", text)
        text = re.sub(rf"(?<![\w./-])/+(?:tmp/|scratch/)?{re.escape(name)}", name, text)
        folder = str(Path(self.commands.folder).resolve()) if self.commands.folder else ""
        places = {path: Path(path).name for path in (*what.reads, what.binary)}
        if what.python:
            places[next(value for key, value in what.env if key == "PYTHONHOME")] = "python"
        if folder:
            places[f"{folder}/"] = ""
        for path in sorted(places, key=len, reverse=True):
            text = text.replace(path, places[path])
        return text

    def _apply_rules(self, stage: str, outcome: ProgramOutcome) -> ErrorType | None:
        """The class that the first fitting rule gives."""
        if outcome.exit in (0, None):
            return None
        said = f"{outcome.stderr}\n{outcome.stdout[:LONGEST_ERRORS]}"
        for rule in self.commands.errors:
            exits = (rule.exit,) if isinstance(rule.exit, int) else rule.exit
            if (
                rule.stage in (None, stage)
                and (exits is None or outcome.exit in exits)
                and (rule.message is None or re.search(rule.message, said))
            ):
                return rule.error
        return None

    def _read_version(self) -> str | None:
        teller = self.tool("version")
        if teller is None:
            return None
        try:
            outcome = self._run(teller, "", "", "auto")
        except NoIsolation:  # the user goes without a jail; their toolchain is known by its files then
            return None
        except CannotCheck as error:
            raise UsageError(f"language.yml of {self.name}: commands.version: {error}") from error
        lines = [line.strip() for line in f"{outcome.stdout}\n{outcome.stderr}".splitlines() if line.strip()]
        if outcome.exit != 0 or not lines:
            how = (
                f"was stopped at the limit of {outcome.stopped}"
                if outcome.stopped
                else f"ended with {outcome.exit}"
            )
            raise UsageError(
                f"language.yml of {self.name}: commands.version {how}, where it should print a version: "
                f"{_message(outcome)}"
            )
        return lines[0][:200]

    def _digest(self, binaries: bool) -> str:
        """The commands and the content of the language's files; the binaries too, where nothing else tells
        their version."""
        commands = msgspec.structs.replace(
            self.commands, folder="", env=dict(sorted(self.commands.env.items()))
        )
        digest = hashlib.blake2b(msgspec.json.encode(commands), digest_size=8)
        # What `reads` names of the machine's own.
        outside = [Path(word) for word in commands.reads if "{" not in word] if binaries else []
        for stage in ("check", "run", "serve"):
            one = self.tool(stage)
            if one is None:
                continue
            if one.python:
                digest.update(platform.python_version().encode())
            elif binaries:
                _add_content(digest, Path(one.binary))
            digest.update(repr(one.packages.versions).encode())
            for path in map(Path, one.scripts):
                for part in self._files(path):
                    digest.update(f"{part.relative_to(path.parent)}\0".encode("utf-8", "surrogateescape"))
                    _add_content(digest, part)
            for path in outside:
                # Of the machine's own folders, which may be large, names and sizes must do.
                for part in _list_outside(path):
                    about = f"{part.relative_to(path.parent)} {part.stat().st_size}\0"
                    digest.update(about.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def _files(self, path: Path) -> list[Path]:
        """A script, or all files of a folder of the language, but for what Python makes of them."""
        folder = Path(self.commands.folder).resolve()
        if not path.is_relative_to(folder):  # on PATH
            return [path]
        return [one for one in walk_inside(path, folder) if "__pycache__" not in one.parts]


def _check_rule(language: str, rule: ErrorRule) -> None:
    if rule.stage not in _STAGES:
        raise UsageError(
            f"language.yml of {language}: commands.errors: stage is {rule.stage!r}; use check or run."
        )
    if rule.error in UNASKED_ERRORS:
        raise UsageError(
            f"language.yml of {language}: commands.errors: class is {rule.error}, which would keep an answer "
            "out of every rate; use an error of the program, as syntax_error or runtime_error."
        )
    try:
        re.compile(rule.message or "")
    except re.error as error:
        raise UsageError(
            f"language.yml of {language}: commands.errors: {rule.message!r} is no regular expression: "
            f"{error}."
        ) from error


def _list_outside(path: Path) -> list[Path]:
    """A file of the machine's own, or all files of a folder."""
    if not path.is_dir():
        return [path]
    found = list(itertools.islice(path.rglob("*"), MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise UsageError(
            f"`reads` names {path}, which has more than {MOST_FILES:,} files. Name a smaller folder."
        )
    return sorted(one for one in found if one.is_file() and "__pycache__" not in one.parts)


def _add_content(digest: hashlib.blake2b, path: Path) -> None:
    with open_named(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)


@functools.cache
def _own_folder() -> re.Pattern[str]:
    """The folder of a program outside a mount namespace, as `jail.build` makes it."""
    made = {tempfile.gettempdir(), str(Path(tempfile.gettempdir()).resolve())}
    return re.compile(rf"(?:{'|'.join(map(re.escape, sorted(made)))})/probatio-\w{{8}}/?")


def signal_name(code: int | None) -> str:
    number = (code or 128) - 128
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _message(outcome: ProgramOutcome) -> str:
    """The first lines of what was said, on standard error or else on standard output."""
    said = outcome.stderr if outcome.stderr.strip() else outcome.stdout
    lines = [line.rstrip() for line in said.splitlines() if line.strip()]
    return "\n".join(lines[:_LINES])[:LONGEST_MESSAGE] or f"exit {outcome.exit} and no message"


def error_line(outcome: ProgramOutcome) -> str:
    """The line that says what went wrong: the first, but the last of a traceback of Python."""
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.strip()] or ["no message"]
    return lines[-1 if lines[0].startswith("Traceback") else 0][:300]
