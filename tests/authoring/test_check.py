"""`suite check`: each thing that can be untrue of a folder is found, and named with its own message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from authoring.folders import checked, found, made
from commandline import probatio
from probatio.authoring.check.coverage import Coverage
from probatio.authoring.check.report import CheckReport, Claim, Proof, format_report, summarise

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

TASKS, LANGUAGE, EXAMPLES = "tasks/first.yml", "language.yml", "examples/first.yml"


def test_a_new_folder_is_proven_as_it_is(tmp_path: Path) -> None:
    report = checked(made(tmp_path / "l"))
    assert report.passed
    assert {proof.state for proof in report.proofs} == {"proven"}
    assert len(report.proofs) > 60
    assert summarise(report).startswith(f"l 0.1.0 (AWK): {len(report.proofs)} proofs hold (")


@pytest.mark.parametrize(
    "changes",
    [
        [
            (TASKS, "i <= 8; i += 2", "i <= 6; i += 2", "task write_evens", "the solution is right",
             "printed '2\\n4\\n6'"),
            (TASKS, "{ total += $2 }", "{ total += $3 }", "task write_column_sum", "the solution is right",
             "test 1 of 6"),
            (TASKS, "i % 4 == 1", "i % 4 == 2", "task predict_remainders", "the material prints",
             "printed '2\\n6'"),
            (TASKS, "printed '10'", "printed '11'", "task repair_sum", "the material fails as",
             "expected '15', printed '10'"),
            (EXAMPLES, "output: 16 25", "output: 16 26", "example squares", "the example prints",
             "printed '16 25'"),
            (LANGUAGE, "{brief: 200,", "{brief: 20,", "context brief", "contexts are within",
             "language.yml allows 20"),
            (LANGUAGE, "introduction:", "fingerprint: 01ab\nintroduction:", "language.yml", "the fingerprint",
             "it is "),
        ],
        [
            (TASKS, "{ total += $2 }", "{ total += $2 ", "task write_column_sum", "the solution is right",
             "syntax_error: "),
            (TASKS, "solution: END", "solution: BEGIN", "task complete_end", "the solution is right",
             "test 1 of 2"),
            (TASKS, "factorial 7", "factorial 6", "task to_awk_factorial", "the material prints",
             "printed '120\\n720'"),
            (TASKS, "    diagnostics: expected '15', printed '10'\n", "", "task repair_sum",
             "the material fails as", "no `diag"),
            (EXAMPLES, 'echo "Salve"', 'echo "Salvete"', "example greeting", "the example prints",
             "Shell: wrong_output"),
            (EXAMPLES, "id: squares", "id: countdown", "the folder", "ids are unique", "called countdown"),
            (LANGUAGE, "{brief: 200,", "{breif: 200,", "language.yml", "contexts are within",
             "context_tokens names `breif`"),
        ],
    ],
)  # fmt: skip
def test_what_is_not_so_is_named_with_its_message(
    tmp_path: Path, changes: list[tuple[str, str, str, str, str, str]]
) -> None:
    failed = {
        proof.subject: proof for proof in found(made(tmp_path / "l", *(change[:3] for change in changes)))
    }
    assert failed.keys() == {change[3] for change in changes}
    for *_, subject, claim, said in changes:
        assert failed[subject].claim.startswith(claim)
        assert said in failed[subject].detail


def test_a_completion_must_be_right_without_a_code_block_too(tmp_path: Path) -> None:
    """The question asks for the missing part only. This one has a paragraph that reads as a sentence, and is
    taken for one."""
    changes = (
        (TASKS, "___ { print count }", "END {\n      ___\n      }"),
        (TASKS, "solution: END", 'solution: "Words Were counted++\\n\\nprint count + counted - 1"'),
    )
    failed = found(made(tmp_path / "l", *changes))
    assert [proof.subject for proof in failed] == ["task complete_end"]
    assert failed[0].detail.startswith(
        "without a code block: wrong_output: test 1 of 2: expected '5', printed '4'"
    )


def test_a_broken_program_that_works_is_not_broken(tmp_path: Path) -> None:
    """So it is no wrong answer, either: the question shows it."""
    failed = found(made(tmp_path / "l", (TASKS, "i < 5; i++", "i <= 5; i++")))
    assert [(proof.subject, proof.detail) for proof in failed] == [
        ("task repair_sum", "it passes, so nothing is broken."),
        ("task repair_sum", "the question given back"),
    ]


def test_a_context_that_cant_be_filled_in_is_named(tmp_path: Path) -> None:
    failed = found(made(tmp_path / "l", ("contexts/brief.md", "# AWK in short", "{{grammar}}")))
    assert [proof.subject for proof in failed] == ["context brief"]
    assert "`{{grammar}}` can't be filled in" in failed[0].detail


def test_an_answer_that_repeats_the_question_must_not_pass(tmp_path: Path) -> None:
    """The program prints its input, which the question shows in its last block."""
    tests = '- {stdin: "a b c\\nd e\\nf g h\\n", stdout: "a b c\\nd e\\nf g h"}'
    changes = (
        (TASKS, "NF == 3 { print NR, $3 }", "{ print }"),
        (TASKS, '- {stdin: "a b c\\nd e\\nf g h\\n", stdout: "1 c\\n3 h"}', tests),
    )
    failed = found(made(tmp_path / "l", *changes))
    assert [(proof.subject, proof.claim, proof.detail) for proof in failed] == [
        ("task predict_fields", "wrong answers fail", "the question given back")
    ]


def test_a_task_that_expects_no_output_is_passed_by_silence(tmp_path: Path) -> None:
    silent = (
        "- {id: mute, type: write, category: loops, difficulty: 1, solution: 'BEGIN { x = 1 }', "
        "expected_output: ''}"
    )
    failed = found(made(tmp_path / "l", (TASKS, "tasks:\n", f"tasks:\n  {silent}\n")))
    assert [(proof.subject, proof.claim) for proof in failed] == [("task mute", "wrong answers fail")]


def test_a_task_without_a_solution_is_not_proven_and_no_failure(tmp_path: Path) -> None:
    folder = made(tmp_path / "l", (TASKS, "    solution: END\n", ""))
    report = checked(folder)
    assert report.passed
    assert [proof.subject for proof in report.proofs if proof.state == "open"] == ["task complete_end"]
    assert "  task complete_end: it has no `solution`." in list(format_report(report))


def test_many_tasks_without_a_solution_are_one_line() -> None:
    lacking = tuple(Proof(f"task t{n}", Claim.SOLUTION, "open", "it has no `solution`.") for n in range(80))
    coverage = Coverage(80, (), {}, {}, ())
    report = CheckReport("mine", "Mine", None, "", {}, lacking, coverage, 0.0)
    named = [line for line in format_report(report) if "`solution`" in line]
    assert named == ["  task t0 and 79 more: it has no `solution`."]
    assert "80 not proven" in summarise(report)


def test_what_is_unwise_is_a_warning(tmp_path: Path) -> None:
    shown = "{id: shown, output: \"2\\n4\\n6\\n8\", program: 'BEGIN { for (i = 2; i <= 8; i += 2) print i }'}"
    changes = (
        ("contexts/full.md", "function larger(a, b) {", "function larger(a, b {"),
        (LANGUAGE, "[examples-only, brief, full]", "[examples-only, full, brief]"),
        (EXAMPLES, "examples:\n", f"examples:\n  - {shown}\n"),
    )
    report = checked(made(tmp_path / "l", *changes))
    assert report.passed
    warnings = {proof.subject: proof.detail for proof in report.proofs if proof.state == "warning"}
    assert warnings.keys() == {"context full", "context brief", "task write_evens"}
    assert warnings["context full"].startswith("program 2: syntax_error")
    assert "full has" in warnings["context brief"]
    assert warnings["task write_evens"] == "the example shown has it."


def test_what_is_missing_is_told_by_type_and_difficulty(tmp_path: Path) -> None:
    report = checked(made(tmp_path / "l"))
    assert report.coverage.categories["loops"] == {
        "write": 1,
        "predict_output": 1,
        "repair": 1,
        "write_host": 1,
    }
    assert report.coverage.difficulties["difficulty 3"] == {"translate_from": 1}
    assert "write: no task of difficulty 3." in report.coverage.missing
    assert "functions" in "\n".join(format_report(report))


def test_a_language_without_a_host_is_told_which_types_it_lacks(tmp_path: Path) -> None:
    folder = made(tmp_path / "l")
    (folder / LANGUAGE).write_text(
        _without_host((folder / LANGUAGE).read_text(encoding="utf-8")), encoding="utf-8"
    )
    kept = [
        task for task in (folder / TASKS).read_text(encoding="utf-8").split("\n\n") if "_awk_" not in task
    ]
    (folder / TASKS).write_text(
        "\n\n".join(each for each in kept if "control_" not in each), encoding="utf-8"
    )
    report = checked(folder)
    assert report.passed
    assert "translate_to" not in report.coverage.types
    assert (
        "translate_to, translate_from, write_host: they need a `host` in language.yml."
        in report.coverage.missing
    )


def _without_host(text: str) -> str:
    return text.partition("# The language that programs are translated")[0]


def test_the_exit_code_tells_a_failed_proof_from_a_folder_that_cant_be_read(tmp_path: Path) -> None:
    good, bad, none = tmp_path / "good", tmp_path / "bad", tmp_path / "none"
    made(good)
    made(bad, (TASKS, "solution: END", "solution: BEGIN"))
    none.mkdir()
    assert probatio("suite", "check", str(good))[0] == 0
    code, out, _ = probatio("suite", "check", str(bad))
    assert code == 1
    assert out.splitlines()[:2] == [
        "FAILED:",
        "  task complete_end: the solution is not right: wrong_output: test 1 of 2: expected '5', printed ''",
    ]
    code, _, err = probatio("suite", "check", str(none))
    assert code == 2
    assert "is not a suite: it has no tasks/*.yml." in err


def test_json_is_the_whole_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "l")
    code, out, _ = probatio("suite", "check", str(tmp_path / "l"), "--json")
    report = json.loads(out)
    assert code == 0
    assert {proof["state"] for proof in report["proofs"]} == {"proven"}
    assert report["tokens"].keys() == {"examples-only", "brief", "full"}
    assert report["coverage"]["tasks"] == 9
    assert len(report["fingerprint"]) == 16


def test_an_output_that_a_context_states_is_run_and_a_false_one_is_found(tmp_path: Path) -> None:
    folder = made(tmp_path / "l")
    brief = folder / "contexts" / "brief.md"
    program = "```{}\nBEGIN {{ print 1 + 1 }}\n```\n{}\n```{}\n{}\n```\n"
    shown = [
        program.format("awk", "", "output", "2"),
        program.format("", "It prints:", "", "3"),  # false, and no fence is tagged
        program.format("awk", "Another program:", "", "BEGIN { print 5 }"),  # states nothing
    ]
    brief.write_text("\n".join([brief.read_text(), *shown]))
    stated = [proof for proof in checked(folder).proofs if proof.claim == Claim.STATED]
    assert [(proof.subject, proof.state) for proof in stated] == [
        ("context brief", "failed"),
        ("context brief", "proven"),
    ]
    assert "output 2: wrong_output: expected '3', printed '2'" in stated[0].detail
