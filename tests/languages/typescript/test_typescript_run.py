"""A program starts, ends and fails as it would under bun, and a parse failure is told from a run-time one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from probatio.core.errors import UsageError
from probatio.jail import Limits
from probatio.languages import typescript
from probatio.languages.typescript.engines import BUN, SETTING, deno

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site


def test_types_are_taken_off_and_the_program_runs() -> None:
    outcome = typescript.run("enum E { A = 3 }\nconst x: number = E.A as number;\nconsole.log(x!)")
    assert (outcome.exit, outcome.stdout, outcome.stderr, outcome.stopped, outcome.started) == (
        0,
        "3\n",
        "",
        None,
        True,
    )


PARSE_FAILURES = {
    "syntax": "let x: = 3",
    "prose": "Here is the program you asked for:",
    "unclosed brace": "function f() { console.log(1)",
    "unclosed comment": "console.log(1) /* to be continued",
    "unclosed template": "console.log(`1",
    "dangling condition": "if (true)",
    "declared twice": "let a = 1; let a = 2;",
    "missing package": 'import _ from "lodash"; console.log(_)',
    "missing export": 'import { nope } from "fs"; console.log(nope)',
    "remote import": 'import x from "https://example.com/x.ts"; console.log(x)',
}


@pytest.mark.parametrize("source", PARSE_FAILURES.values(), ids=PARSE_FAILURES.keys())
def test_a_program_that_does_not_parse_never_starts(source: str) -> None:
    outcome = typescript.run(source)
    assert not outcome.started
    assert outcome.stdout == "" or source.startswith("console.log(1) /*")


RUN_TIME_FAILURES = {
    "thrown": 'throw new Error("boom")',
    "thrown syntax error": 'throw new SyntaxError("Unexpected token")',
    "undeclared": "x = 5",
    "undefined function": "nothing()",
    "rejected": 'await Promise.reject(new Error("no"))',
    "evaluated": 'eval("let x: = 3")',
    "imported late": 'await import("lodash")',
    "exit": "process.exit(3)",
}


@pytest.mark.parametrize("source", RUN_TIME_FAILURES.values(), ids=RUN_TIME_FAILURES.keys())
def test_a_program_that_fails_while_running_has_started(source: str) -> None:
    outcome = typescript.run(source)
    assert outcome.started
    assert outcome.exit not in (0, None)


def test_what_was_printed_before_a_failure_is_kept() -> None:
    outcome = typescript.run('console.log("a"); throw new TypeError("boom")')
    assert (outcome.exit, outcome.stdout) == (1, "a\n")
    assert "TypeError: boom" in outcome.stderr


def test_messages_name_no_path_of_this_machine() -> None:
    for source in (
        *PARSE_FAILURES.values(),
        *RUN_TIME_FAILURES.values(),
        "console.log({ get [Symbol.toStringTag]() { throw 1 } })",
    ):
        stderr = typescript.run(source).stderr
        assert str(BUN) not in stderr
        assert deno() not in stderr


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ('process.stdout.write("x")', "x"),
        ('import * as fs from "fs"; console.log(typeof fs.readFileSync)', "function\n"),
        ('import { join } from "node:path"; console.log(join("a", "b"))', "a/b\n"),
        ('const path = require("path"); console.log(path.join("a", "b"))', "a/b\n"),
        ("console.log(process.argv.length, typeof process.env.HOME)", "2 undefined\n"),
        ('console.log(Buffer.from("hi").toString("hex"))', "6869\n"),
        ('if (require.main === module) console.log("main")', "main\n"),
        ("console.log(import.meta.main)", "true\n"),
        ("module.exports = { a: 1 }; export {}; console.log(1)", "1\n"),
        ("#!/usr/bin/env bun\nconsole.log(1)", "1\n"),
        ('console.log("no newline at the end") // done', "no newline at the end\n"),
        (
            'import * as readline from "readline";\n'
            'readline.createInterface({ input: process.stdin }).on("close", () => console.log("end"))',
            "end\n",
        ),
        ("(async () => { await new Promise((done) => setTimeout(done, 20)); console.log('late') })()",
         "late\n"),
        ("console.log(new Date(0).getHours(), new Date(0).getTimezoneOffset())", "0 0\n"),
    ],
)  # fmt: skip
def test_what_answers_use_out_of_habit_works(source: str, stdout: str) -> None:
    outcome = typescript.run(source)
    assert (outcome.exit, outcome.stdout) == (0, stdout), outcome.stderr


def test_exit_codes_come_through() -> None:
    assert typescript.run("process.exit(7)").exit == 7
    assert typescript.run("process.exitCode = 9").exit == 9


def test_a_mark_printed_by_the_program_itself_stays() -> None:
    assert typescript.run('console.log("\\x02")').stdout == "\x02\n"


def test_text_that_is_not_valid_unicode_does_not_break_the_run() -> None:
    assert typescript.run('console.log("\ud800".length)').exit == 0
    assert typescript.run("process.stdout.write(new Uint8Array([0xff, 0x41]))").stdout == "\ufffdA"


def test_different_programs_at_once_never_mix_their_output() -> None:
    def ask(i: int) -> bool:
        return typescript.run(f"for (let k = 0; k < 300; k++) console.log({i})").stdout == f"{i}\n" * 300

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(ask, range(18)))


def test_what_a_busy_machine_may_have_caused_is_not_timely() -> None:
    assert not typescript.run("for (;;) {}", Limits(seconds=0.4)).timely
    assert not typescript.run("await new Promise((done) => setTimeout(done, 1100))").timely


def test_a_slow_program_may_have_a_limit_of_its_own() -> None:
    source = "await new Promise((done) => setTimeout(done, 600)); console.log('done')"
    assert typescript.run(source, Limits(seconds=0.3)).stopped == "time"
    assert typescript.run(source, Limits(seconds=5)).stdout == "done\n"


@pytest.mark.slow
def test_the_engine_is_found_also_where_many_threads_ask_first_at_once() -> None:
    program = (
        "import threading\n"
        "from probatio.languages.typescript.engines import deno\n"
        "start, paths = threading.Barrier(16), []\n"
        "def ask():\n"
        "    start.wait()\n"
        "    paths.append(deno())\n"
        "threads = [threading.Thread(target=ask) for _ in range(16)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert len(paths) == 16 and len(set(paths)) == 1\n"
    )
    for _ in range(5):
        assert (
            subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
        )


def test_an_engine_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "no-such-bun")
    with pytest.raises(UsageError, match="no-such-bun"):
        typescript.run("1")


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("bun") is None, reason="bun is not installed here")
def test_bun_runs_programs_where_the_user_has_it_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "bun")
    outcome = typescript.run("enum E { a, b }\nconst x: number = 7;\nconsole.log(x, E.b, typeof Bun)")
    assert (outcome.exit, outcome.stdout) == (0, "7 1 object\n")
    assert not typescript.run("const = 1").started
    assert typescript.run('throw new Error("x")').exit == 1
    assert typescript.run('console.log(await Bun.file("/etc/passwd").text())').stdout == ""
