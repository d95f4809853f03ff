"""Programs on three levels, with the real compiler, the real runtime and the real jail."""

from functools import partial

import pytest

import faber
from grading.answers import SUITE, answered, assessed
from probatio.core.records import Task, TaskType
from probatio.grading.extract import extract_program
from probatio.jail import Limits
from probatio.languages import typescript
from probatio.languages.typescript import language


def task(kind: TaskType, expected: str = "7", material: str | None = None) -> Task:
    return Task(id="t", type=kind, category="c", goal="g", expected_output=expected, material=material)


def levels(kind: TaskType, text: str, material: str | None = None) -> tuple[str, str | None]:
    assessment = assessed(task(kind, material=material), answered(text))
    passed = "".join(
        name
        for name, level in zip(
            "ABC", (assessment.level_a, assessment.level_b, assessment.level_c), strict=True
        )
        if level
    )
    return passed, assessment.error_type


@pytest.mark.parametrize(
    ("text", "passed", "error_type"),
    [
        ("```faber\nscribe 3 + 4\n```", "ABC", None),
        ("Here it is:\n\nfixum x = 7\nscribe x\n\nThis prints the number seven.", "ABC", None),
        ("scribe 8", "AB", "wrong_output"),
        ("iace novum Error('x')", "A", "runtime_error"),
        ("scribe (", "", "syntax_error"),
        ("fixum x = @$", "", "syntax_error"),
        ("scribe y", "", "type_error"),
        ("```faber\n\n```", "", "no_response"),
    ],
)
def test_faber_answers(text: str, passed: str, error_type: str | None) -> None:
    assert levels("write", text) == (passed, error_type)


@pytest.mark.parametrize(
    ("text", "passed", "error_type"),
    [
        ("```typescript\nconst x: number = 7;\nconsole.log(x);\n```", "ABC", None),
        ("```ts\nconsole.log(7)\n```", "ABC", None),
        ("console.log(8)", "AB", "wrong_output"),
        ("throw new Error('x')", "A", "runtime_error"),
        ("const = 7", "", "syntax_error"),
    ],
)
def test_typescript_answers(text: str, passed: str, error_type: str | None) -> None:
    assert levels("write_host", text) == (passed, error_type)


def test_a_program_without_end_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    one_second = partial(typescript.run, limits=Limits(seconds=1.0, cpu_seconds=1))
    monkeypatch.setattr(language, "run", one_second)
    assert levels("write_host", "while (true) {}") == ("A", "timeout")


def test_a_completion_is_judged_as_the_program_it_makes() -> None:
    assert levels("complete_code", "`fixum`", material="___ x = 7\nscribe x") == ("ABC", None)
    assert levels("complete_code", "varia x = 7\nscribe x", material="___ x = 7\nscribe x") == ("ABC", None)
    assert levels("complete_code", "let", material="___ x = 7\nscribe x") == ("", "type_error")


def test_quotation_marks_round_a_completion_may_be_part_of_it() -> None:
    template = "fixum x = ___\nscribe x"
    assert levels("complete_code", '"7"', material=template) == ("ABC", None)  # a text that prints 7
    assert levels("complete_code", "`7`", material=template) == ("ABC", None)
    assert levels("complete_code", '"fixum"', material="___ x = 7\nscribe x") == ("ABC", None)  # only quoted
    assert levels("complete_code", '"8"', material=template) == ("AB", "wrong_output")


def test_an_answer_is_judged_in_the_dialect_it_was_asked_for_in() -> None:
    english = faber.format("fixum x = 7\nscribe x", "latin", "english")
    assert assessed(task("write"), answered(english, dialect="english")).correct
    assert not assessed(task("write"), answered(english, dialect="latin")).correct


def test_a_program_the_check_accepts_but_that_can_not_be_compiled_fails_level_b(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(source: str, dialect: str) -> str:
        raise faber.Rejected([])

    monkeypatch.setattr(faber, "compile", refuse)
    assert levels("write", "scribe 7") == ("A", "runtime_error")


def test_an_answer_cut_off_by_the_token_limit_is_labelled_so() -> None:
    assert assessed(task("write"), answered("scribe (", finish_reason="length")).error_type == "truncated"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nprint(1)\n```\n```faber\nscribe 1\n```", "scribe 1"),
        ("```\nscribe 1\n```\nand then\n```\nscribe 2\n```", "scribe 1"),
        ("```faber\nscribe 1\n```\n\nNow translate:\n```faber\nscribe 2\n```", "scribe 1"),
        ("fixum x = 42\n\n```\nscribe x\n```", "fixum x = 42\n\nscribe x"),
        ("The Faber program is as follows:\n\nscribe 1", "scribe 1"),
        ("`scribe 1`", "scribe 1"),
        ("scribe 1\n```", "scribe 1"),
        ("<think>```faber\nscribe 9\n```</think>```faber\nscribe 1\n```", "scribe 1"),
    ],
)
def test_the_program_is_found_in_what_stands_round_it(text: str, code: str) -> None:
    assert extract_program(text, SUITE.spec.fences, SUITE.spec.keywords).strip() == code


def test_javascript_fences_hold_typescript() -> None:
    assert SUITE.host is not None
    assert extract_program("```js\nlet a\n```", SUITE.host.fences) == "let a"
