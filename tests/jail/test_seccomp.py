"""The filter says what it should for every call, on both machines: checked by running it as the kernel
would."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from probatio.jail.calls import COMMON, OWN, PROCESSES, SCRATCH, CallList, Numbers, list_allowed
from probatio.jail.seccomp import FCNTL, IOCTL, PRCTL, filter_program

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x80000000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}


def decide(program: bytes, number: int, arch: int, *arguments: int) -> int:
    """What the filter returns for one call."""
    six = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, arch, 0, *six)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at = held = 0
    while True:
        op, yes, no, value = code[at]
        at += 1
        match op:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, value)
            case 0x15:
                at += yes if held == value else no
            case 0x35:
                at += yes if held >= value else no
            case 0x45:
                at += yes if held & value else no
            case 0x54:
                held &= value
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"unknown operation {op:#x}")


# Call → its number on x86_64 and on aarch64: what a jail must not allow, whatever its list says.
HARMFUL: dict[str, dict[str, Numbers]] = {
    "start another process": {"fork": (57, None), "vfork": (58, None), "execveat": (322, 281)},
    "reach a network": {
        "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43,
        202),
        "sendmsg": (46, 211), "recvmsg": (47, 212), "sendmmsg": (307, 269), "setsockopt": (54, 208),
    },
    "signal or read another process": {
        "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
        "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434),
        "pidfd_getfd": (438, 438), "ptrace": (101, 117), "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271), "process_madvise": (440, 440), "kcmp": (312, 272),
        "setpriority": (141, 140), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
        "sched_setattr": (314, 274), "sched_setaffinity": (203, 122), "ioprio_set": (251, 30),
        "migrate_pages": (256, 238), "move_pages": (279, 239), "timer_create": (222, 107),
    },
    "change a file it does not own": {
        "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None), "lchown": (94,
        None),
        "fchown": (93, 55), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
        "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
        "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
        "truncate": (76, 45), "fallocate": (285, 47), "flock": (73, 32), "mknod": (133, None),
        "mknodat": (259, 33),
        "sync": (162, 81), "syncfs": (306, 267),
    },
    "have memory that is not counted": {
        "memfd_create": (319, 279), "memfd_secret": (447, None), "shmget": (29, 194), "shmat": (30, 196),
        "vmsplice": (278, 75), "splice": (275, 76), "tee": (276, 77), "remap_file_pages": (216, 234),
        "mlock": (149, 228),
    },
    "watch the host": {
        "inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_add_watch": (254, 27),
        "fanotify_init": (300, 262),
    },
    "change who it is": {
        "setsid": (112, 157), "setpgid": (109, 154), "setuid": (105, 146), "setgid": (106, 144),
        "setgroups": (116, 159), "capset": (126, 91), "seccomp": (317, 277), "personality": (135, 92),
        "setrlimit": (160, 164),
    },
    "change what it sees": {
        "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
        "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
        "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
        "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    },
    "leave something with the kernel": {
        "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "add_key": (248, 217),
        "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241),
        "userfaultfd": (323, 282), "io_setup": (206, 0), "io_uring_setup": (425, 425), "io_uring_enter": (426,
        426),
        "io_uring_register": (427, 427),
    },
    "govern the machine": {
        "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
        "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224),
        "swapoff": (168, 225), "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164,
        170),
        "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171), "acct": (163, 89),
        "quotactl": (179, 60), "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None),
        "vhangup": (153, 58), "modify_ldt": (154, None),
    },
}  # fmt: skip
LISTS: tuple[CallList, ...] = ("deno", "python", "bun", "command")


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def number(name: str, machine: str) -> int:
    found = list_allowed("python", True)[name][COLUMN[machine]]
    assert found is not None
    return found


@pytest.mark.parametrize("calls", LISTS)
@pytest.mark.parametrize("scratch", [False, True])
def test_every_harmful_call_is_refused(machine: str, calls: CallList, scratch: bool) -> None:
    program = filter_program(calls, scratch=scratch, machine=machine)
    for group in HARMFUL.values():
        for name, numbers in group.items():
            one = numbers[COLUMN[machine]]
            if one is not None:
                assert decide(program, one, ARCH[machine]) == EPERM, name


@pytest.mark.parametrize("calls", LISTS)
def test_what_is_not_on_the_list_is_refused_and_what_is_newer_is_absent(
    machine: str, calls: CallList
) -> None:
    program = filter_program(calls, machine=machine)
    listed = {numbers[COLUMN[machine]] for numbers in list_allowed(calls, scratch=False).values()}
    for one in set(range(450)) - listed - {435, 437, 449}:
        assert decide(program, one, ARCH[machine]) == EPERM, one
    for one in (435, 437, *range(449, 600)):
        assert decide(program, one, ARCH[machine]) == ENOSYS, one


def test_a_list_is_as_short_as_its_runtime_needs(machine: str) -> None:
    deno, python = (filter_program(calls, machine=machine) for calls in ("deno", "python"))
    assert decide(deno, number("setitimer", machine), ARCH[machine]) == EPERM
    assert decide(python, number("setitimer", machine), ARCH[machine]) == ALLOW
    assert decide(python, {"x86_64": 330, "aarch64": 289}[machine], ARCH[machine]) == EPERM


def test_folders_and_links_are_for_those_with_a_scratch_folder(machine: str) -> None:
    for name, numbers in SCRATCH.items():
        one = numbers[COLUMN[machine]]
        if one is not None:
            assert decide(filter_program(machine=machine), one, ARCH[machine]) == EPERM, name
            assert decide(filter_program(scratch=True, machine=machine), one, ARCH[machine]) == ALLOW, name


MMAP = {
    "private": (0x22, 3, ALLOW), "private with a hint": (0x32, 3, ALLOW), "for later": (0x4022, 0, ALLOW),
    "a stack": (0x20022, 3, ALLOW), "a library": (0x802, 5, ALLOW), "a file to read": (0x01, 1, ALLOW),
    "shared": (0x21, 3, EPERM), "shared to read": (0x21, 1, EPERM), "shared and checked": (0x23, 3, EPERM),
    "droppable": (0x28, 3, EPERM), "a file to write": (0x01, 3, EPERM), "huge pages": (0x40022, 3, EPERM),
    "a file, checked": (0x03, 1, EPERM),
}  # fmt: skip


@pytest.mark.parametrize("flags, protection, verdict", MMAP.values(), ids=MMAP.keys())
def test_only_memory_that_is_counted_is_given(
    machine: str, flags: int, protection: int, verdict: int
) -> None:
    program = filter_program("deno", machine=machine)
    assert decide(program, number("mmap", machine), ARCH[machine], 0, 6 << 30, protection, flags) == verdict


def test_threads_pass_and_processes_do_not(machine: str) -> None:
    program = filter_program(machine=machine)
    clone = {"x86_64": 56, "aarch64": 220}[machine]
    assert decide(program, clone, ARCH[machine], 0x3D0F00) == ALLOW
    assert decide(program, clone, ARCH[machine], 17) == EPERM
    assert decide(program, 435, ARCH[machine]) == ENOSYS
    for namespace in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(program, clone, ARCH[machine], 0x3D0F00 | namespace) == EPERM


def test_a_toolchain_with_processes_gets_those_calls_and_no_others(machine: str) -> None:
    program = filter_program("command", scratch=True, processes=True, machine=machine)
    clone = {"x86_64": 56, "aarch64": 220}[machine]
    assert decide(program, clone, ARCH[machine], 17) == ALLOW
    assert decide(program, clone, ARCH[machine], 0x4111) == ALLOW  # as vfork does
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(program, clone, ARCH[machine], 17 | namespace) == EPERM
    for group in HARMFUL.values():
        for name, numbers in group.items():
            one = numbers[COLUMN[machine]]
            if one is not None:
                assert decide(program, one, ARCH[machine]) == (ALLOW if name in PROCESSES else EPERM), name


def test_sockets_come_in_pairs_of_streams_only(machine: str) -> None:
    program = filter_program(machine=machine)
    pair, send = number("socketpair", machine), number("sendto", machine)
    for kind in range(1, 11):
        for flags in (0, 0o4000, 0o2000000):
            assert decide(program, pair, ARCH[machine], 1, kind | flags) == (ALLOW if kind == 1 else EPERM)
    for family in (0, 2, 10, 16, 17, 40):
        assert decide(program, pair, ARCH[machine], family, 1) == EPERM
    assert decide(program, send, ARCH[machine], 3, 0, 1, 0, 0, 0) == ALLOW
    assert decide(program, send, ARCH[machine], 3, 0, 1, 0, 0x7F0000001000, 110) == EPERM
    assert decide(program, send, ARCH[machine], 3, 0, 1, 0, 0x7F00000000, 110) == EPERM


def test_a_file_that_may_only_be_read_is_not_emptied(machine: str) -> None:
    program = filter_program(machine=machine)
    openat = number("openat", machine)
    assert decide(program, openat, ARCH[machine], 0, 0, 0o2000000) == ALLOW
    assert decide(program, openat, ARCH[machine], 0, 0, 0o1000) == EPERM
    assert (
        decide(program, openat, ARCH[machine], 0, 0, 0o1101) == ALLOW
    )  # the jail itself says no, with its own words


@pytest.mark.parametrize(
    "call, argument, values",
    [("prctl", 0, PRCTL), ("fcntl", 1, FCNTL), ("ioctl", 1, IOCTL)],
    ids=lambda value: str(value)[:6],
)
def test_options_are_listed_too(machine: str, call: str, argument: int, values: dict[str, int]) -> None:
    program = filter_program("deno", machine=machine)
    for option in {
        *range(100),
        *range(1020, 1040),
        0x5412,
        0x5413,
        0x8901,
        0x8902,
        0x59616D61,
        *values.values(),
    }:
        verdict = decide(program, number(call, machine), ARCH[machine], *[0] * argument, option)
        assert verdict == (ALLOW if option in values.values() else EPERM), option
    for harmful in (
        "PR_SET_PDEATHSIG",
        "PR_SET_DUMPABLE",
        "F_SETOWN",
        "F_SETSIG",
        "F_NOTIFY",
        "F_SETPIPE_SZ",
        "TIOCSTI",
    ):
        assert harmful not in values


def test_a_program_is_started_from_one_address_and_never_again(machine: str) -> None:
    execve = number("execve", machine)
    start = 0x2A_0123_4567
    program = filter_program(start_at=start, machine=machine)
    assert decide(program, execve, ARCH[machine], start) == ALLOW
    for other in (0, start + 1, start & 0xFFFFFFFF, start ^ (1 << 33), 0x7FFF_0123_4567):
        assert decide(program, execve, ARCH[machine], other) == EPERM
    assert decide(program, number("read", machine), ARCH[machine], start) == ALLOW
    assert decide(filter_program(machine=machine), execve, ARCH[machine], 5) == ALLOW


def test_limits_of_others_are_out_of_reach(machine: str) -> None:
    program = filter_program(machine=machine)
    prlimit = {"x86_64": 302, "aarch64": 261}[machine]
    assert decide(program, prlimit, ARCH[machine], 0) == ALLOW
    assert decide(program, prlimit, ARCH[machine], 1234) == EPERM


def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    program = filter_program(machine=machine)
    ioctl = {"x86_64": 16, "aarch64": 29}[machine]
    assert decide(program, ioctl, ARCH[machine], 0, 0x5412) == EPERM
    assert decide(program, ioctl, ARCH[machine], 0, 0x5401) == ALLOW


def test_calls_of_another_machine_end_the_program(machine: str) -> None:
    assert decide(filter_program(machine=machine), 1, 0x40000003) == KILL


def test_the_second_numbering_of_x86_is_no_way_around() -> None:
    assert decide(filter_program(machine="x86_64"), 0x40000000 | 41, ARCH["x86_64"]) == EPERM


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


def test_the_numbers_are_the_kernels(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.is_file():
        pytest.skip(f"{header} is not on this machine")
    named = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text(), re.MULTILINE)
    kernel = {name: int(text) for name, text in named}
    if machine == "aarch64":
        kernel["newfstatat"] = kernel.get("fstatat", kernel.get("newfstatat", -1))
        kernel["memfd_secret"] = -1  # not given to every machine
    groups = (*COMMON.values(), *OWN.values(), PROCESSES, SCRATCH, *HARMFUL.values())
    for name, numbers in {name: numbers for group in groups for name, numbers in group.items()}.items():
        one = numbers[COLUMN[machine]]
        if one is not None:
            assert kernel[name] == one, name
