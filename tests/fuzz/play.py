"""Play inputs of one kind: from a seed on, for so many cases or so many minutes, in so many processes.

    python -m fuzz --kind texts --count 1000 --seed 7          in tests/
    python -m fuzz --minutes 10 --jobs 2                       all kinds, each its share of the time
    python -m fuzz --replay                                    all kept findings
    python -m fuzz --sums                                      what all kept runs have played

A case is its kind and its seed: `--kind texts --count 1 --seed 1234` plays one again.
"""

from __future__ import annotations

import argparse
import datetime as dt
import multiprocessing
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from fuzz.findings import Finding, Kind, deduplicate, read_findings, write_findings

T = TypeVar("T")
SPAWN = multiprocessing.get_context("spawn")
TALLY = Path(__file__).parent / "tally.jsonl"
README = Path(__file__).parent / "README.md"
SUMS = "The sums, which `--keep` writes again:\n\n"
SHARES = {"texts": 0.15, "programs": 0.2, "pages": 0.25, "replies": 0.1, "folders": 0.2, "commands": 0.1}
"""Kind → its share of the minutes, where all are played."""


class Played(msgspec.Struct, frozen=True):
    """A line of the tally: seeds `first` to `last` of a kind were played."""

    date: str
    commit: str
    kind: str
    first: int
    last: int
    cases: int
    findings: int
    cpu_seconds: float


class _Share(NamedTuple):
    """What one process played."""

    last: int
    cases: int
    findings: list[Finding]
    cpu_seconds: float


def open_kind(name: str) -> Kind[Any]:
    """The kind of this name; what it needs is imported now."""
    if name in ("texts", "programs", "pages"):
        from fuzz.answers import Answers

        return Answers(name)
    if name == "replies":
        from fuzz.replies import Replies

        return Replies()
    from fuzz.folders import Folders

    return Folders(whole=name == "commands")


def play(
    kind: str, first: int, count: int | None, minutes: float | None, jobs: int = 1
) -> tuple[Played, list[Finding]]:
    """Play from the seed `first` on, in processes of their own. Batches are taken in turn, so the seeds that
    were played have no gap."""
    until = time.monotonic() + minutes * 60 if minutes is not None else None
    turn: Synchronized[int] = SPAWN.Value("q", first)
    end = None if count is None else first + count
    shares = _in_processes(_play_share, [(kind, turn, end, until)] * jobs)
    findings = deduplicate(finding for share in shares for finding in share.findings)
    played = Played(
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        commit=_commit(),
        kind=kind,
        first=first,
        last=max(share.last for share in shares),
        cases=sum(share.cases for share in shares),
        findings=len(findings),
        cpu_seconds=round(sum(share.cpu_seconds for share in shares), 1),
    )
    return played, findings


def play_here(kind: str, seeds: range) -> list[Finding]:
    """Play these seeds in this process."""
    player = open_kind(kind)
    try:
        return player.play([(seed, player.make(seed)) for seed in seeds])
    finally:
        player.close()


def replay(kind: str, kept: list[Finding], seeds: range = range(0)) -> list[Finding]:
    """Play kept inputs again, and these seeds; what goes wrong comes back."""
    return _in_processes(_replay_here, [(kind, kept, seeds)])[0]


def _replay_here(kind: str, kept: list[Finding], seeds: range) -> list[Finding]:
    player = open_kind(kind)
    inputs = {each.input: (each.seed, player.unpack(each.input)) for each in kept}
    try:
        return player.play([*inputs.values(), *((seed, player.make(seed)) for seed in seeds)])
    finally:
        player.close()


def _in_processes(work: Callable[..., T], given: list[tuple[Any, ...]]) -> list[T]:
    """What the work makes of each, all at a time. What they change in their process ends with it."""
    results = [SPAWN.SimpleQueue() for _ in given]
    processes = [
        SPAWN.Process(target=_put_result, args=(result, work, words))
        for result, words in zip(results, given, strict=True)
    ]
    for process in processes:
        process.start()
    made: list[T] = []
    for process, result in zip(processes, results, strict=True):
        while process.is_alive() and result.empty():
            time.sleep(0.05)
        if result.empty():
            raise RuntimeError(f"the harness itself failed (exit code {process.exitcode}); see above")
        made.append(result.get())
        process.join()
    return made


