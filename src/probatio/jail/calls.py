"""The system calls a jailed program may make, by runtime: whatever is not named here is refused.

Measured with strace on deno 2.9 and CPython 3.11 (x86_64), over the programs of the tests and one of each
part of the standard library. aarch64 has no `open`, `stat` or `poll`; its C library makes the newer calls,
which are here too.
"""

from __future__ import annotations

from typing import Literal

CallList = Literal["deno", "python", "bun", "command"]

Numbers = tuple[int | None, int | None]
"""A call's number on x86_64 and on aarch64 (None: that machine has no such call)."""

COMMON: dict[str, dict[str, Numbers]] = {
    "start and end": {
        "execve": (59, 221), "arch_prctl": (158, None), "set_tid_address": (218, 96),
        "set_robust_list": (273, 99), "rseq": (334, 293), "exit": (60, 93), "exit_group": (231, 94),
        "wait4": (61, 260),  # for bubblewrap, which waits in the jail for the program
    },
    "have memory of its own": {
        "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216),
        "madvise": (28, 233), "mincore": (27, 232),
    },
    "have threads": {
        "clone": (56, 220), "futex": (202, 98), "gettid": (186, 178), "sched_yield": (24, 124),
        "sched_getaffinity": (204, 123), "getcpu": (309, 168), "membarrier": (324, 283),
    },
    "read the files it is shown": {
        "open": (2, None), "openat": (257, 56), "close": (3, 57), "close_range": (436, 436), "read": (0, 63),
        "readv": (19, 65), "pread64": (17, 67), "preadv": (295, 69), "lseek": (8, 62), "stat": (4, None),
        "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291),
        "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48),
        "faccessat2": (439, 439),
        "readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61), "getcwd": (79, 17),
        "chdir": (80, 49), "fchdir": (81, 50), "fadvise64": (221, 223), "umask": (95, 166),
    },
    "write to what is open": {
        "write": (1, 64), "writev": (20, 66), "pwrite64": (18, 68), "pwritev": (296, 70), "dup": (32, 23),
        "dup2": (33, None), "dup3": (292, 24), "fcntl": (72, 25), "ioctl": (16, 29),
    },
    "wait, and wake itself": {
        "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
        "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
        "epoll_wait": (232, None), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441),
        "eventfd2": (290, 19), "pipe": (22, None),
        "pipe2": (293, 59), "socketpair": (53, 199), "sendto": (44, 206), "recvfrom": (45, 207),
        "getsockname": (51, 204), "getpeername": (52, 205), "getsockopt": (55, 209), "shutdown": (48, 210),
    },
    "know the time and sleep": {
        "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
        "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None),
        "restart_syscall": (219, 128),
    },
    "handle its own signals": {
        "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
        "sigaltstack": (131, 132),
    },
    "know itself and the machine": {
        "getpid": (39, 172), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
        "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148), "getresgid": (120, 150),
        "uname": (63, 160), "sysinfo": (99, 179), "getrlimit": (97, 163), "prlimit64": (302, 261),
        "getrusage": (98, 165), "prctl": (157, 167), "getrandom": (318, 278),
    },
}  # fmt: skip

OWN: dict[CallList, dict[str, Numbers]] = {
    "deno": {
        "sched_getscheduler": (145, 120), "sched_getparam": (143, 121), "pkey_alloc": (330, 289),
        "pkey_free": (331, 290), "pkey_mprotect": (329, 288),
    },
    "python": {
        "setitimer": (38, 103), "getitimer": (36, 102), "alarm": (37, None), "pause": (34, None),
        "rt_sigtimedwait": (128, 137), "rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133),
        "times": (100, 153), "getpgid": (121, 155), "getpgrp": (111, None), "getsid": (124, 156),
        "getgroups": (115, 158), "getpriority": (140, 141),
    },
}  # fmt: skip

# No bun was at hand to measure: deno's calls, and clocks and signals that its engine is known to use.
OWN["bun"] = {
    **OWN["deno"], "timerfd_create": (283, 85), "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87),
    "setitimer": (38, 103), "signalfd4": (289, 74), "rt_sigtimedwait": (128, 137),
    "rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133), "getpriority": (140, 141),
    "preadv2": (327, 286), "pwritev2": (328, 287), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
}  # fmt: skip

# Any command line: lua, luac, dash, bash, mawk, gawk, perl, guile, ruby and CPython were measured, and make
# no call that Python's list lacks; the clocks and priorities of other engines (Go, V8) are as harmless.
OWN["command"] = {**OWN["python"], **OWN["bun"]}

PROCESSES: dict[str, Numbers] = {
    "fork": (57, None), "vfork": (58, None), "waitid": (247, 95), "kill": (62, 129), "tgkill": (234, 131),
    "setpgid": (109, 154), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "utimensat": (280, 88),
}  # fmt: skip
"""For a toolchain that starts processes, in a process and mount namespace of its own alone: there are no
other processes to signal, and no file is writable but those of its scratch folder."""

SCRATCH: dict[str, Numbers] = {
    "creat": (85, None), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None),
    "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    "ftruncate": (77, 46), "fsync": (74, 82), "fdatasync": (75, 83),
}  # fmt: skip
"""Where a runtime has a folder to write in. Modes, owners, times and attributes stay as they are: no jail of
ours can tell whose file they are changed of."""


FORKS: dict[str, Numbers] = {"fork": (57, None), "recvmsg": (47, 212)}
"""For the parent of a warm runner: one process for each program, and the handles that come for it."""


def list_allowed(
    calls: CallList, scratch: bool, processes: bool = False, forks: bool = False
) -> dict[str, Numbers]:
    """Every call of that list."""
    common = {name: numbers for group in COMMON.values() for name, numbers in group.items()}
    more = ((scratch, SCRATCH), (processes, PROCESSES), (forks, FORKS))
    return {**common, **OWN[calls], **{name: each[name] for given, each in more if given for name in each}}
