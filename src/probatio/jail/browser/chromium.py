"""How Chromium is started: which program, which switches, which jail. A page written by a model is
hostile."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec

from probatio.core.errors import CannotCheck
from probatio.core.inside import open_named
from probatio.jail import Choice, NoIsolation, build, find_isolation

VARIABLE = "PROBATIO_CHROMIUM"
HEADLESS = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
"""The same browser without windows, menus and extensions. A page costs half the CPU in it, and scores the
same."""
NAMES = (*HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (
    "install it with `apt install chromium-headless-shell` (or `chromium`) or `playwright install chromium`, "
    f"or name its executable in the variable {VARIABLE}"
)

MEMORY_MB = 1024
"""Data of one process of the browser. A plain page's renderer has about 130, the browser itself 290."""
SCRATCH_MB = 256
"""The private /tmp: profile and shared memory."""

# Switch → why it is there.
SWITCHES: dict[str, str] = {
    "--headless=new": "no screen is needed",
    "--disable-gpu": "drawing by the processor is the same on every machine",
    "--disable-features=RenderDocument,PaintHolding": "a page loaded again stays in its frame: less CPU",
    "--disable-back-forward-cache": "no one goes back to a page that was left",
    "--remote-debugging-pipe": "we talk to it over handles 3 and 4, which pass into the jail",
    "--no-startup-window": "pages are opened by us alone",
    "--no-first-run": "no questions",
    "--no-default-browser-check": "no questions",
    "--disable-extensions": "nothing but the page",
    "--disable-sync": "nothing goes out",
    "--disable-background-networking": "nothing goes out",
    "--disable-component-update": "nothing goes out",
    "--disable-quic": "nothing goes out",
    "--disable-breakpad": "nothing goes out",
    "--disable-crash-reporter": "nothing goes out",
    "--proxy-server=127.0.0.1:9": "nothing goes out, should the jail's own missing network not be there",
    "--proxy-bypass-list=<-loopback>": "not even to this machine",
    "--host-resolver-rules=MAP * ~NOTFOUND": "no name has an address",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp": "nothing goes out past the proxy",
    "--disable-dev-shm-usage": "the jail's /dev/shm is small",
    "--mute-audio": "the jail has no sound",
    "--hide-scrollbars": "a scrollbar would take width from the page",
    "--force-color-profile=srgb": "colours are the same on every machine",
    "--disable-background-timer-throttling": "every page is at the front",
    "--disable-backgrounding-occluded-windows": "every page is at the front",
    "--disable-renderer-backgrounding": "every page is at the front",
    "--enable-blink-features=ComputedAccessibilityInfo": "roles and names as the browser has them",
    "--disable-blink-features=AutomationControlled": "a page must not see that it is examined",
    "--js-flags=--max-old-space-size=256": "a script that hoards memory ends early",
}

Way = Literal["jail and own sandbox", "jail", "own sandbox", "none"]
WAYS: dict[Choice, tuple[Way, ...]] = {
    "auto": ("jail and own sandbox", "jail", "own sandbox"),
    "bubblewrap": ("jail and own sandbox", "jail"),
    "landlock": ("own sandbox",),  # that jail refuses new processes, and a browser is made of them
    "none": ("none",),
}
DESCRIPTIONS: dict[Way, str] = {
    "jail and own sandbox": "in the bubblewrap jail, with its own sandbox inside",
    "jail": "in the bubblewrap jail",
    "own sandbox": "in its own sandbox, without a jail around it",
    "none": "without isolation",
}

# What of the host a jailed browser can read: programs and libraries, fonts. No home, no environment, no
# network.
_READS = ("/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives")
# The switches of /proc obey root even in a jail. /proc as a whole must stay writable for Chromium's own
# sandbox.
_PROC_SHUT = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr")


class BrowserCommand(msgspec.Struct, frozen=True):
    """A command line: what is executed, and every word after it."""

    executable: str
    arguments: tuple[str, ...]
    env: dict[str, str]


