"""The jail holds a program that can make any system call, whatever its runtime is, and leaves nothing
behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from jail.python_runtime import python_runtime
from probatio.jail import Choice, Limits, NoIsolation, ProgramOutcome, find_isolation, run
from probatio.jail.supervisor import Supervisor

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

BRIEF = Limits(seconds=60, cpu_seconds=5, memory_mb=128, output_bytes=100_000, file_mb=4)


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> Choice:
    choice: Choice = request.param
    try:
        find_isolation(choice)
    except NoIsolation as error:
        pytest.skip(str(error))
    return choice


def attack(kind: Choice, code: str, *, scratch: bool = False, limits: Limits = BRIEF) -> ProgramOutcome:
    return run(python_runtime(scratch=scratch), code.encode(), limits, kind)


def test_a_program_runs_and_its_exit_comes_through(kind: Choice) -> None:
    outcome = attack(kind, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)")
    assert (outcome.exit, outcome.stdout, outcome.stderr) == (5, "out\n", "err\n")


def test_a_program_that_kills_itself_is_told_by_the_signal(kind: Choice) -> None:
    outcome = attack(kind, "import ctypes; ctypes.string_at(0)")
    assert outcome.exit == 128 + signal.SIGSEGV
    assert outcome.stopped is None


def test_nothing_of_the_host_is_readable_but_the_runtime(kind: Choice, tmp_path: Path) -> None:
    (tmp_path / "expected.txt").write_text("42")
    code = f"""
import os
for path in ["/etc/passwd", "/etc/hostname", "/var", "/opt", "/bin/sh",
             "/sys/kernel", "/dev/mem", {__file__!r},
             {str(tmp_path)!r} + "/expected.txt", "/proc/1/root/etc/passwd", "/proc/self/root/etc/passwd",
             "/proc/{os.getpid()}/environ"]:
    try:
        print(path, os.listdir(path) if os.path.isdir(path) else open(path, "rb").read()[:20])
    except OSError as error:
        pass
"""
    assert attack(kind, code).stdout == ""


def test_the_environment_is_only_what_the_runtime_was_given(
    kind: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-secret")
    outcome = attack(
        kind, "import os; print(sorted(set(os.environ) - {'PWD', 'LD_LIBRARY_PATH', 'LC_CTYPE'}))"
    )
    assert outcome.stdout == "['PYTHONHOME']\n"


def test_no_handle_of_ours_is_passed_on(kind: Choice) -> None:
    code = """
import os
for fd in range(3, 256):
    try:
        print(fd, os.readlink(f"/proc/self/fd/{fd}"))
    except OSError:
        pass
"""
    left = [line.split(" ", 1)[1] for line in attack(kind, code).stdout.splitlines()]
    # The listing itself opens nothing; Landlock's rule for /proc/self needs one handle to that very folder.
    assert [path for path in left if not path.startswith("/proc/")] == []


def test_nothing_can_be_written_where_no_scratch_was_given(kind: Choice) -> None:
    code = """
import os
for folder in ["/", "/tmp", "/var/tmp", "/dev/shm", "/etc", os.getcwd(),
               os.environ["PYTHONHOME"], "/proc/sys/kernel"]:
    try:
        open(folder + "/x", "w").write("x")
        print("HARM", folder)
    except OSError:
        pass
for knob in ["sys/kernel/core_pattern", "sysrq-trigger", "sys/vm/drop_caches", "self/oom_score_adj"]:
    try:
        os.open("/proc/" + knob, os.O_WRONLY)  # opened only: a failing test must not change the machine
        print("HARM", knob)
    except OSError:
        pass
"""
    assert attack(kind, code).stdout == ""


def test_a_jail_that_is_still_being_built_is_not_stopped_for_what_stands_in_our_own_folders(
    tmp_path: Path,
) -> None:
    (tmp_path / "large").write_bytes(bytes(2 << 20))
    limits = Limits(file_mb=1)
    in_our_root = f"/proc/{{pid}}/root{tmp_path}"  # before a jail changes its root, it sees what we see
    assert Supervisor(0, (0, 0), limits, os.getpid, scratch=in_our_root).over() is None
    assert Supervisor(0, (0, 0), limits, os.getpid, scratch=str(tmp_path)).over() == "files"


def test_a_scratch_folder_is_empty_private_and_gone_afterwards(kind: Choice) -> None:
    code = (
        "import os; print(os.listdir('.')); open('x', 'w').write('x'); print(open('x').read(), os.getcwd())"
    )
    first = attack(kind, code, scratch=True)
    again = attack(kind, code, scratch=True)
    assert first.stdout.startswith("[]\nx ")
    assert again.stdout.startswith("[]\nx ")
    assert not Path(again.stdout.split()[-1], "x").exists()


def test_a_scratch_folder_can_not_be_filled_beyond_its_size(kind: Choice) -> None:
    code = """
