"""Proofs of the tasks under twists: what twists/*.yml says is true in the jail, and it is about the tasks that are there."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from probatio.authoring.claims import Claim, right_claims
from probatio.authoring.proving import Proving
from probatio.authoring.report import TWISTED, Proof
from probatio.languages.contract import TWISTED as SIGN
from probatio.languages.contract import Twisting
from probatio.sandbox import Choice
from probatio.suite.language_suite import Suite
from probatio.suite.twists import FOLDER, TwistFile
from probatio.workers import shared

AGAIN = "make it again with `probatio suite twist`."


async def twist_proofs(suite: Suite, choice: Choice) -> list[Proof]:
    """For every twist the folder has tasks for."""
    proofs: list[Proof] = []
    for name, content in suite.twists.items():
        subject = f"{FOLDER}/{name}.yml"
        faults = list(_faults(suite, content))
        proofs += [Proof(subject, TWISTED, "failed", fault) for fault in faults]
        if unknown := [task for task in suite.tasks if task not in content.asked.union(content.left_out)]:
            proofs.append(Proof(subject, TWISTED, "warning", f"it does not know {', '.join(unknown[:5])}; {AGAIN}"))
        if not faults:
            dialect = f"{suite.language.dialects[0]}{SIGN}{name}"
            claims = list(_claims(suite, content, dialect))
            proving = Proving(shared(), dialect, choice, len(claims), lambda done, total: None)
            proofs += await proving.prove(claims, impatient=True)
    return proofs


def _faults(suite: Suite, content: TwistFile) -> Iterator[str]:
    language = suite.language
    if not isinstance(language, Twisting) or content.twist not in language.twists:
        yield f"{suite.spec.name} has no twist `{content.twist}`."
        return
    if language.twists[content.twist] != content.rule:
        yield f"its rule is not the language's any more; {AGAIN}"
    if gone := sorted(content.asked - suite.tasks.keys()):
        yield f"it is about tasks that are not there: {', '.join(gone[:5])}; {AGAIN}"


def _claims(suite: Suite, content: TwistFile, dialect: str) -> Iterator[Claim]:
    """Of the tasks that the twist touches, and of the examples as they are shown under it."""
    tasks = {task.id: content.task(suite.tasks[task.id]) for task in content.tasks}
    examples = tuple(
        msgspec.structs.replace(example, program=suite.language.program_in(example.program.strip(), dialect), host=None)
        for example in suite.examples
    )
    changed = tuple(
        one for one, usual in zip(examples, suite.examples, strict=True) if one.program != usual.program.strip()
    )
    for claim in right_claims(msgspec.structs.replace(suite, tasks=tasks, examples=changed, contexts={})):
        if claim.spec is not suite.host:  # what the host language does is no matter of the twist
            yield msgspec.structs.replace(claim, subject=f"{claim.subject} under {content.twist}", claim=TWISTED)
