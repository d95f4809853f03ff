"""Runs as logs of Inspect: one `.eval` file per model and condition, which its reader and `inspect view`
open.

The format is a zip archive with a header, one JSON file per sample and a list of summaries. It is written
here, since Inspect itself is a large package; tests/learn/exports/test_inspect.py opens what is written with
Inspect's own reader and viewer.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import msgspec

from probatio import __version__
from probatio.core.files import replacement
from probatio.core.inside import open_new
from probatio.core.records import Grade
from probatio.core.text.names import make_file_name
from probatio.learn.exports.conditions import (
    ExportedTrial,
    GradedAnswer,
    RecordedRun,
    describe_task,
    find_expected,
)
from probatio.learn.findings import Condition
from probatio.suites.language_suite import Suite

LOG_VERSION = 2
"""The version of the log's schema that Inspect has written since 2024."""

LEVELS: dict[str, Callable[[Grade], bool]] = {
    "correct": lambda grade: grade.correct,
    "checks": lambda grade: grade.level_a,
    "runs": lambda grade: grade.level_b,
}
"""Score → what it says of an answer. The first is the one Inspect shows in its lists."""

_STOPPED = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Files of a zip carry a date; a fixed one makes the same run the same bytes."""


def write_inspect(run: RecordedRun, suite: Suite | None, target: Path) -> list[Path]:
    """Write one log per model and condition into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for condition in run.conditions:
        path = target / _file_name(run, condition)
        with replacement(path) as part:
            _write_log(run, suite, condition, part)
        written.append(path)
    return written


