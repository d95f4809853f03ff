"""The form of a model: what part of the suite it is asked, recorded with the day, and a series of its own."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from commandline import PROCESS, Done, probatio
from double import Double
from double.openrouter import GPT
from probatio.ask.embedded.speed import Speed
from probatio.core.errors import UsageError
from probatio.core.records import Model
from probatio.runs.store.days import read_days
from probatio.suites.daily_suite import load_daily
from probatio.suites.prompt import CHARACTERS_PER_TOKEN
from probatio.watch.day.estimate import _load
from probatio.watch.day.forms import choose_forms, narrow
from watch.day.days import DAY, EXTRACTION, argv, asked, environment, gold_script, record, small_suite

SMALL = "extract_depot"
EMBEDDED = Model(id="own", name="smollm2-135m", provider="embedded")
KEYED = Model(id="gpt", name=GPT)


def with_form(root: Path, *cases: str, samples: int = 1, whole: int = 3) -> Path:
    """A suite of one use case with so many cases, and these in its small form."""
    suite = small_suite(root / "suite", EXTRACTION, cases=whole)
    set_form(suite, *cases, samples=samples)
    return suite


def set_form(suite: Path, *cases: str, samples: int = 1) -> None:
    manifest = yaml.safe_load((suite / "suite.yml").read_text())
    manifest["forms"] = {"small": {"cases": list(cases), "samples": samples}}
    (suite / "suite.yml").write_text(yaml.safe_dump(manifest))


def ask(root: Path, double: Double, *flags: str, day: str = DAY, **forms: str | None) -> Done:
    """The day, of these models in these forms."""
    models = [{"id": model, "name": GPT, **({"form": form} if form else {})} for model, form in forms.items()]
    (root / "models.yml").write_text(json.dumps({"models": models}))
    words = argv(root, "--config", "models.yml", "--no-route-check", *flags, day=day, model=None)
    return probatio(*words, env=environment(double), cwd=root)


def day_at(number: int) -> str:
    return (date.fromisoformat(DAY) + timedelta(days=number)).isoformat()


def verdicts_of(root: Path) -> dict[str, dict[str, Any]]:
    done = probatio(*PROCESS, "verdict", "--results", str(root / "results"), "--json", cwd=root)
    return {each["model"]: each for each in json.loads(done.stdout)["verdicts"]}


def verify(root: Path) -> Done:
    return probatio(*PROCESS, "verify", "--results", str(root / "results"), cwd=root)


@pytest.mark.slow
def test_both_forms_on_one_day_each_model_with_its_own_cases(tmp_path: Path) -> None:
    with_form(tmp_path, SMALL)
    with Double(reply=gold_script()) as double:
        planned = ask(tmp_path, double, "--dry-run", little="small", large=None)
        done = ask(tmp_path, double, little="small", large=None)
        assert done.returncode == 0, done.stderr
        assert ask(tmp_path, double, little="small", large=None).returncode == 0
        assert double.served["answer"] == 1 + 9, "one sample, though it is calibrating; nothing twice"
    assert Counter(key.model for key in asked(tmp_path)) == {"little": 1, "large": 9}
    assert "little (small form: 1 of 3 cases, one sample): 1 samples, 1 at full count" in planned.stdout
    assert "large: 3 samples, 9 at full count" in planned.stdout
    assert "little: small form: 1 of 3 cases, one sample." in done.stdout + done.stderr
    (day,) = read_days(tmp_path / "results")
    assert day.record.forms["little"].cases == {EXTRACTION: (SMALL,)}
    assert "large" not in day.record.forms
    assert {line.model: (line.n, len(line.cases), line.score) for line in day.scores} == {
        "little": (1, 1, 100.0), "large": (9, 3, 100.0),
    }  # fmt: skip
    found = verdicts_of(tmp_path)
    assert (found["little"]["form"], found["large"]["form"]) == ("small form (one case, one sample)", None)
    assert "small form" in found["little"]["reason"]
    assert "small form" not in found["large"]["reason"]
    checked = verify(tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_another_form_begins_a_new_series_of_this_model_alone_and_says_so(tmp_path: Path) -> None:
    with_form(tmp_path, SMALL)
    with Double(reply=gold_script()) as double:
        for number in range(7):
            done = ask(tmp_path, double, day=day_at(number), little="small", large=None)
            assert "new series" not in done.stdout + done.stderr
        assert verdicts_of(tmp_path)["little"]["headline"] == "OK"
        last = asked(tmp_path, day_at(6))
        assert Counter(key.model for key in last) == {"little": 1, "large": 3}
        done = ask(tmp_path, double, day=day_at(7), little="whole", large=None)
    why = "it is asked the whole suite now, and was asked the small form (one case, one sample) before"
    assert f"little: {why}. A new series begins today" in done.stdout + done.stderr
    found = verdicts_of(tmp_path)
    assert (found["little"]["headline"], found["little"]["series_since"]) == ("CALIBRATING", day_at(7))
    assert found["little"]["use_cases"][0]["days"] == 0
    assert found["little"]["series_why"] == why
    assert (found["large"]["headline"], found["large"]["series_since"]) == ("OK", DAY)
    assert Counter(key.model for key in asked(tmp_path, day_at(7))) == {"little": 9, "large": 3}
    checked = verify(tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_other_cases_in_the_small_form_are_a_new_series_of_it_and_of_nothing_else(tmp_path: Path) -> None:
    suite = with_form(tmp_path, SMALL)
    with Double(reply=gold_script()) as double:
        ask(tmp_path, double, little="small", large=None)
        set_form(suite, SMALL, "extract_order")
        done = ask(tmp_path, double, day=day_at(1), little="small", large=None)
    assert done.returncode == 0, done.stderr
    assert record(tmp_path).suite_fingerprint == record(tmp_path, day_at(1)).suite_fingerprint
    found = verdicts_of(tmp_path)
    assert (found["little"]["series_since"], found["large"]["series_since"]) == (day_at(1), DAY)


@pytest.mark.slow
def test_a_day_has_one_form_of_a_model(tmp_path: Path) -> None:
    suite = with_form(tmp_path, SMALL)
    with Double(reply=gold_script()) as double:
        assert ask(tmp_path, double, little="small").returncode == 0
        refused = ask(tmp_path, double, little="whole")
        assert refused.returncode == 2
        assert "two forms are not one day" in refused.stderr
        assert double.served["answer"] == 1
        set_form(suite, SMALL, "extract_order")
        done = ask(tmp_path, double, little="small")
        assert done.returncode == 0, done.stderr
        assert double.served["answer"] == 1, "a day goes on as it began"


@pytest.mark.slow
def test_a_use_case_without_a_case_in_the_form_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", EXTRACTION, "math_reasoning")
    set_form(suite, "extract_order")
    with Double(reply=gold_script()) as double:
        done = ask(tmp_path, double, "--use-case", "math_reasoning", little="small")
        assert not double.served
    assert done.returncode == 2
    assert "has no case of these use cases: math_reasoning" in done.stderr


def test_an_embedded_model_is_asked_the_small_form_and_a_model_with_a_key_the_whole(tmp_path: Path) -> None:
    suite = load_daily()
    assert choose_forms((EMBEDDED, KEYED), {}, suite, tmp_path, DAY) == {"own": suite.forms["small"]}
    said = {"own": "whole", "gpt": "small"}
    assert choose_forms((EMBEDDED, KEYED), said, suite, tmp_path, DAY) == {"gpt": suite.forms["small"]}


def test_a_suite_without_a_small_form_is_asked_whole(tmp_path: Path) -> None:
    suite = load_daily(small_suite(tmp_path / "suite", EXTRACTION))
    assert not suite.forms
    assert choose_forms((EMBEDDED,), {}, suite, tmp_path, DAY) == {}
    with pytest.raises(UsageError, match="no form `small`"):
        choose_forms((EMBEDDED,), {"own": "small"}, suite, tmp_path, DAY)


def test_a_form_of_a_case_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    suite = with_form(tmp_path, SMALL, "extract_nothing")
    with pytest.raises(UsageError, match="the form `small` names the case `extract_nothing`"):
        load_daily(suite)


def test_the_small_form_of_the_built_in_suite_is_ten_cases_over_all_that_code_grades() -> None:
    suite = load_daily()
    form = suite.forms["small"]
    code = [each.id for each in suite.use_cases.values() if each.grading == "deterministic"]
    assert (list(form.cases), form.count, form.samples) == (code, 10, 1)
    for use_case, cases in form.cases.items():
        easiest = sorted(
            suite.use_cases[use_case].cases, key=lambda case: (case.difficulty, len(case.prompt))
        )
        assert set(cases) == {case.id for case in easiest[:2]}


def test_a_first_look_is_one_case_of_each_use_case_in_the_small_form() -> None:
    forms = load_daily().forms
    first, small = forms["first"], forms["small"]
    assert first.cases.keys() == small.cases.keys()
    assert all(len(cases) == 1 and set(cases) < set(small.cases[name]) for name, cases in first.cases.items())


def test_a_form_can_be_said_for_a_day(tmp_path: Path) -> None:
    with_form(tmp_path, SMALL)
    with Double(reply=gold_script(EXTRACTION)) as double:
        wrong = ask(tmp_path, double, "--form", "smal", big=None)
        assert wrong.returncode == 2 and "Near matches: small" in wrong.stderr and not double.served
        assert ask(tmp_path, double, "--form", "small", big=None).returncode == 0
        assert double.served.total() == 1
        again = ask(tmp_path, double, big=None)  # the day goes on as it began
        assert again.returncode == 0 and "goes on so" in again.stdout and double.served.total() == 1
        other = ask(tmp_path, double, "--form", "whole", big=None)
        assert other.returncode == 2 and "two forms are not one day" in other.stderr
        assert ask(tmp_path, double, day=day_at(1), big=None).returncode == 0
        assert double.served.total() > 3, "the next day is whole again"


def test_a_first_day_in_the_small_form_takes_a_quarter_of_an_hour_at_most() -> None:
    """At the speed of the embedded default on two cores, if it fills every answer to the limit."""
    suite = load_daily()
    cases = narrow(suite.use_cases.values(), suite.forms["small"])
    load = _load(EMBEDDED, cases, full=True)
    longest = sum(len(each.cases) * each.max_tokens for each in cases)
    speed = Speed(reading=100.0, writing=18.8)  # docs/models.md
    assert speed.seconds(load.characters / CHARACTERS_PER_TOKEN, longest) <= 900


def test_a_model_keeps_the_form_of_its_last_day(tmp_path: Path) -> None:
    """So that a series that was begun whole goes on."""
    suite = load_daily()
    from probatio.watch.day.folder import day_folder, write_record, write_scores
    from probatio.watch.day.preparation import begin_record

    before = day_at(-1)
    whole = begin_record(before, f"{before}T06:00:00Z", suite, (EMBEDDED,), None, tmp_path)
    day_folder(tmp_path, before).mkdir(parents=True)
    write_record(day_folder(tmp_path, before), whole)
    write_scores(day_folder(tmp_path, before), [])
    assert choose_forms((EMBEDDED,), {}, suite, tmp_path, DAY) == {}
    assert choose_forms((EMBEDDED,), {"own": "small"}, suite, tmp_path, DAY) == {"own": suite.forms["small"]}
    other = msgspec.structs.replace(whole, suite_version="3.0.0")
    write_record(day_folder(tmp_path, before), other)
    assert choose_forms((EMBEDDED,), {}, suite, tmp_path, DAY) == {"own": suite.forms["small"]}
