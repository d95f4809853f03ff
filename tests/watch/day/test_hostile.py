"""One answer never costs more than its own grade: hostile answers through the real checks, and through a
whole day."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commandline import Done
from double import Double
from probatio.core.records import Assessment, DailyScore, SampleAnswer, SampleGrade
from probatio.grading import samples as assess
from probatio.grading.extract import LONGEST_ANSWER
from probatio.grading.samples import Grading
from probatio.jail.workers import Pool
from probatio.runs.store.layout import ANSWERS, GRADES, SCORES
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import Case, DailySuite, load_daily
from watch.day.days import (
    DAY,
    EXTRACTION,
    SUMMARY,
    argv,
    asked,
    built_in,
    environment,
    gold_script,
    grades,
    is_judge,
    run,
    small_suite,
)
from watch.day.hostile import FLOODS, HOSTILE_TEXTS, LONG, PAGES, SOLUTIONS

pytestmark = pytest.mark.slow  # starts processes for nearly every claim


@pytest.fixture(scope="module", autouse=True)
def one_pool() -> Iterator[None]:
    """The same workers for all: each answer leaves them fit for the next, and they are warm but once."""
    pool = Pool()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assess, "get_pool", lambda: pool)
        yield
    pool.close()


def hand_made(name: str, **asked: object) -> Case:
    """No case of the suite asks for an expression or a unit; a user's suite may."""
    answers = [{"label": label, "name": label.lower(), **asked} for label in "ABC"]
    return Case(name, "A, B and C?", use_case="math_reasoning", gold={"answers": answers})


HAND_MADE = (
    hand_made("math_expressions", kind="expression", value="sqrt(2)/2", variables=[]),
    hand_made("math_quantities", kind="quantity", value="90", unit="km/h"),
)


def with_cases(suite: DailySuite, *cases: Case) -> DailySuite:
    whole = suite.use_cases["math_reasoning"]
    more = msgspec.structs.replace(whole, cases=(*whole.cases, *cases))
    return msgspec.structs.replace(suite, use_cases={**suite.use_cases, whole.id: more})


SUITE = with_cases(load_daily(), *HAND_MADE)
CODE = SUITE.use_cases["code_generation"].cases[0]
WEB = SUITE.use_cases["web_design"].cases[0]
TEXTS = [
    use_case.cases[0].id
    for use_case in SUITE.use_cases.values()
    if use_case.grading != "judge" and use_case.id not in ("code_generation", "web_design")
]


def function_of(gold: dict[str, Any]) -> str | None:
    """The function that a case of Code Generation asks for, the first of several; None where it asks for no
    Python."""
    first = (gold.get("rungs") or [gold])[0]
    return str(first["function"]) if "function" in first else None


def grade(case: str, *answers: str) -> list[Assessment]:
    """How answers are graded, each kept as its line would be."""

    async def graded() -> list[Assessment]:
        grading = Grading(SUITE, "auto")
        return [await grading.grade(sample(case, answer)) for answer in answers]

    found = asyncio.run(graded())
    for each in found:
        msgspec.json.encode(each)
        assert each.score < 0.5
        assert each.error_type != "api_error", each.error_detail
        assert not each.correct
    return found


def sample(case: str, answer: str) -> SampleAnswer:
    return SampleAnswer(case=case, model="m", round="base", date=DAY, response=answer, finish_reason="stop")


def named(table: Iterable[tuple[str, str]]) -> list[Any]:
    return [pytest.param(answer, id=name.replace(" ", "-")) for name, answer in table]


def own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        pytest.param(case, text, id=name.replace(" ", "-"))
        for case, table in HOSTILE_TEXTS.items()
        for name, text in table
    ],
)
def test_what_no_algebra_ends_costs_its_own_grade_alone(case: str, answer: str) -> None:
    before = own_cpu()
    grade(case, answer)
    assert own_cpu() - before < 2  # of ours


