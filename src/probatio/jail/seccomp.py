"""The filter program the kernel runs on each system call of a jailed program: what is not on its list fails.

Some calls are harmless or not by an argument (`mmap`, `fcntl`, `prctl`, …); those are looked into. Arguments
that are pointers can't be: a filter sees the address and not what is there.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct

from probatio.jail.calls import CallList, list_allowed

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16

ABSENT = {"clone3": 435, "openat2": 437, "futex_waitv": 449}
"""Calls that claim not to exist, so that the C library takes older ones: a filter can't look into them."""
_NEWER = 450  # so does every call younger than the list: programs ask for them to see whether they are there

# Flags of a thread as the C libraries start it; with another bit, or without the thread's own, it is more.
_THREAD, _THREAD_FLAGS = 0x00010000, 0x007D0F00
_NEW_NAMESPACES = 0x7E020080
_SHARED, _PRIVATE, _MAP_KIND, _ANONYMOUS, _HUGE = 0x01, 0x02, 0x0F, 0x20, 0x40000
_WRITABLE = 0x2
_UNIX, _STREAM, _SOCKET_KIND = 1, 1, 0x0F
_TRUNCATE, _ACCESS = 0o1000, 0o3

PRCTL = {"PR_GET_PDEATHSIG": 2, "PR_GET_DUMPABLE": 3, "PR_SET_NAME": 15, "PR_GET_NAME": 16,
         "PR_GET_SECCOMP": 21, "PR_CAPBSET_READ": 23, "PR_GET_NO_NEW_PRIVS": 39,
         "PR_SET_VMA": 0x53564D41}  # fmt: skip
"""Nothing that would undo what holds a program: its death with the grader, its being looked at."""
FCNTL = {"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_DUPFD_CLOEXEC": 1030,
         "F_GETPIPE_SZ": 1032, "F_GET_SEALS": 1034}  # fmt: skip
"""No signals to others (F_SETOWN), watch on folders (F_NOTIFY), locks and leases, or larger pipes."""
_OF_A_PARENT = {**PRCTL, "PR_SET_DUMPABLE": 4, "PR_SET_SECCOMP": 22}
"""The parent of a warm runner shuts itself off, and narrows the filter of its children."""
IOCTL = {"TCGETS": 0x5401, "TIOCGWINSZ": 0x5413, "FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450,
         "FIOCLEX": 0x5451, "TCGETS2": 0x802C542A}  # fmt: skip


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _argument(number: int, high: bool = False) -> bytes:
    return _op(_LOAD, _ARGUMENTS + 8 * number + (4 if high else 0))


_PASS, _REFUSE = _op(_RETURN, _ALLOW), _op(_RETURN, _ERRNO | errno.EPERM)


def _one_of(argument: int, values: dict[str, int]) -> list[bytes]:
    checks = [word for value in values.values() for word in (_op(_EQUAL, value, 0, 1), _PASS)]
    return [_argument(argument), *checks, _REFUSE]


def _open(flags: int) -> list[bytes]:
    """Before Landlock 3 the kernel lets a file be emptied that may only be read."""
    return [
        _argument(flags), _op(_ANY_BIT, _TRUNCATE, 1, 0), _PASS,
        _op(_AND, _ACCESS), _op(_EQUAL, 0, 0, 1), _REFUSE, _PASS,
    ]  # fmt: skip