def _write_log(run: RecordedRun, suite: Suite | None, condition: Condition, part: Path) -> None:
    asked = run.model(condition.model)
    model = f"{asked.provider}/{asked.name}"
    summaries: list[dict[str, Any]] = []
    outcome: dict[str, dict[str, list[bool]]] = {name: {} for name in LEVELS}
    times: list[str] = []
    tokens = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    with (
        open(open_new(part), "wb") as file,  # noqa: PTH123 - a descriptor, not a name
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        spec = _spec(run, condition, model)
        plan = {"steps": [{"solver": "generate", "params": {}}], "config": spec["model_generate_config"]}
        _put(archive, "_journal/start.json", {"version": LOG_VERSION, "eval": spec, "plan": plan})
        for trial in run.trials(condition):
            sample = _sample(run, suite, condition, trial, model)
            # the name is the id, because the viewer looks for it so; who unpacks the log gets plain names
            _put(archive, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
            times.append(trial.first.response.timestamp)
            for name in tokens:
                tokens[name] += sample["model_usage"][model][name]
            if trial.first.scored and trial.first.grade is not None:
                for name, level in LEVELS.items():
                    outcome[name].setdefault(trial.task_id, []).append(level(trial.first.grade))
        _put(archive, "summaries.json", summaries)
        spec["dataset"]["samples"] = len({summary["id"] for summary in summaries})
        spec["dataset"]["sample_ids"] = list(dict.fromkeys(summary["id"] for summary in summaries))
        header = {
            "version": LOG_VERSION,
            "status": "success" if len(summaries) >= run.count_planned(condition) else "cancelled",
            "eval": spec,
            "plan": plan,
            "results": _results(
                outcome, len(summaries), sum(summary["error"] is None for summary in summaries)
            ),
            "stats": {
                "started_at": _time(min(times)),
                "completed_at": _time(max(times)),
                "model_usage": {model: tokens},
            },
        }
        _put(archive, "header.json", header)


def _spec(run: RecordedRun, condition: Condition, model: str) -> dict[str, Any]:
    record, sampling = run.record, run.record.sampling
    arguments = {"context": condition.context, "n_shot": condition.n_shot, "dialect": condition.dialect}
    return {
        "eval_id": _eval_id(run, condition),
        "run_id": record.run_id,
        "created": _time(record.created),
        "task": record.suite_name,
        "task_id": _eval_id(run, condition),
        "task_version": record.suite_version or 0,
        "task_display_name": f"{record.suite_name}: {condition.asked_with}",
        "task_attribs": {},
        "task_args": arguments,
        "task_args_passed": arguments,
        "solver": "generate",
        "tags": ["probatio"],
        "dataset": {"name": record.suite_name, "shuffled": False},
        "model": model,
        "model_generate_config": {
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            **({} if sampling.seed is None else {"seed": sampling.seed}),
        },
        "model_args": {},
        "config": {"epochs": record.plan.samples, "epochs_reducer": ["mean"]},
        "revision": None
        if record.git_sha is None
        else {"type": "git", "origin": "", "commit": record.git_sha},
        "packages": {"probatio": record.versions.get("probatio", __version__)},
        "scorers": [{"name": name, "metrics": [{"name": "accuracy"}, {"name": "stderr"}]} for name in LEVELS],
        "metadata": {
            **run.provenance,
            "isolation": record.isolation,
            "model_id": condition.model,
        },
    }


def _sample(
    run: RecordedRun, suite: Suite | None, condition: Condition, trial: ExportedTrial, model: str
) -> dict[str, Any]:
    first = trial.first
    answer = first.response
    turns = (first, *trial.later)
    usage = {
        "input_tokens": answer.tokens_in,
        "output_tokens": answer.tokens_out,
        "total_tokens": answer.tokens_in + answer.tokens_out,
        **({} if answer.cost is None else {"total_cost": answer.cost}),
    }
    return {
        "id": run.task_names[trial.task_id],
        "epoch": trial.sample + 1,
        "input": answer.prompt,
        "target": find_expected(suite, trial.task_id, condition.dialect),
        "messages": [message for turn in turns for message in _messages(turn, model)],
        "output": _output(first, model, usage),
        "scores": _scores(first),
        "metadata": {
            **describe_task(suite, trial.task_id),
            "task_id": trial.task_id,
            "attempts": len(turns),
            "solved_at_attempt": next(
                (turn.response.attempt for turn in turns if turn.grade and turn.grade.correct), None
            ),
        },
        "model_usage": {model: usage},
        "started_at": _time(answer.timestamp),
        "completed_at": _time(answer.timestamp),
        "total_time": answer.latency_ms / 1000,
        "working_time": answer.latency_ms / 1000,
        "uuid": _digest(run.record.run_id, str(answer.key)),
        "error": None if first.scored else {"message": first.fault, "traceback": "", "traceback_ansi": ""},
    }


def _messages(turn: GradedAnswer, model: str) -> Iterable[dict[str, Any]]:
    answer = turn.response
    yield {"role": "user", "content": answer.prompt}
    if answer.response is not None:
        yield _reply(turn, model)


def _reply(turn: GradedAnswer, model: str) -> dict[str, Any]:
    content: Any = turn.response.response or ""
    if thought := turn.response.reasoning:
        content = [{"type": "reasoning", "reasoning": thought}, {"type": "text", "text": content}]
    return {"role": "assistant", "content": content, "model": model, "source": "generate"}


def _output(turn: GradedAnswer, model: str, usage: dict[str, Any]) -> dict[str, Any]:
    answer = turn.response
    if answer.response is None:
        return {"model": model, "choices": [], "error": answer.error}
    return {
        "model": answer.resolved_model or model,
        "choices": [
            {
                "message": _reply(turn, model),
                "stop_reason": _STOPPED.get(answer.finish_reason or "stop", "unknown"),
            }
        ],
        "usage": usage,
        "time": answer.latency_ms / 1000,
    }


def _scores(turn: GradedAnswer) -> dict[str, Any] | None:
    grade = turn.grade
    if grade is None or not turn.scored:
        return None
    why = {
        "error_type": grade.error_type,
        "error_detail": grade.error_detail,
        "grader_version": grade.grader_version,
    }
    program = grade.breakdown.get("program")
    main: dict[str, Any] = {
        "answer": program if isinstance(program, str) else turn.response.response,
        "explanation": "the answer is right"
        if grade.correct
        else f"{grade.error_type}: {grade.error_detail}",
        "metadata": {**why, "score": grade.score},
    }
    return {
        name: {"value": "C" if level(grade) else "I", **(main if name == "correct" else {})}
        for name, level in LEVELS.items()
    }


def _summary(sample: dict[str, Any]) -> dict[str, Any]:
    short = ("id", "epoch", "target", "metadata", "scores", "model_usage", "uuid")
    times = ("started_at", "completed_at", "total_time", "working_time")
    return {
        **{name: sample[name] for name in (*short, *times)},
        "input": sample["input"][:1000],
        "error": None if sample["error"] is None else sample["error"]["message"],
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _results(outcome: dict[str, dict[str, list[bool]]], total: int, completed: int) -> dict[str, Any]:
    scores = []
    for name, tasks in outcome.items():
        means = [fmean(values) for values in tasks.values()]
        measured = {
            "accuracy": fmean(means) if means else 0.0,
            # as Inspect does it: over samples, after the epochs of a sample are one number
            "stderr": stdev(means) / sqrt(len(means)) if len(means) > 1 else 0.0,
        }
        scores.append(
            {
                "name": name,
                "scorer": name,
                "reducer": "mean",
                "scored_samples": len(means),
                "metrics": {metric: {"name": metric, "value": value} for metric, value in measured.items()},
            }
        )
    return {"total_samples": total, "completed_samples": completed, "scores": scores}


def _put(archive: zipfile.ZipFile, name: str, data: object) -> None:
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, msgspec.json.encode(data))


def _eval_id(run: RecordedRun, condition: Condition) -> str:
    return _digest(run.record.run_id, *map(str, condition))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:22]


def _file_name(run: RecordedRun, condition: Condition) -> str:
    """The name as Inspect gives it: time, task and id, with two underscores and none inside a part."""
    task = f"{run.record.suite_name}-{condition.asked_with_slug}-{run.model_slugs[condition.model]}"
    parts = (_time(run.record.created), task, _eval_id(run, condition))
    return "_".join(make_file_name(part, "unknown").replace("_", "-") for part in parts) + ".eval"


def _time(stamp: str) -> str:
    """A moment in the form that Inspect writes."""
    return stamp.replace("Z", "+00:00")
