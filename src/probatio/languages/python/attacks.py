"""Attacks on the jail by a Python interpreter, which can make any system call: what holds them is the
operating system.

`probatio doctor` and the tests run these; docs/sandbox.md tells what stopped each.
"""

from __future__ import annotations

from probatio import jail
from probatio.jail import Choice, ProgramOutcome
from probatio.jail.attack import LIMITS, READY, Attack, find_survivors
from probatio.languages.python.home import runtime

_TRY = """
import ctypes, fcntl, mmap, os, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def c(name, *words):
    done = getattr(libc, name)(*words)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
def attempt(what, deed):
    try:
        if deed() is not False:
            print("HARM", what, flush=True)
    except (OSError, ValueError, AttributeError) as error:
        print(what, error, flush=True)
"""

ATTACKS: tuple[Attack, ...] = (
    Attack("share memory that nobody counts", """
def filled(memory):
    for at in range(0, 1 << 30, mmap.PAGESIZE):
        memory[at] = 1
def in_memory(handle):
    os.ftruncate(handle, 1 << 30)
    filled(mmap.mmap(handle, 1 << 30))
def attached():
    here = c("shmget", 0, 1 << 30, 0o600)
    libc.shmat.restype = ctypes.c_void_p
    filled((ctypes.c_char * (1 << 30)).from_address(libc.shmat(here, None, 0)))
attempt("6 GB shared", lambda: filled(mmap.mmap(-1, 6 << 30)))
attempt("huge pages", lambda: mmap.mmap(-1, 1 << 21, flags=0x40022))
attempt("memfd", lambda: in_memory(os.memfd_create("x")))
attempt("secret memfd", lambda: in_memory(c("syscall", 447, 0)))
attempt("shm", attached)
attempt("zero device", lambda: filled(mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 30)))
for folder in ("/dev/shm", "/tmp", "/run", "/"):
    attempt(folder, lambda: in_memory(os.open(folder + "/x", os.O_RDWR | os.O_CREAT)))
    attempt(folder, lambda: in_memory(os.open(folder, os.O_RDWR | os.O_TMPFILE)))
attempt("standard input", lambda: in_memory(0))
""", "the filter refuses shared memory; private memory and its page tables are counted"),
    Attack("fill page tables", """
try:
    wide = mmap.mmap(-1, 2 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
    for at in range(0, 2 << 40, 1 << 21):
        wide[at]
except (OSError, ValueError):
    wide = b"x" * (300 << 20)  # where the kernel gives no such address space, what it gives is counted
    time.sleep(1)
print("HARM 4 GB of page tables")
""", "page tables count as memory: a look every 20 ms; making them takes CPU", ("memory", "cpu")),
    Attack("fill pipes", """
def larger():
    _, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 1 << 20)
def spliced():
    _, writer = os.pipe()
    page = ctypes.create_string_buffer(4096)
    c("vmsplice", writer, struct.pack("PN", ctypes.addressof(page), 4096), 1, 0)
attempt("larger pipes", larger)
attempt("pages in pipes", spliced)
""", "the filter refuses larger pipes and pages in them; 256 handles"),
    Attack("change a file of the host", """
readable = [path for path in (os.path.realpath(sys.executable), os.__file__) if os.path.exists(path)]
for path in (T["secret"], T["folder"]):
    name = path.encode()
    attempt("mode", lambda: os.chmod(path, 0o4755))
    attempt("mode by handle", lambda: c("syscall", 452, -100, name, 0o4755, 0))
    attempt("owner", lambda: os.chown(path, 0, 0))
    attempt("owner of a link", lambda: os.lchown(path, 0, 0))
    attempt("times", lambda: os.utime(path, (1, 1)))
    attempt("old times", lambda: c("utimes", name, None))
    attempt("attribute", lambda: os.setxattr(path, "user.x", b"x"))
    attempt("no attribute", lambda: os.removexattr(path, "user.x"))
    attempt("size", lambda: os.truncate(path, 0))
    attempt("emptied on opening", lambda: os.open(path, os.O_RDONLY | os.O_TRUNC))
    attempt("new name", lambda: os.rename(path, path + "-x"))
    attempt("second name", lambda: os.link(path, path + "-x"))
for path in readable:
    handle = os.open(path, os.O_RDONLY)
    now = os.stat(path)
    attempt("mode of what it reads", lambda: os.fchmod(handle, now.st_mode & 0o7777))
    attempt("times of what it reads", lambda: os.utime(handle, ns=(now.st_atime_ns, now.st_mtime_ns)))
    attempt("attribute of what it reads", lambda: os.removexattr(handle, "user.probatio"))
    attempt("lock", lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB))
    attempt("lease", lambda: fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK))
attempt("everything to disk", lambda: c("syscall", {"x86_64": 162}.get(os.uname().machine, 81)))
""", "the filter refuses every call that changes a file's mode, owner, times, size or attributes"),
    Attack("speak to the host or watch it", """
def posted(kind):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    if kind == socket.SOCK_STREAM:
        one.sendmsg([b"x"], [], 0, T["letterbox"])
    else:
        one.sendto(b"x", T["letterbox"])
for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    attempt(kind.name, lambda: posted(kind))
attempt("connect", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect(T["letterbox"]))
attempt("inotify", lambda: c("inotify_add_watch", c("inotify_init1", 0), T["folder"].encode(), 0xFFF))
attempt("old inotify", lambda: c("inotify_init"))
attempt("fanotify", lambda: c("fanotify_init", 0, 0))
attempt("note of a folder", lambda: fcntl.fcntl(os.open("/proc/self", os.O_RDONLY), fcntl.F_NOTIFY, 0xFF))
setup = {"x86_64": 206}.get(os.uname().machine, 0)
attempt("asynchronous reading", lambda: c("syscall", setup, 9, ctypes.byref(ctypes.c_long(0))))
""", "the filter refuses datagrams, watches, and handles that send signals"),
    Attack("signal through a handle", """
reader, writer = os.pipe()
attempt("owner", lambda: fcntl.fcntl(reader, fcntl.F_SETOWN, T["pid"]))
attempt("owner of a kind", lambda: fcntl.fcntl(reader, 15, struct.pack("ii", 1, T["pid"])))
attempt("signal", lambda: fcntl.fcntl(reader, 10, 9))
attempt("owner by ioctl", lambda: fcntl.ioctl(reader, 0x8901, struct.pack("i", T["pid"])))
attempt("group by ioctl", lambda: fcntl.ioctl(reader, 0x8902, struct.pack("i", T["pid"])))
attempt("typing", lambda: fcntl.ioctl(1, 0x5412, b"x"))
attempt("timer", lambda: c("timer_create", 0, None, ctypes.byref(ctypes.c_void_p())))
""", "the filter lets a handle be copied and read, and no more"),
    Attack("forget to end with the grader", """
for what, option, value in (("death with the parent", 1, 0), ("not to be looked at", 4, 0),
                            ("orphans", 36, 1),
                            ("filter", 22, 1), ("tracer", 0x59616D61, -1), ("memory map", 35, 1)):
    attempt(what, lambda: c("prctl", option, value, 0, 0, 0))
attempt("session", lambda: os.setsid())
attempt("group", lambda: os.setpgid(0, 0))
attempt("double fork", lambda: os.fork() or os.fork())
attempt("user", lambda: os.setuid(65533))
attempt("powers", lambda: "CapEff:\\t0000000000000000" not in open("/proc/self/status").read())
attempt("groups", lambda: os.setgroups([]))
""", "the filter refuses to change it; bubblewrap's own process ends the namespace"),
)  # fmt: skip


