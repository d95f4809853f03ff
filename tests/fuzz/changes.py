"""Changes of a world: each is data, so that a finding can be laid out again. Pure, but for `apply`."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import yaml

from fuzz import canary
from fuzz.mutations import mutate_bytes, mutate_text, mutate_value, to_json
from fuzz.world import PORT, WORLD, fill_in

World = Mapping[str, tuple[bytes, int]]


class Change(msgspec.Struct, frozen=True):
    """One place of the world made other: `what` is a word of `MADE`."""

    path: bytes
    what: str
    data: bytes = b""
    """The content, the target of a link, or a number in digits."""
    mode: int = 0o644


SCRIPT = f"""#!/bin/sh
echo x >> {canary.MARK}
cat {canary.HIDDEN}
printenv
""".encode()
PYTHON = f"""import os
try:
    open({canary.MARK!r}, "w").write("x")
except OSError: pass
for path in ({canary.HIDDEN!r}, "/proc/self/environ", "../../.env", "/etc/shadow"):
    try: print(open(path).read())
    except OSError: pass
print(os.environ)
""".encode()
"""Programs that leave a mark and show a secret, where they are started outside of the jail."""

SHELL = ["sh", "-c", f"echo x >> {canary.MARK}; cat {canary.HIDDEN}; printenv"]

HOSTILE_KEYS: tuple[tuple[str, Any], ...] = (
    ("isolation", "none"), ("sandbox", "none"), ("reads", [canary.HIDDEN]), ("reads", ["/etc/shadow",
        "/"]),
    ("reads", [f"{WORLD}/lang/helper"]), ("suite", canary.TARGET), ("suite", f"{WORLD}/watch"),
        ("suite", "../.."),
    ("base_url", f"http://127.0.0.1:{PORT}/v1"), ("base_url", "http://user:pw@127.0.0.1:1/v1"),
        ("api_key_env", canary.VARIABLE),
    ("provider", "command"), ("provider", "openai"), ("command", SHELL), ("check", SHELL), ("run", SHELL),
        ("version", SHELL),
    ("version", ["cat", canary.HIDDEN]), ("commands", {"run": SHELL, "check": SHELL,
        "version": SHELL, "suffix": ".x"}),
    ("grader", {"command": SHELL, "isolation": "none"}), ("grader", {"command": ["{folder}/../helper"],
        "reads": ["/"]}),
    ("grader", {"command": ["{python}", "{folder}/grader.py"], "isolation": "none"}), ("network", True),
    ("env", {"LD_PRELOAD": f"{WORLD}/lang/helper", "PYTHONPATH": WORLD}), ("run_id", "../../outside"),
        ("id", "../../x"),
    ("id", ".."), ("model", ".."), ("model", "../../x"), ("suite_name", "../x"), ("created", "../../x"),
        ("context", "../x"),
    ("address", f"http://127.0.0.1:{PORT}/x"), ("address", f"file://{canary.HIDDEN}"), ("heartbeat",
        f"http://127.0.0.1:{PORT}/x"),
    ("alerts", [{"name": "x", "url": f"json://127.0.0.1:{PORT}/x"}]), ("url", f"json://127.0.0.1:{PORT}/x"),
    ("implementation", "python"), ("implementation", "os:system"), ("goal", "{goal:>3000000000}"),
        ("analyst", "command:sh"),
    ("judge", {"name": "j", "base_url": f"http://127.0.0.1:{PORT}/v1", "api_key_env": canary.VARIABLE}),
    ("limits", {"seconds": 1e9, "memory_mb": 10**9}), ("samples", 10**12), ("n_shots", [10**9]), ("date",
        "../.."),
    ("tests", [{"stdin": "x" * 10**5, "stdout": "y"}] * 50), ("fingerprint", "x" * 10**6), ("config",
        canary.HIDDEN),
)  # fmt: skip
"""What an author sets who wants more than to be read."""

OUTWARD: dict[str, Any] = {"command": ["{python}", "{folder}/grader.py"], "isolation": "none"}
PLANTS: dict[str, tuple[tuple[tuple[str | int, ...], Any], ...]] = {
    "watch/suite.yml": (
        (("use_cases", 1, "grader"), OUTWARD),
        (("use_cases", 1, "grader"), {"command": ["sh", "{folder}/grader.py"], "isolation": "none"}),
        (("use_cases", 1, "grader"), {"command": ["cat", canary.HIDDEN], "reads": [canary.HIDDEN]}),
        (("use_cases", 1, "grader"), {"command": SHELL, "reads": ["/"], "processes": True}),
        (("judge",), {"name": "j", "base_url": f"http://127.0.0.1:{PORT}/v1",
        "api_key_env": canary.VARIABLE}),
        (("use_cases", 1, "id"), "../lang"),
        (("use_cases", 0, "cases"), f"{canary.TARGET}/kept.txt"),
    ),
    "language.yml": (
        (("commands", "version"), ["cat", canary.HIDDEN]),
        (("commands", "version"), SHELL),
        (("commands", "check"), SHELL),
        (("commands", "check"), ["cat", "{folder}/../.env"]),
        (("commands", "reads"), [canary.HIDDEN, "{folder}/../.env", "/etc"]),
        (("commands", "run"), ["{folder}/helper", "{file}"]),
        (("commands", "isolation"), "none"),
        (("contexts",), ["../../.env"]),
        (("fences",), ["{0}" * 1_000]),
    ),
    "run.json": (
        (("sandbox",), "none"),
        (("isolation",), "none"),
        (("models", 0, "base_url"), f"http://127.0.0.1:{PORT}/v1"),
        (("models", 0, "api_key_env"), canary.VARIABLE),
        (("suite",), canary.TARGET),
        (("run_id",), "../../x"),
        (("suite_name",), "../../x"),
        (("created",), "../../x"),
        (("plan", "models"), [".."]),
        (("plan", "samples"), 10**9),
        (("plan", "tasks"), ["../../x"]),
    ),
    "day.json": (
        (("suite",), canary.TARGET), (("suite_folder",), canary.TARGET), (("date",), "../.."), (("models",
        ), [".."]),
        (("simulated",), False), (("suite_version",), "../../x"),
    ),
    "config/models.yml": (
        (("models", 0, "base_url"), f"http://127.0.0.1:{PORT}/v1"),
        (("models", 0, "api_key_env"), canary.VARIABLE),
        (("models", 0, "provider"), "command"),
        (("models", 0, "command"), SHELL),
        (("daily", "heartbeat"), f"http://127.0.0.1:{PORT}/x"),
        (("alerts", 0, "url"), f"json://127.0.0.1:{PORT}/${{{canary.VARIABLE}}}"),
    ),
}  # fmt: skip
"""End of a file's name → places in it, and what a hostile author writes there."""

