"""The console prints as bun's does. The table beside this file was made by running each case on bun 1.4.4."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from probatio.jail import Limits
from probatio.jail.program import ProgramOutcome
from probatio.languages import typescript

TABLE = Path(__file__).with_name("bun-1.4.4.jsonl")
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").split("\n") if line]
MARK = "\x03"  # no case prints it
AMPLE = Limits(seconds=60, cpu_seconds=60, output_bytes=10_000_000)


def together(cases: list[dict[str, str]]) -> list[str]:
    """What each case prints, all run in one program: one start instead of hundreds."""
    parts = [
        f"process.stdout.write({json.dumps(MARK)});\n(function () {{ {case['code']}\n}})();" for case in cases
    ]
    outcome = typescript.run("\n".join(parts), AMPLE)
    assert outcome.exit == 0, outcome.stderr
    return outcome.stdout.split(MARK)[1:]


def test_the_table_covers_hundreds_of_values() -> None:
    assert len(CASES) > 400


def test_a_value_prints_as_on_bun() -> None:
    apart = [case for case in CASES if case["code"].startswith("namespace")]  # it can't stand in a function
    inside = [case for case in CASES if case not in apart]
    ours = [*together(inside), *(typescript.run(case["code"]).stdout for case in apart)]
    differ = [
        case["code"] for case, text in zip([*inside, *apart], ours, strict=True) if text != case["stdout"]
    ]
    assert differ == []


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["code"][:60])
def test_a_value_alone_in_its_program_prints_as_on_bun(case: dict[str, str]) -> None:
    """A program for each: what the others printed before can't hide a difference."""
    assert typescript.run(case["code"]).stdout == case["stdout"]


def shown(code: str) -> ProgramOutcome:
    outcome = typescript.run(code)
    return msgspec.structs.replace(outcome, seconds=0.0)


def test_warnings_and_errors_go_to_standard_error() -> None:
    outcome = shown('console.warn("w"); console.error("e", { a: 1 }); console.log("o")')
    assert (outcome.stdout, outcome.stderr) == ("o\n", "w\ne {\n  a: 1,\n}\n")


def test_a_failed_assertion_prints_its_message_and_the_program_goes_on() -> None:
    outcome = shown('console.assert(false, "sum is %d", 3); console.assert(false); console.log("on")')
    assert (outcome.exit, outcome.stdout, outcome.stderr) == (0, "on\n", "sum is 3\nAssertion failed\n")


def test_an_error_prints_its_name_and_message_without_any_path() -> None:
    outcome = shown('console.log(new Error("boom")); console.log(new TypeError("odd"))')
    assert outcome.stdout == "error: boom\nTypeError: odd\n"


def test_writes_and_logs_keep_their_order_whatever_their_size() -> None:
    outcome = shown(
        'for (let i = 0; i < 50; i++) { process.stdout.write("w".repeat(5000) + "\\n"); console.log(i) }'
    )
    assert outcome.stdout == "".join(f"{'w' * 5000}\n{i}\n" for i in range(50))


def test_a_value_no_format_can_turn_into_a_number_throws_as_on_bun() -> None:
    assert shown('console.log("%d", 12n)').exit == 1
    assert shown('console.log("%s", Symbol("x"))').exit == 1
