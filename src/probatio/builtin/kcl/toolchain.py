"""KCL's toolchain for the suite: `toolchain.py check FILE`, `toolchain.py run FILE`, `toolchain.py version`.

`check` parses the program and resolves its types; `run` also evaluates it and prints the YAML. A program that fails leaves exit
code 1 and one line per finding on standard error, in which the file is always called program.k. No package is ever fetched: the
one call of the library that would do so is not made here. Exit code 3 says that the library is missing.

`import kcl_lib` costs 90 ms (services, syntax trees), a program 2 ms. So only two parts of the library are loaded: its native
module and its messages.

A program has no standard input, but options (`kcl run -D name=value`). Here each line `name=value` of standard input is one.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import kcl_lib  # noqa: F401 - never run, but it tells Probatio which package the jail must show


def main(words: list[str]) -> int:
    match words:
        case ["version"]:
            print("kcl", call("GetVersion").version)
            return 0
        case ["check" | "run" as action, file]:
            return execute(os.path.realpath(file), evaluate=action == "run")
        case _:
            print("Use: toolchain.py check FILE, toolchain.py run FILE, or toolchain.py version", file=sys.stderr)
            return 2


def execute(file: str, evaluate: bool) -> int:
    options = [{"name": name, "value": value} for name, value in read_options()] if evaluate else []
    try:
        result = call("ExecProgram", k_filename_list=[file], args=options, compile_only=not evaluate)
    except Refused as error:
        return report(str(error), file)
    sys.stdout.write(result.log_message)
    if result.err_message:
        sys.stdout.flush()
        return report(result.err_message, file)
    if result.yaml_result:
        print(result.yaml_result)
    return 0


def read_options() -> list[tuple[str, str]]:
    """What `option("name")` gives to the program: numbers, lists and dicts as in JSON, and text that need not be quoted."""
    lines = sys.stdin.read().splitlines() if sys.stdin and not sys.stdin.isatty() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return [(name, value) for name, _, value in pairs]


class Refused(Exception):
    """The library could not carry out a call; its words say why."""


def call(method: str, **arguments: Any) -> Any:
    """One call of the library, with its own messages."""
    package = PathFinder.find_spec("kcl_lib")
    places = package.submodule_search_locations if package else None
    if not places:
        print("KCL is not installed. This needs the extra `kcl`: pip install 'probatio[kcl]'", file=sys.stderr)
        sys.exit(3)
    native = load("_kcl_lib", places)
    messages = load("spec_pb2", [os.path.join(place, "api") for place in places])
    request = getattr(messages, f"{method}Args")(**arguments)
    reply = bytes(native.call(f"KclService.{method}".encode(), request.SerializeToString()))
    if reply.startswith(b"ERROR:"):
        raise Refused(reply.removeprefix(b"ERROR:").decode())
    return getattr(messages, f"{method}Result").FromString(reply)


def load(name: str, places: list[str]) -> Any:
    """A module of the library, without the package around it."""
    found = PathFinder.find_spec(name, places)
    assert found and found.loader
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def report(coloured: str, file: str) -> int:
    """Print what the library found; exit code 1, but 0 where it only warns."""
    lines = findings(coloured, file)
    if lines:
        print("\n".join(lines), file=sys.stderr)
    return 1 if lines else 0


def findings(coloured: str, file: str) -> list[str]:
    """The library's report as plain lines `program.k:LINE:COLUMN: KIND: what is wrong`; nothing of warnings.

    A finding is a line with its kind, then for each place an arrow with the position, a bar, the source line, and the message
    behind a bar. The library tells syntax errors twice and follows them with guesses about names: each is told once here, and no
    guesses.
    """
    import re  # 3 ms that a program without mistakes need not pay

    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace(file, "program.k")
    if folder := file.rpartition("/")[0]:  # none where a jail has the file at its root
        plain = plain.replace(f"{folder}/", "./")
    lines = plain.splitlines()
    told: dict[str, str] = {}
    level = kind = lead = place = ""
    marker = 0
    for number, line in enumerate(lines):
        if heading := re.match(r"(?:(error|warning)\[\w+\]: )?(\w+)$", line):
            level, kind = heading[1], heading[2]
            lead = f"{kind}: "
        elif level == "warning":
            continue
        elif arrow := re.match(r" *--> (.+:\d+:\d+)$", line):
            place, marker = arrow[1], number + 3
        elif place and number == marker:
            end = next((later for later in range(number, len(lines)) if re.match(r" *\|$", lines[later])), number + 1)
            message = " ".join(" ".join(lines[number:end]).split())
            told[f"{place}: {lead}{message.lstrip('|^ ')}"] = kind
            place, lead = "", "  "
        elif line.startswith("note: "):
            told[line] = kind
    if not told and level != "warning":
        return ["program.k: " + " ".join(plain.split())]
    return [line for line, kind in told.items() if kind == "InvalidSyntax"] or list(told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
