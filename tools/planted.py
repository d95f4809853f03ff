"""Falls planted blind: copies of one model under neutral names, judged before anyone knows which is which.

    python tools/planted.py plant FOLDER   make the copies and seal what they are; prints the seal's digest
    python tools/planted.py run FOLDER     record the days, or go on; stop it at any time; 2 to 3 hours
    python tools/planted.py judge FOLDER   write what the watch says of every copy, from the ledgers
    python tools/planted.py open FOLDER    break the seal, only after `judge`; prints the table

28 days of the true weights are asked once. Each copy then goes on from these same days for 14 more. The
order of the copies is drawn from the system's randomness, and so is the noise in their weights; the file that
says which is which is not read before `open`, and its digest, published before the first day, shows that it
was not written later. What a day records of its weights (a digest) enters no score and no evidence.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
import sys
from datetime import timedelta
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent))

from story import FIRST, HEALTHY, Copy, ask, prepare  # type: ignore[import-not-found]

AFTER = 14
TEMPERATURE = 0.03
NAMES = ("alder", "birch", "cedar", "elm", "fir", "hazel")
REFERENCE = "reference"
SEAL, VERDICTS = "sealed.json", "verdicts.json"


class Planted(msgspec.Struct, frozen=True):
    """One copy, as the seal names it."""

    kind: str
    copy: Copy


class Seal(msgspec.Struct, frozen=True):
    """Which copy is which. The nonce keeps the digest from being guessed by trying all orders."""

    nonce: str
    copies: dict[str, Planted]


class Judged(msgspec.Struct, frozen=True):
    """What the watch said of one copy on its own days."""

    name: str
    states: list[str]  # the headline of each day
    evidence: list[str]
    scores: list[float]  # the mean over the use cases of each day
    before: float  # the same over the reference days


def plant(folder: Path) -> str:
    """Make the copies. The digest of the seal."""
    folder.mkdir(parents=True)
    chance = secrets.SystemRandom()

    def noisy(sigma: float) -> Planted:
        return Planted(f"noise of {sigma:g} on the weights", Copy(sigma, chance.randrange(2**31)))

    kinds = [
        Planted("unchanged", Copy(0.0)),
        Planted("unchanged, a second time", Copy(0.0)),
        Planted("rounded to 4 bits a weight", Copy(0.0, rounded_to="Q4_0")),
        *map(noisy, (0.05, 0.1, 0.15)),
    ]
    chance.shuffle(kinds)
    seal = Seal(secrets.token_hex(16), dict(zip(NAMES, kinds, strict=True)))
    text = msgspec.json.encode(seal)
    (folder / SEAL).write_bytes(text)
    copies = {name: each.copy for name, each in seal.copies.items()}
    prepare(folder, {REFERENCE: Copy(0.0), **copies}, TEMPERATURE)
    return hashlib.sha256(text).hexdigest()


def run(folder: Path) -> None:
    """The reference days, then the days of each copy after them."""
    days = [FIRST + timedelta(days=number) for number in range(HEALTHY + AFTER)]
    for day in days[:HEALTHY]:
        ask(folder, REFERENCE, day, REFERENCE)
    for name in NAMES:
        if not (folder / f"of-{name}").exists():
            shutil.copytree(folder / REFERENCE, folder / f"{name}.part")
            (folder / f"{name}.part").rename(folder / f"of-{name}")
        for day in days[HEALTHY:]:
            ask(folder, name, day, f"of-{name}")


def judge(folder: Path) -> None:
    """The verdicts as they were published, day by day."""
    from probatio.watch.ledger.ledger import read_ledger, standing_records

    found = []
    for name in NAMES:
        published = [
            (day, record.verdicts[0])
            for day, record in sorted(standing_records(read_ledger(folder / f"of-{name}")).items())
        ]
        means = [
            sum(each.score or 0.0 for each in verdict.use_cases) / len(verdict.use_cases)
            for _, verdict in published
        ]
        own = [verdict for _, verdict in published[HEALTHY:]]
        if len(own) != AFTER:
            sys.exit(f"{name} has {len(own)} of {AFTER} days; go on with `run`")
        found.append(
            Judged(
                name,
                [verdict.label for verdict in own],
                [verdict.evidence for verdict in own],
                means[HEALTHY:],
                sum(means[:HEALTHY]) / HEALTHY,
            )
        )
    (folder / VERDICTS).write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def open_seal(folder: Path) -> str:
    """The table: what each copy was, and what the watch had said."""
    if not (folder / VERDICTS).exists():
        sys.exit("the verdicts come first: run `judge`")
    judged = msgspec.json.decode((folder / VERDICTS).read_bytes(), type=list[Judged])
    text = (folder / SEAL).read_bytes()
    seal = msgspec.json.decode(text, type=Seal)
    lines = [
        f"Seal: SHA-256 {hashlib.sha256(text).hexdigest()}",
        "",
        "| copy | what it was | score before | after | COOKED on | evidence CONFIRMED on | last day |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in judged:
        after = sum(each.scores) / len(each.scores)
        cells = (
            each.name,
            seal.copies[each.name].kind,
            f"{each.before:.1f}",
            f"{after:.1f}",
            _first(each.states, "COOKED"),
            _first(each.evidence, "CONFIRMED"),
            each.states[-1],
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _first(states: list[str], wanted: str) -> str:
    return next((str(day) for day, state in enumerate(states, 1) if state.startswith(wanted)), "never")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["plant", folder]:
            print(f"SHA-256 of the seal: {plant(Path(folder).resolve())}")
        case ["run", folder]:
            run(Path(folder).resolve())
        case ["judge", folder]:
            judge(Path(folder).resolve())
        case ["open", folder]:
            print(open_seal(Path(folder).resolve()))
        case _:
            sys.exit(__doc__)
