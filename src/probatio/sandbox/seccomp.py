"""The system calls a jailed program may not make, as the filter program the kernel runs on each call."""

from __future__ import annotations

import errno
import functools
import platform
import struct

# Call → its number on x86_64 and on aarch64 (None: that machine has no such call).
FORBIDDEN: dict[str, tuple[tuple[str, int | None, int | None], ...]] = {
    "start another process": (("fork", 57, None), ("vfork", 58, None), ("execveat", 322, 281)),
    "reach a network": (("socket", 41, 198),),
    "signal or read another process": (
        ("kill", 62, 129), ("tkill", 200, 130), ("tgkill", 234, 131), ("rt_sigqueueinfo", 129, 138),
        ("rt_tgsigqueueinfo", 297, 240), ("pidfd_send_signal", 424, 424), ("pidfd_open", 434, 434),
        ("pidfd_getfd", 438, 438), ("ptrace", 101, 117), ("process_vm_readv", 310, 270),
        ("process_vm_writev", 311, 271), ("process_madvise", 440, 440), ("kcmp", 312, 272),
        ("setpriority", 141, 140), ("sched_setscheduler", 144, 119), ("sched_setparam", 142, 118),
        ("sched_setattr", 314, 274), ("sched_setaffinity", 203, 122), ("ioprio_set", 251, 30),
        ("migrate_pages", 256, 238), ("move_pages", 279, 239),
    ),
    "change what it sees": (
        ("unshare", 272, 97), ("setns", 308, 268), ("mount", 165, 40), ("umount2", 166, 39),
        ("pivot_root", 155, 41), ("chroot", 161, 51), ("open_tree", 428, 428), ("move_mount", 429, 429),
        ("fsopen", 430, 430), ("fsconfig", 431, 431), ("fsmount", 432, 432), ("fspick", 433, 433),
        ("mount_setattr", 442, 442), ("name_to_handle_at", 303, 264), ("open_by_handle_at", 304, 265),
    ),
    "leave something with the kernel": (
        ("shmget", 29, 194), ("msgget", 68, 186), ("semget", 64, 190), ("mq_open", 240, 180),
        ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219), ("bpf", 321, 280),
        ("perf_event_open", 298, 241), ("userfaultfd", 323, 282), ("fanotify_init", 300, 262),
        ("io_uring_setup", 425, 425), ("io_uring_enter", 426, 426), ("io_uring_register", 427, 427),
    ),
    "govern the machine": (
        ("init_module", 175, 105), ("finit_module", 313, 273), ("delete_module", 176, 106),
        ("kexec_load", 246, 104), ("kexec_file_load", 320, 294), ("reboot", 169, 142), ("swapon", 167, 224),
        ("swapoff", 168, 225), ("sethostname", 170, 161), ("setdomainname", 171, 162), ("settimeofday", 164, 170),
        ("clock_settime", 227, 112), ("clock_adjtime", 305, 266), ("adjtimex", 159, 171), ("acct", 163, 89),
        ("quotactl", 179, 60), ("syslog", 103, 116), ("iopl", 172, None), ("ioperm", 173, None),
        ("vhangup", 153, 58),
    ),
}  # fmt: skip

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}
_CLONE, _CLONE3, _PRLIMIT, _IOCTL = (56, 220), (435, 435), (302, 261), (16, 29)
_CLONE_THREAD = 0x00010000
_TIOCSTI = 0x5412  # puts characters into the terminal's input, as if typed
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def available() -> bool:
    """Whether this machine's call numbers are in the table."""
    return platform.machine() in _MACHINES


@functools.cache
def filter_program(machine: str = "") -> bytes:
    """The filter for this machine: every forbidden call fails with "not permitted", all others pass.

    Threads are allowed and processes are not: `clone` passes only with the thread bit, and `clone3`, whose
    flags a filter can't see, claims not to exist, at which the C library falls back to `clone`.
    """
    column, arch = _MACHINES[machine or platform.machine()]
    refuse = _op(_RETURN, _ERRNO | errno.EPERM)
    argument = functools.partial(lambda n: _op(_LOAD, _ARGUMENTS + 8 * n))
    program = [
        _op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
        *([_op(_AT_LEAST, _X32, 0, 1), refuse] if column == 0 else []),
        _op(_EQUAL, _CLONE3[column], 0, 1), _op(_RETURN, _ERRNO | errno.ENOSYS),
    ]  # fmt: skip
    for calls in FORBIDDEN.values():
        for _, *numbers in calls:
            number = numbers[column]
            if number is not None:
                program += [_op(_EQUAL, number, 0, 1), refuse]
    allow = _op(_RETURN, _ALLOW)
    program += [_op(_EQUAL, _CLONE[column], 0, 4), argument(0), _op(_ANY_BIT, _CLONE_THREAD, 0, 1), allow, refuse]
    program += [_op(_EQUAL, _PRLIMIT[column], 0, 4), argument(0), _op(_EQUAL, 0, 0, 1), allow, refuse]
    program += [_op(_EQUAL, _IOCTL[column], 0, 3), argument(1), _op(_EQUAL, _TIOCSTI, 0, 1), refuse]
    return b"".join([*program, allow])
