"""Runs as results of lm-evaluation-harness: per model one `results_*.json`, and one `samples_*.jsonl` per
condition."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import msgspec

from probatio import __version__
from probatio.core.files import make_folder, put
from probatio.core.records import Grade
from probatio.core.text.names import make_file_name, make_file_names
from probatio.learn.exports.conditions import ExportedTrial, RecordedRun, describe_task, find_expected
from probatio.learn.findings import Condition
from probatio.suites.language_suite import Suite

METRICS = {"acc": "correct", "checks": "level_a", "runs": "level_b"}
"""Metric → the field of the grade it is the mean of."""
FILTER = "none"
"""Extraction is part of our grader; lm-eval's name for no filter of its own."""


def write_lm_eval(run: RecordedRun, suite: Suite | None, target: Path) -> list[Path]:
    """Write the results of every model into its own folder under `target`. Returns the results files."""
    models: dict[str, list[Condition]] = {}
    for condition in run.conditions:
        models.setdefault(condition.model, []).append(condition)
    names = make_file_names(models, "model", "__")
    return [
        _write_model(run, suite, conditions, make_folder(target / names[model], target))
        for model, conditions in models.items()
    ]


def _write_model(run: RecordedRun, suite: Suite | None, conditions: list[Condition], folder: Path) -> Path:
    record, model = run.record, run.model(conditions[0].model)
    stamp = make_file_name(record.created.replace("Z", ""), "unknown")
    group = record.suite_name
    names = make_file_names((_task_name(run, condition) for condition in conditions), "task")
    tasks = {names[_task_name(run, condition)]: condition for condition in conditions}
    found: dict[str, Any] = {}
    asked: dict[str, int] = {}
    for name, condition in tasks.items():
        scored: dict[str, list[Grade]] = {}
        lines = []
        for number, trial in enumerate(run.trials(condition)):
            lines.append(msgspec.json.encode(_sample(suite, condition, number, trial, record.sampling)))
            if trial.first.scored and trial.first.grade is not None:
                scored.setdefault(trial.task_id, []).append(trial.first.grade)
        put(folder / f"samples_{name}_{stamp}.jsonl", b"".join(line + b"\n" for line in lines))
        asked[name] = len(lines)
        found[name] = {"alias": f" - {condition.asked_with}", **_measure(scored.values())}
    results = {
        "results": found,
        "group_subtasks": {group: list(tasks)},
        "configs": {name: _config(run, name, condition) for name, condition in tasks.items()},
        "versions": dict.fromkeys(tasks, record.suite_version),
        "n-shot": {name: condition.n_shot for name, condition in tasks.items()},
        "higher_is_better": {name: dict.fromkeys(METRICS, True) for name in tasks},
        "n-samples": {name: {"original": number, "effective": number} for name, number in asked.items()},
        "config": {
            "model": model.provider,
            "model_args": f"model={model.name}",
            "gen_kwargs": msgspec.to_builtins(record.sampling),
            "limit": record.plan.limit,
            "bootstrap_iters": 0,
            "random_seed": record.sampling.seed,
        },
        "git_hash": record.git_sha,
        "date": _moment(record.created),
        "task_hashes": dict.fromkeys(tasks, record.suite_fingerprint),
        "model_source": model.provider,
        "model_name": model.id,
        "model_name_sanitized": folder.name,
        "probatio": {
            "version": record.versions.get("probatio", __version__),
            "run_id": record.run_id,
            **run.provenance,
        },
    }
    path = folder / f"results_{stamp}.json"
    put(path, msgspec.json.format(msgspec.json.encode(results), indent=2) + b"\n")
    return path


def _task_name(run: RecordedRun, condition: Condition) -> str:
    dialects = run.record.plan.dialects
    dialect = "" if len(dialects) == 1 else f"_{condition.dialect}"
    return f"{run.record.suite_name}_{condition.context}_{condition.n_shot}shot{dialect}"


def _moment(created: str) -> float | None:
    """The time in seconds; None if the record does not have one."""
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, OverflowError):
        return None


def _measure(scored: Iterable[list[Grade]]) -> dict[str, float | str]:
    """Means with standard errors. Several samples of a task become one number first: they are not
    independent."""
    grades = list(scored)
    measured: dict[str, float | str] = {}
    for metric, field in METRICS.items():
        means = [fmean(getattr(grade, field) for grade in of_task) for of_task in grades]
        if means:
            measured[f"{metric},{FILTER}"] = fmean(means)
        # what lm-eval writes where there is no number
        measured[f"{metric}_stderr,{FILTER}"] = stdev(means) / sqrt(len(means)) if len(means) > 1 else "N/A"
    return measured


def _config(run: RecordedRun, name: str, condition: Condition) -> dict[str, Any]:
    return {
        "task": name,
        "tag": run.record.suite_name,
        "dataset_path": run.record.suite_name,
        "output_type": "generate_until",
        "num_fewshot": condition.n_shot,
        "repeats": run.record.plan.samples,
        "metric_list": [
            {"metric": metric, "aggregation": "mean", "higher_is_better": True} for metric in METRICS
        ],
        "metadata": {
            "version": run.record.suite_version,
            "context": condition.context,
            "dialect": condition.dialect,
        },
    }


def _sample(
    suite: Suite | None, condition: Condition, number: int, trial: ExportedTrial, sampling: msgspec.Struct
) -> dict[str, Any]:
    answer, grade = trial.first.response, trial.first.grade
    target = find_expected(suite, trial.task_id, condition.dialect)
    read = None if grade is None else grade.breakdown.get("program")
    scores = (
        {metric: float(getattr(grade, field)) for metric, field in METRICS.items()}
        if trial.first.scored
        else {"error": trial.first.fault}
    )
    return {
        "doc_id": number,
        "doc": {"id": trial.task_id, "sample": trial.sample, **describe_task(suite, trial.task_id)},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": answer.prompt, "arg_1": msgspec.to_builtins(sampling)}},
        "resps": [[answer.response]],
        "filtered_resps": [read if isinstance(read, str) else answer.response],
        "filter": FILTER,
        "metrics": list(METRICS),
        "doc_hash": _hash(trial.task_id),
        "prompt_hash": _hash(answer.prompt),
        "target_hash": _hash(target),
        **scores,
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