import time
for i in range(200):
    with open(str(i), "wb") as file:
        file.write(b"x" * 1_000_000)
    time.sleep(0.005)
print("HARM")
"""
    outcome = attack(kind, code, scratch=True)
    assert "HARM" not in outcome.stdout
    assert outcome.exit != 0


def test_a_scratch_folder_can_not_be_filled_with_empty_files(kind: Choice) -> None:
    code = """
import os
for i in range(400_000):
    os.mkdir(f"folder-{i}") if i % 2 else open(f"file-{i}", "w").close()
print("HARM")
"""
    outcome = attack(kind, code, scratch=True)
    assert (outcome.stopped, outcome.stdout) == ("files", "")


def test_files_that_come_and_go_end_no_run(kind: Choice) -> None:
    code = """
import os, time
end = time.monotonic() + 0.5
while time.monotonic() < end:
    for i in range(50): open(f"{i}", "w").close()
    for i in range(50): os.unlink(f"{i}")
print("done")
"""
    assert attack(kind, code, scratch=True).stdout == "done\n"


def test_a_program_may_use_its_memory_up_to_the_limit(kind: Choice) -> None:
    outcome = attack(kind, "import time; x = bytearray(90 << 20); time.sleep(0.2); print(len(x) >> 20)")
    assert (outcome.exit, outcome.stdout) == (0, "90\n")


def test_a_single_file_can_not_pass_its_limit(kind: Choice) -> None:
    outcome = attack(kind, "open('x', 'wb').write(b'x' * 50_000_000); print('HARM')", scratch=True)
    assert (outcome.exit != 0, outcome.stdout) == (True, "")


def test_links_out_of_the_scratch_folder_lead_nowhere(kind: Choice, tmp_path: Path) -> None:
    secret = tmp_path / "expected.txt"
    secret.write_text("42")
    code = f"""
import os
for target in [{str(secret)!r}, "/etc/passwd"]:
    for make in (os.symlink, os.link):
        try:
            make(target, "link")
            print("HARM", open("link").read())
        except OSError:
            pass
        try:
            open("link", "w").write("changed")
        except OSError:
            pass
        try:
            os.unlink("link")
        except OSError:
            pass
"""
    assert attack(kind, code, scratch=True).stdout == ""
    assert secret.read_text() == "42"


def test_a_fork_bomb_never_forks_once(kind: Choice) -> None:
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for fork in (os.fork, lambda: os.posix_spawn(os.sys.executable, ["python"], {}),
             lambda: libc.syscall(57) < 0 and 1 / 0,
             lambda: libc.syscall(56, 17, 0, 0, 0, 0) < 0 and 1 / 0,
             lambda: libc.syscall(435, 0, 0) < 0 and 1 / 0):
    try:
        fork()
        print("HARM")
    except (OSError, ZeroDivisionError):
        pass
"""
    assert attack(kind, code).stdout == ""


def test_threads_work_up_to_their_limit(kind: Choice) -> None:
    code = """
import threading, time
threads = [threading.Thread(target=time.sleep, args=(SECONDS,)) for _ in range(COUNT)]
for thread in threads: thread.start()
print("started", flush=True)
for thread in threads: thread.join()
"""
    few = attack(kind, code.replace("COUNT", "8").replace("SECONDS", "0.1"))
    assert (few.exit, few.stdout) == (0, "started\n")
    many = attack(
        kind,
        code.replace("COUNT", "40").replace("SECONDS", "2"),
        limits=Limits(seconds=3, processes=20),
    )
    assert (many.exit, many.stopped) == (None, "processes")


