"""`suite new --daily --from FILE`: files of prompts and a config of promptfoo become daily suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from probatio.core.records import SampleGrade
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import Case, load_daily

DAY = "2026-03-10"

CONFIG = r"""
description: Ten tests
prompts:
  - "Answer briefly. {{question}}"
providers: [file://answers.js]
defaultTest:
  assert:
    - {type: not-icontains, value: as an ai}
tests:
  - vars: {question: Which plan includes SSO?}
    assert: [{type: contains, value: Enterprise}]
  - vars: {question: Capital of France? One word.}
    assert: [{type: equals, value: Paris}]
  - vars: {question: Is it open on Monday?}
    assert: [{type: icontains, value: "YES"}]
  - vars: {question: Name the plans., first: Free, last: Pro}
    assert: [{type: contains-all, value: ["{{first}}", "{{last}}"]}]
  - vars: {question: How does one sign on?}
    assert: [{type: contains-any, value: "SSO, single sign-on"}]
  - vars: {question: Which month is it?}
    assert: [{type: regex, value: '^\d{4}-\d{2}$'}]
  - vars: {question: "Ada as JSON with name and year."}
    assert:
      - type: is-json
        value: {type: object, required: [name, year], properties: {year: {type: integer}}}
  - vars: {question: Does it rain?}
    assert: [{type: starts-with, value: "Yes"}, {type: not-contains, value: perhaps}]
  - vars: {question: Count to three.}
    assert:
      - {type: contains, value: 1, weight: 2}
      - {type: contains, value: 2}
      - {type: contains, value: 3}
      - {type: not-regex, value: "[4-9]"}
  - vars: {question: Praise us.}
    assert: [{type: icontains-any, value: [great, good]}]
"""
"""The kinds that mean the same in both."""
GIVEN: list[tuple[str, str, bool, float]] = [
    ("Which plan includes SSO?", "It is Enterprise.", True, 1),
    ("Capital of France? One word.", "Paris.", False, 1 / 2),
    ("Is it open on Monday?", "Oh yes.", True, 1),
    ("Name the plans.", "Only Free.", False, 1 / 2),
    ("How does one sign on?", "By single sign-on.", True, 1),
    ("Which month is it?", "It is 2026-03", False, 1 / 2),
    ("Ada as JSON with name and year.", '{"name": "Ada", "year": 1815}', True, 1),
    ("Does it rain?", "Yes, perhaps.", False, 2 / 3),
    ("Count to three.", "1, 3", False, 5 / 6),
    ("Praise us.", "As an AI I find you great.", False, 1 / 2),
]
"""Question, scripted answer, and what promptfoo documents of it: a test passes where all its assertions do,
and its score is the mean of theirs by weight. promptfoo 0.121.20, run by hand on the same answers, gave the
same."""


def bring(folder: Path, text: str, name: str, *more: str) -> Done:
    (folder / name).write_text(text, encoding="utf-8")
    return probatio("suite", "new", "--daily", folder / "mine", "--from", folder / name, *more)


def cases_of(folder: Path) -> list[Case]:
    return list(load_daily(folder / "mine").cases.values())


def test_ten_tests_of_promptfoo_pass_here_where_they_pass_there(tmp_path: Path) -> None:
    done = bring(tmp_path, CONFIG, "promptfooconfig.yaml")
    assert done.returncode == 0, done.output
    assert done.stdout.splitlines()[:3] == [
        f"Written: {tmp_path / 'mine'}, with 1 use case and 10 cases.",
        "Not taken:",
        "  `providers`  1",
    ]
    checked = probatio("suite", "check", tmp_path / "mine")
    assert checked.returncode == 0, checked.output

    answers = {f"Answer briefly. {question}": answer for question, answer, *_ in GIVEN}
    config = tmp_path / "models.yml"
    with Double(reply=lambda body: answers[body["messages"][0]["content"]]) as double:
        models = [{"id": "one", "name": "one", "base_url": double.base_url}]
        config.write_text(yaml.safe_dump({"models": models}))
        day = probatio(
            *("daily", "--date", DAY, "--replay", "--suite", tmp_path / "mine"),
            *("--config", config, "--results", tmp_path / "results"),
        )
    assert day.returncode == 0, day.output
    question_of = {case.id: case.prompt.removeprefix("Answer briefly. ") for case in cases_of(tmp_path)}
    grades = read_lines(tmp_path / "results" / "daily" / DAY / "graded_results.jsonl", SampleGrade)
    scores = {question_of[grade.case]: grade.score for grade in grades}
    assert scores == {question: pytest.approx(score, abs=1e-6) for question, _, _, score in GIVEN}
    assert {question: score == 1 for question, score in scores.items()} == {
        question: passes for question, _, passes, _ in GIVEN
    }


OTHERS: dict[str, Any] = {
    "prompts": [
        {"raw": "Say what {{city}} is.", "label": "plain"},
        "In one word: what is {{city}}?",
        "file://more.txt",
        '[{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "{{city}}"}]',
    ],
    "providers": ["openai:gpt-5", "echo"],
    "scenarios": [{}],
    "defaultTest": {"options": {"provider": "openai:gpt-5", "suffix": " Thanks."}},
    "tests": [
        {
            "vars": {"city": ["Lima", "Quito"]},
            "assert": [
                {"type": "contains", "value": "capital", "metric": "right"},
                {"type": "not-llm-rubric", "value": "is kind"},
                {"type": "similar", "value": "the capital"},
                {"type": "equals", "value": "file://answer.txt"},
                {"type": "contains", "value": "x", "transform": "output.trim()"},
                {"type": "contains", "value": "x", "weight": 0},
                {"type": "is-json", "value": {"pattern": "a"}},
            ],
            "threshold": 0.5,
            "metadata": {"owner": "us"},
        },
        {
            "description": "kind",
            "vars": {"city": "Oslo"},
            "assert": [{"type": "moderation"}],
        },
        {"vars": {"city": "Rome"}},
        {"vars": {"town": "Bonn"}, "assert": [{"type": "contains", "value": "a"}]},
        {"vars": {"city": "Bonn"}, "assert": [{"type": "not-contains", "value": "sorry"}]},
        {
            "vars": {"city": "Bern"},
            "options": {"transform": "output.trim()"},
            "assert": [{"type": "contains", "value": "a"}],
        },
        {"vars": {"city": "{{ env.CITY }}"}, "assert": [{"type": "contains", "value": "a"}]},
        "file://tests.csv",
    ],
}


def test_what_is_not_taken_of_promptfoo_is_named_once_with_its_count(tmp_path: Path) -> None:
    done = bring(tmp_path, yaml.safe_dump(OTHERS), "promptfooconfig.yaml", "--json")
    assert done.returncode == 0, done.output
    told = json.loads(done.stdout)
    keyword = [what for what in told["not_taken"] if "keyword `pattern`" in what]
    assert [told["not_taken"].pop(what) for what in keyword] == [1]
    assert told["not_taken"] == {
        "`providers`": 2,
        "`scenarios`": 1,
        "prompts of a file": 1,
        "prompts that are a chat of other messages than `system` and `user`": 1,
        "option `provider` of a test": 7,
        "`threshold` of a test (the score is the same)": 1,
        "`metadata` of a test": 1,
        "`metric` of an assertion": 1,
        "assertion `not-llm-rubric`": 1,
        "assertion `moderation`": 1,
        "assertion `similar`": 1,
        "assertion `equals` of a file, a function or another kind of value": 1,
        "assertion `contains` with a `transform`": 1,
        "assertion `contains` of weight 0": 1,
        "tests of a file": 1,
    }
    copied = "its question, copied, is a right answer"
    assert told["left_out"] == [
        "test 2 (kind): no assertion is left",
        "test 3: no assertion is left",
        "test 4: `{{city}}` has no value",
        "test 6: its option `transform` has no meaning here",
        "test 7: its variable `city` is a template",
        f"test 5: {copied}",
        f"test 5: {copied}",
    ]
    assert [(case.use_case, case.prompt) for case in cases_of(tmp_path)] == [
        ("plain", "Say what Lima is. Thanks."),
        ("plain", "Say what Quito is. Thanks."),
        ("prompt-2", "In one word: what is Lima? Thanks."),
        ("prompt-2", "In one word: what is Quito? Thanks."),
    ]


PLAIN = """
prompts: ["{{q}} {{w}} {{t}} {{n}}"]
tests:
  - vars: {q: yes, w: 1.0, t: 1:30, n: true}
    assert:
      - {type: contains, value: Yes}
      - {type: contains-any, value: [off, 0x10, 1e3]}
      - {type: contains-all, value: [{a: 1}]}
      - {type: contains, value: 2026-01-01}
"""


def test_plain_words_and_numbers_of_a_config_are_those_of_promptfoo(tmp_path: Path) -> None:
    """Its YAML is 1.2, where yes and 1:30 are texts; ours is 1.1. Run by hand, promptfoo gave this."""
    done = bring(tmp_path, PLAIN, "promptfooconfig.yaml", "--json")
    assert done.returncode == 0, done.output
    (case,) = cases_of(tmp_path)
    assert case.prompt == "yes 1 1:30 true"
    assert [each.value for each in case.expect or ()] == ["Yes", ["off", "16", "1000"]]
    told = json.loads(done.stdout)["not_taken"]
    assert told == {
        "assertion `contains-all` of a file, a function or another kind of value": 1,
        "assertion `contains` of a file, a function or another kind of value": 1,
    }


def test_templates_and_lists_without_an_end_are_left_out(tmp_path: Path) -> None:
    right = [{"type": "equals", "value": "Paris"}]
    tests = [
        {"vars": {"n": "France"}, "assert": right},
        {"vars": {"n": []}, "assert": right},
        {"vars": {"n": "Peru", **{f"v{each}": list(range(10)) for each in range(9)}}, "assert": right},
        {"vars": {"n": "Peru"}, "assert": [{"type": "equals", "value": "{% if n %}Lima{% endif %}"}]},
        {"vars": {"n": "Peru"}, "options": {"suffix": "{# kind #}"}, "assert": right},
    ]
    prompts = ["https://example.org names the capital of {{n}}: which?"]
    text = yaml.safe_dump({"prompts": prompts, "tests": tests})
    done = bring(tmp_path, text, "promptfooconfig.yaml", "--json")
    assert done.returncode == 0, done.output
    template = "only {{name}} is filled, no other template"
    assert json.loads(done.stdout)["left_out"] == [
        "test 2: its variable `n` is an empty list",
        "test 3: its variables make 1,000,000,000 cases; the most is 10,000",
        f"test 4: {template}",
        f"test 5: {template}",
    ]
    (case,) = cases_of(tmp_path)
    assert case.prompt == "https://example.org names the capital of France: which?"


def test_a_prompt_that_comes_again_is_a_case_of_its_own(tmp_path: Path) -> None:
    tests = [{"vars": {"n": [1, 2, 3]}, "assert": [{"type": "equals", "value": "Paris"}]}]
    text = yaml.safe_dump({"prompts": ["Capital of France?"], "tests": tests})
    done = bring(tmp_path, text, "promptfooconfig.yaml")
    assert done.returncode == 0, done.output
    first = cases_of(tmp_path)[0].id
    assert [case.id for case in cases_of(tmp_path)] == [first, f"{first}_2", f"{first}_3"]


@pytest.mark.parametrize("name", ["_odd.csv", "con.csv", "测试.csv", "a\nb.csv", "intent_classification.csv"])
def test_a_file_of_any_name_makes_a_folder_that_can_be_read(tmp_path: Path, name: str) -> None:
    done = bring(tmp_path, "prompt,exact\nCapital of France?,Paris\n", name)
    assert done.returncode == 0, done.output
    (use_case,) = load_daily(tmp_path / "mine").use_cases.values()
    assert use_case.title == name.removesuffix(".csv")
    assert use_case.max_tokens == 1500


def test_a_table_is_a_suite_with_variables_and_cells_of_promptfoo(tmp_path: Path) -> None:
    table = (
        "id,use_case,prompt,contains,not-icontains,number,contains-any,__expected1,__expected2,city,note\n"
        'lima,Cities,"Of which land is {{city}}\nthe capital?",Peru,sorry,,,,,Lima,easy\n'
        ',Sums,6 times 7?,,,"{value: 42, tolerance: 1%}",,llm-rubric: kind,,,\n'
        ',Cities,Name a sea.,,,,"Baltic, North",,,,\n'
        ',Cities,Of France?,,,,,"not-contains-any: Rome, Bonn",Answer: Paris,,\n'
        ",Cities,Be kind.,,,,,grade: kind,llm-rubric: brief,,\n"
        ",Cities,Be brief.,,,,,javascript: 1,,,\n"
    )
    done = bring(tmp_path, table, "places.csv", "--json")
    assert done.returncode == 0, done.output
    told = json.loads(done.stdout)
    assert told["not_taken"] == {"assertion `javascript`": 1, "column `note`": 1}
    assert told["left_out"] == ["line 8: no expectation is left"]
    written = yaml.safe_load((tmp_path / "mine" / "Cities" / "cases.yml").read_text())["cases"]
    assert written[0]["id"] == "lima"
    assert [(case["prompt"], case["expect"]) for case in written] == [
        ("Of which land is Lima\nthe capital?", [{"contains": "Peru"}, {"not-icontains": "sorry"}]),
        ("Name a sea.", [{"contains-any": ["Baltic", "North"]}]),
        ("Of France?", [{"not-contains-any": ["Rome", "Bonn"]}, {"equals": "Answer: Paris"}]),
        (
            "Be kind.",
            [{"judge": [{"question": "kind", "weight": 1}, {"question": "brief", "weight": 1}], "weight": 2}],
        ),
    ]
    checked = probatio("suite", "check", tmp_path / "mine", "--json")
    assert checked.returncode == 0, checked.output
    assert [(row["id"], row["cases"]) for row in json.loads(checked.stdout)["use_cases"]] == [
        ("Cities", 4),
        ("Sums", 1),
    ]


def test_lines_and_a_file_suite_are_suites(tmp_path: Path) -> None:
    lines = [
        {
            "prompt": "Capital of {{land}}?",
            "vars": {"land": "Peru", "city": "Lima"},
            "expect": {"contains": "{{city}}"},
        },
        {"prompt": "6 times 7?", "expect": {"number": 42}, "use_case": "Sums"},
        {"prompt": "6 times 7?", "expect": {"exact": "42"}, "use_case": "Sums"},
    ]
    done = bring(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "capitals.jsonl")
    assert done.returncode == 0, done.output
    assert probatio("suite", "check", tmp_path / "mine").returncode == 0
    assert [(case.use_case, case.prompt) for case in cases_of(tmp_path)] == [
        ("capitals", "Capital of Peru?"),
        ("Sums", "6 times 7?"),
        ("Sums", "6 times 7?"),
    ]
    assert cases_of(tmp_path)[2].id == f"{cases_of(tmp_path)[1].id}_2"

    suite = tmp_path / "plans.yml"
    suite.write_text('cases: [{prompt: "Which plan, {{x}}?", expect: {contains: Pro}, difficulty: 3}]')
    done = probatio("suite", "new", "--daily", tmp_path / "plans", "--from", suite)
    assert done.returncode == 0, done.output
    assert probatio("suite", "check", tmp_path / "plans").returncode == 0
    (case,), (before,) = load_daily(tmp_path / "plans").cases.values(), load_daily(suite).cases.values()
    assert case == before


WRONG = {
    "table-without-prompts.csv": ("question,contains\na,b\n", "line 1: there is no column `prompt`"),
    "short-row.csv": ("prompt,contains\na,b\nc\n", "line 3: 1 values for 2 columns"),
    "open-quote.csv": ('prompt,contains\n"a,b\n', "line 2: no CSV: "),
    "cell.csv": ("prompt,number\na,many\n", "line 2: `number`: 'many' is no number"),
    "brackets.csv": ("prompt,number\na,{value\n", "line 2: `number`: '{value' is neither a value"),
    "variable.csv": ("prompt,contains\n\nWhich {{town}}?,b\n", "line 3: `{{town}}` has no value"),
    "twice.csv": ("prompt,x,x,exact\na,b,c,d\n", "line 1: the column `x` stands there twice"),
    "same-id.csv": ("id,prompt,exact\na,b,c\na,d,e\n", "line 3: the id `a` is that of line 2, too"),
    "empty.csv": ("", "there is no column `prompt`"),
    "none.csv": ("prompt,exact\na,\n", "holds no case that can be taken. Line 2: no expectation is left"),
    "key.jsonl": ('\n{"prompt": "a", "expects": {}}\n', "line 2: Object contains unknown field `expects`"),
    "broken.jsonl": ('{"prompt": "a", "expect": {"exact": "b"}}\n{', "line 2: "),
    "nothing.yaml": (
        "prompts: [a]\ntests:\n- description: b\n  assert: [{type: pi}]\n",
        "can be taken. Test 1 (b): no assertion is left. Not taken: assertion `pi` (1).",
    ),
    "prompt.yaml": ("tests: []\n", "line 1: there are no `prompts`"),
    "grader.jsonl": ('{"prompt": "a", "expect": {"contians": "b"}}', "line 1: There is no ready grader"),
    "grader.yml": ("cases:\n- prompt: a\n  expect: {contians: b}\n", "line 3: There is no ready grader"),
    "other.yml": ("models: []\n", "has no `cases`"),
    "tests.yaml": ("prompts: [a]\ntests:\n- vars: {}\n- 3\n", "line 4: test 2 has to be a table"),
    "assert.yaml": ("prompts: [a]\ntests:\n- assert:\n  - value: 3\n", "line 4: an assertion is a table"),
    "files.yaml": ("prompts: [file://a.txt]\ntests: []\n", "line 1: no prompt is written"),
    "table.txt": ("a", "has to be a file with cases: .yml, .yaml, .csv, .jsonl"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_with_a_fault_is_named_with_its_line_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    text, sentence = WRONG[name]
    done = bring(tmp_path, text, name)
    assert done.returncode == 2, done.output
    assert f"{tmp_path / name}" in done.stderr
    assert sentence in " ".join(done.stderr.split())
    assert not (tmp_path / "mine").exists()


def test_a_file_that_is_not_there_and_a_folder_that_is_not_empty_are_refused(tmp_path: Path) -> None:
    done = probatio("suite", "new", "--daily", tmp_path / "mine", "--from", tmp_path / "no.csv")
    assert done.returncode == 2
    assert "no.csv does not exist" in done.stderr
    done = bring(tmp_path, "prompt,exact\na,b\n", "a.csv")
    assert done.returncode == 0, done.output
    done = bring(tmp_path, "prompt,exact\na,c\n", "a.csv")
    assert done.returncode == 2
    assert "is not empty" in done.stderr


CHATS = {
    "JSON": '[{"role": "system", "content": "You know {{place}}."}, {"role": "user", "content": "{{ask}}"}]',
    "YAML": "- role: system\n  content: You know {{place}}.\n- role: user\n  content: '{{ask}}'",
    "a list": [
        {"role": "system", "content": "You know {{place}}."},
        {"role": "user", "content": "{{ask}}"},
    ],
}


@pytest.mark.parametrize("prompt", CHATS.values(), ids=CHATS.keys())
def test_a_chat_of_promptfoo_becomes_a_system_prompt_and_a_question(tmp_path: Path, prompt: Any) -> None:
    values = {"place": "Lima", "ask": 'Say "hello", role: user'}
    test = {"vars": values, "assert": [{"type": "contains", "value": "{{place}}"}]}
    config = {"prompts": [prompt], "tests": [test]}
    done = bring(tmp_path, yaml.safe_dump(config), "promptfooconfig.yaml", "--json")
    assert done.returncode == 0, done.output
    assert json.loads(done.stdout)["not_taken"] == {}
    (case,) = cases_of(tmp_path)
    assert (case.system, case.prompt) == ("You know Lima.", values["ask"])


def test_a_prefix_around_a_chat_leaves_its_test_out(tmp_path: Path) -> None:
    tests = [
        {"assert": [{"type": "contains", "value": "a"}]},
        {"options": {"prefix": "x"}, "assert": [{"type": "contains", "value": "a"}]},
    ]
    prompt = '[{"role": "user", "content": "Which?"}]'
    config = {"prompts": [prompt], "tests": tests}
    done = bring(tmp_path, yaml.safe_dump(config), "promptfooconfig.yaml", "--json")
    told = json.loads(done.stdout)
    assert told["left_out"] == ["test 2: its `prefix` or `suffix` would stand around a chat"]
    assert [(case.prompt, bool(case.system)) for case in cases_of(tmp_path)] == [("Which?", False)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "system,prompt,contains,who\nYou are {{who}}.,Hello?,Ada,Ada\n"),
        (
            "a.jsonl",
            '{"system": "You are {{who}}.", "prompt": "Hello?", "expect": {"contains": "Ada"}, '
            '"vars": {"who": "Ada"}}',
        ),
        ("a.yml", "system: You are Ada.\ncases: [{prompt: 'Hello?', expect: {contains: Ada}}]"),
    ],
)
def test_the_system_prompt_of_a_file_is_brought_in(tmp_path: Path, name: str, text: str) -> None:
    done = bring(tmp_path, text, name)
    assert done.returncode == 0, done.output
    assert [case.system for case in cases_of(tmp_path)] == ["You are Ada."]


def test_what_a_judge_marks_in_promptfoo_is_asked_of_our_judge_at_once(tmp_path: Path) -> None:
    rubrics = [
        {"type": "llm-rubric", "value": "Greets {{name}}.", "weight": 2, "threshold": 0.8},
        {"type": "llm-rubric", "value": "Is kind."},
        {"type": "llm-rubric", "value": {"much": "else"}},
    ]
    tests = [
        {"vars": {"name": "Ilse"}, "assert": [{"type": "icontains", "value": "{{name}}"}, *rubrics[:2]]},
        {"vars": {"name": "Ben"}, "assert": rubrics[1:]},
    ]
    text = yaml.safe_dump({"prompts": ["Greet {{name}}."], "tests": tests})
    done = bring(tmp_path, text, "promptfooconfig.yaml", "--json")
    assert done.returncode == 0, done.output
    assert json.loads(done.stdout)["not_taken"] == {
        "`threshold` of an assertion": 1,
        "assertion `llm-rubric` of a file, a function or another kind of value": 1,
    }
    (use_case,) = load_daily(tmp_path / "mine").use_cases.values()
    ilse, ben = use_case.cases
    assert [use_case.checked_weight_of(case) for case in (ilse, ben)] == [0.25, 0.0]
    marked = [use_case.rubric_of(case) for case in (ilse, ben)]
    assert [[(one.question, one.weight) for one in each.criteria] for each in marked if each] == [
        [("Greets Ilse.", 2.0), ("Is kind.", 1.0)],
        [("Is kind.", 1.0)],
    ]
