"""The verifier inside a task folder of Harbor: grades the answer file and writes the reward.

    python3 -m probatio.authoring.harbor.verifier TESTS LOGS

TESTS is the folder `tests` of the task, LOGS where `reward.txt` and `reward.json` go. The answer is where the
task says.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

import msgspec

from probatio.authoring.check.proving import make_response
from probatio.authoring.harbor.write import MANIFEST, SUITE, HarborManifest
from probatio.core.errors import Incomplete, ProbatioError
from probatio.core.inside import open_reader
from probatio.core.jsonfile import read_json
from probatio.core.records import UNCHECKED, Assessment
from probatio.grading.trial_answers import assess_trial
from probatio.jail.workers import get_pool
from probatio.suites.language_suite import load_suite

LONGEST = 1_000_000
"""Bytes of an answer that are read; no program of a task is near."""


def main(tests: Path, logs: Path) -> int:
    """Grade the answer, write the reward, and give the exit code."""
    manifest = read_json(tests / MANIFEST, HarborManifest, "a manifest of ours")
    assessment = grade_answer(tests, manifest, Path(manifest.answer))
    if assessment.error_type == UNCHECKED:
        print(f"{manifest.task}: no reward: {assessment.error_detail}", file=sys.stderr)
        return Incomplete.exit_code
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


def grade_answer(tests: Path, manifest: HarborManifest, answer: Path) -> Assessment:
    """The assessment of the answer file, the same that a trial gives."""
    suite = load_suite(tests / SUITE)
    task = suite.tasks[manifest.task]
    text: str | None = None
    if answer.is_file():
        with open_reader(answer) as file:
            text = file.read(LONGEST).decode(errors="replace")
    response = make_response(task, text, manifest.dialect, manifest.context, manifest.n_shot)
    spec = suite.answer_language(task)
    check = partial(
        assess_trial, get_pool(), task, response, spec, keep=False, trivial=suite.trivial_program(spec)
    )
    try:
        found = asyncio.run(check("auto"))
    except ProbatioError:
        found = None
    # The verifier's container is thrown away afterwards: where it allows no jail inside, it is the jail.
    return asyncio.run(check("none")) if found is None or found.error_type == UNCHECKED else found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