def test_no_socket_of_any_family_can_be_made(kind: Choice) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print([family for family in range(46) for type in (1, 2, 3) if libc.socket(family, type, 0) >= 0])
"""
    assert attack(kind, code).stdout == "[]\n"


@pytest.mark.slow
def test_the_limits_stop_a_program_and_say_which(kind: Choice) -> None:
    endless = "while True: pass"
    assert attack(kind, endless, limits=Limits(seconds=0.5)).stopped == "time"
    assert attack(kind, endless, limits=Limits(seconds=120, cpu_seconds=1)).stopped == "cpu"
    assert attack(kind, "import time; time.sleep(60)", limits=Limits(seconds=0.3)).stopped == "time"
    assert attack(kind, "while True: print('x' * 10000)").stopped == "output"
    grow = "keep = []\nwhile True: keep.append(bytearray(1_000_000))"
    outcome = attack(kind, grow, limits=Limits(seconds=120, memory_mb=64))
    assert outcome.stopped == "memory" or "MemoryError" in outcome.stderr


def test_one_huge_allocation_is_refused_by_the_kernel(kind: Choice) -> None:
    outcome = attack(kind, "x = bytearray(4 << 30); print('HARM')")
    assert (outcome.exit, outcome.stdout) == (1, "")


def test_output_is_cut_at_the_limit_and_never_grows_past_it(kind: Choice) -> None:
    outcome = attack(
        kind, "import sys\nwhile True: sys.stdout.write('é' * 5000); sys.stderr.write('x' * 5000)"
    )
    assert outcome.stopped == "output"
    assert (
        len(outcome.stdout.encode()) + len(outcome.stderr) <= BRIEF.output_bytes + 3
    )  # a cut character becomes one of three bytes


def test_a_program_that_closes_its_output_and_goes_on_is_still_stopped(kind: Choice) -> None:
    outcome = attack(
        kind, "import os; os.close(1); os.close(2)\nwhile True: pass", limits=Limits(seconds=0.5)
    )
    assert outcome.stopped == "time"


def test_a_program_that_does_not_read_its_input_ends_as_it_likes(kind: Choice) -> None:
    runtime = python_runtime()
    deaf = msgspec.structs.replace(runtime, argv=(*runtime.argv[:-1], "-c", "print('deaf')"))
    outcome = run(deaf, b"x" * 1_000_000, BRIEF, kind)
    assert (outcome.exit, outcome.stdout) == (0, "deaf\n")


def test_input_larger_than_a_pipe_arrives_whole(kind: Choice) -> None:
    code = "import sys\ntext = '" + "x" * 300_000 + "'\nprint(len(text))"
    assert attack(kind, code).stdout == "300000\n"


@pytest.mark.slow
def test_two_programs_at_once_do_not_see_each_other(kind: Choice) -> None:
    stranger: list[ProgramOutcome] = []
    secret = "import time; token = 'tok' + 'en-of-another'; open('left', 'w').write(token); time.sleep(1.5)"
    other = threading.Thread(target=lambda: stranger.append(attack(kind, secret, scratch=True)))
    other.start()
    time.sleep(0.5)
    code = """
import os
for pid in filter(str.isdigit, os.listdir("/proc") if os.access("/proc", os.R_OK) else []):
    for name in ("cmdline", "environ", "mem", "maps"):
        try:
            if int(pid) != os.getpid(): print("SEEN", pid, name, open(f"/proc/{pid}/{name}", "rb").read())
        except OSError:
            pass
"""
    listing = attack(kind, code, scratch=True)
    other.join()
    seen = {line.split()[1] for line in listing.stdout.splitlines() if line.startswith("SEEN")}
    # Process 1 of bubblewrap's namespace is bubblewrap's own, in this jail and not in the other.
    assert seen <= ({"1"} if kind == "bubblewrap" else set())
    assert "en-of-another" not in listing.stdout
    assert stranger[0].exit == 0


def running(mark: str) -> list[int]:
    """Processes of this machine whose command line or environment holds `mark`."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes():
                    pids.append(int(entry.name))
            except OSError:
                continue
    return pids


@pytest.mark.parametrize("kind_name", ["bubblewrap", "landlock"])
def test_a_killed_grader_takes_its_programs_with_it(kind_name: Choice, tmp_path: Path) -> None:
    try:
        find_isolation(kind_name)
    except NoIsolation as error:
        pytest.skip(str(error))
    mark = f"mark-{os.urandom(6).hex()}"
    script = tmp_path / "grader.py"
    script.write_text(f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import msgspec
from jail.python_runtime import python_runtime
from probatio.jail import Limits, run
marked = msgspec.structs.replace(python_runtime(), env=(("PYTHONHOME", sys.base_prefix), ("MARK", {mark!r})))
run(marked, b"while True: pass", Limits(seconds=60, cpu_seconds=60), {kind_name!r})
""")
    grader = subprocess.Popen([sys.executable, str(script)])
    deadline = time.monotonic() + 60
    while not running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(mark)
    time.sleep(0.3)
    grader.kill()
    grader.wait()
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(mark) == []


def test_a_stopped_program_leaves_no_process_behind(kind: Choice) -> None:
    mark = f"mark-{os.urandom(6).hex()}"
    outcome = attack(kind, f"mark = {mark!r}\nwhile True: pass", limits=Limits(seconds=0.4))
    assert outcome.stopped == "time"
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    assert [pid for pid in children if "bwrap" in Path(f"/proc/{pid}/cmdline").read_text()] == []