_LOOKED_INTO: dict[str, list[bytes]] = {
    # Private memory is counted. Shared memory is counted for no program, so none may be written to.
    "mmap": [
        _argument(3), _op(_ANY_BIT, _HUGE, 0, 1), _REFUSE,
        _op(_AND, _MAP_KIND), _op(_EQUAL, _PRIVATE, 0, 1), _PASS,
        _op(_EQUAL, _SHARED, 1, 0), _REFUSE,
        _argument(3), _op(_ANY_BIT, _ANONYMOUS, 0, 1), _REFUSE,
        _argument(2), _op(_ANY_BIT, _WRITABLE, 0, 1), _REFUSE, _PASS,
    ],
    "clone": [
        _argument(0), _op(_ANY_BIT, _THREAD, 1, 0), _REFUSE,
        _op(_AND, 0xFFFFFFFF ^ _THREAD_FLAGS), _op(_EQUAL, 0, 0, 1), _PASS, _REFUSE,
    ],
    # A pair of streams speaks to itself alone; a datagram socket could be sent to any socket of the host.
    "socketpair": [
        _argument(0), _op(_EQUAL, _UNIX, 1, 0), _REFUSE,
        _argument(1), _op(_AND, _SOCKET_KIND), _op(_EQUAL, _STREAM, 0, 1), _PASS, _REFUSE,
    ],
    "sendto": [  # to the other end of a pair alone
        _argument(4), _op(_EQUAL, 0, 1, 0), _REFUSE,
        _argument(4, high=True), _op(_EQUAL, 0, 0, 1), _PASS, _REFUSE,
    ],
    "open": _open(1),
    "openat": _open(2),
    "prlimit64": _one_of(0, {"itself": 0}),
    "prctl": _one_of(0, PRCTL),
    "fcntl": _one_of(1, FCNTL),
    "ioctl": _one_of(1, IOCTL),
}  # fmt: skip
_ANY_PROCESS = [_argument(0), _op(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _REFUSE, _PASS]
"""Threads and processes, in no namespace but the jail's."""


def available() -> bool:
    """Whether this machine's call numbers are in the table."""
    return platform.machine() in _MACHINES


def filter_program(
    calls: CallList = "python",
    *,
    scratch: bool = False,
    processes: bool = False,
    forks: bool = False,
    start_at: int | None = None,
    machine: str = "",
) -> bytes:
    """The filter for a runtime on this machine: the calls of its list pass, all others fail with "not
    permitted".

    `start_at` is the one address from which `execve` may take its path: code that does not know it
    starts no program, not even from a second thread, which would forget that it dies with the grader.
    """
    column, _ = _MACHINES[machine or platform.machine()]
    number = list_allowed(calls, scratch)["execve"][column]
    assert number is not None
    start = [_PASS]
    if start_at is not None:
        start = [
            _argument(0), _op(_EQUAL, start_at & 0xFFFFFFFF, 1, 0), _REFUSE,
            _argument(0, high=True), _op(_EQUAL, start_at >> 32, 1, 0), _REFUSE, _PASS,
        ]  # fmt: skip
    before, after = _around_the_start(calls, scratch, processes, forks, machine or platform.machine())
    return b"".join((before, _op(_EQUAL, number, 0, len(start)), *start, after))


@functools.cache
def _around_the_start(
    calls: CallList, scratch: bool, processes: bool, forks: bool, machine: str
) -> tuple[bytes, bytes]:
    """What stands before and after the rule for `execve`, which alone may differ from program to program."""
    column, arch = _MACHINES[machine]
    absent = _op(_RETURN, _ERRNO | errno.ENOSYS)
    before = [
        _op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
        *([_op(_AT_LEAST, _X32, 0, 1), _REFUSE] if column == 0 else []),
    ]  # fmt: skip
    after = []
    listed = list_allowed(calls, scratch, processes, forks)
    looked_into = {**_LOOKED_INTO, "clone": _ANY_PROCESS} if processes or forks else _LOOKED_INTO
    if forks:
        looked_into = {**looked_into, "prctl": _one_of(0, _OF_A_PARENT)}
    # The kernel remembers which calls always pass; the others pass the filter every time: they go first.
    for name in sorted(listed, key=lambda name: name not in _LOOKED_INTO):
        number = listed[name][column]
        if number is not None and name != "execve":
            rule = looked_into.get(name, [_PASS])
            after += [_op(_EQUAL, number, 0, len(rule)), *rule]
    for number in ABSENT.values():
        after += [_op(_EQUAL, number, 0, 1), absent]
    after += [_op(_AT_LEAST, _NEWER, 0, 1), absent, _REFUSE]
    return b"".join(before), b"".join(after)