@pytest.mark.parametrize("answer", named(LONG))
def test_no_long_text_keeps_us_busy(answer: str) -> None:
    before = own_cpu()
    for case in TEXTS:
        grade(case, answer)
    assert own_cpu() - before < 2


def test_what_is_cut_off_is_labelled() -> None:
    (found,) = grade(SUITE.use_cases[SUMMARY].cases[0].id, "word " * 20_000)
    assert found.error_type is None
    assert f"{LONGEST_ANSWER:,}" in found.breakdown["cut"]
    assert "100,000" in found.breakdown["cut"]


def test_an_answer_after_a_very_long_thought_is_graded_whole() -> None:
    golds = [proof for proof in built_in(EXTRACTION, "proofs") if proof["kind"] == "gold"]

    async def graded() -> Assessment:
        text = "<think>" + "I wonder. " * 60_000 + "</think>" + golds[0]["answer"]
        return await Grading(SUITE, "auto").grade(sample(golds[0]["case"], text))

    found = asyncio.run(graded())
    assert found.score == 1
    assert "cut" not in found.breakdown


@pytest.mark.parametrize("source", named(SOLUTIONS))
def test_no_solution_makes_us_compute_for_it(source: str) -> None:
    before = own_cpu()
    function = function_of(CODE.gold)
    body = source.format(f=function)
    answer = body if f"def {function}" in body else f"{body}\ndef {function}(*a): pass"
    grade(CODE.id, f"```python\n{answer}\n```")
    assert own_cpu() - before < 2


@pytest.mark.browser
def test_no_page_ends_the_check_of_another() -> None:
    for name, found in zip(PAGES, grade(WEB.id, *(answer for _, answer in PAGES)), strict=True):
        assert found.error_type is None, (name, found.error_detail)


@pytest.mark.browser
@pytest.mark.parametrize("answer", named(FLOODS))
def test_a_page_that_floods_us_is_given_up(answer: str) -> None:
    before = own_cpu()
    (found,) = grade(WEB.id, answer)
    assert "more than" in found.breakdown["note"] or "did not finish" in found.breakdown["note"]
    assert own_cpu() - before < 2


MODELS = ("gpt-3.5-turbo", "gpt-4o-mini", "llama-3.1-8b")
HOSTILE = "openai/gpt-4o-mini"
USE_CASES = (EXTRACTION, SUMMARY, "math_reasoning", "code_generation")


def hostile_answer(prompt: str, number: int) -> str:
    use_case, case = next(
        (use_case, case)
        for use_case in USE_CASES
        for case in built_in(use_case, "cases")
        if case["prompt"] == prompt
    )
    if case["id"] in HOSTILE_TEXTS:
        return HOSTILE_TEXTS[case["id"]][0][1]
    if use_case == "code_generation" and (function := function_of(case["gold"])):
        return f"```python\n{SOLUTIONS[4][1].format(f=function)}\n```"
    return LONG[number % 5][1]


def three_models(root: Path, hostile: bool) -> tuple[Done, Double]:
    gold, counted = gold_script(*USE_CASES), iter(range(10_000))

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        if hostile and body["model"] == HOSTILE and not is_judge(body):
            return hostile_answer(prompt, next(counted))
        return gold(body)

    small_suite(root / "suite", *USE_CASES, cases=3)
    chosen = MODELS if hostile else (MODELS[0], MODELS[2])
    flags = [flag for model in chosen for flag in ("--model", model)]
    with Double(reply=reply) as double:
        return run(root, double, *flags, model=None), double


def lines(root: Path, model: str) -> list[DailyScore]:
    return [
        line
        for line in read_lines(root / "results" / "daily" / DAY / SCORES, DailyScore)
        if line.model == model
    ]


