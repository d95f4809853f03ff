"""The parent of a warm runner: loads a runtime once, in the jail, and forks a child for each program.

Run as a program of its own in the jail; it imports nothing of ours. The runtime's code is loaded here. A
program never is: its text comes as a handle that only the child reads, so that nothing of one program is in
the memory the next one is forked from.
"""

import contextlib
import ctypes
import gc
import importlib.util
import os
import socket
import struct
import sys
import traceback
from collections.abc import Callable

_PR_SET_DUMPABLE, _PR_SET_SECCOMP = 4, 22
_MOST = 1 << 16
_HANDLES = 4
_libc = ctypes.CDLL(None, use_errno=True)

Run = Callable[[str], object]


def load(path: str) -> Run:
    """The function `run` of the file."""
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))  # noqa: PTH120
    spec = importlib.util.spec_from_file_location("server", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["server"] = module
    spec.loader.exec_module(module)
    run = getattr(module, "run", None)
    if not callable(run):
        sys.exit(f"{os.path.basename(path)} has no function run(program)")  # noqa: PTH119
    return run  # type: ignore[no-any-return]


def become(handles: list[int], rules: bytes) -> str:
    """Be the process of one program: its handles and no others, and the filter that starts no more. The text
    of the program."""
    program, *standard = handles
    text = b""
    while block := os.read(program, _MOST):
        text += block
    for place, handle in enumerate(standard):
        os.dup2(handle, place)
    # What the runtime had open would be shared: where one program has read to, the next would go on.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    filters = ctypes.create_string_buffer(rules, len(rules))
    header = struct.pack("HP", len(rules) // 8, ctypes.addressof(filters))
    if _libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0) < 0:
        os._exit(126)
    return text.decode("utf-8", "surrogatepass")


def perform(run: Run, program: str) -> int:
    """Run a program as Python runs a script: the exit status."""
    try:
        run(program)
        status = 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            status = (end.code or 0) & 0xFF
        else:
            print(end.code, file=sys.stderr)
            status = 1
    except BaseException as error:
        trace = error.__traceback__
        traceback.print_exception(type(error), error, trace.tb_next if trace else None)
        status = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError) as error:  # as Python does where its output can't be written
        with contextlib.suppress(OSError):
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        return status or 120
    return status


def serve(run: Run, control: socket.socket, rules: bytes) -> None:
    """One child for each message, until the grader is gone."""
    while True:
        message, handles, _, _ = socket.recv_fds(control, 16, _HANDLES)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            status = 126
            try:
                program = become(handles, rules)
                status = perform(run, program)
            finally:
                os._exit(status)
        for handle in handles:
            os.close(handle)
        _, status = os.waitpid(pid, 0)
        control.send(struct.pack("<i", status))


def main(path: str) -> None:
    # Nobody of the same user may look into this process or take its handles: no child, nor what it starts.
    if _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) < 0:
        sys.exit("the warm runner could not shut itself off")
    control = socket.socket(fileno=os.dup(0))
    reader, writer = os.pipe()
    os.close(writer)
    os.dup2(reader, 0)
    os.close(reader)
    rules = control.recv(_MOST)
    if not rules:
        return
    run = load(path)
    sys.stdout.flush()
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    serve(run, control, rules)


if __name__ == "__main__":
    main(sys.argv[1])
