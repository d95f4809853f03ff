"""The speed of an embedded model: measured with a few tokens, kept, and told as time on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatio.ask.embedded import speed
from probatio.ask.embedded.speed import Speed, speed_of
from probatio.core.records import Model
from probatio.runs.consent import on_this_machine
from probatio.runs.estimate import machine_time

MODEL = Model(id="smollm2-135m", name="smollm2-135m", provider="embedded")


@pytest.mark.slow
def test_a_speed_is_measured_once_and_kept(
    tmp_path: Path, smallest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "speed" / "kept.json"
    monkeypatch.setattr(speed, "_speed_file", lambda *_: kept)
    assert speed_of(MODEL, measure=False) is None
    for _ in range(5):  # a busy machine may stop one measurement of reading, not five
        kept.unlink(missing_ok=True)
        measured = speed_of(MODEL, measure=True)
        if measured and measured.reading > measured.writing:
            break
    assert measured is not None
    assert measured.reading > measured.writing > 0
    monkeypatch.setattr(speed, "serve", None)  # the model is not loaded a second time
    assert speed_of(MODEL, measure=True) == measured
    assert machine_time(MODEL, 4000, 100, measure=False) == pytest.approx(
        measured.seconds(1000, 100), rel=0.5
    )


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "a second"), (40, "40 seconds"), (100, "2 minutes"), (960, "16 minutes"), (7200, "2.0 hours")],
)
def test_a_time_is_told_roughly(seconds: float, told: str) -> None:
    assert on_this_machine(seconds) == f"about {told} on this machine"


def test_time_is_reading_and_writing() -> None:
    assert Speed(reading=100.0, writing=10.0).seconds(1000, 50) == 15
