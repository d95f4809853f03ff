"""KCL's toolchain for the suite: `toolchain.py check FILE`, `toolchain.py run FILE`, `toolchain.py version`.

`check` parses the program and resolves its types; `run` also evaluates it and prints the YAML. A program that fails leaves exit
code 1 and one line per finding on standard error, in which the file is always called program.k. No package is ever fetched: the
one call of the library that would do so is not made here. Exit code 3 says that the library is missing.

`import kcl_lib` costs 60 ms (protobuf, syntax trees), a program 2 ms. So the native module is loaded alone, and the messages it
needs are written and read by hand: a message is a row of fields, each a key, and for text a length and the bytes.

A program has no standard input, but options (`kcl run -D name=value`). Here each line `name=value` of standard input is one.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import kcl_lib  # noqa: F401 - never run, but it tells Probatio which package the jail must show

FILE, OPTION, COMPILE_ONLY = 2, 4, 15  # fields of ExecProgramArgs in kcl_lib/api/spec_pb2.pyi
NAME, VALUE = 1, 2  # of Argument
YAML, PRINTED, FAILED = 2, 3, 4  # of ExecProgramResult
NUMBER, TEXT = 0, 2  # the wire types these messages use


def main(words: list[str]) -> int:
    match words:
        case ["version"]:
            print("kcl", read_fields(native().call(b"KclService.GetVersion", b""))[1])
            return 0
        case ["check" | "run" as action, file]:
            return execute(os.path.realpath(file), evaluate=action == "run")
        case _:
            print("Use: toolchain.py check FILE, toolchain.py run FILE, or toolchain.py version", file=sys.stderr)
            return 2


def execute(file: str, evaluate: bool) -> int:
    request = field(FILE, file.encode()) + (options() if evaluate else number_field(COMPILE_ONLY, 1))
    reply = bytes(native().call(b"KclService.ExecProgram", request))
    if reply.startswith(b"ERROR:"):
        return report(reply.removeprefix(b"ERROR:").decode(), file)
    fields = read_fields(reply)
    sys.stdout.write(fields.get(PRINTED, ""))
    if FAILED in fields:
        sys.stdout.flush()
        return report(fields[FAILED], file)
    if YAML in fields:
        print(fields[YAML])
    return 0


def options() -> bytes:
    """What `option("name")` gives to the program: numbers, lists and dicts as in JSON, and text that need not be quoted."""
    lines = sys.stdin.read().splitlines() if sys.stdin and not sys.stdin.isatty() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return b"".join(
        field(OPTION, field(NAME, name.encode()) + field(VALUE, value.encode())) for name, _, value in pairs
    )


def native() -> ModuleType:
    """The library's native module, without the Python packages around it."""
    package = PathFinder.find_spec("kcl_lib")
    found = package and PathFinder.find_spec("_kcl_lib", package.submodule_search_locations)
    module = found and found.loader and found.loader.create_module(found)
    if not (found and found.loader and module):
        print("KCL is not installed. This needs the extra `kcl`: pip install 'probatio[kcl]'", file=sys.stderr)
        sys.exit(3)
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


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | TEXT) + varint(len(data)) + data


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3 | NUMBER) + varint(value)


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth bit says that more follow."""
    low = b""
    while value > 0x7F:
        low += bytes([value & 0x7F | 0x80])
        value >>= 7
    return low + bytes([value])


def read_fields(message: bytes) -> dict[int, str]:
    """Field number → text, of a message that has only text fields."""
    fields, at = {}, 0
    while at < len(message):
        key, at = read_varint(message, at)
        length, at = read_varint(message, at)
        fields[key >> 3] = bytes(message[at : at + length]).decode()
        at += length
    return fields


def read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while message[at] > 0x7F:
        value |= (message[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return value | message[at] << shift, at + 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
