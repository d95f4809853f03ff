"""An answer that breaks its check is wrong and counts, however it breaks it. Where everything breaks, our
machine is at fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from languages.command.languages_here import spec as language
from probatio.core.records import UNASKED_ERRORS, Assessment, Response, Task, TaskType
from probatio.grading import trial_answers
from probatio.grading.trial_answers import assess_trial
from probatio.jail import Limits
from probatio.jail.workers import Checks, GraderFingerprint, Lane, Pool, Unchecked, get_pool
from probatio.languages.contract import LanguageSpec
from probatio.suites.language_suite import load_suite

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

BRIEF = Limits(seconds=5, cpu_seconds=1, memory_mb=128, output_bytes=50_000)
PYTHON = ("{python}", "{file}")
DEEP = 5_000


@pytest.fixture
def workers() -> Checks:
    return get_pool()


def answered(text: str) -> Response:
    return Response(
        timestamp="", run_id="", framework_version="", task_id="t", model="m", n_shot=0, context="",
        response=text,
    )  # fmt: skip


async def graded(
    pool: Checks, program: str, spec: LanguageSpec, kind: TaskType = "write", expected: str = "1"
) -> Assessment:
    task = Task(id="t", type=kind, category="c", expected_output=expected)
    text = f"```{spec.fences[0]}\n{program}\n```" if kind != "predict_output" else program
    return await assess_trial(pool, task, answered(text), spec, "auto", keep=False)


def counts(assessment: Assessment) -> bool:
    return assessment.error_type not in UNASKED_ERRORS


KCL = {
    "nested lists": "a = " + "[" * DEEP + "]" * DEEP,
    "lists without an end": "a = " + "[" * DEEP,
    "nested dicts": "a = " + "{a=" * DEEP + "1" + "}" * DEEP,
    "nested parentheses": "a = " + "(" * DEEP + "1" + ")" * DEEP,
    "nested lambdas": "a = " + "lambda {" * DEEP + "}" * DEEP,
}
KCL_SLOW = {
    "nested types": "a: " + "[" * DEEP + "int" + "]" * DEEP,
    "nested strings": 'a = "' + '${"' * DEEP + "x" + '"}' * DEEP + '"',
    "a line ten thousand times": "a = 1\n" * 8_000,
}


@pytest.mark.parametrize("program", KCL.values(), ids=KCL)
async def test_a_program_that_crashes_the_checker_of_kcl_is_wrong(workers: Checks, program: str) -> None:
    found = await graded(workers, program, load_suite("kcl").spec)
    assert found.error_type == "crashed_checker"
    assert "the checker of KCL was ended by signal 11 (SIGSEGV)" in (found.error_detail or "")
    assert (found.level_a, found.correct, found.score) == (False, False, 0.0)
    assert found.breakdown["program"].startswith("a = ")


@pytest.mark.soak
@pytest.mark.parametrize("program", KCL_SLOW.values(), ids=KCL_SLOW)
async def test_a_program_that_takes_all_memory_or_time_of_the_checker_is_wrong(
    workers: Checks, program: str
) -> None:
    assert counts(await graded(workers, program, load_suite("kcl").spec))


AT_CHECK = {
    "prints the loader's words and exits with 127": (
        "import sys\nprint('error while loading shared libraries: libkcl.so', file=sys.stderr)\nsys.exit(127)"
    ),
    "exits with 126": "import sys\nsys.exit(126)",
    "ends by SIGSEGV": "import ctypes\nctypes.string_at(0)",
    "ends by SIGABRT": "import os\nos.abort()",
    "looks like a kill": "import sys\nsys.exit(137)",
    "looks like the end of its CPU": "import sys\nsys.exit(152)",
    "floods": "while True: print('x' * 10_000)",
    "fills the memory": "x = b'x' * (300 << 20)\nimport time\ntime.sleep(1)",
    "computes for ever": "while True: pass",
    "speaks like the jail": "import sys\nprint('bwrap: no more namespaces', file=sys.stderr)\nsys.exit(1)",
    "speaks like our launcher": "import sys\nprint('probatio: no jail', file=sys.stderr)\nsys.exit(1)",
    "starts processes": "import os\nwhile True: os.fork()",
    "prints no UTF-8": "import sys\nsys.stderr.buffer.write(b'\\xff\\xfe' * 99)\nsys.exit(127)",
}
"""What a program can make a checker do; here it is given the checker itself."""


@pytest.mark.parametrize("program", AT_CHECK.values(), ids=AT_CHECK)
async def test_whatever_an_answer_makes_a_checker_do_it_counts(workers: Checks, program: str) -> None:
    spec = language(("sh", "{file}"), check=PYTHON, limits=BRIEF)
    found = await graded(workers, program, spec)
    assert counts(found), found.error_detail
    assert not found.correct


@pytest.mark.parametrize("program", AT_CHECK.values(), ids=AT_CHECK)
async def test_whatever_an_answer_does_at_run_time_it_counts_as_its_own_failure(
    workers: Checks, program: str
) -> None:
    found = await graded(workers, program, language(PYTHON, limits=BRIEF))
    assert found.error_type in ("runtime_error", "timeout"), found.error_detail


@pytest.mark.soak
@pytest.mark.parametrize(
    "program", ["import time\ntime.sleep(60)", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')"]
)
async def test_an_answer_on_which_a_checker_waits_or_searches_for_ever_is_wrong(
    workers: Checks, program: str
) -> None:
    found = await graded(workers, program, language(("sh", "{file}"), check=PYTHON, limits=BRIEF))
    assert found.error_type == "crashed_checker"


async def test_a_checker_that_breaks_on_an_answer_is_told_apart_from_one_that_refuses_it(
    workers: Checks,
) -> None:
    spec = language(("sh", "{file}"), check=PYTHON, limits=BRIEF)
    assert (await graded(workers, AT_CHECK["ends by SIGSEGV"], spec)).error_type == "crashed_checker"
    assert (await graded(workers, "raise SystemExit('no')", spec)).error_type == "syntax_error"


BROKEN: dict[str, dict[str, Any]] = {
    "a checker that ends by a signal": {"check": ("{python}", "-c", "import ctypes; ctypes.string_at(0)")},
    "a checker that is not found": {"check": ("sh", "-c", "exit 127")},
    "a checker that never ends": {"check": ("sh", "-c", "while :; do :; done")},
    "a checker that the jail can't start": {"check": ("sh", "-c", "echo 'bwrap: execvp' >&2; exit 1")},
    "a runner that is not found": {"run": ("sh", "-c", "exit 127")},
    "a runner whose library is gone": {
        "run": ("sh", "-c", "echo 'error while loading shared libraries: x' >&2; exit 127")
    },
}


@pytest.mark.parametrize("commands", BROKEN.values(), ids=BROKEN)
async def test_a_toolchain_that_breaks_on_a_trivial_program_leaves_the_answer_unchecked(
    workers: Checks, commands: dict[str, tuple[str, ...]]
) -> None:
    given: dict[str, Any] = {"run": PYTHON, "limits": BRIEF, **commands}
    spec = language(**given)
    found = await graded(workers, "print(1)", spec)
    assert found.error_type == "unchecked"
    assert (found.error_detail or "").endswith("; neither could a trivial program")


FUSSY = """import sys, ctypes
text = open(sys.argv[-1]).read()
if "crash" in text or not text.strip(): ctypes.string_at(0)
"""


async def test_the_trivial_program_is_one_that_the_suite_shows(workers: Checks, tmp_path: Path) -> None:
    """This checker breaks on an empty program, too."""
    (tmp_path / "checker.py").write_text(FUSSY)
    spec = language(PYTHON, check=("{python}", "{folder}/checker.py", "{file}"), folder=str(tmp_path))
    task = Task(id="t", type="write", category="c", expected_output="1")
    assess = partial(assess_trial, workers, task, answered("```test\ncrash\n```"), spec, "auto", keep=False)
    assert (await assess(trivial="print(1)")).error_type == "crashed_checker"


def test_a_suite_shows_a_trivial_program_of_each_of_its_languages() -> None:
    for name in ("faber", "kcl", "strues"):
        suite = load_suite(name)
        for spec in filter(None, (suite.spec, suite.host)):
            assert 0 < len(suite.trivial_program(spec)) < 200


TYPESCRIPT = {
    "nested lists": "let a = " + "[" * DEEP + "]" * DEEP,
    "nested parentheses": "let a = " + "(" * 20_000 + "1" + ")" * 20_000,
    "nested templates": "`" + "${`" * DEEP + "`}" * DEEP + "`",
    "nested types": "let a: " + "Array<" * DEEP + "1" + ">" * DEEP,
}


@pytest.mark.parametrize("program", TYPESCRIPT.values(), ids=TYPESCRIPT)
async def test_a_program_on_which_deno_crashes_before_it_starts_has_crashed_the_checker(
    workers: Checks, program: str
) -> None:
    host = load_suite("faber").host
    assert host is not None
    assert (await graded(workers, program, host, "write_host")).error_type == "crashed_checker"


@pytest.mark.parametrize(
    "program",
    [
        "type A<T> = A<[T]>; let a: A<1>; console.log(2)",
        f"type U = {'|'.join(map(str, range(8_000)))}; console.log(2)",
        "console.error('error while loading shared libraries: x'); Deno.exit(127)",
        "console.error('bwrap: no'); Deno.exit(1)",
        "const a = []; for (;;) a.push(new Array(1e6).fill(1))",
        "console.log('\\ud800'.repeat(10)); Deno.exit(126)",
        "for (;;) console.log('x'.repeat(1e5))",
    ],
)
async def test_a_typescript_answer_counts_whatever_it_does(workers: Checks, program: str) -> None:
    host = load_suite("faber").host
    assert host is not None
    assert counts(await graded(workers, program, host, "write_host"))


@pytest.mark.parametrize(
    "program",
    [
        "fixum a = " + "[" * DEEP + "]" * DEEP,
        "si verum { " * DEEP,
        "fixum a = 1" + " + 1" * DEEP,
        "scribe " + "9" * 40_000,
        "scribe \x00",
        "scribe a" + ".b" * DEEP,
    ],
)
async def test_a_faber_answer_counts_however_deep_it_is(workers: Checks, program: str) -> None:
    assert counts(await graded(workers, program, load_suite("faber").spec))


class BreaksOn:
    """Stands for workers that break on one kind of answer: they raise, or pass a limit."""

    ahead = 1

    def __init__(self, pool: Checks, breaks: Callable[[str, bytes], bool]) -> None:
        self.pool, self.breaks, self.tries = pool, breaks, 0

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Callable[[], None] | None = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        if self.breaks(function, payload):
            self.tries += 1
            raise Unchecked("the check did not end within its limits")
        return await self.pool.run(lane, function, payload, before, grader)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("kind", ["write", "predict_output"])
async def test_an_answer_that_passes_a_limit_of_our_own_code_twice_is_wrong(
    workers: Checks, kind: TaskType
) -> None:
    pool = BreaksOn(workers, lambda function, payload: b"bomb" in payload)
    found = await graded(pool, "scribe bomb", load_suite("faber").spec, kind)
    assert (found.error_type, pool.tries) == ("crashed_checker", 2)
    assert found.error_detail == "the check did not end within its limits"


@pytest.mark.parametrize("kind", ["write", "predict_output"])
async def test_where_our_own_code_breaks_on_everything_the_answer_is_unchecked(
    workers: Checks, kind: TaskType
) -> None:
    pool = BreaksOn(workers, lambda function, payload: True)
    assert (await graded(pool, "scribe 1", load_suite("faber").spec, kind)).error_type == "unchecked"


async def test_an_answer_that_broke_its_check_by_chance_is_graded_at_its_second_try(workers: Checks) -> None:
    broken = iter([True])
    pool = BreaksOn(workers, lambda function, payload: b"scribe 1" in payload and next(broken, False))
    assert (await graded(pool, "scribe 1", load_suite("faber").spec)).correct


BOMBS = """
import ctypes, os, sys
from probatio.languages.contract import Checked
from probatio.languages.typescript.language import TypeScript

