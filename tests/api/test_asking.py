"""Runs from Python: in a running loop, in a real notebook kernel, stopped and gone on with."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from double import Double
from probatio import api
from probatio.runs.engine import Tally
from probatio.runs.notebook import draw_bar, run_apart
from runs.trials import asked, suite

KERNEL = """
import probatio
done = probatio.run(
    {suite!r}, "gpt-4o-mini", contexts="examples-only", n_shots=0, run_id="r", results={results!r}
)
"""


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("OPENROUTER_API_KEY", "key")
    return monkeypatch


async def test_a_run_inside_a_loop_is_the_run_of_the_command(tmp_path: Path, key: pytest.MonkeyPatch) -> None:
    """The loop of the caller is not ours to block for ever, nor to run in: the work is done beside it."""
    threads = threading.active_count()
    with Double() as double:
        key.setenv("OPENROUTER_BASE_URL", double.base_url)
        done = api.run(
            suite(tmp_path / "suite"), "gpt-4o-mini", contexts="examples-only", n_shots=0, run_id="r",
            results=tmp_path / "results", progress=False,
        )  # fmt: skip
    assert (done.id, done.asked, done.passed, done.errors, done.stopped) == ("r", 10, 6, 0, None)
    assert str(done) == "r: 6/10 passed (60 %), $0.00"
    assert len(asked(tmp_path)) == 10
    assert done.analysis is not None
    assert done.analysis.exists()
    assert len(done.read()) == 10
    assert done.study().overall.passed == 6
    assert threading.active_count() <= threads + 1  # DuckDB keeps none, and neither do we


async def test_a_stopped_run_goes_on_without_asking_twice(tmp_path: Path, key: pytest.MonkeyPatch) -> None:
    with Double(cost=0.5) as double:
        key.setenv("OPENROUTER_BASE_URL", double.base_url)
        first = api.run(
            suite(tmp_path / "suite"), "gpt-4o-mini", contexts="examples-only", n_shots=0, run_id="r",
            results=tmp_path / "results", max_cost=2, max_connections=1, progress=False,
        )  # fmt: skip
        assert first.stopped
        assert first.asked < 10
        rest = api.resume(first, max_cost=100, progress=False)
    assert (rest.stopped, rest.asked) == (None, 10)
    assert set(asked(tmp_path).values()) == {1}


@pytest.mark.slow
def test_a_real_notebook_shows_a_bar_and_its_stop_button_stops_the_run(
    tmp_path: Path, key: pytest.MonkeyPatch
) -> None:
    """In an IPython kernel, a process of its own: displays come over its socket, an interrupt goes to it."""
    from jupyter_client.manager import start_new_kernel

    with Double(latency=0.4) as double:
        key.setenv("OPENROUTER_BASE_URL", double.base_url)
        manager, client = start_new_kernel(kernel_name="python3")
        try:
            cell = KERNEL.format(suite=str(suite(tmp_path / "suite", 60)), results=str(tmp_path / "results"))
            cell = cell.replace('run_id="r"', 'run_id="r", max_connections=1')
            client.execute(cell)
            shown: list[str] = []
            stopped = False
            while True:
                message = client.get_iopub_msg(timeout=300)
                kind, content = message["msg_type"], message["content"]
                if kind in ("display_data", "update_display_data"):
                    shown.append(content["data"].get("text/html", ""))
                    if not stopped and "<progress" in shown[-1] and 'value="0"' not in shown[-1]:
                        manager.interrupt_kernel()
                        stopped = True
                elif kind == "error":
                    pytest.fail("\n".join(content["traceback"]))
                elif kind == "status" and content["execution_state"] == "idle" and stopped:
                    break
            reply = client.execute_interactive(
                "import json; print(json.dumps([done.stopped, done.asked, done.total]))",
                output_hook=lambda message: shown.append(message["content"].get("text", "")),
                timeout=300,
            )
            assert reply["content"]["status"] == "ok"
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    reason, answered, total = json.loads(next(text for text in reversed(shown) if text.startswith("[")))
    assert reason == "interrupted."
    assert 0 < answered < total == 60
    bars = [text for text in shown if "<progress" in text]
    assert len(bars) > 1
    assert "stopped: interrupted." in bars[-1]


async def test_what_fails_apart_fails_where_it_was_called() -> None:
    def fails() -> None:
        asyncio.run(asyncio.sleep(0))  # has a loop of its own
        raise ValueError("as it is")

    with pytest.raises(ValueError, match="as it is"):
        run_apart(fails)


def test_without_a_loop_the_work_is_done_in_this_thread() -> None:
    assert run_apart(threading.current_thread) is threading.current_thread()


def test_a_bar_tells_how_a_run_stands() -> None:
    told = draw_bar(Tally(total=40, passed=6, failed=3, errors=1, asked=10, spent=0.5), 20.0, "<b>")
    assert told.startswith('<progress value="10" max="40"')
    assert "10/40 · 6 passed · 3 failed · 1 requests failed · 20.0s" in told
    assert "stopped: &lt;b&gt;" in told
    assert "1m 00s left" in draw_bar(Tally(total=40, passed=10, asked=10), 20.0)
