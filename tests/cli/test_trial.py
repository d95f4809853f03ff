"""`probatio trial`: its flags, its sentences and its exit codes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import probatio
from double import Double
from runs.trials import argv, asked, environment, finished, new_run, suite


@pytest.fixture
def double() -> Iterator[Double]:
    with Double() as server:
        yield server


@pytest.fixture(scope="module")
def two_trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run `r` of two trials, for commands that refuse to add to it."""
    root = tmp_path_factory.mktemp("two")
    with Double() as double:
        assert finished(new_run(root, "--limit", "2"), double, root).returncode == 0
    return root


def test_quiet_output_is_a_mark_per_trial_the_summary_and_the_analysis(
    tmp_path: Path, double: Double
) -> None:
    done = finished(new_run(tmp_path), double, tmp_path)
    marks, _, summary, analysis, answers, grades = done.stdout.splitlines()
    assert sorted(marks) == ["."] * 6 + ["x"] * 4
    assert summary.startswith("6/10 passed (60%) in ")
    assert summary.endswith("s — $0.0010")
    assert analysis.startswith("Analysis: ")
    assert Path(analysis.removeprefix("Analysis: ")).read_text().startswith("# Run r")
    assert len(Path(answers.removeprefix("Answers:  ")).read_text().splitlines()) == 10
    assert len(Path(grades.removeprefix("Grades:   ")).read_text().splitlines()) == 10


@pytest.mark.slow
def test_verbose_prints_each_trial(tmp_path: Path, double: Double) -> None:
    done = finished(new_run(tmp_path, "-v"), double, tmp_path)
    assert sum("predict_" in line for line in done.stdout.splitlines()) == 10
    assert "wrong_output: expected 'no', answered '42'" in done.stdout


@pytest.mark.slow
def test_json_is_one_event_per_line(tmp_path: Path, double: Double) -> None:
    done = finished(new_run(tmp_path, "--json"), double, tmp_path)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["trial"] * 10 + ["end"]
    assert (events[-1]["passed"], events[-1]["failed"], events[-1]["errors"]) == (6, 4, 0)