def mount(attack: Attack, on: dict[str, object], isolation: Choice = "auto") -> ProgramOutcome:
    """Run one attack in the interpreter that runs solutions."""
    return jail.run(runtime(program(attack, on)), b"", LIMITS, isolation)


def program(attack: Attack, on: dict[str, object]) -> str:
    """The attack as a program of its own."""
    return f"T = {on!r}\n{_TRY}{attack.program}"


# From a second thread, since the process that starts a program anew from there is another to the kernel, and
# has forgotten with whom it was to die.
_STAY = f"""
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
libc.prctl(1, 0, 0, 0, 0)
for deed in (os.setsid, os.fork, os.setsid, os.fork):
    try:
        deed()
    except OSError:
        pass
def ready():
    libc.prctl(1, 0, 0, 0, 0)
    libc.prctl(15, b"{READY}", 0, 0, 0)
    while True:
        time.sleep(1)
def anew():
    try:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {{**os.environ, "ANEW": "1"}})
    except OSError:
        pass
if "ANEW" not in os.environ:
    second = threading.Thread(target=anew)
    second.start()
    second.join()
ready()
"""
STAY = _TRY + _STAY
"""A program that does all it can to outlive its grader."""


def outlives_the_grader(isolation: Choice = "auto") -> str | None:
    """None where a program that tries to stay has gone with a grader that was killed; else what stayed."""
    return find_survivors(runtime(STAY), b"", isolation)
