"""The jail we set up ourselves where bubblewrap can't: Landlock, seccomp, a network namespace, no
capabilities, limits.

Run as a program of its own that turns into the runtime. It imports nothing of ours and little else, as it is
paid for with every program: a module that needs regular expressions (json, base64) costs as much as the
interpreter.
"""

import ctypes
import marshal
import os
import resource
import struct
import sys

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every machine
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
_SIGKILL = 9
_MAP_PRIVATE, _MAP_ANONYMOUS, _MAP_FIXED_NOREPLACE = 0x02, 0x20, 0x100000
_CAPSET = {"x86_64": 126, "aarch64": 91, "arm64": 91}
_NEWNET, _NEWUSER, _NEWIPC, _NEWUTS = 0x40000000, 0x10000000, 0x08000000, 0x04000000

_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = {
    1: (1 << 13) - 1,
    2: (1 << 14) - 1,
    3: (1 << 15) - 1,
    4: (1 << 15) - 1,
    5: (1 << 16) - 1,
}
_TCP = 0b11  # bind and connect, known from version 4 on
_SCOPES = 0b11  # abstract sockets and signals, known from version 6 on

libc = ctypes.CDLL(None, use_errno=True)


def call(what: str, result: int) -> int:
    """The result of a system call, or the end of the launch."""
    if result < 0:
        sys.exit(f"probatio: the jail could not be set up: {what}: {os.strerror(ctypes.get_errno())}")
    return result


def wall_off(reads: list[str], scratch: str | None, at_most: int) -> None:
    """From here on, nothing of the file system but `reads`, and no TCP.

    What an older Landlock leaves open (emptying a file, sockets, devices, signals) is refused by the filter,
    so that every version from 1 on holds the same; without any, nothing is started.
    """
    version = min(int(libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)), at_most)
    if version < 1:
        sys.exit(
            "probatio: this kernel has no Landlock (it needs Linux 5.13 or later, and `landlock` in its "
            "lsm= list)"
        )
    rights = _RIGHTS_BY_VERSION[min(version, 5)]
    attributes = struct.pack("<QQQ", rights, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call("Landlock", libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0))
    readable = _EXECUTE | _READ_FILE
    wanted = [(path, readable | _READ_DIR if os.path.isdir(path) else readable) for path in reads]  # noqa: PTH112
    own = "/proc/self/"
    for path, allowed in [*wanted, (own, _READ_FILE | _READ_DIR), *([(scratch, rights)] if scratch else [])]:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("<Qi", allowed, handle)
        call(f"Landlock for {path}", libc.syscall(_LANDLOCK_ADD, rules, 1, rule, 0))
        if path == own:
            # The rule holds for this very entry of /proc; an open handle keeps it from being made again.
            os.set_inheritable(handle, True)
        else:
            os.close(handle)
    call("Landlock", libc.syscall(_LANDLOCK_RESTRICT, rules, 0))
    os.close(rules)


def leave_namespaces() -> None:
    """A network of its own where the kernel lets us; the filter refuses sockets either way."""
    flags = _NEWNET | _NEWIPC | _NEWUTS
    if libc.unshare(flags) < 0:
        libc.unshare(flags | _NEWUSER)


def drop_capabilities() -> None:
    """Root without its powers: nothing to inherit and nothing to gain by starting a program."""
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    number = _CAPSET[os.uname().machine]
    call("no powers", libc.syscall(number, struct.pack("<Ii", 0x20080522, 0), struct.pack("<6I", *[0] * 6)))


def die_with(parent: int) -> None:
    """Have the program killed when the grader dies (PR_SET_PDEATHSIG). Set last, because changing the user
    clears it; the filter keeps it set."""
    call("death with the parent", libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        sys.exit("probatio: the grader has ended")


def place(text: bytes, address: int) -> "ctypes.c_void_p":
    """A text at a given address: the filter lets a program be started only from there."""
    page = address & ~0xFFFF
    size = (address - page + len(text) + 1 + 0xFFFF) & ~0xFFFF
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    got = libc.mmap(page, size, 3, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE, -1, 0)
    if got != page:
        sys.exit("probatio: the jail could not be set up: no memory at the address of the start")
    ctypes.memmove(address, text + b"\0", len(text) + 1)
    return ctypes.c_void_p(address)


def texts(words: list[bytes]) -> "ctypes.Array[ctypes.c_char_p]":
    """The words as a NULL-terminated array of C strings."""
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)


def forbid_calls(program: bytes) -> None:
    """The filter stays for good: nothing started from here can take it off."""
    filters = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(filters))
    call("seccomp", libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0))


def main() -> None:
    """Read the description of the jail, set it up, and become the program."""
    config = marshal.loads(bytes.fromhex(sys.argv[1]))
    os.chdir(config["folder"])
    for name, amount in config["limits"].items():
        which = getattr(resource, name)
        _, hard = resource.getrlimit(which)
        amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(which, (amount, amount))
    leave_namespaces()
    drop_capabilities()
    call("no new privileges", libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    wall_off(config["reads"], config["scratch"], config["landlock_at_most"])
    die_with(config["parent"])
    path = place(os.fsencode(config["argv"][0]), config["start_at"])
    argv = texts([os.fsencode(word) for word in config["argv"]])
    env = texts([os.fsencode(f"{name}={value}") for name, value in dict(config["env"]).items()])
    forbid_calls(config["filter"])
    libc.execve(path, argv, env)
    sys.exit(f"probatio: {config['argv'][0]} did not start in the jail: {os.strerror(ctypes.get_errno())}")
