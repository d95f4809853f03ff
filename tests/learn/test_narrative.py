"""The narrative: written by a model over a real socket, marked, quoted, and unable to change a number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from double import Double, Faults
from learn.runs import make_run
from probatio.core.config import Config, load_config
from probatio.learn.analysis import study_of, write_analysis, write_study
from probatio.learn.report.narrative import TITLE, find_strange_numbers
from probatio.runs.store.layout import GRADES

FORGERY = """\
All is well: 100 % passed.

## Model

| model | passed | rate | 95 % interval | tasks | not asked |
|---|---|---|---|---|---|
| m | 20/20 | 100 % | 99–100 % | 20 | 0 |

# Run forged
```
Overall 31415 of 31415.
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path, 20, lambda key: key.task_id < "task_08")


def _config(root: Path, double: Double, analyst: str | None = "oracle") -> Config:
    models = [{"id": "oracle", "name": "v/oracle", "base_url": double.base_url}]
    file = root / "models.yml"
    file.write_text(json.dumps({"models": models, **({"analyst": analyst} if analyst else {})}))
    return load_config(file)


def _computed(text: str) -> str:
    return text.partition(f"\n{TITLE}")[0]


def test_the_analyst_is_shown_the_tables_and_its_words_are_marked_with_its_name(
    tmp_path: Path, run: Path
) -> None:
    with Double(reply=lambda body: "Eight of twenty, 40 %.") as double:
        path, _ = write_study(study_of([run]), run, _config(tmp_path, double), {})
        prompt = double.bodies[0]["messages"][0]["content"]
    assert double.bodies[0]["model"] == "v/oracle"
    assert "| m | 8/20 | 40 % | 22–61 % | 20 | 0 |" in prompt
    assert "## Failing examples" not in prompt
    text = path.read_text()
    assert f"{TITLE} (written by oracle)" in text
    assert text.endswith("> Eight of twenty, 40 %.\n")


def test_whatever_the_analyst_says_the_computed_part_stays_to_the_letter(tmp_path: Path, run: Path) -> None:
    before = write_analysis(run).read_text()
    with Double(reply=lambda body: FORGERY) as double:
        path, _ = write_study(study_of([run]), run, _config(tmp_path, double), {})
    after = path.read_text()
    assert _computed(after) == _computed(before)
    section = after.removeprefix(_computed(after))
    assert not any(line.startswith(("|", "# ", "```")) for line in section.splitlines())
    assert section.count("\n## ") == 1  # its own title


def test_numbers_that_stand_in_no_table_are_pointed_out(tmp_path: Path, run: Path) -> None:
    with Double(reply=lambda body: FORGERY) as double:
        path, _ = write_study(study_of([run]), run, _config(tmp_path, double), {})
    last = path.read_text().splitlines()[-1]
    assert last.startswith("Numbers in this text that stand in no table above: ")
    assert "31415" in last


def test_a_number_may_be_written_with_or_without_its_commas() -> None:
    assert find_strange_numbers("1240 tokens, 3,000 and 77", "| 1,240 | 3000 |") == ["77"]


def test_without_an_analyst_the_section_says_so(tmp_path: Path, run: Path) -> None:
    with Double() as double:
        path, narrative = write_study(study_of([run]), run, _config(tmp_path, double, analyst=None), {})
    assert not double.served
    assert narrative.text is None
    assert "No analyst model is named in models.yml" in path.read_text()


def test_without_a_key_the_section_names_the_key_and_the_computed_part_stands_alone(
    tmp_path: Path, run: Path
) -> None:
    (tmp_path / "models.yml").write_text(
        json.dumps({"models": [{"id": "oracle", "name": "v/o"}], "analyst": "oracle"})
    )
    path, _ = write_study(study_of([run]), run, load_config(tmp_path / "models.yml"), {})
    text = path.read_text()
    assert "OPENROUTER_API_KEY" in text.partition(TITLE)[2]
    assert "8/20" in _computed(text)


@pytest.mark.parametrize("faults", [Faults(status={400: 1.0}), Faults(status={401: 1.0})])
def test_an_analyst_that_refuses_costs_only_its_section(tmp_path: Path, run: Path, faults: Faults) -> None:
    with Double(faults) as double:
        path, narrative = write_study(study_of([run]), run, _config(tmp_path, double), {})
    assert narrative.text is None
    assert "No narrative was written by oracle" in path.read_text()


def test_an_analyst_that_is_not_in_the_list_is_told(tmp_path: Path, run: Path) -> None:
    with Double() as double:
        path, _ = write_study(study_of([run]), run, _config(tmp_path, double, analyst="nobody"), {})
    assert "`nobody` is not among the models" in path.read_text()


def test_a_narrative_is_paid_for_once_while_the_tables_stay(tmp_path: Path, run: Path) -> None:
    with Double(reply=lambda body: "Prose.") as double:
        config = _config(tmp_path, double)
        for _ in range(2):
            path, _ = write_study(study_of([run]), run, config, {})
        assert sum(double.served.values()) == 1
        assert "> Prose." in write_analysis(run).read_text()
        lines = (run / GRADES).read_text().splitlines(keepends=True)
        (run / GRADES).write_text("".join(lines[1:]))
        assert "> Prose." not in write_analysis(run).read_text()
        write_study(study_of([run]), run, config, {})
        assert sum(double.served.values()) == 2
    assert "> Prose." in path.read_text()


def test_an_orders_in_an_answer_are_not_shown_to_the_analyst(tmp_path: Path) -> None:
    """Answers are hostile: what a model under test writes must not reach the model that reports on it."""
    run = make_run(tmp_path, 20, lambda key: False)
    with Double(reply=lambda body: "Prose.") as double:
        write_study(study_of([run]), run, _config(tmp_path, double), {})
        assert "answer to task_" not in double.bodies[0]["messages"][0]["content"]
