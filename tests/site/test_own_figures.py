"""The methodology page of a suite of one's own: figures simulated for its own use cases and cases, never
another suite's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from probatio.site.facts import own_figures
from probatio.site.facts.own_figures import OwnFigures, simulate
from probatio.suites.daily_suite import DailyManifest, read_manifest
from probatio.watch.alerts.describing import FIGURES
from probatio.watch.simulate.parts import Characteristics
from watch.day.days import EXTRACTION, small_suite

pytestmark = pytest.mark.slow  # simulates


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(own_figures, "MODELS", 12)
    monkeypatch.setattr(own_figures, "DAYS", 30)
    monkeypatch.setattr(own_figures, "FAULTS", ())


def _figures(folder: Path, *, compute: bool) -> OwnFigures | None:
    return own_figures.find_own_figures(folder, read_manifest(folder), compute=compute)


def test_figures_are_simulated_for_the_suites_own_number_of_cases(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Mapping[str, int]] = []

    def noted(manifest: DailyManifest, cases: Mapping[str, int]) -> Characteristics:
        asked.append(cases)
        return simulate(manifest, cases)

    monkeypatch.setattr(own_figures, "simulate", noted)
    few, more = (small_suite(tmp_path / str(cases), EXTRACTION, cases=cases) for cases in (2, 4))
    assert _figures(few, compute=False) is None
    one, two = _figures(few, compute=True), _figures(more, compute=True)
    assert one is not None and two is not None
    assert asked == [{EXTRACTION: 2}, {EXTRACTION: 4}]
    assert one.figures.quiet != two.figures.quiet, "what is measured depends on the number of cases"
    again = _figures(few, compute=False)
    assert again == one and len(asked) == 2, "kept"


def test_a_long_simulation_is_shown_only_where_its_five_cases_are_the_suites(
    quick: None, tmp_path: Path
) -> None:
    for cases, shown in ((5, 777), (3, 12)):
        suite = small_suite(tmp_path / str(cases), EXTRACTION, cases=cases)
        long = msgspec.structs.replace(simulate(read_manifest(suite), {EXTRACTION: 5}), models=777)
        (suite / FIGURES).write_bytes(msgspec.json.encode(long))
        found = _figures(suite, compute=True)
        assert found is not None
        assert (found.figures.models, found.short) == (shown, cases != 5)
