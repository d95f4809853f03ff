"""The verifier inside a task folder of Harbor: grades the answer file and writes the reward.

    python3 -m probatio.interchange.harbor_verifier TESTS LOGS

TESTS is the folder `tests` of the task, LOGS where `reward.txt` and `reward.json` go. The answer is where the task says.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from probatio.errors import CannotCheck, ProbatioError
from probatio.grade import assess
from probatio.interchange.harbor_write import MANIFEST, SUITE, HarborManifest
from probatio.records import Assessment, Response
from probatio.sandbox import Choice
from probatio.suite.language_suite import load_suite

LONGEST = 1_000_000
"""Bytes of an answer that are read; no program of a task is near."""


def main(tests: Path, logs: Path) -> int:
    """Grade the answer, write the reward, and give the exit code."""
    manifest = msgspec.json.decode((tests / MANIFEST).read_bytes(), type=HarborManifest)
    assessment = graded(tests, manifest, Path(manifest.answer))
    logs.mkdir(parents=True, exist_ok=True)
    reward = {
        "reward": float(assessment.correct),
        "score": assessment.score,
        "checks": float(assessment.level_a),
        "runs": float(assessment.level_b),
    }
    (logs / "reward.json").write_bytes(msgspec.json.encode(reward) + b"\n")
    (logs / "reward.txt").write_text(f"{reward['reward']:g}\n")
    detail = "" if assessment.correct else f": {assessment.error_type}: {assessment.error_detail}"
    print(f"{manifest.task}: {'right' if assessment.correct else 'wrong'}{detail}")
    return 0


def graded(tests: Path, manifest: HarborManifest, answer: Path) -> Assessment:
    """The assessment of the answer file, the same that a trial gives."""
    suite = load_suite(tests / SUITE)
    task = suite.tasks[manifest.task]
    text = answer.read_bytes()[:LONGEST].decode(errors="replace") if answer.is_file() else None
    response = Response(
        timestamp="", run_id="", framework_version="", task_id=task.id, model="", n_shot=manifest.n_shot,
        context=manifest.context, dialect=manifest.dialect, response=text,
    )  # fmt: skip
    # The verifier's container is thrown away afterwards: where it allows no jail inside, it is the jail itself.
    choices: tuple[Choice, ...] = ("auto", "none")
    for choice in choices:
        try:
            return assess(task, response, suite.answer_language(task), choice)
        except (CannotCheck, ProbatioError):
            if choice == choices[-1]:
                raise
    raise AssertionError("unreachable")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
