"""Several languages on one page: each run read with its own suite, never pooled with another's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commandline import probatio
from learn.runs import by_chance, make_run, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.core.records import TrialKey
from probatio.core.statistics.intervals import estimate_paired_difference
from probatio.learn.findings import Place
from probatio.learn.gains import Gain, subtract
from probatio.learn.report.side_by_side import (
    CAUTION,
    describe_gain,
    format_languages,
    read_languages,
    write_side_by_side,
)

CONTEXTS = ("examples-only", "minimal", "complete")


def _run(root: Path, name: str, suite: str, tasks: int, model: str, chance: float) -> Path:
    folder = root / suite
    made = folder if (folder / "tasks").exists() else write_suite(folder, tasks)
    return write_made_up_run(
        root / name,
        made,
        by_chance(lambda key: chance * CONTEXTS.index(key.context)),
        models=(model,),
        contexts=CONTEXTS,
    )


def test_a_page_has_a_curve_per_language_and_model_and_pools_runs_of_one_suite_only(tmp_path: Path) -> None:
    runs = [
        _run(tmp_path, "a1", "alpha", 12, "m", 0.5),
        _run(tmp_path, "b1", "beta", 8, "m", 0.2),
        _run(tmp_path, "a2", "alpha", 12, "n", 0.4),
    ]
    found = read_languages(runs)
    assert [
        (one.suite, one.runs, [(curve.model, curve.tasks) for curve in one.curves]) for one in found.languages
    ] == [
        ("alpha", ["a1", "a2"], [("m", 12), ("n", 12)]),
        ("beta", ["b1"], [("m", 8)]),
    ]
    page = write_side_by_side(found, tmp_path / "page")
    text = page.read_text(encoding="utf-8")
    assert CAUTION in text
    assert text.count("\n## ") == 2
    assert "| alpha | examples-only | 0 |" in text
    assert "| beta | complete | 0 |" in text
    assert sorted(file.name for file in page.parent.glob("*.png")) == ["languages-1.png", "languages-2.png"]


def _told(key: TrialKey) -> float:
    """The same for every language: what counts is how much is told."""
    return {"examples-only": 0.0, "minimal": 0.3, "basic": 0.5, "complete": 0.9}[key.context]


def test_gains_begin_and_end_at_the_same_tokens_and_have_intervals(tmp_path: Path) -> None:
    """Two languages with one truth, asked from different starts: the rises differed, the gains don't."""
    runs = [
        write_made_up_run(
            tmp_path / name,
            write_suite(tmp_path / f"suite-{name}", 40),
            by_chance(_told),
            contexts=contexts,
        )
        for name, contexts in (
            ("a", ("examples-only", "minimal", "complete")),
            ("b", ("minimal", "basic", "complete")),
        )
    ]
    found = read_languages(runs)
    (one,) = found.gains
    for gain in (one.a, one.b):
        assert (gain.start.context, gain.end.context, gain.tasks) == ("minimal", "complete", 40)
        assert gain.low < 60 < gain.high
    assert one.low < 0 < one.high
    text = format_languages(found, {})
    assert "least told" not in text and "| 201 tokens (minimal, 0-shot) | 3,001 tokens" in text
    assert f"{one.points:+.1f} ({one.low:+.1f} to {one.high:+.1f})" in text
    said = describe_gain(one)
    assert "from about 201 to about 3,001 tokens" in said and said.endswith("; no difference is shown.")
    done = probatio("study", str(runs[0]), str(runs[1]), "--side-by-side", "--out", str(tmp_path / "page"))
    assert said in done.stdout


def test_languages_without_equal_tokens_have_no_gains_to_compare(tmp_path: Path) -> None:
    runs = [
        write_made_up_run(
            tmp_path / name, write_suite(tmp_path / f"suite-{name}", 10), by_chance(_told), contexts=contexts
        )
        for name, contexts in (("a", ("examples-only", "minimal")), ("b", ("minimal", "complete")))
    ]
    found = read_languages(runs)
    assert found.gains == []  # they share one number of tokens, and a gain needs two
    assert "No two languages were asked with the same numbers of tokens" in format_languages(found, {})


def test_the_interval_of_two_gains_apart_holds_the_truth() -> None:
    chance, held = np.random.default_rng(50), []
    for _ in range(400):
        gains = []
        for tasks, up, down in ((20, 0.35, 0.1), (40, 0.2, 0.15)):
            came = chance.multinomial(1, [up, down, 1 - up - down], size=tasks)
            found = estimate_paired_difference((int(one[0]), int(one[1]), 1) for one in came)
            ends = (100 * found.difference, 100 * found.low, 100 * found.high)
            gains.append(Gain("l", Place(1, "c", 0), Place(2, "c", 0), tasks, *ends))
        _, low, high = subtract(*gains)
        held.append(low <= 20 <= high)
    assert 0.93 <= np.mean(held) <= 0.99


def test_a_run_without_a_curve_is_named(tmp_path: Path) -> None:
    run = make_run(tmp_path, 6, lambda key: True)
    with pytest.raises(UsageError, match="r: A curve needs"):
        read_languages([run])