LINKS = (
    canary.HIDDEN, canary.TARGET, f"{canary.TARGET}/new.txt", "/dev/zero", "/dev/stdin",
    "/dev/random",
    "/proc/self/environ", "/proc/self/mem", "/etc/shadow", "/etc/passwd", "/", "..", ".", "self",
    "../.env", f"{WORLD}/.env",
    "language.yml", "../results", "/proc/self/fd/0", "/nowhere", "x" * 255, "/proc/self/root/etc/shadow",
    "/dev/tty",
)  # fmt: skip

NAMES = (
    b"new\nline.yml", b"..\\x.yml", b"-rf.yml", b"--help", b"x" * 251 + b".yml", b"\xff\xfe.yml",
    b"a\x1b[2Jb.yml", b" .yml",
    b"'; DROP TABLE x;--.yml", b"a'b\"c.jsonl", b"*.yml", b"$(id).yml", b".yml", b"CON",
    "ｅ\u202e.yml".encode(), b"{0}.md",
    b"2026-03-99", b"9999-12-31", b"2026-02-30", b"run.json.part", b".address.json", b"<script>",
    b"%2e%2e", b"\xed\xa0\x80.md",
)  # fmt: skip


def make_changes(world: World, reads: tuple[str, ...], chance: Random) -> list[Change]:
    """One to three changes, most of them where the command reads."""
    files = [name for name in world if name.startswith(reads)] or list(world)
    changes: list[Change] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(files if chance.random() < 0.95 else list(world))
        make = chance.choices([each for each, _ in MAKERS], [weight for _, weight in MAKERS])[0]
        changes += make(name, world[name][0], chance)
    return changes