@pytest.mark.slow
def test_tasks_and_categories_filter_the_plan(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path, "--task", "predict_[0-4]", "--category", "loops"), double, tmp_path)
    assert {key.task_id for key in asked(tmp_path)} == {"predict_1", "predict_3"}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--model", "gpt-4o-min"], "gpt-4o-mini"),
        (["--task", "predict_99"], "predict_9"),
        (["--category", "lops"], "loops"),
        (["--context", "minimum"], "which has examples-only"),
        (["--dialect", "latn"], "latin"),
        (["--n-shot", "a"], "0,1,3,10"),
        (["--n-shot", "99"], "examples"),
        (["--samples", "0"], "samples"),
        (["--run-id", "../x"], "letters"),
        (["--suite", "/nowhere"], "not a suite"),
        (["--config", "/nowhere.yml"], "does not exist"),
    ],
)
def test_a_wrong_flag_is_a_sentence_before_anything_is_asked(
    tmp_path: Path, double: Double, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = finished(new_run(tmp_path, *flags), double, tmp_path)
    code, sentence = done.returncode, done.stderr
    assert code == 2
    assert message in sentence
    assert not double.served


def test_a_dry_run_counts_and_asks_nothing(tmp_path: Path, double: Double) -> None:
    done = finished(new_run(tmp_path, "--dry-run", "--samples", "3"), double, tmp_path)
    assert "30 trials" in done.stdout
    assert "about $" in done.stdout
    assert "Power: a difference of 5 points between two models is seen with a chance of " in done.stdout
    assert "(10 tasks, 3 pairs each)" in done.stdout
    assert not double.served
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_a_verbose_dry_run_shows_the_very_prompts_that_would_be_sent(tmp_path: Path, double: Double) -> None:
    shown = finished(new_run(tmp_path, "--dry-run", "-v", "--task", "predict_7"), double, tmp_path).stdout
    finished(new_run(tmp_path, "--task", "predict_7"), double, tmp_path)
    assert double.bodies[0]["messages"][0]["content"] in shown


@pytest.mark.parametrize("flags", [["--task", "x"], ["--limit", "3"], ["--samples", "2"], ["--dry-run"]])
def test_resume_takes_everything_from_run_json(
    two_trials: Path, double: Double, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = argv(two_trials, "--resume", "r", *flags)
    done = finished(command, double, two_trials)
    code, sentence = done.returncode, done.stderr
    assert (code, "with --resume" in sentence) == (2, True)


def test_an_unknown_run_lists_those_there_are(two_trials: Path, double: Double) -> None:
    done = finished(argv(two_trials, "--resume", "s"), double, two_trials)
    assert (done.returncode, "Runs there: r." in done.stderr) == (2, True)


def test_a_run_id_that_is_taken_is_refused(two_trials: Path, double: Double) -> None:
    done = finished(new_run(two_trials, "--limit", "1"), double, two_trials)
    assert (done.returncode, "--resume r" in done.stderr) == (2, True)


def test_a_missing_key_is_named_before_anything_is_asked(tmp_path: Path, double: Double) -> None:
    done = probatio(*new_run(tmp_path), env={}, cwd=tmp_path)
    assert (done.returncode, "OPENROUTER_API_KEY" in done.stderr) == (2, True)


@pytest.mark.parametrize("named", [True, False])
def test_a_dry_run_needs_no_key_and_says_which_one_is_missing(
    tmp_path: Path, double: Double, named: bool
) -> None:
    models = [
        {"id": "a", "name": "v/a"},
        {"id": "b", "name": "v/b", "api_key_env": "MINE", "base_url": double.base_url},
    ]
    (tmp_path / "models.yml").write_text(json.dumps({"models": models}))
    words = ["trial", "--suite", str(suite(tmp_path / "own")), "--config", "models.yml", "--dry-run"]
    done = probatio(*words, *(["--model", "a,b"] if named else []), env={}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a: OPENROUTER_API_KEY is not set." in done.stdout
    assert "b: MINE is not set." in done.stdout
    assert [line.partition(":")[0] for line in done.stdout.splitlines() if " tokens in" in line] == ["a", "b"]
    assert not double.bodies


@pytest.mark.slow
def test_a_key_in_dotenv_is_read(tmp_path: Path, double: Double) -> None:
    (tmp_path / ".env").write_text(f"OPENROUTER_API_KEY=from-file\nOPENROUTER_BASE_URL={double.base_url}\n")
    done = probatio(*new_run(tmp_path, "--limit", "1"), env={}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert double.headers[0]["Authorization"] == "Bearer from-file"


@pytest.mark.slow
def test_a_config_of_ones_own_is_taken_from_the_working_folder(tmp_path: Path, double: Double) -> None:
    (tmp_path / "config").mkdir()
    models = [{"id": name, "name": f"v/{name}", "base_url": double.base_url} for name in ("a", "b")]
    (tmp_path / "config" / "models.yml").write_text(json.dumps({"framework_version": "7", "models": models}))
    command = argv(
        tmp_path, "--suite", str(suite(tmp_path / "s")), "--context", "examples-only", "--run-id", "r"
    )
    done = finished(command, double, tmp_path)
    assert done.returncode == 0, done.stderr
    assert {key.model for key in asked(tmp_path)} == {"a", "b"}
    assert {body["model"] for body in double.bodies} == {"v/a", "v/b"}
    assert json.loads((tmp_path / "results" / "r" / "run.json").read_text())["framework_version"] == "7"


@pytest.mark.slow
def test_the_live_footer_shows_on_a_terminal(tmp_path: Path, double: Double) -> None:
    import os
    import pty
    import subprocess

    main_end, terminal = pty.openpty()
    process = subprocess.Popen(
        new_run(tmp_path, "--samples", "20"),
        env={**environment(double), "COLUMNS": "80"},
        cwd=tmp_path,
        stdout=terminal,
    )
    os.close(terminal)
    seen = b""
    try:
        while chunk := os.read(main_end, 4096):
            seen += chunk
    except OSError:
        pass
    assert process.wait(30) == 0
    text = seen.decode()
    assert "in flight" in text
    assert "left" in text
    assert "120/200 passed (60%)" in text


@pytest.mark.slow
def test_timeouts_of_the_config_reach_the_wire(tmp_path: Path) -> None:
    from double import Faults

    config = {
        "models": [{"id": "gpt-4o-mini", "name": "v/a"}],
        "trials": {"timeouts": {"attempt": 0.2, "trial": 0.3}},
    }
    (tmp_path / "models.yml").write_text(json.dumps(config))
    with Double(Faults(hang=1.0)) as slow:
        done = finished(
            new_run(tmp_path, "--limit", "1", "--config", str(tmp_path / "models.yml")), slow, tmp_path
        )
    assert "1 requests failed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("word", "code"), [("n", 3), ("y", 0)])
def test_on_a_terminal_a_dear_run_is_asked_about(
    tmp_path: Path, double: Double, word: str, code: int
) -> None:
    import os
    import pty
    import subprocess

    dear = {"id": "gpt-4o-mini", "name": "v/a", "cost_per_1m_input": 5000.0, "cost_per_1m_output": 5000.0}
    (tmp_path / "models.yml").write_text(json.dumps({"models": [dear]}))
    main_end, terminal = pty.openpty()
    process = subprocess.Popen(
        new_run(tmp_path, "--config", "models.yml"),
        env=environment(double), cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    seen = b""
    try:
        while chunk := os.read(main_end, 4096):
            seen += chunk
            if b"Go on? [y/N]" in seen and word:
                os.write(main_end, f"{word}\n".encode())
                word = ""
    except OSError:
        pass
    assert process.wait(60) == code, seen.decode()
    assert "is expected to cost about $" in seen.decode()
    assert bool(double.served) == (code == 0)
