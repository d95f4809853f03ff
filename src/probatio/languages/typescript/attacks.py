"""Attacks on the jail, by programs to which deno has granted everything: what holds them is the operating
system.

`probatio doctor` and the tests run these; docs/sandbox.md tells what stopped each.
"""

from __future__ import annotations

import msgspec

from probatio.jail import Choice, ProgramOutcome
from probatio.jail.attack import LIMITS, READY, Attack, find_survivors
from probatio.languages.typescript.engines import engine
from probatio.languages.typescript.language import run

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
            await attempt(place, () => {
              Deno.symlinkSync(target, place);
              return Deno.readTextFileSync(place);
            });
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
        // in a container the grader's number may be that of our own thread, whose memory we may open
        const own = (pid) => {
          try { Deno.statSync("/proc/self/task/" + pid); return true; } catch { return false; }
        };
        await attempt("memory", () => own(T.pid) ? false : Deno.openSync(`/proc/${T.pid}/mem`));
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
        for (const family of [1, 2, 10, 16, 17])
          await attempt("socket " + family, () => socket(family, 2, 0) >= 0);
        for (const kind of [0x10000000, 0x20000, 0x40000000])
          await attempt("unshare", () => unshare(kind) === 0);
        await attempt("chroot", () => c.symbols.chroot(new TextEncoder().encode("/\\0")) === 0);
        """, "the filter refuses namespaces, mounts and sockets; no capabilities"),
    Attack("share memory that nobody counts", """
        const c = Deno.dlopen("libc.so.6", {
          mmap: { parameters: ["usize", "usize", "i32", "i32", "i32", "i64"], result: "usize" },
          memfd_create: { parameters: ["buffer", "u32"], result: "i32" },
          shmget: { parameters: ["i32", "usize", "i32"], result: "i32" } });
        const failed = 0xffffffffffffffffn;
        await attempt("shared", () => c.symbols.mmap(0n, 6n << 30n, 3, 0x21, -1, 0n) !== failed);
        await attempt("huge pages", () => c.symbols.mmap(0n, 1n << 21n, 3, 0x40022, -1, 0n) !== failed);
        await attempt("memfd", () => c.symbols.memfd_create(new TextEncoder().encode("x\\0"), 0) >= 0);
        await attempt("shm", () => { const id = c.symbols.shmget(0, 1n << 20n, 0o600); return id >= 0; });
        """, "the filter refuses shared memory; private memory and its page tables are counted"),
    Attack("change a file of the host", """
        const c = Deno.dlopen("libc.so.6", { chmod: { parameters: ["buffer", "u32"], result: "i32" },
          chown: { parameters: ["buffer", "u32", "u32"], result: "i32" },
          utimes: { parameters: ["buffer", "pointer"], result: "i32" },
          truncate: { parameters: ["buffer", "i64"], result: "i32" },
          setxattr: { parameters: ["buffer", "buffer", "buffer", "usize", "i32"], result: "i32" } });
        const text = (words) => new TextEncoder().encode(words + "\\0");
        for (const path of [T.secret, T.folder]) {
          await attempt("mode", () => c.symbols.chmod(text(path), 0o4755) === 0);
          await attempt("owner", () => c.symbols.chown(text(path), 0, 0) === 0);
          await attempt("times", () => c.symbols.utimes(text(path), null) === 0);
          await attempt("size", () => c.symbols.truncate(text(path), 0n) === 0);
          await attempt("attribute", () =>
            c.symbols.setxattr(text(path), text("user.x"), text("x"), 1n, 0) === 0);
        }
        """, "the filter refuses every call that changes a file's mode, owner, times, size or attributes"),
    Attack("speak to the host or watch it", """
        const c = Deno.dlopen("libc.so.6", {
          socketpair: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
          inotify_init1: { parameters: ["i32"], result: "i32" },
          fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" } });
        for (const kind of [2, 5]) {
          await attempt("socketpair " + kind, () =>
            c.symbols.socketpair(1, kind, 0, new Int32Array(2)) === 0);
        }
        await attempt("inotify", () => c.symbols.inotify_init1(0) >= 0);
        await attempt("owner of a handle", () => c.symbols.fcntl(1, 8, T.pid) === 0);
        await attempt("signal of a handle", () => c.symbols.fcntl(1, 10, 9) === 0);
        """, "the filter refuses datagrams, watches, and handles that send signals"),
    Attack("forget to end with the grader", """
        const c = Deno.dlopen("libc.so.6", { setsid: { parameters: [], result: "i32" },
          prctl: { parameters: ["i32", "usize", "usize", "usize", "usize"], result: "i32" } });
        await attempt("death with the parent", () => c.symbols.prctl(1, 0n, 0n, 0n, 0n) === 0);
        await attempt("not to be looked at", () => c.symbols.prctl(4, 0n, 0n, 0n, 0n) === 0);
        await attempt("own session", () => c.symbols.setsid() >= 0);
        """, "the filter refuses to change it; bubblewrap's own process ends the namespace"),
)  # fmt: skip


def mount(attack: Attack, on: dict[str, object], isolation: Choice = "auto") -> ProgramOutcome:
    """Run one attack with every permission deno can give."""
    program = f"const T = {msgspec.json.encode(on).decode()};{_TRY}{attack.program}"
    return run(program, LIMITS, isolation, ("--allow-all",))


_STAY = """
const c = Deno.dlopen("libc.so.6", { setsid: { parameters: [], result: "i32" },
  fork: { parameters: [], result: "i32" },
  prctl: { parameters: ["i32", "buffer", "usize", "usize", "usize"], result: "i32" } });
c.symbols.prctl(1, null, 0n, 0n, 0n); c.symbols.setsid(); c.symbols.fork();
c.symbols.prctl(15, new TextEncoder().encode("%s\0"), 0n, 0n, 0n);
setInterval(() => {}, 1000);
"""


def outlives_the_grader(isolation: Choice = "auto") -> str | None:
    """None where a program that tries to stay has gone with a grader that was killed; else what stayed."""
    runtime = engine("deno").runtime(LIMITS.memory_mb, ("--allow-all",))
    return find_survivors(runtime, (_STAY % READY).encode(), isolation)
