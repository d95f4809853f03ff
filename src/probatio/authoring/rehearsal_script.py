"""What rehearsed models and their judge say: proofs and frozen answers of the suite, served as a chat API."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Container, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import fmean
from typing import Any, Self

import msgspec

from probatio.core.errors import UsageError
from probatio.grading.judge.calibration import calibration_set
from probatio.suites.daily_proofs import FILE, read_proofs
from probatio.suites.daily_suite import DailySuite, UseCase

GOOD_MARK, BAD_MARK = 5, 2
"""Of the rehearsed judge, for gold and for wrong answers of hybrid use cases."""
NOTHING = "I can't say."
"""A wrong answer to a case that has none of its own."""
UNSCORED = "All right."
"""The answer to a turn of which nothing is expected."""


class AnswerPair(msgspec.Struct, frozen=True):
    """A good and a bad answer to one case."""

    case: str
    good: str
    bad: str


class Script(msgspec.Struct, frozen=True):
    """Who says what on which day."""

    answers: Mapping[tuple[str, ...], AnswerPair]  # the messages of a case → its answers
    unscored: Container[tuple[str, ...]]  # the messages of turns of which nothing is expected
    marks: Mapping[str, Mapping[str, int]]  # answer → criterion → mark
    judge: str
    chances: Mapping[str, Sequence[Mapping[str, float]]]  # model → per day, case → chance of a good answer

    def reply(self, body: Mapping[str, Any], day: int) -> str:
        """The reply to a request on day `day`, from 1."""
        model = body["model"]
        said = tuple(each["content"] for each in body["messages"] if each["role"] != "assistant")
        if model == self.judge:
            return self._judge(said[0])
        if said in self.unscored:
            return UNSCORED
        asked = self.answers[said]
        bad = _draw(model, asked.case, day, body.get("seed")) < 1 - self.chances[model][day - 1][asked.case]
        return asked.bad if bad else asked.good

    def _judge(self, prompt: str) -> str:
        known = [answer for answer in self.marks if answer.strip() and answer.strip() in prompt]
        marks = self.marks[max(known, key=len)] if known else {}
        return json.dumps({name: {"mark": mark, "reason": "rehearsed"} for name, mark in marks.items()})


def write_script(suite: DailySuite, chances: Mapping[str, Sequence[Mapping[str, float]]]) -> Script:
    """The script of a suite: its gold and wrong proofs, or its best and worst frozen answers for a judge."""
    answers: dict[tuple[str, ...], AnswerPair] = {}
    marks: dict[str, Mapping[str, int]] = {item.answer: item.marks for item in calibration_set(suite)}
    for use_case in suite.use_cases.values():
        frozen = use_case.grading == "judge" and use_case.rubric is not None
        pairs = _pair_frozen(suite, use_case) if frozen else _pair_proofs(suite, use_case)
        for case in use_case.cases:
            pair = answers[case.written] = pairs[case.id]
            rubric = use_case.rubric_of(case)
            if not frozen and rubric is not None:
                for answer, mark in ((pair.good, GOOD_MARK), (pair.bad, BAD_MARK)):
                    marks.setdefault(answer, {criterion.id: mark for criterion in rubric.criteria})
    unscored = {case.written for use_case in suite.use_cases.values() for case in use_case.unscored}
    return Script(answers, unscored, marks, suite.manifest.judge.name, chances)


def _pair_proofs(suite: DailySuite, use_case: UseCase) -> dict[str, AnswerPair]:
    proofs = read_proofs(suite, use_case)
    gold = {proof.case: proof.answer for proof in reversed(proofs) if proof.kind == "gold"}
    wrong = {proof.case: proof.answer for proof in reversed(proofs) if proof.kind == "wrong"}
    if lacks := [case.id for case in use_case.cases if case.id not in gold]:
        raise UsageError(
            f"{use_case.folder / FILE} has no gold answer to `{lacks[0]}`, so it can't be rehearsed; "
            f"see `probatio suite check`."
        )
    # The judge of a rehearsal knows a rubric by the answer, so cases with rubrics of their own share none.
    own = use_case.rubric is None and use_case.grading != "deterministic"
    return {
        case.id: AnswerPair(
            case.id, gold[case.id], wrong.get(case.id, f"{NOTHING} ({case.id})" if own else NOTHING)
        )
        for case in use_case.cases
    }


def _pair_frozen(suite: DailySuite, use_case: UseCase) -> dict[str, AnswerPair]:
    """The best and worst answer of the calibration set to the case, or else to another of the use case."""
    items = [item for item in calibration_set(suite) if item.use_case == use_case.id]
    if not items:
        raise UsageError(f"calibration.yml has no answer of `{use_case.id}`, so it can't be rehearsed.")
    ranked = sorted(items, key=lambda item: fmean(item.marks.values()))
    pairs: dict[str, AnswerPair] = {}
    for case in use_case.cases:
        own = [item for item in ranked if item.case == case.id] or ranked
        pairs[case.id] = AnswerPair(case.id, own[-1].answer, own[0].answer)
    return pairs


def _draw(*parts: object) -> float:
    """A number from 0 to 1 that these decide, the same in every rehearsal."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest()) / (1 << 48)


class RehearsalServer:
    """Serves a script at `base_url` while the block is open; `day` says which day it is."""

    def __init__(self, script: Script) -> None:
        self.day = 1
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = script.reply(body, server.day)
                choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
                usage = {"prompt_tokens": len(str(body)) // 4, "completion_tokens": max(1, len(text) // 4)}
                reply = {"model": body["model"], "choices": [choice], "usage": usage}
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256  # a connection beyond the usual 5 waits a second for its next try

        self._server = Server(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
