"""An attack on the jail: the record, what is attacked, and the finding whether it was held."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatio.sandbox.program import Limits, ProgramOutcome

HARM = "HARM"
"""What a program prints once it has done what it came for."""

LIMITS = Limits(seconds=3.0, cpu_seconds=3, memory_mb=256, output_bytes=200_000, processes=48)


class Attack(msgspec.Struct, frozen=True):
    """A program that tries to do harm. `T` holds what it knows of its target."""

    name: str
    program: str
    held_by: str
    stops: tuple[str, ...] = ()
    """The limits one of which must stop it; empty where it must fail by itself."""
    slow: bool = False


@contextlib.contextmanager
def target() -> Iterator[dict[str, object]]:
    """Something to attack: a secret in the environment and in a file, listening sockets, a writable folder."""
    token = secrets.token_hex(16)
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as beside,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as letterbox,
    ):
        secret = Path(folder, f"expected-{token[:6]}.txt")
        secret.write_text(token)
        letterbox.bind(f"{beside}/letterbox")
        os.environ["PROBATIO_ATTACK_TOKEN"] = token
        try:
            yield {
                "token": token, "secret": str(secret), "folder": folder, "letterbox": letterbox.getsockname(),
                "port": server.getsockname()[1], "pid": os.getpid(), "traits": _traits(secret),
            }  # fmt: skip
        finally:
            del os.environ["PROBATIO_ATTACK_TOKEN"]


def _traits(path: Path) -> str:
    """What a program could change of a file without writing in it."""
    about = path.stat()
    return f"mode {about.st_mode:o}, owner {about.st_uid}:{about.st_gid}, changed {about.st_mtime_ns}, {os.listxattr(path)}"


def fault(attack: Attack, outcome: ProgramOutcome, on: dict[str, object]) -> str | None:
    """None where the attack was held; else what it did."""
    if HARM in outcome.stdout:
        return outcome.stdout[outcome.stdout.index(HARM) :].splitlines()[0]
    if str(on["token"]) in outcome.stdout + outcome.stderr:
        return "it printed the secret"
    if len(outcome.stdout) + len(outcome.stderr) > LIMITS.output_bytes:
        return "it printed more than it may"
    if attack.stops and outcome.stopped not in attack.stops:
        return f"it ended with {outcome.exit}, stopped by {outcome.stopped} and not by one of {', '.join(attack.stops)}"
    if not attack.stops and outcome.exit != 0:
        return f"it could not be tried: {outcome.stderr.strip()[:300] or outcome.stopped}"
    secret = Path(str(on["secret"]))
    if _traits(secret) != on["traits"]:
        return f"it changed a file of the host from {on['traits']} to {_traits(secret)}"
    left = [entry.name for entry in Path(str(on["folder"])).iterdir() if entry != secret]
    return f"it left {left[0]} behind" if left else None