def _put_result(result: Any, work: Callable[..., T], given: tuple[Any, ...]) -> None:
    result.put(work(*given))


def _play_share(kind: str, turn: Synchronized[int], end: int | None, until: float | None) -> _Share:
    player = open_kind(kind)
    findings: list[Finding] = []
    began, cases, last = _cpu(), 0, turn.value - 1
    try:
        while until is None or time.monotonic() < until:
            with turn.get_lock():
                begin = turn.value
                stop = begin + player.batch if end is None else min(end, begin + player.batch)
                turn.value = stop
            if begin >= stop:
                break
            findings += player.play([(seed, player.make(seed)) for seed in range(begin, stop)])
            cases, last = cases + stop - begin, stop - 1
    finally:
        player.close()
    return _Share(last, cases, deduplicate(findings), _cpu() - began)


def read_tally() -> list[Played]:
    lines = TALLY.read_bytes().splitlines() if TALLY.exists() else []
    return [msgspec.json.decode(line, type=Played) for line in lines]


def format_sums() -> str:
    """Markdown: what all kept runs have played, by kind."""
    tally = read_tally()
    rows = ["| kind | cases | of them without a finding in their run | CPU hours |", "|---|---|---|---|"]
    for kind in SHARES:
        lines = [line for line in tally if line.kind == kind]
        clean = sum(line.cases for line in lines if not line.findings)
        hours = sum(line.cpu_seconds for line in lines) / 3600
        rows.append(f"| `{kind}` | {sum(line.cases for line in lines):,} | {clean:,} | {hours:.1f} |")
    return "\n".join(rows)


def show_sums() -> None:
    """Put the sums into the README, in place of those that are there."""
    text = README.read_text(encoding="utf-8")
    README.write_text(text[: text.index(SUMS) + len(SUMS)] + format_sums() + "\n", encoding="utf-8")


def next_seed(kind: str) -> int:
    """The first seed that no kept run has played."""
    return max((line.last + 1 for line in read_tally() if line.kind == kind), default=0)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _commit() -> str:
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def main(words: list[str] | None = None) -> int:
    given = _parser().parse_args(words)
    if given.sums:
        print(format_sums())
        return 0
    if given.replay:
        kept = read_findings()
        still = [
            finding
            for kind in sorted({each.kind for each in kept})
            for finding in replay(kind, [each for each in kept if each.kind == kind])
        ]
        for each in deduplicate(still):
            print(f"{each.kind} {each.seed}: {each.place}\n    {each.what[:300]}\n    {each.shown}")
        open_inputs = {each.input for each in still}
        print(f"{len(kept)} kept findings, {sum(each.input in open_inputs for each in kept)} still open")
        return 1 if still else 0
    kinds = [given.kind] if given.kind else list(SHARES)
    whole = sum(SHARES[kind] for kind in kinds)
    failed = False
    print("kind       seeds                    cases  findings  cases per CPU second")
    for kind in kinds:
        minutes = None if given.minutes is None else given.minutes * SHARES[kind] / whole
        first = next_seed(kind) if given.seed is None else given.seed
        played, findings = play(kind, first, given.count, minutes, given.jobs)
        seeds = f"{played.first}–{played.last}"
        rate = played.cases / max(played.cpu_seconds, 0.1)
        print(f"{kind:<10} {seeds:<22} {played.cases:>7} {played.findings:>9} {rate:>21.1f}", flush=True)
        for each in findings:
            print(
                f"    {each.seed}: {each.place}\n        {each.what[:600]}\n        {each.shown}", flush=True
            )
        if given.keep:
            write_findings(findings)
            with TALLY.open("ab") as file:
                file.write(msgspec.json.encode(played) + b"\n")
            show_sums()
        failed = failed or bool(findings)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", choices=SHARES, help="One kind; without it, all.")
    parser.add_argument("--count", type=int, help="Cases of each kind.")
    parser.add_argument("--minutes", type=float, help="Minutes in all.")
    parser.add_argument(
        "--seed", type=int, help="The first seed; without it, the next that was never played."
    )
    parser.add_argument("--jobs", type=int, default=1, help="Processes that play.")
    parser.add_argument("--keep", action="store_true", help="Keep findings, and add to the tally.")
    parser.add_argument("--replay", action="store_true", help="Play all kept findings again.")
    parser.add_argument("--sums", action="store_true", help="Print what all kept runs have played.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
