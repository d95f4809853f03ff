"""tools/characteristics: the packaged figures and their page come from it, and a stopped run goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evidence_alone import ALL_PROFILES, DELAYS, FALLS, delay, false_confirmed
from measure import PAGE, measure, write
from measurements import PARTS, Measurements, read
from page import render_page
from rule_limits import decline_z

from probatio.watch.simulate import figures
from watch.verdict.synthetic_suite import MANIFEST

pytestmark = pytest.mark.slow  # long simulations


def test_z_of_a_smooth_decline_never_reaches_suspicion() -> None:
    slow, fast = decline_z(MANIFEST, 1.0), decline_z(MANIFEST, 1.5)
    assert slow == pytest.approx(-7.5 / np.std(np.arange(14), ddof=1), abs=1e-6)
    assert slow == pytest.approx(fast, abs=1e-6), "at any slope"
    assert round(slow, 2) == -1.79


@pytest.mark.parametrize(
    ("profile", "fall", "latest"),
    [
        ("flips", "fall-10", 6),
        ("flips", "fall-40", 2),
        ("flips", "fall-10-uneven", 9),
        ("flips", "quarter-dead", 3),
        ("binomial-0.9", "fall-20", 7),
        ("partial", "fall-5", 6),
        ("partial", "quarter-dead", 5),
        ("sticky", "quarter-dead", 7),
    ],
)
def test_the_evidence_confirms_a_fall_as_soon_as_the_page_says(profile: str, fall: str, latest: int) -> None:
    figures = delay(MANIFEST, profile, fall, 60, 1)
    assert figures.confirmed.median is not None and figures.confirmed.median <= latest


@pytest.mark.soak
def test_mixed_failures_do_not_confirm_falsely() -> None:
    figures = false_confirmed(MANIFEST, "mixed", 120, 365, 1, whole_suite=False)
    assert figures.confirmed.value < 0.02


def test_every_fall_and_profile_is_there() -> None:
    assert {fall for _, fall in DELAYS} <= set(FALLS)
    for name in ALL_PROFILES:
        figures = false_confirmed(MANIFEST, name, 3, 10, 0, whole_suite=True)
        assert figures.models == 3


def run(folder: Path, seed: int = 0, workers: int = 1) -> Measurements:
    return measure(
        folder,
        MANIFEST,
        models=8,
        days=15,
        seed=seed,
        profiles=["partial"],
        faults=["outage"],
        workers=workers,
    )


def test_a_run_that_was_broken_off_goes_on_with_the_parts_that_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, parts = run(tmp_path), tmp_path / PARTS
    lines = parts.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 5  # two kinds of judge, a fault, 25 cases and the whole suite
    parts.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])  # broken off in the last one
    capsys.readouterr()
    again = run(tmp_path)
    told, *made = capsys.readouterr().out.splitlines()
    assert told == "4 parts are there already."
    assert len(made) == 1
    assert (again.quiet, again.faults, again.false_confirmed) == (
        whole.quiet,
        whole.faults,
        whole.false_confirmed,
    )
    run(tmp_path, seed=1)
    assert "parts are there already" not in capsys.readouterr().out


def test_equal_seeds_give_equal_figures_however_many_processes_work(tmp_path: Path) -> None:
    one, two = run(tmp_path / "one", seed=4), run(tmp_path / "two", seed=4, workers=2)
    assert (one.quiet, one.faults, one.false_confirmed) == (two.quiet, two.faults, two.false_confirmed)


def test_what_is_written_is_read_back_and_told(tmp_path: Path) -> None:
    made = run(tmp_path)
    data, page = write(made, tmp_path / "new")
    assert read(data) == made
    product = figures.read(data)
    assert (product.quiet, product.faults) == (made.quiet, made.faults)
    text = page.read_text(encoding="utf-8")
    assert "partial credit" in text
    assert "Outage of 5 days" in text


def test_the_docs_page_is_made_from_the_saved_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_page(read())


def test_the_saved_figures_are_those_of_todays_constants() -> None:
    assert figures.read().constants == figures.constants_digest(MANIFEST), (
        "a constant changed: run `python tools/characteristics/measure.py FOLDER --publish`"
    )