def _change_structure(name: str, data: bytes, chance: Random) -> list[Change]:
    """Another value, key or shape in a file of YAML, JSON or lines of JSON."""
    path, suffix = name.encode(), Path(name).suffix
    try:
        if suffix in (".yml", ".yaml"):
            value = mutate_value(yaml.safe_load(data), chance, HOSTILE_KEYS)
            return [Change(path, "file", to_yaml(value, chance))]
        if suffix == ".json":
            return [
                Change(path, "file", _to_text(mutate_value(json.loads(data), chance, HOSTILE_KEYS), chance))
            ]
        if suffix == ".jsonl":
            lines = data.splitlines()
            place = chance.randrange(len(lines))
            line = _to_text(mutate_value(json.loads(lines[place]), chance, HOSTILE_KEYS), chance)
            return [Change(path, "file", b"\n".join([*lines[:place], line, *lines[place + 1 :]]) + b"\n")]
    except (ValueError, yaml.YAMLError, RecursionError):
        pass
    return _change_text(name, data, chance)


def _plant(name: str, data: bytes, chance: Random) -> list[Change]:
    """A setting that wants more, in its right place; with it a program that shows whether it got it."""
    plants = next((found for end, found in PLANTS.items() if name.endswith(end)), ())
    if not plants:
        return _change_structure(name, data, chance)
    path, planted = chance.choice(plants)
    value = json.loads(data) if name.endswith(".json") else yaml.safe_load(data)
    text = to_json(_put(value, path, planted))
    grader = chance.choice((PYTHON, SCRIPT))
    return [
        Change(name.encode(), "file", text.encode()),
        Change(b"watch/triage/grader.py", "file", grader, 0o755),
        Change(b"lang/helper", "file", SCRIPT, 0o755),
    ]


def _put(value: Any, path: tuple[str | int, ...], planted: Any) -> Any:
    """The value with another one at a path; what is not on the way is made."""
    if not path:
        return planted
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        listed = list(value) if isinstance(value, list) and value else [{}]
        key = min(key, len(listed) - 1)
        listed[key] = _put(listed[key], rest, planted)
        return listed
    known = value if isinstance(value, dict) else {}
    return {**known, key: _put(known.get(key), rest, planted)}


def _to_text(value: Any, chance: Random) -> bytes:
    text = to_json(value)
    if chance.random() < 0.05:
        deep = chance.choice((100, 1_000, 100_000))
        text = chance.choice(
            ('{"a":' * deep + "1" + "}" * deep, "[" * deep, text.replace(": ", ": " + "[" * deep, 1))
        )
    return text.encode("utf-8", "surrogatepass")


def to_yaml(value: Any, chance: Random) -> bytes:
    """YAML, mostly as a writer of ours would write it; at times JSON, aliases, tags or many brackets."""
    manner = chance.random()
    if manner < 0.1:
        return to_json(value).encode("utf-8", "surrogatepass")
    with contextlib.suppress(yaml.YAMLError, RecursionError, UnicodeError):
        text: bytes = yaml.safe_dump(value, allow_unicode=True, encoding="utf-8")
        if manner > 0.95:
            aliases = b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (n, n, n - 1, n - 1) for n in range(1, 40))
            text = chance.choice((text + b"a0: &a0 [x]\n" + aliases, b"[" * 100_000,
            text + b"x: !!python/name:os.system\n",
                                  b"%YAML 9.9\n---\n" + text, text + b"--- 1\n",
                                  text + b"&x x: *x\n"))  # fmt: skip
        return text
    return b"\xff"


def _change_text(name: str, data: bytes, chance: Random) -> list[Change]:
    text = mutate_text(data.decode("utf-8", "replace"), "results: ../x\nmodel: m\n", chance)
    return [Change(name.encode(), "file", text.encode("utf-8", "surrogatepass"))]