def test_a_model_whose_every_answer_is_hostile_moves_no_other_models_score(tmp_path: Path) -> None:
    alone, together = tmp_path / "alone", tmp_path / "together"
    alone.mkdir()
    together.mkdir()
    undisturbed, _ = three_models(alone, hostile=False)
    assert undisturbed.returncode == 0, undisturbed.stderr
    done, _ = three_models(together, hostile=True)
    assert done.returncode == 0, done.stderr + done.stdout
    for model in (MODELS[0], MODELS[2]):
        same = [
            [msgspec.structs.replace(line, latency_ms=None) for line in lines(root, model)]
            for root in (alone, together)
        ]
        assert same[0] == same[1]
        assert len(same[0]) == len(USE_CASES)
    ours = lines(together, MODELS[1])
    assert {line.use_case for line in ours} == set(USE_CASES)
    folder = together / "results" / "daily" / DAY
    answers = [line for line in read_lines(folder / ANSWERS, SampleAnswer) if line.model == MODELS[1]]
    kept = {line.key: line for line in read_lines(folder / GRADES, SampleGrade) if line.model == MODELS[1]}
    assert len(answers) == len(kept) > 0
    broken = [line for line in kept.values() if line.error_type == "crashed_checker"]
    assert broken
    assert all(line.score == 0 and not line.correct for line in broken)
    assert all("ended its grader twice" in (line.error_detail or "") for line in broken)
    assert not any(line.error_type == "unchecked" for line in kept.values())
    programs = next(line for line in ours if line.use_case == "code_generation")
    assert (programs.score, programs.gap) == (0, None)  # its answers are wrong, and not missing
    assert "Traceback" not in done.stderr


BREAKING = SOLUTIONS[4][1]
"""A solution whose result takes a minute to read."""


def one_hostile_answer(root: Path) -> Any:
    small_suite(root / "suite", "code_generation", cases=12)
    gold, first = gold_script("code_generation"), built_in("code_generation", "cases")[0]

    def reply(body: dict[str, Any]) -> str:
        hostile = body["messages"][0]["content"] == first["prompt"]
        return f"```python\n{BREAKING.format(f=function_of(first['gold']))}\n```" if hostile else gold(body)

    return reply


def test_an_answer_that_ends_its_grader_twice_is_wrong_and_costs_its_own_grade_alone(tmp_path: Path) -> None:
    with Double(reply=one_hostile_answer(tmp_path)) as double:
        done = run(tmp_path, double, "--json", model="gpt-4o-mini")
    assert done.returncode == 0, done.stderr
    end = [json.loads(line) for line in done.stdout.splitlines()][-1]
    assert end["closed"]
    assert end["unchecked"] == 0
    (score,) = lines(tmp_path, "gpt-4o-mini")
    assert (score.unchecked, score.errored, score.gap) == (0, 0, None)
    (broken,) = {line.case for line in grades(tmp_path) if line.error_type == "crashed_checker"}
    assert {case: mean for case, mean in score.cases.items() if mean < 1} == {broken: 0.0}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_day_stops_at_once_while_a_check_hangs(tmp_path: Path, number: signal.Signals) -> None:
    suite = small_suite(tmp_path / "suite", "code_generation", cases=2)
    function = {case["prompt"]: function_of(case["gold"]) for case in built_in("code_generation", "cases")}
    sleeps = "```python\ndef {f}(*a):\n    import time\n    time.sleep(4)\n```"
    assert suite.exists()
    with Double(reply=lambda body: sleeps.format(f=function[body["messages"][0]["content"]])) as double:
        process = subprocess.Popen(
            argv(tmp_path, model="gpt-4o-mini"), env=environment(double), cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not double.served["answer"]:
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(2)  # its check has begun
        for _ in range(2):
            process.send_signal(number)
            time.sleep(0.3)
        _, err = process.communicate(timeout=300)
    assert len(grades(tmp_path)) < len(asked(tmp_path)), "it did not wait for the checks that were under way"
    assert process.returncode == 3, err
    assert "Traceback" not in err
