"""A case with a table: one case for each row, filled."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import probatio
from double import Double
from probatio.core.errors import UsageError
from probatio.suites.daily_suite import Case, load_daily

ROWS = """\
system: You know {{country}}.
cases:
  - id: capital_{{country}}
    prompt: What is the capital of {{country}}? One word.
    expect: [{contains: "{{capital}}"}, {not-contains: sorry}]
    table:
      - {country: France, capital: Paris}
      - {country: Peru, capital: Lima}
  - prompt: What does {{name}} mean?
    system: none
    expect: {contains: "{{name}}x"}
"""
OF_A_FILE = """\
cases:
  - prompt: How fast is {{speed}} m/s in km/h?
    expect: {number: {value: "{{answer}}", unit: km/h}}
    table: speeds.csv
"""


def write(folder: Path, text: str, table: str | None = None) -> Path:
    (folder / "plans.yml").write_text(text)
    if table is not None:
        (folder / "speeds.csv").write_text(table)
    return folder / "plans.yml"


def cases_of(suite: Path) -> list[Case]:
    return list(load_daily(suite).cases.values())


def test_each_row_is_a_case_and_what_has_no_table_stands_as_it_is(tmp_path: Path) -> None:
    france, peru, plain = cases_of(write(tmp_path, ROWS))
    assert (france.id, peru.id) == ("capital_France", "capital_Peru")
    assert peru.prompt == "What is the capital of Peru? One word."
    assert peru.system == "You know Peru."
    assert isinstance(peru.expect, tuple)
    assert [(each.value, each.negated) for each in peru.expect] == [("Lima", False), ("sorry", True)]
    assert plain.prompt == "What does {{name}} mean?"
    assert isinstance(plain.expect, tuple)
    assert plain.expect[0].value == "{{name}}x"


def test_a_table_in_a_file_is_asked_row_by_row(tmp_path: Path) -> None:
    suite = write(tmp_path, OF_A_FILE, "speed,answer,id\n25,90,\n10,36,ten\n")
    config = tmp_path / "models.yml"
    checked = probatio("suite", "check", suite)
    assert checked.returncode == 0, checked.output
    with Double(reply=lambda body: "90 km/h") as double:
        config.write_text(f"models: [{{id: one, name: one, base_url: '{double.base_url}'}}]")
        done = probatio("daily", "--suite", suite, "--config", config, "--results", tmp_path / "results")
    assert done.returncode == 0, done.output
    asked = {body["messages"][0]["content"] for body in double.bodies}
    assert asked == {"How fast is 25 m/s in km/h?", "How fast is 10 m/s in km/h?"}
    names = [case.id for case in cases_of(suite)]
    assert names[0].startswith("how_fast_is_25")
    assert names[1] == "ten"


def test_a_changed_cell_is_another_suite(tmp_path: Path) -> None:
    suite = write(tmp_path, OF_A_FILE, "speed,answer\n25,90\n")
    before = load_daily(suite).version
    write(tmp_path, OF_A_FILE, "speed,answer\n25,91\n")
    assert load_daily(suite).version != before


def test_a_table_is_brought_in_written_out(tmp_path: Path) -> None:
    write(tmp_path, ROWS.partition("  - prompt: What does")[0])
    done = probatio("suite", "new", "--daily", tmp_path / "mine", "--from", tmp_path / "plans.yml")
    assert done.returncode == 0, done.output
    assert [case.prompt[:29] for case in cases_of(tmp_path / "mine")] == [
        "What is the capital of France",
        "What is the capital of Peru? ",
    ]
    assert "{{" not in (tmp_path / "mine/plans/cases.yml").read_text()


INLINE = "cases:\n  - prompt: Is {{a}} it?\n    expect: {contains: '{{b}}'}\n    table:\n"


@pytest.mark.parametrize(
    ("text", "table", "said"),
    [
        (INLINE + "      - {a: 1, b: x}\n      - {a: 2}\n", None, "plans.yml, line 6: `{{b}}` has no value."),
        (INLINE + "      []\n", None, "plans.yml, line 4: the table has no row."),
        (INLINE + "      - {a: no, b: x}\n", None, "line 5: `a` has to be a text or a number"),
        (INLINE + "      - {a: '', b: x}\n", None, None),
        (INLINE.replace("Is {{a}} it?", "'{{a}}'") + "      - {a: '', b: x}\n", None, "its prompt is empty"),
        (INLINE.replace("- prompt", "- id: one\n    prompt") + "      - {a: 1, b: x}\n", None,
         "line 6: each row would have the id `one`: put a variable in it, or add a column `id`."),
        (INLINE.replace("it?", "{{ a | upper }}") + "      - {a: 1, b: x}\n", None, "no other template"),
        (OF_A_FILE, "speed\n25\n", "speeds.csv, line 2: `{{answer}}` has no value."),
        (OF_A_FILE, "speed,answer\n25\n", "speeds.csv, line 2: 1 values for 2 columns."),
        (OF_A_FILE, "speed,speed\n25,1\n", "speeds.csv, line 1: the column `speed` stands there twice."),
        (OF_A_FILE, "", "plans.yml, line 4: the table has no row."),
        (OF_A_FILE, None, "plans.yml, line 4: "),
        (OF_A_FILE.replace("speeds.csv", "speeds.txt"), None, "the name of a .csv file beside this one"),
        (OF_A_FILE, "speed,answer\n25,much\n", "speeds.csv, line 2: `number`: 'much' is no number."),
        (OF_A_FILE, 'speed,answer\n"25,90\n', "speeds.csv, line 2: no CSV"),
    ],
)  # fmt: skip
def test_what_a_table_lacks_is_named_with_its_line(
    tmp_path: Path, text: str, table: str | None, said: str | None
) -> None:
    suite = write(tmp_path, text, table)
    if said is None:
        assert cases_of(suite)[0].prompt == "Is  it?"
        return
    with pytest.raises(UsageError) as error:
        load_daily(suite)
    assert said in str(error.value)


@pytest.mark.parametrize("away", ["../secret.csv", "/etc/secret.csv", "link.csv"])
def test_a_table_outside_of_the_suite_is_not_opened(tmp_path: Path, away: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("speed,answer\n25,90\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(UsageError) as error:
        load_daily(write(folder, OF_A_FILE.replace("speeds.csv", away)))
    assert "25" not in str(error.value)
