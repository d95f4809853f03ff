"""A folder proven: what it says of itself is true on this machine, in the jail, with the commands it names."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import msgspec

from probatio.authoring.claims import BARE, right_claims, unproven, wrong_claims
from probatio.authoring.contents import content_proofs, tokens
from probatio.authoring.coverage import coverage
from probatio.authoring.proving import Proving, Watch
from probatio.authoring.report import NOT_TRIED, TOOLCHAIN, Proof, Report, State
from probatio.authoring.twist_proofs import twist_proofs
from probatio.errors import ProbatioError
from probatio.grade import GRADER_VERSION
from probatio.languages.finding import require_toolchain
from probatio.sandbox import Choice, isolation
from probatio.suite.inference import Shown, told
from probatio.suite.language_file import FILE, read_language_file
from probatio.suite.language_suite import Suite, load_suite, suite_folder
from probatio.suite.prompt import fingerprint
from probatio.workers import shared

_ORDER: tuple[State, ...] = ("failed", "warning", "open", "proven")


def check(which: Path | str, choice: Choice, watch: Watch) -> Report:
    """The report on a folder, or on a built-in suite by its name. Raises UsageError where it can't be read or its commands are
    not there."""
    began = time.monotonic()
    folder = suite_folder(which)
    suite = load_suite(folder)
    isolation(choice)  # refuses here where no jail can be built
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    about = read_language_file(folder) if (folder / FILE).exists() else None
    proofs = [*asyncio.run(_programs(suite, choice, watch)), *unproven(suite)]
    try:
        mark, sizes = fingerprint(suite, GRADER_VERSION), tokens(suite)
    except ProbatioError:  # a context that can't be filled in; the proofs of the contents say which
        mark, sizes = "", {}
    proofs += content_proofs(suite, about, mark)
    return Report(
        suite=suite.name,
        language=suite.spec.name,
        version=suite.version,
        fingerprint=mark,
        tokens=sizes,
        proofs=tuple(sorted(proofs, key=lambda proof: _ORDER.index(proof.state))),
        coverage=coverage(suite),
        seconds=time.monotonic() - began,
        told=_told(suite),
    )


def _told(suite: Suite) -> dict[str, Shown]:
    try:
        return told(suite)
    except ProbatioError:  # a context that can't be filled in
        return {}


async def _programs(suite: Suite, choice: Choice, watch: Watch) -> list[Proof]:
    """First what must be right: where that hangs, nothing else is worth trying."""
    right, wrong = list(right_claims(suite)), list(wrong_claims(suite))
    proving = Proving(shared(), suite.language.dialects[0], choice, len(right) + len(wrong), watch)
    proofs = await proving.prove(right, impatient=True)
    proofs += await proving.prove(wrong, impatient=False)
    if not proving.gave_up:
        proofs += await twist_proofs(suite, choice)
    known = {(proof.subject, f"{BARE}: {proof.detail}") for proof in proofs}
    proofs = [proof for proof in proofs if (proof.subject, proof.detail) not in known]  # wrong either way: said once
    if proving.gave_up:
        untried = {"state": "open", "detail": NOT_TRIED, "unchecked": False}
        proofs = [msgspec.structs.replace(each, **untried) if each.unchecked else each for each in proofs]
        proofs.insert(0, Proof("the folder", TOOLCHAIN, "failed", f"{proving.gave_up}."))
    return proofs