def _change_bytes(name: str, data: bytes, chance: Random) -> list[Change]:
    return [Change(name.encode(), "file", mutate_bytes(data, chance))]


def _link(name: str, data: bytes, chance: Random) -> list[Change]:
    place = name if chance.random() < 0.7 else str(Path(name).parent)
    target = chance.choice(LINKS)
    return [Change(place.encode(), "link", (place if target == "self" else target).encode())]


def _special(name: str, data: bytes, chance: Random) -> list[Change]:
    what = chance.choice(("pipe", "pipe", "pipe", "socket", "device", "folder", "missing", "forbidden"))
    return [Change(name.encode(), what)]


def _huge(name: str, data: bytes, chance: Random) -> list[Change]:
    size = chance.choice((70 << 20, 1_200 << 20))
    return [Change(name.encode(), "sparse", str(size).encode())]


def _deep(name: str, data: bytes, chance: Random) -> list[Change]:
    place = Path(name).parent / "deep"
    return [
        Change(str(place).encode(), chance.choice(("deep", "many")), chance.choice((b"60", b"600", b"1200")))
    ]


def _odd_name(name: str, data: bytes, chance: Random) -> list[Change]:
    """The same content, or another, under an odd name next to it."""
    odd = chance.choice(NAMES)
    folder = str(Path(name).parent).encode()
    if chance.random() < 0.3:
        return [Change(folder + b"/" + odd + b"/" + Path(name).name.encode(), "file", data)]
    return [Change(folder + b"/" + odd, "file", data)]


def _script(name: str, data: bytes, chance: Random) -> list[Change]:
    """A program in place of a file, and a helper that something may start."""
    program = PYTHON if name.endswith(".py") else chance.choice((SCRIPT, PYTHON, elf(f"{WORLD}/lang/helper")))
    return [Change(name.encode(), "file", program, 0o755), Change(b"lang/helper", "file", SCRIPT, 0o755)]


def _elf(name: str, data: bytes, chance: Random) -> list[Change]:
    """An ELF file whose interpreter is a script in the folder."""
    place = chance.choice(("lang/check.awk", "watch/triage/grader.py", "lang/data", name))
    asked = chance.choice((f"{WORLD}/lang/helper", "./lang/helper", "lang/helper", "/bin/sh"))
    changes = [
        Change(place.encode(), "file", elf(asked), 0o755),
        Change(b"lang/helper", "file", SCRIPT, 0o755),
    ]
    if chance.random() < 0.5:
        about = (
            b"name: AWK\nintroduction: x\nfences: [awk]\ncontexts: [examples-only, brief, full]\ncommands:\n"
        )
        about += (
            b'  check: [awk, -f, "{folder}/check.awk", -f, "{file}"]\n  run: ["{folder}/data", "{file}"]\n'
        )
        about += b'  suffix: .awk\n  reads: ["{folder}/data", "{folder}/helper"]\nhost:\n  name: Shell\n'
        about += b'  fences: [sh]\n  commands: {run: [sh, "{file}"], suffix: .sh}\n'
        changes += [
            Change(b"lang/data", "file", elf(asked), 0o755),
            Change(b"lang/language.yml", "file", about),
        ]
    return changes


def elf(interpreter: str) -> bytes:
    """The smallest ELF file that names an interpreter."""
    # The length after WORLD is put in is not known here, so the segment reaches to the end of a wide field.
    name = interpreter.encode() + b"\0"
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 3, 4, 120, 120, 120, 200, 200, 1)
    return head + segment + name + b"\0" * (200 - len(name))


def _pointer(name: str, data: bytes, chance: Random) -> list[Change]:
    """A note that a run is a copy of one elsewhere."""
    there = chance.choice(
        (f"http://127.0.0.1:{PORT}/run", f"file://{canary.TARGET}", "s3://bucket/run", "../..")
    )
    note = {"address": there, "files": {"run.json": "x", "../../x": "y"}}
    place = chance.choice(("results", "results/run-1", "results/run-2"))
    return [Change(f"{place}/.address.json".encode(), "file", to_json(note).encode())]


