"""A language's folder proven: what it says is true on this machine, in the jail, with the commands it
names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from probatio.authoring.check.claims import (
    BARE,
    SuiteClaim,
    list_right_claims,
    list_unproven,
    list_wrong_claims,
)
from probatio.authoring.check.contents import count_tokens, prove_contents
from probatio.authoring.check.coverage import measure_coverage
from probatio.authoring.check.proving import Proving, Watch
from probatio.authoring.check.report import NOT_TRIED, CheckReport, Claim, Proof, conclude, sort_proofs
from probatio.core.errors import ProbatioError
from probatio.grading import GRADER_VERSION
from probatio.jail import Choice, find_isolation
from probatio.languages.contract import TWISTED, Twisting
from probatio.languages.finding import require_toolchain
from probatio.suites.inference import Shown, describe_contexts
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.language_suite import Suite, find_suite_folder, load_suite
from probatio.suites.prompt import fingerprint
from probatio.suites.twists import FOLDER, TwistFile


def check(which: Path | str, choice: Choice, watch: Watch) -> CheckReport:
    """Check a folder, or a built-in suite by its name.

    Raises UsageError if it can't be read or a command of its language is missing.
    """
    began = time.monotonic()
    folder = find_suite_folder(which)
    suite = load_suite(folder)
    find_isolation(choice)  # refuses here where no jail can be built
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    about = read_language_file(folder) if (folder / FILE).exists() else None
    proofs = [*asyncio.run(_prove_programs(suite, choice, watch)), *list_unproven(suite)]
    mark: str = ""
    sizes: dict[str, int] = {}
    told: dict[str, Shown] = {}
    with suppress(ProbatioError):  # a context that can't be filled in; the proofs of the contents say which
        mark, sizes = fingerprint(suite, GRADER_VERSION), count_tokens(suite)
    with suppress(ProbatioError):
        told = describe_contexts(suite)
    proofs += prove_contents(suite, about, mark)
    return CheckReport(
        suite=suite.name,
        language=suite.spec.name,
        version=suite.version,
        fingerprint=mark,
        tokens=sizes,
        proofs=sort_proofs(proofs),
        coverage=measure_coverage(suite),
        seconds=time.monotonic() - began,
        told=told,
    )


async def _prove_programs(suite: Suite, choice: Choice, watch: Watch) -> list[Proof]:
    """Prove what must be right first: if that hangs, nothing else is tried."""
    right, wrong = list(list_right_claims(suite)), list(list_wrong_claims(suite))
    proving = Proving(suite.language.dialects[0], choice, len(right) + len(wrong), watch)
    proofs = await proving.prove(right, impatient=True)
    proofs += await proving.prove(wrong, impatient=False)
    if not proving.gave_up:
        proofs += await prove_twists(suite, choice)
    known = {(proof.subject, f"{BARE}: {proof.detail}") for proof in proofs}
    # a completion that is wrong with and without a code block is reported once
    proofs = [proof for proof in proofs if (proof.subject, proof.detail) not in known]
    if proving.gave_up:
        untried = {"state": "open", "detail": NOT_TRIED, "unchecked": False}
        proofs = [msgspec.structs.replace(each, **untried) if each.unchecked else each for each in proofs]
        proofs.insert(0, Proof("the folder", Claim.TOOLCHAIN, "failed", f"{proving.gave_up}."))
    return proofs


AGAIN = "make it again with `probatio suite twist`."


async def prove_twists(suite: Suite, choice: Choice) -> list[Proof]:
    """Prove what twists/*.yml says, and that it is about the tasks of the suite."""
    proofs: list[Proof] = []
    for name, content in suite.twists.items():
        subject = f"{FOLDER}/{name}.yml"
        faults = list(_find_faults(suite, content))
        proofs += [conclude(subject, Claim.TWISTED, fault) for fault in faults]
        if unknown := [task for task in suite.tasks if task not in content.asked.union(content.left_out)]:
            fault = f"it does not know {', '.join(unknown[:5])}; {AGAIN}"
            proofs.append(conclude(subject, Claim.TWISTED, fault, "warning"))
        if not faults:
            dialect = f"{suite.language.dialects[0]}{TWISTED}{name}"
            claims = list(_list_claims(suite, content, dialect))
            proving = Proving(dialect, choice, len(claims), lambda done, total: None)
            proofs += await proving.prove(claims, impatient=True)
    return proofs


def _find_faults(suite: Suite, content: TwistFile) -> Iterator[str]:
    language = suite.language
    if not isinstance(language, Twisting) or content.twist not in language.twists:
        yield f"{suite.spec.name} has no twist `{content.twist}`."
        return
    if language.twists[content.twist] != content.rule:
        yield f"its rule is not the language's any more; {AGAIN}"
    if gone := sorted(content.asked - suite.tasks.keys()):
        yield f"it is about tasks that are not there: {', '.join(gone[:5])}; {AGAIN}"


def _list_claims(suite: Suite, content: TwistFile, dialect: str) -> Iterator[SuiteClaim]:
    """Claims of the tasks that the twist touches, and of the examples as they are under it."""
    tasks = {task.id: content.task(suite.tasks[task.id]) for task in content.tasks}
    examples = tuple(
        msgspec.structs.replace(
            example, program=suite.language.program_in(example.program.strip(), dialect), host=None
        )
        for example in suite.examples
    )
    changed = tuple(
        one
        for one, usual in zip(examples, suite.examples, strict=True)
        if one.program != usual.program.strip()
    )
    for claim in list_right_claims(
        msgspec.structs.replace(suite, tasks=tasks, examples=changed, contexts={})
    ):
        if claim.spec is not suite.host:  # the twist does not change the host language
            yield msgspec.structs.replace(
                claim, subject=f"{claim.subject} under {content.twist}", claim=Claim.TWISTED
            )
