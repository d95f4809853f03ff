"""Run by test_inspect.py in a process of its own: opens logs with Inspect's reader, says what it saw, then
starts its viewer."""

import json
import sys
from typing import Any

from inspect_ai._view.view import view  # type: ignore[import-not-found]
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries, recompute_metrics  # type: ignore[import-not-found]


def measured(log: Any) -> dict[str, dict[str, float]]:
    return {
        score.name: {each.name: each.value for each in score.metrics.values()} for score in log.results.scores
    }


seen = []
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    ours = measured(log)
    recompute_metrics(log)  # Inspect's own metrics, from the samples
    seen.append(
        {
            "status": log.status,
            "task": log.eval.task,
            "model": log.eval.model,
            "args": log.eval.task_args,
            "metadata": log.eval.metadata,
            "epochs": log.eval.config.epochs,
            "ours": ours,
            "inspects": measured(log),
            "summaries": len(read_eval_log_sample_summaries(info)),
            "samples": [
                {
                    "id": sample.id,
                    "epoch": sample.epoch,
                    "target": sample.target,
                    "roles": [message.role for message in sample.messages],
                    "completion": sample.output.completion,
                    "scores": {name: score.value for name, score in (sample.scores or {}).items()},
                    "why": sample.scores["correct"].explanation if sample.scores else None,
                    "error": sample.error.message if sample.error else None,
                    "metadata": sample.metadata,
                }
                for sample in log.samples
            ],
        }
    )
print(json.dumps(seen), flush=True)
view(sys.argv[1], port=int(sys.argv[2]))
