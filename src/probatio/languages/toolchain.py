"""The commands of a language made ready for the jail: which binary each one is, and the files it needs there.

Nothing of the language's folder is shown but what a command or `reads` names, and its tasks never: they hold
the solutions.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import open_named, open_reader, require_file, require_inside
from probatio.core.trust import LEFT_OUT, explain_left_out, find_left_out
from probatio.jail import libraries
from probatio.jail.libraries import library_path
from probatio.languages.contract import Commands
from probatio.languages.imports import list_scripts, read_imports
from probatio.languages.packages import Packages, packages
from probatio.languages.python import home

SCRATCH = "{scratch}"
"""Stands in a command or its environment for a folder to write in."""
TASKS = "tasks"
"""The part of a language's folder that no program may see."""
PRIVATE = (".env", ".git")
"""What lies in a folder and is the user's, not the language's: keys, and addresses with passwords."""
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
"""Programs there count as being on PATH: a timer's PATH is often shorter than the user's."""

_ENV = (("HOME", "/"), ("LANG", "C.UTF-8"), ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TZ", "UTC"))
_PYTHON_ENV = (("PYTHONNOUSERSITE", "1"), ("PYTHONDONTWRITEBYTECODE", "1"))
_IN_FOLDER = re.compile(r"\{folder\}(/[^:;,=\s]*)?")
_WORDS = re.compile(r"[^\s:;,='\"`()<>|&]+")
_SUFFIX = re.compile(r"\.[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*")
_MOST_INTERPRETERS = 4  # as many as the kernel follows
_SPLITS = re.compile(r"(?:-[i0v]*S|--split-string=?)(.*)", re.DOTALL)
_TAKES_A_WORD = ("-u", "--unset", "-C", "--chdir", "-a", "--argv0", "-P")
"""Options of `env`."""
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "busybox")


class Tool(msgspec.Struct, frozen=True):
    """One command, ready to be started."""

    argv: tuple[str, ...]
    reads: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    binary: str
    scripts: tuple[str, ...]
    """Files of the language that are run or read: another content may give another grade."""
    python: bool
    packages: Packages = Packages()
    scratch: bool = False
    """Whether it gets a folder to write in."""


def program_name(commands: Commands) -> str:
    """What the program's file is called in the jail."""
    return f"program{commands.suffix}"


def tool(language: str, stage: str, commands: Commands, words: Sequence[str], where: str = "") -> Tool:
    """The command of one stage. Raises UsageError where something it names is not there; `where` is what it
    calls the place of the commands, if that is not a language.yml."""
    where = where or f"language.yml of {language}: commands."

    def wrong(what: str) -> UsageError:
        return UsageError(f"{where}{stage} {what}")

    if not words:
        raise wrong("is empty; give the command and its arguments.")
    if not _SUFFIX.fullmatch(commands.suffix):
        raise UsageError(f"{where}suffix is {commands.suffix!r}; write it as .lua, with its dot.")
    folder = str(Path(commands.folder).resolve()) if commands.folder else ""
    if not folder and any("{folder}" in word for word in (*words, *commands.reads)):
        raise wrong("names {folder}, and the language has no folder.")

    def fill(word: str) -> str:
        for name, value in (
            ("{file}", program_name(commands)),
            ("{folder}", folder),
            ("{python}", home.interpreter()),
            (SCRATCH, "."),  # where the commands start
        ):
            word = word.replace(name, value)
        return word

    named = _find_named(words, folder, wrong)
    argv, started = _resolve_command(words[0], fill(words[0]), folder, wrong)
    binary = argv[0]
    extra = _extra_reads(where, commands, folder, fill)
    scripts = tuple(dict.fromkeys((*started, *named, *(path for path in extra if _within(path, folder)))))
    reads = [*started, *named, *extra]
    env = dict(_ENV)
    python = Path(binary).resolve() == Path(home.interpreter())
    imported = Packages()
    if python:
        argv = (home.interpreter(), *argv[1:])
        binary = argv[0]
        place, its_env = home.home()
        env.update((*its_env, *_PYTHON_ENV))
        script = fill(words[1]) if len(words) > 1 else ""
        imported, uses_site = _find_imported(where, words, scripts, script, folder)
        reads += [place, *([imported.folder] if imported.folder else ()), *imported.reads]
        if imported.folder:
            env["PYTHONPATH"] = imported.folder
        elif script in named and not uses_site:
            # Nothing to find for `site`, which is a sixth of the interpreter's start.
            argv = (binary, "-S", *argv[1:])
    shared = {path for one in (binary, *reads) if Path(one).is_file() for path in libraries(one)}
    shared.update(path for path in imported.reads if ".so" in Path(path).name)
    if shared:
        here = library_path(tuple(shared))
        env["LD_LIBRARY_PATH"] = f"{env['LD_LIBRARY_PATH']}:{here}" if "LD_LIBRARY_PATH" in env else here
    env.update({name: fill(value) for name, value in commands.env.items()})
    reads += sorted(shared)
    return Tool(
        argv=(*argv, *map(fill, words[1:])),
        reads=tuple(dict.fromkeys(reads)),
        env=tuple(sorted(env.items())),
        binary=binary,
        scripts=scripts,
        python=python,
        packages=imported,
        scratch=any(SCRATCH in word for word in (*words, *commands.env.values())),
    )