def _columns(name: str, data: bytes, chance: Random) -> list[Change]:
    """Data in columns next to lines, as a reader of either could believe."""
    name = chance.choice(("graded_results", "raw_responses"))
    place = f"results/run-1/{name}.{chance.choice(('parquet', 'jsonl.zst'))}"
    return [
        Change(
            place.encode(),
            "file",
            chance.choice(
                (b"PAR1" + chance.randbytes(300) + b"PAR1", b"\x28\xb5\x2f\xfd" + chance.randbytes(99))
            ),
        )
    ]


Maker = Callable[[str, bytes, Random], list[Change]]
MAKERS: tuple[tuple[Maker, int], ...] = (
    (_change_structure, 36), (_plant, 12), (_change_text, 6), (_change_bytes, 8), (_link, 14), (_special,
    8), (_huge, 2),
    (_deep, 1), (_odd_name, 6), (_script, 5), (_elf, 4), (_pointer, 2), (_columns, 2),
)  # fmt: skip
"""How a place is changed, and how often."""


def apply(change: Change, at: Path, port: int) -> None:
    """Make the change. What this machine or file system can't make is left as it was."""
    path = os.fsencode(at) + b"/" + change.path
    data = fill_in(change.data, at, port)
    if not os.path.realpath(os.path.dirname(path)).startswith(os.fsencode(at)):  # noqa: PTH120
        return  # behind a link that an earlier change made: the harness itself writes nothing outside
    with contextlib.suppress(OSError, ValueError, NotImplementedError):
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - names that are no text
        _clear(path)
        _MADE[change.what](path, data, change.mode)


def _clear(path: bytes) -> None:
    if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
        os.rename(path, path + b".before")  # noqa: PTH104
    elif os.path.lexists(path):
        os.unlink(path)  # noqa: PTH108


def _make_file(path: bytes, data: bytes, mode: int) -> None:
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(data)
    os.chmod(path, mode)  # noqa: PTH101


def _make_link(path: bytes, data: bytes, mode: int) -> None:
    os.symlink(data, path)  # noqa: PTH211


def _make_pipe(path: bytes, data: bytes, mode: int) -> None:
    os.mkfifo(path)


def _make_socket(path: bytes, data: bytes, mode: int) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


def _make_device(path: bytes, data: bytes, mode: int) -> None:
    """What /dev/zero is. Only root can make one."""
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


def _make_folder(path: bytes, data: bytes, mode: int) -> None:
    os.mkdir(path)  # noqa: PTH102


def _make_missing(path: bytes, data: bytes, mode: int) -> None:
    """It was there, and is no more."""


def _make_forbidden(path: bytes, data: bytes, mode: int) -> None:
    _make_file(path, b"x", 0o000)


def _make_sparse(path: bytes, data: bytes, mode: int) -> None:
    with open(path, "wb") as file:  # noqa: PTH123
        file.truncate(int(data))


def _make_deep(path: bytes, data: bytes, mode: int) -> None:
    here = os.open(os.path.dirname(path), os.O_RDONLY)  # noqa: PTH120
    try:
        for _ in range(int(data)):
            os.mkdir(b"d", dir_fd=here)
            here, before = os.open(b"d", os.O_RDONLY, dir_fd=here), here
            os.close(before)
    finally:
        os.close(here)


def _make_many(path: bytes, data: bytes, mode: int) -> None:
    os.mkdir(path)  # noqa: PTH102
    for number in range(int(data)):
        _make_file(path + b"/%d.yml" % number, b"x: 1\n", mode)


_MADE: dict[str, Callable[[bytes, bytes, int], None]] = {
    "file": _make_file, "link": _make_link, "pipe": _make_pipe, "socket": _make_socket,
    "device": _make_device,
    "folder": _make_folder, "missing": _make_missing, "forbidden": _make_forbidden, "sparse": _make_sparse,
    "deep": _make_deep, "many": _make_many,
}  # fmt: skip