def executable() -> str:
    """The Chromium to use: the one named in the environment, else the system's, else Playwright's own; of
    these two the headless shell where it is there."""
    named = os.environ.get(VARIABLE)
    if named:
        path = shutil.which(named)
        if path is None:
            raise CannotCheck(
                f"{VARIABLE} names `{named}`, which can't be executed: correct it or {INSTALL}."
            )
        return _binary(path)
    on_path = next((path for name in NAMES if (path := shutil.which(name))), None)
    if on_path:
        return _binary(on_path)
    own = [
        path for path in _playwright_folder().glob("chromium*-*/*/*") if path.name in ("chrome", *HEADLESS)
    ]
    if own:
        return str(max(own, key=lambda path: (path.name in HEADLESS, path.stat().st_mtime)))
    raise CannotCheck(f"No Chromium was found, and a web page is checked in a real one: {INSTALL}.")


def _playwright_folder() -> Path:
    return Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")


def _binary(command: str) -> str:
    """The program itself where `command` is a distribution's shell script, which would need a home and
    settings."""
    path = Path(command).resolve()
    with open_named(path) as file:
        if file.read(2) != b"#!":
            return str(path)
    name = Path(command).name
    folders = [Path(f"/usr/{lib}/{folder}") for lib in ("lib", "lib64") for folder in (name, "chromium")]
    places = (path.with_name("chrome"), *(folder / name for folder in folders))
    return next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), str(path))


def title(program: str, version: str) -> str:
    """The name of the browser in messages."""
    return f"Chromium{' headless shell' if Path(program).name in HEADLESS else ''} {version}"


def jailable() -> str | None:
    """None where bubblewrap works here, else why not."""
    try:
        find_isolation("bubblewrap")
    except NoIsolation as error:
        return str(error).partition("(")[2].partition(")")[0] or str(error)
    return None


@contextlib.contextmanager
def start(way: Way, program: str) -> Iterator[BrowserCommand]:
    """The command line that starts `program` in this way, and the scratch folder it needs while it runs."""
    switches = [*SWITCHES, *(["--no-sandbox"] if way in ("jail", "none") else [])]
    if way in ("jail and own sandbox", "jail"):
        words = [
            *_jail(program, own_sandbox=way != "jail"),
            program,
            *switches,
            "--user-data-dir=/tmp/profile",
        ]
        yield _add_limits(words, {})
    else:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            words = [program, *switches, f"--user-data-dir={folder}/profile"]
            yield _add_limits(words, {"HOME": folder, "TMPDIR": folder, "PATH": os.defpath})


def _add_limits(words: list[str], env: dict[str, str]) -> BrowserCommand:
    """`words` under the kernel's limits, which every process of the browser inherits."""
    script = f'ulimit -c 0; ulimit -d {MEMORY_MB << 10}; exec "$@"'
    return BrowserCommand("/bin/sh", ("-c", script, "sh", *words), env)


def _jail(program: str, own_sandbox: bool) -> list[str]:
    words = [
        build.bwrap() or "bwrap",
        *(f"--unshare-{name}" for name in ("user", "pid", "net", "ipc", "uts", "cgroup-try")),
        "--uid", build.NOBODY, "--gid", build.NOBODY,
        "--hostname", "jail", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp",
        "--ro-bind", "/usr", "/usr",
    ]  # fmt: skip
    if not program.startswith("/usr/local/") and Path("/usr/local").is_dir():
        words += ["--tmpfs", "/usr/local"]
    for folder in ("/bin", "/sbin", "/lib", "/lib64", "/lib32"):
        place = Path(folder)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), folder]
        elif place.is_dir():
            words += ["--ro-bind", folder, folder]
    if not program.startswith("/usr/"):
        beside = str(Path(program).parent)
        words += ["--ro-bind", beside, beside]
    for path in _READS:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc"]
    if own_sandbox:
        for name in _PROC_SHUT:
            words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    else:
        words += ["--remount-ro", "/proc"]
    words += ["--dev", "/dev", "--size", str(SCRATCH_MB << 20), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    return [*words, "--remount-ro", "/", "--"]