def require_forkable(language: str, found: Tool, words: Sequence[str]) -> Tool:
    """The tool of `serve`, if it is Python with a file of the folder: no other runtime can be forked here."""
    if not found.python or len(words) != 2 or "{folder}" not in words[1]:
        raise UsageError(
            f'language.yml of {language}: commands.serve is ["{{python}}", "{{folder}}/FILE.py"]: a file of '
            "the folder with a function run(program)."
        )
    if found.scratch:
        raise UsageError(
            f"language.yml of {language}: `env` names {SCRATCH}, which commands.serve does not have."
        )
    return found


def _resolve_command(
    word: str, path: str, folder: str, wrong: Callable[[str], UsageError]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What really starts: the binary with the words that interpreter lines put before a script, and those
    scripts."""
    if "/" not in path:
        found = shutil.which(path)
        if found is None:
            raise wrong(f"names `{word}`, which is not on PATH; install it, or correct the name.")
        path = found
    if not os.path.isabs(path):  # noqa: PTH117
        raise wrong(
            f"names `{word}`; write {{folder}}/{path.removeprefix('./')} for a file of the language's folder."
        )
    words: tuple[str, ...] = ()
    scripts: list[str] = []
    for _ in range(_MOST_INTERPRETERS + 1):
        if not os.path.isabs(path):  # noqa: PTH117
            raise wrong(f"names `{word}`, whose first line asks for {path}; write its whole path there.")
        if not Path(path).is_file():
            raise wrong(f"names `{word}`: there is no {Path(path).name}; install it, or correct the name.")
        if not os.access(path, os.X_OK):
            raise wrong(f"names `{word}`: {Path(path).name} is not executable; chmod +x sets that.")
        if _within(path, folder):
            _require_own(path, folder)
        with open_named(Path(path)) as file:
            head = file.read(512)
        if head.startswith(b"\x7fELF"):
            return (path, *words), tuple(scripts)
        if not head.startswith(b"#!"):
            raise wrong(
                f"names `{word}`: {Path(path).name} is neither a program nor a script that begins with #!."
            )
        scripts.append(path)
        if len(scripts) > 1 and not _within(path, folder) and Path(path).parent not in _on_path():
            raise wrong(f"names `{word}`, whose first line leads to {path}: a script that is not on PATH.")
        path, more = _interpreter(_read_first_line(head), word, str(Path(path).parent), wrong)
        words = (*more, scripts[-1], *words)
    raise wrong(f"names `{word}`, a script whose interpreters are scripts without end.")


def _interpreter(
    line: Sequence[str], word: str, beside: str, wrong: Callable[[str], UsageError]
) -> tuple[str, tuple[str, ...]]:
    """The binary an interpreter line names, and the words it puts before the script. One that `env` looks for
    may also lie beside the script, as where a toolchain is installed in a folder of its own."""
    for_env, found = unwrap_env(line)
    if not found:
        raise wrong(f"names `{word}`, whose first line names no program.")
    if for_env:
        raise wrong(f"names `{word}`, whose first line gives `{for_env[0]}` to env; only -S is read there.")
    if found == tuple(line):
        return found[0], found[1:]
    program = shutil.which(found[0]) or shutil.which(found[0], path=beside)
    if program is None:
        raise wrong(
            f"names `{word}`, whose first line asks for {found[0]}; that is neither on PATH "
            f"({os.environ.get('PATH', '')}) nor beside the command, in {beside}."
        )
    return program, found[1:]


def _read_first_line(head: bytes) -> tuple[str, ...]:
    """What the first line of a script names: a program, and its words as one, as the kernel takes them."""
    line = head[2:].split(b"\n")[0].decode("utf-8", "replace").strip()
    return tuple(filter(None, re.split(r"[ \t]+", line, maxsplit=1)))


def unwrap_env(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The program that `env` starts with its words, and before them what env keeps for itself (options and
    variables). Any other command is returned unchanged."""
    kept: list[str] = []
    left = list(words)
    while len(left) > 1 and Path(left[0]).name == "env":
        left = _split(left[1]) + left[2:]
        while left and (left[0].startswith("-") or "=" in left[0]):
            option = left.pop(0)
            if split := _SPLITS.fullmatch(option):
                given = split[1] or (left.pop(0) if left else "")
                left = _split(given) + left
                continue
            kept.append(option)
            if option in _TAKES_A_WORD and left:
                kept.append(left.pop(0))
    return tuple(kept), tuple(left)


def _split(text: str) -> list[str]:
    """The words of a text; without the rules of quotes where they are broken."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _find_named(words: Sequence[str], folder: str, wrong: Callable[[str], UsageError]) -> list[str]:
    """The files and folders below the language's own that the words of a command name."""
    found: list[str] = []
    for word in words:
        for match in _IN_FOLDER.finditer(word):
            path = os.path.normpath(folder + (match[1] or ""))
            if not Path(path).exists():
                if match[0] == word:
                    raise wrong(f"names `{word}`, which is not there.")
            elif path != folder and not _shows_tasks(_require_own(path, folder), folder):
                found.append(path)
    return found


def _extra_reads(where: str, commands: Commands, folder: str, fill: Callable[[str], str]) -> list[str]:
    """What `reads` names; the language's folder itself stands for all that is in it but the tasks."""
    found: list[str] = []
    for word in commands.reads:
        path = os.path.normpath(fill(word))
        if not os.path.isabs(path) or not Path(path).exists():  # noqa: PTH117
            raise UsageError(f"{where}reads names `{word}`, which is not there.")
        if path == folder:
            found += [_require_own(entry, folder) for entry in _list_shown(folder)]
        elif folder and _shows_tasks(path, folder):
            raise UsageError(f"{where}reads names `{word}`, which holds the tasks with their solutions.")
        else:
            own = "{folder}" in word or _within(path, folder)
            found.append(_require_own(path, folder) if own else path)
    return found


def _list_shown(folder: str) -> list[str]:
    """What the folder itself stands for: all that is in it but the tasks, what is the user's, and ours."""
    hidden = (TASKS, *PRIVATE, *LEFT_OUT)
    return sorted(str(entry) for entry in Path(folder).iterdir() if entry.name not in hidden)


def find_outside(commands: Commands, root: Path) -> tuple[list[str], list[str]]:
    """The files and the programs of this machine that commands of the suite in `root` name: what is not in
    that folder once links are followed, or is there and the user's own. Nothing is started."""
    folder, inside = commands.folder, os.path.realpath(root)
    private = [os.path.join(inside, name) for name in PRIVATE] + [os.path.realpath(".env")]  # noqa: PTH118
    private = [path for path in private if os.path.lexists(path)]
    files: dict[str, None] = {}
    programs: dict[str, None] = {}
    for words in commands.called:
        named = [folder + (match[1] or "") for word in words for match in _IN_FOLDER.finditer(word)]
        files.update(dict.fromkeys(path for path in named if os.path.normpath(path) != folder))
        filled = [word.replace("{folder}", folder).replace("{python}", home.interpreter()) for word in words]
        programs.update(dict.fromkeys(list_started(filled, root)))
    for word in commands.reads:
        path = os.path.normpath(word.replace("{folder}", folder).replace("{python}", home.interpreter()))
        files.update(dict.fromkeys(_list_shown(folder) if path == folder else (path,)))

    def is_outside(path: str) -> bool:
        real = os.path.realpath(path)
        return not _within(real, inside) or any(
            _within(real, each) or _within(each, real) for each in private
        )

    return (
        [os.path.normpath(path) for path in files if is_outside(path)],
        [path for path in programs if is_outside(path) and not _is_on_path(path)],
    )


def refuse_left_out(commands: Commands, root: Path) -> None:
    """Refuse commands of the suite in `root` that name what no digest of it covers (`LEFT_OUT`)."""
    called = commands.called
    for word in (*(word for words in called for word in words), *commands.reads, *commands.env.values()):
        named = [word, *_WORDS.findall(word), *(match[0] for match in _IN_FOLDER.finditer(word))]
        for each in named:
            path = Path(each.replace("{folder}", commands.folder))
            loose = not path.is_absolute() and len(path.parts) > 1
            if find_left_out(path, root) or (loose and not {*LEFT_OUT}.isdisjoint(path.parts)):
                raise UsageError(explain_left_out(f"`{each}` of a command or of `reads`", root))
    for words in called:
        filled = [word.replace("{folder}", commands.folder) for word in words]
        for program in list_started(filled, root):
            if find_left_out(Path(program), root):
                raise UsageError(explain_left_out(program, root))


def list_started(words: Sequence[str], root: Path) -> list[str]:
    """The programs that a command starts, by their paths: the first word, what `env` or a shell is told to
    start, and the interpreters that scripts of the folder name in their first lines. Nothing is started."""
    found: list[str] = []
    for _ in range(_MOST_INTERPRETERS + 1):
        _, started = unwrap_env(words)
        found += [words[0], *started[:1], *_list_of_shell(started)]
        line = _first_line(started[0], root) if started and "/" in started[0] else ()
        if not line:
            break
        words = (*line, started[0])
    return [program for program in dict.fromkeys(found) if "/" in program]


def _list_of_shell(words: Sequence[str]) -> list[str]:
    """The programs by their paths in what a shell is told with -c."""
    if not words or Path(words[0]).name not in _SHELLS:
        return []
    signs = re.split(r"[\s;&|()<>`\"'$={}]+", " ".join(words[1:]))
    return [
        sign for sign in signs if sign.startswith("/") and Path(sign).is_file() and os.access(sign, os.X_OK)
    ]


def _first_line(program: str, root: Path) -> tuple[str, ...]:
    """The words of a script's first line (`#!`); empty if the file is no script of the folder."""
    try:
        with open_reader(Path(program), root) as file:
            head = file.read(512)
    except (UsageError, OSError):  # of another folder, or not there: reported when it is needed
        return ()
    return _read_first_line(head) if head.startswith(b"#!") else ()


def _is_on_path(program: str) -> bool:
    if program == home.interpreter():
        return True
    # An entry such as `.` means another folder wherever one is.
    places = [place for place in (*os.get_exec_path(), *SYSTEM_PATH) if place.startswith("/")]
    real = {os.path.realpath(place) for place in places}
    return os.path.realpath(os.path.dirname(program)) in real  # noqa: PTH120


def _require_own(path: str, folder: str) -> str:
    """`path`, if it is really in the language's folder: a jail shows what a link leads to."""
    if require_inside(Path(path), Path(folder)).is_dir():
        return path
    return str(require_file(Path(path), Path(folder)))


def _on_path() -> list[Path]:
    return [Path(place) for place in os.get_exec_path() if place]


def _shows_tasks(path: str, folder: str) -> bool:
    tasks = str(Path(folder, TASKS))
    real = str(Path(path).resolve())
    return _within(real, tasks) or _within(tasks, real)


def _within(path: str, folder: str) -> bool:
    return bool(folder) and (path == folder or path.startswith(f"{folder.rstrip('/')}/"))


def _find_imported(
    where: str, words: Sequence[str], scripts: tuple[str, ...], script: str, folder: str
) -> tuple[Packages, bool]:
    """The packages the language's own scripts import, and whether one may need Python's module `site`. A
    program under test is given none."""
    texts = [
        one
        for path in scripts
        for one in ([Path(path)] if path == script else list_scripts(Path(path), Path(folder)))
    ]
    beside = frozenset(
        entry.stem
        for place in {folder, *(str(text.parent) for text in texts)}
        if place
        for entry in Path(place).iterdir()
    )
    modules = [words[at + 1].partition(".")[0] for at, word in enumerate(words[:-1]) if word == "-m"]
    try:
        read = read_imports(texts, Path(folder))
        return packages(read, modules, beside), any(each.uses_site for each in read)
    except UsageError as error:
        raise UsageError(f"{where.removesuffix('commands.')}{error}") from error