def recurse(): return recurse()

BOMBS = {
    "computes": lambda: [None for _ in iter(int, 1)],
    "recurses": recurse,
    "grows": lambda: b"x" * (2 << 30),
    "crashes": lambda: ctypes.string_at(0),
    "aborts": os.abort,
    "leaves": lambda: os._exit(0),
    "exits": sys.exit,
    "raises": lambda: {}["no such key"],
    "raises nonsense": lambda: (_ for _ in ()).throw(UnicodeDecodeError("utf-8", b"\\xff", 0, 1, "no")),
}

class Bombs(TypeScript):
    def check(self, program, dialect, isolation):
        if bomb := BOMBS.get(program.strip()):
            bomb()
        return Checked()

LANGUAGE = Bombs()
"""
"""A language that checks in our own process, and breaks it."""


@pytest.fixture
def bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Pool, LanguageSpec]]:
    """The language as a package of a user's, and workers that have it."""
    (tmp_path / "bombs.py").write_text(BOMBS)
    about = tmp_path / "bombs-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bombs\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[probatio.languages]\nbombs = bombs:LANGUAGE\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    less = msgspec.structs.replace(trial_answers.PROGRAMS, name="bombs", cpu_seconds=1, memory_mb=512)
    monkeypatch.setattr(trial_answers, "PROGRAMS", less)
    pool = Pool(1)
    yield pool, LanguageSpec("Bombs", ("test",), implementation="bombs")
    pool.close()


async def test_a_check_in_our_own_process_that_an_answer_breaks_makes_it_wrong(
    bombs: tuple[Pool, LanguageSpec],
) -> None:
    pool, spec = bombs
    assert (await graded(pool, "console.log(1)", spec)).correct
    for bomb in re.findall(r'^    "([\w ]+)":', BOMBS, re.MULTILINE):
        found = await graded(pool, bomb, spec)
        assert found.error_type == "crashed_checker", f"{bomb}: {found.error_detail}"
        assert found.error_detail
