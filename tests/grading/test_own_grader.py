"""Graders of one's own in the real jail: what they may say, and every way in which they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatio.grading.own_grader import GraderFault, check_own, fault_of
from probatio.jail import Limits, NoIsolation, find_isolation
from probatio.suites.daily_suite import Case
from probatio.suites.grader_entry import GraderCommand, OwnGrader

CASE = Case(id="one", prompt="How many?", use_case="mine", gold={"number": 7}, rungs=2)
SAYS = 'print(\'{"score": %s, "parts": [{"name": "all", "score": %s}]}\')'


@pytest.fixture(autouse=True)
def _jail() -> None:
    try:
        find_isolation()
    except NoIsolation as error:
        pytest.skip(str(error))


def python(folder: Path, text: str, **says: object) -> OwnGrader:
    (folder / "grader.py").write_text(text)
    limits = says.pop("limits", Limits(seconds=5.0))
    command = GraderCommand(("{python}", ("{folder}/grader.py")), limits=limits, **says)  # type: ignore[arg-type]
    return OwnGrader("mine", str(folder), command)


def fault(grader: OwnGrader, answer: str = "7") -> str:
    with pytest.raises(GraderFault) as raised:
        check_own(grader, CASE, answer)
    return str(raised.value)


def test_it_reads_case_and_answer_and_its_parts_make_the_score(tmp_path: Path) -> None:
    text = (
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        "right = str(asked['case']['gold']['number']) == asked['answer']\n"
        "parts = [{'name': 'number', 'score': float(right), 'weight': 3, 'detail': asked['case']['prompt'], "
        "'rung': 2},\n"
        "         {'name': 'form', 'score': 1}]\n"
        "print(json.dumps({'score': (3 * right + 1) / 4, 'parts': parts, 'note': None}))\n"
    )
    grader = python(tmp_path, text)
    right, wrong = check_own(grader, CASE, "7"), check_own(grader, CASE, "eight ümlaut \ud800")
    assert (right.score, wrong.score) == (1.0, 0.25)
    assert (right.parts[0].detail, right.parts[0].rung, right.parts[0].weight) == ("How many?", 2, 3.0)


def test_a_score_below_its_parts_is_a_deduction_and_a_rounded_one_is_the_same(tmp_path: Path) -> None:
    deducted = check_own(python(tmp_path, SAYS % (0.5, 0.75)), CASE, "7")
    assert (deducted.score, deducted.penalty) == (0.5, 0.25)
    assert check_own(python(tmp_path, SAYS % (0.67, 0.666667)), CASE, "7").penalty == 0.0


@pytest.mark.parametrize(
    ("printed", "score"),
    [
        ("0.25", 0.25), (".5", 0.5), ("1", 1.0), (" 0\n", 0.0),
        ("true", 1.0), ("false", 0.0), ("True", 1.0), ("False", 0.0),
        ('{"score": 0.75}', 0.75), ('{"score": 1, "note": "short"}', 1.0),
        ('{"parts": [{"name": "a", "score": 1, "weight": 3}, {"name": "b", "score": 0}]}', 0.75),
    ],
)  # fmt: skip
def test_a_bare_score_a_boolean_or_parts_alone_are_a_grade(
    tmp_path: Path, printed: str, score: float
) -> None:
    grader = OwnGrader("mine", str(tmp_path), GraderCommand(("printf", "%s", printed)))
    assert check_own(grader, CASE, "7").score == score


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("nan", "printed nan; a score lies between 0 and 1"),
        ("NaN", "printed NaN; a score lies between 0 and 1"),
        ("inf", "printed inf; a score lies between 0 and 1"),
        ("1.5", "printed 1.5; a score lies between 0 and 1"),
        ("-0.1", "printed -0.1; a score lies between 0 and 1"),
        ("yes", "does not print a number from 0 to 1, true or false, or one JSON object; it printed yes"),
        ('"yes"', "does not print a number from 0 to 1, true or false, or one JSON object; it printed \"yes"),
        ("null", "does not print a number from 0 to 1, true or false, or one JSON object; it printed null"),
        ("1 0", "does not print a number from 0 to 1, true or false, or one JSON object; it printed 1 0"),
        ('{"note": "fine"}', "prints an object with neither `score` nor `parts`"),
    ],
)  # fmt: skip
def test_a_wrong_score_says_nothing_of_the_answer(tmp_path: Path, printed: str, said: str) -> None:
    grader = OwnGrader("mine", str(tmp_path), GraderCommand(("printf", "%s", printed)))
    assert f"the grader of `mine` {said}" in fault(grader)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SAYS % ("NaN", 1), "does not print one JSON object"),
        (SAYS % (7, 1), "Expected `float` <= 1.0 - at `score`"),
        (SAYS % (1, -3), "Expected `float` >= 0.0 - at `parts[0].score`"),
        (SAYS % (1, 0.5), "says score 1, and its parts make 0.5"),
        (SAYS % ('"high"', 1), "Expected `float`, got `str` - at `score`"),
        ("print('good answer')", "or one JSON object; it printed good answer"),
        ("pass", "it printed nothing"),
        ("print('{\"score\": 1, \"parts\": []}')", "length >= 1 - at `parts`"),
        ("print('[1]')", "or one JSON object; it printed [1]"),
        (
            "print('{\"score\": 1, \"parts\": [{\"name\": \"a\", \"score\": 1, \"weight\": 0}]}')",
            "the weight 0 together",
        ),
        (
            "print('{\"score\": 1, \"parts\": [{\"name\": \"a\", \"score\": 1, \"rung\": 9}]}')",
            "rung 9; the case has 2",
        ),
        (
            "print('{\"score\": 1, \"parts\": [{\"name\": \"a\", \"score\": 1}]}'); print('done')",
            "trailing characters",
        ),
        ("1 / 0", "ended with exit 1: ZeroDivisionError: division by zero"),
        ("import os; os.abort()", "was ended by signal "),
        ("import sys; sys.exit(3)", "ended with exit 3: no message"),
        ("while True: print('x' * 100_000)", "printed more than 1,000,000 bytes"),
        ("import os; os.fork()", "ended with exit 1: "),
        ("x = 'x' * (1 << 31)", "ended with exit 1: MemoryError"),
        ("open('/etc/hostname')", "ended with exit 1: FileNotFoundError"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "ended with exit 1: "),
    ],
)  # fmt: skip
def test_a_grader_that_lies_or_dies_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    told = fault(python(tmp_path, text))
    assert told.startswith("the grader of `mine` ")
    assert said in told
    assert str(tmp_path) not in told


def test_a_grader_that_hangs_is_ended_at_its_limit(tmp_path: Path) -> None:
    hangs = python(tmp_path, "import time; time.sleep(60)", limits=Limits(seconds=0.5))
    assert fault(hangs) == "the grader of `mine` did not end within 0.5 s"


def test_a_grader_that_is_not_there_is_a_sentence_before_and_at_grading(tmp_path: Path) -> None:
    grader = OwnGrader("mine", str(tmp_path), GraderCommand(("no-such-grader",)))
    told = "suite.yml, grader of `mine`: command names `no-such-grader`, which is not on PATH"
    assert (fault_of(grader) or "").startswith(told)
    assert fault(grader).startswith(told)


def test_a_file_beside_the_grader_is_seen_only_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text("RIGHT = '7'\n")
    (tmp_path / "proofs.yml").write_text("proofs: []\n")
    text = f"import words, os\nassert not os.path.exists({str(tmp_path / 'proofs.yml')!r})\n{SAYS % (1, 1)}"
    assert check_own(python(tmp_path, text, reads=("{folder}/words.py",)), CASE, "7").score == 1.0


def test_a_python_grader_may_import_what_is_installed_but_not_us(tmp_path: Path) -> None:
    assert check_own(python(tmp_path, f"import yaml, msgspec\n{SAYS % (1, 1)}"), CASE, "7").score == 1.0
    ours = fault(python(tmp_path, f"import probatio\n{SAYS % (1, 1)}"))
    assert ours.startswith("suite.yml, grader of `mine`: ")
    assert "imports probatio" in ours


def test_any_command_may_grade(tmp_path: Path) -> None:
    awk = 'END { printf "{\\"score\\": 1, \\"parts\\": [{\\"name\\": \\"read\\", \\"score\\": 1}]}" }'
    grader = OwnGrader("mine", str(tmp_path), GraderCommand(("awk", awk)))
    assert check_own(grader, CASE, "7").score == 1.0


def test_outside_the_jail_only_by_an_explicit_word(tmp_path: Path) -> None:
    text = f"open('/etc/passwd')\nimport msgspec\n{SAYS % (1, 1)}"
    assert "FileNotFoundError" in fault(python(tmp_path, text))
    free = python(tmp_path, text, isolation="none")
    assert check_own(free, CASE, "7").score == 1.0
