"""Attacks on the jail, by programs to which deno has granted everything: what holds them is the operating system.

`probatio doctor` and the tests run these; docs/sandbox.md tells what stopped each.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatio.languages.typescript.run import run
from probatio.sandbox import Choice, Limits, ProgramOutcome

HARM = "HARM"
"""What a program prints once it has done what it came for."""

LIMITS = Limits(seconds=3.0, cpu_seconds=3, memory_mb=256, output_bytes=200_000, processes=48)


class Attack(msgspec.Struct, frozen=True):
    """A program that tries to do harm. `T` holds what it knows of its target."""

    name: str
    program: str
    held_by: str
    stops: tuple[str, ...] = ()
    """The limits one of which must stop it; empty where it must fail by itself."""
    slow: bool = False


_TRY = """
const harm = (what) => console.log("HARM", what);
const attempt = async (what, deed) => {
  try { if (await deed() !== false) harm(what) } catch (error) { console.log(what, error.message) }
};
"""

ATTACKS: tuple[Attack, ...] = (
    Attack("read /etc/passwd", """
        await attempt("file", () => Deno.readTextFileSync("/etc/passwd"));
        await attempt("by import", () => import("file:///etc/passwd", { with: { type: "text" } }));
        """, "not in the jail: only the runtime is mounted (Landlock: not among the readable paths)"),
    Attack("read the environment", """
        const places = ["/proc/self/environ", "/proc/1/environ", `/proc/${T.pid}/environ`];
        await attempt("own", () => JSON.stringify(Deno.env.toObject()).includes(T.token));
        for (const place of places) {
          await attempt(place, () => ("\\0" + Deno.readTextFileSync(place)).includes("\\0PATH="));
        }
        """, "the environment is cleared; /proc shows no process but the jail's own"),
    Attack("open a socket", """
        await attempt("tcp", () => Deno.connect({ hostname: "127.0.0.1", port: T.port }));
        await attempt("listen", () => Deno.listen({ port: 0 }));
        await attempt("name", () => Deno.resolveDns("example.com", "A"));
        """, "the filter refuses `socket`; own network namespace without interfaces"),
    Attack("write outside", """
        for (const folder of [T.folder, "/tmp", "/", "/etc", "/dev/shm", "/var/tmp"]) {
          await attempt(folder, () => Deno.writeTextFileSync(folder + "/left-by-attack", "x"));
        }
        """, "every mount is read-only (Landlock: no path is writable)"),
    Attack("fork bomb", """
        const self = new Deno.Command(Deno.execPath(), { args: ["--version"] });
        for (let i = 0; i < 50; i++) await attempt("process", () => self.spawn());
        const c = Deno.dlopen("libc.so.6", { fork: { parameters: [], result: "i32" } });
        await attempt("fork", () => { while (c.symbols.fork() >= 0) harm("forked"); return false; });
        """, "the filter refuses `fork`, `vfork` and `clone` without the thread bit"),
    Attack("thread bomb", """
        const spin = "data:application/javascript,for(;;){}";
        for (let i = 0; i < 500; i++) new Worker(spin, { type: "module" });
        setTimeout(() => harm("five hundred threads"), 2000);
        """, "thread limit and memory limit", ("processes", "memory")),
    Attack("infinite loop", "for (;;) {}", "time limit and CPU limit", ("time", "cpu"), slow=True),
    Attack("loop after closing its output", """
        Deno.stdout.close(); Deno.stderr.close(); for (;;) {}
        """, "time limit and CPU limit", ("time", "cpu"), slow=True),
    Attack("allocate 4 GB", """
        const all = [];
        for (let i = 0; i < 400; i++) all.push(new Uint8Array(10_000_000).fill(i + 1));
        harm("4 GB");
        """, "memory limit: a look every 20 ms, RLIMIT_DATA behind it", ("memory",)),
    Attack("allocate 4 GB of objects", """
        const all = []; for (let i = 0; i < 4e7; i++) all.push({ i, s: "x" + i }); harm("4 GB");
        """, "V8's heap limit and the memory limit", ("memory", "time")),
    Attack("print 1 GB", """
        const line = "x".repeat(1 << 20); for (let i = 0; i < 1024; i++) console.log(line);
        """, "output limit: reading stops and the program is killed", ("output",)),
    Attack("symlink tricks", """
        for (const target of [T.secret, "/etc/passwd"]) {
          for (const place of ["/tmp/link", "/link", T.folder + "/link"]) {
            await attempt(place, () => { Deno.symlinkSync(target, place); return Deno.readTextFileSync(place); });
          }
        }
        await attempt("exe", () => Deno.readTextFileSync("/proc/self/root/etc/passwd"));
        await attempt("cwd", () => Deno.readTextFileSync("/proc/self/cwd/../../../etc/passwd"));
        """, "nowhere to put a link, and nothing behind it in the jail"),
    Attack("leave a process behind", """
        const { spawn } = await import("node:child_process");
        await attempt("detached", () => new Promise((done, failed) => {
          const stay = ["eval", "setInterval(() => {}, 1000)"];
          const child = spawn(Deno.execPath(), stay, { detached: true, stdio: "ignore" });
          child.on("error", failed); child.on("spawn", done);
        }));
        """, "the filter refuses new processes; the process namespace ends with the program"),
    Attack("read the grader's files", """
        await attempt("by name", () => Deno.readTextFileSync(T.secret).includes(T.token));
        const walk = (folder, depth) => { try { for (const entry of Deno.readDirSync(folder)) {
          const path = folder + "/" + entry.name;
          if (entry.isFile && entry.name === T.secret.split("/").pop()) harm(path);
          if (entry.isDirectory && depth < 6) walk(path, depth + 1);
        } } catch { /* not readable */ } };
        walk("", 0);
        for (let fd = 3; fd < 64; fd++) await attempt("fd " + fd, () => {
          const leads = Deno.readLinkSync("/proc/self/fd/" + fd);
          if (!leads.startsWith("/") || leads.startsWith("/proc/")) return false;
          return Deno.readTextFileSync(leads).includes(T.token); });
        """, "not in the jail; no handle of the grader is passed on"),
    Attack("signal or read the grader", """
        await attempt("kill", () => Deno.kill(T.pid, "SIGTERM"));
        await attempt("kill parent", () => Deno.kill(Deno.ppid, "SIGTERM"));
        await attempt("memory", () => Deno.openSync(`/proc/${T.pid}/mem`));
        const c = Deno.dlopen("libc.so.6", { kill: { parameters: ["i32", "i32"], result: "i32" },
          ptrace: { parameters: ["i64", "i64", "pointer", "pointer"], result: "i64" } });
        await attempt("libc kill", () => c.symbols.kill(T.pid, 15) === 0);
        await attempt("libc kill all", () => c.symbols.kill(-1, 15) === 0);
        await attempt("ptrace", () => c.symbols.ptrace(16n, BigInt(T.pid), null, null) === 0n);
        """, "the filter refuses signals and `ptrace`; own process namespace"),
    Attack("leave the jail", """
        const c = Deno.dlopen("libc.so.6", { unshare: { parameters: ["i32"], result: "i32" },
          chroot: { parameters: ["buffer"], result: "i32" },
          socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
          setuid: { parameters: ["i32"], result: "i32" } });
        const { socket, unshare } = c.symbols;
        for (const family of [1, 2, 10, 16, 17]) await attempt("socket " + family, () => socket(family, 2, 0) >= 0);
        for (const kind of [0x10000000, 0x20000, 0x40000000]) await attempt("unshare", () => unshare(kind) === 0);
        await attempt("chroot", () => c.symbols.chroot(new TextEncoder().encode("/\\0")) === 0);
        """, "the filter refuses namespaces, mounts and sockets; no capabilities"),
)  # fmt: skip


@contextlib.contextmanager
def target() -> Iterator[dict[str, object]]:
    """Something to attack: a secret in the environment and in a file, a listening socket, a writable folder."""
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        secret = Path(folder, f"expected-{token[:6]}.txt")
        secret.write_text(token)
        os.environ["PROBATIO_ATTACK_TOKEN"] = token
        try:
            yield {
                "token": token, "secret": str(secret), "folder": folder,
                "port": server.getsockname()[1], "pid": os.getpid(),
            }  # fmt: skip
        finally:
            del os.environ["PROBATIO_ATTACK_TOKEN"]


def mount(attack: Attack, on: dict[str, object], isolation: Choice = "auto") -> ProgramOutcome:
    """Run one attack with every permission deno can give."""
    program = f"const T = {msgspec.json.encode(on).decode()};{_TRY}{attack.program}"
    return run(program, LIMITS, isolation, None, ("--allow-all",))


def fault(attack: Attack, outcome: ProgramOutcome, on: dict[str, object]) -> str | None:
    """None where the attack was held; else what it did."""
    if HARM in outcome.stdout:
        return outcome.stdout[outcome.stdout.index(HARM) :].splitlines()[0]
    if str(on["token"]) in outcome.stdout + outcome.stderr:
        return "it printed the secret"
    if len(outcome.stdout) + len(outcome.stderr) > LIMITS.output_bytes:
        return "it printed more than it may"
    if attack.stops and outcome.stopped not in attack.stops:
        return f"it ended with {outcome.exit}, stopped by {outcome.stopped} and not by one of {', '.join(attack.stops)}"
    if not attack.stops and outcome.exit != 0:
        return f"it could not be tried: {outcome.stderr.strip()[:300] or outcome.stopped}"
    left = [entry.name for entry in Path(str(on["folder"])).iterdir() if str(entry) != on["secret"]]
    return f"it left {left[0]} behind" if left else None
